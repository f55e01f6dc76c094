//! A game as JSON for the viewer of an analysis page.

use serde::Serialize;

use super::game_moves::{GameMove, game_moves};
use crate::analyser::{EvaluatedGame, MoveMark, ReportedMove, lost_chances};
use crate::board::{Colour, Position};
use crate::evaluation::{MoveEvaluation, RootEvaluation};

/// A game in the viewer.
#[derive(Debug, Serialize)]
pub struct ViewerGame {
    white: String,
    black: String,
    elo: [Option<f64>; 2],
    event: String,
    date: String,
    result: String,
    boards: Vec<String>,
    /// The evaluation of each position in pawns, from White's point of view. Null if a position was
    /// not evaluated.
    values: Vec<Option<f64>>,
    moves: Vec<GameMove<ViewerDecision>>,
}

/// The legal moves in a position, and the data about the move that was played.
#[derive(Debug, Serialize)]
struct ViewerDecision {
    /// The legal moves, best first.
    moves: Vec<ViewerChoice>,
    /// The index of the move played.
    chosen: usize,
    /// The winning chances that the played move lost, in percentage points.
    lost: f64,
    mark: Option<MoveMark>,
    /// How surprising the move was, in bits.
    surprise: f64,
    /// The estimate of c after the move, and its 90% interval.
    competence: [f64; 3],
    left_out: Option<&'static str>,
}

/// A legal move: its notation, its score, its rank (counted from 1) and its expected share in
/// percent. It is written as an array, because a page contains hundreds of thousands of moves.
#[derive(Debug, Serialize)]
struct ViewerChoice(String, String, usize, f64);

impl ViewerGame {
    pub fn new(evaluated: &EvaluatedGame, entries: &[ReportedMove]) -> ViewerGame {
        let tag = |name| evaluated.pgn.tag(name).unwrap_or("?").to_owned();
        let mut entries = entries.iter().peekable();
        let (boards, moves) = game_moves(&evaluated.game, |played, position| {
            let entry = entries.next_if(|entry| entry.played == played)?;
            let evaluation = evaluated.evaluations[played].as_ref()?;
            Some(ViewerDecision::new(position, entry, evaluation))
        });
        let dates = [tag("Date"), tag("UTCDate")];
        let date = dates.into_iter().find(|date| date != "?");
        let result = evaluated.pgn.final_result().map(|result| result.to_string());
        ViewerGame {
            white: tag("White"),
            black: tag("Black"),
            elo: [Colour::White, Colour::Black].map(|colour| evaluated.pgn.rating(colour)),
            event: tag("Event"),
            date: date.unwrap_or_else(|| "?".to_owned()),
            result: result.unwrap_or_else(|| "*".to_owned()),
            boards,
            values: values(evaluated),
            moves,
        }
    }
}

fn values(evaluated: &EvaluatedGame) -> Vec<Option<f64>> {
    let start = evaluated.game.start().turn();
    let value = |(played, evaluation): (usize, &Option<RootEvaluation>)| {
        let best = evaluation.as_ref()?.best()?.value().pawns();
        let is_white = (start == Colour::White) == (played % 2 == 0);
        Some(rounded(if is_white { best } else { -best }))
    };
    evaluated.evaluations.iter().enumerate().map(value).collect()
}

impl ViewerDecision {
    fn new(
        position: &Position,
        entry: &ReportedMove,
        evaluation: &RootEvaluation,
    ) -> ViewerDecision {
        let ranks = entry.decision.ranks();
        let choice = |(index, m): (usize, &MoveEvaluation)| {
            let last = m.last();
            let bound = if last.exact { "" } else { "≤" };
            let expected = rounded(100.0 * entry.expected.probability(index));
            let value = format!("{bound}{}", last.value);
            ViewerChoice(position.san(m.mv), value, ranks[index] + 1, expected)
        };
        let (c, (low, high)) = entry.competence;
        let lost = lost_chances(entry.decision.best(), entry.decision.value(entry.decision.chosen));
        ViewerDecision {
            moves: evaluation.moves.iter().enumerate().map(choice).collect(),
            chosen: entry.decision.chosen,
            lost: rounded(lost),
            mark: MoveMark::of(lost),
            surprise: rounded(entry.surprise()),
            competence: [c, low, high].map(rounded),
            left_out: entry.omission.map(|reason| reason.name()),
        }
    }
}

/// Rounds to two decimal places, for display.
fn rounded(number: f64) -> f64 {
    (100.0 * number).round() / 100.0
}
