//! Levels: which player has which rating, as games between them have shown.
//!
//! Every family of curves has a [path](super::path) of players from chance to the engine's best; the
//! table says what ratings the places of these paths have, for players who look [`Levels::depth`]
//! plies ahead. All ratings are on one scale, on which 400 points are odds of ten to one: the zero
//! is where, over the ratings that most people have, players by the curve `human` have on average
//! the rating of the people whose moves they were fitted to. `stopdown-lab calibrate` makes the table.

use std::collections::BTreeMap;
use std::fmt;
use std::ops::RangeInclusive;
use std::str::FromStr;

use once_cell::sync::Lazy;

use super::{EloScale, Engine, path};
use crate::math::fingerprint;
use crate::policy::PolicyNetwork;
use crate::search::SIGNATURE;
use crate::selector::{Curve, Family, human};
use crate::value::Depth;

/// The table that is built in.
static BUILT_IN: Lazy<Levels> = Lazy::new(|| {
    let text = include_str!("../../tuning/calibration/levels.toml");
    text.parse().expect("a test reads the built-in table")
});

/// A place of a path with its rating.
#[derive(Clone, Copy, Debug, PartialEq, serde::Deserialize, serde::Serialize)]
#[serde(deny_unknown_fields)]
pub struct Level {
    pub place: f64,
    pub elo: f64,
    /// Half of the 95 % interval, from the number of games, against the zero.
    pub error: f64,
}

/// Whatever the table was made with: for other weights it has to be made again.
#[derive(Clone, Debug, PartialEq, Eq, serde::Deserialize, serde::Serialize)]
#[serde(deny_unknown_fields)]
pub struct Made {
    /// The fingerprint of the engine's weights and the signature of its search.
    pub engine: String,
    /// The fingerprint of the policy network, and of the numbers of the curve `human`.
    pub human: String,
    pub command: String,
    pub games: usize,
}

#[derive(Clone, Debug, PartialEq, serde::Deserialize, serde::Serialize)]
#[serde(deny_unknown_fields)]
pub struct Levels {
    pub made: Made,
    /// How far ahead players look whose rating is all that is said.
    pub depth: Depth,
    /// By the names of families, with rising ratings: those of people on the scale of these people, all others
    /// on FIDE's.
    pub families: BTreeMap<String, Vec<Level>>,
}

/// Why a table was refused.
#[derive(Debug, thiserror::Error)]
pub enum LevelsError {
    #[error("the table of levels: {0}")]
    Syntax(#[from] toml::de::Error),
    #[error("the table of levels has no \"{0}\", or not two levels of it that rise")]
    Family(String),
}

impl Levels {
    pub fn built_in() -> &'static Levels {
        &BUILT_IN
    }

    /// The ratings for which there are players of a family.
    pub fn range(&self, family: Family, scale: EloScale) -> RangeInclusive<f64> {
        let levels = self.of(family);
        let elo = |level: &Level| EloScale::of(family).on(scale, level.elo);
        elo(&levels[0])..=elo(&levels[levels.len() - 1])
    }

    /// The player of a rating, which is brought into the range first.
    pub fn curve(&self, family: Family, elo: Elo, scale: EloScale) -> Curve {
        let elo = scale.on(EloScale::of(family), elo.0);
        let [below, above] = around(self.of(family), |level| level.elo, elo);
        let place = line((below.elo, below.place), (above.elo, above.place), elo);
        path::curve(family, place)
    }

    /// The rating of a player who looks as far ahead as those of the table.
    pub fn elo(&self, played: &Curve, scale: EloScale) -> Elo {
        let place = path::place(played);
        let [below, above] = around(self.of(played.family()), |level| level.place, place);
        let elo = line((below.place, below.elo), (above.place, above.elo), place);
        Elo(EloScale::of(played.family()).on(scale, elo))
    }

    /// Half of the 95 % interval at a rating, against the zero.
    pub fn error(&self, family: Family, elo: Elo, scale: EloScale) -> f64 {
        let elo = scale.on(EloScale::of(family), elo.0);
        let [below, above] = around(self.of(family), |level| level.elo, elo);
        line((below.elo, below.error), (above.elo, above.error), elo)
    }

    /// Whose levels a family has: its own, or without games of its own those of the nearest that has
    /// some. All people have the same, each on their own scale.
    pub fn row(&self, family: Family) -> &'static str {
        match family.pool() {
            Some(_) => "human",
            _ if self.families.contains_key(family.name()) => family.name(),
            None if family.is_power_law() => "levelled",
            None => "regan",
        }
    }

    fn of(&self, family: Family) -> &[Level] {
        self.families.get(self.row(family)).expect("a table is refused that does not have these")
    }
}

/// The two levels between which a number lies, the last two beyond them.
fn around(levels: &[Level], number: impl Fn(&Level) -> f64, wanted: f64) -> [&Level; 2] {
    let after = levels.partition_point(|level| number(level) < wanted).clamp(1, levels.len() - 1);
    [&levels[after - 1], &levels[after]]
}

/// What stands at `x` on the line through two points, between them.
fn line((x1, y1): (f64, f64), (x2, y2): (f64, f64), x: f64) -> f64 {
    let part = ((x - x1) / (x2 - x1)).clamp(0.0, 1.0);
    y1 + (y2 - y1) * part
}

impl FromStr for Levels {
    type Err = LevelsError;

    fn from_str(text: &str) -> Result<Levels, LevelsError> {
        let levels: Levels = toml::from_str(text)?;
        let needed = ["human", "levelled", "regan"].map(str::to_owned);
        for name in levels.families.keys().chain(&needed) {
            let rises = |pair: &[Level]| pair[0].elo < pair[1].elo && pair[0].place < pair[1].place;
            let family = levels.families.get(name).filter(|_| name.parse::<Family>().is_ok());
            let is_sound = family.is_some_and(|l| l.len() > 1 && l.windows(2).all(rises));
            if !is_sound {
                return Err(LevelsError::Family(name.clone()));
            }
        }
        Ok(levels)
    }
}

/// A rating.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub struct Elo(pub f64);

impl Elo {
    /// How much stronger one must be to expect this score: 0.5 gives 0, 0.75 about 191.
    pub fn advantage_for_score(score: f64) -> f64 {
        let score = score.clamp(0.001, 0.999);
        400.0 * (score / (1.0 - score)).log10()
    }
}

impl fmt::Display for Elo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&format!("{:.0}", self.0))
    }
}

impl Made {
    /// Made by this program, by what decides how players of levels play: the search, of which the
    /// signature tells, and all weights.
    pub fn here(command: String, games: usize) -> Made {
        let weights = Engine::built_in(1).fingerprint();
        let engine = format!("weights {weights:016x}, bench {}", SIGNATURE.trim());
        let files = [PolicyNetwork::built_in_file(), human::FILE.as_bytes()];
        let human = format!("{:016x}", fingerprint(files.into_iter().flatten()));
        Made { engine, human, command, games }
    }

    /// Whose games these are: those of others tell nothing of these players.
    pub fn players(&self) -> String {
        format!("{}, people by {}", self.engine, self.human)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ratings_and_players_come_back_on_both_scales() {
        let levels = Levels::built_in();
        for (name, family) in Family::ALL {
            for scale in EloScale::ALL {
                let (low, high) = levels.range(family, scale).into_inner();
                for step in 0..=20 {
                    let elo = low + (high - low) * f64::from(step) / 20.0;
                    let found = levels.elo(&levels.curve(family, Elo(elo), scale), scale);
                    assert!((found.0 - elo).abs() < 0.5, "{name} on {scale}: {elo} {found}");
                }
            }
        }
    }

    #[test]
    fn a_table_must_rise_and_name_families() {
        let built_in = Levels::built_in();
        let text = |levels: &Levels| toml::to_string(levels).expect("it can be written");
        assert_eq!(text(built_in).parse::<Levels>().ok().as_ref(), Some(built_in));
        let mut falling = built_in.clone();
        falling.families.get_mut("levelled").expect("it is there").reverse();
        assert!(matches!(text(&falling).parse::<Levels>(), Err(LevelsError::Family(_))));
        let mut strange = built_in.clone();
        let levels = strange.families["levelled"].clone();
        strange.families.insert("nobody".to_owned(), levels);
        assert!(matches!(text(&strange).parse::<Levels>(), Err(LevelsError::Family(_))));
    }
}
