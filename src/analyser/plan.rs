//! The plan of a study: which decisions count, how they are grouped, and which scales are used.

use serde::{Deserialize, Serialize};

use super::{DecisionSettings, EvaluatedGame, Gain, RatingScale, StudiedMove, StudyRules};
use crate::board::Colour;
use crate::math::grid::{Posterior, denser_near_zero};
use crate::player::{Hypotheses, Levels, Profile};
use crate::selector::{Competence, Curve, DepthWeights, Family};
use crate::value::Depth;

/// The settings of a study.
///
/// The curve, the scale and the profile are serialised as their names.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct StudyPlan {
    /// The property by which decisions are grouped into reports.
    pub by: By,
    /// The rules that decide which decisions are left out.
    pub rules: StudyRules,
    /// The depths at which apparent competence is reported, in ascending order. All other figures
    /// use the last one.
    pub depths: Vec<Depth>,
    /// The curve on which competence is measured.
    #[serde(rename = "curve")]
    pub family: Family,
    /// The scale on which players are rated.
    pub scale: RatingScale,
    /// The ways in which this study's evaluations differ from the ones that the scale was fitted
    /// to.
    pub differences: Vec<String>,
    /// The assumed rating of players whose rating is unknown.
    pub rating: Option<f64>,
    /// The profile with which players are compared, instead of a player with the same rating.
    #[serde(with = "profile_name")]
    pub against: Option<Profile>,
    /// The way to measure the gain of a move. With `gains_of_all`, every evaluated move has a gain,
    /// as in the paper. Without it, opening moves have none.
    pub gain: Gain,
    /// Whether every evaluated move has a gain.
    pub gains_of_all: bool,
    /// The number of moves in a window that is tested for assistance.
    pub window: usize,
    /// The Gaussian noise for an additional estimate of competence: its variance in pawns squared,
    /// and its seed.
    pub noise: Option<(f64, u64)>,
}

/// The number of points on the competence scale. Neighbouring values of c are about 3% apart at 1,
/// and 1% apart at the upper end. A thousand moves are enough to tell apart values that differ by
/// 3%.
const COMPETENCE_POINTS: usize = 361;
/// The upper end of the competence scale.
const MAX_COMPETENCE: f64 = 60.0;
/// The spacing of the points is proportional to c plus this value.
const KNEE: f64 = 2.0;

impl Default for StudyPlan {
    fn default() -> StudyPlan {
        StudyPlan {
            by: By::default(),
            rules: StudyRules::default(),
            depths: vec![Levels::built_in().depth],
            family: Family::LEVELLED,
            scale: RatingScale::published(),
            differences: Vec::new(),
            rating: None,
            against: None,
            gain: Gain::default(),
            gains_of_all: false,
            window: 20,
            noise: None,
        }
    }
}

impl StudyPlan {
    /// The usual plan with this rating scale and search depth.
    pub(crate) fn usual(scale: RatingScale, depth: Depth) -> StudyPlan {
        StudyPlan {
            depths: vec![depth],
            differences: scale.depth_difference(depth).into_iter().collect(),
            scale,
            ..StudyPlan::default()
        }
    }

    /// The depth used for everything except apparent competence.
    pub(crate) fn depth(&self) -> Depth {
        self.depths.last().copied().unwrap_or(1)
    }

    /// How moves are measured against players of a curve.
    pub(crate) fn decision_settings(&self, family: Family) -> DecisionSettings<'_> {
        DecisionSettings { depth: self.depth(), family, rules: &self.rules }
    }

    /// The name of the scale, and a caveat about the meaning of its ratings.
    pub(crate) fn described_scale(&self) -> String {
        let caveat = self.caveat().map(|text| format!("; {text}")).unwrap_or_default();
        format!("{}{caveat}", self.scale.name)
    }

    /// The caveat about the meaning of ratings on this scale, if there is one.
    pub(crate) fn caveat(&self) -> Option<String> {
        if self.scale.is_provisional() {
            return Some(
                "not fitted to this engine, so only differences are meaningful".to_owned(),
            );
        }
        let differences = self.differences.join(", ");
        let text = "ratings are less reliable, because the analysis differs from the calibration";
        (!differences.is_empty()).then(|| format!("{text}: {differences}"))
    }

    pub(super) fn hypotheses(&self) -> Hypotheses {
        let grid = denser_near_zero(MAX_COMPETENCE, KNEE, COMPETENCE_POINTS);
        let curve = Curve::new(self.family, Competence::RANDOM, 1.0).expect("1 is a scale");
        Hypotheses::of_competence(curve, &DepthWeights::deepest(), &grid)
    }

    /// The prior belief about a player: all values of c are equally likely.
    pub(super) fn flat_prior(hypotheses: &Hypotheses) -> Posterior {
        Posterior::flat(hypotheses.points().to_vec())
            .expect("there is at least one point, in ascending order")
    }
}

/// Serialises a profile as its name. Deserialising fills in nothing but the name. That is enough,
/// because the comparison with the profile has been made by then.
mod profile_name {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    use crate::player::{Profile, Skill};
    use crate::selector::{Competence, Curve, Selector};

    pub fn serialize<S: Serializer>(
        profile: &Option<Profile>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        profile.as_ref().map(|profile| &profile.name).serialize(serializer)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Option<Profile>, D::Error> {
        let selector = || Selector::new(Curve::levelled(Competence::RANDOM));
        let name = Option::<String>::deserialize(deserializer)?;
        Ok(name.map(|name| Profile::plain(&name, Skill::new(selector(), 1))))
    }
}

/// The property by which decisions are grouped into reports.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "program", derive(clap::ValueEnum))]
#[serde(rename_all = "kebab-case")]
pub enum By {
    /// The player's name.
    #[default]
    Player,
    /// The event, from the tags of the games.
    Event,
    /// The player's rating, in steps of 100.
    RatingBand,
    /// The player's colour.
    Colour,
    /// The phase of the game.
    Phase,
    /// The year in which the game was played.
    Year,
}

impl StudyPlan {
    /// Returns the subject that a decision belongs to: "unknown" if the game lacks the tag.
    pub(crate) fn subject(&self, evaluated: &EvaluatedGame, decision: &StudiedMove) -> String {
        let tag = |name| known(evaluated.pgn.tag(name));
        let rating = || evaluated.pgn.rating_on(self.scale.elo_scale(), decision.colour);
        let subject = match self.by {
            By::Player => Some(player_name(evaluated, decision.colour)),
            By::Event => tag("Event").map(str::to_owned),
            By::RatingBand => rating().map(|elo| {
                let least = elo as u32 / 100 * 100;
                format!("{least}-{}", least + 99)
            }),
            By::Colour => Some(side(decision.colour).to_owned()),
            By::Phase => Some(decision.phase.to_string()),
            By::Year => {
                tag("Date").or(tag("UTCDate")).and_then(|date| date.get(..4)).map(str::to_owned)
            }
        };
        subject.unwrap_or_else(|| "unknown".to_owned())
    }
}

/// The name of the player on one side of a game.
pub(super) fn player_name(evaluated: &EvaluatedGame, colour: Colour) -> String {
    let side = side(colour);
    known(evaluated.pgn.tag(side)).map_or_else(|| format!("{side} (no name)"), str::to_owned)
}

fn side(colour: Colour) -> &'static str {
    if colour == Colour::White { "White" } else { "Black" }
}

/// The value of a tag, unless it is empty or marked as unknown.
fn known(value: Option<&str>) -> Option<&str> {
    value.map(str::trim).filter(|value| !value.is_empty() && !value.starts_with('?'))
}

/// The competence that a player's decisions suggest.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ApparentCompetence {
    /// The weights of the model players, one for each value of c on the scale. Together they form the
    /// composite profile E_P.
    pub posterior: Posterior,
    /// The number of informative decisions.
    pub informative: usize,
}

/// The maximum number of components in a composite profile.
const MAX_COMPONENTS: usize = 12;

impl ApparentCompetence {
    /// Returns the composite profile that plays like this player: competences with their weights.
    /// Weights below `min_ratio` times the largest weight are dropped. Neighbours are then merged
    /// until at most `MAX_COMPONENTS` remain.
    pub fn composite(&self, min_ratio: f64) -> Vec<(f64, f64)> {
        let weights = self.posterior.weights();
        let largest = weights.iter().copied().fold(0.0, f64::max);
        let weighted = self.posterior.points().iter().copied().zip(weights);
        let kept: Vec<(f64, f64)> =
            weighted.filter(|(_, weight)| *weight >= min_ratio * largest).collect();
        let sum: f64 = kept.iter().map(|(_, weight)| weight).sum();
        let merge = |group: &[(f64, f64)]| {
            let weight: f64 = group.iter().map(|(_, weight)| weight).sum();
            let mean = group.iter().map(|(c, weight)| c * weight).sum::<f64>() / weight;
            ((1000.0 * mean).round() / 1000.0, weight / sum)
        };
        kept.chunks(kept.len().div_ceil(MAX_COMPONENTS).max(1)).map(merge).collect()
    }
}
