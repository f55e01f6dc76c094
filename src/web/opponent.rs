//! An opponent modelled on a player's games. The page sends a PGN file, the user picks a
//! player, and a profile of this player is added to the profiles.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use anyhow::Context as _;
use serde::Serialize;

use crate::analyser::{Measured, Sides, StudyPlan};
use crate::board::Colour;
use crate::config::{free_profile_name, save_player};
use crate::games::pgn::{PgnGame, PgnStream, count_scales, most_common_scale};
use crate::player::{Engine, MIN_RATED_MOVES, Roster};
use crate::policy::GameKind;
use crate::review::{EvaluationObserver, PlayerFindings, ReviewJob};

/// A request to make an opponent from games.
#[derive(Debug)]
pub struct OpponentRequest {
    /// The index of the player in the result of [`players`] for the same games. Names can be long
    /// and contain spaces, so the page sends the index instead.
    pub index: usize,
    /// The kind of games, which determines the rating scale.
    pub kind: GameKind,
    /// Whether to save the opponent for chess programs too.
    pub is_kept: bool,
    pub made: MadeOpponents,
}

/// The opponents made since the server started.
#[derive(Clone, Debug, Default)]
pub struct MadeOpponents(Arc<Mutex<Roster>>);

/// An opponent that has been made.
#[derive(Clone, Debug)]
pub struct MadeOpponent {
    pub profile: String,
    /// The place where it was saved, or the reason why it was not.
    pub notice: Option<String>,
}

/// A player in a PGN file.
#[derive(Debug, Serialize)]
pub struct ListedPlayer {
    name: String,
    games: usize,
    /// The rating scale of most of the games.
    scale: &'static str,
}

/// Returns the players who are named in the games, those with the most games first.
pub fn players<'a>(games: impl IntoIterator<Item = &'a PgnGame>) -> Vec<ListedPlayer> {
    let mut by_name: BTreeMap<&str, Vec<&PgnGame>> = BTreeMap::new();
    for game in games {
        let names = Colour::ALL.map(|colour| game.name(colour).unwrap_or_default().trim());
        for name in names.into_iter().filter(|name| !name.is_empty() && !name.starts_with('?')) {
            by_name.entry(name).or_default().push(game);
        }
    }
    let listed = by_name.into_iter().map(|(name, games)| ListedPlayer {
        name: name.to_owned(),
        games: games.len(),
        scale: most_common_scale(&count_scales(games)).name(),
    });
    let mut players: Vec<ListedPlayer> = listed.collect();
    players.sort_by_key(|player| Reverse(player.games));
    players
}

/// Returns the players in a PGN file. Games that cannot be read are skipped here, and reported when
/// the opponent is made.
pub fn players_of_file(pgn: &[u8]) -> Vec<ListedPlayer> {
    let games: Vec<PgnGame> = PgnStream::new(pgn).filter_map(Result::ok).collect();
    players(&games)
}

impl MadeOpponents {
    /// Adds the opponents to the profiles in the settings.
    pub fn add_to(&self, profiles: &mut Roster) {
        profiles.extend(self.0.lock().unwrap_or_else(PoisonError::into_inner).clone());
    }

    fn insert(&self, made: Roster) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).extend(made);
    }
}

impl OpponentRequest {
    /// The number of positions that will be evaluated, for the progress bar.
    pub fn positions(&self, games: &[PgnGame], plan: &StudyPlan) -> u64 {
        let Ok(player) = self.player(games) else { return 0 };
        let sides = Sides::Player(player);
        let of_side = |game: &PgnGame| (game.moves.len() / 2).saturating_sub(plan.rules.opening);
        let played = games.iter().flat_map(|game| {
            Colour::ALL.into_iter().filter(|&colour| sides.has(game, colour)).map(|_| of_side(game))
        });
        played.sum::<usize>() as u64
    }

    /// The name of the chosen player.
    fn player(&self, games: &[PgnGame]) -> anyhow::Result<String> {
        let player = players(games).into_iter().nth(self.index);
        Ok(player.context("this player is not in these games")?.name)
    }

    /// Evaluates the player's games and makes the profile.
    pub fn make(
        &self,
        plan: &StudyPlan,
        engines: Vec<Engine>,
        games: Vec<PgnGame>,
        observer: &mut dyn EvaluationObserver,
    ) -> anyhow::Result<MadeOpponent> {
        let player = self.player(&games)?;
        let job = ReviewJob::of_all(plan, Measured::Rating, engines);
        let job = job.of_sides(Sides::Player(player.clone()));
        let (profiles, _) = job.profiles::<anyhow::Error>(games.into_iter().map(Ok), observer)?;
        let name = free_profile_name(&player);
        let findings = PlayerFindings::of(&profiles, &player, &name)
            .filter(|findings| findings.moves >= MIN_RATED_MOVES);
        let findings = findings.with_context(|| {
            format!("too few of {player}'s moves count; at least {MIN_RATED_MOVES} are needed")
        })?;
        let made = Roster::parse(&findings.profile.toml())?;
        let notice = self.is_kept.then(|| match save_player(&findings.profile, "stopdown web") {
            Ok(path) => format!("Saved as the profile {name} in {}.", path.display()),
            Err(error) => format!("The profile was not saved: {error}."),
        });
        self.made.insert(made);
        Ok(MadeOpponent { profile: name, notice })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn players_are_listed_by_their_number_of_games() {
        let game = |white: &str, black: &str| {
            format!("[White \"{white}\"]\n[Black \"{black}\"]\n\n1. e4 *\n\n")
        };
        let text =
            game("Bob", "Ann") + &game("Ann", "?") + &game("Cid", " Ann ") + &game("", "Bob");
        let players = players_of_file(text.as_bytes());
        let players: Vec<(&str, usize)> =
            players.iter().map(|player| (&*player.name, player.games)).collect();
        assert_eq!(players, [("Ann", 3), ("Bob", 2), ("Cid", 1)]);
    }

    #[test]
    fn players_after_an_unreadable_game_are_listed() {
        let text = "[Event \"1\"]\n[White \"Ann\"]\n\n1. e4 *\n\n[Event \"2\"]\n\n1. e4 {open\n\n\
            [Event \"3\"]\n[White \"Bob\"]\n\n1. e4 *\n";
        let players = players_of_file(text.as_bytes());
        let names: Vec<&str> = players.iter().map(|player| &*player.name).collect();
        assert_eq!(names, ["Ann", "Bob"]);
    }

    #[test]
    fn the_scale_of_a_player_is_that_of_most_of_their_games() {
        let game = |black: &str, tags: &str| {
            format!("[White \"Ann\"]\n[Black \"{black}\"]\n{tags}\n1. e4 *\n\n")
        };
        let lichess = "[Site \"https://lichess.org/abc\"]\n[TimeControl \"600+0\"]\n";
        let text = game("Bob", lichess) + &game("Cid", "") + &game("Bob", lichess);
        let players = players_of_file(text.as_bytes());
        let scales: Vec<(&str, &str)> =
            players.iter().map(|player| (&*player.name, player.scale)).collect();
        let rapid = "Lichess-Rapid";
        assert_eq!(scales, [("Ann", rapid), ("Bob", rapid), ("Cid", "FIDE")]);
    }
}
