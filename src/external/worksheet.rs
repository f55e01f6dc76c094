//! Collects an engine's `info` lines into an evaluation.
//!
//! Engines differ in the lines that they show. For each move and depth, the last score counts, but
//! a bound never replaces an exact score. Missing scores are filled in and marked as not exact:
//!
//! - If a move has no score at a depth, it gets its score at the previous depth, or else at the
//!   next depth.
//! - If a search was not stopped and still showed no score for a move, the move gets the lowest
//!   score of any move. Engines show the best lines first.
//!
//! The depth of the evaluation is the greatest depth that all of the moves shown have reached.

use std::collections::BTreeMap;

use super::wire::Info;
use crate::board::{GameEnd, Move, Position};
use crate::evaluation::{DepthValue, MoveEvaluation, RootEvaluation};
use crate::search::Bound;
use crate::value::{Depth, Value};

/// The scores of all moves of a position, as far as the engine has shown them.
#[derive(Debug)]
pub(super) struct Worksheet<'a> {
    position: &'a Position,
    moves: Vec<MoveScores>,
    /// The requested depth. Scores at greater depths are ignored.
    deepest: Depth,
    nodes_before: u64,
    /// The largest number of nodes that the engine has shown in the current search.
    nodes: u64,
}

#[derive(Debug)]
struct MoveScores {
    mv: Move,
    scores: BTreeMap<Depth, DepthValue>,
    lines: BTreeMap<Depth, Vec<Move>>,
}

/// A score that the engine has shown for a move.
#[derive(Debug)]
struct Shown {
    depth: Depth,
    score: DepthValue,
    line: Vec<Move>,
    nodes: Option<u64>,
}

impl Worksheet<'_> {
    /// Creates a worksheet without scores.
    pub fn new<'a>(position: &'a Position, moves: &[Move], deepest: Depth) -> Worksheet<'a> {
        let empty = |&mv| MoveScores { mv, scores: BTreeMap::new(), lines: BTreeMap::new() };
        Worksheet {
            position,
            moves: moves.iter().map(empty).collect(),
            deepest,
            nodes_before: 0,
            nodes: 0,
        }
    }

    /// Records the score in a line. Returns whether the line shows progress.
    pub fn take(&mut self, info: &Info<'_>) -> bool {
        let Some((depth, value, first)) = depth_score_move(info) else { return false };
        let Ok(mv) = self.position.parse_uci(first) else { return false };
        let line = legal_line(self.position, &info.line);
        let score = DepthValue { value, exact: is_exact(info) };
        let shown = Shown { depth, score, line, nodes: info.nodes };
        (1..=self.deepest).contains(&depth) && self.note(mv, shown)
    }

    /// Records the score of a move, given the best line in the position after it.
    pub fn take_reply(&mut self, mv: Move, after: &Position, info: &Info<'_>) -> bool {
        let Some((reply_depth, reply_value, _)) = depth_score_move(info) else { return false };
        if reply_depth == 0 || info.number.is_some_and(|number| number != 1) {
            return false;
        }
        // Mates and tablebase results are one ply further away than in the position after the move.
        // A search of that position has at least depth 1, so a move that should be searched to
        // depth 1 gets an inexact score.
        let value = (-reply_value).at_root(1);
        let exact = is_exact(info) && reply_depth < self.deepest;
        let depth = reply_depth.saturating_add(1).min(self.deepest);
        let line = [vec![mv], legal_line(after, &info.line)].concat();
        let score = DepthValue { value, exact };
        self.note(mv, Shown { depth, score, line, nodes: info.nodes })
    }

    /// Records that a move ends the game.
    pub fn end(&mut self, mv: Move, ending: GameEnd) {
        let is_mate = ending == GameEnd::Checkmate;
        let value = if is_mate { Value::mate_in(1) } else { Value::DRAW };
        let score = DepthValue { value, exact: true };
        for depth in 1..=self.deepest {
            self.note(mv, Shown { depth, score, line: vec![mv], nodes: None });
        }
    }

    fn note(&mut self, mv: Move, shown: Shown) -> bool {
        let Shown { depth, score, line, nodes } = shown;
        let Some(entry) = self.moves.iter_mut().find(|entry| entry.mv == mv) else { return false };
        let last = entry.scores.get(&depth);
        if !score.exact && last.is_some_and(|last| last.exact) {
            return false;
        }
        let is_new = last.is_none_or(|last| last.exact != score.exact);
        entry.scores.insert(depth, score);
        entry.lines.insert(depth, line);
        let before = self.nodes;
        self.nodes = before.max(nodes.unwrap_or_default());
        is_new || self.nodes > before
    }

    /// Starts counting the nodes of another search.
    pub fn next_search(&mut self) {
        (self.nodes_before, self.nodes) = (self.nodes(), 0);
    }

    /// The nodes of all searches so far.
    pub fn nodes(&self) -> u64 {
        self.nodes_before.saturating_add(self.nodes)
    }

    /// The number of moves without any score.
    pub fn missing(&self) -> usize {
        self.moves.iter().filter(|entry| entry.scores.is_empty()).count()
    }

    /// Returns whether the sheet has no scores yet.
    pub fn is_empty(&self) -> bool {
        self.missing() == self.moves.len()
    }

    /// The moves that have not reached the depth of the deepest moves.
    pub fn behind(&self) -> Vec<Move> {
        let deepest = self.moves.iter().filter_map(MoveScores::deepest).max();
        let behind = self.moves.iter().filter(|e| e.deepest() < deepest || deepest.is_none());
        behind.map(|entry| entry.mv).collect()
    }

    /// The moves that lack a score at some depth.
    pub fn with_gaps(&self) -> Vec<Move> {
        let depths = usize::from(self.deepest);
        let gaps = self.moves.iter().filter(|entry| entry.scores.len() < depths);
        gaps.map(|entry| entry.mv).collect()
    }

    /// Returns the evaluation. If a move has no score and the search was not complete, the
    /// evaluation is empty.
    pub fn finish(self, is_complete: bool) -> RootEvaluation {
        let seen = self.moves.iter().filter_map(MoveScores::deepest);
        let (Some(depth), Some(least)) = (seen.min(), self.least()) else {
            return RootEvaluation::default();
        };
        if !is_complete && self.moves.iter().any(|entry| entry.scores.is_empty()) {
            return RootEvaluation::default();
        }
        let nodes = self.nodes();
        let moves = self.moves.into_iter().map(|entry| entry.evaluation(depth, least)).collect();
        let mut evaluation = RootEvaluation { depth, moves, nodes, oracle: None };
        evaluation.sort();
        evaluation
    }

    /// The score for moves that were never shown: the lowest score of those that were.
    fn least(&self) -> Option<DepthValue> {
        let last = self.moves.iter().filter_map(|entry| entry.scores.values().next_back());
        let value = last.map(|score| score.value).min()?;
        Some(DepthValue { value, exact: false })
    }
}

impl MoveScores {
    fn deepest(&self) -> Option<Depth> {
        self.scores.keys().next_back().copied()
    }

    fn evaluation(self, deepest: Depth, least: DepthValue) -> MoveEvaluation {
        let score_at = |depth: Depth| {
            let at = self.scores.get(&depth).copied();
            let near = || {
                let before = self.scores.range(..depth).next_back();
                let (_, near) = before.or_else(|| self.scores.range(depth..).next())?;
                Some(DepthValue { exact: false, ..*near })
            };
            at.or_else(near).unwrap_or(least)
        };
        let by_depth = (1..=deepest).map(score_at).collect();
        let last_line = self.lines.range(..=deepest).next_back();
        let line = last_line.map_or_else(|| vec![self.mv], |(_, line)| line.clone());
        MoveEvaluation { mv: self.mv, by_depth, line }
    }
}

/// Returns the depth, the score and the first move of a line that has all three.
fn depth_score_move<'a>(info: &Info<'a>) -> Option<(Depth, Value, &'a str)> {
    let depth = Depth::try_from(info.depth?).ok()?;
    Some((depth, info.value?, info.line.first()?))
}

fn is_exact(info: &Info<'_>) -> bool {
    info.bound.is_none_or(|bound| bound == Bound::Exact)
}

/// Returns the moves of a line up to the first word that is not a legal move.
fn legal_line(position: &Position, words: &[&str]) -> Vec<Move> {
    let mut after = position.clone();
    let legal = |word: &&str| {
        let mv = after.parse_uci(word).ok()?;
        after.play(mv);
        Some(mv)
    };
    words.iter().map_while(legal).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A position with two king moves and two pawn moves.
    fn position() -> Position {
        Position::from_fen("4k3/8/8/8/8/8/P7/K7 w - - 0 1", false).expect("legal")
    }

    fn filled(lines: &[&str], ended: bool) -> RootEvaluation {
        let position = position();
        let moves = position.legal_moves();
        let mut sheet = Worksheet::new(&position, &moves, 3);
        for line in lines {
            sheet.take(&Info::parse(line));
        }
        sheet.finish(ended)
    }

    fn values_of(evaluation: &RootEvaluation, mv: &str) -> Vec<(i32, bool)> {
        let mv = position().parse_uci(mv).expect("legal");
        let found = evaluation.find(mv).expect("every move is there");
        found.by_depth.iter().map(|a| (a.value.raw(), a.exact)).collect()
    }

    const DEPTH_2: [&str; 4] = [
        "info depth 2 multipv 1 score cp 30 nodes 9 pv a2a4 e8e7",
        "info depth 2 multipv 2 score cp 20 pv a2a3 e8e7",
        "info depth 2 multipv 3 score cp 10 lowerbound pv a1b1",
        "info depth 2 multipv 4 score mate -3 pv a1b2",
    ];

    #[test]
    fn missing_scores_are_filled_in_and_marked_as_inexact() {
        let evaluation = filled(&DEPTH_2, true);
        assert_eq!((evaluation.depth, evaluation.nodes, evaluation.moves.len()), (2, 9, 4));
        assert_eq!(values_of(&evaluation, "a2a4"), [(30, false), (30, true)]);
        assert_eq!(values_of(&evaluation, "a1b1"), [(10, false), (10, false)]);
        let mated = Value::mated_in(6).raw();
        assert_eq!(values_of(&evaluation, "a1b2"), [(mated, false), (mated, true)]);
        assert_eq!(evaluation.moves[0].line.len(), 2);
    }

    #[test]
    fn incomplete_depths_do_not_count_and_bounds_do_not_replace_exact_scores() {
        let more = [
            "info depth 3 score cp 90 pv a2a4",
            "info depth 2 score cp 11 pv a1b1 e8e7 a1a1",
            "info depth 2 score cp 99 upperbound pv a1b1",
            "info depth 4 score cp 99 pv a1b1",
            "info depth 0 score cp 99 pv a1b1",
            "info depth 2 score cp 99 pv a1a8",
            "info depth 3 score mate 3 pv",
        ];
        let evaluation = filled(&[&DEPTH_2[..], &more].concat(), true);
        assert_eq!(evaluation.depth, 2);
        assert_eq!(values_of(&evaluation, "a1b1"), [(11, false), (11, true)]);
        assert_eq!(values_of(&evaluation, "a2a4")[1], (30, true));
    }

    #[test]
    fn moves_without_scores_get_the_worst_score_if_the_search_was_complete() {
        let evaluation = filled(&DEPTH_2[..2], true);
        assert_eq!(values_of(&evaluation, "a1b2"), [(20, false), (20, false)]);
        assert_eq!(filled(&DEPTH_2[..2], false), RootEvaluation::default());
        assert_eq!(filled(&[], true), RootEvaluation::default());
    }
}
