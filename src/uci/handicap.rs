//! From the options to the player of a game, and what is said about it.

use std::hash::{BuildHasher, Hasher, RandomState};
use std::time::Duration;

use super::imitation::Imitation;
use crate::board::Game;
use crate::config::{NO_COMPETENCE, Settings};
use crate::math::streams::Occasion;
use crate::player::pace::Thought;
use crate::player::{
    Dial, Elo, EloScale, Pace, Player, Profile, Roster, StoppedDown, Strength, Who, Wishes,
};
use crate::search::Clock;

/// What a game's player is made with beside the options.
#[derive(Debug)]
pub struct Handicap {
    roster: Roster,
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
    pub fn new(roster: Roster) -> Handicap {
        Handicap {
            roster,
            imitation: Imitation::default(),
            fresh: fresh_seed(),
            games: 0,
            has_played: false,
            seen: None,
            said: vec![format!("playing at {}", Player::FullStrength)],
            base: Duration::ZERO,
            valued_by: None,
        }
    }

    /// Moves are valued by another engine.
    pub fn valued_by(&mut self, name: &str) {
        self.valued_by = Some(name.to_owned());
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
        if self.seen.as_ref().is_some_and(is_another) {
            self.new_game();
        }
        self.games = self.games.max(1);
        self.seen = Some(game.clone());
        let Strength { who, because, dial, overridden } = match self.wishes(settings).resolve() {
            Ok(strength) => strength,
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
        let is_stopped_down = !matches!(player, Player::FullStrength);
        let has_memory = !settings.imitator_memory.is_empty();
        // Some programs send the usual rating too where its switch is off: that is nobody's wish.
        let is_rated = settings.elo != Settings::built_in().elo;
        let is_exploited = settings.exploit_competence != NO_COMPETENCE;
        let idle = [
            (!settings.imitator && has_memory, "Imitator Memory", &*because),
            (is_stopped_down && settings.lines > 1, "MultiPV", &*because),
            (!settings.limit_strength && is_rated, "UCI_Elo", "UCI_LimitStrength is false"),
            (settings.exploit == "Off" && is_exploited, "Exploit Competence", "Exploit is Off"),
        ];
        let idle = idle.into_iter().filter(|(is_idle, ..)| *is_idle);
        let warnings = overridden
            .iter()
            .map(|&name| (name, &*because))
            .chain(idle.map(|(_, name, why)| (name, why)))
            .map(|(name, why)| format!("{name} is set but does not count: {why}"));
        let mut announcement = announcement(&player, dial.as_ref(), &because, settings);
        if let Some(name) = self.valued_by.as_ref().filter(|_| is_stopped_down) {
            announcement += &format!(", on values of {name} (ratings were measured on our own)");
        }
        if pace(&player, settings) == Pace::Human {
            announcement += ", in a person's time";
        }
        let say: Vec<String> = warnings.chain([announcement]).collect();
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
        if pace(player, settings) == Pace::Instant {
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
        self.wishes(settings).resolve().is_ok_and(|strength| strength.who != Who::FullStrength)
    }

    fn wishes(&self, settings: &Settings) -> Wishes<'_> {
        let thousandths = |n: i64| (n > 0).then_some(n as f64 / 1000.0);
        let competence = settings.competence;
        let score = settings.imitator_score;
        Wishes {
            imitator: settings.imitator,
            offset: (settings.imitator_offset != 0).then_some(settings.imitator_offset as f64),
            score: (score > 0).then_some(score as f64 / 100.0),
            elo: settings.limit_strength.then_some(Elo(settings.elo as f64)),
            scale: scale(settings),
            profile: self.roster.get(&settings.profile).ok(),
            curve: settings.curve.parse().ok(),
            competence: (competence > NO_COMPETENCE).then_some(competence as f64 / 100.0),
            sensitivity: thousandths(settings.sensitivity),
            consistency: thousandths(settings.consistency),
            depth: u8::try_from(settings.depth).ok().filter(|&depth| depth > 0),
        }
    }
}

/// Whose ratings are meant.
fn scale(settings: &Settings) -> EloScale {
    let mut all = EloScale::ALL.into_iter();
    all.find(|scale| scale.name() == settings.elo_scale).unwrap_or_default()
}

fn announcement(
    player: &Player,
    dial: Option<&Dial>,
    because: &str,
    settings: &Settings,
) -> String {
    let rating = match (player, dial) {
        (Player::StoppedDown(player), Some(dial)) => level(&player.profile, dial, settings),
        _ => String::new(),
    };
    match player {
        Player::FullStrength => format!("playing at {player}"),
        _ => format!("playing {player}{rating}, because {because}"),
    }
}

/// What is known of the level of a player who has been given a rating.
fn level(profile: &Profile, dial: &Dial, settings: &Settings) -> String {
    let mut text = format!(", {dial}{}", Dial::departure(profile.depth()).unwrap_or_default());
    if settings.network().is_some() {
        text += "; that is with the built-in network, and the one of EvalFile plays otherwise";
    }
    let is_another = |curve| curve != dial.curve();
    if profile.parts().iter().any(|(_, skill)| is_another(skill.selector.curve)) {
        text += "; that is without Competence, which changes it";
    }
    text
}

fn pace(player: &Player, settings: &Settings) -> Pace {
    settings.pace.parse().unwrap_or(player.pace())
}

/// From the system's entropy, and no longer than a GUI can write.
fn fresh_seed() -> u64 {
    RandomState::new().build_hasher().finish() % 2_147_483_647 + 1
}
