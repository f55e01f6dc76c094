//! From the options to the player of a game, and what is said about it.

use std::hash::{BuildHasher, Hasher, RandomState};
use std::time::Duration;

use super::imitation::Imitation;
use super::imitation::KnownOpponent;
use crate::board::Game;
use crate::config::{Settings, StrengthSetting};
use crate::math::streams::Occasion;
use crate::player::pace::{self, Thought};
use crate::player::{Aim, Dial, Imitating, Pace, Player, StoppedDown, Who};
use crate::search::Clock;

/// What a game's player is made with beside the options.
#[derive(Debug)]
pub struct Handicap {
    imitation: Imitation,
    /// Used where the options give no seed; a new one for each game.
    fresh: u64,
    /// Games since the seed was set.
    games: u64,
    /// A move of the last of them was asked for.
    has_played: bool,
    /// As it last stood.
    seen: Option<Game>,
    /// What was last said about who plays.
    said: Vec<String>,
    /// The most that our clock has shown in this game.
    base: Duration,
    /// Another engine that values the moves.
    valued_by: Option<String>,
}

impl Handicap {
    pub fn new() -> Handicap {
        Handicap {
            imitation: Imitation::default(),
            fresh: fresh_seed(),
            games: 0,
            has_played: false,
            seen: None,
            said: vec![FULL_STRENGTH.to_owned()],
            base: Duration::ZERO,
            valued_by: None,
        }
    }

    /// Moves are valued by another engine.
    pub fn valued_by(&mut self, name: Option<&str>) {
        self.valued_by = name.map(str::to_owned);
    }

    pub fn new_game(&mut self) {
        self.imitation.new_game();
        self.fresh = fresh_seed();
        self.games += u64::from(std::mem::take(&mut self.has_played));
        self.seen = None;
        self.said.clear();
        self.base = Duration::ZERO;
    }

    /// The games count from here if the option is the one that says by which seed.
    pub fn adopt(&mut self, option: &str) {
        if option == "Seed" {
            self.games = 0;
        }
    }

    /// Who plays this game, and what has not been said about him yet.
    pub fn player(&mut self, game: &Game, settings: &Settings) -> (Player, Vec<String>) {
        // Who sends positions only, and no moves, begins another with each that does not count them.
        let is_another = |last: &Game| game.is_another_than(last) && game.plies() <= last.plies();
        if self.has_played && self.seen.as_ref().is_some_and(is_another) {
            self.new_game();
        }
        self.games = self.games.max(1);
        self.seen = Some(game.clone());
        let spec = settings.player();
        let who = match spec.player() {
            Ok(who) => who,
            Err(error) => return (Player::FullStrength, vec![error.to_string()]),
        };
        let explain = settings.explain;
        let mut remarks = Vec::new();
        let player = match who {
            Who::FullStrength => Player::FullStrength,
            Who::Profile(profile) => {
                let (seed, game) = self.series(settings, profile.seed);
                Player::StoppedDown(Box::new(StoppedDown { profile, seed, game, explain }))
            }
            Who::Imitator(manner) => {
                let (mut imitating, known) = self.imitation.take(manner, settings);
                (imitating.seed, imitating.game) = self.series(settings, 0);
                imitating.explain = explain;
                remarks = known;
                Player::Imitating(imitating)
            }
        };
        let mut say = vec![announcement(&player, spec.dial().as_ref(), settings)];
        if let (Some(sentence), Some(name)) =
            (say.first_mut().filter(|_| player.is_stopped_down()), &self.valued_by)
        {
            *sentence += &format!(" What moves are worth is said by {name}.");
        }
        if explain && player.is_stopped_down() {
            say.push(player.to_string());
        }
        if say != self.said {
            remarks.splice(0..0, say.iter().cloned());
            self.said = say;
        }
        (player, remarks)
    }

    /// Takes a player back after his move.
    pub fn welcome(&mut self, player: Player) {
        if let Player::Imitating(imitating) = player {
            self.imitation.welcome(imitating);
        }
    }

    /// Keeps what was learnt of the opponent. Gives a complaint if that cannot be done.
    pub fn keep(&mut self) -> Option<String> {
        self.imitation.keep()
    }

    /// The seed, and which game with it this is.
    fn series(&self, settings: &Settings, of_profile: u64) -> (u64, u64) {
        let set = [settings.seed.unsigned_abs(), of_profile].into_iter().find(|&seed| seed > 0);
        set.map_or((self.fresh, 1), |seed| (seed, self.games))
    }

    /// What a person would think about on this move; `None` where nobody is to wait.
    pub fn thought(
        &mut self,
        player: &Player,
        game: &Game,
        clock: &Clock,
        settings: &Settings,
    ) -> Option<(Thought, Occasion)> {
        self.has_played = true;
        self.base = self.base.max(clock.remaining.unwrap_or_default());
        let opponent = KnownOpponent::parse(&settings.opponent);
        if !pace::takes_time(pace(player, settings), opponent.is_human, clock, self.base) {
            return None;
        }
        // Times are drawn from the player's own seed, as his moves are.
        let (seed, number) = match player {
            Player::FullStrength => self.series(settings, 0),
            Player::StoppedDown(player) => (player.seed, player.game),
            Player::Imitating(player) => (player.seed, player.game),
        };
        let legal = game.position().legal_moves().len();
        let thought = Thought { clock: *clock, base: self.base, legal, entropy: None };
        Some((thought, Occasion { seed, game: number, ply: game.plies() as u64 }))
    }

    /// Would a move be played below full strength?
    pub fn is_stopped_down(&self, settings: &Settings) -> bool {
        settings.player().player().is_ok_and(|who| who != Who::FullStrength)
    }
}

const FULL_STRENGTH: &str = "Plays at full strength.";

/// Who plays, in a player's words.
fn announcement(player: &Player, dial: Option<&Dial>, settings: &Settings) -> String {
    let (mut text, seed, game) = match player {
        Player::FullStrength if settings.decisive() == StrengthSetting::Profile => {
            return format!("{FULL_STRENGTH} Choose a Profile to play less strongly.");
        }
        Player::FullStrength => return FULL_STRENGTH.to_owned(),
        Player::StoppedDown(player) => (strength(player, dial), player.seed, player.game),
        Player::Imitating(player) => (against(player), player.seed, player.game),
    };
    if dial.is_some() && settings.network().is_some() {
        text += " Ratings are those of the built-in network: that of EvalFile plays otherwise.";
    }
    format!("{text} Seed {seed}, game {game}.")
}

/// How strong a player below full strength is.
fn strength(player: &StoppedDown, dial: Option<&Dial>) -> String {
    let profile = &player.profile;
    if let Some(dial) = dial {
        return format!("Plays {dial}.{}", Dial::departure(profile.depth()).unwrap_or_default());
    }
    if !profile.name.is_empty() {
        let description = profile.description.trim_end_matches('.');
        let end = if description.is_empty() { "" } else { "." };
        return format!("Plays as {}. {description}{end}", profile.name).trim_end().to_owned();
    }
    let Some((_, skill)) = profile.parts().first() else { return FULL_STRENGTH.to_owned() };
    let curve = skill.selector.curve;
    let depth = profile.depth();
    if curve.competence().get() == f64::INFINITY {
        return format!("Plays the best move that {depth} plies show.");
    }
    let [(name, value), (other, scale)] = curve.parameters();
    match other {
        "kappa" => format!("Plays with {name} {value}, by the curve {}.", curve.family()),
        _ => format!(
            "Plays with {name} {value} and {other} {scale}, by the curve {}.",
            curve.family()
        ),
    }
}

/// How strong the imitator is.
fn against(player: &Imitating) -> String {
    match player.manner.aim {
        Aim::Equal => "Plays as strongly as you do.".to_owned(),
        Aim::Offset(offset) if offset < 0.0 => {
            format!("Plays {:.0} points below you.", -offset)
        }
        Aim::Offset(offset) => format!("Plays {offset:.0} points above you."),
        Aim::Score(score) => format!("Plays so as to score {:.0} % against you.", 100.0 * score),
    }
}

/// The pace that is set, or else the player's own.
fn pace(player: &Player, settings: &Settings) -> Pace {
    match settings.pace {
        Pace::Auto => player.pace(),
        set => set,
    }
}

/// From the system's entropy, and no longer than a GUI can write.
fn fresh_seed() -> u64 {
    RandomState::new().build_hasher().finish() % 2_147_483_647 + 1
}
