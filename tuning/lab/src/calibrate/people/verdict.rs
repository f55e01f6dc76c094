//! Measures how well the models predict games to which they were not fitted.
//!
//! The main measure is the log loss: the negative logarithm of the probability that a model gave to
//! the move that was played, averaged over the decisions. Lower is better. The predicted numbers of
//! best moves and the predicted losses are also compared with the actual ones.

use serde::{Deserialize, Serialize};

use super::sample::levels;
use super::{Coverage, FittedModel, ImitatorResults, LevelFit, RatedDecision};
use stopdown::analyser::{Figure, Projection, StudiedMove, project_each};
use stopdown::board::Phase;
use stopdown::math::statistics::mean;
use stopdown::selector::Distribution;

/// The mean of the absolute value of a standard normal variable: the square root of 2 / π.
const MEAN_OF_HALF_NORMAL: f64 = 0.797_884_560_802_865_4;

/// The results for a pool of games.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
pub struct PoolResults {
    /// The name of this kind of game.
    pub games: String,
    /// Regan's curve fitted level by level.
    pub levels: Vec<LevelFit>,
    pub models: Vec<TestedModel>,
    /// The coverage of the rating scales for such games.
    pub coverage: Vec<Coverage>,
    /// Results of the imitator.
    #[serde(default, alias = "following")]
    pub imitator: Vec<ImitatorResults>,
}

/// The evaluation of a model.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
pub struct TestedModel {
    pub model: String,
    /// The parameters fitted to all games.
    pub parameters: Vec<f64>,
    /// The predictions over all decisions, then by level, by game phase, and by value of the best
    /// move.
    pub verdicts: Vec<GroupPrediction>,
    /// Calibration: how many moves with a given predicted probability were played.
    pub bins: Vec<Bin>,
}

/// Predicted and actual figures for a group of decisions.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
pub struct GroupPrediction {
    pub group: String,
    /// The level, if the group is one. Levels are plotted as a series.
    pub level: Option<i64>,
    pub projection: Projection,
    /// The log loss in nats per move, and its standard error, clustered by game.
    pub nats: f64,
    pub error: f64,
}

/// Moves with a predicted probability within these bounds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Deserialize, Serialize)]
pub struct Bin {
    pub low: f64,
    pub high: f64,
    pub moves: usize,
    /// The expected and the actual number of moves played.
    pub projected: f64,
    pub played: usize,
}

/// The upper bounds of the probability bins.
const BOUNDS: [f64; 13] =
    [0.0, 0.003, 0.01, 0.03, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.85, 1.000_001];
/// The number of move ranks for which frequencies are kept.
const RANKS: usize = 5;
/// The upper bounds of the ranges for the best move's value, in pawns.
const BANDS: [f64; 5] = [-1.0, -0.3, 0.3, 1.0, f64::INFINITY];

/// Evaluates a model on groups of decisions.
pub fn test_model(fitted: &FittedModel, sample: &[&RatedDecision]) -> TestedModel {
    let distributions: Vec<Distribution> =
        sample.iter().map(|known| fitted.predict_held_out(known)).collect();
    let mut verdicts = Vec::new();
    let mut group = |name: String, level: Option<i64>, is_in: &dyn Fn(&RatedDecision) -> bool| {
        let places: Vec<usize> = (0..sample.len()).filter(|&place| is_in(sample[place])).collect();
        if !places.is_empty() {
            verdicts.push(verdict(name, level, &places, sample, &distributions));
        }
    };
    group("all".to_owned(), None, &|_| true);
    for level in levels(sample) {
        group(level.to_string(), Some(level), &|known| known.level() == level);
    }
    for phase in Phase::ALL {
        group(phase.to_string(), None, &|known| known.turn.phase == phase);
    }
    let mut low = f64::NEG_INFINITY;
    for high in BANDS {
        let name = match (low.is_finite(), high.is_finite()) {
            (false, _) => format!("best score below {high}"),
            (_, false) => format!("best score above {low}"),
            _ => format!("best score {low} to {high}"),
        };
        group(name, None, &|known| (low..high).contains(&known.turn.best()));
        low = high;
    }
    TestedModel {
        model: fitted.model.name().to_owned(),
        parameters: fitted.whole.parameters.clone(),
        verdicts,
        bins: bins(sample, &distributions),
    }
}

/// The average error over the levels, and the error that chance alone would cause.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MeanErrors {
    pub levels: usize,
    /// The frequency of playing the best move.
    pub first: (f64, f64),
    /// The average scaled difference. Its errors are relative to its actual value.
    pub difference: (f64, f64),
}

/// Levels with fewer decisions are ignored.
const MIN_DECISIONS: usize = 200;

impl TestedModel {
    /// Averages the errors of levels with enough decisions.
    pub fn mean_errors(&self) -> Option<MeanErrors> {
        let of_level = self.verdicts.iter().filter(|verdict| verdict.level.is_some());
        let some: Vec<&Projection> = of_level
            .map(|v| &v.projection)
            .filter(|found| found.decisions >= MIN_DECISIONS)
            .collect();
        let average = |of: &dyn Fn(&Projection) -> (&Figure, f64)| {
            let each = |found: &&Projection| {
                let (figure, unit) = of(found);
                let off = (figure.projected - figure.actual).abs();
                (off / unit, figure.deviation * MEAN_OF_HALF_NORMAL / unit)
            };
            let (off, chance): (Vec<f64>, Vec<f64>) = some.iter().map(each).unzip();
            (mean(&off), mean(&chance))
        };
        (!some.is_empty()).then(|| MeanErrors {
            levels: some.len(),
            first: average(&|found| (&found.first, 1.0)),
            difference: average(&|found| (&found.scaled_loss, found.scaled_loss.actual)),
        })
    }
}

fn verdict(
    group: String,
    level: Option<i64>,
    places: &[usize],
    sample: &[&RatedDecision],
    distributions: &[Distribution],
) -> GroupPrediction {
    let turns: Vec<&StudiedMove> = places.iter().map(|&place| &sample[place].turn).collect();
    let mut projection = project_each(&turns, |number| distributions[places[number]].clone());
    projection.frequencies.truncate(RANKS);
    let nats = -projection.ln_likelihood / places.len() as f64;
    // The deviations from the mean are added up by game, because moves in one game are correlated.
    let off =
        |&place: &usize| -distributions[place].ln_probability(sample[place].turn.chosen) - nats;
    let games = places.chunk_by(|&one, &next| sample[one].game == sample[next].game);
    let variance: f64 = games.map(|game| game.iter().map(off).sum::<f64>().powi(2)).sum();
    GroupPrediction { group, level, projection, nats, error: variance.sqrt() / places.len() as f64 }
}

fn bins(sample: &[&RatedDecision], distributions: &[Distribution]) -> Vec<Bin> {
    let bounds = BOUNDS.windows(2);
    let mut bins: Vec<Bin> =
        bounds.map(|pair| Bin { low: pair[0], high: pair[1], ..Bin::default() }).collect();
    for (known, distribution) in sample.iter().zip(distributions) {
        for (index, &p) in distribution.probabilities().iter().enumerate() {
            let place = bins.partition_point(|bin| bin.high <= p).min(BOUNDS.len() - 2);
            let bin = &mut bins[place];
            bin.moves += 1;
            bin.projected += p;
            bin.played += usize::from(index == known.turn.chosen);
        }
    }
    bins
}
