//! What the page shows of a table, as JSON.

use serde_json::{Value as Json, json};

use super::state::{RatingPoint, WebState, place};
use crate::board::{Colour, Position};
use crate::report::moves_json;
use crate::sparring::FEWEST_MOVES;

/// Everything.
pub fn snapshot(session: &str, state: &WebState) -> Json {
    let game = &state.table.game;
    let (boards, moves) = moves_json(game, |_, _| Json::Null);
    let position = game.position();
    let is_over = state.table.over().is_some();
    let legal = match is_over || !state.table.is_humans_turn() {
        true => Vec::new(),
        false => position.legal_moves().iter().map(|&mv| position.uci(mv)).collect(),
    };
    let is_thinking = !is_over && state.trouble.is_none() && !state.table.is_humans_turn();
    json!({
        "session": session,
        "version": state.version,
        "setup": state.setup,
        "boards": boards,
        "moves": moves,
        "legal": legal,
        "fen": position.fen(),
        "white": position.turn() == Colour::White,
        "check": checked(position),
        "human": if state.table.human == Colour::White { "white" } else { "black" },
        "people": state.table.people,
        "names": state.seats.each_ref().map(|seat| &seat.name),
        "introduction": state.introduction,
        "handicap": state.seats[place(!state.table.human)].handicap,
        "thinking": is_thinking,
        "offered": state.is_offered,
        "asked": state.draw_asked,
        "notice": state.notice,
        "trouble": state.trouble,
        "result": state.table.result().map(|result| result.to_string()),
        "verdict": state.table.verdict(),
        "left": state.left(),
        "running": state.runs(),
        "beliefs": state.beliefs.each_ref().map(|beliefs| believed(beliefs)),
        "values": state.table.values(),
    })
}

/// The square of a king in check.
fn checked(position: &Position) -> Option<String> {
    position.in_check().then(|| position.king(position.turn()).to_string())
}

/// What is believed of a side: plies, medians and the ends of intervals; nothing of whose moves are not
/// read.
fn believed(beliefs: &[RatingPoint]) -> Option<Json> {
    let row = |belief: &RatingPoint| {
        let (low, high) = belief.interval;
        [belief.ply as f64, belief.rating.round(), low.round(), high.round()]
    };
    let informative = beliefs.last()?.informative;
    Some(json!({
        "points": beliefs.iter().map(row).collect::<Vec<_>>(),
        "informative": informative,
        "enough": informative >= FEWEST_MOVES,
    }))
}
