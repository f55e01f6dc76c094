//! One thread's view of a search: its stack, its memory, its counters.

use super::accounts::{Bounds, Common};
use super::frame::{Frame, Variation};
use super::histories::{Histories, PieceTarget, piece_index};
use super::pruning::Reductions;
use super::table::TableView;
use super::{Controls, Oracle};
use crate::board::{Game, Move, Position};
use crate::eval::Evaluator;
use crate::value::{MAX_PLY, Value};

/// A searching thread.
pub(super) struct Worker<'a, E: Evaluator> {
    pub evaluator: &'a E,
    pub table: TableView<'a>,
    pub reductions: &'a Reductions,
    pub histories: &'a mut Histories,
    pub cache: &'a mut E::Cache,
    pub controls: &'a Controls,
    pub common: &'a Common,
    pub bounds: Bounds,

    /// Asked at nodes with no more pieces than this.
    pub oracle: Option<&'a dyn Oracle>,
    pub most_pieces: usize,
    pub oracle_hits: u64,
    pub counted_hits: u64,

    pub nodes: u64,
    pub counted_nodes: u64,
    pub next_check: u64,
    pub selective_depth: usize,
    /// Set when the search is to be abandoned; values found since then mean nothing.
    pub aborted: bool,
    /// Reductions and pruning on: off for the small depths that must mean what they say. There only
    /// results of the very depth count of the table, not those of deeper searches.
    pub selective: bool,
    /// Moves much better than all others are looked at deeper. That pays over a game; when every
    /// move is valued it doubles the time at depth 10, and another ply is the better bargain.
    pub singular: bool,
    /// Above this ply no move is left out: a mate in few moves that is asked for often begins with
    /// one that looks bad, and a null move does not see zugzwang.
    pub unpruned_until: usize,
    /// Null moves are off above this ply while one is being verified.
    pub verify_until: usize,
    /// The depth of the present iteration.
    pub root_depth: i32,

    /// The moves that count at the root.
    pub root_moves: Vec<Move>,
    /// Some legal moves are left out at the root: what is found there is not for the table.
    pub root_restricted: bool,
    /// The best move of the root node being searched.
    pub root_best: Option<Variation>,
    /// Nodes spent below each root move.
    pub efforts: Vec<(Move, u64)>,

    pub frames: Vec<Frame>,
    states: Vec<E::State>,
    /// Keys of all positions on the way here, the history's first.
    keys: Vec<u64>,
    /// Where the tree begins in `keys`.
    root_index: usize,
    /// How many keys there were after each null move on the way here.
    passes: Vec<usize>,
}

impl<'a, E: Evaluator> Worker<'a, E> {
    #[expect(
        clippy::too_many_arguments,
        reason = "what a worker borrows, named at the two callers"
    )]
    pub fn new(
        game: &Game,
        evaluator: &'a E,
        table: TableView<'a>,
        reductions: &'a Reductions,
        histories: &'a mut Histories,
        cache: &'a mut E::Cache,
        controls: &'a Controls,
        common: &'a Common,
    ) -> Worker<'a, E> {
        let mut states = vec![E::State::default(); MAX_PLY + 4];
        states[0] = evaluator.refresh(game.position());
        let keys = game.repeatable_keys().to_vec();
        Worker {
            evaluator,
            table,
            reductions,
            histories,
            cache,
            controls,
            common,
            bounds: Bounds::default(),
            oracle: None,
            most_pieces: 0,
            oracle_hits: 0,
            counted_hits: 0,
            nodes: 0,
            counted_nodes: 0,
            next_check: 0,
            selective_depth: 0,
            aborted: false,
            selective: true,
            singular: true,
            unpruned_until: 0,
            verify_until: 0,
            root_depth: 0,
            root_moves: Vec::new(),
            root_restricted: false,
            root_best: None,
            efforts: Vec::new(),
            frames: (0..MAX_PLY + 4).map(|_| Frame::new()).collect(),
            states,
            root_index: keys.len(),
            keys,
            passes: Vec::new(),
        }
    }

    /// From now on asks an oracle.
    pub fn consult(&mut self, oracle: &'a dyn Oracle) {
        (self.oracle, self.most_pieces) = (Some(oracle), oracle.most_pieces());
    }

    /// Nothing is left at the second ply of what other root moves had there. Killers of the first stay:
    /// what answers one move often answers the next.
    pub fn begin_root_move(&mut self) {
        self.frames[2].cuts = 0;
    }

    /// The position after a move, with everything that goes with it put on the stack.
    #[inline]
    pub fn descend(&mut self, position: &Position, m: Move, ply: usize) -> Position {
        self.table.prefetch(position.key_hint_after(m));
        let child = position.after(m);
        self.evaluator.follow(&mut self.states, ply, position, m, &child);
        self.frames[ply].piece = Some(piece_index(position.turn(), m));
        self.frames[ply].tried = m;
        self.keys.push(position.key());
        child
    }

    /// [`Worker::descend`] for a pass.
    #[inline]
    pub fn descend_by_pass(&mut self, position: &Position, ply: usize) -> Option<Position> {
        let child = position.after_pass()?;
        self.evaluator.pass(&mut self.states, ply);
        self.frames[ply].piece = None;
        self.frames[ply].tried = Move::NONE;
        self.keys.push(position.key());
        self.passes.push(self.keys.len());
        Some(child)
    }

    /// Takes back what `descend` put on the stack.
    #[inline]
    pub fn ascend(&mut self) {
        if self.passes.last() == Some(&self.keys.len()) {
            self.passes.pop();
        }
        self.keys.pop();
    }

    #[inline]
    pub fn evaluate(&mut self, position: &Position, ply: usize) -> Value {
        self.evaluator.evaluate(position, &mut self.states, ply, self.cache).clamp_evaluation()
    }

    /// The static evaluation, mended by what similar positions taught.
    #[inline]
    pub fn corrected(&self, position: &Position, ply: usize, evaluation: Value) -> Value {
        let margins = self.evaluator.margins();
        let mut sum = self.histories.correction(position);
        if margins.correction_by_moves > 0 {
            let by_moves = self.histories.correction_by_moves(&self.earlier_pieces(ply));
            sum += by_moves * margins.correction_by_moves / 100;
        }
        let correction = sum / margins.correction;
        (evaluation + Value::centipawns(correction)).clamp_evaluation()
    }

    /// The pieces moved one, two and four plies before.
    #[inline]
    pub fn earlier_pieces(&self, ply: usize) -> [Option<PieceTarget>; 3] {
        let at = |back: usize| ply.checked_sub(back).and_then(|p| self.frames[p].piece);
        [at(1), at(2), at(4)]
    }

    /// Is the game drawn here by the rules (but for stalemate)?
    #[inline]
    pub fn is_draw(&self, position: &Position) -> bool {
        Self::is_drawn_by_itself(position) || self.is_repetition(position)
    }

    /// The same, whatever was played before.
    #[inline]
    pub fn is_drawn_by_itself(position: &Position) -> bool {
        if position.halfmoves() >= 100 {
            return !position.in_check() || position.has_legal_move();
        }
        position.is_insufficient_material()
    }

    /// Did this position occur before: once within the tree, or twice with the game's history? What
    /// was before a null move does not count: no game leads from there to here.
    fn is_repetition(&self, position: &Position) -> bool {
        let since_pass = self.keys.len() - self.passes.last().copied().unwrap_or(0);
        let reach = (position.halfmoves() as usize).min(since_pass);
        if reach < 4 {
            return false;
        }
        let oldest = self.keys.len() - reach;
        let mut seen = 0;
        // The same side is to move only every other ply, and it takes four to come back.
        let mut index = self.keys.len() - 4;
        loop {
            if self.keys[index] == position.key() {
                seen += 1;
                if index >= self.root_index || seen == 2 {
                    return true;
                }
            }
            if index < oldest + 2 {
                return false;
            }
            index -= 2;
        }
    }

    /// The best root move so far, with its line.
    pub fn note_root_best(&mut self, value: Value) {
        let moves = self.frames[0].line.clone();
        self.root_best = Some(Variation { value, moves, selective_depth: self.selective_depth });
    }

    /// The line below `ply` becomes `m` and what follows it.
    #[inline]
    pub fn update_line(&mut self, ply: usize, m: Move) {
        let (above, below) = self.frames.split_at_mut(ply + 1);
        let line = &mut above[ply].line;
        line.clear();
        line.push(m);
        line.extend_from_slice(&below[0].line);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::Simple;
    use crate::search::table::TranspositionTable;

    const START: &str = "k6r/8/8/8/8/8/8/K6R w - - 30 40";

    /// Tries a worker on a game.
    fn with_worker(game: &Game, work: impl FnOnce(&mut Worker<'_, Simple>)) {
        let (controls, common) = (Controls::new(), Common::default());
        let table = TranspositionTable::new(1).expect("a mebibyte");
        let reductions = Reductions::new(Simple.margins());
        let mut histories = Histories::new();
        work(&mut Worker::new(
            game,
            &Simple,
            table.view(),
            &reductions,
            &mut histories,
            &mut (),
            &controls,
            &common,
        ));
    }

    /// Goes down a line in which "0000" is a null move, and says at which plies the game is drawn.
    fn drawn(worker: &mut Worker<'_, Simple>, line: &str) -> Vec<usize> {
        let mut position = Position::from_fen(START, false).expect(START);
        let mut drawn = Vec::new();
        for (ply, text) in line.split(' ').enumerate() {
            position = match text {
                "0000" => worker.descend_by_pass(&position, ply).expect("nobody is in check"),
                text => worker.descend(&position, position.parse_uci(text).expect(text), ply),
            };
            drawn.extend(worker.is_draw(&position).then_some(ply + 1));
        }
        line.split(' ').for_each(|_| worker.ascend());
        drawn
    }

    #[test]
    fn a_null_move_ends_what_can_be_repeated() {
        let game = Game::new(Position::from_fen(START, false).expect(START));
        with_worker(&game, |worker| {
            // Moves of both sides come back; null moves of one of them are no way to come back.
            assert_eq!(drawn(worker, "h1g1 h8g8 g1h1 g8h8"), [4]);
            assert_eq!(drawn(worker, "h1g1 0000 g1h1 0000 h1g1 0000 g1h1 0000"), [0; 0]);
            assert_eq!(drawn(worker, "h1g1 h8f8 g1h1 0000 h1g1 f8g8 g1h1 g8h8"), [0; 0]);
            // What follows on a null move can be repeated without it.
            assert_eq!(drawn(worker, "h1g1 0000 g1h1 h8g8 h1g1 g8h8"), [6]);
            assert_eq!(drawn(worker, "0000 h8g8 h1g1 g8h8 g1h1 h8g8"), [5, 6]);
            // Nor has it a say in another line.
            assert_eq!(drawn(worker, "h1g1 h8g8 g1h1 g8h8"), [4]);
        });
    }
}
