//! Levels: the ratings of our players, as measured in games between them.
//!
//! Each family of curves has a [path](super::rating_path) of players from random moves to the
//! engine's full strength. The table of levels gives the ratings of points on these paths, for
//! players with the search depth [`Levels::depth`]. All ratings are on one scale, on which a lead
//! of 400 points means odds of ten to one. The scale is anchored to humans: within the range of
//! common ratings, players with the curve `human` have, on average, the same rating as the humans
//! whose games the curve was fitted to. `stopdown-lab calibrate` creates the table.

use std::collections::BTreeMap;
use std::f64::consts::LN_10;
use std::fmt;
use std::ops::RangeInclusive;
use std::str::FromStr;

use once_cell::sync::Lazy;

use super::{EloScale, Engine, rating_path};
use crate::math::exact::ln;
use crate::math::fingerprint;
use crate::policy::PolicyNetwork;
use crate::search::values_digest;
use crate::selector::{Curve, Family, human};
use crate::value::Depth;

/// The built-in table.
static BUILT_IN: Lazy<Levels> = Lazy::new(|| {
    let text = include_str!("../../tuning/calibration/levels.toml");
    text.parse().expect("a test parses the built-in table")
});

/// A place on a path, and the rating measured there.
#[derive(Clone, Copy, Debug, PartialEq, serde::Deserialize, serde::Serialize)]
#[serde(deny_unknown_fields)]
pub struct Level {
    /// The place on the path of the family, see [`rating_path`].
    pub place: f64,
    /// The measured rating.
    pub elo: f64,
    /// Half the width of the 95% interval relative to the anchor. More games make
    /// it narrower.
    pub error: f64,
}

/// The origin of a table: the versions of everything that it depends on. If they change, the table
/// must be measured again.
#[derive(Clone, Debug, PartialEq, Eq, serde::Deserialize, serde::Serialize)]
#[serde(deny_unknown_fields)]
pub struct TableOrigin {
    /// The fingerprint of the engine's weights and the signature of its search.
    pub engine: String,
    /// The fingerprint of the policy network and of the parameters of the curve `human`.
    pub human: String,
    /// The command that measured the table.
    pub command: String,
    /// The number of games played.
    pub games: usize,
}

/// The measured table of levels. It converts between ratings and players.
#[derive(Clone, Debug, PartialEq, serde::Deserialize, serde::Serialize)]
#[serde(deny_unknown_fields)]
pub struct Levels {
    /// The versions that the table was measured with.
    pub made: TableOrigin,
    /// The search depth of rated players.
    pub depth: Depth,
    /// Levels by family name, with ascending ratings. Human families use their own rating scale,
    /// all others the FIDE scale.
    pub families: BTreeMap<String, Vec<Level>>,
}

/// Why a table was rejected.
#[derive(Debug, thiserror::Error)]
pub enum LevelsError {
    /// The file is not TOML or lacks a field.
    #[error("the table of levels: {0}")]
    Syntax(#[from] toml::de::Error),
    /// A family has too few levels, or their ratings do not rise. Contains its name.
    #[error("the table of levels needs at least two levels for \"{0}\", with rising ratings")]
    Family(String),
}

impl Levels {
    /// The table that is part of the program.
    pub fn built_in() -> &'static Levels {
        &BUILT_IN
    }

    /// The range of ratings that players in a family can have.
    pub fn range(&self, family: Family, scale: EloScale) -> RangeInclusive<f64> {
        let levels = self.of(family);
        let elo = |level: &Level| EloScale::of(family).on(scale, level.elo);
        elo(&levels[0])..=elo(&levels[levels.len() - 1])
    }

    /// The player with a rating. Ratings out of range are clamped.
    pub fn curve(&self, family: Family, elo: Elo, scale: EloScale) -> Curve {
        let elo = scale.on(EloScale::of(family), elo.0);
        let [below, above] = around(self.of(family), |level| level.elo, elo);
        let place = interpolate((below.elo, below.place), (above.elo, above.place), elo);
        rating_path::curve(family, place)
    }

    /// The rating of a player that searches to the depth of the table.
    pub fn elo(&self, played: &Curve, scale: EloScale) -> Elo {
        let place = rating_path::place(played);
        let [below, above] = around(self.of(played.family()), |level| level.place, place);
        let elo = interpolate((below.place, below.elo), (above.place, above.elo), place);
        Elo(EloScale::of(played.family()).on(scale, elo))
    }

    /// The family whose levels are used for this family: the family itself if it was measured, or
    /// else the most similar one. All human families share their levels, each on its own scale.
    pub(crate) fn row(&self, family: Family) -> &'static str {
        match family.pool() {
            Some(_) => "human",
            _ if self.families.contains_key(family.name()) => family.name(),
            None if family.is_power_law() => "levelled",
            None => "regan",
        }
    }

    fn of(&self, family: Family) -> &[Level] {
        self.families.get(self.row(family)).expect("tables without these families are rejected")
    }
}

/// The two levels on either side of a number. Beyond either end, the two nearest ones.
fn around(levels: &[Level], number: impl Fn(&Level) -> f64, wanted: f64) -> [&Level; 2] {
    let after = levels.partition_point(|level| number(level) < wanted).clamp(1, levels.len() - 1);
    [&levels[after - 1], &levels[after]]
}

/// Interpolates linearly between two points. Values of `x` outside their range are clamped.
fn interpolate((x1, y1): (f64, f64), (x2, y2): (f64, f64), x: f64) -> f64 {
    let part = ((x - x1) / (x2 - x1)).clamp(0.0, 1.0);
    y1 + (y2 - y1) * part
}

impl FromStr for Levels {
    type Err = LevelsError;

    fn from_str(text: &str) -> Result<Levels, LevelsError> {
        let levels: Levels = toml::from_str(text)?;
        let required = ["human", "levelled", "regan"].map(str::to_owned);
        for name in levels.families.keys().chain(&required) {
            let is_ascending =
                |pair: &[Level]| pair[0].elo < pair[1].elo && pair[0].place < pair[1].place;
            let family = levels.families.get(name).filter(|_| name.parse::<Family>().is_ok());
            let is_sound = family.is_some_and(|l| l.len() > 1 && l.windows(2).all(is_ascending));
            if !is_sound {
                return Err(LevelsError::Family(name.clone()));
            }
        }
        Ok(levels)
    }
}

/// A rating in Elo.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub struct Elo(pub f64);

impl Elo {
    /// The rating advantage that gives this expected score: 0 for 0.5, about 191 for 0.75.
    pub(crate) fn advantage_for_score(score: f64) -> f64 {
        let score = score.clamp(0.001, 0.999);
        400.0 / LN_10 * ln(score / (1.0 - score))
    }
}

impl fmt::Display for Elo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&format!("{:.0}", self.0))
    }
}

/// A hash of everything that the human curve depends on, apart from the values of the moves.
pub(crate) fn human_fingerprint() -> String {
    let files = [PolicyNetwork::built_in_file(), human::FILE.as_bytes()];
    format!("{:016x}", fingerprint(files.into_iter().flatten()))
}

impl TableOrigin {
    /// Describes a table made by this program: the digest of its values and the fingerprints of all
    /// weights.
    pub fn current(command: String, games: usize) -> TableOrigin {
        let weights = Engine::built_in(1).fingerprint();
        let engine = format!("weights {weights:016x}, values {}", values_digest());
        TableOrigin { engine, human: human_fingerprint(), command, games }
    }

    /// Identifies the players. Games of different players must not be combined.
    pub fn players(&self) -> String {
        format!("{}, human curve {}", self.engine, self.human)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ratings_survive_conversion_to_curves_and_back() {
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
    fn tables_need_ascending_levels_and_known_families() {
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
