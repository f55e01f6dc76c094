//! A game as it was read: tags and words, which become moves when it is replayed; one that is not legal
//! is named.

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
