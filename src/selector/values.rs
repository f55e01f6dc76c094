//! The input of a selector: the values of all moves at all depths in pawns, and the weights of the depths.
//!
//! A weak player does not see a move's value at high depth and then ignore it: the player sees only a shallow value.
//! Mixing proxies over depths models this (Regan 2011, section 8).

use crate::evaluation::RootEvaluation;
use crate::math::exact::ln;
use crate::math::largest;
use crate::value::Depth;

/// The correction, in pawns, for later moves that tie with the best (Regan 2011, section 3.1: "a correction of -0.03 on
/// later tied moves").
const TIE_CORRECTION: f64 = 0.03;

/// Values in pawns from the mover's point of view, with a row for each depth. The order of the moves is the same in all
/// rows.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Values {
    moves: usize,
    /// The rows one after another, starting with depth 1.
    pawns: Vec<f64>,
    /// The values on Regan's scale, which most curves use. They are computed only once, because many players may choose
    /// from the same values.
    scaled: Vec<f64>,
    /// The policy for each of several ratings, in ascending order. Empty if there is no policy.
    policy: Vec<PolicyShares>,
    /// The number of plies played before this position, if there is a policy.
    plies: usize,
}

/// The policy for a rating.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct PolicyShares {
    /// The rating of the players.
    pub rating: f64,
    /// For each move, the logarithm of the share of players who would choose it.
    pub ln_shares: Vec<f64>,
}

/// The values at one depth.
#[derive(Clone, Copy, Debug)]
pub(super) struct Row<'a> {
    pub pawns: &'a [f64],
    pub scaled: &'a [f64],
}

impl<'a> Row<'a> {
    /// The value of the best move.
    pub fn best(self) -> f64 {
        largest(self.pawns)
    }

    /// Regan's δ for every move. If `corrected` is set, later moves that tie with the best get a small loss.
    pub fn deltas(self, corrected: bool) -> impl Iterator<Item = f64> + 'a {
        let best = self.best();
        let scaled_best = scaled(best);
        let first = self.pawns.iter().position(|&value| value == best);
        let delta = move |(j, (&value, &scaled_value)): (usize, (&f64, &f64))| {
            let is_later_tie = value == best && Some(j) != first;
            let counted = match corrected && is_later_tie {
                true => scaled(value - TIE_CORRECTION),
                false => scaled_value,
            };
            scaled_best - counted
        };
        self.pawns.iter().zip(self.scaled).enumerate().map(delta)
    }
}

/// Why values were rejected.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum ValuesError {
    /// The value of a move at a depth is not finite.
    #[error("the value of move {0} at depth {1} is {2}; values must be finite")]
    NotFinite(usize, usize, f64),
    /// The number of moves differs between depths.
    #[error("depth {depth} has {found} values, but depth 1 has {expected}")]
    Ragged {
        /// The depth, in plies.
        depth: usize,
        /// The number of moves at this depth.
        found: usize,
        /// The number of moves at depth 1.
        expected: usize,
    },
}

impl Values {
    /// Values at one depth.
    pub fn at_one_depth(values: &[f64]) -> Result<Values, ValuesError> {
        Values::by_depth(&[values.to_vec()])
    }

    /// Values at depths 1, 2, ...
    pub fn by_depth(rows: &[Vec<f64>]) -> Result<Values, ValuesError> {
        let moves = rows.first().map_or(0, Vec::len);
        for (d, row) in rows.iter().enumerate() {
            if row.len() != moves {
                return Err(ValuesError::Ragged {
                    depth: d + 1,
                    found: row.len(),
                    expected: moves,
                });
            }
            if let Some(j) = row.iter().position(|v| !v.is_finite()) {
                return Err(ValuesError::NotFinite(j + 1, d + 1, row[j]));
            }
        }
        Ok(Values::new(moves, rows.concat()))
    }

    /// The values of an evaluation at depths 1 to `depth`, or to its deepest depth if that is lower.
    pub fn of(evaluation: &RootEvaluation, depth: Depth) -> Values {
        let moves = &evaluation.moves;
        let rows = moves.iter().map(|m| m.by_depth.len()).min().unwrap_or(0);
        let rows = rows.min(usize::from(depth).max(1));
        let pawns = (0..rows)
            .flat_map(|d| moves.iter().map(move |m| m.by_depth[d].value.pawns()))
            .collect();
        Values::new(if rows == 0 { 0 } else { moves.len() }, pawns)
    }

    fn new(moves: usize, pawns: Vec<f64>) -> Values {
        let scaled = pawns.iter().map(|&value| scaled(value)).collect();
        Values { moves, pawns, scaled, policy: Vec::new(), plies: 0 }
    }

    /// Adds the policy for several ratings in ascending order, and the number of plies played before this position.
    /// Shares for a different number of moves are dropped.
    #[must_use]
    pub(crate) fn with_policy(mut self, plies: usize, policy: Vec<PolicyShares>) -> Values {
        (self.plies, self.policy) = (plies, policy);
        self.policy.retain(|shares| shares.ln_shares.len() == self.moves);
        self
    }

    /// The number of plies played before this position. `None` if there is no policy.
    pub(crate) fn plies(&self) -> Option<usize> {
        (!self.policy.is_empty()).then_some(self.plies)
    }

    /// The policy for a rating, interpolated linearly. `None` if there is no policy.
    pub fn ln_shares(&self, rating: f64) -> Option<Vec<f64>> {
        let above = self.policy.partition_point(|shares| shares.rating < rating);
        let (low, high) = (above.saturating_sub(1), above.min(self.policy.len().checked_sub(1)?));
        let (low, high) = (&self.policy[low], &self.policy[high]);
        let span = high.rating - low.rating;
        let part = if span > 0.0 { (rating - low.rating) / span } else { 0.0 };
        let between = |(low, high): (&f64, &f64)| low + (high - low) * part;
        Some(low.ln_shares.iter().zip(&high.ln_shares).map(between).collect())
    }

    /// The number of moves.
    pub fn moves(&self) -> usize {
        self.moves
    }

    /// The number of depths.
    pub fn depths(&self) -> usize {
        self.pawns.len().checked_div(self.moves).unwrap_or(0)
    }

    /// The values at a depth, counted from 0.
    pub(super) fn at_depth(&self, depth: usize) -> Row<'_> {
        let row = depth * self.moves..(depth + 1) * self.moves;
        Row { pawns: &self.pawns[row.clone()], scaled: &self.scaled[row] }
    }

    /// Regan's δ for every move at a depth, counted from 1, or at the deepest depth if that is lower. Ties are not
    /// corrected.
    pub fn losses(&self, depth: usize) -> impl Iterator<Item = f64> + '_ {
        self.reached(depth).deltas(false)
    }

    /// The value of the best move at a depth, counted from 1, or at the deepest depth if that is lower.
    pub fn best(&self, depth: usize) -> f64 {
        self.reached(depth).best()
    }

    fn reached(&self, depth: usize) -> Row<'_> {
        self.at_depth(self.depths().min(depth).saturating_sub(1))
    }

    /// The values at the deepest depth. Empty if there are no moves.
    pub fn deepest(&self) -> &[f64] {
        &self.pawns[self.pawns.len() - self.moves..]
    }

    /// Regan's δ for every move at the deepest depth, corrected for ties.
    pub fn deltas(&self) -> Vec<f64> {
        match self.depths() {
            0 => Vec::new(),
            depths => self.at_depth(depths - 1).deltas(true).collect(),
        }
    }

    /// The same values, limited to depths up to `depth`.
    #[must_use]
    pub fn up_to(&self, depth: usize) -> Values {
        let kept = self.moves * depth.max(1).min(self.depths());
        let (pawns, scaled) = (self.pawns[..kept].to_vec(), self.scaled[..kept].to_vec());
        Values { moves: self.moves, pawns, scaled, ..self.clone() }
    }
}

/// Regan's scaled value: the integral of `dx / (1 + |x|)` from 0 to the value. Differences between scaled values are δ.
fn scaled(pawns: f64) -> f64 {
    // This is faster than ln_1p, whose relative accuracy is not needed.
    ln(1.0 + pawns.abs()).copysign(pawns)
}

/// The weights of depths 1, 2 and so on. They add up to 1.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DepthWeights {
    /// Empty if all weight is on the deepest completed depth, whichever that is.
    weights: Vec<f64>,
}

/// Why depth weights were rejected.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum WeightsError {
    /// A weight is negative or not finite.
    #[error("the weight of depth {depth} is {weight}; weights must be finite and not negative")]
    Bad {
        /// The depth, in plies.
        depth: usize,
        /// The rejected weight.
        weight: f64,
    },
    /// All weights are zero.
    #[error("the depth weights add up to zero; at least one must be positive")]
    ZeroSum,
    /// The text is not a list of weights.
    #[error(
        "\"{0}\" is not a depth weight; write numbers separated by commas, for example 0.5,0,0,0.5"
    )]
    Syntax(String),
}

impl DepthWeights {
    /// All weight on the deepest depth: the single-depth model of Haworth 2007 and Regan 2011.
    pub fn deepest() -> DepthWeights {
        DepthWeights::default()
    }

    /// Weights of depths 1, 2 and so on, which need not add up to 1.
    pub fn new(weights: &[f64]) -> Result<DepthWeights, WeightsError> {
        if let Some(i) = weights.iter().position(|w| !w.is_finite() || *w < 0.0) {
            return Err(WeightsError::Bad { depth: i + 1, weight: weights[i] });
        }
        let top = weights.iter().copied().fold(0.0, f64::max);
        if top == 0.0 {
            return Err(WeightsError::ZeroSum);
        }
        // Divide by the largest weight first, so that the sum of huge weights cannot overflow.
        let sum: f64 = weights.iter().map(|w| w / top).sum();
        Ok(DepthWeights { weights: weights.iter().map(|w| w / top / sum).collect() })
    }

    /// Parses weights separated by commas.
    pub(crate) fn parse(text: &str) -> Result<DepthWeights, WeightsError> {
        let weights: Result<Vec<f64>, WeightsError> = text
            .split(',')
            .map(|w| w.trim().parse().map_err(|_| WeightsError::Syntax(w.trim().to_owned())))
            .collect();
        DepthWeights::new(&weights?)
    }

    /// The depths with a positive weight, counted from 0, and their weights, if `depths` depths have been searched. If
    /// some depths were not reached, their weight goes to the deepest one that was.
    pub(super) fn over(&self, depths: usize) -> Vec<(usize, f64)> {
        let deepest = depths.saturating_sub(1);
        if self.weights.is_empty() {
            return vec![(deepest, 1.0)];
        }
        let reached = self.weights.len().min(deepest);
        let beyond: f64 = self.weights[reached..].iter().sum();
        let known = self.weights[..reached].iter().copied().enumerate();
        known.chain([(reached, beyond)]).filter(|&(_, weight)| weight > 0.0).collect()
    }

    /// The weights of depths 1, 2 and so on. `None` if all weight is on the deepest depth.
    pub(crate) fn explicit(&self) -> Option<&[f64]> {
        (!self.weights.is_empty()).then_some(&self.weights)
    }

    /// The weights, rounded for display because scaling them leaves errors in the last digits.
    pub(crate) fn rounded(&self) -> Option<Vec<f64>> {
        let round = |weight: &f64| (weight * 1e12).round() / 1e12;
        Some(self.explicit()?.iter().map(round).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_names_the_move_and_the_depth() {
        let nan = Values::by_depth(&[vec![0.0, 1.0], vec![0.0, f64::NAN]]);
        assert!(matches!(nan, Err(ValuesError::NotFinite(2, 2, _))));
        let ragged = Values::by_depth(&[vec![0.0, 1.0], vec![0.0]]);
        assert_eq!(ragged, Err(ValuesError::Ragged { depth: 2, found: 1, expected: 2 }));
    }

    #[test]
    fn the_policy_is_interpolated_between_ratings() {
        let shares =
            |rating, ln_shares: [f64; 2]| PolicyShares { rating, ln_shares: ln_shares.to_vec() };
        let values = Values::at_one_depth(&[1.0, 0.0]).expect("finite");
        assert_eq!(values.ln_shares(1500.0), None);
        let values =
            values.with_policy(9, vec![shares(1000.0, [-1.0, -2.0]), shares(2000.0, [-3.0, -1.0])]);
        let at = |rating| values.ln_shares(rating).expect("they were given");
        assert_eq!(at(500.0), [-1.0, -2.0]);
        assert_eq!(at(1000.0), [-1.0, -2.0]);
        assert_eq!(at(1500.0), [-2.0, -1.5]);
        assert_eq!(at(9000.0), [-3.0, -1.0]);
        let alone = values.clone().with_policy(9, vec![shares(1700.0, [-5.0, -6.0])]);
        assert_eq!(alone.ln_shares(800.0), Some(vec![-5.0, -6.0]));
        let others = vec![PolicyShares { rating: 1.0, ln_shares: vec![0.0] }];
        assert_eq!(values.with_policy(9, others).ln_shares(1.0), None);
    }

    #[test]
    fn a_position_without_moves_has_no_values() {
        for values in [
            Values::at_one_depth(&[]).expect("no values"),
            Values::of(&RootEvaluation::default(), 5),
        ] {
            assert_eq!((values.moves(), values.depths(), values.deepest().len()), (0, 0, 0));
        }
    }

    #[test]
    fn weight_of_unreached_depths_goes_to_the_deepest_reached() {
        let weights = DepthWeights::parse("2, 0, 1, 1").expect("valid");
        assert_eq!(weights.over(4), [(0, 0.5), (2, 0.25), (3, 0.25)]);
        assert_eq!(weights.over(6), [(0, 0.5), (2, 0.25), (3, 0.25)]);
        assert_eq!(weights.over(2), [(0, 0.5), (1, 0.5)]);
        assert_eq!(weights.over(1), [(0, 1.0)]);
        assert_eq!(DepthWeights::deepest().over(7), [(6, 1.0)]);
    }

    #[test]
    fn bad_weights_are_refused() {
        assert!(matches!(DepthWeights::parse("1,-1"), Err(WeightsError::Bad { depth: 2, .. })));
        assert!(matches!(DepthWeights::parse("nan"), Err(WeightsError::Bad { depth: 1, .. })));
        assert!(matches!(DepthWeights::parse("inf"), Err(WeightsError::Bad { .. })));
        assert_eq!(DepthWeights::parse("0,0"), Err(WeightsError::ZeroSum));
        assert_eq!(DepthWeights::new(&[]), Err(WeightsError::ZeroSum));
        assert_eq!(DepthWeights::parse("1,x"), Err(WeightsError::Syntax("x".to_owned())));
    }
}
