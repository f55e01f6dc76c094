//! Moves that an engine does not show among its lines are valued one by one: by a search that is
//! kept to the move, or where an engine does not keep to it, by a search of the position after it.

use super::analyst::Analyst;
use super::fault::Fault;
use super::question::{Question, Work};
use super::sheet::Sheet;
use crate::board::Move;
use crate::value::Depth;

impl Analyst {
    /// Values these moves at every depth up to the wanted one. Was there time for all?
    ///
    /// Nothing is known of moves that were never shown, so where no line was asked for before, one
    /// depth is completed after the other, and what is completed counts.
    pub(super) fn value_singly(
        &mut self,
        work: &Work<'_>,
        moves: &[Move],
        depth_by_depth: bool,
        sheet: &mut Sheet<'_>,
    ) -> Result<bool, Fault> {
        let deepest = work.request.depth;
        let first = if depth_by_depth { 1 } else { deepest };
        self.dialogue.tell("MultiPV", "1")?;
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
        work: &Work<'_>,
        mv: Move,
        depth: Depth,
        sheet: &mut Sheet<'_>,
    ) -> Result<bool, Fault> {
        if !self.ignores_moves {
            let name = work.game.position().uci(mv);
            let mut keeps_to_it = false;
            let question = Question { game: work.game, moves: &[mv], depth };
            let ended = self.search(work, &question, sheet, |sheet, info| {
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
        work: &Work<'_>,
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
        let question = Question { game: &after, moves: &[], depth: (depth - 1).max(1) };
        let position = after.position();
        self.search(work, &question, sheet, |sheet, info| sheet.take_reply(mv, position, info))
    }
}
