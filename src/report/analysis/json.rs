//! The JSON of an analysis: the results for a player or group, an evaluated game as a line for
//! other programs, and a game for the viewer.

use serde::Serialize;
use serde_json::{Map, Value as Json, json};

use crate::analyser::{
    EvaluatedGame, EvaluationConditions, Figure, Omission, Projection, ReportedMove, StudyPlan,
    StudyReport, expected_among,
};
use crate::board::{Colour, Game, Position};
use crate::evaluation::{MoveEvaluation, RootEvaluation};
use crate::games::pgn::PgnGame;
use crate::value::Depth;

/// All results for one player or group.
pub fn analysis_json(report: &StudyReport, plan: &StudyPlan, honest: f64) -> Json {
    let figure = |figure: &Figure| {
        json!({
            "actual": figure.actual,
            "projected": figure.projected,
            "deviation": figure.deviation,
            "z": figure.z(),
        })
    };
    let interval = |(low, high): (f64, f64)| json!([low, high]);
    let left_out: Map<String, Json> = Omission::ALL
        .iter()
        .map(|&reason| (reason.words().replace(' ', "_"), json!(report.tally.left_out(reason))))
        .collect();
    let apparent: Vec<Json> = report
        .apparent
        .iter()
        .map(|(depth, apparent)| {
            json!({
                "depth": depth,
                "competence": apparent.posterior.mean(),
                "interval_90": interval(apparent.posterior.interval(0.9)),
                "informative": apparent.informative,
                "composite": apparent.composite(0.01),
            })
        })
        .collect();
    let projection = |projection: &Projection| {
        json!({
            "turns": projection.turns,
            "first": figure(&projection.first),
            "equal": figure(&projection.equal),
            "scaled_difference": figure(&projection.scaled_loss),
            "difference": figure(&projection.loss),
            "frequencies": projection.frequencies.iter().map(figure).collect::<Vec<_>>(),
            "misfit": projection.misfit(),
            "ln_likelihood": projection.ln_likelihood,
        })
    };
    json!({
        "name": report.name,
        "games": report.games,
        "used": report.tally.used,
        "left_out": left_out,
        "known_rating": report.known_rating,
        "rating": report.rating.as_ref().map(|rating| json!({
            "elo": rating.elo,
            "scale": plan.scale.name,
            "provisional": plan.scale.is_provisional(),
            "differs_from_calibration": plan.departures,
            "sampling_deviation": rating.sampling,
            "sampling_deviation_by_games": rating.by_games,
            "deviation": rating.deviation,
            "interval_50": interval(rating.interval(0.5)),
            "interval_80": interval(rating.interval(0.8)),
            "interval_95": interval(rating.interval(0.95)),
        })),
        "apparent": apparent,
        "fit": report.fit.as_ref().map(|fit| json!({
            "sensitivity": fit.parameters[0].exp(),
            "consistency": fit.parameters[1].exp(),
            "ln_deviations": fit.deviations,
            "ln_likelihood": fit.ln_likelihood,
        })),
        "percentile_fit": report.percentiles.as_ref().map(|parameters| json!({
            "sensitivity": parameters[0].exp(),
            "consistency": parameters[1].exp(),
        })),
        "projection": report.projection.as_ref().map(projection),
        "gains": report.gains.histogram(),
        "best_moves": report.averages.best,
        "centipawn_loss": report.averages.centipawn_loss,
        "accuracy": report.averages.accuracy,
        "guid_bratko": report.guid_bratko,
        "under_noise": report.under_noise,
        "suspicion": report.suspicion.as_ref().map(|suspicion| json!({
            "against": plan.against.as_ref().map(|profile| &profile.name),
            "against_rating": report.measured_against,
            "projection": projection(&suspicion.projection),
            "expected_among": honest,
            "expected": expected_among(&suspicion.projection.first, honest),
            "partly": suspicion.partly,
            "wholly": suspicion.wholly,
            "window": suspicion.window,
        })),
    })
}

/// The conditions that the evaluations of a line depend on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct LineConditions {
    #[serde(rename = "assessor")]
    pub evaluator: String,
    pub depth: Depth,
    /// Moves at the start of the game that were not evaluated.
    pub opening: usize,
}

/// A move, its evaluations in centipawns at depths 1, 2..., and the depths where the evaluation is
/// a bound.
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

/// The line for a game. `reports` contains the results for this game alone.
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

/// A game for the viewer.
pub fn game_json(evaluated: &EvaluatedGame, entries: &[ReportedMove]) -> Json {
    let tag = |name| evaluated.pgn.tag(name).unwrap_or("?");
    let mut entries = entries.iter().peekable();
    let (boards, moves) = moves_json(&evaluated.game, |played, position| {
        let entry = entries.next_if(|entry| entry.played == played);
        let evaluation = evaluated.evaluations[played].as_ref();
        json!(entry.zip(evaluation).map(|(entry, of)| choice(position, entry, of)))
    });
    let dates = [tag("Date"), tag("UTCDate")];
    json!({
        "white": tag("White"),
        "black": tag("Black"),
        "elo": [evaluated.pgn.rating(Colour::White), evaluated.pgn.rating(Colour::Black)],
        "event": tag("Event"),
        "date": dates.into_iter().find(|date| *date != "?").unwrap_or("?"),
        "result": evaluated.pgn.result.as_deref().or(evaluated.pgn.tag("Result")).unwrap_or("*"),
        "boards": boards,
        "values": values(evaluated),
        "moves": moves,
    })
}

/// The positions of a game, and its moves with the data on each decision.
pub fn moves_json(
    game: &Game,
    mut choice: impl FnMut(usize, &Position) -> Json,
) -> (Vec<String>, Vec<Json>) {
    let mut position = game.start().clone();
    let mut boards = vec![placement(&position)];
    let mut moves = Vec::new();
    for (played, &mv) in game.moves().iter().enumerate() {
        moves.push(json!({
            "number": position.move_number(),
            "white": position.turn() == Colour::White,
            "san": position.san(mv),
            "uci": position.uci(mv),
            "squares": [mv.from().to_string(), mv.to().to_string()],
            "choice": choice(played, &position),
        }));
        position.play(mv);
        boards.push(placement(&position));
    }
    (boards, moves)
}

/// The piece placement field of the FEN.
fn placement(position: &Position) -> String {
    position.fen().split(' ').next().unwrap_or_default().to_owned()
}

/// The evaluation of each position from White's side, in pawns. Null where it was not evaluated.
fn values(evaluated: &EvaluatedGame) -> Vec<Option<f64>> {
    let start = evaluated.game.start().turn();
    let value = |(played, evaluation): (usize, &Option<RootEvaluation>)| {
        let best = evaluation.as_ref()?.best()?.value().pawns();
        let is_white = (start == Colour::White) == (played % 2 == 0);
        Some(rounded(if is_white { best } else { -best }))
    };
    evaluated.evaluations.iter().enumerate().map(value).collect()
}

/// The legal moves of a decision, best first, and the data on the played move.
fn choice(position: &Position, entry: &ReportedMove, evaluation: &RootEvaluation) -> Json {
    let ranks = entry.turn.ranks();
    let row = |(index, m): (usize, &MoveEvaluation)| {
        let last = m.last();
        let bound = if last.exact { "" } else { "≤" };
        json!([
            position.san(m.mv),
            format!("{bound}{}", last.value),
            ranks[index] + 1,
            rounded(100.0 * entry.expected.probability(index)),
        ])
    };
    let (c, (low, high)) = entry.competence;
    json!({
        "moves": evaluation.moves.iter().enumerate().map(row).collect::<Vec<Json>>(),
        "chosen": entry.turn.chosen,
        "loss": rounded(entry.turn.loss()),
        "surprise": rounded(entry.surprise()),
        "competence": [rounded(c), rounded(low), rounded(high)],
        "left_out": entry.against.map(|reason| reason.words()),
    })
}

/// Rounds to two decimals, for display.
fn rounded(number: f64) -> f64 {
    (100.0 * number).round() / 100.0
}
