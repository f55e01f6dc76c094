//! The sample: decisions of players with known ratings, and the selection of games.
//!
//! Decisions are grouped by level: the rating rounded to a multiple of 100. Over-the-board
//! collections contain few games by weak players and very many by strong ones. So the number of
//! decisions at every level is limited, and so is the number of players with a series of games. The
//! selection depends only on the moves and the names of the players, not on the order of the files.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use crate::tune::choices::{fingerprint_of, is_test_game};
use stopdown::analyser::{DecisionSettings, EvaluatedGame, StudiedMove, StudyRules};
use stopdown::board::Colour;
use stopdown::games::pgn::PgnGame;
use stopdown::math::fingerprint;
use stopdown::math::statistics::mean;
use stopdown::player::all_ratings;
use stopdown::policy::GameKind;
use stopdown::selector::Family;
use stopdown::selector::human::LOWEST;
use stopdown::value::Depth;

/// The width of a level in Elo.
const LEVEL: f64 = 100.0;

/// A decision by a player with a known rating.
#[derive(Clone, Debug)]
pub struct RatedDecision {
    pub turn: StudiedMove,
    pub rating: f64,
    pub pool: GameKind,
    /// Identifies the player: the same for all games with the same name.
    pub player: u64,
    /// Identifies the game: the same for all its decisions, and unique apart from hash collisions.
    pub game: u64,
}

impl RatedDecision {
    /// The player's level: the rating rounded to a multiple of 100.
    pub fn level(&self) -> i64 {
        level(self.rating)
    }

    /// Which half of the games this game is in.
    pub fn half(&self) -> usize {
        (self.game >> 32 & 1) as usize
    }
}

/// Sorts decisions by game and ply, and gives every game one number. Several files may have the same game, each with the
/// rating of another side, but errors are correlated within the game.
pub fn sort_by_game(sample: &mut [RatedDecision]) {
    sample.sort_by_key(|known| (known.game, known.turn.ply));
    for (number, game) in sample.chunk_by_mut(|one, next| one.game == next.game).enumerate() {
        game.iter_mut().for_each(|known| known.turn.game = number);
    }
}

/// The level of a rating: the rating rounded to a multiple of 100.
pub fn level(rating: f64) -> i64 {
    ((rating / LEVEL).round() * LEVEL) as i64
}

/// The levels of a sample in ascending order.
pub fn levels(sample: &[&RatedDecision]) -> BTreeSet<i64> {
    sample.iter().map(|known| known.level()).collect()
}

/// The decisions of a player, by game.
pub type Career<'a> = BTreeMap<u64, Vec<&'a RatedDecision>>;

/// The careers of all players in a sample.
pub fn careers<'a>(sample: &[&'a RatedDecision]) -> BTreeMap<u64, Career<'a>> {
    let mut careers = BTreeMap::<u64, Career<'a>>::new();
    for &known in sample {
        careers.entry(known.player).or_default().entry(known.game).or_default().push(known);
    }
    careers
}

/// The minimum number of decisions in a game for an estimate.
const MIN_DECISIONS: usize = 15;

/// Selects the first game with enough decisions. Games are ordered by fingerprint, so the choice
/// does not depend on how well they were played.
pub fn long_game<'a, 'b>(career: &'b Career<'a>) -> Option<&'b Vec<&'a RatedDecision>> {
    career.values().find(|game| game.len() >= MIN_DECISIONS)
}

/// A side of a game to sample, with the player's rating.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RatedSide {
    pub colour: Colour,
    pub rating: f64,
}

/// The sides in a game whose moves are sampled. Some collections have tags for this. `CalibSide`
/// names the sides that were selected by rating. `CollectorSide` names the side of an account that
/// appears in nearly every game of the collection; its moves do not count.
pub fn sides(pgn: &PgnGame) -> Vec<RatedSide> {
    // If the time class of a server's game is unknown, its ratings may be of any kind.
    if pgn.server().is_some() && pgn.tag("TimeClass").is_none() {
        return Vec::new();
    }
    let letter = |colour| if colour == Colour::White { 'w' } else { 'b' };
    let counts = |colour: Colour| {
        let is_picked = pgn.tag("CalibSide").is_none_or(|sides| sides.contains(letter(colour)));
        let is_collector = pgn.tag("CollectorSide").is_some_and(|s| s.starts_with(letter(colour)));
        is_picked && !is_collector
    };
    let side = |colour| {
        // Lower ratings are taken to be errors in the tags.
        let rating = pgn.rating(colour).filter(|&rating| rating >= LOWEST && counts(colour))?;
        Some(RatedSide { colour, rating })
    };
    [Colour::White, Colour::Black].into_iter().filter_map(side).collect()
}

/// Whether the moves of this side count.
pub fn is_wanted(pgn: &PgnGame, colour: Colour) -> bool {
    sides(pgn).iter().any(|side| side.colour == colour)
}

/// A hash of the player's name.
pub fn player(name: &str) -> u64 {
    fingerprint(name.as_bytes())
}

/// The decisions that count in an evaluated game, with the policy's probabilities of the moves for
/// players of each rating.
pub fn known(
    evaluated: &EvaluatedGame,
    depth: Depth,
    rules: &StudyRules,
    threads: usize,
) -> Vec<RatedDecision> {
    let Some(pool) = evaluated.pgn.kind() else { return Vec::new() };
    let game = fingerprint_of(&evaluated.game);
    let sides = sides(&evaluated.pgn);
    let rating = |colour| sides.iter().find(|side| side.colour == colour).map(|s| s.rating);
    let ratings = |colour| rating(colour).map_or_else(Vec::new, |_| all_ratings());
    let settings = DecisionSettings { depth, family: Family::human(pool), rules };
    let turns = evaluated.decisions(&settings, threads, ratings);
    let counted = turns.into_iter().filter_map(|(played, turn)| {
        let rating = rating(turn.colour)?;
        let counts = turn.is_evaluated() && rules.omission(&turn).is_none();
        let player = player(evaluated.pgn.name(turn.colour).unwrap_or_default());
        let has_time = has_time(&evaluated.pgn, played);
        (counts && has_time).then_some(RatedDecision { turn, rating, pool, player, game })
    });
    counted.collect()
}

/// Moves made with fewer seconds than this on the clock do not count, because the player was in
/// time trouble.
const TIME_TROUBLE: u32 = 30;

/// Whether enough time was left after `played` moves. The time left before this
/// move is in the comment on the player's previous move.
fn has_time(pgn: &PgnGame, played: usize) -> bool {
    let clock = played.checked_sub(2).and_then(|before| pgn.clocks.get(before).copied().flatten());
    clock.is_none_or(|seconds| seconds >= TIME_TROUBLE)
}

/// The number of games in a player's series.
const SERIES: usize = 10;
/// The minimum number of decisions that the player makes after the opening in each game of a
/// series.
const LONG: usize = 25;

/// All available games, collected in a first pass over the files.
#[derive(Debug, Default)]
pub struct GameSelector {
    /// Whether level samples only use games that neither the policy network nor the curve `human`
    /// was trained on. Players' series may use any game, because hardly any player has ten such
    /// games.
    pub is_unseen: bool,
    /// By pool and level: the fingerprints of games, with the number of decisions that they may
    /// provide.
    candidates: BTreeMap<(GameKind, i64), BTreeMap<u64, usize>>,
    /// By pool and player: the games with enough decisions, with the player's rating in each.
    careers: BTreeMap<(GameKind, u64), BTreeMap<u64, f64>>,
}

/// The selected games.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SelectedGames {
    /// Games selected for the level samples.
    pub of_levels: HashSet<u64>,
    /// Games selected for players' series, by pool and player.
    series: BTreeMap<(GameKind, u64), Vec<u64>>,
}

impl SelectedGames {
    /// Whether the game is selected for any reason.
    pub fn contains(&self, game: u64) -> bool {
        self.of_levels.contains(&game) || self.series.values().any(|games| games.contains(&game))
    }

    /// The series of games in a pool, by player.
    pub fn series(&self, pool: GameKind) -> BTreeMap<u64, Vec<u64>> {
        let of_pool = self.series.iter().filter(|((of, _), _)| *of == pool);
        of_pool.map(|(&(_, player), games)| (player, games.clone())).collect()
    }
}

impl GameSelector {
    /// Records a game. Unreadable games are skipped here, and reported when they are read again.
    pub fn consider(&mut self, pgn: &PgnGame, opening: usize) {
        let sides = sides(pgn);
        let Some(pool) = pgn.kind().filter(|_| !sides.is_empty()) else { return };
        let Ok(game) = pgn.replay(None) else { return };
        let turns = game.ply().saturating_sub(2 * opening) / 2;
        let game = fingerprint_of(&game);
        for RatedSide { colour, rating } in sides {
            if !self.is_unseen || is_test_game(game) {
                self.candidates.entry((pool, level(rating))).or_default().insert(game, turns);
            }
            if turns >= LONG
                && let Some(name) = pgn.name(colour)
            {
                let career = self.careers.entry((pool, player(name))).or_default();
                career.insert(game, rating);
            }
        }
    }

    /// Selects games that provide about `turns` decisions at every level, or all available ones.
    /// Also selects a series of games for `players` players at every level.
    pub fn choose(&self, turns: usize, players: usize) -> SelectedGames {
        let mut of_levels = HashSet::new();
        for games in self.candidates.values() {
            let mut there = 0;
            for (&game, &more) in games.iter() {
                if there >= turns {
                    break;
                }
                of_levels.insert(game);
                there += more;
            }
        }
        let mut series = BTreeMap::new();
        let mut found: BTreeMap<(GameKind, i64), usize> = BTreeMap::new();
        for (&(pool, player), career) in &self.careers {
            let first: Vec<(u64, f64)> =
                career.iter().take(SERIES).map(|(&g, &rating)| (g, rating)).collect();
            let ratings: Vec<f64> = first.iter().map(|&(_, rating)| rating).collect();
            let of_level = found.entry((pool, level(mean(&ratings)))).or_default();
            if first.len() == SERIES && *of_level < players {
                *of_level += 1;
                series.insert((pool, player), first.iter().map(|&(game, _)| game).collect());
            }
        }
        SelectedGames { of_levels, series }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use stopdown::games::pgn::read_pgn;

    fn game(tags: &str) -> PgnGame {
        let text = format!("[WhiteElo \"1640\"]\n[BlackElo \"1880\"]\n{tags}\n1. e4 e5 2. Nf3 *");
        read_pgn(&text).remove(0)
    }

    #[test]
    fn only_sides_picked_for_their_rating_count() {
        let ratings = |tags| sides(&game(tags)).iter().map(|s| s.rating).collect::<Vec<f64>>();
        assert_eq!(ratings(""), [1640.0, 1880.0]);
        assert_eq!(ratings("[CalibSide \"b\"]\n"), [1880.0]);
        assert_eq!(ratings("[CollectorSide \"black\"]\n"), [1640.0]);
        assert_eq!(ratings("[CalibSide \"b\"]\n[CollectorSide \"black\"]\n"), [0.0; 0]);
        let slip = read_pgn("[WhiteElo \"230\"]\n[BlackElo \"2350\"]\n\n1. e4 *").remove(0);
        assert_eq!(sides(&slip).iter().map(|s| s.rating).collect::<Vec<f64>>(), [2350.0]);
    }

    #[test]
    fn the_selection_does_not_depend_on_the_order_of_games() {
        let texts = ["1. e4 e5 2. Nf3", "1. d4 d5 2. c4", "1. c4 e5 2. g3", "1. Nf3 d5 2. g3"];
        let games = texts.map(|moves| {
            let tags = "[WhiteElo \"1500\"]\n[CalibSide \"w\"]";
            read_pgn(&format!("{tags}\n\n{moves} *")).remove(0)
        });
        let chosen = |order: &[usize]| {
            let mut selector = GameSelector::default();
            order.iter().for_each(|&place| selector.consider(&games[place], 0));
            selector.choose(2, 1)
        };
        let some = chosen(&[0, 1, 2, 3]);
        assert_eq!((some.of_levels.len(), some.series.len()), (2, 0));
        assert_eq!(some, chosen(&[3, 1, 0, 2]));
    }

    #[test]
    fn a_player_with_enough_long_games_gives_a_series() {
        let mut selector = GameSelector::default();
        for number in 0..=SERIES {
            // Knight shuffles that differ from game to game.
            let first = "Nf3 Nf6 Ng1 Ng8 ".repeat(number);
            let moves = first + &"Nc3 Nc6 Nb1 Nb8 ".repeat(LONG);
            let tags = "[White \"A\"]\n[WhiteElo \"1500\"]\n[CalibSide \"w\"]";
            selector.consider(&read_pgn(&format!("{tags}\n\n{moves} *")).remove(0), 0);
        }
        assert_eq!(selector.choose(0, 0), SelectedGames::default());
        let series = selector.choose(0, 1).series(GameKind::Board);
        assert_eq!(series.keys().collect::<Vec<_>>(), [&player("A")]);
        assert_eq!(series[&player("A")].len(), SERIES);
    }
}
