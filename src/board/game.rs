//! A game: a position with the moves that led to it, and the rules that depend on those moves.

use super::moves::Move;
use super::notation::{FenError, MoveError, STARTING_FEN};
use super::position::Position;

/// The ways in which a game ends by the rules of chess.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GameEnd {
    /// The side to move is mated.
    Checkmate,
    /// The side to move has no legal move and is not in check.
    Stalemate,
    /// Neither side can mate.
    InsufficientMaterial,
    /// Fifty moves have been played without a capture or a pawn move.
    FiftyMoves,
    /// The position has occurred for the third time.
    Threefold,
}

/// The reason a game could not be set up.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum GameError {
    /// The starting position is invalid.
    #[error(transparent)]
    Position(#[from] FenError),
    /// The move with this number, counted from 1, is invalid.
    #[error("move {0} of the list: {1}")]
    Move(usize, MoveError),
}

/// The maximum number of plies taken back at once. If more are missing, the game counts as new.
const MAX_TAKEN_BACK: usize = 16;

/// A starting position and the moves played from it.
#[derive(Clone, Debug, Default)]
pub struct Game {
    start: Position,
    position: Position,
    moves: Vec<Move>,
    /// Keys of all earlier positions, oldest first.
    keys: Vec<u64>,
}

impl Game {
    /// A game without moves from this position.
    pub fn new(start: Position) -> Game {
        Game { position: start.clone(), start, moves: Vec::new(), keys: Vec::new() }
    }

    /// Sets up a game from the arguments of the UCI command `position`. If any move is illegal, the whole game is
    /// rejected.
    pub fn from_uci<'a>(
        fen: Option<&str>,
        moves: impl IntoIterator<Item = &'a str>,
        chess960: bool,
    ) -> Result<Game, GameError> {
        let mut game = Game::new(Position::from_fen(fen.unwrap_or(STARTING_FEN), chess960)?);
        for (index, text) in moves.into_iter().enumerate() {
            let m =
                game.position.parse_uci(text).map_err(|error| GameError::Move(index + 1, error))?;
            game.play(m);
        }
        Ok(game)
    }

    /// Plays a move, which must be legal here. Otherwise, the position afterwards makes no sense.
    pub fn play(&mut self, m: Move) {
        self.keys.push(self.position.key());
        self.moves.push(m);
        self.position.play(m);
    }

    /// The game without its last move, if it has one.
    #[must_use]
    pub(crate) fn before_last(&self) -> Game {
        self.until(self.ply().saturating_sub(1))
    }

    /// The first `plies` plies of the game.
    #[must_use]
    pub fn until(&self, plies: usize) -> Game {
        let mut game = Game::new(self.start.clone());
        self.moves.iter().take(plies).for_each(|&m| game.play(m));
        game
    }

    /// Finds the game that leads to a position, for programs that send positions without the moves. The result is this
    /// game, or an earlier state of it, with at most one move added. `None` if there is no such game.
    pub(crate) fn leading_to(&self, position: &Position) -> Option<Game> {
        let is_there = |other: &Position| {
            other.key() == position.key() && other.halfmoves() == position.halfmoves()
        };
        let mut game = self.clone();
        loop {
            if is_there(game.position()) {
                return Some(game);
            }
            let before = game.position();
            let leads = |m: &Move| {
                let mut after = before.clone();
                after.play(*m);
                is_there(&after)
            };
            if let Some(m) = before.legal_moves().into_iter().find(leads) {
                game.play(m);
                return Some(game);
            }
            if game.moves.is_empty() {
                return None;
            }
            game = game.before_last();
        }
    }

    /// The starting position.
    pub fn start(&self) -> &Position {
        &self.start
    }

    /// Whether the game started from the usual position of standard chess.
    pub fn is_from_usual_start(&self) -> bool {
        !self.start.is_chess960() && self.start.key() == Game::default().start.key()
    }

    /// The current position.
    pub fn position(&self) -> &Position {
        &self.position
    }

    /// The moves since the start.
    pub fn moves(&self) -> &[Move] {
        &self.moves
    }

    /// Plies played since the start.
    pub fn ply(&self) -> usize {
        self.moves.len()
    }

    /// Plies played before the current position, according to its move number. Includes plies before the starting
    /// position.
    pub(crate) fn plies(&self) -> usize {
        self.position.plies()
    }

    /// Whether this is a new game, and not `last` continued or with some moves taken back. Not every program announces
    /// a new game. A game counts as new if it has a different starting position, or if more than 16 plies were taken
    /// back. It also counts as new if it is at most one ply long and `last` was longer than three plies.
    pub(crate) fn is_new_after(&self, last: &Game) -> bool {
        last.start.key() != self.start.key()
            || last.ply() - self.common_moves(last) > MAX_TAKEN_BACK
            || self.ply() <= 1 && last.ply() > 3
    }

    /// Visits the moves of the game, each with the game before it.
    pub(crate) fn for_each_move(&self, mut visit: impl FnMut(&Game, Move)) {
        let mut before = Game::new(self.start.clone());
        for &mv in &self.moves {
            visit(&before, mv);
            before.play(mv);
        }
    }

    /// The number of moves, counted from the start, that the two games have in common.
    pub(crate) fn common_moves(&self, other: &Game) -> usize {
        let pairs = self.moves.iter().zip(&other.moves);
        pairs.take_while(|(own, others)| own == others).count()
    }

    /// Keys of the earlier positions that could be repeated, oldest first: those since the last capture or pawn move.
    /// Scores do not depend on any other part of the history.
    pub fn repeatable_keys(&self) -> &[u64] {
        let reach = (self.position.halfmoves() as usize).min(self.keys.len());
        &self.keys[self.keys.len() - reach..]
    }

    /// The number of times that the current position has occurred, including now.
    pub(crate) fn occurrences(&self) -> usize {
        let key = self.position.key();
        1 + self.repeatable_keys().iter().filter(|&&earlier| earlier == key).count()
    }

    /// The way in which the game has ended, if it has.
    pub fn ending(&self) -> Option<GameEnd> {
        if !self.position.has_legal_move() {
            return Some(if self.position.in_check() {
                GameEnd::Checkmate
            } else {
                GameEnd::Stalemate
            });
        }
        if self.position.is_insufficient_material() {
            Some(GameEnd::InsufficientMaterial)
        } else if self.position.halfmoves() >= 100 {
            Some(GameEnd::FiftyMoves)
        } else if self.occurrences() >= 3 {
            Some(GameEnd::Threefold)
        } else {
            None
        }
    }
}
