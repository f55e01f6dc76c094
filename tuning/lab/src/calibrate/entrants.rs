//! Who plays: players at some places of the families' paths, and engines of others.

use std::ops::RangeInclusive;
use std::path::Path as FilePath;

use stopdown::player::path;
use stopdown::policy::Pool;
use stopdown::selector::{Competence, Curve, Family, human};
use stopdown::value::Depth;

/// A player of the study.
#[derive(Clone, Debug, PartialEq)]
pub struct Entrant {
    pub name: String,
    /// As the arena understands them.
    pub words: String,
    /// Before there are games.
    pub guess: f64,
    /// An engine of others, which is measured and measures nothing.
    pub is_anchor: bool,
    /// The rating that an anchor says it has.
    pub nominal: Option<f64>,
    /// He comes to every round whose number this divides.
    pub every: usize,
}

/// A family's path with those who stand at its places.
#[derive(Clone, Debug, PartialEq)]
pub struct FamilyPlayers {
    pub family: Family,
    pub places: Vec<f64>,
    /// For each place, who stands there. Who plays at random stands on many paths.
    pub entrants: Vec<usize>,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Lineup {
    pub entrants: Vec<Entrant>,
    pub paths: Vec<FamilyPlayers>,
}

/// A program, the words that follow it, its name and the rating that it says it has. How strong the
/// levels of Stockfish are hangs on the depth at which it chooses, not on its time.
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

/// Whose players the dial sets unless another curve is wished for.
const DIAL: Family = Family::human(Pool::Board);

/// Most games are wanted of the dial's own players: all others are measured by them.
const OTHERS_EVERY: usize = 3;

/// Where the packages of Debian have them.
const FOLDER: &str = "/usr/games";

/// Of engines that name no rating, at twenty moves a second.
const ANCHORS_GUESS: f64 = 2600.0;

impl Lineup {
    /// Players of all families who look so far ahead.
    pub fn of_paths(depth: Depth) -> Lineup {
        Lineup::of(&PLACES, depth)
    }

    /// A dozen of them.
    pub fn of_few(depth: Depth) -> Lineup {
        Lineup::of(&FEW_PLACES, depth)
    }

    /// The same with such engines of others as are installed.
    #[must_use]
    pub fn with_anchors(mut self) -> Lineup {
        let there =
            ANCHORS.iter().filter(|(program, ..)| FilePath::new(FOLDER).join(program).exists());
        self.entrants.extend(there.map(|&(program, switch, name, nominal)| {
            let level = nominal.map_or(String::new(), |elo| {
                format!("option.UCI_LimitStrength=true option.UCI_Elo={elo} ")
            });
            Entrant {
                name: name.to_owned(),
                words: format!(
                    "cmd='{FOLDER}/{program}{switch}' {level}option.Hash=16 st=0.05 margin=5000"
                ),
                guess: nominal.unwrap_or(ANCHORS_GUESS),
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
            let every = if family == DIAL { 1 } else { OTHERS_EVERY };
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

    /// Who stands at a place: somebody new, or who stands on another path and is the same there.
    fn place(&mut self, family: Family, place: f64, guess: f64, depth: Depth) -> usize {
        let curve = path::curve(family, place);
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
    /// Parts in which ratings change evenly, each with its players and their places in the unit in
    /// which they do. Those of people are the ratings that there are, and what lies below and above,
    /// where c changes.
    pub fn even_parts(&self) -> Vec<Vec<(usize, f64)>> {
        let whole = path::places(self.family);
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
    /// A player by a curve who looks so far ahead.
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

/// Places of a path, each with a rating by which its first opponents are found: roughly
/// what an earlier, smaller ladder gave.
pub type Places = &'static [(f64, f64)];

/// Of the ladder. They stand closest where ratings change most. Blitz has none: its curve is that of the board
/// with other numbers, and its levels are the ratings of people in the same way.
pub const PLACES: [(Family, Places); 4] = [
    (
        Family::human(Pool::Board),
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
            (3000.0, 2600.0),
            (3200.0, 2900.0),
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

/// Enough to see whether all works.
pub const FEW_PLACES: [(Family, Places); 3] = [
    (
        Family::human(Pool::Board),
        &[(0.0, 0.0), (800.0, 1700.0), (2800.0, 2000.0), (3200.0, 2500.0)],
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
        for lineup in [Lineup::of_paths(5), Lineup::of_few(5)] {
            for path in &lineup.paths {
                for (&place, &entrant) in path.places.iter().zip(&path.entrants) {
                    let words = &lineup.entrants[entrant].words;
                    let spec = ContestantSpec::parse(words, &Roster::default()).expect(words);
                    let EngineSpec::Internal(own) = &spec.engine else { panic!("{words}") };
                    let Who::Profile(profile) = &own.who else { panic!("{words}") };
                    let (played, wanted) =
                        (profile.parts()[0].1.selector.curve, path::curve(path.family, place));
                    let is_shared = ["random", "best"].contains(&&*lineup.entrants[entrant].name);
                    if is_shared {
                        assert_eq!(played.competence(), wanted.competence(), "{words}");
                    } else {
                        assert_eq!(played, wanted, "{words}");
                    }
                    assert_eq!(profile.depth(), 5);
                }
            }
        }
    }

    #[test]
    fn names_are_all_different_and_every_path_is_gone_to_its_ends() {
        let lineup = Lineup::of_paths(8).with_anchors();
        let names: HashSet<&str> = lineup.entrants.iter().map(|e| e.name.as_str()).collect();
        assert_eq!(names.len(), lineup.entrants.len());
        for path in &lineup.paths {
            let (first, last) = (path.places[0], path.places[path.places.len() - 1]);
            assert_eq!(first..=last, path::places(path.family), "{}", path.family);
        }
    }
}
