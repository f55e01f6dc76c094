//! Move ordering: hands out the moves of a node, most promising first.
//!
//! Alpha-beta prunes most when the best move comes first. The move from the table comes first. Captures that do not
//! lose material follow, most valuable victim first. Then come killers and other quiet moves, ordered by history, and
//! finally captures that lose material. Killers are quiet moves that caused cut-offs in sibling nodes. Each stage is
//! generated only when the previous one is used up, since most nodes are cut off early. A quiet move scores higher if
//! its piece escapes from an attack by a piece of lower value, and lower if it moves into one.

use arrayvec::ArrayVec;

use super::histories::{Context, Histories, victim_worth};
use crate::board::{Bitboard, Checks, Move, MoveList, Position, Selection, see_at_least};
use crate::eval::{Reach, SearchParams};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum PickerStage {
    Table,
    MakeNoisy,
    GoodNoisy,
    MakeQuiet,
    Quiet,
    BadNoisy,
    Done,
}

/// Hands out the moves of one node, the most promising first.
#[derive(Debug)]
pub(super) struct Picker {
    stage: PickerStage,
    table_move: Move,
    killers: [Move; 2],
    moves: MoveList,
    /// The scores of the moves.
    scores: ArrayVec<i32, 256>,
    next: usize,
    bad: ArrayVec<Move, 128>,
    next_bad: usize,
    /// A capture must win at least this much, in centipawns, to come before the quiet moves.
    threshold: i32,
    noisy_only: bool,
    /// Whether captures are ordered by the exchange values of the captured pieces, not by their ranks.
    by_value: bool,
    /// The history score that makes up for a centipawn below the threshold, or 0 if history does not count.
    good_capture: i32,
    escape: i32,
    /// The bonus for quiet checks, and the data to detect them.
    quiet_check: Option<(i32, Checks)>,
}

impl Picker {
    /// All moves of a node.
    pub fn all(params: &SearchParams, table_move: Move, killers: [Move; 2]) -> Picker {
        Picker {
            stage: if table_move.is_none() { PickerStage::MakeNoisy } else { PickerStage::Table },
            table_move,
            killers,
            moves: MoveList::new(),
            scores: ArrayVec::new(),
            next: 0,
            bad: ArrayVec::new(),
            next_bad: 0,
            threshold: 0,
            noisy_only: false,
            by_value: params.captures_by_value > 0,
            good_capture: 0,
            escape: 0,
            quiet_check: None,
        }
    }

    /// Gives quiet moves a bonus for escapes and checks, and lets the history of a capture affect whether it is good.
    pub fn use_search_params(&mut self, params: &SearchParams, checks: Checks) {
        self.escape = params.escape;
        self.good_capture = params.good_capture;
        self.quiet_check = (params.quiet_check > 0).then_some((params.quiet_check, checks));
    }

    /// The move from the table if it is a capture or promotion, then captures and queen promotions that win at least
    /// `threshold` centipawns by static exchange.
    pub fn noisy(params: &SearchParams, table_move: Move, threshold: i32) -> Picker {
        let table_move = if table_move.is_noisy() { table_move } else { Move::NONE };
        let mut picker = Picker::all(params, table_move, [Move::NONE; 2]);
        (picker.threshold, picker.noisy_only) = (threshold, true);
        picker
    }

    /// Drops quiet moves that have not been handed out yet, except those for which `wanted` is true. Called after a
    /// quiet move.
    pub fn keep_quiet(&mut self, wanted: impl Fn(Move) -> bool) {
        debug_assert_eq!(self.stage, PickerStage::Quiet);
        let mut kept = 0;
        for at in self.next..self.moves.len() {
            if wanted(self.moves[at]) {
                (self.moves[kept], self.scores[kept]) = (self.moves[at], self.scores[at]);
                kept += 1;
            }
        }
        self.moves.truncate(kept);
        self.scores.truncate(kept);
        self.next = 0;
    }

    /// Drops all quiet moves that have not been handed out yet. Called after a quiet move.
    pub fn skip_quiet(&mut self) {
        self.keep_quiet(|_| false);
    }

    /// The next move.
    pub fn next(
        &mut self,
        position: &Position,
        histories: &Histories,
        context: &Context,
    ) -> Option<Move> {
        loop {
            match self.stage {
                PickerStage::Table => {
                    self.stage = PickerStage::MakeNoisy;
                    return Some(self.table_move);
                }
                PickerStage::MakeNoisy => {
                    let by_value = self.by_value;
                    self.make(position, Selection::Noisy, |m| {
                        victim_worth(m, by_value) + histories.capture_score(position.turn(), m)
                    });
                    self.stage = PickerStage::GoodNoisy;
                }
                PickerStage::GoodNoisy => match self.best_remaining() {
                    Some(m) if self.is_good(position, histories, m) => return Some(m),
                    Some(m) => self.bad.push(m),
                    None if self.noisy_only => self.stage = PickerStage::Done,
                    None => self.stage = PickerStage::MakeQuiet,
                },
                PickerStage::MakeQuiet => {
                    let (killers, quiet_check) = (self.killers, self.quiet_check);
                    let dangers = (self.escape > 0).then(|| {
                        let reach = context
                            .reach
                            .unwrap_or_else(|| Reach::in_position(position, !position.turn()));
                        (Dangers::from(reach), self.escape)
                    });
                    self.make(position, Selection::Quiet, |m| {
                        let bonus = if m == killers[0] {
                            40_000
                        } else if m == killers[1] {
                            30_000
                        } else {
                            0
                        };
                        let escaped = dangers.map_or(0, |(d, escape)| d.escaped(m) * escape / 2);
                        let checked = match quiet_check {
                            Some((worth, checks))
                                if checks.gives(m) && see_at_least(position, m, 0) =>
                            {
                                worth
                            }
                            _ => 0,
                        };
                        bonus
                            + escaped
                            + checked
                            + histories.quiet_score(position.turn(), m, context)
                    });
                    self.stage = PickerStage::Quiet;
                }
                PickerStage::Quiet => match self.best_remaining() {
                    Some(m) => return Some(m),
                    None => self.stage = PickerStage::BadNoisy,
                },
                PickerStage::BadNoisy => {
                    if let Some(&m) = self.bad.get(self.next_bad) {
                        self.next_bad += 1;
                        return Some(m);
                    }
                    self.stage = PickerStage::Done;
                }
                PickerStage::Done => return None,
            }
        }
    }

    /// Whether a capture comes before the quiet moves.
    fn is_good(&self, position: &Position, histories: &Histories, m: Move) -> bool {
        let by_history = match self.good_capture {
            0 => 0,
            divisor => histories.capture_score(position.turn(), m) / divisor,
        };
        see_at_least(position, m, self.threshold - by_history)
    }

    fn make(&mut self, position: &Position, selection: Selection, score: impl Fn(Move) -> i32) {
        self.moves.clear();
        self.scores.clear();
        self.next = 0;
        position.generate(selection, &mut self.moves);
        if !self.table_move.is_none() {
            self.moves.retain(|m| *m != self.table_move);
        }
        for &m in &self.moves {
            self.scores.push(score(m));
        }
    }

    /// Takes the move with the highest score among those left. Among equal scores, takes the earliest.
    fn best_remaining(&mut self) -> Option<Move> {
        // Scores have at most 18 bits, so the index fits into the bits below the score. One pass without branches then
        // finds the highest score with its index.
        const PLACES: i32 = 256;
        let scores = self.scores.get(self.next..).filter(|scores| !scores.is_empty())?;
        let mut best = i32::MIN;
        for (place, &score) in scores.iter().enumerate() {
            best = best.max(score * PLACES - place as i32);
        }
        let best = self.next + (-best).rem_euclid(PLACES) as usize;
        self.moves.swap(self.next, best);
        self.scores.swap(self.next, best);
        self.next += 1;
        self.moves.get(self.next - 1).copied()
    }
}

/// The squares that are dangerous for a piece, by role number: the opponent attacks them with pieces of lower value.
#[derive(Clone, Copy, Debug)]
struct Dangers([Bitboard; 7]);

impl Dangers {
    /// The weight of a danger by role number. A danger to a more valuable piece counts for more.
    const WEIGHTS: [i32; 7] = [0, 0, 2, 2, 3, 4, 0];

    fn from(Reach { pawns, minors, rooks }: Reach) -> Dangers {
        let none = Bitboard::EMPTY;
        Dangers([none, none, pawns, pawns, minors, rooks, none])
    }

    /// The danger on the square that a move leaves, minus the danger on the square that it enters.
    fn escaped(&self, m: Move) -> i32 {
        let squares = self.0[m.role_number()];
        let at = |square| i32::from(squares.contains(square));
        Dangers::WEIGHTS[m.role_number()] * (at(m.from()) - at(m.to()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn escaped(fen: &str, uci: &str) -> i32 {
        let position = Position::from_fen(fen, false).expect(fen);
        let moves = position.legal_moves();
        let m = moves.iter().copied().find(|&m| position.uci(m) == uci).expect(uci);
        Dangers::from(Reach::in_position(&position, !position.turn())).escaped(m)
    }

    #[test]
    fn only_attackers_of_lower_value_count() {
        // The pawn attacks d4 and f4, the knight attacks e3 and other squares, and the rook attacks the a-file.
        let fen = "r5k1/8/8/4p3/5Nn1/8/8/Q3R1K1 w - - 0 1";
        for (uci, units) in [
            ("f4g2", 2),  // a knight leaves a pawn's attack
            ("e1e3", -3), // a rook moves to a square attacked by a knight
            ("e1d1", 0),
            ("a1d1", 4), // a queen leaves a rook's attack
            ("a1d4", 0), // and enters a pawn's
            ("g1h1", 0),
        ] {
            assert_eq!(escaped(fen, uci), units, "{uci}");
        }
    }
}
