//! The check: do players who are set to ratings have them?

use serde::{Deserialize, Serialize};

use super::entrants::{DIAL, Entrant};
use super::fit::{Fit, Model, Scores, expected};
use crate::arena::GameRecord;
use crate::math::normal::MEAN_OF_HALF_NORMAL;
use crate::math::outcomes::TWO_SIDED_95;
use crate::math::statistics::mean;
use crate::player::{Elo, EloScale, Levels, Made};

/// Ratings on the dial are so far apart, in Elo.
const STEP: f64 = 100.0;

/// A rating on the dial and what it was found to be.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Setting {
    pub set: f64,
    pub measured: f64,
    /// Half of the 95 % interval, against the mean of all.
    pub error: f64,
    pub games: u64,
}

/// What those score who are set 200 Elo above others: it should be 76 %.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Apart {
    /// As their ratings make expected, on average.
    pub expected: f64,
    /// What they really scored when they met, and how often they did.
    pub points: f64,
    pub games: f64,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Check {
    pub made: Made,
    /// What the table was made by that was checked.
    pub table: Made,
    /// Shifted so that measured ratings have the mean of those set: no game tells where the zero is.
    pub settings: Vec<Setting>,
    pub mean_error: f64,
    /// What it would be on average if nothing but the chance of games, those of the table and these,
    /// made them differ.
    pub by_chance: f64,
    pub largest: f64,
    /// Is every player measured above the one before?
    pub rises: bool,
    pub apart: Apart,
}

/// A player for every hundred of the dial, with his rating.
pub fn dial(levels: &Levels) -> Vec<(f64, Entrant)> {
    let (low, high) = levels.range(DIAL, EloScale::Fide).into_inner();
    let marks = (low / STEP).ceil() as i64..=(high / STEP).floor() as i64;
    let player = |mark: i64| {
        let elo = mark as f64 * STEP;
        let curve = levels.curve(DIAL, Elo(elo), EloScale::Fide);
        let name = format!("dial {elo}");
        (elo, Entrant { every: 1, ..Entrant::new(name, &curve, levels.depth, elo) })
    };
    marks.map(player).collect()
}

impl Check {
    /// Of the games between the players of these ratings of a table.
    pub fn new(set: &[f64], records: &[GameRecord], made: Made, levels: &Levels) -> Check {
        Check::of_scores(set, &Scores::of_records(records), made, levels)
    }

    pub fn of_scores(set: &[f64], scores: &Scores, made: Made, levels: &Levels) -> Check {
        let fit = Model { guesses: set, rows: &[] }.fit(scores);
        let average = vec![1.0 / set.len() as f64; set.len()];
        let shift = mean(set) - mean(&fit.ratings);
        let setting = |(place, &elo): (usize, &f64)| Setting {
            set: elo,
            measured: fit.ratings[place] + shift,
            error: TWO_SIDED_95 * fit.variance_from(place, &average).sqrt(),
            games: scores.of(place).1 as u64,
        };
        let settings: Vec<Setting> = set.iter().enumerate().map(setting).collect();
        let misses: Vec<f64> = settings.iter().map(|s| (s.measured - s.set).abs()).collect();
        let chance = |s: &Setting| off_by_chance(s.error.hypot(within(levels, s.set)));
        Check {
            made: Made { games: scores.games(), ..made },
            table: levels.made.clone(),
            mean_error: mean(&misses),
            by_chance: mean(&settings.iter().map(chance).collect::<Vec<_>>()),
            largest: misses.iter().copied().fold(0.0, f64::max),
            rises: settings.windows(2).all(|pair| pair[0].measured < pair[1].measured),
            apart: apart(set, scores, &fit),
            settings,
        }
    }
}

/// How far a level of a table is off on average, for nothing but the chance of its games, among all
/// levels of the dial.
pub fn off_on_average(levels: &Levels) -> f64 {
    let off: Vec<f64> =
        dial(levels).iter().map(|&(elo, _)| off_by_chance(within(levels, elo))).collect();
    mean(&off)
}

/// Half of the 95 % interval of a rating among all others of the dial.
fn within(levels: &Levels, elo: f64) -> f64 {
    levels.within(DIAL, Elo(elo), EloScale::Fide)
}

/// How far somebody is off on average who has such a half of a 95 % interval.
fn off_by_chance(half: f64) -> f64 {
    MEAN_OF_HALF_NORMAL / TWO_SIDED_95 * half
}

fn apart(set: &[f64], scores: &Scores, fit: &Fit) -> Apart {
    let is_apart = |&(one, other): &(usize, usize)| set[other] - set[one] == 2.0 * STEP;
    let pairs = (2..set.len()).map(|place| (place - 2, place)).filter(is_apart);
    let scored: Vec<f64> =
        pairs.map(|(one, other)| expected(fit.ratings[other] - fit.ratings[one])).collect();
    let met = scores.meetings.iter().filter(|(pair, _)| is_apart(pair));
    // Points are counted for the first, who is the weaker.
    let (points, games) =
        met.fold((0.0, 0.0), |sum, (_, &(points, games))| (sum.0 + games - points, sum.1 + games));
    Apart { expected: mean(&scored), points, games }
}
