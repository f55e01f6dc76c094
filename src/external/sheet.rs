//! What an engine has said of the moves of a position, put together to an evaluation.
//!
//! Engines differ in what they show. The last word on a move at a depth counts, but a bound never
//! replaces an exact value. What was not said is filled in, and marked as not exact:
//!
//! - a depth of a move that was passed over has the value of the depth before it, or where there is
//!   none, of the next;
//! - a move that was never shown, by an engine that came to an end by itself, is worth no more than
//!   the least of those that were: lines are shown best first.
//!
//! The evaluation is as deep as the move that was seen least deep, of those that were seen.

use std::collections::BTreeMap;

use super::wire::Info;
use crate::board::{Ending, Move, Position};
use crate::evaluation::{Assessment, MoveEvaluation, RootEvaluation};
use crate::search::Bound;
use crate::value::{Depth, Value};

#[derive(Debug)]
pub(super) struct Sheet<'a> {
    position: &'a Position,
    moves: Vec<MoveSheet>,
    /// Deeper ones than were asked for are not listened to.
    deepest: Depth,
    /// Of earlier searches of this sheet, and the largest number of the present one.
    nodes: (u64, u64),
}

#[derive(Debug)]
struct MoveSheet {
    mv: Move,
    said: BTreeMap<Depth, Assessment>,
    lines: BTreeMap<Depth, Vec<Move>>,
}

impl Sheet<'_> {
    pub fn new<'a>(position: &'a Position, moves: &[Move], deepest: Depth) -> Sheet<'a> {
        let empty = |&mv| MoveSheet { mv, said: BTreeMap::new(), lines: BTreeMap::new() };
        Sheet { position, moves: moves.iter().map(empty).collect(), deepest, nodes: (0, 0) }
    }

    /// Takes down what a line says of a move. Was there anything new in it?
    pub fn take(&mut self, info: &Info<'_>) -> bool {
        let Some((depth, value, first)) = parts(info) else { return false };
        let Ok(mv) = self.position.parse_uci(first) else { return false };
        let line = legal_line(self.position, &info.line);
        let assessment = Assessment { value, exact: is_exact(info) };
        (1..=self.deepest).contains(&depth) && self.note(mv, depth, assessment, line, info.nodes)
    }

    /// Takes down what the best line of the position after a move says of that move.
    pub fn take_reply(&mut self, mv: Move, after: &Position, info: &Info<'_>) -> bool {
        let Some((depth, value, _)) = parts(info) else { return false };
        if depth == 0 || info.number.is_some_and(|number| number != 1) {
            return false;
        }
        // One ply further from whatever it ends with. The least depth is all that there is to say
        // of depth 1, where the reply is not looked at.
        let value = (-value).from_table(1);
        let exact = is_exact(info) && depth < self.deepest;
        let depth = depth.saturating_add(1).min(self.deepest);
        let line = [vec![mv], legal_line(after, &info.line)].concat();
        self.note(mv, depth, Assessment { value, exact }, line, info.nodes)
    }

    /// Takes down that the game is over after a move.
    pub fn end(&mut self, mv: Move, ending: Ending) {
        let is_mate = ending == Ending::Checkmate;
        let value = if is_mate { Value::mate_in(1) } else { Value::DRAW };
        for depth in 1..=self.deepest {
            self.note(mv, depth, Assessment { value, exact: true }, vec![mv], None);
        }
    }

    fn note(
        &mut self,
        mv: Move,
        depth: Depth,
        assessment: Assessment,
        line: Vec<Move>,
        nodes: Option<u64>,
    ) -> bool {
        let Some(entry) = self.moves.iter_mut().find(|entry| entry.mv == mv) else { return false };
        let last = entry.said.get(&depth);
        if !assessment.exact && last.is_some_and(|last| last.exact) {
            return false;
        }
        let is_new = last.is_none_or(|last| last.exact != assessment.exact);
        entry.said.insert(depth, assessment);
        entry.lines.insert(depth, line);
        let nodes = nodes.unwrap_or_default();
        let searches_on = nodes > self.nodes.1;
        self.nodes.1 = self.nodes.1.max(nodes);
        is_new || searches_on
    }

    /// Another search begins.
    pub fn next_search(&mut self) {
        self.nodes = (self.nodes(), 0);
    }

    /// Of all searches so far.
    pub fn nodes(&self) -> u64 {
        self.nodes.0.saturating_add(self.nodes.1)
    }

    /// How many moves nothing was said of.
    pub fn silent(&self) -> usize {
        self.moves.iter().filter(|entry| entry.said.is_empty()).count()
    }

    /// Was nothing said of any move?
    pub fn is_empty(&self) -> bool {
        self.silent() == self.moves.len()
    }

    /// The moves that were not seen as deep as others were.
    pub fn behind(&self) -> Vec<Move> {
        let deepest = self.moves.iter().filter_map(MoveSheet::deepest).max();
        let behind = self.moves.iter().filter(|e| e.deepest() < deepest || deepest.is_none());
        behind.map(|entry| entry.mv).collect()
    }

    /// The moves that were not seen at as many depths as they could have been.
    pub fn with_gaps(&self) -> Vec<Move> {
        let depths = usize::from(self.deepest);
        let gaps = self.moves.iter().filter(|entry| entry.said.len() < depths);
        gaps.map(|entry| entry.mv).collect()
    }

    /// The evaluation as far as it goes; of depth zero where a move is missing and `ended` does
    /// not say that the engine had its time.
    pub fn finish(self, ended: bool) -> RootEvaluation {
        let seen = self.moves.iter().filter_map(MoveSheet::deepest);
        let (Some(depth), Some(least)) = (seen.min(), self.least()) else {
            return RootEvaluation::default();
        };
        if !ended && self.moves.iter().any(|entry| entry.said.is_empty()) {
            return RootEvaluation::default();
        }
        let nodes = self.nodes();
        let moves = self.moves.into_iter().map(|entry| entry.assess(depth, least)).collect();
        let mut evaluation = RootEvaluation { depth, moves, nodes, oracle: None };
        evaluation.sort();
        evaluation
    }

    /// What no move that was never shown can be better than.
    fn least(&self) -> Option<Assessment> {
        let last = self.moves.iter().filter_map(|entry| entry.said.values().next_back());
        let value = last.map(|assessment| assessment.value).min()?;
        Some(Assessment { value, exact: false })
    }
}

impl MoveSheet {
    fn deepest(&self) -> Option<Depth> {
        self.said.keys().next_back().copied()
    }

    fn assess(self, deepest: Depth, least: Assessment) -> MoveEvaluation {
        let said = |depth: Depth| {
            let at = self.said.get(&depth).copied();
            let near = || {
                let before = self.said.range(..depth).next_back();
                let (_, near) = before.or_else(|| self.said.range(depth..).next())?;
                Some(Assessment { exact: false, ..*near })
            };
            at.or_else(near).unwrap_or(least)
        };
        let by_depth = (1..=deepest).map(said).collect();
        let line = self.lines.range(..=deepest).next_back().map(|(_, line)| line.clone());
        let line = line.unwrap_or_else(|| vec![self.mv]);
        MoveEvaluation { mv: self.mv, by_depth, line }
    }
}

/// Depth, value and the first word of a line that has them all.
fn parts<'a>(info: &Info<'a>) -> Option<(Depth, Value, &'a str)> {
    let depth = Depth::try_from(info.depth?).ok()?;
    Some((depth, info.value?, info.line.first()?))
}

fn is_exact(info: &Info<'_>) -> bool {
    info.bound.is_none_or(|bound| bound == Bound::Exact)
}

/// The moves up to the first that is none.
fn legal_line(position: &Position, words: &[&str]) -> Vec<Move> {
    let mut position = position.clone();
    let legal = |word: &&str| {
        let mv = position.parse_uci(word).ok()?;
        position.play(mv);
        Some(mv)
    };
    words.iter().map_while(legal).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// King and pawn: two moves of each.
    fn position() -> Position {
        Position::from_fen("4k3/8/8/8/8/8/P7/K7 w - - 0 1", false).expect("legal")
    }

    fn filled(lines: &[&str], ended: bool) -> RootEvaluation {
        let position = position();
        let moves = position.legal_moves();
        let mut sheet = Sheet::new(&position, &moves, 3);
        for line in lines {
            sheet.take(&Info::parse(line));
        }
        sheet.finish(ended)
    }

    fn assessments(evaluation: &RootEvaluation, mv: &str) -> Vec<(i32, bool)> {
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
    fn what_was_not_said_is_filled_in_and_marked() {
        let evaluation = filled(&DEPTH_2, true);
        assert_eq!((evaluation.depth, evaluation.nodes, evaluation.moves.len()), (2, 9, 4));
        assert_eq!(assessments(&evaluation, "a2a4"), [(30, false), (30, true)]);
        assert_eq!(assessments(&evaluation, "a1b1"), [(10, false), (10, false)]);
        let mated = Value::mated_in(6).raw();
        assert_eq!(assessments(&evaluation, "a1b2"), [(mated, false), (mated, true)]);
        assert_eq!(evaluation.moves[0].line.len(), 2);
    }

    #[test]
    fn a_depth_that_is_not_complete_does_not_count_and_an_exact_value_stays() {
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
        assert_eq!(assessments(&evaluation, "a1b1"), [(11, false), (11, true)]);
        assert_eq!(assessments(&evaluation, "a2a4")[1], (30, true));
    }

    #[test]
    fn moves_that_were_never_shown_are_no_better_than_the_rest_or_there_is_no_evaluation() {
        let evaluation = filled(&DEPTH_2[..2], true);
        assert_eq!(assessments(&evaluation, "a1b2"), [(20, false), (20, false)]);
        assert_eq!(filled(&DEPTH_2[..2], false), RootEvaluation::default());
        assert_eq!(filled(&[], true), RootEvaluation::default());
    }
}
