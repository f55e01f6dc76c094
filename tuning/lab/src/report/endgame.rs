//! Findings about moves and players in endgames, as text and JSON.

use std::fmt::Write as _;

use serde_json::{Value as Json, json};

use super::endgame_page::gain_in_words;
use crate::study::endgame::{Comparison, EndgameProfile, LARGEST_COMPETENCE, TableAgreement};
use stopdown::board::{Move, Position};
use stopdown::endgame::Material;

/// The column headings of [`agreement_lines`].
pub fn agreement_heading() -> String {
    format!(
        "{:<8}{:>12}{:>12}{:>12}{:>12}{:>10}{:>13}",
        "", "positions", "en passant", "distances", "exact", "rounded", "differences"
    )
}

/// The comparison with Syzygy files for one material signature, with examples of differences.
pub fn agreement_lines(material: Material, found: &TableAgreement) -> String {
    let mut text = format!(
        "{:<8}{:>12}{:>12}{:>12}{:>12}{:>10}{:>13}\n",
        material.to_string(),
        found.positions,
        found.en_passant,
        found.distances,
        found.exact,
        found.rounded_unsaid,
        found.differences
    );
    for example in &found.examples {
        let _ = writeln!(text, "    {example}");
    }
    text
}

pub fn agreement_json(material: Material, found: &TableAgreement) -> Json {
    json!({
        "material": material.to_string(),
        "positions": found.positions,
        "en_passant": found.en_passant,
        "distances": found.distances,
        "exact": found.exact,
        "rounded_unsaid": found.rounded_unsaid,
        "differences": found.differences,
        "examples": found.examples,
    })
}

fn sans(position: &Position, moves: &[Move]) -> Vec<String> {
    moves.iter().map(|&m| position.san(m)).collect()
}

/// A player's competence, with a line for each move.
pub fn profile_text(profile: &EndgameProfile) -> String {
    if profile.moves.is_empty() {
        return "no moves of this side in endgames with tables\n".to_owned();
    }
    let mut text = String::new();
    let mut ceded = 0.0;
    for m in &profile.moves {
        ceded += m.ceded;
        let name = m.position.move_number() + &m.position.san(m.mv);
        let depth = match (m.depth, m.depth_after) {
            (Some(before), Some(after)) => format!("{before:.0} -> {after:.0}"),
            _ => format!("{} -> {}", m.result, m.result_after),
        };
        let cession = if m.ceded > 0.0 {
            format!("+{:.0}/+{ceded:.0}: {}", m.ceded, sans(&m.position, &m.optimal).join(" "))
        } else {
            String::new()
        };
        let _ = writeln!(
            text,
            "{name:<12}{depth:<14}c {:>7.3} +- {:>6.3}  {cession}",
            m.mean, m.deviation
        );
    }
    let (low, high) = profile.belief.interval(0.95);
    let _ = writeln!(
        text,
        "\nc = {:.3} +- {:.3}, 95% between {low:.1} and {high:.1}, from {} moves; {:.0} moves ceded",
        profile.belief.mean(),
        profile.belief.standard_deviation(),
        profile.moves.len(),
        profile.ceded(),
    );
    text
}

pub fn profile_json(profile: &EndgameProfile) -> Json {
    let moves = profile.moves.iter().map(|m| {
        json!({
            "fen": m.position.fen(),
            "move": m.position.uci(m.mv),
            "san": m.position.san(m.mv),
            "result": m.result.to_string(),
            "result_after": m.result_after.to_string(),
            "depth": m.depth,
            "depth_after": m.depth_after,
            "ceded": m.ceded,
            "optimal": sans(&m.position, &m.optimal),
            "legal": m.legal,
            "c": m.mean,
            "c_sd": m.deviation,
        })
    });
    let (low, high) = profile.belief.interval(0.95);
    json!({
        "moves": moves.collect::<Vec<Json>>(),
        "c": profile.belief.mean(),
        "c_sd": profile.belief.standard_deviation(),
        "c_95": [low, high],
        "ceded": profile.ceded(),
    })
}

/// The best move for each competence of the opponent.
pub fn comparison_text(position: &Position, comparison: &Comparison) -> String {
    let what = gain_in_words(comparison);
    let mut text =
        format!("{}\n{what}, for each competence c of the opponent\n\n{:>8}", position.fen(), "c");
    let moves: Vec<Move> = comparison.moves().collect();
    for &m in &moves {
        let _ = write!(text, "{:>10}", position.san(m));
    }
    text.push('\n');
    for step in 0..=20 {
        let c = LARGEST_COMPETENCE * f64::from(step) / 20.0;
        let _ = write!(text, "{c:>8.2}");
        for index in 0..moves.len() {
            let _ = write!(text, "{:>10.4}", comparison.gain(index, c));
        }
        text.push('\n');
    }
    text.push('\n');
    for preference in comparison.preferences() {
        let san = position.san(preference.mv);
        let _ = writeln!(
            text,
            "{san} is best for c from {:.3} to {:.3}",
            preference.from, preference.to
        );
    }
    for crossing in comparison.crossings() {
        let (better, worse) = (position.san(crossing.better), position.san(crossing.worse));
        let _ = writeln!(text, "{better} overtakes {worse} at c = {:.3}", crossing.competence);
    }
    text
}

pub fn comparison_json(position: &Position, comparison: &Comparison) -> Json {
    let grid: Vec<f64> =
        (0..=200).map(|step| LARGEST_COMPETENCE * f64::from(step) / 200.0).collect();
    let curves = comparison.moves().enumerate().map(|(index, m)| {
        let values: Vec<f64> = grid.iter().map(|&c| comparison.gain(index, c)).collect();
        json!({ "move": position.uci(m), "san": position.san(m), "expected": values })
    });
    let preferences = comparison.preferences().into_iter();
    let crossings = comparison.crossings().into_iter();
    json!({
        "fen": position.fen(),
        "expected": gain_in_words(comparison),
        "c": grid,
        "curves": curves.collect::<Vec<Json>>(),
        "preferences": preferences.map(|p| json!({
            "move": position.uci(p.mv), "san": position.san(p.mv), "from": p.from, "to": p.to,
        })).collect::<Vec<Json>>(),
        "crossings": crossings.map(|x| json!({
            "better": position.san(x.better), "worse": position.san(x.worse), "c": x.competence,
        })).collect::<Vec<Json>>(),
    })
}
