//! The way from the root of a search to where it stands: what nodes leave for each other, and the positions
//! that can be repeated.

use std::ops::{Index, IndexMut};

use super::histories::{PieceTarget, piece_index};
use crate::board::{Game, Move, Position};
use crate::value::{MAX_PLY, Value};

/// Nodes look at what their children's children left.
const LEVELS: usize = MAX_PLY + 4;

/// What a node leaves for those above and below it.
#[derive(Clone, Debug)]
pub(super) struct Frame {
    pub static_evaluation: Option<Value>,
    /// The move being tried, as an index for continuation histories; none for a null move.
    pub piece: Option<PieceTarget>,
    /// The move itself.
    pub tried: Move,
    pub killers: [Move; 2],
    /// Left out while it is being tested whether all others are worse.
    pub excluded: Move,
    /// Beta cuts among the children.
    pub cuts: u32,
    /// The principal variation from here.
    pub line: Vec<Move>,
}

/// Frames by ply, with what the evaluator has for each of them, and the keys of all positions on the way.
pub(super) struct Stack<S> {
    frames: Vec<Frame>,
    pub states: Vec<S>,
    /// Null moves are off above this ply while one is being verified.
    pub verify_until: usize,
    /// Keys of all positions on the way here, the history's first.
    keys: Vec<u64>,
    /// Where the tree begins in `keys`.
    root_index: usize,
    /// How many keys there were after each null move on the way here.
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
    /// At the end of a game, with what the evaluator has there.
    pub fn new(game: &Game, state: S) -> Stack<S> {
        let mut states = vec![S::default(); LEVELS];
        states[0] = state;
        let keys = game.repeatable_keys().to_vec();
        let frame = Frame {
            static_evaluation: None,
            piece: None,
            tried: Move::NONE,
            killers: [Move::NONE; 2],
            excluded: Move::NONE,
            cuts: 0,
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
    /// From a position by a move.
    #[inline]
    pub fn push(&mut self, position: &Position, m: Move, ply: usize) {
        self.frames[ply].piece = Some(piece_index(position.turn(), m));
        self.frames[ply].tried = m;
        self.keys.push(position.key());
    }

    /// From a position by a null move.
    #[inline]
    pub fn push_null_move(&mut self, position: &Position, ply: usize) {
        self.frames[ply].piece = None;
        self.frames[ply].tried = Move::NONE;
        self.keys.push(position.key());
        self.null_moves.push(self.keys.len());
    }

    /// Back again.
    #[inline]
    pub fn pop(&mut self) {
        if self.null_moves.last() == Some(&self.keys.len()) {
            self.null_moves.pop();
        }
        self.keys.pop();
    }

    /// The pieces moved one, two and four plies before.
    #[inline]
    pub fn earlier_pieces(&self, ply: usize) -> [Option<PieceTarget>; 3] {
        let at = |back: usize| ply.checked_sub(back).and_then(|p| self.frames[p].piece);
        [at(1), at(2), at(4)]
    }

    /// Has the mover's evaluation risen since his last turn?
    pub fn has_improved(&self, ply: usize) -> bool {
        let now = self.frames[ply].static_evaluation;
        let before =
            |back: usize| ply.checked_sub(back).and_then(|p| self.frames[p].static_evaluation);
        match (now, before(2).or_else(|| before(4))) {
            (Some(now), Some(before)) => now > before,
            _ => true,
        }
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

    /// Is the game drawn here by the rules (but for stalemate)?
    #[inline]
    pub fn is_draw(&self, position: &Position) -> bool {
        is_drawn_by_itself(position) || self.is_repetition(position)
    }

    /// Did this position occur before: once within the tree, or twice with the game's history? What
    /// was before a null move does not count: no game leads from there to here.
    fn is_repetition(&self, position: &Position) -> bool {
        let since_null_move = self.keys.len() - self.null_moves.last().copied().unwrap_or(0);
        let reach = (position.halfmoves() as usize).min(since_null_move);
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
}

/// Is the game drawn here by the rules, whatever was played before?
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

    /// Goes down a line in which "0000" is a null move, and says at which plies the game is drawn.
    fn drawn(stack: &mut Stack<()>, line: &str) -> Vec<usize> {
        let mut position = Position::from_fen(START, false).expect(START);
        let mut drawn = Vec::new();
        for (ply, text) in line.split(' ').enumerate() {
            position = if text == "0000" {
                stack.push_null_move(&position, ply);
                position.after_pass().expect("nobody is in check")
            } else {
                let m = position.parse_uci(text).expect(text);
                stack.push(&position, m, ply);
                position.after(m)
            };
            drawn.extend(stack.is_draw(&position).then_some(ply + 1));
        }
        line.split(' ').for_each(|_| stack.pop());
        drawn
    }

    #[test]
    fn a_null_move_ends_what_can_be_repeated() {
        let game = Game::new(Position::from_fen(START, false).expect(START));
        let stack = &mut Stack::new(&game, ());
        // Moves of both sides come back; null moves of one of them are no way to come back.
        assert_eq!(drawn(stack, "h1g1 h8g8 g1h1 g8h8"), [4]);
        assert_eq!(drawn(stack, "h1g1 0000 g1h1 0000 h1g1 0000 g1h1 0000"), [0; 0]);
        assert_eq!(drawn(stack, "h1g1 h8f8 g1h1 0000 h1g1 f8g8 g1h1 g8h8"), [0; 0]);
        // What follows on a null move can be repeated without it.
        assert_eq!(drawn(stack, "h1g1 0000 g1h1 h8g8 h1g1 g8h8"), [6]);
        assert_eq!(drawn(stack, "0000 h8g8 h1g1 g8h8 g1h1 h8g8"), [5, 6]);
        // Nor has it a say in another line.
        assert_eq!(drawn(stack, "h1g1 h8g8 g1h1 g8h8"), [4]);
    }
}
