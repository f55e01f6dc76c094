//! The moves of a game as comma-separated values (RFC 4180).

use crate::analyser::{EvaluatedGame, ReportedMove, StudiedMove, each_move, lost_chances};
use crate::board::Colour;

/// The column names.
pub const CSV_HEAD: &str = "game,file,line,white,black,move_number,ply,colour,player,fen,san,value,\
    best,best_value,rank,moves,probability,surprise,competence,competence_low,competence_high,\
    left_out,lost_chances\n";

/// The moves of a game. Some cells are empty if a move was not evaluated. `number` is the number of
/// the game in the input, counted from 1.
pub fn game_csv(number: usize, evaluated: &EvaluatedGame, entries: &[ReportedMove]) -> String {
    let pgn = &evaluated.pgn;
    let [white, black] = ["White", "Black"].map(|tag| quoted(pgn.tag(tag).unwrap_or("?")));
    let file = quoted(pgn.file.as_deref().unwrap_or_default());
    let mut text = String::new();
    each_move(evaluated, entries, |played, position, mv, said| {
        let is_white = position.turn() == Colour::White;
        let (colour, player) = if is_white { ("white", &white) } else { ("black", &black) };
        let mut cells = vec![
            number.to_string(),
            file.clone(),
            pgn.line.to_string(),
            white.clone(),
            black.clone(),
            position.fullmoves().to_string(),
            (played + 1).to_string(),
            colour.to_owned(),
            player.clone(),
            quoted(&position.fen()),
            quoted(&position.san(mv)),
        ];
        match said {
            None => cells.resize(COLUMNS - 2, String::new()),
            Some((entry, evaluation)) => {
                let decision = &entry.decision;
                let (c, (low, high)) = entry.competence;
                let best = evaluation.moves[decision.first()].mv;
                cells.push(format!("{:.2}", decision.value(decision.chosen)));
                cells.push(quoted(&position.san(best)));
                cells.push(format!("{:.2}", decision.best()));
                cells.push((decision.ranks()[decision.chosen] + 1).to_string());
                cells.push(decision.values.moves().to_string());
                cells.push(format!("{:.6}", entry.expected.probability(decision.chosen)));
                cells.extend([entry.surprise(), c, low, high].map(|x| format!("{x:.4}")));
            }
        }
        let why = said.map_or(Some("not evaluated"), |(entry, _)| entry.omission.map(|r| r.name()));
        cells.push(quoted(why.unwrap_or_default()));
        let lost =
            |decision: &StudiedMove| lost_chances(decision.best(), decision.value(decision.chosen));
        cells.push(
            said.map_or_else(String::new, |(entry, _)| format!("{:.1}", lost(&entry.decision))),
        );
        text += &cells.join(",");
        text.push('\n');
    });
    text
}

/// The number of cells in a line.
const COLUMNS: usize = 23;

/// Quotes a cell if necessary.
fn quoted(text: &str) -> String {
    match text.contains([',', '"', '\n', '\r']) {
        true => format!("\"{}\"", text.replace('"', "\"\"")),
        false => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_with_separators_are_quoted() {
        assert_eq!(quoted("Morphy, \"Paul\""), "\"Morphy, \"\"Paul\"\"\"");
        assert_eq!(quoted("plain"), "plain");
        assert_eq!(CSV_HEAD.matches(',').count() + 1, COLUMNS);
    }
}
