//! What the page shows of a table, as JSON.

use serde_json::{Value as Json, json};

use super::state::{Belief, State};
use crate::board::{Colour, Position};
use crate::report::moves_json;
use crate::sparring::FEWEST_MOVES;

/// Everything.
pub fn snapshot(session: &str, state: &State) -> Json {
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
        "opponent": state.name,
        "introduction": state.introduction,
        "handicap": state.handicap,
        "thinking": is_thinking,
        "offered": state.is_offered,
        "asked": state.draw_asked,
        "notice": state.notice,
        "trouble": state.trouble,
        "result": state.table.result().map(|result| result.to_string()),
        "verdict": state.table.verdict(),
        "left": state.left(),
        "running": state.runs(),
        "beliefs": beliefs(state),
        "enough": state.beliefs.last().is_some_and(|belief| belief.informative >= FEWEST_MOVES),
        "informative": state.beliefs.last().map(|belief| belief.informative),
        "values": state.table.values(),
    })
}

/// The square of a king in check.
fn checked(position: &Position) -> Option<String> {
    position.in_check().then(|| position.king(position.turn()).to_string())
}

/// Plies, means and the ends of intervals.
fn beliefs(state: &State) -> Vec<[f64; 4]> {
    let row = |belief: &Belief| {
        let (low, high) = belief.interval;
        [belief.ply as f64, belief.rating.round(), low.round(), high.round()]
    };
    state.beliefs.iter().map(row).collect()
}
