//! Win, draw and loss chances for `UCI_ShowWDL`.

use crate::value::{Meaning, Value};

/// Centipawns at which a win is as likely as not.
const EVEN_CHANCE: f64 = 120.0;
/// Centipawns that change the odds of winning by a factor of e.
const SLOPE: f64 = 60.0;

/// Thousandths of winning, drawing and losing, for the side to move.
///
/// A logistic curve in the value, one for winning and its mirror image for losing; draws are what
/// remains. The two constants are provisional: plausible for games between equals, and not yet
/// fitted to games of this engine.
pub fn chances(value: Value) -> [u32; 3] {
    let win = winning(value);
    let loss = winning(-value);
    [win, 1000_u32.saturating_sub(win + loss), loss]
}

fn winning(value: Value) -> u32 {
    match value.meaning() {
        Meaning::Centipawns(n) => {
            let odds = ((f64::from(n) - EVEN_CHANCE) / SLOPE).exp();
            if odds.is_finite() { (1000.0 * odds / (1.0 + odds)) as u32 } else { 1000 }
        }
        _ if value > Value::DRAW => 1000,
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chances_are_whole_and_symmetric() {
        for raw in [-32_000, -31_000, -29_999, -300, -120, -1, 0, 1, 57, 120, 2_000, 31_500] {
            let value = Value::centipawns(raw);
            let [win, draw, loss] = chances(value);
            assert_eq!(win + draw + loss, 1000, "{raw}");
            assert_eq!(chances(-value), [loss, draw, win], "{raw}");
        }
        assert_eq!(chances(Value::mate_in(5)), [1000, 0, 0]);
    }

    #[test]
    fn more_is_better() {
        let wins = (-100..100).map(|n| chances(Value::centipawns(20 * n))[0]);
        assert!(wins.is_sorted());
    }
}
