//! The sums of the hidden layer, carried from position to position.
//!
//! A move changes two to four inputs of each side, so its sums are those of the position before
//! with a few rows taken off and added. Most positions of a search are left without a look at
//! their sums; so a move is only written down, and the rows are summed when an evaluation asks
//! for them, back to the last position that has its sums. Where a king has crossed the middle of
//! the board in between, his side sees the board in another mirror and sums anew.

use arrayvec::ArrayVec;

use super::inputs::{View, men};
use super::weights::{Block, Weights};
use crate::board::{CastlingSide, Colour, Move, Position, Role, Square};

type Man = (Colour, Role, Square);

/// What a network knows of a position on the line from the root.
#[derive(Clone, Debug, Default)]
pub struct State {
    /// As White and as Black see the board; whether they are up to date.
    sums: [Vec<Block>; 2],
    known: [bool; 2],
    views: [View; 2],
    change: Change,
}

/// What a move did to the board.
#[derive(Clone, Debug, Default)]
struct Change {
    taken: ArrayVec<Man, 2>,
    placed: ArrayVec<Man, 2>,
}

impl Change {
    #[inline]
    fn of(us: Colour, m: Move) -> Change {
        let (from, to) = (m.from(), m.to());
        let mut change = Change::default();
        change.taken.push((us, m.role(), from));
        if m.is_castle() {
            let side = CastlingSide::from_king_side(to > from);
            change.taken.push((us, Role::Rook, to));
            change.placed.push((us, Role::King, side.king_to(us)));
            change.placed.push((us, Role::Rook, side.rook_to(us)));
            return change;
        }
        if let Some(captured) = m.captured() {
            let square =
                if m.is_en_passant() { Square::from_coords(to.file(), from.rank()) } else { to };
            change.taken.push((!us, captured, square));
        }
        change.placed.push((us, m.promoted().unwrap_or(m.role()), to));
        change
    }
}

impl State {
    /// The state of a position, without the sums.
    pub fn new(position: &Position) -> State {
        let mut state = State::default();
        for colour in Colour::ALL {
            state.views[colour as usize] = View::of(colour, position);
        }
        state
    }

    /// What a side sees, once [`bring_up_to_date`] has been called for it.
    #[inline(always)]
    pub fn sums(&self, colour: Colour) -> &[Block] {
        &self.sums[colour as usize]
    }

    /// The state after a move, without the sums.
    #[inline]
    pub fn follow(&self, next: &mut State, us: Colour, m: Move, after: &Position) {
        next.change = Change::of(us, m);
        next.views = self.views;
        if m.role() == Role::King {
            next.views[us as usize] = View::of(us, after);
        }
        next.known = [false; 2];
    }

    /// The state after a pass, without the sums.
    #[inline]
    pub fn pass(&self, next: &mut State) {
        next.change = Change::default();
        next.views = self.views;
        next.known = [false; 2];
    }

    #[inline(always)]
    fn sum_up(&mut self, weights: &Weights, position: &Position, colour: Colour) {
        let view = self.views[colour as usize];
        let inputs: ArrayVec<usize, 64> =
            men(position).map(|(of, role, square)| view.input(of, role, square)).collect();
        let sums = &mut self.sums[colour as usize];
        sums.resize(weights.biases().len(), Block::ZERO);
        for (place, sum) in sums.iter_mut().enumerate() {
            let mut block = weights.biases()[place];
            for &input in &inputs {
                block.add(&weights.row(input)[place]);
            }
            *sum = block;
        }
        self.known[colour as usize] = true;
    }

    /// The sums of one side from those of the position before.
    #[inline(always)]
    fn carry(&mut self, before: &State, weights: &Weights, colour: Colour) {
        let view = self.views[colour as usize];
        let row = |&(of, role, square): &Man| weights.row(view.input(of, role, square));
        let old = before.sums(colour);
        let sums = &mut self.sums[colour as usize];
        sums.resize(old.len(), Block::ZERO);
        match (&self.change.taken[..], &self.change.placed[..]) {
            ([taken], [placed]) => {
                let (taken, placed) = (row(taken), row(placed));
                for place in 0..sums.len() {
                    let mut block = old[place];
                    block.add(&placed[place]);
                    block.take(&taken[place]);
                    sums[place] = block;
                }
            }
            ([taken, captured], [placed]) => {
                let (taken, captured, placed) = (row(taken), row(captured), row(placed));
                for place in 0..sums.len() {
                    let mut block = old[place];
                    block.add(&placed[place]);
                    block.take(&taken[place]);
                    block.take(&captured[place]);
                    sums[place] = block;
                }
            }
            (taken, placed) => {
                sums.copy_from_slice(old);
                for (place, sum) in sums.iter_mut().enumerate() {
                    placed.iter().for_each(|man| sum.add(&row(man)[place]));
                    taken.iter().for_each(|man| sum.take(&row(man)[place]));
                }
            }
        }
        self.known[colour as usize] = true;
    }
}

/// Makes the sums of a side known for the position at `at`.
#[inline(always)]
pub fn bring_up_to_date(
    line: &mut [State],
    at: usize,
    weights: &Weights,
    position: &Position,
    colour: Colour,
) {
    let mut known = at;
    while !line[known].known[colour as usize] {
        if known == 0 || line[known - 1].views[colour as usize] != line[at].views[colour as usize] {
            line[at].sum_up(weights, position, colour);
            return;
        }
        known -= 1;
    }
    for next in known + 1..=at {
        let (before, after) = line.split_at_mut(next);
        after[0].carry(&before[next - 1], weights, colour);
    }
}
