//! A game as its readers step through it: boards, values, choices and beliefs, as JSON for the page.

use serde_json::{Value as Json, json};

use crate::analyser::{EvaluatedGame, ReportedMove};
use crate::board::{Colour, Game, Position};
use crate::evaluation::RootEvaluation;

/// Everything that the page shows of a game.
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

/// The boards of a game, and its moves with what there is to say of each as a choice.
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

/// The pieces of a position, as a FEN has them.
fn placement(position: &Position) -> String {
    position.fen().split(' ').next().unwrap_or_default().to_owned()
}

/// What each position of the game is worth to White, in pawns; null where nobody looked.
fn values(evaluated: &EvaluatedGame) -> Vec<Option<f64>> {
    let start = evaluated.game.start().turn();
    let value = |(played, evaluation): (usize, &Option<RootEvaluation>)| {
        let best = evaluation.as_ref()?.best()?.value().pawns();
        let is_white = (start == Colour::White) == (played % 2 == 0);
        Some(rounded(if is_white { best } else { -best }))
    };
    evaluated.evaluations.iter().enumerate().map(value).collect()
}

/// The moves that there were to choose from, best first, and what came of the choice.
fn choice(position: &Position, entry: &ReportedMove, evaluation: &RootEvaluation) -> Json {
    let ranks = entry.turn.ranks();
    let row = |(index, m): (usize, &crate::evaluation::MoveEvaluation)| {
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

/// Two decimals are enough to look at.
fn rounded(number: f64) -> f64 {
    (100.0 * number).round() / 100.0
}
