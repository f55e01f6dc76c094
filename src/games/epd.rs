//! Positions in text files, one per line, as FEN or EPD.
//!
//! A FEN has six fields: four for the position, then the halfmove clock and the move number. An EPD
//! has the first four fields, followed by operations such as `bm e4; id "test 1";`. The operations
//! `hmvc` and `fmvn` give the halfmove clock and the move number (PGN standard, section 16.2). A
//! file may mix both forms.

use crate::board::{FenError, Position};
use crate::games::pgn::BYTE_ORDER_MARK;

/// Reads the position on a line. Returns `None` for an empty line or a comment.
pub fn read_position_line(line: &str, chess960: bool) -> Option<Result<Position, FenError>> {
    position_text(line).map(|text| epd_to_position(text, chess960))
}

/// Returns the text of a line, or `None` for an empty line or a comment.
pub fn position_text(line: &str) -> Option<&str> {
    let text = line.trim_start_matches(BYTE_ORDER_MARK).trim();
    (!text.is_empty() && !text.starts_with('#')).then_some(text)
}

/// Reads the position in an EPD or FEN. Operations other than `hmvc` and `fmvn` are ignored.
pub fn epd_to_position(line: &str, chess960: bool) -> Result<Position, FenError> {
    let mut rest = line;
    let board: Vec<&str> = std::iter::from_fn(|| next_word(&mut rest)).take(4).collect();
    // Some files have operations after the six fields of a FEN.
    let mut counters = [None; 2];
    for counter in &mut counters {
        let mut after = rest;
        *counter = next_word(&mut after).and_then(|word| word.parse::<u32>().ok());
        if counter.is_none() {
            break;
        }
        rest = after;
    }
    for operation in operations(rest) {
        let mut words = operation.split_whitespace();
        let counter = match words.next() {
            Some("hmvc") => &mut counters[0],
            Some("fmvn") => &mut counters[1],
            _ => continue,
        };
        *counter = words.next().and_then(|word| word.parse().ok()).or(*counter);
    }
    let mut fen = board.join(" ");
    let [halfmoves, fullmoves] = counters;
    if counters != [None, None] {
        fen += &format!(" {} {}", halfmoves.unwrap_or(0), fullmoves.unwrap_or(1));
    }
    Position::from_fen(&fen, chess960)
}

/// Removes the first word from a string and returns it.
fn next_word<'a>(text: &mut &'a str) -> Option<&'a str> {
    let start = text.trim_start();
    let (word, rest) = start.split_at(start.find(char::is_whitespace).unwrap_or(start.len()));
    *text = rest;
    (!word.is_empty()).then_some(word)
}

/// Splits operations at semicolons that are not in quotes.
fn operations(text: &str) -> impl Iterator<Item = &str> {
    let mut is_quoted = false;
    text.split(move |letter| {
        is_quoted ^= letter == '"';
        letter == ';' && !is_quoted
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::STARTING_FEN;

    const BOARD: &str = "4k3/8/8/8/8/8/4P3/4K3 w - -";

    fn fen(line: &str) -> String {
        read_position_line(line, false).expect("not empty").expect(line).fen()
    }

    #[test]
    fn counters_are_read_from_fields_and_operations() {
        for (rest, counters) in [
            ("7 31", "7 31"),
            ("hmvc 7; fmvn 31; id \"a 1\";", "7 31"),
            ("fmvn 31; hmvc 7;", "7 31"),
            ("bm e4; hmvc 7; id \"one; two\"; fmvn 31", "7 31"),
            ("7 31 bm e4;", "7 31"),
            ("hmvc 7;", "7 1"),
            ("fmvn 31;", "0 31"),
            ("7", "7 1"),
            ("", "0 1"),
        ] {
            assert_eq!(fen(&format!("{BOARD} {rest}")), format!("{BOARD} {counters}"), "{rest}");
        }
    }

    #[test]
    fn other_operations_are_ignored() {
        for rest in
            ["acd 7; id \"x\";", "id \"a; hmvc 7;\";", "c0 hmvc 7;", "hmvc x;", "bm e4 fmvn 9;"]
        {
            assert_eq!(fen(&format!("{BOARD} {rest}")), format!("{BOARD} 0 1"), "{rest}");
        }
    }

    #[test]
    fn byte_order_marks_missing_fields_and_empty_lines_are_accepted() {
        let start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -";
        for line in [
            start.to_owned(),
            STARTING_FEN.to_owned(),
            format!("  {start} bm e4; id \"a 1\";"),
            format!("{BYTE_ORDER_MARK}{start}"),
            format!("{start} hmvc 0; fmvn 1;\r\n"),
        ] {
            assert_eq!(fen(&line), STARTING_FEN);
        }
        assert_eq!(fen("4k3/8/8/8/8/8/4P3/4K3 w"), format!("{BOARD} 0 1"));
        assert!(read_position_line("# nothing", false).is_none());
        assert!(read_position_line(" \t", false).is_none());
        for line in ["nonsense", "4k3/8 w", "hmvc 7; fmvn 3;"] {
            assert!(read_position_line(line, false).expect("not empty").is_err(), "{line}");
        }
    }
}
