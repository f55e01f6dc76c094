//! Practical chances: full strength against a fallible opponent (Haworth 2002, section 4, and 2007,
//! section 2).
//!
//! Among moves that are nearly as good as the best one, the player prefers the one with the largest
//! gain in expected score, given the opponent's likely replies. Four steps share the time for the move:
//!
//! 1. A normal search finds the best move.
//! 2. An evaluation of all moves finds the candidates, which lose little compared with the best
//!    move. In a worse position a move may lose more, because there is less to throw away.
//! 3. After each candidate, the likely replies are evaluated, and the human model chooses among them; see
//!    [`likely_replies`]. From this, [`Candidate::gain`] estimates how much better the candidate is than the best move.
//! 4. Before a move other than the best is played, a normal search of that move alone must confirm
//!    that it loses no more than the margin allows.
//!
//! If no candidate is better, the normal search continues with the time that is left. In a won position, or with little
//! time, the best move is always played. No candidate may allow a mate that the best move avoids. The GUI sees the
//! scores of the normal searches.
//!
//! [`likely_replies`]: super::likely_replies

use std::time::Duration;

use super::decision::{MoveRequest, own_time};
use super::exploited_opponent::ExploitedOpponent;
use super::host::EngineHost;
use super::likely_replies::{LikelyRating, expected_score, final_score, score_after, to_examine};
use super::{EloScale, Engine};
use crate::board::{Game, Move};
use crate::clock::Instant;
use crate::evaluation::RootEvaluation;
use crate::search::{
    BestMove, Bound, Clock, Controls, EvaluationRequest, Limits, NoObserver, Observer, Report,
};
use crate::value::{Depth, Value};

/// With less time than this for a move, the best move is played.
const MIN_TIME: Duration = Duration::from_millis(100);
/// With fewer nodes than this for a move, the best move is played. The replies could not be
/// evaluated deeply enough.
const MIN_NODES: u64 = 50_000;
/// The normal search gets 1/`SEARCH_PART` of the time or nodes.
const SEARCH_PART: u32 = 2;
/// The evaluation of all moves and the check at the end each get 1/`OTHER_PART` of the rest. The
/// replies get what is left.
const OTHER_PART: u32 = 4;
/// The maximum depth for evaluating our moves.
const OWN_DEPTH: Depth = 10;
/// The maximum depth for evaluating the replies.
const REPLY_DEPTH: Depth = 10;
/// The depth of the evaluation that finds the likely replies.
const FIRST_REPLY_DEPTH: Depth = 4;
/// Replies that were evaluated to a lower depth than this are too unreliable.
const MIN_REPLY_DEPTH: Depth = 6;
/// The maximum number of candidates, the best move included.
const MAX_CANDIDATES: usize = 4;
/// Replies that are worse than the best by more than this many centipawns count as equally bad.
const REPLY_CAP: i32 = 600;
/// A position that is better than this many pawns counts as won, and the best move is played.
const WON: f64 = 5.0;
/// The weights of two differences between a candidate and the best move: in the score after the best reply, and in the
/// premium for errors. Neither counts fully, because evaluations of this depth are noisy, and the candidate that looks
/// best was probably overrated. `measurements.md` in the manual describes the fit.
const REPLY_WEIGHT: f64 = 0.25;
const PREMIUM_WEIGHT: f64 = 0.35;
/// The score that a move loses, all else being equal, because a deep search preferred the best move, if the expected
/// score is 50%. Near 0 and 100% the same difference in value changes the score less.
const DOUBT: f64 = 0.025;
/// The maximum number of candidates that are checked at the end.
const MAX_CHECKED: usize = 2;
/// The check at the end may be at most this many plies shallower than the search.
const MAX_DEPTH_SHORTFALL: Depth = 2;

/// How much worse than the best move another move may be.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Margin {
    /// The rating of the opponent on the FIDE scale.
    rating: f64,
    /// Whether the margin grows in bad positions. Otherwise only nearly equal moves are candidates.
    grows: bool,
}

impl Margin {
    /// The maximum number of pawns that a move may lose if the best move has this value.
    fn pawns(self, best: Value) -> f64 {
        const EQUAL: f64 = 0.05;
        if !self.grows {
            return EQUAL;
        }
        let weakness = ((2900.0 - self.rating) / 1700.0).clamp(0.0, 1.0);
        let pawns = best.pawns();
        let growth = if pawns < 0.0 { -0.05 * pawns } else { 0.02 * pawns };
        (EQUAL + 0.1 * weakness + growth).min(0.4)
    }

    /// Returns whether a move of this value may be played instead of the best one.
    fn allows(self, value: Value, best: Value) -> bool {
        let walks_into_mate = value <= -Value::TABLE_BOUND && best > -Value::TABLE_BOUND;
        !walks_into_mate && best.pawns() - value.pawns() <= self.pawns(best)
    }
}

/// A move that is nearly as good as the best, with the scores to expect after it.
struct Candidate {
    mv: Move,
    /// The score if the opponent finds the best reply.
    at_best: f64,
    /// The additional score because the opponent may not find it.
    premium: f64,
    /// All replies, evaluated to a low depth, or `None` if the move ends the game.
    replies: Option<RootEvaluation>,
}

impl Candidate {
    /// The estimated gain in expected score over the best move.
    fn gain(&self, best: &Candidate) -> f64 {
        let expected = best.expected();
        REPLY_WEIGHT * (self.at_best - best.at_best)
            + PREMIUM_WEIGHT * (self.premium - best.premium)
            - DOUBT * 4.0 * expected * (1.0 - expected)
    }

    /// The expected score after this move.
    fn expected(&self) -> f64 {
        self.at_best + PREMIUM_WEIGHT * self.premium
    }
}

/// The data that all steps of a decision share.
struct Attempt<'a> {
    request: &'a MoveRequest<'a>,
    start: Instant,
    /// The time for the move, if it is limited.
    time: Option<Duration>,
    opponent: &'a mut ExploitedOpponent,
    ratings: Vec<LikelyRating>,
    margin: Margin,
    /// A small engine for evaluations, so that the hash table of the search does not change.
    second_engine: &'a mut Engine,
    /// The nodes of all steps so far.
    nodes: u64,
}

/// Returns whether to look for practical chances.
pub(super) fn applies(host: &EngineHost, request: &MoveRequest<'_>) -> bool {
    let MoveRequest { game, limits, .. } = *request;
    host.exploit.is_some()
        && host.opponent.is_some()
        && matches!(host.engine, Engine::Network(_))
        && limits.moves.is_empty()
        && limits.mate.is_none()
        && limits.are_finite()
        && limits.clock.safe_time_per_move().is_none_or(|time| time >= MIN_TIME)
        && limits.nodes.is_none_or(|nodes| nodes >= MIN_NODES)
        && game.position().legal_moves().len() > 1
}

/// Chooses a move. Call this only if [`applies`] returns true.
pub(super) fn decide(
    host: &mut EngineHost,
    request: &MoveRequest<'_>,
    observer: &mut dyn Observer,
) -> BestMove {
    let MoveRequest { game, limits, controls } = *request;
    let (start, time) = (Instant::now(), limits.clock.safe_time_per_move());
    let first = Limits {
        nodes: limits.nodes.map(|nodes| (nodes / u64::from(SEARCH_PART)).max(1)),
        clock: time.map_or(limits.clock, |time| within(&limits.clock, time / SEARCH_PART)),
        ..limits.clone()
    };
    let best = host.engine.best_move(game, &first, controls, observer);
    host.prepare_second_engine();
    let EngineHost { engine, exploit, opponent, second_engine, .. } = host;
    let (Some(exploit), Some(opponent), Some(second_engine)) = (exploit, opponent, second_engine)
    else {
        return best;
    };
    if !controls.is_pondering() {
        opponent.observe(game);
    }
    if controls.is_stopped() || best.value.pawns() > WON {
        return best;
    }
    let rating = opponent.scale().on(EloScale::Fide, opponent.rating().0);
    let margin = Margin { rating, grows: exploit.any };
    let nodes = best.nodes;
    let ratings = opponent.likely_ratings().into_iter().map(LikelyRating::new).collect();
    let mut attempt =
        Attempt { request, start, time, opponent, ratings, margin, second_engine, nodes };
    let Some(candidates) = attempt.candidates(&best) else {
        return attempt.search_on(engine, best, observer);
    };
    attempt.choose(engine, best, &candidates, observer)
}

impl Attempt<'_> {
    /// Returns the candidates with their expected scores, the best move first. Returns `None` if
    /// there is no alternative to the best move, or not enough time.
    fn candidates(&mut self, best: &BestMove) -> Option<Vec<Candidate>> {
        let MoveRequest { game, limits, .. } = *self.request;
        let depth = limits.depth.map_or(OWN_DEPTH, |depth| depth.min(OWN_DEPTH));
        let cap = (100.0 * self.margin.pawns(best.value)) as i32 + 50;
        let request = EvaluationRequest { cap: Some(cap), ..self.part_of_rest(OTHER_PART, depth)? };
        let evaluation = self.evaluate(game, &request);
        let own = evaluation.find(best.mv?)?.value();
        let alternatives = evaluation.moves.iter().filter(|m| {
            Some(m.mv) != best.mv && m.last().exact && self.margin.allows(m.value(), own)
        });
        let mut moves = vec![best.mv?];
        moves.extend(alternatives.map(|m| m.mv));
        moves.truncate(MAX_CANDIDATES);
        if moves.len() < 2 {
            return None;
        }
        let mut candidates = Vec::new();
        for (index, &mv) in moves.iter().enumerate() {
            let left = (moves.len() - index) as u32;
            match self.candidate(mv, left) {
                Some(candidate) => candidates.push(candidate),
                // Without the best move there is nothing to compare with.
                None if index == 0 => return None,
                None => {}
            }
        }
        Some(candidates)
    }

    /// Continues the normal search with the remaining time and nodes, when no other move is better.
    fn search_on(
        &mut self,
        engine: &mut Engine,
        best: BestMove,
        observer: &mut dyn Observer,
    ) -> BestMove {
        let MoveRequest { game, limits, controls } = *self.request;
        let is_limited = self.time.is_some() || limits.nodes.is_some();
        let Some(limits) = self.rest_of_limits(1).filter(|_| is_limited) else { return best };
        let mut deeper =
            DeeperLines { than: best.depth, start: self.start, nodes: self.nodes, observer };
        let found = engine.best_move(game, &limits, controls, &mut deeper);
        let nodes = self.nodes + found.nodes;
        if found.depth > best.depth {
            BestMove { nodes, ..found }
        } else {
            BestMove { nodes, ..best }
        }
    }

    /// Plays the confirmed candidate with the largest gain. If there is none, plays the best move of a longer search.
    fn choose(
        &mut self,
        engine: &mut Engine,
        best: BestMove,
        candidates: &[Candidate],
        observer: &mut dyn Observer,
    ) -> BestMove {
        let found = match self.better(engine, &best, candidates, observer) {
            Some(found) => found,
            None => self.search_on(engine, best, observer),
        };
        // The opponent's choice among the expected replies is evidence of its rating.
        let played = candidates.iter().find(|candidate| Some(candidate.mv) == found.mv);
        if let Some(Candidate { mv, replies: Some(replies), .. }) = played {
            self.opponent.expect_reply(&after(self.request.game, *mv), replies);
        }
        found
    }

    /// Tries candidates that seem better than the best move, the largest gain first. Returns the first one that a search
    /// confirms.
    fn better(
        &mut self,
        engine: &mut Engine,
        best: &BestMove,
        candidates: &[Candidate],
        observer: &mut dyn Observer,
    ) -> Option<BestMove> {
        let (first, others) = candidates.split_first()?;
        let mut better: Vec<(f64, Move)> = others
            .iter()
            .map(|candidate| (candidate.gain(first), candidate.mv))
            .filter(|(gain, _)| *gain > 0.0)
            .collect();
        better.sort_by(|(one, _), (other, _)| other.total_cmp(one));
        better.truncate(MAX_CHECKED);
        let tries = better.len() as u32;
        for (index, (gain, mv)) in better.into_iter().enumerate() {
            if let Some((report, found)) = self.confirm(engine, best, mv, tries - index as u32) {
                let expected = first.expected();
                self.explain(best, &found, [expected + gain, expected], observer);
                observer.line(&report);
                return Some(found);
            }
        }
        None
    }

    /// Searches a candidate alone. If the result is good enough, returns it with its last line.
    fn confirm(
        &mut self,
        engine: &mut Engine,
        best: &BestMove,
        mv: Move,
        tries: u32,
    ) -> Option<(Report, BestMove)> {
        let MoveRequest { game, controls, .. } = *self.request;
        let limits = Limits {
            depth: Some(best.depth.max(1)),
            moves: vec![mv],
            lines: 1,
            ..self.rest_of_limits(tries)?
        };
        let mut last = LastLine(None);
        let found = engine.best_move(game, &limits, controls, &mut last);
        self.nodes += found.nodes;
        let report = last.0?;
        let is_deep = report.depth + MAX_DEPTH_SHORTFALL >= best.depth;
        let is_sound = self.margin.allows(report.value, best.value);
        let (value, depth, nodes) = (report.value, report.depth, self.nodes);
        (is_deep && is_sound && !controls.is_stopped()).then(|| {
            let ponder = report.line.get(1).copied();
            (Report { nodes, elapsed: self.start.elapsed(), ..report }, {
                BestMove { mv: Some(mv), ponder, value, depth, nodes }
            })
        })
    }

    /// Computes the scores to expect after a move. Returns `None` if the replies could not be evaluated. `left` is the
    /// number of moves that share the remaining time, this one included.
    fn candidate(&mut self, mv: Move, left: u32) -> Option<Candidate> {
        let after = after(self.request.game, mv);
        if let Some(ending) = after.ending() {
            let at_best = final_score(ending);
            return Some(Candidate { mv, at_best, premium: 0.0, replies: None });
        }
        let (all, likely) = self.replies(&after, left)?;
        let at_best = score_after(&self.ratings, &after, likely.best()?);
        let premium = expected_score(&self.ratings, &after, &likely) - at_best;
        Some(Candidate { mv, at_best, premium, replies: Some(all) })
    }

    /// Evaluates all replies to a low depth, and the likely ones to a higher depth.
    fn replies(&mut self, after: &Game, left: u32) -> Option<(RootEvaluation, RootEvaluation)> {
        let most = self.request.limits.depth.unwrap_or(Depth::MAX).saturating_sub(1).max(1);
        // The check at the end needs a share of the time too.
        let first = self.part_of_rest(left + 1, FIRST_REPLY_DEPTH.min(most))?;
        let all = self.evaluate(after, &EvaluationRequest { cap: Some(REPLY_CAP), ..first });
        if all.depth == 0 {
            return None;
        }
        let moves = to_examine(&self.ratings, after, &all);
        let second = self.part_of_rest(left + 1, REPLY_DEPTH.min(most))?;
        let second = EvaluationRequest { cap: Some(REPLY_CAP), moves, ..second };
        let likely = self.evaluate(after, &second);
        (likely.depth >= MIN_REPLY_DEPTH.min(most)).then_some((all, likely))
    }

    fn evaluate(&mut self, game: &Game, request: &EvaluationRequest) -> RootEvaluation {
        let controls: &Controls = self.request.controls;
        let evaluation = self.second_engine.evaluate(game, request, controls, &mut NoObserver);
        self.nodes += evaluation.nodes;
        evaluation
    }

    /// A request for 1/`parts` of the time and the nodes that are left. `None` if nothing is left.
    fn part_of_rest(&self, parts: u32, depth: Depth) -> Option<EvaluationRequest> {
        if self.request.controls.is_stopped() {
            return None;
        }
        let mut request = EvaluationRequest::depth(depth);
        if self.time.is_some() {
            request.time = Some(self.time_left()? / parts);
        }
        if self.request.limits.nodes.is_some() {
            request.nodes = Some((self.nodes_left()? / u64::from(parts)).max(1));
        }
        Some(request)
    }

    /// The limits of a search with 1/`parts` of the time and the nodes that are left. `None` if nothing is left.
    fn rest_of_limits(&self, parts: u32) -> Option<Limits> {
        let limits = self.request.limits;
        let rest = self.part_of_rest(parts, OWN_DEPTH)?;
        let clock = rest.time.map_or(limits.clock, |time| within(&limits.clock, time));
        Some(Limits { nodes: rest.nodes, clock, ..limits.clone() })
    }

    /// The time left for this move, or `None` if it is used up.
    fn time_left(&self) -> Option<Duration> {
        let spent = own_time(self.start, self.request.controls);
        self.time?.checked_sub(spent).filter(|left| *left > Duration::from_millis(1))
    }

    /// The nodes left for this move, or `None` if they are used up.
    fn nodes_left(&self) -> Option<u64> {
        self.request.limits.nodes?.checked_sub(self.nodes).filter(|left| *left > 0)
    }

    fn explain(
        &self,
        best: &BestMove,
        chosen: &BestMove,
        [expected, of_best]: [f64; 2],
        observer: &mut dyn Observer,
    ) {
        let position = self.request.game.position();
        let (Some(best_move), Some(played)) = (best.mv, chosen.mv) else { return };
        observer.remark(&format!(
            "exploit: {} instead of {}, expected score {} instead of {} against a player rated {}, \
             gives up {:.2} pawns",
            position.san(played),
            position.san(best_move),
            tenths(expected),
            tenths(of_best),
            self.opponent.rating(),
            (best.value.pawns() - chosen.value.pawns()).max(0.0),
        ));
    }
}

/// A score in percent with one decimal place.
fn tenths(score: f64) -> String {
    format!("{:.1}%", 100.0 * score)
}

fn after(game: &Game, mv: Move) -> Game {
    let mut after = game.clone();
    after.play(mv);
    after
}

/// The clock for a search that may take this long.
fn within(clock: &Clock, time: Duration) -> Clock {
    Clock { move_time: Some(time + clock.overhead), ..*clock }
}

/// Passes on the lines of a search that are deeper than those of an earlier search.
struct DeeperLines<'a> {
    than: Depth,
    start: Instant,
    /// The nodes before this search.
    nodes: u64,
    observer: &'a mut dyn Observer,
}

impl Observer for DeeperLines<'_> {
    fn line(&mut self, report: &Report) {
        if report.depth > self.than {
            let nodes = self.nodes + report.nodes;
            let elapsed = self.start.elapsed();
            self.observer.line(&Report { nodes, elapsed, ..report.clone() });
        }
    }
}

/// Keeps the last line of a search.
struct LastLine(Option<Report>);

impl Observer for LastLine {
    fn line(&mut self, report: &Report) {
        if report.bound == Bound::Exact {
            self.0 = Some(report.clone());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::player::{Elo, Exploit};

    const ANY: Margin = Margin { rating: 1200.0, grows: true };

    #[test]
    fn the_worse_the_position_the_more_a_move_may_lose() {
        let margins = [300, 0, -100, -400, -900].map(|cp| ANY.pawns(Value::centipawns(cp)));
        assert!(margins[1..].is_sorted(), "{margins:?}");
        assert!(margins[0] < 0.25 && margins[1] < 0.16 && margins[4] <= 0.4, "{margins:?}");
        let strong = Margin { rating: 2800.0, ..ANY };
        assert!(strong.pawns(Value::DRAW) < ANY.pawns(Value::DRAW));
        let equal = Margin { grows: false, ..ANY };
        assert!(equal.pawns(Value::centipawns(-900)) <= 0.05);
    }

    /// Collects the explanations of moves other than the best.
    #[derive(Default)]
    struct Remarks(Vec<String>);

    impl Observer for Remarks {
        fn line(&mut self, _: &Report) {}

        fn remark(&mut self, text: &str) {
            self.0.push(text.to_owned());
        }
    }

    fn decision(fen: &str, nodes: u64) -> (BestMove, Vec<String>) {
        let mut host = EngineHost::new(Engine::built_in(16));
        host.exploit = Some(Exploit::against(None, true));
        host.opponent = Some(ExploitedOpponent::rated(Elo(1600.0), EloScale::Fide));
        let game = Game::from_uci(Some(fen), [], false).expect(fen);
        let (limits, controls) = (Limits::nodes(nodes), Controls::new());
        let request = MoveRequest { game: &game, limits: &limits, controls: &controls };
        assert_eq!(applies(&host, &request), nodes >= MIN_NODES);
        let mut remarks = Remarks::default();
        (decide(&mut host, &request, &mut remarks), remarks.0)
    }

    #[test]
    fn the_nodes_are_used_if_the_best_move_is_played() {
        for fen in [
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/R1BQKBNR w KQkq - 0 1",
            "rnbqkbnr/pp3ppp/3p4/2p1p3/2P5/2NP4/PP2PPPP/R1BQKB1R w KQkq - 0 4",
            "rn1qkbnr/pp2pppp/2p5/3p2B1/3P2b1/5N2/PPP1PPPP/R2QKB1R w KQkq - 2 4",
        ] {
            let (found, remarks) = decision(fen, MIN_NODES);
            assert!(found.nodes <= MIN_NODES + 100, "{found:?}");
            assert!(!remarks.is_empty() || found.nodes + 100 > MIN_NODES, "{found:?}");
        }
        decision("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/R1BQKBNR w KQkq - 0 1", MIN_NODES - 1);
    }

    #[test]
    fn no_candidate_walks_into_an_avoidable_mate() {
        let lost = Value::centipawns(-2000);
        assert!(!ANY.allows(Value::mated_in(8), lost));
        assert!(ANY.allows(Value::mated_in(8), Value::mated_in(10)));
        assert!(ANY.allows(lost, lost));
    }
}
