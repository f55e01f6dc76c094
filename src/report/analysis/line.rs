//! An evaluated game as a line of JSON, for other programs.

use serde::Serialize;
use serde_json::{Value as Json, json};

use crate::analyser::{EvaluatedGame, EvaluationConditions};
use crate::board::Position;
use crate::evaluation::MoveEvaluation;
use crate::games::pgn::PgnGame;
use crate::value::Depth;

/// What the values of a line depend on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct LineConditions {
    #[serde(rename = "assessor")]
    pub evaluator: String,
    pub depth: Depth,
    /// Moves at the beginning that were not valued.
    pub opening: usize,
}

/// A move, its values in centipawns at depths 1, 2..., and the depths whose value is a bound.
type DepthValues = (String, Vec<i32>, Vec<usize>);

#[derive(Serialize)]
struct GameLine {
    file: Option<String>,
    line: usize,
    tags: Vec<(String, String)>,
    moves: Vec<String>,
    result: Option<String>,
    conditions: LineConditions,
    values: Vec<Option<Vec<DepthValues>>>,
}

impl LineConditions {
    pub fn new(conditions: &EvaluationConditions) -> LineConditions {
        LineConditions {
            evaluator: conditions.evaluator.identity.clone(),
            depth: conditions.request.depth,
            opening: conditions.opening,
        }
    }
}

/// The line; `reports` is what was found in this game alone.
pub fn game_line(evaluated: &EvaluatedGame, conditions: LineConditions, reports: &[Json]) -> Json {
    let PgnGame { file, line, tags, moves, result, clocks: _ } = evaluated.pgn.clone();
    let mut position = evaluated.game.start().clone();
    let mut values = Vec::new();
    for (played, evaluation) in evaluated.evaluations.iter().enumerate() {
        let moves = evaluation.iter().map(|of| of.moves.iter().map(|m| move_line(&position, m)));
        values.push(moves.map(Iterator::collect).next());
        evaluated.game.moves().get(played).iter().for_each(|&&mv| position.play(mv));
    }
    let file = file.map(|file| file.to_string());
    json!({
        "game": GameLine { file, line, tags, moves, result, conditions, values },
        "reports": reports,
    })
}

fn move_line(position: &Position, m: &MoveEvaluation) -> DepthValues {
    let values = m.by_depth.iter().map(|assessment| assessment.value.raw()).collect();
    let bounds = m.by_depth.iter().zip(1..).filter(|(a, _)| !a.exact).map(|(_, depth)| depth);
    (position.uci(m.mv), values, bounds.collect())
}
