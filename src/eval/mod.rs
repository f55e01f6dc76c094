//! Static evaluation of positions.
//!
//! The search uses the trait [`Evaluator`]. An evaluator has a small state for every position, which it updates from
//! one position to the next (the accumulators of a network). Players use the [`Network`]. [`Simple`] is for tests of the
//! search.

mod endings;
mod geometry;
pub mod network;
mod search_params;
mod win_model;

use crate::board::{Colour, EXCHANGE_VALUES, Position, Role, Square};
use crate::value::Value;

pub(crate) use geometry::{Reach, attacks_of};
pub use network::{Network, NetworkError};
pub use search_params::{NUMBERS, SPANS, SearchParams, SearchParamsError};
pub use win_model::WinModel;

/// Evaluates positions from the point of view of the side to move.
///
/// Values must be a pure function of the position, whatever moves led to it.
pub trait Evaluator: Send + Sync {
    /// The state of a position, which is updated from one position to the next.
    type State: Clone + Default + Send;
    /// The state of the root of a search. It may be computed later, in [`Evaluator::evaluate`].
    fn root_state(&self, position: &Position) -> Self::State;

    /// Sets `line[at + 1]` to the state after a move or null move from the position of `line[at]`.
    ///
    /// `line` has the states of all positions from the root on. An evaluator may put off the work until
    /// [`Evaluator::evaluate`] needs it.
    fn advance(&self, line: &mut [Self::State], at: usize);

    /// Evaluates a position that is not in check. Its state is `line[at]`.
    fn evaluate(&self, position: &Position, line: &mut [Self::State], at: usize) -> Value;

    /// Evaluates a position on its own, without the states of the positions that led to it.
    fn evaluate_afresh(&self, position: &Position) -> Value {
        self.evaluate(position, &mut [self.root_state(position)], 0)
    }

    /// The parameters of searches for the best move, which are tuned for this evaluation.
    #[inline]
    fn search_params(&self) -> &SearchParams {
        SearchParams::for_best_move()
    }

    /// A number that changes whenever evaluations change. It is part of the fingerprint of all saved results.
    fn fingerprint(&self) -> u64;
}

/// A simple evaluation for tests: material, and a small bonus for pieces near the centre.
#[derive(Clone, Copy, Debug, Default)]
pub struct Simple;

impl Evaluator for Simple {
    type State = ();

    fn root_state(&self, _position: &Position) {}

    fn advance(&self, _: &mut [()], _at: usize) {}

    fn evaluate(&self, position: &Position, _: &mut [()], _at: usize) -> Value {
        let side = |colour| {
            Role::ALL
                .into_iter()
                .flat_map(|role| position.pieces(colour, role).into_iter().map(move |s| (role, s)))
                .map(|(role, square)| piece_value(role, square))
                .sum::<i32>()
        };
        let white = side(Colour::White) - side(Colour::Black);
        Value::centipawns(if position.turn() == Colour::White { white } else { -white })
    }

    fn fingerprint(&self) -> u64 {
        1
    }
}

fn piece_value(role: Role, square: Square) -> i32 {
    let material = EXCHANGE_VALUES[role as usize];
    let off_centre = |n: u32| (2 * n as i32 - 7).abs();
    let (file, rank) = (square.file() as u32, square.rank() as u32);
    material + 14 - off_centre(file) - off_centre(rank)
}
