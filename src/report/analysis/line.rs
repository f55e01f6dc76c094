//! A surveyed game as a line of JSON, out and in again: what runs on other machines have found is put
//! together to what one run would have.

use serde::{Deserialize, Serialize};
use serde_json::{Value as Json, json};

use crate::analyser::{Conditions, Surveyed};
use crate::board::{Move, Position};
use crate::evaluation::{Assessment, MoveEvaluation, RootEvaluation};
use crate::games::pgn::{PgnError, PgnGame};
use crate::value::{Depth, Value};

/// What the values of a line depend on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LineConditions {
    pub assessor: String,
    pub depth: Depth,
    /// Moves at the beginning that were not valued.
    pub opening: usize,
}

/// A move, its values in centipawns at depths 1, 2..., and the depths whose value is a bound.
type MoveLine = (String, Vec<i32>, Vec<usize>);

#[derive(Serialize, Deserialize)]
struct GameLine {
    file: Option<String>,
    line: usize,
    tags: Vec<(String, String)>,
    moves: Vec<String>,
    result: Option<String>,
    conditions: LineConditions,
    values: Vec<Option<Vec<MoveLine>>>,
}

/// Why a line is no game.
#[derive(Debug, thiserror::Error)]
pub enum LineError {
    #[error("it is no line of --per-game")]
    Json(#[from] serde_json::Error),
    #[error(transparent)]
    Game(#[from] PgnError),
    #[error("its values do not belong to its moves")]
    Values,
}

impl LineConditions {
    pub fn new(conditions: &Conditions) -> LineConditions {
        LineConditions {
            assessor: conditions.assessor.identity.clone(),
            depth: conditions.request.depth,
            opening: conditions.opening,
        }
    }
}

/// The line; `reports` is what was found in this game alone.
pub fn game_line(surveyed: &Surveyed, conditions: LineConditions, reports: &[Json]) -> Json {
    let PgnGame { file, line, tags, moves, result, clocks: _ } = surveyed.pgn.clone();
    let mut position = surveyed.game.start().clone();
    let mut values = Vec::new();
    for (played, evaluation) in surveyed.evaluations.iter().enumerate() {
        let moves = evaluation.iter().map(|of| of.moves.iter().map(|m| move_line(&position, m)));
        values.push(moves.map(Iterator::collect).next());
        surveyed.game.moves().get(played).iter().for_each(|&&mv| position.play(mv));
    }
    let file = file.map(|file| file.to_string());
    json!({
        "game": GameLine { file, line, tags, moves, result, conditions, values },
        "reports": reports,
    })
}

fn move_line(position: &Position, m: &MoveEvaluation) -> MoveLine {
    let values = m.by_depth.iter().map(|assessment| assessment.value.raw()).collect();
    let bounds = m.by_depth.iter().zip(1..).filter(|(a, _)| !a.exact).map(|(_, depth)| depth);
    (position.uci(m.mv), values, bounds.collect())
}

/// A game as it was surveyed, but for lines and nodes, and under what conditions.
pub fn read_game_line(text: &str, number: usize) -> Result<(Surveyed, LineConditions), LineError> {
    #[derive(Deserialize)]
    struct Line {
        game: GameLine,
    }
    let Line { game: GameLine { file, line, tags, moves, result, conditions, values } } =
        serde_json::from_str(text)?;
    let pgn =
        PgnGame { file: file.map(Into::into), line, tags, moves, result, ..PgnGame::default() };
    let game = pgn.replay(None)?;
    if values.len() != game.ply() + 1 {
        return Err(LineError::Values);
    }
    let mut position = game.start().clone();
    let mut evaluations = Vec::with_capacity(values.len());
    for (played, moves) in values.into_iter().enumerate() {
        let evaluation = moves.map(|moves| read_moves(&position, moves));
        evaluations.push(evaluation.transpose()?);
        game.moves().get(played).iter().for_each(|&&mv| position.play(mv));
    }
    Ok((Surveyed { number, pgn, game, evaluations }, conditions))
}

fn read_moves(position: &Position, moves: Vec<MoveLine>) -> Result<RootEvaluation, LineError> {
    let depths = moves.first().map_or(0, |(_, values, _)| values.len());
    let depth = Depth::try_from(depths).ok().filter(|&depth| depth > 0).ok_or(LineError::Values)?;
    let read = |(uci, values, bounds): MoveLine| {
        let mv = position.parse_uci(&uci).map_err(|_| LineError::Values)?;
        let assess = |(value, depth): (&i32, usize)| Assessment {
            value: Value::centipawns(*value),
            exact: !bounds.contains(&depth),
        };
        let by_depth: Vec<Assessment> = values.iter().zip(1..).map(assess).collect();
        let is_sound =
            by_depth.len() == depths && values.iter().all(|value| i16::try_from(*value).is_ok());
        if is_sound {
            Ok(MoveEvaluation { mv, by_depth, line: Vec::new() })
        } else {
            Err(LineError::Values)
        }
    };
    let moves = moves.into_iter().map(read).collect::<Result<Vec<_>, _>>()?;
    let is_there = |mv: &Move| moves.iter().any(|found: &MoveEvaluation| found.mv == *mv);
    let legal = position.legal_moves();
    if moves.len() != legal.len() || !legal.iter().all(is_there) {
        return Err(LineError::Values);
    }
    Ok(RootEvaluation { depth, moves, nodes: 0, oracle: None })
}
