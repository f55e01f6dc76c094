//! Simulates a player and an observer who infers the player's parameters.

use stopdown::math::exact::ln;
use stopdown::math::grid::{Posterior, evenly_spaced};
use stopdown::math::streams::Stream;
use stopdown::player::Hypotheses;
use stopdown::selector::{Competence, Curve, DepthWeights, Distribution, Selector, Values};

use super::PARTS;
use super::positions::Positions;

/// Numbers of informative moves after which the posteriors are recorded.
pub const CHECKPOINTS: [usize; 5] = [10, 20, 40, 80, 200];

/// The player of a game.
#[derive(Clone, Copy)]
pub enum Mover {
    /// Ep(c).
    Plain(f64),
    /// One of two players, drawn for each move.
    Mixed(f64, f64),
}

/// The posteriors at the checkpoints that were reached, each with the Fisher information of the
/// moves so far.
#[derive(Default)]
pub struct Watched {
    pub competence: Vec<(Posterior, f64)>,
    /// For mixtures of the two players, the weaker player's share of the moves.
    pub share: Vec<(Posterior, f64)>,
    /// The c with the greatest expected likelihood over the mover's choices.
    pub closest_c: f64,
}

fn player(c: f64) -> Selector {
    Selector::new(Curve::levelled(Competence::new(c).expect("a number")))
}

/// Players from c = 0 to c = 60, `fineness` of them per unit of c.
pub fn scale(fineness: usize) -> Hypotheses {
    let points = evenly_spaced(0.0, 60.0, 60 * fineness + 1);
    let curve = Curve::levelled(Competence::RANDOM);
    Hypotheses::of_competence(curve, &DepthWeights::deepest(), &points)
}

/// Observes a game with `moves` informative moves.
pub fn watch(
    positions: &mut dyn Positions,
    scale: &Hypotheses,
    mover: &Mover,
    moves: usize,
    stream: &mut Stream,
) -> Watched {
    let mut competence = Posterior::uniform(scale.points().to_vec()).expect("rising");
    let mut share = Posterior::uniform(evenly_spaced(0.0, 1.0, 101)).expect("rising");
    let (mut about_c, mut about_share) = (0.0, 0.0);
    let mut average = vec![0.0; scale.points().len()];
    let mut watched = Watched::default();
    let mut seen = 0;
    positions.begin(stream);
    while seen < moves {
        let values = positions.next(stream);
        let parts = PARTS.map(|c| player(c).distribution(&values));
        let truth = distribution(mover, &values);
        let chosen = stream.index(truth.probabilities()).expect("there is a move");
        positions.play(chosen);
        let found = scale.selectors().iter().map(|selector| selector.distribution(&values));
        let found: Vec<Distribution> = found.collect();
        let likelihoods: Vec<f64> = found.iter().map(|d| d.ln_probability(chosen)).collect();
        if !Hypotheses::is_informative(&likelihoods) {
            continue;
        }
        seen += 1;
        assert!(competence.update(&likelihoods));
        assert!(share.update(&shares(share.points(), &parts, chosen)));
        for (sum, distribution) in average.iter_mut().zip(&found) {
            *sum += expected_ln(&truth, distribution);
        }
        about_share += information_about_share(&truth, &parts);
        if let Mover::Plain(c) = *mover {
            about_c += player(c).information(&values);
        } else {
            about_c += player(closest(scale.points(), &average)).information(&values);
        }
        if CHECKPOINTS.contains(&seen) {
            watched.competence.push((competence.clone(), about_c));
            watched.share.push((share.clone(), about_share));
        }
    }
    watched.closest_c = closest(scale.points(), &average);
    watched
}

fn distribution(mover: &Mover, values: &Values) -> Distribution {
    match *mover {
        Mover::Plain(c) => player(c).distribution(values),
        Mover::Mixed(a, b) => {
            let parts = [a, b].map(|c| (0.5, player(c).distribution(values)));
            Distribution::mixture(&parts)
        }
    }
}

/// `ln(q p_a + (1 - q) p_b)` for every share q.
fn shares(points: &[f64], [a, b]: &[Distribution; 2], chosen: usize) -> Vec<f64> {
    let (a, b) = (a.probability(chosen), b.probability(chosen));
    points.iter().map(|q| ln(q * a + (1.0 - q) * b)).collect()
}

/// The Fisher information about the share in one choice: `Σ (p_a - p_b)² / p`.
fn information_about_share(truth: &Distribution, [a, b]: &[Distribution; 2]) -> f64 {
    let term = |j: usize| (a.probability(j) - b.probability(j)).powi(2) / truth.probability(j);
    (0..truth.len()).filter(|&j| truth.probability(j) > 0.0).map(term).sum()
}

/// `Σ p ln q`.
fn expected_ln(truth: &Distribution, other: &Distribution) -> f64 {
    let term = |j: usize| truth.probability(j) * other.ln_probability(j);
    (0..truth.len()).filter(|&j| truth.probability(j) > 0.0).map(term).sum()
}

/// The position of the maximum: the vertex of the parabola through the largest point and its
/// neighbours.
fn closest(points: &[f64], sums: &[f64]) -> f64 {
    let best = (0..sums.len()).max_by(|&a, &b| sums[a].total_cmp(&sums[b])).expect("points");
    if best == 0 || best + 1 == sums.len() {
        return points[best];
    }
    let (left, top, right) = (sums[best - 1], sums[best], sums[best + 1]);
    let offset = 0.5 * (left - right) / (left - 2.0 * top + right);
    points[best] + offset * (points[best + 1] - points[best])
}
