//! Play against a bare king while the tablebase for the position is not available.
//!
//! A player that never throws away a result must also win these endings, and tablebases are the
//! best way to do that. The tables of the elementary mates are built in about a second, so the
//! player waits for them as long as the clock allows. If there are more pieces, or no tablebases,
//! it plays the best move of a search instead, unless it moves at random or prefers bad moves.

use std::time::Duration;

use super::{EndgameRule, Skill, Tablebases};
use crate::board::{Colour, Position, Role};
use crate::search::{Clock, Controls};
use crate::value::Depth;

/// The longest time to wait for a table.
const MAX_WAIT: Duration = Duration::from_secs(5);

/// The minimum search depth in plies when mating without a table.
pub(super) const DEPTH: Depth = 10;

/// Returns whether the opponent of the side to move has only a king.
fn opponent_has_bare_king(position: &Position) -> bool {
    position.of_colour(!position.turn()).single_square().is_some()
        && !position.is_insufficient_material()
}

/// Returns whether a player with this skill plays the best move against a bare king where no table
/// has distances. Even weak players know how to win there. Players that move at random or prefer bad
/// moves do so there too.
pub(crate) fn must_mate(position: &Position, rule: EndgameRule, skill: &Skill) -> bool {
    rule == EndgameRule::Keep
        && skill.selector.curve.competence().get() > 0.0
        && opponent_has_bare_king(position)
}

/// Returns whether this is an elementary mate: the stronger side has a queen, a rook or a pawn.
pub(super) fn is_elementary_mate(position: &Position) -> bool {
    let has = |role| !position.pieces(position.turn(), role).is_empty();
    opponent_has_bare_king(position) && [Role::Queen, Role::Rook, Role::Pawn].into_iter().any(has)
}

/// Waits for the table of a position with a bare king, because a search finds such mates less reliably.
pub(super) fn wait_for_table(
    tablebases: &Tablebases,
    position: &Position,
    clock: &Clock,
    controls: &Controls,
) {
    let has_bare_king =
        Colour::ALL.into_iter().any(|colour| position.of_colour(colour).single_square().is_some());
    let is_decided = has_bare_king && !position.is_insufficient_material();
    if is_decided && tablebases.report(position).is_none() {
        let longest = clock.safe_time_per_move().map_or(MAX_WAIT, |time| (time / 2).min(MAX_WAIT));
        tablebases.wait_for(position, longest, || controls.is_stopped());
    }
}
