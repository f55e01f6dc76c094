//! Against a bare king, where no table is at hand (yet).
//!
//! A won ending stays won for whoever keeps results, and a table is the best means to that. Those of
//! the elementary mates are made within about a second, so they are waited for, as far as the clock
//! allows. With more pieces than tables have, or without tables, such a player plays his best move.

use std::time::Duration;

use super::Tablebases;
use super::decision::MoveRequest;
use crate::board::{Colour, Position, Role};
use crate::evaluation::{MoveEvaluation, RootEvaluation};
use crate::value::{Depth, Value};

/// The longest wait for a table.
const PATIENCE: Duration = Duration::from_secs(5);

/// Plies looked ahead by whoever has to mate without a table.
pub(super) const DEPTH: Depth = 10;

/// What is a win here: more than any position that is drawn looks like.
const WINNING: Value = Value::centipawns(250);

/// Is the opponent of the side to move left with nothing but his king?
pub(super) fn is_opponents(position: &Position) -> bool {
    position.of_colour(!position.turn()).single_square().is_some()
        && !position.is_insufficient_material()
}

/// Is it one of the mates that everybody learns, with a queen, a rook or a pawn that may become one?
pub(super) fn is_learnt(position: &Position) -> bool {
    let has = |role| !position.pieces(position.turn(), role).is_empty();
    is_opponents(position) && [Role::Queen, Role::Rook, Role::Pawn].into_iter().any(has)
}

/// Waits for the table of a mate, so that it is neither missed nor valued by anything less.
pub(super) fn wait_for_table(tablebases: &Tablebases, request: &MoveRequest<'_>) {
    let MoveRequest { game, limits, controls } = *request;
    let position = game.position();
    let has_bare_king =
        Colour::ALL.into_iter().any(|colour| position.of_colour(colour).single_square().is_some());
    let is_decided = has_bare_king && !position.is_insufficient_material();
    if is_decided && tablebases.report(position).is_none() {
        let longest = limits.clock.longest().map_or(PATIENCE, |time| (time / 2).min(PATIENCE));
        tablebases.wait_for(position, longest, || controls.is_stopped());
    }
}

/// The best move, if it wins for certain.
pub(super) fn certain_win(evaluation: &RootEvaluation) -> Option<&MoveEvaluation> {
    evaluation.best().filter(|best| best.value() >= WINNING)
}
