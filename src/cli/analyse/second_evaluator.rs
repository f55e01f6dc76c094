//! `analyse --beside`: evaluates the games with other engines too, and reports how closely they
//! agree with ours. Findings about a player should not depend on which engine evaluates the moves
//! (Haworth 2007, section 3.1).

use std::collections::HashMap;

use super::study::StudyArguments;
use crate::analyser::{EvaluatedGame, Measured, Sides, StudyPlan};
use crate::board::Move;
use crate::cli::engine::EngineArguments;
use crate::config::Settings;
use crate::report::{Agreement, PlayerCompetence};

/// The best move in each position according to an engine, with its evaluation in pawns. The key
/// consists of the game and the number of moves played.
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

/// The arguments for the other engine.
pub fn engine(program: &str) -> EngineArguments {
    EngineArguments::of("--beside", program)
}

/// Evaluates the games with another engine. Returns a report on how closely it agrees with ours, and
/// on each player's competence according to it. Games that were skipped before are skipped again.
pub fn beside<'p>(
    program: &'p str,
    opinions: &BestMoves,
    study: &StudyArguments,
    plan: &StudyPlan,
    config: &Settings,
) -> anyhow::Result<Agreement<'p>> {
    let (mut positions, mut agreements, mut differences) = (0_usize, 0_usize, 0.0);
    let mut job = study.job(&engine(program), plan, Measured::Competence, config)?;
    job.conditions.sides = Sides::Both;
    let (summaries, _) = study.review(|games, progress| {
        job.summarise(games, progress, |evaluated| {
            for (key, (mv, value)) in best_moves(evaluated) {
                let Some((own, own_value)) = opinions.0.get(&key) else { continue };
                positions += 1;
                agreements += usize::from(mv == *own);
                differences += (value - own_value).abs();
            }
            Ok(())
        })
    })?;
    let mean = |sum: f64| sum / positions.max(1) as f64;
    let mut players = Vec::new();
    for (name, summary) in summaries.with_moves(study.min_moves) {
        let belief = summaries.accumulator.apparent(summary).posterior;
        let (c, range_90) = (belief.mean(), belief.interval(0.9));
        players.push(PlayerCompetence { name: name.to_owned(), c, range_90 });
    }
    Ok(Agreement {
        engine: program,
        positions,
        same_first_choice: mean(agreements as f64),
        mean_difference: mean(differences),
        players,
    })
}
