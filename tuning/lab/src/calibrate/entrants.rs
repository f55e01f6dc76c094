//! The participants in a ladder: players at several points along the path of each curve family, and
//! external engines. A path leads from random moves to the best move.

use std::ops::RangeInclusive;
use std::path::Path as FilePath;

use stopdown::player::rating_path;
use stopdown::policy::GameKind;
use stopdown::selector::{Competence, Curve, Family, human};
use stopdown::value::Depth;

/// A participant in the study.
#[derive(Clone, Debug, PartialEq)]
pub struct Entrant {
    pub name: String,
    /// The player specification for the arena.
    pub words: String,
    /// The assumed rating before any games.
    pub guess: f64,
    /// Whether this is an external engine. Its rating is measured, but does not affect other
    /// ratings.
    pub is_anchor: bool,
    /// The rating that the external engine declares.
    pub nominal: Option<f64>,
    /// The entrant takes part in every round whose number is divisible by this number.
    pub every: usize,
}

/// A curve family's path, with the entrants on it.
#[derive(Clone, Debug, PartialEq)]
pub struct FamilyPlayers {
    pub family: Family,
    pub places: Vec<f64>,
    /// The entrant at each place. The random player is on many paths.
    pub entrants: Vec<usize>,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Lineup {
    pub entrants: Vec<Entrant>,
    pub paths: Vec<FamilyPlayers>,
}

/// The program, options, name and declared rating of each engine. The strength of a Stockfish level
/// depends on the depth at which it picks its move, not on its time.
const ANCHORS: [(&str, &str, &str, Option<f64>); 9] = [
    ("stockfish", "", "Stockfish 1350", Some(1350.0)),
    ("stockfish", "", "Stockfish 1500", Some(1500.0)),
    ("stockfish", "", "Stockfish 1700", Some(1700.0)),
    ("stockfish", "", "Stockfish 1900", Some(1900.0)),
    ("stockfish", "", "Stockfish 2200", Some(2200.0)),
    ("stockfish", "", "Stockfish 2500", Some(2500.0)),
    ("toga2", "", "Toga II", None),
    ("glaurung", "", "Glaurung", None),
    ("gnuchess", " --uci", "GNU Chess", None),
];

/// The curve family that target ratings use, unless another curve is requested.
const TARGET_FAMILY: Family = Family::human(GameKind::Board);

/// Players of other families take part in every third round. The family that target ratings use
/// plays the most games, because all others are measured against it.
const OTHERS_EVERY: usize = 3;

/// The folder where Debian installs games.
const ENGINE_FOLDER: &str = "/usr/games";

/// The assumed rating of engines that declare none, at twenty moves per second.
const ANCHOR_RATING: f64 = 2600.0;

impl Lineup {
    /// Players of all families with this search depth.
    pub fn full(depth: Depth) -> Lineup {
        Lineup::of(&PLACES, depth)
    }

    /// Nine players with this search depth.
    pub fn coarse(depth: Depth) -> Lineup {
        Lineup::of(&FEW_PLACES, depth)
    }

    /// Adds the external engines that are installed.
    #[must_use]
    pub fn with_anchors(mut self) -> Lineup {
        let there = ANCHORS
            .iter()
            .filter(|(program, ..)| FilePath::new(ENGINE_FOLDER).join(program).exists());
        self.entrants.extend(there.map(|&(program, switch, name, nominal)| {
            let level = nominal.map_or(String::new(), |elo| {
                format!("option.UCI_LimitStrength=true option.UCI_Elo={elo} ")
            });
            Entrant {
                name: name.to_owned(),
                words: format!(
                    "cmd='{ENGINE_FOLDER}/{program}{switch}' {level}option.Hash=16 st=0.05 margin=5000"
                ),
                guess: nominal.unwrap_or(ANCHOR_RATING),
                is_anchor: true,
                nominal,
                every: OTHERS_EVERY,
            }
        }));
        self
    }

    fn of(places: &[(Family, Places)], depth: Depth) -> Lineup {
        let mut lineup = Lineup::default();
        for &(family, places) in places {
            let every = if family == TARGET_FAMILY { 1 } else { OTHERS_EVERY };
            let stands = |&(place, guess): &(f64, f64)| {
                let entrant = lineup.place(family, place, guess, depth);
                let known = &mut lineup.entrants[entrant].every;
                *known = every.min(*known);
                entrant
            };
            let entrants = places.iter().map(stands).collect();
            let places = places.iter().map(|&(place, _)| place).collect();
            lineup.paths.push(FamilyPlayers { family, places, entrants });
        }
        lineup
    }

    /// Returns the entrant at a place: a new one, or an identical one from another path.
    fn place(&mut self, family: Family, place: f64, guess: f64, depth: Depth) -> usize {
        let curve = rating_path::curve(family, place);
        let name = match curve.competence() {
            Competence::RANDOM if family != Family::REGAN => "random".to_owned(),
            Competence::BEST if family.is_power_law() => "best".to_owned(),
            _ => format!("{family} {place}"),
        };
        if let Some(known) = self.entrants.iter().position(|entrant| entrant.name == name) {
            return known;
        }
        self.entrants.push(Entrant::new(name, &curve, depth, guess));
        self.entrants.len() - 1
    }
}

impl FamilyPlayers {
    /// Splits the path into parts along which ratings change evenly. Each part has players and
    /// their places, in a unit that suits the part. A human path has three parts: only c changes
    /// below and above the range of human ratings.
    pub fn even_parts(&self) -> Vec<Vec<(usize, f64)>> {
        let whole = rating_path::places(self.family);
        let (low, high) = (*whole.start(), *whole.end());
        let parts = match self.family.pool() {
            Some(_) => vec![
                (low..=human::LOWEST, 100.0),
                (human::LOWEST..=human::HIGHEST, 250.0),
                (human::HIGHEST..=high, 100.0),
            ],
            None if self.family.is_power_law() => vec![(whole, 0.1)],
            None => vec![(whole, 1250.0)],
        };
        let part = |(range, unit): (RangeInclusive<f64>, f64)| {
            let all = self.entrants.iter().zip(&self.places);
            let some = all.filter(|(_, place)| range.contains(place));
            some.map(|(&entrant, place)| (entrant, place / unit)).collect()
        };
        parts.into_iter().map(part).collect()
    }
}

impl Entrant {
    /// A player with this curve and search depth.
    pub fn new(name: String, curve: &Curve, depth: Depth, guess: f64) -> Entrant {
        let numbers = curve.parameters().map(|(number, value)| format!("{number}={value}"));
        let family = curve.family();
        Entrant {
            name,
            words: format!("self curve={family} {} depth={depth} option.Hash=1", numbers.join(" ")),
            guess,
            is_anchor: false,
            nominal: None,
            every: OTHERS_EVERY,
        }
    }
}

/// Places on a path, each with a rating that is used to find its first opponents. The ratings are
/// roughly those from an earlier, smaller ladder.
pub type Places = &'static [(f64, f64)];

/// The places of the ladder. They are closest together where ratings change most. The blitz curve
/// has none: it is the curve for games over the board with other parameters, and its levels equal
/// human ratings in the same way.
pub const PLACES: [(Family, Places); 4] = [
    (
        Family::human(GameKind::Board),
        &[
            (0.0, -200.0),
            (150.0, 400.0),
            (300.0, 800.0),
            (450.0, 1100.0),
            (600.0, 1300.0),
            (1000.0, 1550.0),
            (1400.0, 1700.0),
            (1800.0, 1900.0),
            (2200.0, 2080.0),
            (2600.0, 2300.0),
            (2800.0, 2400.0),
            (3000.0, 2450.0),
        ],
    ),
    (
        Family::LEVELLED,
        &[
            (0.0, -200.0),
            (0.2, 900.0),
            (0.35, 1600.0),
            (0.5, 2100.0),
            (0.65, 2500.0),
            (0.8, 2800.0),
            (1.0, 3000.0),
        ],
    ),
    (
        Family::HAWORTH,
        &[(0.0, -200.0), (0.2, 700.0), (0.4, 1500.0), (0.6, 2300.0), (0.8, 2800.0), (1.0, 3000.0)],
    ),
    (
        Family::REGAN,
        &[
            (-4000.0, 500.0),
            (-2000.0, 800.0),
            (0.0, 1300.0),
            (2000.0, 2000.0),
            (4000.0, 2500.0),
            (6000.0, 2800.0),
        ],
    ),
];

/// A small set for a trial run.
pub const FEW_PLACES: [(Family, Places); 3] = [
    (
        Family::human(GameKind::Board),
        &[(0.0, 0.0), (800.0, 1700.0), (2800.0, 2000.0), (3000.0, 2100.0)],
    ),
    (Family::LEVELLED, &[(0.0, 0.0), (0.5, 2000.0), (1.0, 2400.0)]),
    (Family::REGAN, &[(-4000.0, 500.0), (1000.0, 1500.0), (6000.0, 2450.0)]),
];

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;
    use stopdown::arena::{ContestantSpec, EngineSpec};
    use stopdown::player::{Roster, Who};

    #[test]
    fn the_arena_plays_exactly_the_curves_of_the_paths() {
        for lineup in [Lineup::full(5), Lineup::coarse(5)] {
            for path in &lineup.paths {
                for (&place, &entrant) in path.places.iter().zip(&path.entrants) {
                    let words = &lineup.entrants[entrant].words;
                    let spec = ContestantSpec::parse(words, &Roster::default()).expect(words);
                    let EngineSpec::Internal(own) = &spec.engine else { panic!("{words}") };
                    let Who::Profile(profile) = &own.who else { panic!("{words}") };
                    let (played, wanted) = (
                        profile.parts()[0].1.selector.curve,
                        rating_path::curve(path.family, place),
                    );
                    let is_shared = ["random", "best"].contains(&&*lineup.entrants[entrant].name);
                    if is_shared {
                        assert_eq!(played.competence(), wanted.competence(), "{words}");
                    } else {
                        assert_eq!(played, wanted, "{words}");
                    }
                    assert_eq!(profile.depth(), 5, "{words}");
                }
            }
        }
    }

    #[test]
    fn names_are_unique_and_every_path_is_covered_to_its_ends() {
        let lineup = Lineup::full(8).with_anchors();
        let names: HashSet<&str> = lineup.entrants.iter().map(|e| e.name.as_str()).collect();
        assert_eq!(names.len(), lineup.entrants.len());
        for path in &lineup.paths {
            let (first, last) = (path.places[0], path.places[path.places.len() - 1]);
            assert_eq!(first..=last, rating_path::places(path.family), "{}", path.family);
        }
    }
}
