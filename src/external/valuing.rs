//! How an [`Analyst`] values moves: by one search that shows them all, and what that leaves out by
//! searches of its own.
//!
//! Moves that an engine does not show among its lines are valued one by one: by a search that is
//! kept to the move, or where an engine does not keep to it, by a search of the position after it.

use std::time::Instant;

use super::analyst::Analyst;
use super::client::Fault;
use super::search::EngineSearch;
use super::sheet::Sheet;
use super::wire::Info;
use crate::board::{Game, Move};
use crate::evaluation::RootEvaluation;
use crate::search::{Controls, EvaluationRequest, Limits};
use crate::value::Depth;

/// What is to be valued, and within what bounds.
#[derive(Clone, Copy, Debug)]
pub(super) struct Valuation<'a> {
    pub game: &'a Game,
    pub request: &'a EvaluationRequest,
    pub controls: &'a Controls,
    pub started: Instant,
}

impl Analyst {
    /// Values these moves at all depths.
    pub(super) fn value_all(
        &mut self,
        work: &Valuation<'_>,
        moves: &[Move],
    ) -> Result<RootEvaluation, Fault> {
        let Valuation { game, request, .. } = *work;
        self.prepare(game)?;
        self.client.tell("OwnBook", "false")?;
        if !self.client.is_set("Threads") {
            self.client.tell("Threads", "1")?;
        }
        self.client.send("ucinewgame")?;
        self.client.synchronise()?;
        self.new_game = false;
        let most = self.most_lines();
        let lines = moves.len().min(most);
        let mut sheet = Sheet::new(game.position(), moves, request.depth);
        let mut ended = true;
        if lines == moves.len() || lines > 1 {
            self.client.tell("MultiPV", &lines.to_string())?;
            let asked = if request.moves.is_empty() { &[][..] } else { moves };
            let question = (game, asked, request.depth);
            ended = self.search(work, question, &mut sheet, Sheet::take)?;
        }
        // Of many moves and few lines some come and go from one depth to the next.
        let behind = if lines < moves.len() { sheet.with_gaps() } else { sheet.behind() };
        let mut is_whole = ended;
        if ended && !behind.is_empty() {
            if lines < moves.len() {
                self.tell_of_lines(most);
            }
            is_whole = self.value_singly(work, &behind, lines == 1, &mut sheet)?;
        }
        // What was not shown among several lines is less than those.
        let bounded = ended && lines > 1 && request.nodes.is_none();
        let missing = sheet.silent();
        let evaluation = sheet.finish(bounded || (is_whole && request.nodes.is_none()));
        if evaluation.depth == 0 && is_whole && request.nodes.is_none() {
            let fault = Fault::Unusable(format!("{} gives moves no values", self.name()));
            return Err(self.client.fail(fault));
        }
        if evaluation.depth > 0 && missing > 0 {
            let (name, fen) = (self.name(), game.position().fen());
            let notice = format!(
                "{name} says nothing of {missing} moves of {fen}: they count as no better than the \
                 others"
            );
            self.notices.push(notice);
        }
        Ok(evaluation)
    }

    /// One search of a position, kept to these moves unless there are none, whose lines go onto the
    /// sheet. Did it come to its own end?
    fn search<'p>(
        &mut self,
        work: &Valuation<'_>,
        (game, moves, depth): (&Game, &[Move], Depth),
        sheet: &mut Sheet<'p>,
        mut take: impl FnMut(&mut Sheet<'p>, &Info<'_>) -> bool,
    ) -> Result<bool, Fault> {
        sheet.next_search();
        let left = |nodes: u64| nodes.saturating_sub(sheet.nodes()).max(1);
        let nodes = work.request.nodes.map(left);
        let limits = Limits { nodes, moves: moves.to_vec(), ..Limits::depth(depth) };
        let search = EngineSearch {
            time: work.request.time,
            since: Some(work.started),
            patience: Some(self.client.patience),
            ..EngineSearch::new(game, &limits, work.controls)
        };
        let answer = self.client.search(&search, |info, _| take(sheet, info))?;
        Ok(!answer.stopped)
    }

    /// Values these moves at every depth up to the wanted one. Was there time for all?
    ///
    /// Nothing is known of moves that were never shown, so where no line was asked for before, one
    /// depth is completed after the other, and what is completed counts.
    fn value_singly(
        &mut self,
        work: &Valuation<'_>,
        moves: &[Move],
        depth_by_depth: bool,
        sheet: &mut Sheet<'_>,
    ) -> Result<bool, Fault> {
        let deepest = work.request.depth;
        let first = if depth_by_depth { 1 } else { deepest };
        self.client.tell("MultiPV", "1")?;
        for depth in first..=deepest {
            for &mv in moves {
                if !self.value_one(work, mv, depth, sheet)? {
                    return Ok(false);
                }
            }
        }
        Ok(true)
    }

    fn value_one(
        &mut self,
        work: &Valuation<'_>,
        mv: Move,
        depth: Depth,
        sheet: &mut Sheet<'_>,
    ) -> Result<bool, Fault> {
        if !self.ignores_moves {
            let name = work.game.position().uci(mv);
            let mut keeps_to_it = false;
            let question = (work.game, &[mv][..], depth);
            let ended = self.search(work, question, sheet, |sheet, info| {
                keeps_to_it |= info.line.first().is_some_and(|first| *first == name);
                sheet.take(info)
            })?;
            if !ended || keeps_to_it {
                return Ok(ended);
            }
            self.ignores_moves = true;
            let notice = format!(
                "{} does not keep to searchmoves: the positions after them are searched",
                self.name()
            );
            self.notices.push(notice);
        }
        self.search_after(work, mv, depth, sheet)
    }

    /// Searches the position after a move, one ply less deep.
    fn search_after(
        &mut self,
        work: &Valuation<'_>,
        mv: Move,
        depth: Depth,
        sheet: &mut Sheet<'_>,
    ) -> Result<bool, Fault> {
        let mut after = work.game.clone();
        after.play(mv);
        if let Some(ending) = after.ending() {
            sheet.end(mv, ending);
            return Ok(true);
        }
        let question = (&after, &[][..], (depth - 1).max(1));
        let position = after.position();
        self.search(work, question, sheet, |sheet, info| sheet.take_reply(mv, position, info))
    }

    fn tell_of_lines(&mut self, most: usize) {
        if !std::mem::replace(&mut self.told_of_lines, true) {
            let name = self.name();
            let notice = format!(
                "{name} shows at most {most} lines: where there are more moves, the others are \
                 searched one by one, which takes longer"
            );
            self.notices.push(notice);
        }
    }
}
