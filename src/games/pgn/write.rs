//! One game as PGN text in export style.

use std::fmt;

use crate::board::{Colour, Game, STARTING_FEN};

const LINE_WIDTH: usize = 80;

/// A game to be written: tags in order, moves with at most one comment each, a result.
#[derive(Debug)]
pub struct PgnWriter<'a> {
    pub tags: Vec<(&'static str, String)>,
    pub game: &'a Game,
    /// `comments[i]` stands behind move i; an empty one is left out, as are those missing.
    pub comments: Vec<String>,
    /// `1-0`, `0-1`, `1/2-1/2` or `*`.
    pub result: &'a str,
}

impl fmt::Display for PgnWriter<'_> {
    /// Ends with an empty line, so that games can be written one behind another.
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
        for (index, &m) in self.game.moves().iter().enumerate() {
            match position.turn() {
                Colour::White => lines.word(f, &format!("{}.", position.fullmoves()))?,
                Colour::Black if index == 0 => {
                    lines.word(f, &format!("{}...", position.fullmoves()))?;
                }
                Colour::Black => {}
            }
            lines.word(f, &position.san(m))?;
            if let Some(comment) = self.comments.get(index).filter(|text| !text.is_empty()) {
                // A closing brace would end the comment early.
                for word in format!("{{{}}}", comment.replace(['{', '}'], "|")).split_whitespace() {
                    lines.word(f, word)?;
                }
            }
            position.play(m);
        }
        lines.word(f, self.result)?;
        writeln!(f)
    }
}

/// Breaks a stream of words into lines.
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

/// A tag's value is quoted: quotes and backslashes are escaped, line ends do not exist in it.
fn escape(value: &str) -> String {
    let flat: String = value.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    flat.replace('\\', "\\\\").replace('"', "\\\"")
}
