//! A stream of games from a file of any size and quality.
//!
//! The text is cut into games line by line, so only one game is in memory, and an error in one game
//! does not affect the next. A comment that is never closed ends where the next game starts.

use std::collections::VecDeque;
use std::io::{self, BufRead, Read};

use super::at_line::AtLine;
use super::game::PgnGame;
use super::open::BYTE_ORDER_MARK;
use super::read::{read_pgn, read_with_text};
use super::tag::{begins_with_tag, decoded, ends_open_comment, parse_tag};

/// Why part of the text could not be read, with its line.
pub type StreamError = AtLine<StreamFault>;

/// The reason why part of the text could not be read.
#[derive(Debug, thiserror::Error)]
pub enum StreamFault {
    /// The text could not be read any further.
    #[error("{0}")]
    Io(io::Error),
    /// A comment is never closed. Its game is skipped.
    #[error("this comment is never closed; the game was skipped")]
    Comment,
    /// The text of a game is too long. The game is skipped.
    #[error("the game is longer than {} MiB; it was skipped", LONGEST_TEXT >> 20)]
    Size,
    /// A line is so long that this cannot be a PGN file.
    #[error("the line is longer than {} MiB; this is not a PGN file", LONGEST_LINE >> 20)]
    Line,
}

impl StreamFault {
    /// Whether the games after this fault are lost too.
    pub(crate) fn ends_text(&self) -> bool {
        matches!(self, StreamFault::Io(_) | StreamFault::Line)
    }
}

/// The maximum size of the text of a game, in bytes.
const LONGEST_TEXT: usize = 16 << 20;

/// The maximum size of a line, in bytes. A longer line comes from a binary file or an endless
/// device.
pub(super) const LONGEST_LINE: usize = 16 << 20;

/// An iterator over the games in a text.
pub struct PgnStream<R> {
    text: R,
    /// The number of lines read.
    lines: usize,
    /// A line that was read ahead and belongs to the next game.
    ahead: Option<Vec<u8>>,
    /// Games that have been read but not returned yet.
    ready: VecDeque<PgnGame>,
    is_over: bool,
    /// An error that ended the text early. It is returned after the games that precede it.
    failure: Option<StreamError>,
}

/// The text of a game, decoded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PgnText {
    /// The first line of the text in the file, counted from 1.
    pub line: usize,
    /// The tags and moves of the game as they are in the file.
    pub text: String,
}

impl PgnText {
    /// Parses the text.
    pub fn games(&self) -> Vec<PgnGame> {
        let mut games = read_pgn(&self.text);
        games.iter_mut().for_each(|game| game.line += self.lines_before());
        games
    }

    /// Parses the text, and returns each game with its part of the text.
    pub fn games_with_text(&self) -> impl Iterator<Item = (PgnGame, &str)> {
        read_with_text(&self.text).map(|(mut game, text)| {
            game.line += self.lines_before();
            (game, text)
        })
    }

    fn lines_before(&self) -> usize {
        self.line.saturating_sub(1)
    }
}

/// The text of a game while it is being collected.
#[derive(Default)]
struct GameText {
    bytes: Vec<u8>,
    /// The first line of the game.
    line: usize,
    has_moves: bool,
    /// Whether the last word was a result.
    is_finished: bool,
    after_blank: bool,
    /// The line where the open comment starts.
    comment: Option<usize>,
    /// The number of open variations.
    variations: usize,
}

/// The game that a line belongs to, given the text before it.
#[derive(PartialEq, Eq)]
enum LinePlace {
    /// The same game.
    SameGame,
    /// The next game.
    NextGame,
    /// The next game, although a comment in this one is still open.
    NextGameUnclosed,
}

impl<R: BufRead> PgnStream<R> {
    /// Creates a stream of the games in a text. Nothing is read yet.
    pub fn new(text: R) -> PgnStream<R> {
        PgnStream {
            text,
            lines: 0,
            ahead: None,
            ready: VecDeque::new(),
            is_over: false,
            failure: None,
        }
    }

    /// Returns the next line with its line break, or `None` at the end of the text.
    fn line(&mut self) -> Result<Option<Vec<u8>>, StreamFault> {
        if let Some(line) = self.ahead.take() {
            return Ok(Some(line));
        }
        self.lines += 1;
        let mut line = Vec::new();
        let mut limited = (&mut self.text).take(LONGEST_LINE as u64);
        let length = limited.read_until(b'\n', &mut line).map_err(StreamFault::Io)?;
        if length == LONGEST_LINE && line.last() != Some(&b'\n') {
            return Err(StreamFault::Line);
        }
        // If files were joined, a byte order mark may begin any line.
        if line.starts_with(BYTE_ORDER_MARK.as_bytes()) {
            line.drain(..BYTE_ORDER_MARK.len());
        }
        Ok((length > 0).then_some(line))
    }

    /// Reads the text of the next game. The text may also contain no game, or several games, for
    /// instance on one line.
    pub(crate) fn next_text(&mut self) -> Option<Result<PgnText, StreamError>> {
        if self.is_over {
            return self.failure.take().map(Err);
        }
        let mut text = GameText::default();
        let mut too_long = None;
        loop {
            let line = match self.line() {
                Ok(Some(line)) => line,
                ended => {
                    self.is_over = true;
                    let line = self.lines;
                    self.failure = ended.err().map(|fault| StreamError { line, fault });
                    break;
                }
            };
            match text.place(&line) {
                LinePlace::SameGame => text.add(&line, self.lines),
                LinePlace::NextGame => {
                    self.ahead = Some(line);
                    break;
                }
                LinePlace::NextGameUnclosed => {
                    self.ahead = Some(line);
                    let line = text.comment.unwrap_or(text.line);
                    return Some(Err(StreamError { line, fault: StreamFault::Comment }));
                }
            }
            if text.bytes.len() > LONGEST_TEXT {
                too_long = too_long.or(Some(text.line));
                text.bytes.clear();
            }
        }
        if let Some(line) = too_long {
            return Some(Err(StreamError { line, fault: StreamFault::Size }));
        }
        if self.failure.is_some() && !text.is_finished {
            return self.failure.take().map(Err);
        }
        if let Some(line) = text.comment {
            return Some(Err(StreamError { line, fault: StreamFault::Comment }));
        }
        Some(Ok(PgnText { line: text.line, text: decoded(text.bytes) }))
    }
}

impl GameText {
    fn place(&self, line: &[u8]) -> LinePlace {
        let is_tag = || begins_with_tag(line.trim_ascii_start());
        match self.comment {
            Some(_) if ends_open_comment(line, self.after_blank) => LinePlace::NextGameUnclosed,
            Some(_) => LinePlace::SameGame,
            None if self.has_moves && is_tag() => LinePlace::NextGame,
            None if self.is_finished && self.after_blank => LinePlace::NextGame,
            None => LinePlace::SameGame,
        }
    }

    fn add(&mut self, line: &[u8], number: usize) {
        if self.bytes.is_empty() {
            self.line = number;
        }
        self.bytes.extend_from_slice(line);
        let text = line.trim_ascii();
        self.after_blank = text.is_empty();
        let moves = match (self.comment, text.first()) {
            (None, Some(b'%')) if line.starts_with(b"%") => return,
            (None, Some(b'[')) if text.ends_with(b"]") => return,
            (None, Some(b'[')) => after_tags(text),
            _ => text,
        };
        if moves.is_empty() {
            return;
        }
        let mut rest_is_comment = false;
        for &byte in moves {
            match (byte, self.comment) {
                _ if rest_is_comment => {}
                (b'}', Some(_)) => self.comment = None,
                (_, Some(_)) => {}
                (b'{', None) => self.comment = Some(number),
                (b';', None) => rest_is_comment = true,
                (b'(', None) => self.variations += 1,
                (b')', None) => self.variations = self.variations.saturating_sub(1),
                _ => self.has_moves = true,
            }
        }
        let last = moves.rsplit(u8::is_ascii_whitespace).next().unwrap_or_default();
        let is_main_line = self.comment.is_none() && !rest_is_comment && self.variations == 0;
        self.is_finished = is_main_line && [&b"1-0"[..], b"0-1", b"1/2-1/2", b"*"].contains(&last);
    }
}

/// Returns the part of a line after its tags. It is usually empty.
fn after_tags(line: &[u8]) -> &[u8] {
    let text = decoded(line.to_vec());
    let mut rest = text.trim();
    while let Some((.., after)) = parse_tag(rest) {
        rest = after.trim_start();
    }
    // Only moves can follow tags, and moves have the same bytes in every encoding.
    let length = if rest.starts_with('[') { 0 } else { rest.len().min(line.len()) };
    &line[line.len() - length..]
}

impl<R: BufRead> Iterator for PgnStream<R> {
    type Item = Result<PgnGame, StreamError>;

    fn next(&mut self) -> Option<Self::Item> {
        while self.ready.is_empty() {
            match self.next_text()? {
                Ok(text) => self.ready.extend(text.games()),
                Err(error) => return Some(Err(error)),
            }
        }
        self.ready.pop_front().map(Ok)
    }
}

impl<R> std::fmt::Debug for PgnStream<R> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "PgnStream(line {})", self.lines)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stream(text: &[u8]) -> Vec<Result<PgnGame, StreamError>> {
        PgnStream::new(text).collect()
    }

    #[test]
    fn a_stream_finds_the_same_games_as_the_whole_text() {
        let text = "[Event \"a\"]\n\n1. e4 {first [Event \"no\"]\n\n[Event of a comment]} e5\n\
                    (1... c5 2. Nf3) 2. Nf3 1-0\n\n1. d4 ; {\nd5 *\n\n\n[Event \"c\"]\n[FEN \"x\"]\n\n\
                    1. c4\n[Event \"d\"]\n*\n[Event \"e\"] [White \"A\"] 1. c4 e5$1 *\n[Event \"f\"]\n";
        let games: Vec<PgnGame> = stream(text.as_bytes()).into_iter().map(Result::unwrap).collect();
        assert_eq!(games, read_pgn(text));
        assert_eq!(games.len(), 6);
        assert_eq!((games[4].tag("White"), games[4].moves.len()), (Some("A"), 2));
        let indented = " 1. e4 e5 1-0\n [Event \"b\"]\n [White \"B\"]\n\n 1. d4 d5 *\n %) 2. c4\n";
        let games: Vec<PgnGame> =
            stream(indented.as_bytes()).into_iter().map(Result::unwrap).collect();
        assert_eq!(games, read_pgn(indented));
        assert_eq!((games[1].tag("White"), games[1].moves.len()), (Some("B"), 2));
    }

    #[test]
    fn a_result_in_a_remark_or_a_variation_does_not_end_the_game() {
        for text in [
            "1. e4 e5 ; it ended 1-0\n\n2. Nf3 *\n",
            "1. e4 e5 (1... c5 2. Nf3 d6\n1-0\n\n3. d4) 2. Nf3 *\n",
        ] {
            let games = stream(text.as_bytes());
            assert_eq!(games.len(), 1, "{text}");
            assert_eq!(games[0].as_ref().expect("readable").moves.len(), 3, "{text}");
        }
    }

    #[test]
    fn an_unclosed_comment_spoils_one_game() {
        let text =
            b"[Event \"a\"]\n1. e4 {oh\n\n[Event \"b\"]\n\n1. d4 *\n\n[Event \"c\"]\n1. c4 {";
        let found: Vec<String> = stream(text)
            .into_iter()
            .map(|game| game.map_or_else(|e| e.in_file("a.pgn"), |game| game.line.to_string()))
            .collect();
        let unclosed = "this comment is never closed; the game was skipped";
        assert_eq!(
            found,
            [format!("a.pgn:2: {unclosed}"), "4".into(), format!("a.pgn:9: {unclosed}")]
        );
    }

    #[test]
    fn an_unclosed_comment_never_takes_moves_from_the_next_game() {
        for next in ["[Event \"b\"]\n[White \"C\"]", "\n[Site \"y\"]\n[White \"C\"]"] {
            let text = format!("[White \"A\"]\n\n1. e4 {{oh\n{next}\n\n1. d4 {{closed}} d5 1-0\n");
            let found = stream(text.as_bytes());
            assert!(found[0].is_err(), "{text}");
            let game = found[1].as_ref().expect("readable");
            assert_eq!((game.tag("White"), game.moves.len()), (Some("C"), 2), "{text}");
        }
    }

    #[test]
    fn joined_files_may_each_begin_with_a_byte_order_mark() {
        let text = "[Event \"a\"]\n\n1. e4 *\n\u{feff}[Event \"b\"]\n[White \"C\"]\n\n1. d4 *\n";
        let events: Vec<Option<String>> = stream(text.as_bytes())
            .into_iter()
            .map(|game| game.expect("readable").tag("Event").map(str::to_owned))
            .collect();
        assert_eq!(events, [Some("a".to_owned()), Some("b".to_owned())]);
    }

    #[test]
    fn latin_1_is_read() {
        let found = stream(b"[White \"M\xfcller\"]\n\n1. e4 *");
        assert_eq!(found[0].as_ref().map(|game| game.tag("White")).ok(), Some(Some("Müller")));
    }

    #[test]
    fn a_read_error_ends_the_stream_after_the_games_before_it() {
        struct Broken;
        impl io::Read for Broken {
            fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
                Err(io::Error::other("broken"))
            }
        }
        let text = io::BufReader::new((&b"1. e4 *\n\n1. d4"[..]).chain(Broken));
        let found: Vec<_> = PgnStream::new(text).collect();
        assert_eq!(found.len(), 2);
        let error = found[1].as_ref().expect_err("the source is broken");
        assert!(matches!(error.fault, StreamFault::Io(_)), "{error}");
    }

    #[test]
    fn an_endless_line_ends_the_stream() {
        let text = io::BufReader::new((&b"1. e4 *\n\n"[..]).chain(io::repeat(0)));
        let found: Vec<_> = PgnStream::new(text).collect();
        assert_eq!(found.len(), 2);
        assert!(found[0].is_ok());
        let error = found[1].as_ref().expect_err("endless").to_string();
        assert_eq!(error, "line 3: the line is longer than 16 MiB; this is not a PGN file");
    }
}
