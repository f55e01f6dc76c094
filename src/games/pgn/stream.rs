//! One game after another, from files of any size and of whatever quality.
//!
//! The text is cut into games by lines, so that only one is in memory and what is broken in one
//! does not reach the next. A comment that is never closed ends where the next game begins.

use std::collections::VecDeque;
use std::io::{self, BufRead, Read};

use super::game::PgnGame;
use super::read::read_pgn;
use super::{begins_with_tag, decoded, parse_tag};

/// Why a piece of the text holds no game.
#[derive(Debug, thiserror::Error)]
pub enum StreamError {
    #[error("after line {0}: {1}")]
    Io(usize, io::Error),
    #[error("the comment that begins on line {0} is not closed; the game is left out")]
    Comment(usize),
    #[error("the game on line {0} is longer than {1} MiB; it is left out")]
    Size(usize, usize),
}

/// No game is as long as this.
pub(super) const LONGEST: usize = 16 << 20;

/// The games of a text.
pub struct PgnStream<R> {
    text: R,
    /// Lines read so far.
    lines: usize,
    /// A line that belongs to the next game.
    ahead: Option<Vec<u8>>,
    /// Games that are read and not given out yet.
    ready: VecDeque<PgnGame>,
    is_over: bool,
    /// What ended the text before its end, to be told after the games before it.
    failure: Option<StreamError>,
}

/// The text of one game as it grows.
#[derive(Default)]
struct GameText {
    bytes: Vec<u8>,
    /// The line that it begins on.
    line: usize,
    has_moves: bool,
    /// The last word was a result.
    is_finished: bool,
    after_blank: bool,
    /// The line of an open comment.
    comment: Option<usize>,
}

/// What a line is to the piece before it.
#[derive(PartialEq, Eq)]
enum LinePlace {
    Inside,
    /// It begins another game.
    Next,
    /// The same, though a comment is still open.
    NextUnclosed,
}

impl<R: BufRead> PgnStream<R> {
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

    /// The next line, with its end; nothing at the end of the text. Of endless lines a part.
    fn line(&mut self) -> io::Result<Option<Vec<u8>>> {
        if let Some(line) = self.ahead.take() {
            return Ok(Some(line));
        }
        let mut line = Vec::new();
        let read = (&mut self.text).take(LONGEST as u64).read_until(b'\n', &mut line)?;
        self.lines += 1;
        Ok((read > 0).then_some(line))
    }

    /// Reads the next piece of the text into games.
    fn advance(&mut self) -> Result<(), StreamError> {
        let mut piece = GameText::default();
        let mut too_long = None;
        loop {
            let line = match self.line() {
                Ok(Some(line)) => line,
                ended => {
                    self.is_over = true;
                    self.failure = ended.err().map(|error| StreamError::Io(self.lines, error));
                    break;
                }
            };
            match piece.place(&line) {
                LinePlace::Inside => piece.add(&line, self.lines),
                next => {
                    self.ahead = Some(line);
                    if next == LinePlace::NextUnclosed {
                        return Err(StreamError::Comment(piece.comment.unwrap_or(piece.line)));
                    }
                    break;
                }
            }
            if piece.bytes.len() > LONGEST {
                too_long = too_long.or(Some(piece.line));
                piece.bytes.clear();
            }
        }
        if let Some(line) = too_long {
            return Err(StreamError::Size(line, LONGEST >> 20));
        }
        if self.failure.is_some() && !piece.is_finished {
            return Ok(());
        }
        if let Some(line) = piece.comment {
            return Err(StreamError::Comment(line));
        }
        let before = piece.line.saturating_sub(1);
        let mut games = read_pgn(&decoded(piece.bytes));
        games.iter_mut().for_each(|game| game.line += before);
        self.ready.extend(games);
        Ok(())
    }
}

impl GameText {
    fn place(&self, line: &[u8]) -> LinePlace {
        let is_tag = begins_with_tag(line);
        match self.comment {
            Some(_) if is_tag && self.after_blank && line.starts_with(b"[Event ") => {
                LinePlace::NextUnclosed
            }
            Some(_) => LinePlace::Inside,
            None if self.has_moves && is_tag => LinePlace::Next,
            None if self.is_finished && self.after_blank => LinePlace::Next,
            None => LinePlace::Inside,
        }
    }

    fn add(&mut self, line: &[u8], number: usize) {
        if self.bytes.is_empty() {
            self.line = number;
        }
        self.bytes.extend_from_slice(line);
        let text = line.trim_ascii();
        self.after_blank = text.is_empty();
        let text = match (self.comment, text.first()) {
            (None, Some(b'%')) => return,
            (None, Some(b'[')) if text.ends_with(b"]") => return,
            (None, Some(b'[')) => behind_tags(text),
            _ => text,
        };
        if text.is_empty() {
            return;
        }
        let mut rest_is_comment = false;
        for &byte in text {
            match (byte, self.comment) {
                _ if rest_is_comment => {}
                (b'}', Some(_)) => self.comment = None,
                (_, Some(_)) => {}
                (b'{', None) => self.comment = Some(number),
                (b';', None) => rest_is_comment = true,
                _ => self.has_moves = true,
            }
        }
        let last = text.rsplit(u8::is_ascii_whitespace).next().unwrap_or_default();
        self.is_finished =
            self.comment.is_none() && [&b"1-0"[..], b"0-1", b"1/2-1/2", b"*"].contains(&last);
    }
}

/// What follows the tags of a line; usually nothing.
fn behind_tags(line: &[u8]) -> &[u8] {
    let text = decoded(line.to_vec());
    let mut rest = text.trim();
    while let Some((.., behind)) = parse_tag(rest) {
        rest = behind.trim_start();
    }
    // Behind tags, if anything, are moves, which are the same bytes in all encodings.
    let length = if rest.starts_with('[') { 0 } else { rest.len().min(line.len()) };
    &line[line.len() - length..]
}

impl<R: BufRead> Iterator for PgnStream<R> {
    type Item = Result<PgnGame, StreamError>;

    fn next(&mut self) -> Option<Self::Item> {
        while self.ready.is_empty() {
            if self.is_over {
                return self.failure.take().map(Err);
            }
            if let Err(error) = self.advance() {
                return Some(Err(error));
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
    fn a_text_in_pieces_is_the_whole_text() {
        let text = "[Event \"a\"]\n\n1. e4 {first [Event \"no\"]\n\n[Event of a comment]} e5\n\
                    (1... c5 2. Nf3) 2. Nf3 1-0\n\n1. d4 ; {\nd5 *\n\n\n[Event \"c\"]\n[FEN \"x\"]\n\n\
                    1. c4\n[Event \"d\"]\n*\n[Event \"e\"] [White \"A\"] 1. c4 e5$1 *\n[Event \"f\"]\n";
        let games: Vec<PgnGame> = stream(text.as_bytes()).into_iter().map(Result::unwrap).collect();
        assert_eq!(games, read_pgn(text));
        assert_eq!(games.len(), 6);
        assert_eq!((games[4].tag("White"), games[4].moves.len()), (Some("A"), 2));
    }

    #[test]
    fn an_open_comment_costs_one_game() {
        let text =
            b"[Event \"a\"]\n1. e4 {oh\n\n[Event \"b\"]\n\n1. d4 *\n\n[Event \"c\"]\n1. c4 {";
        let found = stream(text);
        assert!(matches!(found[0], Err(StreamError::Comment(2))), "{:?}", found[0]);
        assert_eq!(found[1].as_ref().map(|game| game.line).ok(), Some(4));
        assert!(matches!(found[2], Err(StreamError::Comment(9))), "{:?}", found[2]);
        assert_eq!(found.len(), 3);
    }

    #[test]
    fn old_encodings_are_read() {
        let found = stream(b"[White \"M\xfcller\"]\n\n1. e4 *");
        assert_eq!(found[0].as_ref().map(|game| game.tag("White")).ok(), Some(Some("Müller")));
    }

    #[test]
    fn a_failing_source_ends_the_stream_once() {
        struct Torn;
        impl io::Read for Torn {
            fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
                Err(io::Error::other("torn"))
            }
        }
        let text = io::BufReader::new((&b"1. e4 *\n\n1. d4"[..]).chain(Torn));
        let found: Vec<_> = PgnStream::new(text).collect();
        assert_eq!(found.len(), 2);
        assert!(matches!(found[1], Err(StreamError::Io(..))), "{:?}", found[1]);
    }
}
