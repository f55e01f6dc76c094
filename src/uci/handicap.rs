//! From the options to the player of a game, and what is said about it.

use std::hash::{BuildHasher, Hasher, RandomState};

use crate::config::Settings;
use crate::player::{Elo, Player, Roster, StoppedDown, Wishes};

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
}

impl Handicap {
    pub fn new(roster: Roster) -> Handicap {
        let announced = announcement(&Player::FullStrength, "", "");
        Handicap { roster, fresh: fresh_seed(), games: 0, announced }
    }

    pub fn new_game(&mut self) {
        self.fresh = fresh_seed();
        self.games += 1;
        self.announced.clear();
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
            let set = [settings.seed.unsigned_abs(), profile.seed].into_iter().find(|&s| s > 0);
            let (seed, game) = set.map_or((self.fresh, 1), |seed| (seed, self.games.max(1)));
            let explain = settings.explain;
            Player::StoppedDown(Box::new(StoppedDown { profile, seed, game, explain }))
        });
        let rating = match wishes.elo {
            Some(elo) => format!(", about {elo} Elo (provisional)"),
            None => String::new(),
        };
        let announcement = announcement(&player, &rating, &strength.because);
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

/// From the system's entropy, and no longer than a GUI can write.
fn fresh_seed() -> u64 {
    RandomState::new().build_hasher().finish() % 2_147_483_647 + 1
}
