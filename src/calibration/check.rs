//! The check: do players who are set to ratings have them?

use serde::{Deserialize, Serialize};

use super::counted::{Checked, FinishedStudy, Meeting, meetings};
use super::entrants::{DIAL, Entrant};
use super::expectation::{Kinds, expected};
use super::fit::{RatingFit, RatingModel, Scores};
use crate::math::normal::MEAN_OF_HALF_NORMAL;
use crate::math::outcomes::TWO_SIDED_95;
use crate::math::statistics::mean;
use crate::player::{Elo, EloScale, Levels, Made, path};
use crate::value::Depth;

/// Ratings on the dial are so far apart, in Elo.
const STEP: f64 = 100.0;

/// A rating on the dial and what it was found to be.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CheckedRating {
    pub set: f64,
    /// Where on the path of the dial's players he stands who was set to it.
    pub place: f64,
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
    pub settings: Vec<CheckedRating>,
    pub mean_error: f64,
    /// What it would be on average if nothing but the chance of games, those of the table and these,
    /// made them differ.
    pub by_chance: f64,
    /// What is left of it without the chance of these games: an estimate of what the table is off.
    pub of_the_table: f64,
    pub largest: f64,
    /// Is every player measured above the one before?
    pub rises: bool,
    pub apart: Apart,
    pub depth: Depth,
    /// What was drawn from.
    pub seed: u64,
    pub meetings: Vec<Meeting>,
    /// So many of all games were drawn.
    pub draws: f64,
}

/// A player for every hundred of the dial, with his rating.
pub fn dial(levels: &Levels) -> Vec<(f64, Entrant)> {
    let (low, high) = levels.range(DIAL, EloScale::Fide).into_inner();
    let marks = (low / STEP).ceil() as i64..=(high / STEP).floor() as i64;
    let player = |mark: i64| {
        let elo = mark as f64 * STEP;
        let curve = levels.curve(DIAL, Elo(elo), EloScale::Fide);
        (elo, Entrant { every: 1, ..Entrant::new(name(elo), &curve, levels.depth, elo) })
    };
    marks.map(player).collect()
}

fn name(elo: f64) -> String {
    format!("dial {elo}")
}

impl Check {
    /// Of the scores between the players of these ratings of a table, whose games were drawn from a seed.
    pub fn new(set: &[f64], scores: &Scores, seed: u64, made: Made, levels: &Levels) -> Check {
        let kinds = Kinds::default();
        let fit = RatingModel { guesses: set, rows: &[], kinds: &kinds }.fit(scores);
        let average = vec![1.0 / set.len() as f64; set.len()];
        let shift = mean(set) - mean(&fit.ratings);
        let setting = |(player, &elo): (usize, &f64)| CheckedRating {
            set: elo,
            place: place(levels, elo),
            measured: fit.ratings[player] + shift,
            error: TWO_SIDED_95 * fit.variance_from(player, &average).sqrt(),
            games: scores.of(player).1 as u64,
        };
        let settings: Vec<CheckedRating> = set.iter().enumerate().map(setting).collect();
        let misses: Vec<f64> = settings.iter().map(|s| (s.measured - s.set).abs()).collect();
        let beyond =
            |s: &CheckedRating| (s.measured - s.set).powi(2) - (s.error / TWO_SIDED_95).powi(2);
        let beyond = mean(&settings.iter().map(beyond).collect::<Vec<_>>());
        let chance = |s: &CheckedRating| off_by_chance(s.error.hypot(within(levels, s.set)));
        Check {
            made: Made { games: scores.games(), ..made },
            table: levels.made.clone(),
            mean_error: mean(&misses),
            by_chance: mean(&settings.iter().map(chance).collect::<Vec<_>>()),
            of_the_table: MEAN_OF_HALF_NORMAL * beyond.max(0.0).sqrt(),
            largest: misses.iter().copied().fold(0.0, f64::max),
            rises: settings.windows(2).all(|pair| pair[0].measured < pair[1].measured),
            apart: apart(set, scores, &fit),
            settings,
            depth: levels.depth,
            seed,
            meetings: meetings(scores, &fit.ratings, &kinds, |player| name(set[player])),
            draws: scores.draws,
        }
    }

    /// Its games, as they are counted by a later ladder.
    pub fn finished(&self) -> FinishedStudy<'_> {
        let stands = |setting: &CheckedRating| (name(setting.set), Some((DIAL, setting.place)));
        FinishedStudy {
            made: &self.made,
            depth: self.depth,
            players: self.settings.iter().map(stands).collect(),
            meetings: &self.meetings,
            draws: self.draws,
        }
    }

    /// By what a ladder knows it again.
    pub fn identity(&self) -> Checked {
        Checked { table: self.table.clone(), seed: self.seed }
    }
}

/// The place of the dial's player of a rating, to a hundredth.
fn place(levels: &Levels, elo: f64) -> f64 {
    (100.0 * path::place(&levels.curve(DIAL, Elo(elo), EloScale::Fide))).round() / 100.0
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

fn apart(set: &[f64], scores: &Scores, fit: &RatingFit) -> Apart {
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
