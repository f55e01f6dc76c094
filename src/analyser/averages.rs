//! The averages that people know: centipawn loss, accuracy, and Guid's and Bratko's difference.
//!
//! They look at the best and the played move only and so call a simple position well played; they
//! stand here for comparison (Haworth 2007, section 3.2, says what they lack).

use super::{Rules, Tally, Turn};
use crate::math::exact::exp;

/// What web sites show of a player.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Averages {
    pub turns: usize,
    /// The mean loss in centipawns; values beyond ten pawns count as ten. Where there are no turns it is
    /// no number, and so are the others here.
    pub centipawn_loss: f64,
    /// The mean of the moves' accuracies, in percent, by the formula that Lichess publishes
    /// (lichess.org/page/accuracy): how much of his chance to win a move gives away.
    pub accuracy: f64,
}

/// Guid's and Bratko's average difference (2006), by their rules.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct GuidBratko {
    pub difference: f64,
    /// Losses of more than a pawn, as a part of the moves.
    pub blunders: f64,
    pub tally: Tally,
}

/// Values beyond this are all the same to centipawn loss.
const CEILING: f64 = 10.0;
/// A loss of more than this is a blunder.
const BLUNDER: f64 = 1.0;
/// The first moves that Guid and Bratko left out, and what they took for decided.
const OPENING: usize = 11;
const DECIDED: f64 = 2.0;

impl Averages {
    pub fn of(turns: &[&Turn]) -> Averages {
        let count = turns.len() as f64;
        let loss = |turn: &Turn| {
            turn.best().min(CEILING) - turn.value(turn.chosen).clamp(-CEILING, CEILING)
        };
        let losses: f64 = turns.iter().map(|turn| loss(turn).max(0.0)).sum();
        let accuracies: f64 =
            turns.iter().map(|turn| accuracy(turn.best(), turn.value(turn.chosen))).sum();
        Averages {
            turns: turns.len(),
            centipawn_loss: 100.0 * losses / count,
            accuracy: accuracies / count,
        }
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
    /// Of all turns of a player, whatever other rules are in force.
    pub fn of<'t>(turns: impl IntoIterator<Item = &'t Turn>) -> GuidBratko {
        let rules = Rules { opening: OPENING, decided: Some(DECIDED), ..Rules::none() };
        let valued = turns.into_iter().filter(|turn| turn.is_valued());
        let (used, tally) = rules.select(valued);
        let count = used.len() as f64;
        let difference = used.iter().map(|turn| turn.loss()).sum::<f64>() / count;
        let blunders = used.iter().filter(|turn| turn.loss() > BLUNDER).count() as f64 / count;
        GuidBratko { difference, blunders, tally }
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
