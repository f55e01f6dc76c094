//! PGN: games as text, in and out.

mod game;
mod open;
mod read;
mod results;
mod stream;
mod write;

pub use game::{PgnError, PgnGame};
pub use open::{BYTE_ORDER_MARK, open_text, unpacked};
pub use read::read_pgn;
pub use results::{ResultOfGame, read_results};
pub use stream::{PgnStream, StreamError};
pub use write::PgnWriter;

/// The name and the value of `[Name "value"]`, and what stands behind it on its line.
fn parse_tag(line: &str) -> Option<(&str, String, &str)> {
    let inside = line.trim().strip_prefix('[')?.trim_start();
    let (name, value) = inside.split_once(char::is_whitespace)?;
    let quoted = value.trim_start().strip_prefix('"').unwrap_or(value);
    // Quotes within a value are often not marked as such; the last one stands before the bracket.
    let is_last = |&(at, _): &(usize, &str)| {
        let before = quoted[..at].bytes().rev().take_while(|&byte| byte == b'\\').count();
        before % 2 == 0 && quoted[at + 1..].trim_start().starts_with(']')
    };
    let (value, rest) = match quoted.match_indices('"').find(is_last) {
        Some((at, _)) => (&quoted[..at], quoted[at + 1..].trim_start().get(1..)?),
        None => (quoted.trim_end_matches(']').trim_end().trim_end_matches('"'), ""),
    };
    let value = value.replace("\\\"", "\"").replace("\\\\", "\\");
    // Whoever prints a name should not clear a reader's screen with it.
    Some((name, value.replace(char::is_control, " "), rest))
}

/// Does a line begin with a tag?
fn begins_with_tag(line: &[u8]) -> bool {
    line.first() == Some(&b'[')
        && line.get(1).is_some_and(u8::is_ascii_alphabetic)
        && line.contains(&b'"')
}

/// Text that is not UTF-8 is taken for Latin-1, in which many old files are.
pub fn decoded(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes)
        .unwrap_or_else(|error| error.into_bytes().into_iter().map(char::from).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tag_ends_with_its_bracket() {
        let tag = |line| parse_tag(line).map(|(name, value, rest)| (name, value, rest.trim()));
        let is = |name, value: &str, rest| Some((name, value.to_owned(), rest));
        assert_eq!(tag("[Event \"x\"]"), is("Event", "x", ""));
        assert_eq!(tag(" [ Event  \"a ] b\" ] 1. e4"), is("Event", "a ] b", "1. e4"));
        assert_eq!(tag("[White \"A\"] [Black \"B\"]"), is("White", "A", "[Black \"B\"]"));
        assert_eq!(tag(r#"[Event "the "big" \"one\"\\"]"#), is("Event", r#"the "big" "one"\"#, ""));
        // What lacks its end ends with the line.
        assert_eq!(tag("[Event \"x"), is("Event", "x", ""));
        assert_eq!(tag("[Event x]"), is("Event", "x", ""));
        assert_eq!((tag("[Event]"), tag("1. e4")), (None, None));
    }
}
