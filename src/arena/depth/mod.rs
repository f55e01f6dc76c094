//! What a ply of search is worth: the study of Ferreira, "The Impact of Search Depth on Chess
//! Playing Strength".
//!
//! Every depth meets every other. The scores against one depth follow a normal curve (section 3),
//! whose width says how much rating a ply brings; that the curves widen with depth is what is
//! called diminishing returns. One known rating makes of it a table of strengths (section 5).

mod matrix;

pub use matrix::{MatrixError, ScoreMatrix};

use crate::math::score_fit::{ScoreFit, elo_difference};

/// A depth of which the rating is known, with half the width of its interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RatedDepth {
    pub depth: u32,
    pub elo: f64,
    pub error: f64,
}

/// What comes out of a table of scores.
#[derive(Clone, Debug)]
pub struct DepthStudy {
    pub matrix: ScoreMatrix,
    /// For every depth the curve of the scores against it, where there is one.
    pub fits: Vec<(u32, Option<ScoreFit>)>,
    /// Every depth against the one before it.
    pub steps: Vec<DepthStep>,
    pub anchor: RatedDepth,
    /// Empty when the scores against the anchored depth have no curve.
    pub strengths: Vec<DepthStrength>,
}

/// The score of a depth against the next lower one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DepthStep {
    pub depth: u32,
    pub score: f64,
    /// The difference in rating that the score stands for.
    pub elo: f64,
}

/// A row of the table of strengths.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DepthStrength {
    pub depth: u32,
    /// Against the anchored depth.
    pub difference: f64,
    pub elo: f64,
    pub low: f64,
    pub high: f64,
}

impl DepthStudy {
    pub fn new(matrix: ScoreMatrix, anchor: RatedDepth) -> DepthStudy {
        let fits: Vec<(u32, Option<ScoreFit>)> = matrix
            .depths
            .iter()
            .enumerate()
            .map(|(place, &depth)| (depth, ScoreFit::new(&matrix.column(place))))
            .collect();
        let against = fits.iter().find(|(depth, _)| *depth == anchor.depth);
        let strengths = against.and_then(|(_, fit)| *fit).map_or(Vec::new(), |fit| {
            matrix.depths.iter().map(|&depth| DepthStrength::new(depth, anchor, fit)).collect()
        });
        let steps = steps(&matrix);
        DepthStudy { matrix, fits, steps, anchor, strengths }
    }
}

impl DepthStrength {
    /// Equation 5 away from the anchor. Both uncertainties are added: below the anchor the lower
    /// bound is that of the anchor less the most that a ply can be worth.
    pub fn new(depth: u32, anchor: RatedDepth, fit: ScoreFit) -> DepthStrength {
        let plies = f64::from(depth) - f64::from(anchor.depth);
        // Nothing is lost or won over no plies, however unsure the worth of one is.
        let over = |elo: f64| if plies == 0.0 { 0.0 } else { plies * elo };
        let difference = over(fit.elo_per_unit());
        let bounds = fit.elo_interval().map(over);
        DepthStrength {
            depth,
            difference,
            elo: anchor.elo + difference,
            low: anchor.elo - anchor.error + bounds[0].min(bounds[1]),
            high: anchor.elo + anchor.error + bounds[0].max(bounds[1]),
        }
    }
}

fn steps(matrix: &ScoreMatrix) -> Vec<DepthStep> {
    let places = 1..matrix.depths.len();
    let step = |place: usize| {
        let score = matrix.scores[place][place - 1];
        DepthStep { depth: matrix.depths[place], score, elo: elo_difference(score) }
    };
    places.map(step).filter(|step| step.score.is_finite()).collect()
}
