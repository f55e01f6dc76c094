//! How likely it is that a player had help (Haworth 2007, section 4.7; Regan 2011, section 7).
//!
//! Two questions, and neither is about guilt:
//!
//! 1. How far do his figures lie above what is projected for him, in standard deviations? And how
//!    many of so many honest players would come out that far?
//! 2. How much likelier are his moves if some of them are an engine's? At a turn at which the best
//!    moves are B, `p' = λ/|B| [m ∈ B] + (1-λ) p`; the logarithm of p'/p is the weight of the
//!    evidence of one move, and adds up over moves.

use serde::{Deserialize, Serialize};

use super::figures::{Expectation, Figures, MoveFigures};
use super::{Figure, Projection, Turn, project};
use crate::math::exact::ln;
use crate::math::statistics::normal;
use crate::math::sums::{Additive, Count, Fine, FineCurve, additive};
use crate::selector::{Distribution, Selector};

/// What speaks for help, and how loudly.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Suspicion {
    /// Against the player's own profile, or that of his rating.
    pub projection: Projection,
    pub partly: Helped,
    pub wholly: Helped,
    /// The stretch of so many moves of a game with the most evidence for help on half of them.
    pub window: Option<SuspicionWindow>,
}

/// The evidence for help on a part of the moves.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Helped {
    /// The part of the moves.
    pub part: f64,
    /// The logarithm of how many times likelier the moves are.
    pub evidence: f64,
}

/// A stretch of turns of a game.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct SuspicionWindow {
    pub game: String,
    /// The number of its first move.
    #[serde(rename = "first_move")]
    pub first: usize,
    pub length: usize,
    pub evidence: f64,
}

/// A decision, or those of a game, compared with what is expected of a player.
#[derive(Clone, Debug, Default)]
pub(super) struct Comparison {
    decisions: usize,
    /// The rating of that player; 0 for a profile.
    rating: f64,
    ln_likelihood: f64,
    expected: Expectation,
    played: Figures<f64>,
    /// For help on each of the parts of the moves.
    evidence: Vec<f64>,
    /// The number of each move, and the evidence for help on half of the moves.
    moves: Vec<(usize, f64)>,
}

/// The sums of comparisons.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct ComparisonSums {
    pub decisions: Count,
    pub rating: Count,
    ln_likelihood: Fine,
    mean: Figures<Fine>,
    variance: Figures<Fine>,
    played: Figures<Fine>,
    /// For help on each of the parts of the moves.
    evidence: FineCurve<3>,
    window: Option<EvidenceWindow>,
}

/// The stretch of moves in a game with the most evidence. The greater in this order is kept.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
struct EvidenceWindow {
    evidence: Fine,
    game: String,
    first_move: Count,
}

/// How many honest players the expected number of such results is given for, where nothing else is asked.
pub const HONEST_PLAYERS: f64 = 1000.0;

/// A wholly helped player may still play a move of his own: he slips.
const WHOLLY: f64 = 0.98;
/// Parts with the whole; "partly" chooses from the others.
const PARTS: usize = 50;

/// Weighs the moves of a player who is expected to choose as `honest`, and all stretches of them.
pub fn suspect(honest: &Selector, turns: &[&Turn], window: usize) -> Option<Suspicion> {
    let pair = |turn: &&Turn| odds(&honest.distribution(&turn.values), turn);
    let pairs: Vec<(f64, f64)> = turns.iter().map(pair).collect();
    let weights: Vec<f64> = pairs.iter().map(|&pair| weight(pair, 0.5)).collect();
    let evidence = parts().map(|part| pairs.iter().map(|&pair| weight(pair, part)).sum());
    Suspicion::of_sums(project(honest, turns), evidence, heaviest(&weights, window))
}

/// The parts of the moves that help is weighed for, rising; the last is the whole.
fn parts() -> impl Iterator<Item = f64> {
    (1..=PARTS).map(|i| WHOLLY * i as f64 / PARTS as f64)
}

impl Suspicion {
    /// From the evidence for each of the parts.
    fn of_sums(
        projection: Projection,
        evidence: impl Iterator<Item = f64>,
        window: Option<SuspicionWindow>,
    ) -> Option<Suspicion> {
        let mut helped: Vec<Helped> =
            parts().zip(evidence).map(|(part, evidence)| Helped { part, evidence }).collect();
        let wholly = helped.pop()?;
        let partly = helped.into_iter().max_by(|a, b| a.evidence.total_cmp(&b.evidence))?;
        Some(Suspicion { projection, partly, wholly, window })
    }
}

impl Comparison {
    pub fn new(
        rating: f64,
        distribution: &Distribution,
        turn: &Turn,
        figures: &MoveFigures,
    ) -> Comparison {
        let odds = odds(distribution, turn);
        Comparison {
            decisions: 1,
            rating,
            ln_likelihood: distribution.ln_probability(turn.chosen),
            expected: figures.expected(distribution.probabilities()),
            played: figures.played(turn.chosen),
            evidence: parts().map(|part| weight(odds, part)).collect(),
            moves: vec![(turn.number(), weight(odds, 0.5))],
        }
    }
}

/// The comparison of several decisions, in the order of play.
impl Additive for Comparison {
    fn add(&mut self, other: &Comparison) {
        self.decisions += other.decisions;
        self.rating += other.rating;
        self.ln_likelihood += other.ln_likelihood;
        self.expected.add(&other.expected);
        self.played.add(&other.played);
        self.evidence.add(&other.evidence);
        self.moves.extend_from_slice(&other.moves);
    }
}

additive!(ComparisonSums: decisions, rating, ln_likelihood, mean, variance, played, evidence, window);

impl ComparisonSums {
    /// The sums of one game.
    pub fn of(compared: &Comparison, window: usize, game: &str) -> ComparisonSums {
        let fine = |x: &f64| Fine::of(*x);
        let weights: Vec<f64> = compared.moves.iter().map(|(_, weight)| *weight).collect();
        ComparisonSums {
            decisions: Count::of_items(compared.decisions),
            rating: Count::of(compared.rating),
            ln_likelihood: Fine::of(compared.ln_likelihood),
            mean: compared.expected.mean.map(fine),
            variance: compared.expected.variance.map(fine),
            played: compared.played.map(fine),
            evidence: FineCurve::of(&compared.evidence),
            window: heaviest(&weights, window).map(|window| EvidenceWindow {
                evidence: Fine::of(window.evidence),
                game: game.to_owned(),
                first_move: Count::of_items(compared.moves[window.first].0),
            }),
        }
    }

    /// What they show; `None` without a comparison.
    pub fn suspicion(&self, window: usize) -> Option<Suspicion> {
        let decisions = Some(self.decisions.items()).filter(|&decisions| decisions > 0)?;
        let values = |figures: &Figures<Fine>| figures.map(|sum| sum.value());
        let expected = Expectation { mean: values(&self.mean), variance: values(&self.variance) };
        let (played, ln_likelihood) = (values(&self.played), self.ln_likelihood.value());
        let projection = Projection::of_sums(decisions, &expected, &played, ln_likelihood);
        let window = self.window.as_ref().map(|found| SuspicionWindow {
            game: found.game.clone(),
            first: found.first_move.items(),
            length: window,
            evidence: found.evidence.value(),
        });
        Suspicion::of_sums(projection, self.evidence.values(), window)
    }
}

/// The probability of the played move for the player and for the engine.
fn odds(honest: &Distribution, turn: &Turn) -> (f64, f64) {
    let own = honest.probability(turn.chosen);
    let best = turn.best();
    let ties = turn.values.deepest().iter().filter(|&&value| value == best).count();
    let engine = if turn.value(turn.chosen) == best { 1.0 / ties as f64 } else { 0.0 };
    (own, engine)
}

/// The evidence of one move for help on a part of the moves.
fn weight((own, engine): (f64, f64), part: f64) -> f64 {
    // A move that the model all but excludes tells of the model, not of the player.
    const LEAST: f64 = 1e-9;
    let own = own.max(LEAST);
    ln((part * engine + (1.0 - part) * own) / own)
}

/// The stretch of this length with the most evidence.
fn heaviest(weights: &[f64], length: usize) -> Option<SuspicionWindow> {
    if length == 0 {
        return None;
    }
    let windows = weights.windows(length).enumerate();
    let sums = windows.map(|(first, w)| SuspicionWindow {
        first,
        length,
        evidence: w.iter().sum(),
        ..SuspicionWindow::default()
    });
    sums.max_by(|a, b| a.evidence.total_cmp(&b.evidence))
}

impl Suspicion {
    /// The largest of the standardised figures that speak for help: first choices, equal values and
    /// a small loss.
    pub fn z(&self) -> f64 {
        let Projection { first, equal, scaled_loss, .. } = &self.projection;
        first.z().max(equal.z()).max(-scaled_loss.z())
    }
}

/// Of so many honest players, as many are expected to lie this far above their projection.
pub fn expected_among(figure: &Figure, players: f64) -> f64 {
    players * normal(-figure.z())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_engines_move_speaks_for_help_and_another_against_it() {
        assert!((weight((0.5, 1.0), 0.5) - 1.5f64.ln()).abs() < 1e-12);
        assert!((weight((0.5, 0.0), 0.5) - 0.5f64.ln()).abs() < 1e-12);
        // What he would have played anyway tells nothing.
        assert_eq!(weight((1.0, 1.0), 0.7), 0.0);
        assert_eq!(heaviest(&[1.0, -1.0, 2.0, 2.0], 2).map(|w| w.first), Some(2));
        assert_eq!(heaviest(&[1.0], 2), None);
        assert_eq!(heaviest(&[1.0], 0), None);
    }
}
