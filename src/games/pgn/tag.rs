//! Tag pairs such as `[White "Carlsen, Magnus"]`, and the character encoding of text.

/// Splits a line that starts with `[Name "value"]` into the name, the value and the rest.
pub(super) fn parse_tag(line: &str) -> Option<(&str, String, &str)> {
    let inside = line.trim().strip_prefix('[')?.trim_start();
    let (name, value) = inside.split_once(char::is_whitespace)?;
    let quoted = value.trim_start().strip_prefix('"').unwrap_or(value);
    // Many programs do not escape quotes inside a value, so a quote ends the value only if a
    // bracket follows.
    let ends_value = |&(at, _): &(usize, &str)| {
        let backslashes = quoted[..at].bytes().rev().take_while(|&byte| byte == b'\\').count();
        backslashes % 2 == 0 && quoted[at + 1..].trim_start().starts_with(']')
    };
    let (value, rest) = match quoted.match_indices('"').find(ends_value) {
        Some((at, _)) => (&quoted[..at], quoted[at + 1..].trim_start().get(1..)?),
        None => (quoted.trim_end_matches(']').trim_end().trim_end_matches('"'), ""),
    };
    let value = value.replace("\\\"", "\"").replace("\\\\", "\\");
    // Tags are shown on terminals, where control characters could clear the screen or worse.
    Some((name, value.replace(char::is_control, " "), rest))
}

/// A game without moves or result ends where one of these tags occurs again.
pub(super) const FIRST_TAGS: [&str; 2] = ["Event", "White"];

/// Returns whether a line starts with a tag. Its quote must come before the first `]`. The rest of the line is not
/// searched, because a malicious line can contain any number of brackets.
pub(super) fn begins_with_tag(line: &[u8]) -> bool {
    line.first() == Some(&b'[')
        && line.get(1).is_some_and(u8::is_ascii_alphabetic)
        && line.iter().find(|byte| b"\"]".contains(byte)) == Some(&b'"')
}

/// Returns whether a line starts the next game although a comment is still open. A comment may mention a tag. But an
/// Event tag at the start of a line, or any tag after an empty line, almost certainly starts a game.
pub(super) fn ends_open_comment(line: &[u8], after_blank: bool) -> bool {
    begins_with_tag(line) && (after_blank || line.starts_with(b"[Event \""))
}

/// The characters of the bytes 0x80 to 0x9f in Windows-1252. It has no characters for five of them.
const WINDOWS_1252: [char; 32] = [
    '€', '\u{81}', '‚', 'ƒ', '„', '…', '†', '‡', 'ˆ', '‰', 'Š', '‹', 'Œ', '\u{8d}', 'Ž', '\u{8f}',
    '\u{90}', '‘', '’', '“', '”', '•', '–', '—', '˜', '™', 'š', '›', 'œ', '\u{9d}', 'ž', 'Ÿ',
];

/// Decodes text as UTF-8 or, if it is not valid UTF-8, as Windows-1252, which many old files use. It contains Latin-1.
pub fn decoded(bytes: Vec<u8>) -> String {
    let of = |byte: u8| match byte {
        0x80..=0x9f => WINDOWS_1252[usize::from(byte - 0x80)],
        _ => char::from(byte),
    };
    String::from_utf8(bytes)
        .unwrap_or_else(|error| error.into_bytes().into_iter().map(of).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_quote_of_a_tag_comes_before_its_bracket() {
        for (line, is_tag) in [
            ("[Event \"x\"]", true),
            ("[Event \"a ] b\"]", true),
            ("[a remark] with a \"quote\"", false),
            (" [Event \"x\"]", false),
            ("[%clk \"x\"]", false),
        ] {
            assert_eq!(begins_with_tag(line.as_bytes()), is_tag, "{line}");
        }
    }

    #[test]
    fn a_tag_ends_at_its_bracket_or_at_the_end_of_the_line() {
        let tag = |line| parse_tag(line).map(|(name, value, rest)| (name, value, rest.trim()));
        let is = |name, value: &str, rest| Some((name, value.to_owned(), rest));
        assert_eq!(tag("[Event \"x\"]"), is("Event", "x", ""));
        assert_eq!(tag(" [ Event  \"a ] b\" ] 1. e4"), is("Event", "a ] b", "1. e4"));
        assert_eq!(tag("[White \"A\"] [Black \"B\"]"), is("White", "A", "[Black \"B\"]"));
        assert_eq!(tag(r#"[Event "the "big" \"one\"\\"]"#), is("Event", r#"the "big" "one"\"#, ""));
        assert_eq!(tag("[Event \"x"), is("Event", "x", ""));
        assert_eq!(tag("[Event x]"), is("Event", "x", ""));
        assert_eq!((tag("[Event]"), tag("1. e4")), (None, None));
    }
}
