//! The values of all moves at all depths, in pawns: what a selector works on.

use crate::evaluation::RootEvaluation;
use crate::math::exact::ln;
use crate::math::largest;
use crate::value::Depth;

/// How much a later move that ties with the best is taken down, in pawns (Regan 2011, section 3.1:
/// "a correction of -0.03 on later tied moves").
const TIE_CORRECTION: f64 = 0.03;

/// Values in pawns from the mover's side, one row per depth, the moves in the same order in each.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Values {
    moves: usize,
    /// Row after row, depth 1 first.
    pawns: Vec<f64>,
    /// The same on Regan's scale, which most curves want: found once, for many players choose
    /// from the same values.
    scaled: Vec<f64>,
    /// The policy of players of some ratings, these rising; empty where there is none.
    policy: Vec<PolicyShares>,
    /// Plies played before, where there is a policy.
    plies: usize,
}

/// The policy of players of a rating.
#[derive(Clone, Debug, PartialEq)]
pub struct PolicyShares {
    pub rating: f64,
    /// The logarithm of the share of them who would choose it, for each move.
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

    /// Regan's δ of every move; corrected, later moves that tie with the best have lost a little.
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

/// Why values were refused.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum ValuesError {
    #[error("the value of move {0} at depth {1} is {2}; values must be finite")]
    NotFinite(usize, usize, f64),
    #[error("depth {depth} has {found} values where depth 1 has {expected}")]
    Ragged { depth: usize, found: usize, expected: usize },
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

    /// The values of an evaluation at depths 1 to `depth`, or as deep as it goes.
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

    /// The same with the policy after so many plies, by rising ratings. Shares of other moves
    /// are left out.
    #[must_use]
    pub fn with_policy(mut self, plies: usize, policy: Vec<PolicyShares>) -> Values {
        (self.plies, self.policy) = (plies, policy);
        self.policy.retain(|shares| shares.ln_shares.len() == self.moves);
        self
    }

    /// Plies played before; `None` without a policy.
    pub fn plies(&self) -> Option<usize> {
        (!self.policy.is_empty()).then_some(self.plies)
    }

    /// The policy at a rating, between those that are known on a straight line; `None` where
    /// there is none.
    pub fn ln_shares(&self, rating: f64) -> Option<Vec<f64>> {
        let above = self.policy.partition_point(|shares| shares.rating < rating);
        let (low, high) = (above.saturating_sub(1), above.min(self.policy.len().checked_sub(1)?));
        let (low, high) = (&self.policy[low], &self.policy[high]);
        let span = high.rating - low.rating;
        let part = if span > 0.0 { (rating - low.rating) / span } else { 0.0 };
        let between = |(low, high): (&f64, &f64)| low + (high - low) * part;
        Some(low.ln_shares.iter().zip(&high.ln_shares).map(between).collect())
    }

    pub fn moves(&self) -> usize {
        self.moves
    }

    pub fn depths(&self) -> usize {
        self.pawns.len().checked_div(self.moves).unwrap_or(0)
    }

    /// The values at a depth, counted from 0.
    pub(super) fn at_depth(&self, depth: usize) -> Row<'_> {
        let row = depth * self.moves..(depth + 1) * self.moves;
        Row { pawns: &self.pawns[row.clone()], scaled: &self.scaled[row] }
    }

    /// The values at the deepest depth; nothing when there are no moves.
    pub fn deepest(&self) -> &[f64] {
        &self.pawns[self.pawns.len() - self.moves..]
    }

    /// Regan's δ of every move at the deepest depth, corrected for ties.
    pub fn deltas(&self) -> Vec<f64> {
        match self.depths() {
            0 => Vec::new(),
            depths => self.at_depth(depths - 1).deltas(true).collect(),
        }
    }

    /// The values at depths up to `depth` only.
    #[must_use]
    pub fn up_to(&self, depth: usize) -> Values {
        let kept = self.moves * depth.clamp(1, self.depths().max(1)).min(self.depths());
        let (pawns, scaled) = (self.pawns[..kept].to_vec(), self.scaled[..kept].to_vec());
        Values { moves: self.moves, pawns, scaled, ..self.clone() }
    }
}

/// Regan's scaled value: the integral of `dx / (1 + |x|)` from 0. Its differences are δ.
fn scaled(pawns: f64) -> f64 {
    // Absolute accuracy is what counts here, and this is faster than ln_1p.
    ln(1.0 + pawns.abs()).copysign(pawns)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bad_values_are_refused_by_move_and_depth() {
        let nan = Values::by_depth(&[vec![0.0, 1.0], vec![0.0, f64::NAN]]);
        assert!(matches!(nan, Err(ValuesError::NotFinite(2, 2, _))));
        let ragged = Values::by_depth(&[vec![0.0, 1.0], vec![0.0]]);
        assert_eq!(ragged, Err(ValuesError::Ragged { depth: 2, found: 1, expected: 2 }));
    }

    #[test]
    fn between_ratings_the_policy_changes_evenly() {
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
    fn nothing_is_nothing() {
        for values in [
            Values::at_one_depth(&[]).expect("no value is not a bad value"),
            Values::of(&RootEvaluation::default(), 5),
        ] {
            assert_eq!((values.moves(), values.depths(), values.deepest().len()), (0, 0, 0));
        }
    }
}
