//! Makes the player of each game from the options, and counts the games.

use std::hash::{BuildHasher, Hasher, RandomState};
use std::time::Duration;

use super::introduction::{FULL_STRENGTH, introduction};
use super::opponents::{KnownOpponent, Opponents};
use crate::board::Game;
use crate::config::Settings;
use crate::math::streams::Occasion;
use crate::player::pace::{self, Thought};
use crate::player::{Pace, Player, Who};
use crate::search::Clock;

/// What a player is made with in addition to the options.
#[derive(Debug)]
pub(super) struct PlayerSource {
    opponents: Opponents,
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
}

impl PlayerSource {
    pub fn new() -> PlayerSource {
        PlayerSource {
            opponents: Opponents::default(),
            fresh: fresh_seed(),
            games: 0,
            has_played: false,
            seen: None,
            said: vec![FULL_STRENGTH.to_owned()],
            base: Duration::ZERO,
        }
    }

    pub fn new_game(&mut self) {
        self.opponents.new_game();
        self.fresh = fresh_seed();
        self.games += u64::from(std::mem::take(&mut self.has_played));
        self.seen = None;
        self.said.clear();
        self.base = Duration::ZERO;
    }

    /// Another seed was set: the games count from here.
    pub fn restart_series(&mut self) {
        self.games = 0;
    }

    /// The player of this game, and what has not been said about it yet. `evaluator` is another engine
    /// that evaluates the moves.
    pub fn player(
        &mut self,
        game: &Game,
        settings: &Settings,
        evaluator: Option<&str>,
    ) -> (Player, Vec<String>) {
        // A program that sends positions only, and no moves, starts another with each that does not
        // count them.
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
        let seed_of_profile = if let Who::Profile(profile) = &who { profile.seed } else { 0 };
        let (seed, number) = self.series(settings, seed_of_profile);
        let player = match who {
            Who::Imitator(style) => {
                let (mut imitating, known) = self.opponents.take(style, settings);
                (imitating.seed, imitating.game) = (seed, number);
                remarks = known;
                Player::Imitating(imitating)
            }
            who => Player::new(who, seed, number),
        };
        let player = player.explaining(explain);
        let mut say = vec![introduction(&player, spec.target_rating().as_ref(), settings)];
        if let (Some(sentence), Some(name)) =
            (say.first_mut().filter(|_| player.is_stopped_down()), evaluator)
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

    /// Takes a player back after its move.
    pub fn take_back(&mut self, player: Player) {
        if let Player::Imitating(imitating) = player {
            self.opponents.take_back(imitating);
        }
    }

    /// Keeps what was learnt of the opponent. Gives a complaint if that cannot be done.
    pub fn keep(&mut self) -> Option<String> {
        self.opponents.keep()
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
        let (seed, number) = player.series().unwrap_or_else(|| self.series(settings, 0));
        let legal = game.position().legal_moves().len();
        let thought = Thought { clock: *clock, base: self.base, legal, entropy: None };
        Some((thought, Occasion { seed, game: number, ply: game.plies() as u64 }))
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
