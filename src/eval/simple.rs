//! Material and a step towards the centre: the least that a search can be tried on.

use super::Evaluator;
use crate::board::{Colour, EXCHANGE_VALUES, Move, Position, Role, Square};
use crate::value::Value;

/// Counts material; pieces near the centre count a little more.
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
