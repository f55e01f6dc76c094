//! Statistics of the answers.
//!
//! The similarity of two players is the percentage of positions in which they chose the same move.
//! Its mean and standard deviation over all pairs of unrelated players show what is usual.
//!
//! The intervals come from a bootstrap. It draws as many positions as there are, with replacement,
//! and computes everything again. Many such draws show how much the results depend on the choice of
//! positions.

use std::collections::{BTreeSet, HashMap};

use super::Column;
use crate::study::similarity::upgma::{Cluster, cluster};
use stopdown::math::statistics::{jensen_shannon, mean, normal, quantile, standard_deviation};
use stopdown::math::streams::{Occasion, Purpose, Stream};

/// The similarity of two players.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PairSimilarity {
    pub one: usize,
    pub other: usize,
    /// The number of positions that both players answered.
    pub positions: usize,
    /// The percentage of matched moves with its 95% interval.
    pub percent: f64,
    pub interval: [f64; 2],
    /// The number of standard deviations above the usual similarity, with its interval.
    pub z: f64,
    pub z_interval: [f64; 2],
    /// Among unrelated players, one pair in `one_in` is at least this similar.
    pub one_in: f64,
    pub related: bool,
}

/// The results of a study.
#[derive(Clone, Debug)]
pub struct SimilarityStudy {
    pub names: Vec<String>,
    pub positions: usize,
    /// All pairs, most similar first.
    pub pairs: Vec<PairSimilarity>,
    /// The percentage of matched moves, or NaN on the diagonal.
    pub percents: Vec<Vec<f64>>,
    /// The mean and standard deviation over unrelated pairs, in per cent.
    pub mean: f64,
    pub deviation: f64,
    /// The number of unrelated pairs.
    pub unrelated: usize,
    /// The tree, where the distance is 1 minus the fraction of matched moves.
    pub tree: Option<Cluster>,
    /// The mean Jensen-Shannon distance between the move distributions of each pair, if known.
    pub distances: Vec<Vec<Option<f64>>>,
}

impl SimilarityStudy {
    /// Compares all players that gave answers, with `resamples` draws of the bootstrap.
    pub fn new(columns: &[Column], resamples: u64, seed: u64) -> SimilarityStudy {
        let columns: Vec<&Column> =
            columns.iter().filter(|column| column.moves.iter().any(Option::is_some)).collect();
        let positions = columns.first().map_or(0, |column| column.moves.len());
        let mut pairs: Vec<Pair> = (0..columns.len())
            .flat_map(|other| (0..other).map(move |one| (one, other)))
            .map(|(one, other)| Pair::new(&columns, one, other))
            .collect();
        let observed = vec![1; positions];
        let found: Vec<f64> = pairs.iter().map(|pair| pair.percent(&observed)).collect();
        let usual = Usual::of(&pairs, &found);
        for draw in 0..resamples {
            let weights = resample(positions, seed, draw);
            let drawn: Vec<f64> = pairs.iter().map(|pair| pair.percent(&weights)).collect();
            let usual = Usual::of(&pairs, &drawn);
            for (pair, percent) in pairs.iter_mut().zip(drawn) {
                pair.drawn.push((percent, usual.z(percent)));
            }
        }
        let mut percents = vec![vec![f64::NAN; columns.len()]; columns.len()];
        for (pair, &percent) in pairs.iter().zip(&found) {
            percents[pair.one][pair.other] = percent;
            percents[pair.other][pair.one] = percent;
        }
        let likeness = |(pair, &percent): (&Pair, &f64)| pair.likeness(percent, &usual);
        let mut likenesses: Vec<PairSimilarity> = pairs.iter().zip(&found).map(likeness).collect();
        likenesses.sort_by(|a, b| b.percent.total_cmp(&a.percent));
        SimilarityStudy {
            names: columns.iter().map(|column| column.name.clone()).collect(),
            positions,
            pairs: likenesses,
            tree: cluster(&as_distances(&percents)),
            percents,
            mean: usual.mean,
            deviation: usual.deviation,
            unrelated: usual.pairs,
            distances: distances(&columns),
        }
    }

    /// The percentage that is `z` standard deviations above the mean of unrelated players.
    pub fn percent_at(&self, z: f64) -> f64 {
        self.mean + z * self.deviation
    }
}

/// The usual similarity of unrelated players.
struct Usual {
    mean: f64,
    deviation: f64,
    pairs: usize,
}

impl Usual {
    fn of(pairs: &[Pair], percents: &[f64]) -> Usual {
        let unrelated = pairs.iter().zip(percents).filter(|(pair, _)| !pair.related);
        let percents: Vec<f64> =
            unrelated.map(|(_, percent)| *percent).filter(|percent| percent.is_finite()).collect();
        Usual {
            mean: mean(&percents),
            deviation: standard_deviation(&percents),
            pairs: percents.len(),
        }
    }

    fn z(&self, percent: f64) -> f64 {
        (percent - self.mean) / self.deviation
    }
}

/// Two players while they are being compared.
struct Pair {
    one: usize,
    other: usize,
    related: bool,
    /// For each position, 1 if both players answered.
    both: Vec<u8>,
    /// For each position, 1 if they agreed.
    same: Vec<u8>,
    /// The percentages and deviations in the bootstrap draws.
    drawn: Vec<(f64, f64)>,
}

impl Pair {
    fn new(columns: &[&Column], one: usize, other: usize) -> Pair {
        let [a, b] = [columns[one], columns[other]];
        let moves = || a.moves.iter().zip(&b.moves);
        Pair {
            one,
            other,
            related: a.families.iter().any(|family| b.families.contains(family)),
            both: moves().map(|(a, b)| u8::from(a.is_some() && b.is_some())).collect(),
            same: moves().map(|(a, b)| u8::from(a.is_some() && a == b)).collect(),
            drawn: Vec::new(),
        }
    }

    /// The weighted percentage of matched moves.
    fn percent(&self, weights: &[u8]) -> f64 {
        let sum = |marks: &[u8]| {
            let terms = marks.iter().zip(weights).map(|(mark, weight)| u32::from(mark * weight));
            f64::from(terms.sum::<u32>())
        };
        100.0 * sum(&self.same) / sum(&self.both)
    }

    fn likeness(&self, percent: f64, usual: &Usual) -> PairSimilarity {
        let interval = |of: fn(&(f64, f64)) -> f64| {
            let drawn: Vec<f64> = self.drawn.iter().map(of).filter(|x| x.is_finite()).collect();
            [quantile(&drawn, 0.025), quantile(&drawn, 0.975)]
        };
        let z = usual.z(percent);
        PairSimilarity {
            one: self.one,
            other: self.other,
            positions: self.both.iter().map(|&both| usize::from(both)).sum(),
            percent,
            interval: interval(|drawn| drawn.0),
            z,
            z_interval: interval(|drawn| drawn.1),
            one_in: one_in(z),
            related: self.related,
        }
    }
}

/// The reciprocal of the probability that a standard normal variable is above `x`.
pub fn one_in(x: f64) -> f64 {
    1.0 / normal(-x)
}

/// The number of times that each position was drawn, if positions are drawn with replacement.
fn resample(positions: usize, seed: u64, game: u64) -> Vec<u8> {
    let mut stream = Stream::new(Occasion { seed, game, ply: 0 }, Purpose::Simulation);
    let mut weights = vec![0u8; positions];
    for _ in 0..positions {
        let drawn = (stream.uniform() * positions as f64) as usize;
        weights[drawn] = weights[drawn].saturating_add(1);
    }
    weights
}

/// The fraction of unmatched moves. Players without a position in common get the maximum distance.
fn as_distances(percents: &[Vec<f64>]) -> Vec<Vec<f64>> {
    let distance = |percent: &f64| if percent.is_nan() { 1.0 } else { (100.0 - percent) / 100.0 };
    percents.iter().map(|row| row.iter().map(distance).collect()).collect()
}

fn distances(columns: &[&Column]) -> Vec<Vec<Option<f64>>> {
    let row = |one: &&Column| columns.iter().map(|other| distance(one, other)).collect();
    columns.iter().map(row).collect()
}

fn distance(one: &Column, other: &Column) -> Option<f64> {
    let both = one.distributions.iter().zip(&other.distributions);
    let known = both.filter_map(|(a, b)| Some(apart(a.as_ref()?, b.as_ref()?)));
    let known: Vec<f64> = known.collect();
    (!known.is_empty()).then(|| mean(&known))
}

/// The distance between two move distributions. Their moves may be in any order.
fn apart(one: &[(String, f64)], other: &[(String, f64)]) -> f64 {
    let moves: BTreeSet<&str> = one.iter().chain(other).map(|(mv, _)| mv.as_str()).collect();
    let shares = |of: &[(String, f64)]| -> Vec<f64> {
        let of: HashMap<&str, f64> = of.iter().map(|(mv, share)| (mv.as_str(), *share)).collect();
        moves.iter().map(|mv| of.get(mv).copied().unwrap_or(0.0)).collect()
    };
    jensen_shannon(&shares(one), &shares(other))
}
