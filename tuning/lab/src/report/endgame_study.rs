//! The study of an endgame as text and JSON.

use std::fmt::Write as _;

use serde_json::{Value as Json, json};

use crate::study::endgame::{Course, Study, TrialResult};

/// Formats a number, which may be very large, with `decimals` decimal places. A dash stands for a
/// value that cannot be determined because there were too few games.
pub fn amount(number: f64, decimals: usize) -> String {
    match number.abs() {
        size if size.is_nan() => "-".to_owned(),
        size if size.is_finite() && size >= 1e6 => format!("{number:.2e}"),
        _ => format!("{number:.decimals$}"),
    }
}

/// Describes in a sentence the competences with which the winner makes progress.
pub fn headway(study: &Study) -> String {
    match study.critical {
        Some((c, depth)) if c.is_finite() => {
            let chance = if c < 0.0 { ", even with random moves" } else { "" };
            format!(
                "c* = {c:.3}, determined at depth {depth}: above c*, every move is expected to reduce the depth{chance}."
            )
        }
        Some(_) => "At any competence, every move is expected to reduce the depth.".to_owned(),
        None => "No competence makes progress at every depth.".to_owned(),
    }
}

/// A study as text. The figures of the Markov chain are labelled as such.
pub fn study_text(study: &Study) -> String {
    let plan = &study.plan;
    let mut text = format!(
        "{} in {}, kappa {}; depths in moves of the winner\n\nlongest win {} moves, e.g. {}\n",
        plan.material, plan.metric, plan.kappa, study.deepest, study.start
    );
    let _ = writeln!(text, "{}", headway(study));
    text.push_str(
        "\nMarkov chain, a fallible winner against perfect defence, from the longest win\n\
         (averaged over all positions of a depth: an approximation)\n\n\
         \x20      c  depth after 10      20      30      50  won within 50  expected moves\n",
    );
    for average in &study.averages {
        let after = |moves: usize| average.expected_depth[moves];
        let _ = writeln!(
            text,
            "{:>8.2}{:>16.3}{:>8.3}{:>8.3}{:>8.3}{:>15.6}{:>16}",
            average.competence,
            after(10),
            after(20),
            after(30),
            after(50),
            average.won_within[50],
            amount(average.expected_moves[study.deepest], 3),
        );
    }
    if !study.trials.is_empty() {
        let _ = writeln!(
            text,
            "\nSimulated games, {} each, seed {}; not won: not within {} moves\n\n  winner   loser moves to win +- SE  won within 50 +- SE  not won",
            plan.games, plan.seed, plan.longest_game
        );
        for trial in &study.trials {
            let moves = moves_to_win(trial);
            let _ = writeln!(
                text,
                "{:>8.2}{:>8.2}{:>12} +- {:<6}{:>9} +- {:<7}{:>7}",
                trial.winner,
                trial.loser,
                amount(moves[0], 2),
                amount(moves[1], 2),
                amount(trial.within_50.value, 4),
                amount(trial.within_50.error, 4),
                trial.unfinished,
            );
        }
    }
    if !study.courses.is_empty() {
        text.push_str(
            "\nExact, position by position, from the same start\n\n  winner   loser        moves to win  won within 50  depth after 10      20      30      50\n",
        );
    }
    if plan.exact && study.courses.is_empty() {
        text.push_str(
            "\nThere are no exact results. They need at most four pieces, and play must not leave the table before \
             the goal: only one side may have pawns, and mate must come before the material changes.\n",
        );
    }
    for course in &study.courses {
        let moves = course.expected_moves.map_or("-".to_owned(), |moves| amount(moves, 3));
        let _ = write!(text, "{:>8.2}{:>8.2}{moves:>20}", course.winner, course.loser);
        let _ = write!(text, "{:>15.6}        ", course.won_within[50]);
        for moves in [10, 20, 30, 50] {
            let _ = write!(text, "{:>8.3}", course.expected_depth[moves]);
        }
        text.push('\n');
    }
    text
}

/// The winner's mean number of moves and its error, or `NaN` if it is unknown.
fn moves_to_win(trial: &TrialResult) -> [f64; 2] {
    trial.moves_to_win().map_or([f64::NAN; 2], |moves| [moves.value, moves.error])
}

pub fn study_json(study: &Study) -> Json {
    let plan = &study.plan;
    let averages = study.averages.iter().map(|average| {
        json!({
            "c": average.competence,
            "depth_after_white": average.after_white,
            "depth_after_black": average.after_black,
            "expected_depth": average.expected_depth,
            "won_within": average.won_within,
            "expected_moves": average.expected_moves,
        })
    });
    json!({
        "material": plan.material.to_string(),
        "metric": plan.metric.to_string(),
        "kappa": plan.kappa,
        "seed": plan.seed,
        "simulated_games": plan.games,
        "deepest": study.deepest,
        "positions_white_to_move": study.white_to_move,
        "positions_black_to_move": study.black_to_move,
        "critical_c": study.critical.map(|(c, _)| competence(c)),
        "critical_depth": study.critical.filter(|(c, _)| c.is_finite()).map(|(_, depth)| depth),
        "markov": averages.collect::<Vec<Json>>(),
        "matrices": study.matrices.iter().map(|m| json!({
            "c": competence(m.competence), "white": m.white, "black": m.black,
        })).collect::<Vec<Json>>(),
        "start": study.start,
        "exact": study.courses.iter().map(course_json).collect::<Vec<Json>>(),
        "monte_carlo": study.trials.iter().map(trial_json).collect::<Vec<Json>>(),
    })
}

fn competence(c: f64) -> Json {
    if c.is_finite() { json!(c) } else { json!(c.to_string()) }
}

fn course_json(course: &Course) -> Json {
    json!({
        "winner": competence(course.winner),
        "loser": competence(course.loser),
        "moves": course.expected_moves,
        "won_within": course.won_within,
        "expected_depth": course.expected_depth,
    })
}

fn trial_json(trial: &TrialResult) -> Json {
    let [moves, error] = moves_to_win(trial);
    json!({
        "winner": competence(trial.winner),
        "loser": competence(trial.loser),
        "moves": moves,
        "moves_se": error,
        "within_50": trial.within_50.value,
        "within_50_se": trial.within_50.error,
        "won": trial.moves.count,
        "not_won": trial.unfinished,
    })
}
