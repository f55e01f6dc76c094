//! From the options to the player of a game, and what is said about it.

use std::hash::{BuildHasher, Hasher, RandomState};
use std::time::Duration;

use crate::board::Game;
use crate::config::Settings;
use crate::math::streams::Occasion;
use crate::player::pace::Thought;
use crate::player::{Elo, Pace, Player, Roster, StoppedDown, Wishes};
use crate::search::Clock;

/// Below the least competence that can be set: none is.
pub const NO_COMPETENCE: i64 = -2001;

/// What a game's player is made with beside the options.
#[derive(Debug)]
pub struct Handicap {
    roster: Roster,
    /// Used where the options give no seed; a new one for each game.
    fresh: u64,
    /// Games since the seed was set.
    games: u64,
    announced: String,
    /// The most that our clock has shown in this game.
    base: Duration,
}

impl Handicap {
    pub fn new(roster: Roster) -> Handicap {
        let announced = announcement(&Player::FullStrength, "", "");
        Handicap { roster, fresh: fresh_seed(), games: 0, announced, base: Duration::ZERO }
    }

    pub fn new_game(&mut self) {
        self.fresh = fresh_seed();
        self.games += 1;
        self.announced.clear();
        self.base = Duration::ZERO;
    }

    /// After an option was set. Gives a complaint if the option makes no sense.
    pub fn adopt(&mut self, option: &str, settings: &mut Settings) -> Option<String> {
        match option {
            "Seed" => self.games = 0,
            "Profile" if !settings.profile.is_empty() => {
                let unknown = self.roster.get(&settings.profile).err()?;
                settings.profile.clear();
                return Some(format!("{unknown}; no profile is set"));
            }
            _ => {}
        }
        None
    }

    /// Who plays, and what has not been said about him yet.
    pub fn player(&mut self, settings: &Settings) -> (Player, Vec<String>) {
        let wishes = self.wishes(settings);
        let strength = match wishes.resolve() {
            Ok(strength) => strength,
            Err(error) => return (Player::FullStrength, vec![error.to_string()]),
        };
        let player = strength.profile.map_or(Player::FullStrength, |profile| {
            let (seed, game) = self.series(settings, profile.seed);
            let explain = settings.explain;
            Player::StoppedDown(Box::new(StoppedDown { profile, seed, game, explain }))
        });
        let rating = match wishes.elo {
            Some(elo) => format!(", about {elo} Elo (provisional)"),
            None => String::new(),
        };
        let mut announcement = announcement(&player, &rating, &strength.because);
        if pace(&player, settings) == Pace::Human {
            announcement += ", in a person's time";
        }
        if announcement == self.announced {
            return (player, Vec::new());
        }
        let because = &strength.because;
        let overridden = strength.overridden.iter();
        let warnings =
            overridden.map(|name| format!("{name} is set but does not count: {because}"));
        let said = warnings.chain([announcement.clone()]).collect();
        self.announced = announcement;
        (player, said)
    }

    /// The seed, and which game with it this is.
    fn series(&self, settings: &Settings, of_profile: u64) -> (u64, u64) {
        let set = [settings.seed.unsigned_abs(), of_profile].into_iter().find(|&seed| seed > 0);
        set.map_or((self.fresh, 1), |seed| (seed, self.games.max(1)))
    }

    /// What a person would think about on this move; `None` where nobody is to wait.
    pub fn thought(
        &mut self,
        player: &Player,
        game: &Game,
        clock: &Clock,
        settings: &Settings,
    ) -> Option<(Thought, Occasion)> {
        self.base = self.base.max(clock.remaining.unwrap_or_default());
        if pace(player, settings) == Pace::Instant {
            return None;
        }
        let (seed, number) = self.series(settings, 0);
        let legal = game.position().legal_moves().len();
        let thought = Thought { clock: *clock, base: self.base, legal, entropy: None };
        Some((thought, Occasion { seed, game: number, ply: game.ply() as u64 }))
    }

    /// Would a move be played below full strength?
    pub fn is_stopped_down(&self, settings: &Settings) -> bool {
        self.wishes(settings).resolve().is_ok_and(|strength| strength.profile.is_some())
    }

    fn wishes(&self, settings: &Settings) -> Wishes<'_> {
        let thousandths = |n: i64| (n > 0).then_some(n as f64 / 1000.0);
        let competence = settings.competence;
        Wishes {
            elo: settings.limit_strength.then_some(Elo(settings.elo as f64)),
            profile: self.roster.get(&settings.profile).ok(),
            curve: settings.curve.parse().ok(),
            competence: (competence > NO_COMPETENCE).then_some(competence as f64 / 100.0),
            sensitivity: thousandths(settings.sensitivity),
            consistency: thousandths(settings.consistency),
            depth: u8::try_from(settings.depth).ok().filter(|&depth| depth > 0),
        }
    }
}

fn announcement(player: &Player, rating: &str, because: &str) -> String {
    match player {
        Player::FullStrength => format!("playing at {player}"),
        Player::StoppedDown(_) => format!("playing {player}{rating}, because {because}"),
    }
}

fn pace(player: &Player, settings: &Settings) -> Pace {
    settings.pace.parse().unwrap_or(player.pace())
}

/// From the system's entropy, and no longer than a GUI can write.
fn fresh_seed() -> u64 {
    RandomState::new().build_hasher().finish() % 2_147_483_647 + 1
}
