//! The players and results of games, read from the tags alone.
//!
//! A rating list needs only the players and the result of each game. Skipping the moves makes this
//! much faster than reading whole games.

use std::io::{self, BufRead, Read};
use std::iter;

use super::stream::LONGEST_LINE;
use super::tag::{FIRST_TAGS, begins_with_tag, decoded, ends_open_comment, parse_tag};
use crate::games::GameResult;
use crate::math::continue_fingerprint;

/// The players and the result of a finished game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlayersAndResult {
    /// The name of the player with the white pieces.
    pub(crate) white: String,
    /// The name of the player with the black pieces.
    pub(crate) black: String,
    /// The result of the game.
    pub(crate) result: GameResult,
    /// A hash of the tags and moves. Games with the same hash are duplicates. `None` for a game without moves, because
    /// such games often have the same tags.
    pub(crate) fingerprint: Option<u64>,
}

/// Passes every game with two different players and a result to `found`. Returns the number of
/// other games.
pub fn read_results(
    mut text: impl BufRead,
    mut found: impl FnMut(PlayersAndResult),
) -> io::Result<usize> {
    let mut others = 0;
    let mut game = Tags::default();
    let mut bytes = Vec::new();
    let (mut in_comment, mut after_blank) = (false, false);
    while (&mut text).take(LONGEST_LINE as u64).read_until(b'\n', &mut bytes)? > 0 {
        if bytes.len() == LONGEST_LINE && bytes.last() != Some(&b'\n') {
            let limit = LONGEST_LINE >> 20;
            let message = format!("a line is longer than {limit} MiB; this is not a PGN file");
            return Err(io::Error::new(io::ErrorKind::InvalidData, message));
        }
        let line = decoded(std::mem::take(&mut bytes));
        // A comment that is never closed ends where the next game starts.
        in_comment &= !ends_open_comment(line.as_bytes(), after_blank);
        after_blank = line.trim().is_empty();
        // Old files may have lines that end with a carriage return alone.
        for line in line.trim_end().split('\r') {
            if line.starts_with('%') && !in_comment {
                continue;
            }
            let mut rest = line.trim();
            while !rest.is_empty() {
                while let Some((name, value, behind)) =
                    parse_tag(rest).filter(|_| !in_comment && begins_with_tag(rest.as_bytes()))
                {
                    if game.movetext > Movetext::Nothing || game.known_first_tags.contains(&name) {
                        others += std::mem::take(&mut game).report(&mut found);
                    }
                    game.take(name, value);
                    rest = behind.trim_start();
                }
                rest = game.read_moves(rest, &mut in_comment);
            }
        }
    }
    Ok(others + game.report(&mut found))
}

/// The tags that tell games with the same moves apart.
const IDENTIFYING_TAGS: [&str; 9] =
    ["Event", "White", "Black", "Date", "UTCDate", "UTCTime", "Round", "Variant", "FEN"];

/// What a text contains apart from comments.
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
enum Movetext {
    #[default]
    Nothing,
    /// Results or move numbers.
    Other,
    Moves,
}

/// Returns the offset of a tag after the start of a text.
fn later_tag(text: &str) -> Option<usize> {
    let is_tag = |text: &str| {
        let name = text[1..].trim_start_matches(|c: char| c.is_ascii_alphanumeric() || c == '_');
        text[1..].starts_with(|c: char| c.is_ascii_alphabetic()) && name.starts_with(" \"")
    };
    text.match_indices('[').map(|(at, _)| at).find(|&at| at > 0 && is_tag(&text[at..]))
}

/// The relevant tags of a game, as far as they have been read.
#[derive(Default)]
struct Tags {
    white: Option<String>,
    black: Option<String>,
    result: Option<GameResult>,
    /// The result after the moves, which counts for more than the one in the tag.
    final_result: Option<GameResult>,
    has_tags: bool,
    known_first_tags: Vec<&'static str>,
    /// What has followed the tags. After any movetext, the next tag starts another game.
    movetext: Movetext,
    fingerprint: u64,
}

impl Tags {
    fn take(&mut self, name: &str, value: String) {
        self.has_tags = true;
        if IDENTIFYING_TAGS.contains(&name) {
            self.add_to_fingerprint(&format!("{name} {}", value.trim()));
        }
        self.known_first_tags.extend(FIRST_TAGS.iter().filter(|&&tag| tag == name));
        match name {
            "White" => self.white = Some(value.trim().to_owned()),
            "Black" => self.black = Some(value.trim().to_owned()),
            "Result" => self.result = GameResult::parse(&value),
            _ => {}
        }
    }

    /// Reads moves and comments up to the next tag, which is returned with everything behind it.
    /// Updates whether a comment is open.
    fn read_moves<'a>(&mut self, mut text: &'a str, in_comment: &mut bool) -> &'a str {
        loop {
            if *in_comment {
                let Some((_, after)) = text.split_once('}') else { return "" };
                (text, *in_comment) = (after, false);
            }
            let end = text.find(['{', ';']).unwrap_or(text.len());
            let tag = later_tag(&text[..end]);
            self.take_moves(&text[..tag.unwrap_or(end)]);
            if let Some(tag) = tag {
                return &text[tag..];
            }
            let Some(comment) = text[end..].strip_prefix('{') else { return "" };
            (text, *in_comment) = (comment, true);
        }
    }

    /// Reads a text without tags and comments. Copies of a game may number and space the moves differently.
    fn take_moves(&mut self, text: &str) {
        for word in text.split(|c: char| c.is_whitespace() || c == '.') {
            if let Some(result) = GameResult::parse(word).filter(|_| self.has_tags) {
                self.final_result = Some(result);
            }
            let is_number = word.bytes().all(|byte| byte.is_ascii_digit());
            if !is_number && !word.starts_with('$') {
                self.add_to_fingerprint(word);
            }
        }
        let found = match text.trim() {
            "" => Movetext::Nothing,
            text if text.contains(|c: char| c.is_ascii_alphabetic()) => Movetext::Moves,
            _ => Movetext::Other,
        };
        if self.has_tags {
            self.movetext = self.movetext.max(found);
        }
    }

    /// Adds a word, and a space that separates it from the next one.
    fn add_to_fingerprint(&mut self, word: &str) {
        self.fingerprint =
            continue_fingerprint(self.fingerprint, word.bytes().chain(iter::once(b' ')));
    }

    /// Passes a game with two players and a result to `found` and returns 0. For other games,
    /// returns 1.
    fn report(self, found: &mut impl FnMut(PlayersAndResult)) -> usize {
        let named = |name: Option<String>| name.filter(|name| !name.is_empty() && name != "?");
        let result = self.final_result.or(self.result);
        match (named(self.white), named(self.black), result) {
            (Some(white), Some(black), Some(result)) if white != black => {
                let fingerprint = (self.movetext == Movetext::Moves).then_some(self.fingerprint);
                found(PlayersAndResult { white, black, result, fingerprint });
                0
            }
            _ => usize::from(self.has_tags),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
        // Tags on one line, a comment that continues on the next line, and Latin-1.
        let text = b"[White \"M\xfcller\"] [Black \"M\xf6ller\"] [Result \"1-0\"] 1. e4 {\n[%clk 1]} e5\n1-0\n";
        let mut names = Vec::new();
        let others = read_results(&text[..], |game| names.push((game.white, game.black)));
        assert_eq!(others.expect("in memory"), 0);
        assert_eq!(names, [("M\u{fc}ller".to_owned(), "M\u{f6}ller".to_owned())]);
    }

    #[test]
    fn equal_games_with_moves_have_the_same_fingerprint() {
        let game = |event: &str, moves: &str| {
            format!(
                "[Event \"{event}\"]\n[White \"A \"]\n[Black \"B\"]\n[Result \"1-0\"]\n\n{moves} 1-0\n\n"
            )
        };
        let played = "1. e4 {[%clk 1:00]} 1... e5";
        let respaced = "1.e4 $1\n1...e5";
        let texts =
            [("x", played), ("y", played), ("x", respaced), ("x", "1. e4 e6"), ("x", "{won} 1.")]
                .map(|(event, moves)| game(event, moves));
        let mut found = Vec::new();
        read_results(texts.concat().as_bytes(), |game| found.push(game)).expect("in memory");
        let [x, y, again, other, unplayed] = &found[..] else { panic!("five games: {found:?}") };
        assert!(x.fingerprint.is_some() && x.fingerprint != y.fingerprint, "{found:?}");
        assert_ne!(x.fingerprint, other.fingerprint);
        assert_eq!(x, again);
        assert_eq!((unplayed.fingerprint, &*unplayed.white), (None, "A"));
    }

    #[test]
    fn comments_contain_no_games_and_games_need_no_event() {
        let read = |text: &str| {
            let mut whites = Vec::new();
            let others = read_results(text.as_bytes(), |game| whites.push(game.white));
            (whites.join(" "), others.expect("in memory"))
        };
        let tags = |white: &str| format!("[White \"{white}\"]\n[Black \"Z\"]\n[Result \"1-0\"]\n");
        let in_comment = format!("{}\n1. e4 {{see\n{}}} 1-0\n", tags("A"), tags("no"));
        assert_eq!(read(&in_comment), ("A".to_owned(), 0));
        let between =
            "[White \"A\"]\n%hidden\n; also\n{also}\n[Black \"Z\"]\n[Result \"1-0\"]\n1-0\n";
        assert_eq!(read(between), ("A".to_owned(), 0));
        assert_eq!(read(&format!("[Event \"e\"]\n{between}")), ("A".to_owned(), 0));
        // The result after the moves counts for more than the tag.
        let mut results = Vec::new();
        let updated =
            format!("{}1. e4 e5 0-1\n", tags("A")) + &tags("B").replace("1-0", "*") + "1. d4 1-0\n";
        read_results(updated.as_bytes(), |game| results.push(game.result)).expect("in memory");
        assert_eq!(results, [GameResult::BlackWins, GameResult::WhiteWins]);
        let only_tags = ["A", "B", "C"].map(tags).join("\n");
        assert_eq!(read(&only_tags), ("A B C".to_owned(), 0));
        let on_one_line =
            ["A", "B"].map(|white| tags(white).replace('\n', " ") + "1. e4 [e5] 1-0 ");
        assert_eq!(read(&on_one_line.concat()), ("A B".to_owned(), 0));
        let mac = ["A", "B"].map(|white| tags(white) + "\n1. e4 {x} e5 1-0\n\n").concat();
        assert_eq!(read(&mac.replace('\n', "\r")), ("A B".to_owned(), 0));
        let unclosed = format!("{}\n1. e4 {{oh\n\n{}\n1-0\n", tags("A"), tags("B"));
        assert_eq!(read(&unclosed), ("A B".to_owned(), 0));
    }

    #[test]
    fn an_endless_line_is_an_error() {
        let error = read_results(io::BufReader::new(io::repeat(0)), |_| {}).expect_err("endless");
        assert!(error.to_string().contains("16 MiB"), "{error}");
    }
}
