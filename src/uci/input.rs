//! Reads lines from input that cannot be trusted.
//!
//! A line can have any length, content and line ending. Bytes that are not UTF-8 are replaced. A
//! line that is too long for a command is discarded while it is being read, so it cannot fill the
//! memory. Only its length is reported.

use std::io::{self, BufRead};

use crate::games::pgn::BYTE_ORDER_MARK;

/// The maximum length of a line in bytes. The longest game that the rules allow needs less than a
/// tenth of it.
pub const MAX_LINE_LENGTH: usize = 1 << 20;

/// A line of input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum InputLine {
    /// The text without its line feed. Invalid UTF-8 is replaced.
    Text(String),
    /// A discarded line, with its number of bytes.
    TooLong(usize),
}

/// Returns the next line, or `None` at the end of the input.
pub fn read_line(input: &mut impl BufRead) -> io::Result<Option<InputLine>> {
    let mut kept = Vec::new();
    let mut length = 0;
    loop {
        let chunk = match input.fill_buf() {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            other => other?,
        };
        if chunk.is_empty() && length == 0 {
            return Ok(None);
        }
        let at_end = chunk.is_empty();
        let part = chunk.split(|&byte| byte == b'\n').next().unwrap_or_default();
        let complete = part.len() < chunk.len();
        length += part.len();
        if length <= MAX_LINE_LENGTH {
            kept.extend_from_slice(part);
        }
        let used = part.len() + usize::from(complete);
        input.consume(used);
        if complete || at_end {
            return Ok(Some(if length <= MAX_LINE_LENGTH {
                let text = String::from_utf8_lossy(&kept);
                InputLine::Text(text.trim_start_matches(BYTE_ORDER_MARK).to_owned())
            } else {
                InputLine::TooLong(length)
            }));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(mut input: &[u8]) -> Vec<InputLine> {
        std::iter::from_fn(|| read_line(&mut input).expect("memory can be read")).collect()
    }

    #[test]
    fn every_line_is_returned_once() {
        let text = |s: &str| InputLine::Text(s.to_owned());
        assert_eq!(lines(b""), []);
        assert_eq!(lines(b"\n\nuci\r\nquit"), [text(""), text(""), text("uci\r"), text("quit")]);
        assert_eq!(lines(b"\xff\xfe go\n"), [text("\u{fffd}\u{fffd} go")]);
        assert_eq!(lines(b"\xef\xbb\xbfuci\n"), [text("uci")]);
    }

    #[test]
    fn long_lines_are_only_counted() {
        let mut input = vec![b'x'; 2 * MAX_LINE_LENGTH];
        input.extend_from_slice(b"\nuci\n");
        assert_eq!(
            lines(&input),
            [InputLine::TooLong(2 * MAX_LINE_LENGTH), InputLine::Text("uci".to_owned())]
        );
    }
}
