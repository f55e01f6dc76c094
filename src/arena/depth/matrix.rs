//! Average scores between depths, as a table that can be read and written.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use crate::arena::GameRecord;
use crate::board::Colour;

/// The score of every depth against every other; a depth scores one half against itself.
#[derive(Clone, Debug, PartialEq)]
pub struct ScoreMatrix {
    pub depths: Vec<u32>,
    /// `scores[i][j]` is what depth i scores against depth j; NaN where no game was played.
    pub scores: Vec<Vec<f64>>,
}

/// Why a text is no table of scores.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MatrixError {
    #[error("the table is empty; its first line is \"depth\" and the depths, as depth,6,7,8")]
    Empty,
    #[error("line {0}: \"{1}\" is no depth; write a whole number of plies")]
    Depth(usize, String),
    #[error("line {0}: \"{1}\" is no score; write a number from 0 to 1")]
    Score(usize, String),
    #[error("line {0} has {1} scores; the first line has {2} depths")]
    Length(usize, usize, usize),
    #[error("line {0} is for depth {1}; the depths go down in the order of the first line")]
    Order(usize, u32),
    #[error("the table has {0} lines of scores; the first line has {1} depths")]
    Lines(usize, usize),
}

impl ScoreMatrix {
    /// Counts games: the two depths, the half points of the first, and the games they are from.
    pub fn of_games(depths: Vec<u32>, games: &BTreeMap<(u32, u32), (u64, u64)>) -> ScoreMatrix {
        let score = |&one: &u32, &other: &u32| {
            let of = |pair| games.get(&pair).map(|&(halves, n)| halves as f64 / (2.0 * n as f64));
            match one == other {
                true => 0.5,
                false => of((one, other))
                    .or_else(|| of((other, one)).map(|score| 1.0 - score))
                    .unwrap_or(f64::NAN),
            }
        };
        let row = |one| depths.iter().map(|other| score(one, other)).collect();
        let scores = depths.iter().map(row).collect();
        ScoreMatrix { depths, scores }
    }

    /// The scores of finished games, players being in the order of the depths.
    pub fn of_records(depths: Vec<u32>, records: &[GameRecord]) -> ScoreMatrix {
        let mut games = BTreeMap::new();
        for record in records {
            let [white, black] = [record.white, record.black].map(|place| depths[place]);
            let halves = record.result.half_points(Colour::White) as u64;
            let (pair, halves) = match white > black {
                true => ((white, black), halves),
                false => ((black, white), 2 - halves),
            };
            let entry: &mut (u64, u64) = games.entry(pair).or_default();
            *entry = (entry.0 + halves, entry.1 + 1);
        }
        ScoreMatrix::of_games(depths, &games)
    }

    /// The known scores of all depths against the depth at this place.
    pub fn column(&self, place: usize) -> Vec<(f64, f64)> {
        let points = self.depths.iter().zip(&self.scores);
        let points = points.map(|(&depth, row)| (f64::from(depth), row[place]));
        points.filter(|(_, score)| score.is_finite()).collect()
    }
}

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

/// An empty cell is a pair that was not played.
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
