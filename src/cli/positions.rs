//! Positions as the command line is given them: one a line, FEN or EPD.

use crate::board::{FenError, Position};
use crate::games::pgn::BYTE_ORDER_MARK;

/// Reads a line of a FEN or EPD file. Of an EPD the operations after the position are passed over.
/// `None` stands for an empty line or a comment.
pub fn read_line(line: &str, chess960: bool) -> Option<Result<Position, FenError>> {
    let line = line.trim_start_matches(BYTE_ORDER_MARK).trim();
    if line.is_empty() || line.starts_with('#') {
        return None;
    }
    let words: Vec<&str> = line.split_whitespace().collect();
    let is_number = |word: &&&str| word.parse::<u32>().is_ok();
    let counters = words.iter().skip(4).take(2).take_while(is_number).count();
    let fields = words.len().min(4) + counters;
    Some(Position::from_fen(&words[..fields].join(" "), chess960))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::STARTING_FEN;

    #[test]
    fn operations_and_missing_counters_are_understood() {
        let start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -";
        for line in [
            start.to_owned(),
            STARTING_FEN.to_owned(),
            format!("  {start} bm e4; id \"a 1\";"),
            format!("{BYTE_ORDER_MARK}{start}"),
            format!("{start} hmvc 0; fmvn 1;\r\n"),
        ] {
            let position = read_line(&line, false).expect("not empty").expect(&line);
            assert_eq!(position.fen(), STARTING_FEN);
        }
        assert!(read_line("# nothing", false).is_none());
        assert!(read_line(" \t", false).is_none());
        assert!(read_line("nonsense", false).expect("not empty").is_err());
    }
}
