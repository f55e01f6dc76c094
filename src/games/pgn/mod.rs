//! PGN: games as text, in and out.

mod game;
mod open;
mod read;
mod stream;

use std::io::{self, BufRead, Read};

use self::stream::LONGEST;
use super::GameResult;

pub use game::{PgnError, PgnGame, PgnWriter};
pub use open::{BYTE_ORDER_MARK, open_text, unpacked};
pub use read::read_pgn;
pub use stream::{PgnStream, StreamError};

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

/// A finished game's players and result: all that a rating needs of a file, however large.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResultOfGame {
    pub white: String,
    pub black: String,
    pub result: GameResult,
}

/// Reads the tags of one game after another and hands over those that have two players and a
/// result. Gives the number of the others. Of endless lines a part is read at a time.
pub fn read_results(
    mut text: impl BufRead,
    mut found: impl FnMut(ResultOfGame),
) -> io::Result<usize> {
    let mut others = 0;
    let mut game = Tags::default();
    let mut bytes = Vec::new();
    while (&mut text).take(LONGEST as u64).read_until(b'\n', &mut bytes)? > 0 {
        let line = decoded(std::mem::take(&mut bytes));
        let mut rest = line.trim();
        while let Some((name, value, behind)) =
            parse_tag(rest).filter(|_| begins_with_tag(rest.as_bytes()))
        {
            if game.has_moves || name == "Event" && game.has_event {
                others += std::mem::take(&mut game).hand_over(&mut found);
            }
            game.take(name, value);
            rest = behind.trim_start();
        }
        game.has_moves |= !rest.is_empty() && game.is_begun;
    }
    Ok(others + game.hand_over(&mut found))
}

/// What has been read of a game.
#[derive(Default)]
struct Tags {
    white: Option<String>,
    black: Option<String>,
    result: Option<GameResult>,
    is_begun: bool,
    has_event: bool,
    /// The next tag belongs to the next game.
    has_moves: bool,
}

impl Tags {
    fn take(&mut self, name: &str, value: String) {
        self.is_begun = true;
        match name {
            "Event" => self.has_event = true,
            "White" => self.white = Some(value),
            "Black" => self.black = Some(value),
            "Result" => self.result = GameResult::parse(&value),
            _ => {}
        }
    }

    /// 1 for a game that counts for nothing.
    fn hand_over(self, found: &mut impl FnMut(ResultOfGame)) -> usize {
        let named = |name: Option<String>| name.filter(|name| !name.is_empty() && name != "?");
        match (named(self.white), named(self.black), self.result) {
            (Some(white), Some(black), Some(result)) if white != black => {
                found(ResultOfGame { white, black, result });
                0
            }
            _ => usize::from(self.is_begun),
        }
    }
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

    #[test]
    fn finished_games_between_two_players_are_found_and_others_counted() {
        let text = "[White \"A \\\"x\\\"\"]\n[Black \"B\"]\n[Result \"1/2-1/2\"]\n\n1. e4 {[White \"no\"]\n\
                    [%clk 1]} e5\n\n[White \"A\"]\n[Black \"B\"]\n[Result \"*\"]\n\n*\n\
                    [Event \"e\"]\n[Black \"B\"]\n[White \"C\"]\n[Result \"0-1\"]\n0-1\n\
                    [White \"?\"]\n[Black \"B\"]\n[Result \"1-0\"]\n\n1-0";
        let mut games = Vec::new();
        let others = read_results(text.as_bytes(), |game| games.push(game)).expect("in memory");
        assert_eq!(others, 2);
        let found: Vec<(&str, &str, GameResult)> =
            games.iter().map(|game| (&*game.white, &*game.black, game.result)).collect();
        assert_eq!(found, [("A \"x\"", "B", GameResult::Draw), ("C", "B", GameResult::BlackWins)]);
        assert_eq!(read_results(&b"\xff\xfe\n\n"[..], |_| {}).expect("in memory"), 0);
        // Tags on one line, a comment that goes on at the beginning of a line, and an old encoding.
        let text = b"[White \"M\xfcller\"] [Black \"M\xf6ller\"] [Result \"1-0\"] 1. e4 {\n[%clk 1]} e5\n1-0\n";
        let mut names = Vec::new();
        let others = read_results(&text[..], |game| names.push((game.white, game.black)));
        assert_eq!(others.expect("in memory"), 0);
        assert_eq!(names, [("M\u{fc}ller".to_owned(), "M\u{f6}ller".to_owned())]);
    }
}
