//! The state of a game as JSON for the page.

use serde::Serialize;
use serde_json::{Value as Json, json};

use super::setup::Setup;
use crate::board::{Colour, colour_index};
use crate::report::{GameMove, game_moves};
use crate::session::{GameState, RatingPoint};

/// Everything that the page shows of a game.
#[derive(Serialize)]
struct Snapshot<'a> {
    session: &'a str,
    version: u64,
    setup: &'a Setup,
    boards: Vec<String>,
    moves: Vec<GameMove<()>>,
    legal: Vec<String>,
    fen: String,
    /// White is to move.
    white: bool,
    /// The square of a king in check.
    check: Option<String>,
    human: &'static str,
    people: [bool; 2],
    names: [&'a str; 2],
    introduction: Option<&'a str>,
    handicap: Option<&'a str>,
    thinking: bool,
    draw_offered: bool,
    draw_asked: bool,
    notice: &'a str,
    problem: Option<&'a str>,
    result: Option<String>,
    verdict: Option<String>,
    /// The remaining time of White and Black in ms.
    left: Option<[u64; 2]>,
    running: bool,
    ratings: [Option<SideRating>; 2],
    values: Vec<(usize, f64)>,
}

/// The rating estimates of a side.
#[derive(Serialize)]
struct SideRating {
    sentence: String,
    /// The number of moves that were read.
    moves: usize,
    /// The points of the chart: ply, rating, and the ends of its interval.
    points: Vec<[f64; 4]>,
}

/// Returns everything that the page shows of a game. `name` is the name of its session.
pub fn snapshot(name: &str, setup: &Setup, introduction: Option<&str>, state: &GameState) -> Json {
    let table = &state.table;
    let (boards, moves) = game_moves(&table.game, |_, _| None);
    let position = table.game.position();
    let is_over = table.over().is_some();
    let legal = match is_over || !table.is_humans_turn() {
        true => Vec::new(),
        false => position.legal_moves().iter().map(|&mv| position.uci(mv)).collect(),
    };
    let is_white = position.turn() == Colour::White;
    json!(Snapshot {
        session: name,
        version: state.version,
        setup,
        boards,
        moves,
        legal,
        fen: position.fen(),
        white: is_white,
        check: position.in_check().then(|| position.king(position.turn()).to_string()),
        human: if table.human == Colour::White { "white" } else { "black" },
        people: table.people,
        names: state.seats.each_ref().map(|seat| &*seat.name),
        introduction,
        handicap: state.seats[colour_index(!table.human)].handicap.as_deref(),
        thinking: !is_over && state.trouble.is_none() && !table.is_humans_turn(),
        draw_offered: state.is_offered,
        draw_asked: state.draw_asked,
        notice: &state.notice,
        problem: state.trouble.as_deref(),
        result: table.result().map(|result| result.to_string()),
        verdict: table.verdict(),
        left: state.left(),
        running: state.runs(),
        ratings: [Colour::White, Colour::Black].map(|side| SideRating::of(state, side)),
        values: table.values(),
    })
}

impl SideRating {
    /// The estimates of a side, or `None` if its moves are not read.
    fn of(state: &GameState, side: Colour) -> Option<SideRating> {
        let points = &state.ratings[colour_index(side)];
        let [white, black] = state.table.people;
        let sentence = points.last()?.sentence((white == black).then_some(side));
        let point = |point: &RatingPoint| {
            let shown = point.shown()?;
            let (low, high) = shown.interval;
            Some([point.ply as f64, shown.elo.round(), low.round(), high.round()])
        };
        // The first point precedes the first move.
        let moves = points.len() - 1;
        Some(SideRating { sentence, moves, points: points.iter().filter_map(point).collect() })
    }
}
