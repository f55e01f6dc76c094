//! How an [`Analyst`](super::Analyst) evaluates moves: by one search that shows them all, and what that leaves out by
//! searches of its own.
//!
//! Moves that an engine does not show among its lines are valued one by one: by a search that is
//! kept to the move, or where an engine does not keep to it, by a search of the position after it.

use std::time::Instant;

use super::client::{Fault, UciClient};
use super::search::{EngineSearch, PROMPT};
use super::sheet::Sheet;
use super::wire::Info;
use crate::board::{Game, Move};
use crate::evaluation::RootEvaluation;
use crate::search::{Controls, EvaluationRequest, Limits};
use crate::value::Depth;

/// What has been learnt of an engine, and what the user should know.
#[derive(Debug, Default)]
pub(super) struct Habits {
    pub notices: Vec<String>,
    /// It has been said that there are too few lines.
    told_of_lines: bool,
    /// It searches other moves than it is asked to.
    ignores_moves: bool,
}

/// Moves that an analyst is valuing: of which game, within what bounds, and what is known of them.
#[derive(Debug)]
pub(super) struct Valuation<'a> {
    pub client: &'a mut UciClient,
    pub habits: &'a mut Habits,
    pub game: &'a Game,
    pub request: &'a EvaluationRequest,
    pub controls: &'a Controls,
    pub started: Instant,
    pub sheet: Sheet<'a>,
}

impl<'a> Valuation<'a> {
    /// Values these moves at all depths.
    pub fn value_all(mut self, moves: &[Move]) -> Result<RootEvaluation, Fault> {
        let (game, request) = (self.game, self.request);
        self.client.prepare(game)?;
        self.client.tell("OwnBook", "false")?;
        if !self.client.is_set("Threads") {
            self.client.tell("Threads", "1")?;
        }
        self.client.send("ucinewgame")?;
        self.client.synchronise()?;
        let most = self.client.most_lines();
        let lines = moves.len().min(most);
        let mut ended = true;
        if lines == moves.len() || lines > 1 {
            self.client.tell("MultiPV", &lines.to_string())?;
            let asked = if request.moves.is_empty() { &[][..] } else { moves };
            ended = self.search(game, asked, request.depth, Sheet::take)?;
        }
        // Of many moves and few lines some come and go from one depth to the next.
        let behind = if lines < moves.len() { self.sheet.with_gaps() } else { self.sheet.behind() };
        let mut is_whole = ended;
        if ended && !behind.is_empty() {
            if lines < moves.len() && !std::mem::replace(&mut self.habits.told_of_lines, true) {
                let name = self.client.known_as();
                let notice = format!(
                    "{name} shows at most {most} lines: where there are more moves, the others are \
                     searched one by one, which takes longer"
                );
                self.habits.notices.push(notice);
            }
            is_whole = self.value_singly(&behind, lines == 1)?;
        }
        // What was not shown among several lines is less than those.
        let bounded = ended && lines > 1 && request.nodes.is_none();
        let missing = self.sheet.silent();
        let evaluation = self.sheet.finish(bounded || (is_whole && request.nodes.is_none()));
        let name = self.client.known_as();
        if evaluation.depth == 0 && is_whole && request.nodes.is_none() {
            let fault = Fault::Unusable(format!("{name} gives moves no values"));
            return Err(self.client.fail(fault));
        }
        if evaluation.depth > 0 && missing > 0 {
            let fen = game.position().fen();
            let notice = format!(
                "{name} says nothing of {missing} moves of {fen}: they count as no better than the \
                 others"
            );
            self.habits.notices.push(notice);
        }
        Ok(evaluation)
    }

    /// One search of a position, kept to these moves unless there are none, whose lines go onto the
    /// sheet. Did it come to its own end?
    fn search(
        &mut self,
        game: &Game,
        moves: &[Move],
        depth: Depth,
        mut take: impl FnMut(&mut Sheet<'a>, &Info<'_>) -> bool,
    ) -> Result<bool, Fault> {
        self.sheet.next_search();
        let left = |nodes: u64| nodes.saturating_sub(self.sheet.nodes()).max(1);
        let nodes = self.request.nodes.map(left);
        let limits = Limits { nodes, moves: moves.to_vec(), ..Limits::depth(depth) };
        let client = &mut *self.client;
        let search = EngineSearch {
            time: self.request.time,
            since: Some(self.started),
            patience: Some(client.patience),
            grace: PROMPT,
            ..EngineSearch::new(game, &limits, self.controls)
        };
        let answer = client.search(&search, |info, _| take(&mut self.sheet, info))?;
        match answer.unanswered && self.sheet.is_empty() {
            true => Err(Fault::Stalled(PROMPT)),
            false => Ok(!answer.stopped),
        }
    }

    /// Values these moves at every depth up to the wanted one. Was there time for all?
    ///
    /// Nothing is known of moves that were never shown, so where no line was asked for before, one
    /// depth is completed after the other, and what is completed counts.
    fn value_singly(&mut self, moves: &[Move], depth_by_depth: bool) -> Result<bool, Fault> {
        let deepest = self.request.depth;
        let first = if depth_by_depth { 1 } else { deepest };
        self.client.tell("MultiPV", "1")?;
        for depth in first..=deepest {
            for &mv in moves {
                if !self.value_one(mv, depth)? {
                    return Ok(false);
                }
            }
        }
        Ok(true)
    }

    fn value_one(&mut self, mv: Move, depth: Depth) -> Result<bool, Fault> {
        if !self.habits.ignores_moves {
            let name = self.game.position().uci(mv);
            let mut keeps_to_it = false;
            let ended = self.search(self.game, &[mv], depth, |sheet, info| {
                keeps_to_it |= info.line.first().is_some_and(|first| *first == name);
                sheet.take(info)
            })?;
            if !ended || keeps_to_it {
                return Ok(ended);
            }
            self.habits.ignores_moves = true;
            let notice = format!(
                "{} does not keep to searchmoves: the positions after them are searched",
                self.client.known_as()
            );
            self.habits.notices.push(notice);
        }
        self.search_after(mv, depth)
    }

    /// Searches the position after a move, one ply less deep.
    fn search_after(&mut self, mv: Move, depth: Depth) -> Result<bool, Fault> {
        let mut after = self.game.clone();
        after.play(mv);
        if let Some(ending) = after.ending() {
            self.sheet.end(mv, ending);
            return Ok(true);
        }
        let depth = (depth - 1).max(1);
        self.search(&after, &[], depth, |sheet, info| sheet.take_reply(mv, after.position(), info))
    }
}
