//! What a GUI asks for: its bytes turned into lines, and the lines into commands.
//!
//! Nothing is promised about the bytes: lines may be of any length, hold anything and end in any
//! way. What is not UTF-8 is replaced, what is too long to be a command is thrown away while it
//! is read, and only its length is told.
//!
//! The reading is total: every line is a command, a mistake that can be explained, or nothing.
//! GUIs and people send words that no engine knows; as the protocol wants it, those are skipped
//! and the rest of the line is tried. `vampirc-uci` has a parser too, but it panics on legal lines
//! and drops what it does not expect, so only its messages to the GUI are used.

use std::io::{self, BufRead};
use std::sync::mpsc::Sender;
use std::thread;

use super::Event;
use super::go::Go;
use crate::board::shorten;
use crate::games::pgn::BYTE_ORDER_MARK;

/// A line that makes sense.
#[derive(Clone, Debug, PartialEq)]
pub enum UciCommand {
    Uci,
    Debug(bool),
    IsReady,
    NewGame,
    SetOption {
        name: String,
        /// Empty where none is given.
        value: String,
    },
    Position {
        /// `None` is the starting position.
        fen: Option<String>,
        moves: Vec<String>,
    },
    Go(Go),
    Stop,
    PonderHit,
    Help,
    Quit,
}

/// A line that cannot be obeyed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum UciError {
    #[error("position needs \"startpos\" or \"fen\", but says \"{0}\"; the position stays")]
    Position(String),
    #[error("setoption needs \"name\", but says \"{0}\"")]
    SetOption(String),
    #[error("debug is \"on\" or \"off\", not \"{0}\"")]
    Debug(String),
}

impl UciCommand {
    /// Reads a line. `None` if there is no known word in it.
    pub fn parse(line: &str) -> Result<Option<UciCommand>, UciError> {
        let mut rest = line.trim_start();
        while !rest.is_empty() {
            let (word, tail) = split_word(rest);
            if let Some(command) = UciCommand::starting_with(word, tail.trim()) {
                return command.map(Some);
            }
            rest = tail;
        }
        Ok(None)
    }

    fn starting_with(word: &str, rest: &str) -> Option<Result<UciCommand, UciError>> {
        Some(Ok(match word {
            "uci" => UciCommand::Uci,
            "isready" => UciCommand::IsReady,
            "ucinewgame" => UciCommand::NewGame,
            "stop" => UciCommand::Stop,
            "ponderhit" => UciCommand::PonderHit,
            "help" => UciCommand::Help,
            "quit" => UciCommand::Quit,
            "go" => UciCommand::Go(Go::parse(rest)),
            "debug" => return Some(debug(rest)),
            "position" => return Some(position(rest)),
            "setoption" => return Some(set_option(rest)),
            _ => return None,
        }))
    }
}

/// The first word and what follows it.
fn split_word(text: &str) -> (&str, &str) {
    let end = text.find(char::is_whitespace).unwrap_or(text.len());
    let (word, rest) = text.split_at(end);
    (word, rest.trim_start())
}

fn debug(rest: &str) -> Result<UciCommand, UciError> {
    match split_word(rest).0 {
        "on" => Ok(UciCommand::Debug(true)),
        "off" => Ok(UciCommand::Debug(false)),
        _ => Err(UciError::Debug(shorten(rest))),
    }
}

fn position(rest: &str) -> Result<UciCommand, UciError> {
    let mut words = rest.split_whitespace().skip_while(|&word| word != "startpos" && word != "fen");
    let from_start = match words.next() {
        Some(word) => word == "startpos",
        None => return Err(UciError::Position(shorten(rest))),
    };
    let fields: Vec<&str> = words.by_ref().take_while(|&word| word != "moves").collect();
    if from_start && !fields.is_empty() {
        return Err(UciError::Position(shorten(rest)));
    }
    let fen = (!from_start).then(|| fields.join(" "));
    Ok(UciCommand::Position { fen, moves: words.map(str::to_owned).collect() })
}

/// Names may have spaces, values may be anything: the first "value" on its own parts the two.
fn set_option(rest: &str) -> Result<UciCommand, UciError> {
    let (word, mut tail) = split_word(rest);
    if word != "name" || tail.is_empty() {
        return Err(UciError::SetOption(shorten(rest)));
    }
    let mut name = Vec::new();
    while !tail.is_empty() {
        let (word, after) = split_word(tail);
        tail = after;
        if word == "value" {
            break;
        }
        name.push(word);
    }
    Ok(UciCommand::SetOption { name: name.join(" "), value: tail.trim_end().to_owned() })
}

/// Ten times as long as the longest game ever played.
pub const LONGEST_LINE: usize = 1 << 20;

/// What was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum InputLine {
    Text(String),
    /// So many bytes, none of which were kept.
    TooLong(usize),
}

/// Reads standard input on a thread of its own, which ends with its last event.
pub fn listen(events: Sender<Event>) -> io::Result<()> {
    thread::Builder::new().name("reader".to_owned()).spawn(move || {
        let mut input = io::stdin().lock();
        // An input that cannot be read any more has ended.
        while let Ok(Some(line)) = read_line(&mut input) {
            if events.send(Event::Line(line)).is_err() {
                return;
            }
        }
        // Should nobody listen, the program has ended already.
        let _ = events.send(Event::EndOfInput);
    })?;
    Ok(())
}

/// The next line; `None` at the end of the input.
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
        if length <= LONGEST_LINE {
            kept.extend_from_slice(part);
        }
        let used = part.len() + usize::from(complete);
        input.consume(used);
        if complete || at_end {
            return Ok(Some(if length <= LONGEST_LINE {
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

    fn read(line: &str) -> Option<UciCommand> {
        UciCommand::parse(line).expect(line)
    }

    fn option(name: &str, value: &str) -> Option<UciCommand> {
        Some(UciCommand::SetOption { name: name.to_owned(), value: value.to_owned() })
    }

    #[test]
    fn unknown_words_are_skipped() {
        assert_eq!(read("joho debug on"), Some(UciCommand::Debug(true)));
        assert_eq!(read("  \t uci \r\n"), Some(UciCommand::Uci));
        for line in ["", "  ", "xboard", "isreadyx", "protover 2", "\u{0}\u{feff}"] {
            assert_eq!(read(line), None, "{line:?}");
        }
    }

    #[test]
    fn options_have_names_and_values_with_spaces() {
        assert_eq!(read("setoption name Hash value 64  "), option("Hash", "64"));
        assert_eq!(read("setoption name  Clear   Hash"), option("Clear Hash", ""));
        assert_eq!(read("setoption name Hash value"), option("Hash", ""));
        assert_eq!(
            read("setoption name UCI_Opponent value GM 2800 human Gary  K"),
            option("UCI_Opponent", "GM 2800 human Gary  K")
        );
        assert_eq!(read("setoption name Valued value value"), option("Valued", "value"));
        for line in ["setoption", "setoption name", "setoption Hash 64", "setoption value 3"] {
            UciCommand::parse(line).expect_err(line);
        }
    }

    #[test]
    fn positions_keep_every_move() {
        let moves = |list: &[&str]| list.iter().map(|&m| m.to_owned()).collect::<Vec<_>>();
        assert_eq!(
            read("position startpos moves  e2e4 xx 0000"),
            Some(UciCommand::Position { fen: None, moves: moves(&["e2e4", "xx", "0000"]) })
        );
        assert_eq!(
            read("position  fen 8/8/8/8/8/8/8/8  w - -  moves a2a4"),
            Some(UciCommand::Position {
                fen: Some("8/8/8/8/8/8/8/8 w - -".to_owned()),
                moves: moves(&["a2a4"])
            })
        );
        for line in
            ["position", "position moves e2e4", "position 8/8 w - -", "position startpos e2e4"]
        {
            UciCommand::parse(line).expect_err(line);
        }
    }

    fn lines(mut input: &[u8]) -> Vec<InputLine> {
        std::iter::from_fn(|| read_line(&mut input).expect("memory can be read")).collect()
    }

    #[test]
    fn every_line_comes_once() {
        let text = |s: &str| InputLine::Text(s.to_owned());
        assert_eq!(lines(b""), []);
        assert_eq!(lines(b"\n\nuci\r\nquit"), [text(""), text(""), text("uci\r"), text("quit")]);
        assert_eq!(lines(b"\xff\xfe go\n"), [text("\u{fffd}\u{fffd} go")]);
        assert_eq!(lines(b"\xef\xbb\xbfuci\n"), [text("uci")]);
    }

    #[test]
    fn long_lines_are_only_counted() {
        let mut input = vec![b'x'; 2 * LONGEST_LINE];
        input.extend_from_slice(b"\nuci\n");
        assert_eq!(
            lines(&input),
            [InputLine::TooLong(2 * LONGEST_LINE), InputLine::Text("uci".to_owned())]
        );
    }
}
