//! Parses lines from the GUI into commands.
//!
//! Parsing never panics: every line is a command, an error with an explanation, or nothing. As the
//! protocol requires, the parser skips unknown words and tries the rest of the line. `vampirc-uci`
//! has a parser too, but it panics on some legal lines and drops unexpected words, so we use that
//! crate only to write messages.

use super::go::Go;
use crate::board::shorten;

/// A command from the GUI.
#[derive(Clone, Debug, PartialEq)]
pub enum UciCommand {
    /// A request for the engine's name and options, which ends with `uciok`.
    Uci,
    /// `debug on` or `debug off`.
    Debug(bool),
    /// A request for `readyok`.
    IsReady,
    /// `ucinewgame`: the next position is from another game.
    NewGame,
    /// A new value for an option.
    SetOption {
        /// The name as sent. It may contain spaces.
        name: String,
        /// Empty if the command gives no value.
        value: String,
    },
    /// The game so far.
    Position {
        /// `None` for the starting position.
        fen: Option<String>,
        /// The moves from that position in UCI notation. They have not been checked.
        moves: Vec<String>,
    },
    /// A request for a search.
    Go(Go),
    /// Ends the search. The engine then sends the best move found.
    Stop,
    /// The opponent has played the expected move, so the clock starts.
    PonderHit,
    /// A request for help. It is not part of the UCI protocol.
    Help,
    /// Ends the program.
    Quit,
}

/// Why a line is not a valid command.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum UciError {
    /// A `position` command without a readable starting position. Contains its arguments,
    /// shortened.
    #[error("position needs \"startpos\" or \"fen\", not \"{0}\"; the position was not changed")]
    Position(String),
    /// A `setoption` command without a name. Contains its arguments, shortened.
    #[error(
        "setoption needs a name and a value, as in: setoption name Hash value 64; found \"{0}\""
    )]
    SetOption(String),
    /// A `debug` command without `on` or `off`. Contains its arguments, shortened.
    #[error("debug must be \"on\" or \"off\", not \"{0}\"")]
    Debug(String),
}

impl UciCommand {
    /// Parses a line. Returns `None` if it contains no known command.
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

/// Splits a string into its first word and the rest.
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

/// Parses `name NAME value VALUE`. Both parts can contain spaces. The first occurrence of the word
/// `value` separates them.
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
}
