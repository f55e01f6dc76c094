//! Human analysis: the moves that players with a given rating would play, each with the engine's own
//! score.
//!
//! Two searches work together. The first evaluates every legal move to the depth that ratings are calibrated for. It is
//! needed because the share of players who choose a move depends on its values at several depths. The second is a
//! normal search of the most likely moves at full strength. So the scores are the same as in any other analysis, and
//! only the order of the lines differs.

use std::time::Duration;

use super::decision::{MoveRequest, own_time};
use super::host::EngineHost;
use super::human_shares::{human_shares, percent};
use super::profile::USUAL_DEPTH;
use super::{Engine, TargetRating, full_strength};
use crate::board::{Game, Move};
use crate::clock::Instant;
use crate::evaluation::{MoveEvaluation, RootEvaluation};
use crate::search::{
    BestMove, Bound, Controls, EvaluationRequest, Limits, NoObserver, Observer, Report,
};
use crate::value::Depth;

/// The ratings of the players whose likely moves are shown.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct HumanAnalysis {
    /// The rating that determines the order of the moves.
    pub rating: TargetRating,
    /// A second rating. Its shares are shown beside the shares for the first.
    pub compared: Option<TargetRating>,
}

/// A move with the share of players who would play it.
#[derive(Clone, Copy)]
struct LikelyMove<'e> {
    /// The index of the move in the evaluation.
    index: usize,
    evaluation: &'e MoveEvaluation,
    share: f64,
}

impl HumanAnalysis {
    /// Analyses a position and returns the most likely move.
    pub(super) fn run(
        &self,
        host: &mut EngineHost,
        request: &MoveRequest<'_>,
        observer: &mut dyn Observer,
    ) -> BestMove {
        let start = Instant::now();
        let MoveRequest { game, limits, controls } = *request;
        let evaluation = self.evaluate_all(&mut host.engine, request, observer);
        let likely = self.likely(game, &evaluation, limits);
        report_all(&likely, &evaluation, start.elapsed(), observer);
        self.describe_shares(game, &evaluation, &likely, observer);
        let Some(first) = likely.first().map(|m| m.evaluation) else { return BestMove::default() };
        let mut best = BestMove {
            mv: Some(first.mv),
            ponder: first.line.get(1).copied(),
            value: first.value(),
            depth: evaluation.depth,
            nodes: evaluation.nodes,
        };
        let is_known = host.tablebases.report_with_history(game).is_some();
        let is_deeper = limits.depth.is_none_or(|depth| depth > evaluation.depth);
        let nodes = limits.nodes.map(|nodes| nodes.saturating_sub(evaluation.nodes));
        let is_over = controls.is_stopped() || nodes == Some(0) || !(is_known || is_deeper);
        // An external engine prints its lines itself, in its own order.
        if is_over || matches!(host.engine, Engine::External(_)) {
            return best;
        }
        let order: Vec<Move> = likely.iter().map(|m| m.evaluation.mv).collect();
        let limits = Limits {
            nodes,
            clock: limits.clock.after(own_time(start, controls)),
            lines: order.len(),
            moves: order.clone(),
            ..limits.clone()
        };
        let mut lines = LinesByShare {
            order,
            // A tablebase position has no search depth to compare.
            shown_depth: if is_known { 0 } else { evaluation.depth },
            is_known,
            before: (evaluation.nodes, start.elapsed()),
            lines: Vec::new(),
            first: None,
            observer,
        };
        full_strength::decide(host, &MoveRequest { limits: &limits, ..*request }, &mut lines);
        if let Some(line) = lines.first {
            best.ponder = line.line.get(1).copied();
            best.value = line.value;
            best.depth = line.depth;
            best.nodes = line.nodes;
        }
        best
    }

    /// Evaluates every legal move. Some evaluation is always needed, so the first depth is completed
    /// even if the search is stopped at once.
    fn evaluate_all(
        &self,
        engine: &mut Engine,
        request: &MoveRequest<'_>,
        observer: &mut dyn Observer,
    ) -> RootEvaluation {
        let MoveRequest { game, limits, controls } = *request;
        let depth = limits.depth.unwrap_or(USUAL_DEPTH).min(USUAL_DEPTH);
        let mut wanted = EvaluationRequest::depth(depth);
        (wanted.time, wanted.nodes) = (limits.clock.safe_time_per_move(), limits.nodes);
        let mut early = EarlyLines { analysis: self, game, limits, deepest: depth, observer };
        let evaluation = engine.evaluate(game, &wanted, controls, &mut early);
        if evaluation.depth > 0 || engine.has_failed() || matches!(engine, Engine::External(_)) {
            return evaluation;
        }
        engine.evaluate(game, &EvaluationRequest::depth(1), &Controls::new(), &mut NoObserver)
    }

    /// Returns the moves to show, most likely first.
    fn likely<'e>(
        &self,
        game: &Game,
        evaluation: &'e RootEvaluation,
        limits: &Limits,
    ) -> Vec<LikelyMove<'e>> {
        let shares = human_shares(game, evaluation, USUAL_DEPTH, &self.rating);
        let is_wanted =
            |m: &MoveEvaluation| limits.moves.is_empty() || limits.moves.contains(&m.mv);
        let with_shares = evaluation.moves.iter().zip(shares.probabilities()).enumerate();
        let mut moves: Vec<LikelyMove<'e>> = with_shares
            .filter(|(_, (m, _))| is_wanted(m))
            .map(|(index, (evaluation, &share))| LikelyMove { index, evaluation, share })
            .collect();
        moves.sort_by(|one, other| other.share.total_cmp(&one.share));
        moves.truncate(limits.lines.max(1));
        moves
    }

    /// Reports the share of each shown move.
    fn describe_shares(
        &self,
        game: &Game,
        evaluation: &RootEvaluation,
        likely: &[LikelyMove<'_>],
        observer: &mut dyn Observer,
    ) {
        let compared = self
            .compared
            .map(|rating| (rating, human_shares(game, evaluation, USUAL_DEPTH, &rating)));
        for shown in likely {
            let mut text = format!(
                "{} is played by {} of {} ({})",
                game.position().san(shown.evaluation.mv),
                percent(shown.share),
                self.rating.humans(),
                self.rating.scale
            );
            if let Some((rating, shares)) = &compared {
                let share = percent(shares.probability(shown.index));
                text += &format!(" and {share} of {}", rating.humans());
            }
            observer.remark(&text);
        }
    }
}

/// Reports evaluated moves as lines, in the order given.
fn report_all(
    moves: &[LikelyMove<'_>],
    evaluation: &RootEvaluation,
    elapsed: Duration,
    observer: &mut dyn Observer,
) {
    for (index, found) in moves.iter().map(|m| m.evaluation).enumerate() {
        observer.line(&Report {
            depth: evaluation.depth,
            selective_depth: evaluation.depth,
            line_number: index + 1,
            value: found.value(),
            bound: if found.last().exact { Bound::Exact } else { Bound::Upper },
            nodes: evaluation.nodes,
            elapsed,
            hash_full: 0,
            table_hits: 0,
            line: found.line.clone(),
        });
    }
}

/// Shows the likely moves after each depth of the evaluation, so that the GUI has lines to show
/// from the start.
struct EarlyLines<'a> {
    analysis: &'a HumanAnalysis,
    game: &'a Game,
    limits: &'a Limits,
    deepest: Depth,
    observer: &'a mut dyn Observer,
}

impl Observer for EarlyLines<'_> {
    fn remark(&mut self, text: &str) {
        self.observer.remark(text);
    }

    fn depth_completed(&mut self, evaluation: &RootEvaluation, elapsed: Duration) {
        // The last depth is reported together with the result.
        if evaluation.depth >= self.deepest {
            return;
        }
        let likely = self.analysis.likely(self.game, evaluation, self.limits);
        report_all(&likely, evaluation, elapsed, self.observer);
    }
}

/// Passes on the lines of a search, sorted by share.
struct LinesByShare<'a> {
    order: Vec<Move>,
    /// The depth of the lines already shown. Shallower lines would replace better ones.
    shown_depth: Depth,
    is_known: bool,
    /// The nodes and the time that the evaluation before the search took.
    before: (u64, Duration),
    /// The lines of the current iteration.
    lines: Vec<Report>,
    /// The latest line of the most likely move.
    first: Option<Report>,
    observer: &'a mut dyn Observer,
}

impl Observer for LinesByShare<'_> {
    fn line(&mut self, report: &Report) {
        let place = report.line.first().and_then(|mv| self.order.iter().position(|m| m == mv));
        let Some(place) = place.filter(|_| report.bound == Bound::Exact) else { return };
        if report.line_number == 1 {
            self.lines.clear();
        }
        let (nodes, elapsed) = (self.before.0 + report.nodes, self.before.1 + report.elapsed);
        self.lines.push(Report { line_number: place + 1, nodes, elapsed, ..report.clone() });
        let is_new = self.is_known || report.depth > self.shown_depth;
        if self.lines.len() < self.order.len() || !is_new {
            return;
        }
        self.shown_depth = report.depth;
        self.lines.sort_by_key(|line| line.line_number);
        for line in self.lines.drain(..) {
            self.observer.line(&line);
            if line.line_number == 1 {
                self.first = Some(line);
            }
        }
    }

    fn remark(&mut self, text: &str) {
        self.observer.remark(text);
    }
}
