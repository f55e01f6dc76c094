//! Statistical evidence of computer assistance (Haworth 2007, section 4.7; Regan 2011, section 7).
//!
//! There are two measures. Neither of them proves anything.
//!
//! 1. How many standard deviations are the player's figures above the projection? And how many
//!    honest players out of a given number would exceed their projections by as much?
//! 2. How much likelier are the moves if an engine chose a fraction λ of them? If B is the set of
//!    best moves in a decision and m is the played move, then `p' = λ/|B| [m ∈ B] + (1-λ) p`. The
//!    logarithm of p'/p is the evidence from one move. The evidence of several moves is added up.

use serde::{Deserialize, Serialize};

use super::figures::{Expectation, Figures, MoveFigures};
use super::{Projection, RatingScale, StudiedMove};
use crate::math::exact::ln;
use crate::math::statistics::normal;
use crate::math::sums::{Additive, Count, Fine, FineCurve, additive};
use crate::selector::Distribution;

/// The evidence of assistance in a player's moves.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Suspicion {
    /// The comparison with the given profile, or with a player of the same rating.
    pub projection: Projection,
    /// The evidence for the most likely assisted fraction, other than full assistance.
    pub partly: Assistance,
    /// The evidence that all moves were assisted.
    pub wholly: Assistance,
    /// The window of consecutive moves in a game with the strongest evidence that half of them were
    /// assisted.
    pub window: Option<SuspicionWindow>,
}

/// The evidence that a fraction of the moves was assisted.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Assistance {
    /// The assisted fraction of the moves.
    pub part: f64,
    /// The log-likelihood ratio of the moves: with assistance against without.
    pub evidence: f64,
}

/// A window of consecutive decisions in a game.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct SuspicionWindow {
    /// The players and the date of the game.
    pub(crate) game: String,
    /// The move number of its first move.
    #[serde(rename = "first_move")]
    pub(crate) first: usize,
    /// The number of decisions in the window.
    pub(crate) length: usize,
    /// The log-likelihood ratio of the decisions: with assistance against without.
    pub(crate) evidence: f64,
    /// The number of windows among which this one has the strongest evidence.
    pub(crate) windows: usize,
}

impl SuspicionWindow {
    /// The evidence that at most one honest player in twenty reaches by chance. An honest player's evidence in one window
    /// exceeds x with a probability of at most `e^-x`, and there are many windows.
    pub fn rare_evidence(&self) -> f64 {
        ln(20.0) + ln(self.windows.max(1) as f64)
    }
}

/// One decision, or all decisions in a game, compared with the choices expected from a player.
#[derive(Clone, Debug, Default)]
pub(super) struct Comparison {
    decisions: usize,
    /// The rating of the player used for the comparison, or 0 for a profile.
    rating: f64,
    ln_likelihood: f64,
    expected: Expectation,
    /// How much the expected figures differ between players whose playing strength differs by one standard deviation of
    /// players with the same rating.
    spread: Figures<f64>,
    played: Figures<f64>,
    /// The evidence for each assisted fraction of the moves.
    evidence: Vec<f64>,
    /// The number of each move, and its evidence that half of the moves are assisted.
    moves: Vec<(usize, f64)>,
}

/// The sums of comparisons over many games.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct ComparisonSums {
    pub decisions: Count,
    pub rating: Count,
    ln_likelihood: Fine,
    mean: Figures<Fine>,
    variance: Figures<Fine>,
    spread: Figures<Fine>,
    played: Figures<Fine>,
    /// The evidence for each assisted fraction of the moves.
    evidence: FineCurve<3>,
    window: Option<EvidenceWindow>,
    windows: Count,
}

/// The window with the strongest evidence. If the evidence of two windows is equal, the order of
/// the other fields decides which is kept.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
struct EvidenceWindow {
    evidence: Fine,
    game: String,
    first_move: Count,
}

/// The default number of honest players among whom false positives are counted.
pub const HONEST_PLAYERS: f64 = 1000.0;

/// The assisted fraction for a fully assisted player, who may still make a mistake.
const FULL_ASSISTANCE: f64 = 0.98;
/// The number of assisted fractions that are tested. The last one is full assistance. The result
/// for partial assistance is the best of the others.
const FRACTIONS: usize = 50;

/// Computes the evidence of assistance for a player with a known rating: over all moves, and in the strongest window.
pub fn suspect(
    scale: &RatingScale,
    rating: f64,
    decisions: &[&StudiedMove],
    window: usize,
) -> Option<Suspicion> {
    let mut compared = Comparison::default();
    for decision in decisions {
        let figures = MoveFigures::of(decision);
        compared.add(&Comparison::with_rating(scale, rating, decision, &figures)?);
    }
    ComparisonSums::of(&compared, window, "").suspicion(window, scale.dispersion)
}

/// The assisted fractions, in ascending order. The last is full assistance.
fn fractions() -> impl Iterator<Item = f64> {
    (1..=FRACTIONS).map(|i| FULL_ASSISTANCE * i as f64 / FRACTIONS as f64)
}

impl Comparison {
    pub fn new(
        rating: f64,
        distribution: &Distribution,
        decision: &StudiedMove,
        figures: &MoveFigures,
    ) -> Comparison {
        let move_probabilities = move_probabilities(distribution, decision);
        Comparison {
            decisions: 1,
            rating,
            ln_likelihood: distribution.ln_probability(decision.chosen),
            expected: figures.expected(distribution.probabilities()),
            played: figures.played(decision.chosen),
            evidence: fractions().map(|part| evidence_of_move(move_probabilities, part)).collect(),
            moves: vec![(decision.number(), evidence_of_move(move_probabilities, 0.5))],
            ..Comparison::default()
        }
    }

    /// Compares a decision with the choices expected from players with this rating, or with the nearest rating on the
    /// scale. `None` if the scale has no model of them.
    pub fn with_rating(
        scale: &RatingScale,
        rating: f64,
        decision: &StudiedMove,
        figures: &MoveFigures,
    ) -> Option<Comparison> {
        let (rating, clock) = (scale.nearest(rating), decision.clock.as_ref());
        let choices = |elo| Some(scale.timed_selector(elo, clock)?.distribution(&decision.values));
        let mut comparison = Comparison::new(rating, &choices(rating)?, decision, figures);
        let [weaker, stronger] = scale.around(rating);
        let mean = |elo| Some(figures.expected(choices(elo)?.probabilities()).mean);
        comparison.spread = mean(stronger)?;
        let weaker = mean(weaker)?;
        comparison.spread.iter_mut().zip(weaker.iter()).for_each(|(change, mean)| *change -= mean);
        Some(comparison)
    }
}

/// Adds up the comparisons of several decisions, in the order of play.
impl Additive for Comparison {
    fn add(&mut self, other: &Comparison) {
        self.decisions += other.decisions;
        self.rating += other.rating;
        self.ln_likelihood += other.ln_likelihood;
        self.expected.add(&other.expected);
        self.spread.add(&other.spread);
        self.played.add(&other.played);
        self.evidence.add(&other.evidence);
        self.moves.extend_from_slice(&other.moves);
    }
}

additive!(ComparisonSums: decisions, rating, ln_likelihood, mean, variance, spread, played, evidence, window, windows);

impl ComparisonSums {
    /// The sums for a comparison of one game.
    pub fn of(compared: &Comparison, window: usize, game: &str) -> ComparisonSums {
        let fine = |x: &f64| Fine::of(*x);
        let weights: Vec<f64> = compared.moves.iter().map(|(_, weight)| *weight).collect();
        ComparisonSums {
            decisions: Count::of_items(compared.decisions),
            rating: Count::of(compared.rating),
            ln_likelihood: Fine::of(compared.ln_likelihood),
            mean: compared.expected.mean.map(fine),
            variance: compared.expected.variance.map(fine),
            spread: compared.spread.map(fine),
            played: compared.played.map(fine),
            evidence: FineCurve::of(&compared.evidence),
            window: strongest_window(&weights, window).map(|(first, evidence)| EvidenceWindow {
                evidence: Fine::of(evidence),
                game: game.to_owned(),
                first_move: Count::of_items(compared.moves[first].0),
            }),
            windows: Count::of_items(weights.windows(window.max(1)).count()),
        }
    }

    /// Evaluates the sums. Returns `None` if nothing was compared. The figures deviate `dispersion` times as much as those
    /// of independent moves.
    pub fn suspicion(&self, window: usize, dispersion: f64) -> Option<Suspicion> {
        let decisions = Some(self.decisions.items()).filter(|&decisions| decisions > 0)?;
        let values = |figures: &Figures<Fine>| figures.map(|sum| sum.value());
        let mut expected =
            Expectation { mean: values(&self.mean), variance: values(&self.variance) };
        expected.widen(dispersion, &values(&self.spread));
        let (played, ln_likelihood) = (values(&self.played), self.ln_likelihood.value());
        let projection = Projection::of_sums(decisions, &expected, &played, ln_likelihood);
        let window = self.window.as_ref().map(|found| SuspicionWindow {
            game: found.game.clone(),
            first: found.first_move.items(),
            length: window,
            evidence: found.evidence.value(),
            windows: self.windows.items(),
        });
        let mut helped: Vec<Assistance> = fractions()
            .zip(self.evidence.values())
            .map(|(part, evidence)| Assistance { part, evidence })
            .collect();
        let wholly = helped.pop()?;
        let partly = helped.into_iter().max_by(|a, b| a.evidence.total_cmp(&b.evidence))?;
        Some(Suspicion { projection, partly, wholly, window })
    }
}

/// The probabilities that the player and the engine would choose the played move.
fn move_probabilities(honest: &Distribution, decision: &StudiedMove) -> (f64, f64) {
    let player_probability = honest.probability(decision.chosen);
    let best = decision.best();
    let ties = decision.values.deepest().iter().filter(|&&value| value == best).count();
    let engine_probability =
        if decision.value(decision.chosen) == best { 1.0 / ties as f64 } else { 0.0 };
    (player_probability, engine_probability)
}

/// The evidence from one move that this fraction of the moves is assisted.
fn evidence_of_move((player_probability, engine_probability): (f64, f64), part: f64) -> f64 {
    // If the model considers a played move almost impossible, the model is probably wrong.
    const MIN_PROBABILITY: f64 = 1e-9;
    let player_probability = player_probability.max(MIN_PROBABILITY);
    ln((part * engine_probability + (1.0 - part) * player_probability) / player_probability)
}

/// The window of this length with the strongest evidence: the index of its first move, and the evidence.
fn strongest_window(weights: &[f64], length: usize) -> Option<(usize, f64)> {
    if length == 0 {
        return None;
    }
    let sums = weights.windows(length).map(|window| window.iter().sum::<f64>()).enumerate();
    sums.max_by(|(_, a), (_, b)| a.total_cmp(b))
}

impl Suspicion {
    /// The largest deviation in the direction of assistance, in standard deviations: a high rate of
    /// best moves, a high rate of best evaluations, or a small loss.
    pub fn z(&self) -> f64 {
        let Projection { first, equal, scaled_loss, .. } = &self.projection;
        first.z().max(equal.z()).max(-scaled_loss.z())
    }
}

/// The expected number of honest players, out of `players`, who play the best move at least as often.
pub fn expected_among(projection: &Projection, players: f64) -> f64 {
    let Projection { first, decisions, .. } = projection;
    // The share comes from a whole number of moves. Half a move less includes the players who match exactly as often.
    let half = 0.5 / (*decisions).max(1) as f64;
    let exceeds = first.actual - half - first.projected;
    players * if first.deviation > 0.0 { normal(-exceeds / first.deviation) } else { 1.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn engine_moves_are_evidence_of_assistance_and_others_against_it() {
        assert!((evidence_of_move((0.5, 1.0), 0.5) - 1.5f64.ln()).abs() < 1e-12);
        assert!((evidence_of_move((0.5, 0.0), 0.5) - 0.5f64.ln()).abs() < 1e-12);
        // A move that the player would have chosen anyway does not count as evidence.
        assert_eq!(evidence_of_move((1.0, 1.0), 0.7), 0.0);
        assert_eq!(strongest_window(&[1.0, -1.0, 2.0, 2.0], 2), Some((2, 4.0)));
        assert_eq!(strongest_window(&[1.0], 2), None);
        assert_eq!(strongest_window(&[1.0], 0), None);
    }
}
