//! Quiescence: captures until nothing hangs.
//!
//! A position in check is resolved by all its moves. Otherwise the mover may stand pat, or go on
//! with captures and queen promotions that do not lose material by static exchange. Without
//! selectivity that is all, and the value depends on the position alone; with it, moves that
//! cannot lift the value to alpha are left out too.

use super::Bound;
use super::histories::PieceTarget;
use super::picker::Picker;
use super::stack::is_drawn_by_itself;
use super::worker::Worker;
use crate::board::{EXCHANGE_VALUES, Move, PackedMove, Position, exchange_at_least};
use crate::eval::Evaluator;
use crate::value::{MAX_PLY, Value};

const NO_EARLIER: [Option<PieceTarget>; 0] = [];

impl<E: Evaluator> Worker<'_, E> {
    /// The value of a position once it is quiet, within a window.
    pub fn quiesce<const PV: bool>(
        &mut self,
        position: &Position,
        ply: usize,
        mut alpha: Value,
        beta: Value,
    ) -> Value {
        self.accounts.enter(ply);
        if PV {
            self.stack[ply].line.clear();
        }
        if self.accounts.aborted {
            return Value::DRAW;
        }
        if is_drawn_by_itself(position) {
            return Value::DRAW;
        }
        let in_check = position.in_check();
        if ply >= MAX_PLY - 1 {
            return if in_check { Value::DRAW } else { self.evaluate(position, ply) };
        }

        // 1. The table.
        let entry = self.table.probe(position.key(), ply);
        let was_pv = PV || entry.is_some_and(|e| e.was_pv);
        if let Some(entry) = entry
            && !PV
            && (self.mode.selective || entry.depth == 0)
            && entry.settles(alpha, beta)
        {
            return entry.value;
        }

        // 2. Stand pat.
        let original_alpha = alpha;
        let raw = if in_check {
            None
        } else {
            Some(entry.and_then(|e| e.evaluation).unwrap_or_else(|| self.evaluate(position, ply)))
        };
        let mut best = Value::mated_in(ply);
        let mut futility = -Value::INFINITE;
        if let Some(raw) = raw {
            best = if self.mode.selective { self.corrected(position, ply, raw) } else { raw };
            if let Some(entry) = entry
                && self.mode.selective
            {
                best = entry.refine(best);
            }
            futility = best + Value::centipawns(self.evaluator.margins().quiescence);
            alpha = alpha.max(best);
            if alpha >= beta {
                best = self.softened(best, beta, 1);
                if entry.is_none() {
                    let mv = PackedMove::default();
                    self.table.store(
                        position.key(),
                        ply,
                        mv,
                        best,
                        Some(raw),
                        0,
                        Some(Bound::Lower),
                        was_pv,
                    );
                }
                return best;
            }
        }

        // 3. The moves.
        let table_move = entry.and_then(|e| position.complete(e.mv)).unwrap_or(Move::NONE);
        let mut picker = if in_check {
            Picker::all(table_move, [Move::NONE; 2])
        } else {
            Picker::noisy(table_move, 0)
        };
        let mut best_move = Move::NONE;
        let mut count = 0;
        while let Some(m) = picker.next(position, self.histories, &NO_EARLIER) {
            count += 1;
            // The picker hands out the table's move unexamined.
            if !in_check && m == table_move && !exchange_at_least(position, m, 0) {
                continue;
            }
            if self.mode.selective && !best.is_decisive() {
                if in_check {
                    // One quiet evasion is enough to show that there is a way out.
                    if count > 1 && !m.is_noisy() {
                        picker.skip_quiet();
                        continue;
                    }
                } else if m.promoted().is_none() {
                    let gain = m.captured().map_or(0, |role| EXCHANGE_VALUES[role as usize]);
                    let limit = futility + Value::centipawns(gain);
                    if limit <= alpha {
                        best = best.max(limit);
                        continue;
                    }
                }
            }
            let child = self.descend(position, m, ply);
            let value = -self.quiesce::<PV>(&child, ply + 1, -beta, -alpha);
            self.ascend();
            if self.accounts.aborted {
                return Value::DRAW;
            }
            if value > best {
                best = value;
                if value > alpha {
                    best_move = m;
                    if PV {
                        self.stack.update_line(ply, m);
                    }
                    if value >= beta {
                        break;
                    }
                    alpha = value;
                }
            }
        }

        // 4. Remember. Mated positions have found no move at all and keep their value.
        let bound = if best >= beta {
            Bound::Lower
        } else if PV && best > original_alpha {
            Bound::Exact
        } else {
            Bound::Upper
        };
        self.table.store(
            position.key(),
            ply,
            best_move.packed(),
            best,
            raw,
            0,
            Some(bound),
            was_pv,
        );
        best
    }
}
