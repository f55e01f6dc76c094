//! Evaluates all moves in a position with an external engine.
//!
//! UCI has no command for this. The closest is one search with `MultiPV` set to the number of legal
//! moves: the engine then shows a line for each move. Some engines limit `MultiPV` or leave out
//! moves. The missing moves are searched one by one with `searchmoves`. For an engine that ignores
//! `searchmoves`, the positions after the missing moves are searched instead.

use super::client::{Fault, UciClient};
use super::search::{EngineSearch, PROMPT};
use super::wire::Info;
use super::worksheet::Worksheet;
use crate::board::{Game, Move};
use crate::clock::Instant;
use crate::evaluation::RootEvaluation;
use crate::search::{Controls, EvaluationRequest, Limits};
use crate::value::Depth;
use crate::words::counted;

/// Facts learnt about an engine, which are kept from search to search.
#[derive(Debug, Default)]
pub(super) struct EvaluatorState {
    /// Messages for the user.
    pub notices: Vec<String>,
    /// Whether the engine has received `ucinewgame` for the current game.
    pub has_sent_new_game: bool,
    /// Whether the user has been told that the engine shows too few lines.
    pub warned_of_lines: bool,
    /// Whether the engine also searches moves that `searchmoves` does not allow.
    pub ignores_searchmoves: bool,
}

/// An evaluation of all moves in a position, while it is in progress.
#[derive(Debug)]
pub(super) struct AllMovesEvaluation<'a> {
    pub client: &'a mut UciClient,
    pub state: &'a mut EvaluatorState,
    pub game: &'a Game,
    pub request: &'a EvaluationRequest,
    pub controls: &'a Controls,
    pub started: Instant,
    pub sheet: Worksheet<'a>,
}

/// Starts the engine if needed, waits until it is idle, and tells it whether the game is Chess960.
pub(super) fn prepare(client: &mut UciClient, game: &Game) -> Result<(), Fault> {
    client.start()?;
    client.synchronise()?;
    client.set_chess960(game.position().is_chess960())
}

/// Returns the maximum number of lines that the engine can show.
pub(super) fn most_lines(client: &UciClient) -> usize {
    let most = client.find("MultiPV").map(|option| option.max.unwrap_or(1));
    most.and_then(|most| usize::try_from(most).ok()).unwrap_or(1).max(1)
}

impl<'a> AllMovesEvaluation<'a> {
    /// Evaluates these moves at all depths.
    pub fn run(mut self, moves: &[Move]) -> Result<RootEvaluation, Fault> {
        self.reset_engine()?;
        let most = most_lines(self.client);
        let lines = moves.len().min(most);
        let shows_all = lines == moves.len();
        let mut is_complete = true;
        if shows_all || lines > 1 {
            self.client.send_option("MultiPV", &lines.to_string())?;
            let restricted = if self.request.moves.is_empty() { &[][..] } else { moves };
            is_complete =
                self.search(self.game, restricted, self.request.depth, Worksheet::take)?;
        }
        // If there is no node limit, any move missing from a completed multi-line search is no
        // better than the moves that were shown.
        let has_bounds = is_complete && lines > 1 && self.request.nodes.is_none();
        // If there are fewer lines than moves, the moves shown change from depth to depth, which
        // leaves gaps.
        let incomplete = if shows_all { self.sheet.behind() } else { self.sheet.with_gaps() };
        if is_complete && !incomplete.is_empty() {
            if !shows_all {
                self.warn_of_lines(most);
            }
            is_complete = self.search_singly(&incomplete, lines == 1)?;
        }
        is_complete &= self.request.nodes.is_none();
        self.finish(has_bounds, is_complete)
    }

    /// Makes the evaluation depend only on the request: no book, one thread unless the user asked
    /// for more, and an empty hash table.
    fn reset_engine(&mut self) -> Result<(), Fault> {
        prepare(self.client, self.game)?;
        self.client.send_option("OwnBook", "false")?;
        if !self.client.is_set("Threads") {
            self.client.send_option("Threads", "1")?;
        }
        self.client.send("ucinewgame")?;
        self.client.synchronise()?;
        self.state.has_sent_new_game = true;
        Ok(())
    }

    fn warn_of_lines(&mut self, most: usize) {
        if std::mem::replace(&mut self.state.warned_of_lines, true) {
            return;
        }
        let name = self.client.known_as();
        self.state.notices.push(format!(
            "{name} shows at most {}: in positions with more moves, the others are searched one by \
             one, which takes longer",
            counted(most, "line")
        ));
    }

    /// Returns the evaluation. If a complete search gave no values, returns a fault.
    fn finish(self, has_bounds: bool, is_complete: bool) -> Result<RootEvaluation, Fault> {
        let missing = self.sheet.missing();
        let evaluation = self.sheet.finish(has_bounds || is_complete);
        let name = self.client.known_as();
        if evaluation.depth == 0 && is_complete {
            let fault = Fault::Unusable(format!("{name} shows no scores"));
            return Err(self.client.fail(fault));
        }
        if evaluation.depth > 0 && missing > 0 {
            let fen = self.game.position().fen();
            self.state.notices.push(format!(
                "{name} shows no score for some moves ({missing}) in {fen}: they are assumed to be \
                 no better than the other moves"
            ));
        }
        Ok(evaluation)
    }

    /// Runs one search, restricted to `moves` unless that is empty, and passes its lines to `take`.
    /// Returns false if the search was stopped early.
    fn search(
        &mut self,
        game: &Game,
        moves: &[Move],
        depth: Depth,
        mut take: impl FnMut(&mut Worksheet<'a>, &Info<'_>) -> bool,
    ) -> Result<bool, Fault> {
        self.sheet.next_search();
        let left = |nodes: u64| nodes.saturating_sub(self.sheet.nodes()).max(1);
        let nodes = self.request.nodes.map(left);
        let limits = Limits { nodes, moves: moves.to_vec(), ..Limits::depth(depth) };
        let search = EngineSearch {
            time: self.request.time,
            since: Some(self.started),
            patience: Some(self.client.patience),
            grace: PROMPT,
            ..EngineSearch::new(game, &limits, self.controls)
        };
        let end = search.run(self.client, |info, _| take(&mut self.sheet, info))?;
        match end.unanswered && self.sheet.is_empty() {
            true => Err(Fault::Stalled(PROMPT)),
            false => Ok(!end.stopped),
        }
    }

    /// Searches moves one by one. Returns false if there was not enough time for all.
    ///
    /// With `depth_by_depth`, completes each depth for all moves before the next one, so that there
    /// is a result even if the search is stopped early and no move had a value before.
    fn search_singly(&mut self, moves: &[Move], depth_by_depth: bool) -> Result<bool, Fault> {
        let deepest = self.request.depth;
        let first = if depth_by_depth { 1 } else { deepest };
        self.client.send_option("MultiPV", "1")?;
        for depth in first..=deepest {
            for &mv in moves {
                if !self.search_one(mv, depth)? {
                    return Ok(false);
                }
            }
        }
        Ok(true)
    }

    fn search_one(&mut self, mv: Move, depth: Depth) -> Result<bool, Fault> {
        if !self.state.ignores_searchmoves {
            let name = self.game.position().uci(mv);
            let mut obeys = false;
            let is_complete = self.search(self.game, &[mv], depth, |sheet, info| {
                obeys |= info.line.first().is_some_and(|first| *first == name);
                sheet.take(info)
            })?;
            if !is_complete || obeys {
                return Ok(is_complete);
            }
            self.state.ignores_searchmoves = true;
            self.state.notices.push(format!(
                "{} ignores searchmoves: the positions after the moves are searched instead",
                self.client.known_as()
            ));
        }
        self.search_after(mv, depth)
    }

    /// Searches the position after a move, one ply less deeply.
    fn search_after(&mut self, mv: Move, depth: Depth) -> Result<bool, Fault> {
        let mut after = self.game.clone();
        after.play(mv);
        if let Some(ending) = after.ending() {
            self.sheet.end(mv, ending);
            return Ok(true);
        }
        let reply_depth = (depth - 1).max(1);
        self.search(&after, &[], reply_depth, |sheet, info| {
            sheet.take_reply(mv, after.position(), info)
        })
    }
}
