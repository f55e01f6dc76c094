//! User input: commands, and moves in any common notation.

use crate::board::{Colour, Move, Position, shorten};
use crate::session::{SpellingError, read_move};

pub(super) const HELP: &str = "  Nf3, g1f3, O-O    play a move; e8=Q promotes
  undo              take back your last move and the reply
  hint              show the move that Stopdown would play at full strength
  moves             list all legal moves
  board, flip       show the board; turn it around
  fen               show the position as FEN
  pgn [FILE]        show the game as PGN, or save it in a file
  draw, resign      offer or accept a draw; resign
  new [white|black] start a new game, with this colour or with colours swapped
  level 1500        change the opponent's rating, if it has one
  quit              leave";

/// A parsed line of input.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum UserCommand {
    Nothing,
    Play(Move),
    Undo,
    Hint,
    Moves,
    Board,
    Flip,
    Fen,
    Pgn(Option<String>),
    Draw,
    Resign,
    /// Starts a new game. The user plays this colour. If it is `None`, the sides are swapped.
    New(Option<Colour>),
    /// Sets a new rating for the opponent.
    Level(f64),
    Help,
    Quit,
}

/// Parses a line. Errors explain how to correct it.
pub(super) fn parse_command(line: &str, position: &Position) -> Result<UserCommand, String> {
    let line = line.trim();
    let (first, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
    let command = match (first.to_lowercase().as_str(), rest.trim()) {
        ("", _) => UserCommand::Nothing,
        ("pgn" | "save", "") => UserCommand::Pgn(None),
        ("pgn" | "save", file) => UserCommand::Pgn(Some(file.to_owned())),
        ("undo" | "takeback", "") => UserCommand::Undo,
        ("hint", "") => UserCommand::Hint,
        ("moves", "") => UserCommand::Moves,
        ("board", "") => UserCommand::Board,
        ("flip", "") => UserCommand::Flip,
        ("fen", "") => UserCommand::Fen,
        ("draw", "") => UserCommand::Draw,
        ("resign", "") => UserCommand::Resign,
        ("new", "") => UserCommand::New(None),
        ("new", colour) => UserCommand::New(Some(read_colour(colour)?)),
        ("level", elo) => UserCommand::Level(read_rating(elo)?),
        ("help" | "?", "") => UserCommand::Help,
        ("quit" | "exit" | "q", "") => UserCommand::Quit,
        _ => UserCommand::Play(read_move(line, position).map_err(|why| match why {
            SpellingError::NoMove(_) => format!("{why}; type help for a list of commands"),
            SpellingError::NotPlayable(_) => why.to_string(),
        })?),
    };
    Ok(command)
}

fn read_colour(text: &str) -> Result<Colour, String> {
    match text.to_lowercase().as_str() {
        "white" => Ok(Colour::White),
        "black" => Ok(Colour::Black),
        _ => Err(format!("\"{}\" is not a colour; type new white or new black", shorten(text))),
    }
}

fn read_rating(text: &str) -> Result<f64, String> {
    let number = text.parse::<f64>().ok().filter(|elo| elo.is_finite());
    number.ok_or_else(|| {
        let text = shorten(text);
        format!(
            "\"{text}\" is not a number; type a rating on the opponent's scale, for example level 1500"
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_recognised() {
        let start = Position::default();
        assert_eq!(parse_command(" UNDO ", &start), Ok(UserCommand::Undo));
        assert_eq!(parse_command("", &start), Ok(UserCommand::Nothing));
        let file = Some("my games.pgn".to_owned());
        assert_eq!(parse_command("pgn my games.pgn", &start), Ok(UserCommand::Pgn(file)));
        assert_eq!(parse_command("New Black", &start), Ok(UserCommand::New(Some(Colour::Black))));
        assert_eq!(parse_command("level 1500", &start), Ok(UserCommand::Level(1500.0)));
        for (text, expected) in [
            ("new green", "\"green\" is not a colour"),
            ("level", "\"\" is not a number"),
            ("level nan", "not a number"),
        ] {
            let message = parse_command(text, &start).expect_err(text);
            assert!(message.contains(expected), "{text}: {message}");
        }
    }
}
