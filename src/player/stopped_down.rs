//! A player below full strength at work: values all moves, then chooses by its profile.

use std::fmt;
use std::time::Instant;

use super::{Choice, Decision, Engine, Profile, choose};
use crate::board::Game;
use crate::evaluation::RootEvaluation;
use crate::math::streams::Occasion;
use crate::search::Silent;
use crate::search::{BestMove, Bound, Controls, EvaluationRequest, Limits, Observer, Report};
use crate::value::MAX_PLY;

/// A profile in a game.
#[derive(Clone, Debug, PartialEq)]
pub struct StoppedDown {
    pub profile: Profile,
    pub seed: u64,
    /// Counts the games played with this seed.
    pub game: u64,
    /// Tell how likely each move was.
    pub explain: bool,
}

impl StoppedDown {
    /// The move it makes. Where the clock cannot pay for its depth, the last completed one counts.
    pub(super) fn decide(
        &self,
        engine: &mut Engine,
        game: &Game,
        limits: &Limits,
        controls: &Controls,
        observer: &mut dyn Observer,
    ) -> Decision {
        let start = Instant::now();
        let occasion = Occasion { seed: self.seed, game: self.game, ply: game.ply() as u64 };
        let wanted = self.profile.parts()[self.profile.part_at(occasion)].1.depth;
        let forced = game.position().legal_moves().len() == 1;
        let asked = if forced { 1 } else { limits.depth.unwrap_or(MAX_PLY as u8).min(wanted) };
        let mut request = EvaluationRequest::depth(asked);
        request.time = limits.clock.longest();
        request.nodes = limits.nodes;
        let mut evaluation = engine.evaluate(game, &request, controls, &mut Silent);
        if evaluation.depth == 0 {
            // Some knowledge of the moves is needed in any case, and one ply is soon seen.
            let least = EvaluationRequest::depth(1);
            evaluation = engine.evaluate(game, &least, &Controls::new(), &mut Silent);
        }
        if !forced && evaluation.depth < wanted {
            let reached = evaluation.depth;
            observer
                .remark(&format!("depth {reached} of {wanted} counts: time or limits ended it"));
        }
        let Some(choice) = choose(&evaluation, &self.profile, occasion) else {
            return Decision::default();
        };
        if self.explain {
            explain(game, &evaluation, &choice, observer);
        }
        let chosen = &evaluation.moves[choice.index];
        observer.line(&Report {
            depth: evaluation.depth,
            selective_depth: evaluation.depth,
            line_number: 1,
            value: chosen.value(),
            bound: Bound::Exact,
            nodes: evaluation.nodes,
            elapsed: start.elapsed(),
            hash_full: 0,
            table_hits: 0,
            line: chosen.line.clone(),
        });
        let best = BestMove {
            mv: Some(chosen.mv),
            ponder: chosen.line.get(1).copied(),
            value: chosen.value(),
            depth: evaluation.depth,
            nodes: evaluation.nodes,
        };
        Decision { best, choice: Some(choice) }
    }
}

/// Tells the probability of every move, then what is to be said of the chosen one.
fn explain(game: &Game, evaluation: &RootEvaluation, choice: &Choice, observer: &mut dyn Observer) {
    let position = game.position();
    for (m, probability) in evaluation.moves.iter().zip(choice.distribution.probabilities()) {
        observer.remark(&format!("prob {} {probability:.4}", position.uci(m.mv)));
    }
    observer.remark(&format!(
        "chosen {}: rank {} of {}, probability {:.4}, surprise {:.2} bits",
        position.uci(choice.mv),
        choice.distribution.rank(choice.index),
        choice.distribution.len(),
        choice.distribution.probability(choice.index),
        choice.distribution.surprise(choice.index),
    ));
}

impl fmt::Display for StoppedDown {
    /// `Ep(c): p=8 levelled competence=7.200 kappa=1.000, seed 81723, game 1`
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:.3}, seed {}, game {}", self.profile, self.seed, self.game)
    }
}
