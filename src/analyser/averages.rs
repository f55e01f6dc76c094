//! The averages that people know: centipawn loss, accuracy, and Guid's and Bratko's difference.
//!
//! They look at the best and the played move only and so call a simple position well played; they
//! stand here for comparison (Haworth 2007, section 3.2, says what they lack).

use super::{Turn, TurnRules};
use crate::math::exact::exp;

/// What web sites show of a player.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Averages {
    pub turns: usize,
    /// How often the best move was played, or one of its value, as a part of the turns. Where there are
    /// none it is no number, and so are the others here.
    pub best: f64,
    /// The mean loss in centipawns; values beyond ten pawns count as ten.
    pub centipawn_loss: f64,
    /// The mean of the moves' accuracies, in percent, by the formula that Lichess publishes
    /// (lichess.org/page/accuracy): how much of his chance to win a move gives away.
    pub accuracy: f64,
}

/// Guid's and Bratko's average difference (2006), by their rules.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct GuidBratko {
    pub turns: usize,
    pub difference: f64,
    /// Losses of more than a pawn, as a part of the moves.
    pub blunders: f64,
}

/// Values beyond this are all the same to centipawn loss.
const CEILING: f64 = 10.0;
/// A loss of more than this is a blunder.
const BLUNDER: f64 = 1.0;
/// The first moves that Guid and Bratko left out, and what they took for decided.
const OPENING: usize = 11;
const DECIDED: f64 = 2.0;

impl Averages {
    /// The loss of a turn in pawns, and the accuracy of its move.
    pub(super) fn counted(turn: &Turn) -> [f64; 2] {
        let (best, played) = (turn.best(), turn.value(turn.chosen));
        let loss = best.min(CEILING) - played.clamp(-CEILING, CEILING);
        [loss.max(0.0), accuracy(best, played)]
    }
}

/// The accuracy of a move in percent, from the values before and after it in pawns.
fn accuracy(before: f64, after: f64) -> f64 {
    let chance = |pawns: f64| {
        let centipawns = 100.0 * pawns.clamp(-CEILING, CEILING);
        100.0 / (1.0 + exp(-0.003_682_08 * centipawns))
    };
    let lost = (chance(before) - chance(after)).max(0.0);
    (103.1668 * exp(-0.043_54 * lost) - 3.1669).clamp(0.0, 100.0)
}

impl GuidBratko {
    /// What it leaves out, whatever other rules are in force.
    pub(super) fn rules() -> TurnRules {
        TurnRules { opening: OPENING, decided: Some(DECIDED), ..TurnRules::none() }
    }

    /// The loss of a turn, and whether it is a blunder.
    pub(super) fn counted(turn: &Turn) -> [f64; 2] {
        [turn.loss(), f64::from(turn.loss() > BLUNDER)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accuracy_is_full_for_the_best_move_and_nothing_for_the_worst() {
        assert!((accuracy(0.4, 0.4) - 100.0).abs() < 1e-3);
        assert_eq!(accuracy(10.0, -10.0), 0.0);
        // From even to two pawns down: 50 % to 32.4 %.
        assert!((accuracy(0.0, -2.0) - 44.75).abs() < 0.1, "{}", accuracy(0.0, -2.0));
    }
}
