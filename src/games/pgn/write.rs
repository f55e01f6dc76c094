//! Writes games in the export format of the PGN standard (section 8). Lines have up to 80 columns.
//! The move number is repeated if a comment separates the moves of White and Black.

use std::fmt;

use crate::board::{Colour, Game, STARTING_FEN};

const LINE_WIDTH: usize = 80;

/// A game to write: tags in order, moves with at most one comment each, and a result.
#[derive(Debug)]
pub struct PgnWriter<'a> {
    /// The names and values of the tags, in the order to write them.
    pub tags: Vec<(&'static str, String)>,
    /// The starting position and the moves.
    pub game: &'a Game,
    /// `comments[i]` follows move i. Empty or missing comments are not written.
    pub comments: Vec<String>,
    /// `1-0`, `0-1`, `1/2-1/2` or `*`.
    pub result: &'a str,
}

impl fmt::Display for PgnWriter<'_> {
    /// The text ends with an empty line, so that games can be appended to a file.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (name, value) in &self.tags {
            writeln!(f, "[{name} \"{}\"]", escape(value))?;
        }
        let start = self.game.start().fen();
        if start != STARTING_FEN {
            writeln!(f, "[SetUp \"1\"]\n[FEN \"{start}\"]")?;
        }
        writeln!(f)?;
        self.write_moves(f)?;
        writeln!(f)
    }
}

impl PgnWriter<'_> {
    fn write_moves(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut lines = Lines::default();
        let mut position = self.game.start().clone();
        // The first move and a move after a comment have a move number even if Black plays them.
        let mut shows_number = true;
        for (index, &m) in self.game.moves().iter().enumerate() {
            match position.turn() {
                Colour::White => lines.word(f, &format!("{}.", position.fullmoves()))?,
                Colour::Black if shows_number => {
                    lines.word(f, &format!("{}...", position.fullmoves()))?;
                }
                Colour::Black => {}
            }
            lines.word(f, &position.san(m))?;
            let comment = self.comments.get(index).filter(|text| !text.is_empty());
            if let Some(comment) = comment {
                // A closing brace inside a comment would end it too early.
                for word in format!("{{{}}}", comment.replace(['{', '}'], "|")).split_whitespace() {
                    lines.word(f, word)?;
                }
            }
            shows_number = comment.is_some();
            position.play(m);
        }
        lines.word(f, self.result)?;
        writeln!(f)
    }
}

/// Wraps a stream of words.
#[derive(Default)]
struct Lines {
    column: usize,
}

impl Lines {
    fn word(&mut self, f: &mut fmt::Formatter<'_>, word: &str) -> fmt::Result {
        let width = word.chars().count();
        if self.column == 0 {
            self.column = width;
        } else if self.column + 1 + width > LINE_WIDTH {
            writeln!(f)?;
            self.column = width;
        } else {
            write!(f, " ")?;
            self.column += 1 + width;
        }
        write!(f, "{word}")
    }
}

/// Escapes quotes and backslashes in a tag value. Control characters become spaces, because a tag
/// cannot contain a line break.
fn escape(value: &str) -> String {
    let flat: String = value.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    flat.replace('\\', "\\\\").replace('"', "\\\"")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::pgn::read_pgn;

    #[test]
    fn written_games_can_be_read_again() {
        let fen = "r3k2r/8/8/8/8/8/8/R3K2R b KQkq - 3 20";
        let game = Game::from_uci(Some(fen), ["e8g8", "e1c1", "a8a1"], false).expect("legal");
        let written = PgnWriter {
            tags: vec![("Event", "back\\slash \"quoted\"".to_owned())],
            game: &game,
            comments: vec![String::new(), "+0.25/18 1.2s, an } inside".to_owned()],
            result: "0-1",
        }
        .to_string();
        assert!(
            written.contains("20... O-O 21. O-O-O {+0.25/18 1.2s, an | inside} 21... Ra1+ 0-1\n")
        );
        let again = &read_pgn(&written)[0];
        assert_eq!(again.tag("Event"), Some("back\\slash \"quoted\""));
        assert_eq!(again.replay(None).expect("legal").position(), game.position());
    }

    #[test]
    fn a_black_move_after_a_comment_has_its_number() {
        let game = Game::from_uci(None, ["e2e4", "e7e5", "g1f3", "b8c6"], false).expect("legal");
        let comments = vec!["book".to_owned(), "book".to_owned()];
        let written = PgnWriter { tags: Vec::new(), game: &game, comments, result: "*" };
        assert_eq!(written.to_string(), "\n1. e4 {book} 1... e5 {book} 2. Nf3 Nc6 *\n\n");
    }
}
