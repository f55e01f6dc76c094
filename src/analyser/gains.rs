//! Gains: how much a player's moves changed the evaluation of the position (Ferreira 2013, section
//! 4).
//!
//! The gain of a move is the engine's evaluation after it minus the evaluation before it, from the
//! point of view of the player who made it. A player who always chose the engine's move would gain
//! nothing. The engine's own histogram therefore has a single peak at zero.
//!
//! The paper takes the two evaluations from two searches ([`Gain::Across`]), because its engine
//! reports only the best move of each search. The second search sees one ply further than the
//! first. At our depths, that ply has a larger effect than most moves: the median gain is a fifth
//! of a pawn below zero. A search that evaluates every move provides both evaluations at once
//! ([`Gain::Within`]). With it, the best move gains exactly nothing and no move gains more, so the
//! engine's peak really is at zero.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::StudiedMove;
use crate::math::statistics::{elo_difference, mean_with_reach};
use crate::math::sums::additive;

/// The source of the evaluation after a move.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "program", derive(clap::ValueEnum))]
#[serde(rename_all = "kebab-case")]
pub enum Gain {
    /// From the evaluation of the position before the move.
    #[default]
    Within,
    /// From the evaluation of the next position, if there is one; otherwise as in `within`.
    Across,
}

impl Gain {
    /// The gain of a decision, in pawns.
    fn of(self, decision: &StudiedMove) -> f64 {
        let seen = decision.value(decision.chosen);
        let after = match self {
            Gain::Within => seen,
            Gain::Across => decision.after.unwrap_or(seen),
        };
        after - decision.best()
    }
}

/// Rounds large gains: gains above two pawns to fifths of a pawn, and gains above ten pawns to
/// multiples of five pawns.
fn round_large(gain: i32) -> i32 {
    let step = match gain.abs() {
        0..=200 => 1,
        201..=1000 => 20,
        _ => 500,
    };
    (gain + gain.signum() * step / 2) / step * step
}

/// A histogram of gains, in centipawns.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Gains {
    counts: BTreeMap<i32, usize>,
}

additive!(Gains: counts);

/// A player's strength relative to the engine (tables 5 to 7 of the paper).
#[derive(Clone, Debug, PartialEq)]
pub struct TournamentStrength {
    /// The expected score against the engine.
    pub score: f64,
    /// The difference from the engine's rating, in Elo. It is negative for a weaker player.
    pub difference: f64,
    /// The performance rating: the engine's rating plus the difference.
    pub performance: Option<f64>,
}

impl Gains {
    /// The gains of a set of decisions.
    pub fn of<'t>(decisions: impl IntoIterator<Item = &'t StudiedMove>, gain: Gain) -> Gains {
        let pawns = decisions.into_iter().map(|decision| gain.of(decision));
        Gains::from_centipawns(pawns.map(|pawns| round_large((100.0 * pawns).round() as i32)))
    }

    /// Counts gains in centipawns. They are not rounded.
    pub fn from_centipawns(gains: impl IntoIterator<Item = i32>) -> Gains {
        let mut histogram = Gains::default();
        for gain in gains {
            *histogram.counts.entry(gain).or_default() += 1;
        }
        histogram
    }

    /// The reference engine: a single peak at zero (section 4.3).
    pub fn of_engine() -> Gains {
        Gains::from_centipawns([0])
    }

    /// The number of moves.
    pub(crate) fn moves(&self) -> usize {
        self.counts.values().fold(0, |sum, count| sum.wrapping_add(*count))
    }

    /// The fraction of moves with each gain, in ascending order of the gains.
    pub fn histogram(&self) -> Vec<(i32, f64)> {
        let moves = self.moves().max(1) as f64;
        let part = |count: usize| count as f64 / moves;
        self.counts.iter().map(|(&gain, &count)| (gain, part(count))).collect()
    }

    /// The expected score against another player, by cross-correlation of the histograms (equations
    /// 7 and 8).
    pub fn score_against(&self, other: &Gains) -> f64 {
        let (mut below, mut score) = (0_usize, 0.0);
        let mut others = other.counts.iter().peekable();
        for (gain, &count) in &self.counts {
            while let Some((_, more)) = others.next_if(|(theirs, _)| *theirs < gain) {
                below = below.wrapping_add(*more);
            }
            let equal = other.counts.get(gain).copied().unwrap_or(0);
            score += count as f64 * (below as f64 + 0.5 * equal as f64);
        }
        score / (self.moves().max(1) as f64 * other.moves().max(1) as f64)
    }
}

/// Computes the strength of every player relative to the engine. The engine's rating is computed
/// from the players' known ratings, with a 95% interval. The performance ratings are computed from
/// the engine's rating.
pub fn strengths(
    players: &[(Option<f64>, &Gains)],
) -> (Option<(f64, f64)>, Vec<TournamentStrength>) {
    let engine = Gains::of_engine();
    let strength = |(_, gains): &(Option<f64>, &Gains)| {
        let score = gains.score_against(&engine);
        TournamentStrength { score, difference: elo_difference(score), performance: None }
    };
    let mut results: Vec<TournamentStrength> = players.iter().map(strength).collect();
    let finite = |elo: &f64| elo.is_finite();
    // If every move of a player lost something, or every move gained something, the difference is
    // infinite. Such a player gives no information about the engine's rating.
    let estimates = players.iter().zip(&results);
    let estimates = estimates.filter_map(|((rating, _), s)| Some((*rating)? - s.difference));
    let estimates: Vec<f64> = estimates.filter(finite).collect();
    if estimates.is_empty() {
        return (None, results);
    }
    let rating = mean_with_reach(&estimates);
    results.iter_mut().for_each(|s| s.performance = Some(rating.0 + s.difference).filter(finite));
    (Some(rating), results)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_published_tournament_is_reproduced() {
        // Gelfand: 566 moves, 29.3% of them without a gain or loss, and a score of 0.353357
        // against the engine.
        let of = |gain, count| std::iter::repeat_n(gain, count);
        let gains = Gains::from_centipawns(of(0, 166).chain(of(12, 117)).chain(of(-3, 283)));
        assert!((gains.score_against(&Gains::of_engine()) - 0.353_357).abs() < 1e-6);
        assert!((gains.score_against(&gains) - 0.5).abs() < 1e-12);
    }
}
