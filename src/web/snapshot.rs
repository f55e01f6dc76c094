//! The state of a game as JSON for the page.

use serde_json::{Value as Json, json};

use super::setup::Setup;
use crate::board::{Colour, colour_index};
use crate::report::moves_json;
use crate::session::{FEWEST_MOVES, GameState, RatingPoint};

/// Returns everything that the page shows of a game. `name` is the name of its session.
pub fn snapshot(name: &str, setup: &Setup, introduction: Option<&str>, state: &GameState) -> Json {
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
        "session": name,
        "version": state.version,
        "setup": setup,
        "boards": boards,
        "moves": moves,
        "legal": legal,
        "fen": position.fen(),
        "white": position.turn() == Colour::White,
        "check": position.in_check().then(|| position.king(position.turn()).to_string()),
        "human": if state.table.human == Colour::White { "white" } else { "black" },
        "people": state.table.people,
        "names": state.seats.each_ref().map(|seat| &seat.name),
        "introduction": introduction,
        "handicap": state.seats[colour_index(!state.table.human)].handicap,
        "thinking": is_thinking,
        "offered": state.is_offered,
        "asked": state.draw_asked,
        "notice": state.notice,
        "trouble": state.trouble,
        "result": state.table.result().map(|result| result.to_string()),
        "verdict": state.table.verdict(),
        "left": state.left(),
        "running": state.runs(),
        "beliefs": state.ratings.each_ref().map(|points| estimates(points)),
        "values": state.table.values(),
    })
}

/// Returns the rating estimates of a side as plies, medians and interval ends. `None` if the moves
/// of that side are not read.
fn estimates(points: &[RatingPoint]) -> Option<Json> {
    let row = |point: &RatingPoint| {
        let (low, high) = point.interval;
        [point.ply as f64, point.rating.round(), low.round(), high.round()]
    };
    let informative = points.last()?.informative;
    Some(json!({
        "points": points.iter().map(row).collect::<Vec<_>>(),
        "informative": informative,
        "enough": informative >= FEWEST_MOVES,
    }))
}
