//! A game as PGN has it: tags and words as they were read, which become moves when it is replayed, where one
//! that is not legal is named; and how a game is written, in export style.

use std::fmt;
use std::sync::Arc;

use crate::board::{Colour, FenError, Game, Move, MoveError, Position, STARTING_FEN};
use crate::math::fingerprint;

/// No rating is as high as that; what says so is no rating.
const MOST_ELO: f64 = 5000.0;

/// Of players and date, so many characters are enough to find a game by.
const LONGEST_NAME: usize = 120;

/// A game as it stands in the file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PgnGame {
    /// The file that it comes from, where that is known.
    pub file: Option<Arc<str>>,
    /// The line that it begins on, counted from 1.
    pub line: usize,
    pub tags: Vec<(String, String)>,
    /// The main line in standard algebraic notation.
    pub moves: Vec<String>,
    /// Seconds left on the clock of its player after each move (`[%clk h:mm:ss]`), as far as told.
    pub clocks: Vec<Option<u32>>,
    pub result: Option<String>,
}

/// Why a game could not be replayed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PgnError {
    #[error("the game on line {0} begins with an unusable FEN: {1}")]
    Start(usize, FenError),
    #[error("the game on line {0} is of another kind of chess: {1:?}")]
    Variant(usize, String),
    #[error("the game on line {0} cannot be followed at move {1}: {2}")]
    Move(usize, usize, MoveError),
}

impl PgnGame {
    pub fn tag(&self, name: &str) -> Option<&str> {
        self.tags.iter().find(|(tag, _)| tag == name).map(|(_, value)| value.as_str())
    }

    /// What the tags call a side.
    pub fn name(&self, colour: Colour) -> Option<&str> {
        self.tag(if colour == Colour::White { "White" } else { "Black" })
    }

    /// The rating that the tags give a side.
    pub fn rating(&self, colour: Colour) -> Option<f64> {
        let tag = if colour == Colour::White { "WhiteElo" } else { "BlackElo" };
        self.tag(tag)?.trim().parse().ok().filter(|elo| (1.0..MOST_ELO).contains(elo))
    }

    /// Who played, and when, as far as the tags tell.
    pub fn players(&self) -> String {
        let tag = |name| self.tag(name).unwrap_or("?");
        let date = self.tag("Date").or(self.tag("UTCDate")).unwrap_or("?");
        let text = format!("{} - {}, {date}", tag("White"), tag("Black"));
        text.chars().take(LONGEST_NAME).collect()
    }

    /// A number of its tags and moves, whatever file it stands in.
    pub fn fingerprint(&self) -> u64 {
        let mut text = String::new();
        for (tag, value) in &self.tags {
            text.extend([tag, "\0", value, "\0"]);
        }
        self.moves.iter().for_each(|san| text.extend([san, "\n"]));
        fingerprint(text.as_bytes())
    }

    /// The first `plies` moves of the game, or all of them.
    pub fn replay(&self, plies: Option<usize>) -> Result<Game, PgnError> {
        let variant = self.tag("Variant").unwrap_or_default().to_lowercase();
        let chess960 = ["960", "fischer", "freestyle"].iter().any(|name| variant.contains(name));
        let is_usual = ["", "?", "-", "from position"].contains(&variant.trim())
            || ["standard", "normal", "chess"].iter().any(|name| variant.trim().starts_with(name));
        if !chess960 && !is_usual {
            return Err(PgnError::Variant(self.line, self.tag("Variant").unwrap_or("").to_owned()));
        }
        let start = Position::from_fen(self.tag("FEN").unwrap_or(STARTING_FEN), chess960)
            .map_err(|error| PgnError::Start(self.line, error))?;
        let mut game = Game::new(start);
        for san in self.moves.iter().take(plies.unwrap_or(usize::MAX)) {
            let position = game.position();
            let san =
                san.trim_end_matches("e.p.").trim_end_matches("ep").trim_end_matches(['+', '#']);
            let other = || by_squares(position, san).or_else(|| promotion(position, san));
            let m = position.parse_san(san).or_else(|error| other().ok_or(error));
            let m =
                m.map_err(|error| PgnError::Move(self.line, position.fullmoves() as usize, error))?;
            game.play(m);
        }
        Ok(game)
    }
}

/// The move of a word that names both squares, as `e2-e4`, `Ng1xf3` or `e7e8Q`.
fn by_squares(position: &Position, word: &str) -> Option<Move> {
    let word =
        word.trim_end_matches(['+', '#']).trim_start_matches(|c: char| c.is_ascii_uppercase());
    let bare: String = word.chars().filter(|c| !"-x=:".contains(*c)).collect();
    position.parse_uci(&bare.to_lowercase()).ok()
}

/// The move of a word without `=`, as `e8Q`.
fn promotion(position: &Position, word: &str) -> Option<Move> {
    let bare = word.trim_end_matches(['+', '#']);
    let (before, piece) = bare.split_at_checked(bare.len().checked_sub(1)?)?;
    position.parse_san(&format!("{before}={piece}")).ok()
}

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
