//! A player below full strength: it evaluates all moves and then draws one according to its
//! profile. The choice is a pure function of the evaluation, the profile, the seed, the game number
//! and the ply. A player stronger than all humans plays the best move of a search with a node limit instead.

use std::fmt;
use std::time::Duration;

use super::choice::{Choice, choose, explain};
use super::decision::{Decision, MoveRequest, own_time};
use super::host::EngineHost;
use super::tablebase_play::{ChoiceContext, TablebasePlay};
use super::{Engine, Profile, Skill, USUAL_DEPTH, bare_king};
use crate::clock::Instant;
use crate::math::streams::Occasion;
use crate::search::{
    BestMove, Bound, Clock, Controls, EvaluationRequest, Limits, NoObserver, Observer, Report,
};
use crate::value::MAX_PLY;

/// With less time than this, only a search to depth 1 is worth starting.
pub(super) const MIN_TIME: Duration = Duration::from_millis(2);

/// The user is told if the clock costs the player more than this, in Elo.
const REPORTED_LOSS: f64 = 100.0;

/// A profile in a game.
#[derive(Clone, Debug, PartialEq)]
pub struct StoppedDown {
    /// How it chooses its moves.
    pub profile: Profile,
    /// The seed for its random choices.
    pub seed: u64,
    /// The number of the game among the games with this seed.
    pub game: u64,
    /// Whether to report the probability of each move.
    pub explain: bool,
}

impl StoppedDown {
    /// Chooses a move: by tablebases in decided positions, otherwise by evaluation. If there is too
    /// little time for the full depth, the last completed depth counts.
    pub(super) fn decide(
        &self,
        host: &mut EngineHost,
        request: &MoveRequest<'_>,
        observer: &mut dyn Observer,
    ) -> Decision {
        let start = Instant::now();
        let MoveRequest { game, limits, controls } = *request;
        let EngineHost { engine, tablebases, exploit, opponent, .. } = host;
        if let (Some(exploit), Some(opponent)) = (exploit.as_mut(), opponent) {
            exploit.set_opponent(opponent);
        }
        let occasion = match self.profile.nodes() {
            // In the same position, such a player always plays the same move.
            Some(_) => Occasion::default(),
            None => Occasion { seed: self.seed, game: self.game, ply: game.plies() as u64 },
        };
        let (position, rule) = (game.position(), self.profile.endgame);
        let profile = &*self.profile.at_clock(&limits.clock);
        let context = ChoiceContext { profile, occasion, explain: self.explain };
        let by_tables = TablebasePlay::enter(tablebases, exploit.as_ref(), game, rule);
        let looked_up = by_tables.as_ref().and_then(|play| play.decide(&context, observer));
        if let Some(decision) = looked_up {
            return decision;
        }
        let skill = &self.profile.parts()[self.profile.part_at(occasion)].1;
        let knows_way = by_tables.as_ref().is_some_and(TablebasePlay::knows_depths);
        let must_mate = !knows_way && bare_king::must_mate(position, rule, skill);
        StoppedDown::report_clock(skill.clock_offset(&limits.clock), observer);
        let is_evaluated = must_mate || by_tables.is_some() || profile.repertoire.knows(position);
        if skill.nodes.is_some() && !is_evaluated {
            return Decision { best: search(skill, host, request, observer), choice: None };
        }
        let wanted = if skill.nodes.is_some() { skill.depth.min(USUAL_DEPTH) } else { skill.depth };
        let wanted = if must_mate { wanted.max(bare_king::DEPTH) } else { wanted };
        let forced = position.legal_moves().len() == 1;
        // Waiting for a tablebase has used time too.
        let time = limits.clock.after(own_time(start, controls)).safe_time_per_move();
        let is_trivial = forced || time.is_some_and(|time| time < MIN_TIME);
        let search_depth =
            if is_trivial { 1 } else { limits.depth.unwrap_or(MAX_PLY as u8).min(wanted) };
        let mut evaluation_request = EvaluationRequest::depth(search_depth);
        evaluation_request.time = time.filter(|_| !is_trivial);
        evaluation_request.nodes = limits.nodes;
        let mut evaluation = engine.evaluate(game, &evaluation_request, controls, &mut NoObserver);
        if evaluation.depth == 0 && !engine.has_failed() {
            // Some evaluation is needed in any case, and one ply is fast. An external engine may be
            // slower, so it gets a time limit.
            let clock = limits.clock.after(own_time(start, controls));
            let time = clock.move_time.or(clock.remaining).map(|left| left.mul_f64(0.75));
            let (controls, time) = match engine {
                Engine::Network(_) => (&Controls::new(), None),
                Engine::External(_) => (controls, time),
            };
            let one_ply = EvaluationRequest { time, ..EvaluationRequest::depth(1) };
            evaluation = engine.evaluate(game, &one_ply, controls, &mut NoObserver);
        }
        if engine.has_failed() {
            return Decision::default();
        }
        // If the GUI has stopped the search, its user knows why.
        if !forced && evaluation.depth < wanted && !controls.is_stopped() {
            let reached = evaluation.depth;
            observer.remark(&format!(
                "search stopped at depth {reached} of {wanted} (time or search limit)"
            ));
        }
        let choice = match &by_tables {
            Some(play) => play.choose_by_evaluation(&evaluation, &context),
            None => choose(game, &evaluation, profile, occasion),
        };
        let Some(mut choice) = choice else { return Decision::default() };
        if must_mate {
            let keeps = |m| by_tables.as_ref().is_none_or(|play| play.keeps_result(m));
            let best = evaluation.moves.iter().position(keeps).unwrap_or_default();
            let distribution = choice.distribution.among(|index| index == best);
            choice = Choice { mv: evaluation.moves[best].mv, index: best, distribution, ..choice };
        }
        if self.explain {
            explain(game, evaluation.moves.iter().map(|m| m.mv), &choice, observer);
        }
        let chosen = &evaluation.moves[choice.index];
        let value = by_tables.as_ref().map_or(chosen.value(), |play| play.value(chosen));
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

    /// Tells the user when the clock makes the player much weaker.
    fn report_clock(offset: f64, observer: &mut dyn Observer) {
        if -offset > REPORTED_LOSS {
            let points = -offset;
            observer.remark(&format!("plays {points:.0} Elo below its level because of the clock"));
        }
    }
}

/// Finds the best move of a search with the player's node limit. With too little time, the search ends earlier.
fn search(
    skill: &Skill,
    host: &mut EngineHost,
    request: &MoveRequest<'_>,
    observer: &mut dyn Observer,
) -> BestMove {
    let start = Instant::now();
    let MoveRequest { game, limits, controls } = *request;
    let forced = game.position().legal_moves().len() == 1;
    let time = limits.clock.after(own_time(start, controls)).safe_time_per_move();
    let is_trivial = forced || time.is_some_and(|time| time < MIN_TIME);
    let depth = limits.depth.unwrap_or(skill.depth).min(skill.depth);
    let own = Limits {
        depth: Some(if is_trivial { 1 } else { depth }),
        nodes: limits.nodes.into_iter().chain(skill.nodes).min(),
        // No time is saved on obvious moves: that would make the choice depend on the clock even if there is time for
        // all nodes.
        clock: Clock { move_time: time, ..Clock::default() },
        ..Limits::default()
    };
    let best = host.search_afresh(game, &own, controls, observer);
    let (reached, wanted) = (best.nodes, skill.nodes.unwrap_or_default());
    let is_cut = best.depth < skill.depth && reached < wanted && !controls.is_stopped();
    if !forced && best.mv.is_some() && is_cut {
        observer.remark(&format!(
            "search stopped after {reached} of {wanted} nodes (time or search limit)"
        ));
    }
    best
}

impl fmt::Display for StoppedDown {
    /// `Ep(c): p=8 levelled competence=7.200 kappa=1.000, seed 81723, game 1`
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:.3}, seed {}, game {}", self.profile, self.seed, self.game)
    }
}
