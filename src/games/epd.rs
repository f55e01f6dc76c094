//! EPD: a position in four fields with operations behind them.

use crate::board::{FenError, Position};

/// Reads the position of an EPD record, or of a FEN. Of the operations `hmvc` and `fmvn` are read,
/// which carry the two counters that an EPD lacks; the others say nothing about the position.
pub fn epd_to_position(line: &str) -> Result<Position, FenError> {
    let words: Vec<&str> = line.split_whitespace().collect();
    if words.len() < 4 {
        return Position::from_fen(line.trim(), false);
    }
    let board = words[..4].join(" ");
    let number = |word: &&str| word.trim_end_matches(';').parse::<u32>().ok();
    // A number behind an operation is no counter.
    let fields: Vec<u32> = words.iter().skip(4).take(2).map_while(number).collect();
    let counter = |field: usize, operation: &str, default: u32| {
        let as_field = fields.get(field).copied();
        let named = words.iter().position(|&word| word == operation);
        let as_operation = named.and_then(|at| words.get(at + 1)).and_then(number);
        as_operation.or(as_field).unwrap_or(default)
    };
    let (halfmoves, fullmoves): (u32, u32) = (counter(0, "hmvc", 0), counter(1, "fmvn", 1));
    Position::from_fen(&format!("{board} {halfmoves} {fullmoves}"), false)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counters_are_read_from_either_form() {
        let fen = "4k3/8/8/8/8/8/4P3/4K3 w - - 7 31";
        for line in [fen, "4k3/8/8/8/8/8/4P3/4K3 w - - hmvc 7; fmvn 31; id \"a 1\";"] {
            assert_eq!(epd_to_position(line).expect(line).fen(), fen);
        }
    }

    #[test]
    fn one_counter_is_not_taken_for_the_other() {
        let position = epd_to_position("4k3/8/8/8/8/8/4P3/4K3 w - - hmvc 7;").expect("ok");
        assert_eq!(position.fen(), "4k3/8/8/8/8/8/4P3/4K3 w - - 7 1");
    }

    #[test]
    fn operations_do_not_disturb() {
        let position = epd_to_position("4k3/8/8/8/8/8/4P3/4K3 b - - acd 7; id \"x\";").expect("ok");
        assert_eq!(position.fen(), "4k3/8/8/8/8/8/4P3/4K3 b - - 0 1");
        let short = epd_to_position("4k3/8/8/8/8/8/4P3/4K3 w").expect("the rest can be told");
        assert_eq!(short.fen(), "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1");
        assert!(epd_to_position("").is_err());
        assert!(epd_to_position("4k3/8 w").is_err());
    }
}
