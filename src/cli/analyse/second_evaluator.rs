//! `analyse --beside`: evaluates the games with other engines too, and reports how far they agree.
//! Findings about a player should not depend on the evaluating engine (Haworth 2007, section 3.1).

use std::collections::HashMap;
use std::fmt::Write;

use serde_json::{Value as Json, json};

use super::study::StudyArguments;
use crate::analyser::{EvaluatedGame, Measured, Sides, StudyPlan};
use crate::board::Move;
use crate::cli::engine::EngineArguments;
use crate::config::Settings;

/// The best move in each position according to an engine, with its evaluation in pawns. The key is
/// the game and the number of moves played.
#[derive(Debug, Default)]
pub struct BestMoves(HashMap<(usize, usize), (Move, f64)>);

impl BestMoves {
    /// Records the best moves of a game.
    pub fn record(&mut self, evaluated: &EvaluatedGame) {
        self.0.extend(best_moves(evaluated));
    }
}

/// The best move in every evaluated position.
fn best_moves(
    evaluated: &EvaluatedGame,
) -> impl Iterator<Item = ((usize, usize), (Move, f64))> + '_ {
    evaluated.evaluations.iter().enumerate().filter_map(|(played, evaluation)| {
        let best = evaluation.as_ref()?.best()?;
        Some(((evaluated.number, played), (best.mv, best.value().pawns())))
    })
}

/// The arguments of the other engine.
pub fn engine(program: &str) -> EngineArguments {
    EngineArguments::of("--beside", program)
}

/// Evaluates the games with another engine, and prints how far it agrees and what it reports on
/// each player. Games that were skipped before are skipped again.
pub fn beside(
    program: &str,
    opinions: &BestMoves,
    study: &StudyArguments,
    plan: &StudyPlan,
    config: &Settings,
    json: bool,
) -> anyhow::Result<String> {
    let (mut positions, mut agreements, mut differences) = (0_usize, 0_usize, 0.0);
    let mut job = study.job(&engine(program), plan, Measured::Competence, config)?;
    job.conditions.sides = Sides::Both;
    let (summaries, _) = study.review(|games, progress| {
        job.summarise(games, progress, |evaluated| {
            for (place, (mv, value)) in best_moves(evaluated) {
                let Some((own, own_value)) = opinions.0.get(&place) else { continue };
                positions += 1;
                agreements += usize::from(mv == *own);
                differences += (value - own_value).abs();
            }
            Ok(())
        })
    })?;
    let mean = |sum: f64| sum / positions.max(1) as f64;
    let (share, difference) = (mean(agreements as f64), mean(differences));
    let mut players = Vec::new();
    for (name, summary) in summaries.with_moves(study.min_moves) {
        let belief = summaries.accumulator.apparent(summary).posterior;
        players.push((name.to_owned(), belief.mean(), belief.interval(0.9)));
    }
    if json {
        let player = |(name, c, (low, high)): &(String, f64, (f64, f64))| json!({"name": name, "competence": c, "interval_90": [low, high]});
        let line = json!({"agreement": {
            "engine": program,
            "positions": positions,
            "same_first_choice": share,
            "mean_difference": difference,
            "players": players.iter().map(player).collect::<Vec<Json>>(),
        }});
        return Ok(format!("{line}\n"));
    }
    let mut text = format!(
        "{program}: same best move in {:.1} % of {positions} positions; the score of the best move differs \
         by {difference:.2} pawns on average\n",
        100.0 * share
    );
    for (name, c, (low, high)) in &players {
        writeln!(text, "  {name}: c = {c:.2}, 90 % from {low:.2} to {high:.2}")?;
    }
    text.push('\n');
    Ok(text)
}
