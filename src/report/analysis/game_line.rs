//! An evaluated game as a line of JSON, for other programs.

use serde::Serialize;

use super::json::PlayerJson;
use crate::analyser::{EvaluatedGame, EvaluationConditions};
use crate::board::Position;
use crate::evaluation::MoveEvaluation;
use crate::games::pgn::PgnGame;
use crate::value::Depth;

/// The settings that the evaluations depend on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct LineConditions {
    pub evaluator: String,
    pub depth: Depth,
    /// The number of moves at the start of the game that were not evaluated.
    pub opening_moves: usize,
}

/// The line for a game.
#[derive(Debug, Serialize)]
pub struct GameLine<'a> {
    game: GameJson,
    /// The results for this game alone.
    reports: Vec<PlayerJson<'a>>,
}

#[derive(Debug, Serialize)]
struct GameJson {
    file: Option<String>,
    line: usize,
    tags: Vec<(String, String)>,
    moves: Vec<String>,
    result: Option<String>,
    conditions: LineConditions,
    /// One entry for each position, null if it was not evaluated.
    evaluations: Vec<Option<Vec<MoveJson>>>,
}

#[derive(Debug, Serialize)]
struct MoveJson {
    #[serde(rename = "move")]
    uci: String,
    /// The evaluations from the mover's point of view, at depths 1, 2 and so on.
    centipawns: Vec<i32>,
    /// The depths at which the evaluation is only an upper bound.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    bounds: Vec<usize>,
}

impl LineConditions {
    pub fn new(conditions: &EvaluationConditions) -> LineConditions {
        LineConditions {
            evaluator: conditions.evaluator.identity.clone(),
            depth: conditions.request.depth,
            opening_moves: conditions.opening,
        }
    }
}

impl GameLine<'_> {
    pub fn new<'a>(
        evaluated: &EvaluatedGame,
        conditions: LineConditions,
        reports: Vec<PlayerJson<'a>>,
    ) -> GameLine<'a> {
        let PgnGame { file, line, tags, moves, result, clocks: _ } = evaluated.pgn.clone();
        let mut position = evaluated.game.start().clone();
        let mut evaluations = Vec::new();
        for (played, evaluation) in evaluated.evaluations.iter().enumerate() {
            let moves = evaluation.as_ref().map(|of| of.moves.iter());
            evaluations.push(moves.map(|all| all.map(|m| MoveJson::new(&position, m)).collect()));
            evaluated.game.moves().get(played).iter().for_each(|&&mv| position.play(mv));
        }
        let file = file.map(|file| file.to_string());
        let game = GameJson { file, line, tags, moves, result, conditions, evaluations };
        GameLine { game, reports }
    }
}

impl MoveJson {
    fn new(position: &Position, m: &MoveEvaluation) -> MoveJson {
        let depths = m.by_depth.iter().zip(1..);
        MoveJson {
            uci: position.uci(m.mv),
            centipawns: m.by_depth.iter().map(|of_depth| of_depth.value.raw()).collect(),
            bounds: depths.filter(|(value, _)| !value.exact).map(|(_, depth)| depth).collect(),
        }
    }
}
