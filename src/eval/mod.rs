//! Static judgement of a position.
//!
//! The search knows one thing about evaluation: the trait [`Evaluator`]. An evaluator keeps a
//! small state per position that it can carry from a position to its successor (a network's
//! accumulators), and a cache per thread that only ever saves work. Whoever plays, plays by the
//! [`Network`]; [`Simple`] is there to try a search on.

mod endings;
mod geometry;
mod margins;
pub mod network;
mod winning;

use crate::board::{Colour, EXCHANGE_VALUES, Move, Position, Role, Square};
use crate::value::Value;

pub use geometry::Reach;
pub use margins::{Margins, MarginsError, NUMBERS, SPANS};
pub use network::{Network, NetworkError};
pub use winning::WinModel;

/// Judges positions from the side to move's view.
///
/// Values must be a pure function of the position: the state must be the same however the position
/// was reached, and the cache must not change a value.
pub trait Evaluator: Send + Sync {
    /// What is carried from a position to the next.
    type State: Clone + Default + Send;
    /// What one thread remembers between evaluations.
    type Cache: Send;

    /// A cache with nothing in it.
    fn new_cache(&self) -> Self::Cache;

    /// The state of a position from scratch.
    fn refresh(&self, position: &Position) -> Self::State;

    /// Puts the state of `after`, which is `before` with `m` played, behind that of `before`.
    ///
    /// A line holds the states of all positions from the root on. An evaluator may leave work for
    /// later and do it, where it is needed, in [`Evaluator::evaluate`].
    fn follow(
        &self,
        line: &mut [Self::State],
        at: usize,
        before: &Position,
        m: Move,
        after: &Position,
    );

    /// [`Evaluator::follow`] for a pass.
    fn pass(&self, line: &mut [Self::State], at: usize);

    /// The value of a position that is not in check, whose state is the one at `at` of the line.
    fn evaluate(
        &self,
        position: &Position,
        line: &mut [Self::State],
        at: usize,
        cache: &mut Self::Cache,
    ) -> Value;

    /// The value of a position from scratch.
    fn evaluate_afresh(&self, position: &Position, cache: &mut Self::Cache) -> Value {
        self.evaluate(position, &mut [self.refresh(position)], 0, cache)
    }

    /// How far a search may bet on it.
    #[inline]
    fn margins(&self) -> &Margins {
        Margins::built_in()
    }

    /// Changes whenever values change: part of every saved result's fingerprint.
    fn fingerprint(&self) -> u64;
}

/// Counts material; pieces near the centre count a little more: the least that a search can be tried on.
#[derive(Clone, Copy, Debug, Default)]
pub struct Simple;

impl Evaluator for Simple {
    type State = ();
    type Cache = ();

    fn new_cache(&self) {}

    fn refresh(&self, _position: &Position) {}

    fn follow(&self, _: &mut [()], _at: usize, _before: &Position, _m: Move, _after: &Position) {}

    fn pass(&self, _: &mut [()], _at: usize) {}

    fn evaluate(&self, position: &Position, _: &mut [()], _at: usize, _: &mut ()) -> Value {
        let side = |colour| {
            Role::ALL
                .into_iter()
                .flat_map(|role| position.pieces(colour, role).into_iter().map(move |s| (role, s)))
                .map(|(role, square)| worth(role, square))
                .sum::<i32>()
        };
        let white = side(Colour::White) - side(Colour::Black);
        Value::centipawns(if position.turn() == Colour::White { white } else { -white })
    }

    fn fingerprint(&self) -> u64 {
        1
    }
}

fn worth(role: Role, square: Square) -> i32 {
    let material = EXCHANGE_VALUES[role as usize];
    let off_centre = |n: u32| (2 * n as i32 - 7).abs();
    let (file, rank) = (square.file() as u32, square.rank() as u32);
    material + 14 - off_centre(file) - off_centre(rank)
}
