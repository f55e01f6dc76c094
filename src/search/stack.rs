//! The search stack: a frame for every ply from the root to the current node, and the keys of all positions in between,
//! which reveal repetitions.

use std::ops::{Index, IndexMut};

use super::histories::{Context, EarlierPieces, NO_PIECE, PieceTarget, piece_index};
use crate::board::{Game, Move, Position, attacks, reversible_move};
use crate::value::{MAX_PLY, Value};

/// A node uses the frames of up to two plies below it.
const LEVELS: usize = MAX_PLY + 4;

/// The part of a node's state that other nodes use.
#[derive(Clone, Debug)]
pub(super) struct Frame {
    pub static_evaluation: Option<Value>,
    /// The piece that the current move moves, for continuation histories. [`NO_PIECE`] for a null move.
    pub piece: PieceTarget,
    /// The current move.
    pub tried: Move,
    pub killers: [Move; 2],
    /// The move that a singular search leaves out.
    pub excluded: Move,
    /// The context of the moves here.
    pub context: Context,
    /// The place of the current move in the order in which the moves are searched, from 1.
    pub move_count: usize,
    /// Whether the node was in a principal variation.
    pub was_pv: bool,
    /// The plies by which the current move is reduced.
    pub reduction: i32,
    /// The number of beta cut-offs at this ply since the node two plies above was entered.
    pub cutoffs: u32,
    /// The principal variation from here.
    pub line: Vec<Move>,
}

/// The frames and the evaluator's states by ply, and the keys of all positions on the way.
pub(super) struct Stack<S> {
    frames: Vec<Frame>,
    pub states: Vec<S>,
    /// While a null move is being verified, no null moves are tried before this ply.
    pub verify_until: usize,
    /// Keys of all positions on the way here, starting with those of the game.
    keys: Vec<u64>,
    /// The index in `keys` at which the search tree starts.
    root_index: usize,
    /// The length of `keys` after each null move on the way here.
    null_moves: Vec<usize>,
}

impl<S> Index<usize> for Stack<S> {
    type Output = Frame;

    #[inline]
    fn index(&self, ply: usize) -> &Frame {
        &self.frames[ply]
    }
}

impl<S> IndexMut<usize> for Stack<S> {
    #[inline]
    fn index_mut(&mut self, ply: usize) -> &mut Frame {
        &mut self.frames[ply]
    }
}

impl<S: Clone + Default> Stack<S> {
    /// A stack at the last position of a game, with the evaluator's state there.
    pub fn new(game: &Game, state: S) -> Stack<S> {
        let mut states = vec![S::default(); LEVELS];
        states[0] = state;
        let keys = game.repeatable_keys().to_vec();
        let frame = Frame {
            static_evaluation: None,
            piece: NO_PIECE,
            tried: Move::NONE,
            killers: [Move::NONE; 2],
            excluded: Move::NONE,
            context: Context::NONE,
            move_count: 0,
            was_pv: false,
            reduction: 0,
            cutoffs: 0,
            line: Vec::new(),
        };
        Stack {
            frames: vec![frame; LEVELS],
            states,
            verify_until: 0,
            root_index: keys.len(),
            keys,
            null_moves: Vec::new(),
        }
    }
}

impl<S> Stack<S> {
    /// Records that a move is played.
    #[inline]
    pub fn push(&mut self, position: &Position, m: Move, ply: usize) {
        self.frames[ply].piece = piece_index(position.turn(), m);
        self.frames[ply].tried = m;
        self.keys.push(position.key());
    }

    /// Records that a null move is played.
    #[inline]
    pub fn push_null_move(&mut self, position: &Position, ply: usize) {
        self.frames[ply].piece = NO_PIECE;
        self.frames[ply].tried = Move::NONE;
        self.keys.push(position.key());
        self.null_moves.push(self.keys.len());
    }

    /// Takes back the last move.
    #[inline]
    pub fn pop(&mut self) {
        if self.null_moves.last() == Some(&self.keys.len()) {
            self.null_moves.pop();
        }
        self.keys.pop();
    }

    /// The pieces moved one, two and four plies ago.
    #[inline]
    pub fn earlier_pieces(&self, ply: usize) -> EarlierPieces {
        let at = |back: usize| ply.checked_sub(back).map_or(NO_PIECE, |p| self.frames[p].piece);
        [at(1), at(2), at(4)]
    }

    /// Whether the mover's static evaluation is higher than two plies ago. If the mover was in check then, the
    /// evaluation four plies ago counts. True if there is nothing to compare.
    pub fn has_improved(&self, ply: usize) -> bool {
        let now = self.frames[ply].static_evaluation;
        let before =
            |back: usize| ply.checked_sub(back).and_then(|p| self.frames[p].static_evaluation);
        match (now, before(2).or_else(|| before(4))) {
            (Some(now), Some(before)) => now > before,
            _ => true,
        }
    }

    /// How much the opponent's last move has worsened the opponent's static evaluation. `None` at the root, if the
    /// mover is in check, and if the opponent's move was made in check.
    pub fn opponents_loss(&self, ply: usize) -> Option<Value> {
        let before = ply.checked_sub(1).and_then(|p| self.frames[p].static_evaluation)?;
        // The two evaluations are for opposite sides to move, so adding them gives their difference.
        Some(before + self.frames[ply].static_evaluation?)
    }

    /// Sets the principal variation at `ply` to `m`, followed by the variation at the next ply.
    #[inline]
    pub fn update_line(&mut self, ply: usize, m: Move) {
        let (above, below) = self.frames.split_at_mut(ply + 1);
        let line = &mut above[ply].line;
        line.clear();
        line.push(m);
        line.extend_from_slice(&below[0].line);
    }

    /// Whether the game is drawn here by repetition, fifty moves or insufficient material.
    #[inline]
    pub fn is_draw(&self, position: &Position) -> bool {
        is_drawn_by_itself(position) || self.is_repetition(position)
    }

    /// Whether the mover can return to a position of the search tree with one move.
    pub fn can_repeat(&self, position: &Position) -> bool {
        let since_null_move = self.keys.len() - self.null_moves.last().copied().unwrap_or(0);
        let reach = (position.halfmoves() as usize).min(since_null_move);
        let in_tree = self.keys.len() - self.root_index;
        // The position after the move has occurred an odd number of plies ago.
        (3..=reach.min(in_tree)).step_by(2).any(|back| {
            let earlier = self.keys[self.keys.len() - back];
            reversible_move(position.key() ^ earlier).is_some_and(|[one, other]| {
                let own = position.of_colour(position.turn());
                (attacks::between(one, other) & position.occupied()).is_empty()
                    && (own.contains(one) || own.contains(other))
            })
        })
    }

    /// Whether the position has occurred before: once in the search tree, or twice including the game. Positions
    /// before a null move do not count, since no game leads from there to here.
    fn is_repetition(&self, position: &Position) -> bool {
        let since_null_move = self.keys.len() - self.null_moves.last().copied().unwrap_or(0);
        let reach = (position.halfmoves() as usize).min(since_null_move);
        if reach < 4 {
            return false;
        }
        let oldest = self.keys.len() - reach;
        let mut seen = 0;
        // A repetition takes an even number of plies, and at least four.
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
}

/// Whether the game is drawn by the position alone: fifty moves or insufficient material.
#[inline]
pub(super) fn is_drawn_by_itself(position: &Position) -> bool {
    if position.halfmoves() >= 100 {
        return !position.in_check() || position.has_legal_move();
    }
    position.is_insufficient_material()
}

#[cfg(test)]
mod tests {
    use super::*;

    const START: &str = "k6r/8/8/8/8/8/8/K6R w - - 30 40";

    /// Plays a line, in which "0000" is a null move, and visits all positions on the way with the number of plies played.
    fn play(
        stack: &mut Stack<()>,
        mut position: Position,
        line: &str,
        mut visit: impl FnMut(&Stack<()>, &Position, usize),
    ) {
        visit(stack, &position, 0);
        for (ply, text) in line.split_whitespace().enumerate() {
            position = if text == "0000" {
                stack.push_null_move(&position, ply);
                position.after_null_move().expect("a null move in check")
            } else {
                let m = position.parse_uci(text).expect(text);
                stack.push(&position, m, ply);
                position.after(m)
            };
            visit(stack, &position, ply + 1);
        }
    }

    /// Plays a line, takes it back, and returns the plies at which the game is drawn.
    fn drawn(stack: &mut Stack<()>, line: &str) -> Vec<usize> {
        let mut drawn = Vec::new();
        play(
            stack,
            Position::from_fen(START, false).expect(START),
            line,
            |stack, position, ply| {
                drawn.extend(stack.is_draw(position).then_some(ply));
            },
        );
        line.split(' ').for_each(|_| stack.pop());
        drawn
    }

    /// Plays a line and returns the plies at which the mover can repeat a position of the search tree. The moves
    /// `before_root` are part of the game.
    fn repeatable(fen: &str, before_root: &str, line: &str) -> Vec<usize> {
        let mut game = Game::new(Position::from_fen(fen, false).expect(fen));
        for uci in before_root.split_whitespace() {
            let m = game.position().parse_uci(uci).expect(uci);
            game.play(m);
        }
        let mut repeatable = Vec::new();
        play(&mut Stack::new(&game, ()), game.position().clone(), line, |stack, position, ply| {
            repeatable.extend(stack.can_repeat(position).then_some(ply));
        });
        repeatable
    }

    #[test]
    fn a_move_that_repeats_a_position_is_expected() {
        // After three moves of White, the black rook can return to h8, where it was at the start.
        assert_eq!(repeatable(START, "", "h1f1 h8g8 f1e1 g8f8 e1h1"), [5]);
    }

    #[test]
    fn a_repetition_is_expected_only_if_a_legal_move_repeats() {
        assert_eq!(repeatable(START, "", "h1g1 h8g8 g1h1"), [3]);
        // Positions before the root do not count, because repeating them once is not a draw.
        assert_eq!(repeatable(START, "h1g1 h8g8", "g1h1"), [0; 0]);
        // No repetition spans a null move.
        assert_eq!(repeatable(START, "", "h1g1 0000 g1h1 0000"), [0; 0]);
        // The rook cannot jump over the knight on its way back.
        let detour = "h1g1 h8h7 g1f1 h7c7 f1e1 c7c8 e1h1";
        assert_eq!(repeatable(START, "", detour), [7]);
        let blocked = "k3n2r/8/8/8/8/8/8/K6R w - - 30 40";
        assert_eq!(repeatable(blocked, "", detour), [0; 0]);
    }

    #[test]
    fn positions_before_a_null_move_are_not_repeated() {
        let game = Game::new(Position::from_fen(START, false).expect(START));
        let stack = &mut Stack::new(&game, ());
        // Both sides can move back and forth, but no repetition spans a null move.
        assert_eq!(drawn(stack, "h1g1 h8g8 g1h1 g8h8"), [4]);
        assert_eq!(drawn(stack, "h1g1 0000 g1h1 0000 h1g1 0000 g1h1 0000"), [0; 0]);
        assert_eq!(drawn(stack, "h1g1 h8f8 g1h1 0000 h1g1 f8g8 g1h1 g8h8"), [0; 0]);
        // Positions after a null move can be repeated.
        assert_eq!(drawn(stack, "h1g1 0000 g1h1 h8g8 h1g1 g8h8"), [6]);
        assert_eq!(drawn(stack, "0000 h8g8 h1g1 g8h8 g1h1 h8g8"), [5, 6]);
        // A null move does not affect other lines.
        assert_eq!(drawn(stack, "h1g1 h8g8 g1h1 g8h8"), [4]);
    }
}
