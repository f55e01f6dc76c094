//! The moves of a game as JSON for a board in the browser.

use serde::Serialize;

use crate::board::{Colour, Game, Position};

/// A move in a game. `T` is the data about the decision.
#[derive(Debug, Serialize)]
pub struct GameMove<T> {
    /// The move number, written as `12.` or `12...`.
    number: String,
    /// Whether White made the move.
    white: bool,
    san: String,
    uci: String,
    squares: [String; 2],
    #[serde(skip_serializing_if = "Option::is_none")]
    pub decision: Option<T>,
}

/// The piece placement in each position of a game, and the moves. `decision` receives the number of
/// moves before each move, and the position.
pub fn game_moves<T>(
    game: &Game,
    mut decision: impl FnMut(usize, &Position) -> Option<T>,
) -> (Vec<String>, Vec<GameMove<T>>) {
    let mut position = game.start().clone();
    let mut boards = vec![placement(&position)];
    let mut moves = Vec::new();
    for (played, &mv) in game.moves().iter().enumerate() {
        moves.push(GameMove {
            number: position.move_number(),
            white: position.turn() == Colour::White,
            san: position.san(mv),
            uci: position.uci(mv),
            squares: [mv.from().to_string(), mv.to().to_string()],
            decision: decision(played, &position),
        });
        position.play(mv);
        boards.push(placement(&position));
    }
    (boards, moves)
}

/// The piece placement field of the FEN.
fn placement(position: &Position) -> String {
    position.fen().split(' ').next().unwrap_or_default().to_owned()
}
