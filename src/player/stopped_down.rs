//! A player below full strength at work: values all moves, then chooses by its profile. The choice is a
//! pure function of what the moves are worth, who plays, and when.

use std::fmt;
use std::time::{Duration, Instant};

use super::zone::Zone;
use super::{Decision, EndgameRule, Engine, Library, Profile, bare_king, own_time};
use crate::board::{Game, Move};
use crate::evaluation::RootEvaluation;
use crate::math::streams::{Occasion, Purpose, Stream};
use crate::search::{
    BestMove, Bound, Controls, EvaluationRequest, Limits, Observer, Report, Silent,
};
use crate::selector::{Curve, Distribution};
use crate::value::MAX_PLY;

/// In less time than this no more than a glance is worth beginning.
pub(super) const LEAST_TIME: Duration = Duration::from_millis(2);

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
    /// The move it makes: by the tables where they decide, else by values. Where the clock cannot
    /// pay for its depth, the last completed one counts.
    pub(super) fn decide(
        &self,
        engine: &mut Engine,
        library: &Library,
        game: &Game,
        limits: &Limits,
        controls: &Controls,
        observer: &mut dyn Observer,
    ) -> Decision {
        let start = Instant::now();
        let occasion = Occasion { seed: self.seed, game: self.game, ply: game.plies() as u64 };
        let (position, rule) = (game.position(), self.profile.endgame);
        let zone = Zone::enter(library, game, rule);
        let looked_up = zone.as_ref().and_then(|zone| zone.decide(self, occasion, observer));
        if let Some(decision) = looked_up {
            return decision;
        }
        let must_mate =
            zone.is_none() && rule == EndgameRule::Keep && bare_king::is_opponents(position);
        let wanted = self.profile.parts()[self.profile.part_at(occasion)].1.depth;
        let wanted = if must_mate { wanted.max(bare_king::DEPTH) } else { wanted };
        let forced = position.legal_moves().len() == 1;
        // Waiting for a table has cost time too.
        let time = limits.clock.after(own_time(start, controls)).longest();
        let is_simple = forced || time.is_some_and(|time| time < LEAST_TIME);
        let asked = if is_simple { 1 } else { limits.depth.unwrap_or(MAX_PLY as u8).min(wanted) };
        let mut request = EvaluationRequest::depth(asked);
        request.time = time.filter(|_| !is_simple);
        request.nodes = limits.nodes;
        let mut evaluation = engine.evaluate(game, &request, controls, &mut Silent);
        if evaluation.depth == 0 && !engine.has_failed() {
            // Some knowledge of the moves is needed in any case, and one ply is soon seen.
            let least = EvaluationRequest::depth(1);
            evaluation = engine.evaluate(game, &least, &Controls::new(), &mut Silent);
        }
        if engine.has_failed() {
            return Decision::default();
        }
        if !forced && evaluation.depth < wanted {
            let reached = evaluation.depth;
            observer.remark(&format!(
                "search stopped at depth {reached} of {wanted}: time or limits ended it"
            ));
        }
        let choice = match &zone {
            Some(zone) => zone.choose_in_draw(&evaluation, &self.profile, occasion),
            None => choose(game, &evaluation, &self.profile, occasion),
        };
        let Some(mut choice) = choice else { return Decision::default() };
        if must_mate && let Some(best) = bare_king::certain_win(&evaluation) {
            let distribution = choice.distribution.among(|index| index == 0);
            choice = Choice { mv: best.mv, index: 0, distribution, ..choice };
        }
        if self.explain {
            explain(game, evaluation.moves.iter().map(|m| m.mv), &choice, observer);
        }
        let chosen = &evaluation.moves[choice.index];
        let value = zone.as_ref().map_or(chosen.value(), |zone| zone.value(chosen));
        observer.line(&Report {
            depth: evaluation.depth,
            selective_depth: evaluation.depth,
            line_number: 1,
            value,
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
            value,
            depth: evaluation.depth,
            nodes: evaluation.nodes,
        };
        Decision { best, choice: Some(choice) }
    }
}

/// Tells the probability of every move, then what is to be said of the chosen one.
pub(super) fn explain(
    game: &Game,
    moves: impl Iterator<Item = Move>,
    choice: &Choice,
    observer: &mut dyn Observer,
) {
    let position = game.position();
    for (m, probability) in moves.zip(choice.distribution.probabilities()) {
        observer.remark(&format!("prob {} {probability:.4}", position.uci(m)));
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

/// A choice with what led to it.
#[derive(Clone, Debug, PartialEq)]
pub struct Choice {
    pub mv: Move,
    /// The place of the move in the evaluation.
    pub index: usize,
    /// The probabilities that it was drawn from, in the order of the evaluation.
    pub distribution: Distribution,
    /// Which part of a composite profile played.
    pub part: usize,
    /// What gave the moves their probabilities.
    pub curve: Curve,
}

/// The move that a profile plays. `None` when there is none to play.
pub fn choose(
    game: &Game,
    evaluation: &RootEvaluation,
    profile: &Profile,
    occasion: Occasion,
) -> Option<Choice> {
    let part = profile.part_at(occasion);
    let distribution = distribution(game, evaluation, profile, part);
    let index = draw(&distribution, occasion)?;
    let mv = evaluation.moves.get(index)?.mv;
    let curve = profile.skill(part, game.position()).selector.curve;
    Some(Choice { mv, index, distribution, part, curve })
}

/// How likely each move is when this part of a profile plays, with the openings that it knows and in
/// this phase of the game.
pub fn distribution(
    game: &Game,
    evaluation: &RootEvaluation,
    profile: &Profile,
    part: usize,
) -> Distribution {
    let position = game.position();
    let by_skill = profile.skill(part, position).distribution(game, evaluation);
    profile.repertoire.with(position, evaluation, by_skill)
}

/// How likely each move is to someone who does not know which part plays.
pub fn expectation(game: &Game, evaluation: &RootEvaluation, profile: &Profile) -> Distribution {
    let parts = profile.parts().iter().enumerate();
    let parts: Vec<(f64, Distribution)> = parts
        .map(|(part, (weight, _))| (*weight, distribution(game, evaluation, profile, part)))
        .collect();
    Distribution::mixture(&parts)
}

/// The place of the move drawn from a distribution; `None` from an empty one.
pub fn draw(distribution: &Distribution, occasion: Occasion) -> Option<usize> {
    Stream::new(occasion, Purpose::Move).index(distribution.probabilities())
}
