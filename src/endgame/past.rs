//! What has been on the board since the fifty-move counter stood at zero, and what it takes never to
//! draw a won game by repetition.
//!
//! As long as no position has come up twice, a player may choose freely among the moves to positions
//! that have not been there. From the first repetition on he has to bring the next capture, pawn
//! move or mate nearer with every move: then no position comes up twice again, and none a third time.

use super::probe::MoveReport;
use crate::board::{Game, Position};

/// The positions that could come up again.
#[derive(Clone, Debug)]
pub struct Past<'a> {
    position: &'a Position,
    /// Oldest first, the present position last.
    keys: Vec<u64>,
}

impl<'a> Past<'a> {
    /// `keys` are those of the positions before, as far back as the counter goes.
    pub fn new(position: &'a Position, keys: &[u64]) -> Past<'a> {
        Past { position, keys: [keys, &[position.key()]].concat() }
    }

    pub fn of(game: &'a Game) -> Past<'a> {
        Past::new(game.position(), game.repeatable_keys())
    }

    /// Has any position come up twice?
    pub fn has_repetition(&self) -> bool {
        let mut keys = self.keys.clone();
        keys.sort_unstable();
        keys.windows(2).any(|pair| pair[0] == pair[1])
    }

    /// How often the position after a move has been there.
    pub fn occurrences(&self, m: &MoveReport) -> usize {
        let key = self.position.after(m.mv).key();
        if m.zeroing { 0 } else { self.keys.iter().filter(|&&earlier| earlier == key).count() }
    }

    /// Of these moves that all win, by index, those that lead to no draw by repetition, whatever
    /// is chosen among them each time.
    pub fn safe(&self, moves: &[MoveReport], winning: Vec<usize>) -> Vec<usize> {
        let is_fresh = |&index: &usize| self.occurrences(&moves[index]) == 0;
        let fresh: Vec<usize> = winning.iter().copied().filter(is_fresh).collect();
        if !self.has_repetition() && !fresh.is_empty() {
            return fresh;
        }
        let nearest = winning.iter().map(|&index| moves[index].plies_to_zero()).min();
        let is_nearest = |&index: &usize| Some(moves[index].plies_to_zero()) == nearest;
        winning.into_iter().filter(is_nearest).collect()
    }
}
