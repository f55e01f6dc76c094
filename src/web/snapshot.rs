//! The state of a game as JSON for the page.

use serde::Serialize;
use serde_json::{Value as Json, json};

use super::setup::{EarlyEnd, Setup};
use crate::board::{Colour, Game, colour_index};
use crate::report::{GameMove, game_moves};
use crate::session::{GameState, RatingPoint};

/// The game that the page has requested, with its setup.
#[derive(Debug)]
pub struct RequestedGame {
    pub setup: Setup,
    /// The description of a rated opponent.
    pub introduction: Option<String>,
    /// The moves that led to the first position.
    pub before: Game,
}

/// Everything that the page shows of a game.
#[derive(Serialize)]
struct Snapshot<'a> {
    session: &'a str,
    version: u64,
    setup: &'a Setup,
    boards: Vec<String>,
    moves: Vec<GameMove<()>>,
    /// The number of plies before this game began.
    before: usize,
    legal: Vec<String>,
    fen: String,
    /// Whether White is to move.
    white: bool,
    /// The square of a king in check.
    check: Option<String>,
    human: &'static str,
    people: [bool; 2],
    names: [&'a str; 2],
    introduction: Option<&'a str>,
    thinking: bool,
    draw_offered: bool,
    draw_asked: bool,
    hint_asked: bool,
    /// The best move in UCI notation and in SAN.
    hint: Option<[String; 2]>,
    notice: &'a str,
    problem: Option<&'a str>,
    result: Option<String>,
    ended: Option<EarlyEnd>,
    verdict: Option<String>,
    /// The remaining time of White and Black in ms.
    left: Option<[u64; 2]>,
    /// Whether the clocks are running.
    running: bool,
    ratings: [Option<SideRating>; 2],
    values: Vec<(usize, f64)>,
}

/// The rating estimates for a side.
#[derive(Serialize)]
struct SideRating {
    sentence: String,
    /// The number of moves that have been evaluated.
    moves: usize,
    /// The points of the chart: ply, rating, and the ends of its interval.
    points: Vec<[f64; 4]>,
}

/// Returns everything that the page shows of a game. `name` is the name of the session.
pub fn snapshot(name: &str, requested: &RequestedGame, state: &GameState) -> Json {
    let RequestedGame { setup, introduction, before } = requested;
    let casual = &state.casual.preceded_by(before);
    let before = before.ply();
    let (boards, moves) = game_moves(&casual.game, |_, _| None);
    let position = casual.game.position();
    let is_over = casual.over().is_some();
    let legal = match is_over || !casual.is_humans_turn() {
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
        before,
        legal,
        fen: position.fen(),
        white: is_white,
        check: position.in_check().then(|| position.king(position.turn()).to_string()),
        human: if casual.human == Colour::White { "white" } else { "black" },
        people: casual.people,
        names: state.players.each_ref().map(|player| &*player.name),
        introduction: introduction.as_deref(),
        thinking: !is_over && state.problem.is_none() && !casual.is_humans_turn(),
        draw_offered: state.is_offered,
        draw_asked: state.draw_asked,
        hint_asked: state.hint_asked,
        hint: state.hint.map(|(m, _)| [position.uci(m), position.san(m)]),
        notice: &state.notice,
        problem: state.problem.as_deref(),
        result: casual.result().map(|result| result.to_string()),
        ended: casual.over().and_then(EarlyEnd::of),
        verdict: casual.verdict(),
        left: state.left(),
        running: state.clocks_run(),
        ratings: [Colour::White, Colour::Black].map(|side| SideRating::of(state, side, before)),
        values: casual.values(),
    })
}

impl SideRating {
    /// The estimates for a side, or `None` if its moves are not rated. `before` is the number of
    /// plies before this game began.
    fn of(state: &GameState, side: Colour, before: usize) -> Option<SideRating> {
        let points = &state.ratings[colour_index(side)];
        let [white, black] = state.casual.people;
        let sentence = points.last()?.sentence_so_far((white == black).then_some(side));
        let point = |point: &RatingPoint| {
            let shown = point.shown_early()?;
            let (low, high) = shown.interval;
            Some([(before + point.ply) as f64, shown.elo.round(), low.round(), high.round()])
        };
        // The first point precedes the first move.
        let moves = points.len() - 1;
        Some(SideRating { sentence, moves, points: points.iter().filter_map(point).collect() })
    }
}
