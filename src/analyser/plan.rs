//! What a study asks of turns, and under whom or what it reports on them; and the scale of competence along
//! which it looks for a player, with what is believed of him there.

use clap::ValueEnum;
use serde::{Deserialize, Serialize};

use super::{EvaluatedGame, Gain, RatingScale, Turn, TurnRules};
use crate::board::Colour;
use crate::math::grid::{Posterior, closer_below};
use crate::player::{Hypotheses, Levels, Profile};
use crate::selector::{Competence, Curve, DepthWeights, Family};
use crate::value::Depth;

/// What is asked of the turns.
#[derive(Clone, Debug)]
pub struct StudyPlan {
    /// Whose moves a report is on.
    pub by: By,
    pub rules: TurnRules,
    /// At which apparent competence is shown, rising; the last is that of everything else.
    pub depths: Vec<Depth>,
    /// The curve whose competence that is.
    pub family: Family,
    pub scale: RatingScale,
    /// How the values differ from those that the scale was fitted to.
    pub departures: Vec<String>,
    /// The rating that a player is measured against when nothing else is known of him.
    pub rating: Option<f64>,
    /// Whom a player is measured against instead of a player of his rating.
    pub against: Option<Profile>,
    /// How the gain of a move is measured, and whether all valued moves have one: the paper leaves
    /// out none. Else it is those after the opening.
    pub gain: Gain,
    pub gains_of_all: bool,
    /// Moves in a window of evidence.
    pub window: usize,
    /// Normal noise on all values: its variance in square pawns, and its seed.
    pub noise: Option<(f64, u64)>,
}

/// Points of the scale of competence: a thousand moves tell c from c plus 3 % of itself.
const POINTS: usize = 361;
/// How far the scale reaches.
const MOST_COMPETENCE: f64 = 60.0;
/// Below it they are evenly spaced, above it by proportion.
const KNEE: f64 = 2.0;

impl Default for StudyPlan {
    fn default() -> StudyPlan {
        StudyPlan {
            by: By::default(),
            rules: TurnRules::default(),
            depths: vec![Levels::built_in().depth],
            family: Family::LEVELLED,
            scale: RatingScale::published(),
            departures: Vec::new(),
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
    /// The depth of everything but apparent competence.
    pub fn depth(&self) -> Depth {
        self.depths.last().copied().unwrap_or(1)
    }

    /// The scale, and what ratings on it cannot be taken for.
    pub fn described_scale(&self) -> String {
        let reservation = self.reservation().map(|text| format!("; {text}")).unwrap_or_default();
        format!("{}{reservation}", self.scale.name)
    }

    /// What ratings on this plan's scale cannot be taken for, if anything.
    pub fn reservation(&self) -> Option<String> {
        if self.scale.is_provisional() {
            return Some("not fitted to this engine: for comparing only".to_owned());
        }
        let departures = self.departures.join(", ");
        (!departures.is_empty())
            .then(|| format!("what is valued differs from the calibration: {departures}"))
    }

    pub(super) fn hypotheses(&self) -> Hypotheses {
        let grid = closer_below(MOST_COMPETENCE, KNEE, POINTS);
        let curve = Curve::new(self.family, Competence::RANDOM, 1.0).expect("1 is a scale");
        Hypotheses::of_competence(curve, &DepthWeights::deepest(), &grid)
    }

    /// What is believed of somebody before his first move: any c is as likely as any other.
    pub(super) fn know_nothing(hypotheses: &Hypotheses) -> Posterior {
        Posterior::flat(hypotheses.points().to_vec()).expect("the points rise and there is one")
    }
}

/// What the turns of one report have in common.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub enum By {
    #[default]
    Player,
    Event,
    /// The player's rating, in hundreds.
    RatingBand,
    Colour,
    Phase,
    Year,
}

impl By {
    /// What a turn of a game is counted under; `None` where the game does not tell.
    pub fn subject(self, evaluated: &EvaluatedGame, turn: &Turn) -> Option<String> {
        let tag = |name| known(evaluated.pgn.tag(name));
        let colour = side(turn.colour);
        match self {
            By::Player => Some(player_name(evaluated, turn.colour)),
            By::Event => tag("Event").map(str::to_owned),
            By::RatingBand => {
                let elo = evaluated.pgn.rating(turn.colour)? as u32 / 100 * 100;
                Some(format!("{elo}-{}", elo + 99))
            }
            By::Colour => Some(colour.to_owned()),
            By::Phase => Some(turn.phase.to_string()),
            By::Year => Some(tag("Date").or(tag("UTCDate"))?.get(..4)?.to_owned()),
        }
    }
}

/// Who has a side of a game.
pub(super) fn player_name(evaluated: &EvaluatedGame, colour: Colour) -> String {
    let side = side(colour);
    known(evaluated.pgn.tag(side)).map_or_else(|| format!("{side} (no name)"), str::to_owned)
}

fn side(colour: Colour) -> &'static str {
    if colour == Colour::White { "White" } else { "Black" }
}

/// What a tag says, unless it says that nobody knows.
fn known(value: Option<&str>) -> Option<&str> {
    value.map(str::trim).filter(|value| !value.is_empty() && !value.starts_with('?'))
}

/// What is believed of a player by his turns.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Apparent {
    /// The composite profile E_P, for it is the weight of each player of the scale.
    pub posterior: Posterior,
    /// Turns that told something.
    pub informative: usize,
}

/// The most players that a composite profile is made of.
const PARTS: usize = 12;

impl Apparent {
    /// The profile that plays as he does: players of the scale with their weights, leaving out
    /// those that have less than this part of the largest. Neighbours are put together until there
    /// are few.
    pub fn composite(&self, least: f64) -> Vec<(f64, f64)> {
        let weights = self.posterior.weights();
        let top = weights.iter().copied().fold(0.0, f64::max);
        let parts = self.posterior.points().iter().copied().zip(weights);
        let kept: Vec<(f64, f64)> = parts.filter(|(_, weight)| *weight >= least * top).collect();
        let sum: f64 = kept.iter().map(|(_, weight)| weight).sum();
        let together = |part: &[(f64, f64)]| {
            let weight: f64 = part.iter().map(|(_, weight)| weight).sum();
            let mean = part.iter().map(|(c, weight)| c * weight).sum::<f64>() / weight;
            ((1000.0 * mean).round() / 1000.0, weight / sum)
        };
        kept.chunks(kept.len().div_ceil(PARTS).max(1)).map(together).collect()
    }
}
