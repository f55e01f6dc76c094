//! The value of a ply of search depth, as studied by Ferreira in "The Impact of Search Depth on
//! Chess Playing Strength".
//!
//! Every depth plays every other depth. The scores against one depth follow a normal curve (section
//! 3), and the width of the curve gives the rating gain per ply. At greater depths, the curves are
//! wider, which means diminishing returns. Given one known rating, the curves yield a table of
//! strengths (section 5).

use std::cmp::Ordering;
use std::fmt;
use std::str::FromStr;

use super::score_fit::ScoreFit;
use stopdown::arena::GameRecord;
use stopdown::board::Colour;
use stopdown::math::statistics::elo_difference;

/// A depth with a known rating and the half-width of its interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RatedDepth {
    pub depth: u32,
    pub elo: f64,
    pub error: f64,
}

/// The results computed from a table of scores.
#[derive(Clone, Debug)]
pub struct DepthStudy {
    pub matrix: ScoreMatrix,
    /// For every depth, the curve of the scores against it, if it has one.
    pub fits: Vec<(u32, Option<ScoreFit>)>,
    /// The score of every depth against the previous one.
    pub steps: Vec<DepthStep>,
    pub anchor: RatedDepth,
    /// Empty if the scores against the anchored depth have no curve.
    pub strengths: Vec<DepthStrength>,
}

/// The score of a depth against the next lower one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DepthStep {
    pub depth: u32,
    pub score: f64,
    /// The rating difference that corresponds to the score.
    pub elo: f64,
}

/// A row in the table of strengths.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DepthStrength {
    pub depth: u32,
    /// The rating difference from the anchored depth.
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
    /// Applies equation 5 at a distance from the anchor. Both uncertainties are added. Below the
    /// anchor, the lower bound is the anchor's lower bound minus the upper bound for the value of
    /// the plies.
    pub fn new(depth: u32, anchor: RatedDepth, fit: ScoreFit) -> DepthStrength {
        let plies = f64::from(depth) - f64::from(anchor.depth);
        // At a distance of zero plies the difference is zero, even if the value of a ply is
        // unbounded.
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

/// The scores between all depths. A depth scores one half against itself.
#[derive(Clone, Debug, PartialEq)]
pub struct ScoreMatrix {
    pub depths: Vec<u32>,
    /// `scores[i][j]` is the score of depth i against depth j, or NaN if they did not play.
    pub scores: Vec<Vec<f64>>,
}

/// Why a file is not a table of scores.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MatrixError {
    #[error("the table is empty; its first line must be like depth,6,7,8")]
    Empty,
    #[error("line {0}: \"{1}\" is not a depth; write a whole number of plies")]
    Depth(usize, String),
    #[error("line {0}: \"{1}\" is not a score; write a number from 0 to 1")]
    Score(usize, String),
    #[error("line {0} has {1} scores, but the first line has {2} depths")]
    Length(usize, usize, usize),
    #[error(
        "line {0} is for depth {1}; lines must be in the order of the depths in the first line"
    )]
    Order(usize, u32),
    #[error(
        "line {0}: depth {2} is after depth {1}; depths must rise, because the last one is the highest"
    )]
    Falling(usize, u32, u32),
    #[error("line {0}: the scores of depths {1} and {2} against each other must add up to 1")]
    Sum(usize, u32, u32),
    #[error("the table has {0} lines of scores, but the first line has {1} depths")]
    Lines(usize, usize),
}

impl ScoreMatrix {
    /// The scores of finished games, except those decided by a technical fault. Players are in the order of the depths.
    pub fn of_records(depths: Vec<u32>, records: &[GameRecord]) -> ScoreMatrix {
        // The half points and the number of games of each pair.
        let mut results = vec![vec![(0_usize, 0_u64); depths.len()]; depths.len()];
        for record in records.iter().filter(|record| !record.is_fault()) {
            let sides = [Colour::White, Colour::Black].map(|side| record.result.half_points(side));
            let (white, black) = (record.white, record.black);
            for (one, other, halves) in [(white, black, sides[0]), (black, white, sides[1])] {
                let sum = &mut results[one][other];
                *sum = (sum.0 + halves, sum.1 + 1);
            }
        }
        // NaN if there are no games.
        let ratio = |(halves, games)| halves as f64 / (2.0 * games as f64);
        let score = |one: usize, other: usize| match depths[one].cmp(&depths[other]) {
            Ordering::Equal => 0.5,
            Ordering::Greater => ratio(results[one][other]),
            Ordering::Less => 1.0 - ratio(results[other][one]),
        };
        let places = 0..depths.len();
        let row = |one| places.clone().map(|other| score(one, other)).collect();
        let scores = places.clone().map(row).collect();
        ScoreMatrix { depths, scores }
    }

    /// The known scores of all depths against the depth at this index.
    pub fn column(&self, place: usize) -> Vec<(f64, f64)> {
        let points = self.depths.iter().zip(&self.scores);
        let points = points.map(|(&depth, row)| (f64::from(depth), row[place]));
        points.filter(|(_, score)| score.is_finite()).collect()
    }
}

/// How far the two scores of a pair may be from a sum of 1. Printed tables have two decimals.
const ROUNDING: f64 = 0.0201;

impl FromStr for ScoreMatrix {
    type Err = MatrixError;

    fn from_str(text: &str) -> Result<ScoreMatrix, MatrixError> {
        let lines = text.lines().map(str::trim).enumerate();
        let mut lines = lines.map(|(n, line)| (n + 1, line)).filter(|(_, line)| !line.is_empty());
        let (first, header) = lines.next().ok_or(MatrixError::Empty)?;
        let depths: Vec<u32> =
            header.split(',').skip(1).map(|word| depth(first, word)).collect::<Result<_, _>>()?;
        if depths.is_empty() {
            return Err(MatrixError::Empty);
        }
        if let Some(pair) = depths.windows(2).find(|pair| pair[0] >= pair[1]) {
            return Err(MatrixError::Falling(first, pair[0], pair[1]));
        }
        let mut scores = Vec::new();
        for (number, line) in lines {
            let mut words = line.split(',');
            let own = depth(number, words.next().unwrap_or_default())?;
            if depths.get(scores.len()) != Some(&own) {
                return Err(MatrixError::Order(number, own));
            }
            let row: Vec<f64> = words.map(|word| score(number, word)).collect::<Result<_, _>>()?;
            if row.len() != depths.len() {
                return Err(MatrixError::Length(number, row.len(), depths.len()));
            }
            scores.push(row);
            let is_off = |&other: &usize| {
                let sum = scores[scores.len() - 1][other] + scores[other][scores.len() - 1];
                // If a score is missing, the sum is NaN.
                (sum - 1.0).abs() > ROUNDING
            };
            if let Some(other) = (0..scores.len()).find(is_off) {
                return Err(MatrixError::Sum(number, depths[other], own));
            }
        }
        if scores.len() != depths.len() {
            return Err(MatrixError::Lines(scores.len(), depths.len()));
        }
        Ok(ScoreMatrix { depths, scores })
    }
}

fn depth(line: usize, word: &str) -> Result<u32, MatrixError> {
    word.trim().parse().map_err(|_| MatrixError::Depth(line, word.trim().to_owned()))
}

/// Parses a cell. An empty cell means that the pair did not play.
fn score(line: usize, word: &str) -> Result<f64, MatrixError> {
    let word = word.trim();
    if word.is_empty() {
        return Ok(f64::NAN);
    }
    let score = word.parse().ok().filter(|score| (0.0..=1.0).contains(score));
    score.ok_or_else(|| MatrixError::Score(line, word.to_owned()))
}

impl fmt::Display for ScoreMatrix {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("depth")?;
        self.depths.iter().try_for_each(|depth| write!(f, ",{depth}"))?;
        for (depth, row) in self.depths.iter().zip(&self.scores) {
            write!(f, "\n{depth}")?;
            for score in row {
                match score.is_nan() {
                    true => f.write_str(",")?,
                    false => write!(f, ",{score}")?,
                }
            }
        }
        f.write_str("\n")
    }
}
