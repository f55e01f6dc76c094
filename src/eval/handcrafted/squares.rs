//! Material and squares: the part of the evaluation that a move changes in two or three places.
//!
//! It is carried along from position to position instead of being summed anew. A board seen from
//! White's side lists a8 first, so White's pieces read the table upside down.

use super::score::Score;
use super::terms::Term;
use super::trace::Tracer;
use super::weights::Weights;
use crate::board::{CastlingSide, Colour, Move, Position, Role, Square};
use crate::eval::geometry::seen_by;

/// What a piece of each kind adds on the way from endgame (0) to middlegame (24).
const PHASE: [i32; 7] = [0, 0, 1, 1, 2, 4, 0];

/// The phase of the starting position, and the most that counts.
pub const FULL_PHASE: i32 = 24;

/// Sums over all pieces.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Sums {
    /// White's less Black's.
    pub score: Score,
    pub phase: i32,
}

/// The worth of every piece on every square, material included, from White's view.
#[derive(Clone, Debug)]
pub struct SquareTable([[[Score; 64]; 7]; 2]);

impl SquareTable {
    pub fn new(weights: &Weights) -> SquareTable {
        let mut table = [[[Score::ZERO; 64]; 7]; 2];
        for role in Role::ALL {
            for square in Square::ALL {
                let [material, place] = weights_of(Colour::White, role, square);
                let worth = material.map_or(Score::ZERO, |weight| weights[weight])
                    + place.map_or(Score::ZERO, |weight| weights[weight]);
                table[Colour::White as usize][role as usize][square as usize] = worth;
                table[Colour::Black as usize][role as usize][square.flip_vertical() as usize] =
                    -worth;
            }
        }
        SquareTable(table)
    }

    #[inline]
    fn worth(&self, colour: Colour, role: Role, square: Square) -> Score {
        self.0[colour as usize][role as usize][square as usize]
    }

    pub fn sum(&self, position: &Position) -> Sums {
        let mut sums = Sums::default();
        for (colour, role, square) in pieces(position) {
            sums.score += self.worth(colour, role, square);
            sums.phase += PHASE[role as usize];
        }
        sums
    }

    /// The sums after a legal move of `us`.
    #[inline]
    pub fn follow(&self, sums: Sums, us: Colour, m: Move) -> Sums {
        let Sums { mut score, mut phase } = sums;
        let (from, to) = (m.from(), m.to());
        if m.is_castle() {
            let side = CastlingSide::from_king_side(to > from);
            score += self.worth(us, Role::King, side.king_to(us))
                + self.worth(us, Role::Rook, side.rook_to(us))
                - self.worth(us, Role::King, from)
                - self.worth(us, Role::Rook, to);
            return Sums { score, phase };
        }
        if let Some(captured) = m.captured() {
            let square =
                if m.is_en_passant() { Square::from_coords(to.file(), from.rank()) } else { to };
            score -= self.worth(!us, captured, square);
            phase -= PHASE[captured as usize];
        }
        let role = m.promoted().unwrap_or(m.role());
        score += self.worth(us, role, to) - self.worth(us, m.role(), from);
        phase += PHASE[role as usize] - PHASE[m.role() as usize];
        Sums { score, phase }
    }
}

/// Tells a tracer what the sums are made of.
pub fn trace(position: &Position, tracer: &mut impl Tracer) {
    for (colour, role, square) in pieces(position) {
        for weight in weights_of(colour, role, square).into_iter().flatten() {
            tracer.count(colour, weight, 1);
        }
    }
}

/// The weights for material and for the square of a piece: kings have no worth of their own.
fn weights_of(colour: Colour, role: Role, square: Square) -> [Option<usize>; 2] {
    let material = (role != Role::King).then(|| Term::Material.at(role as usize - 1));
    let index = seen_by(colour, square).flip_vertical() as usize;
    [material, Some(Term::SQUARES[role as usize - 1].at(index))]
}

fn pieces(position: &Position) -> impl Iterator<Item = (Colour, Role, Square)> + '_ {
    Colour::ALL.into_iter().flat_map(move |colour| {
        Role::ALL.into_iter().flat_map(move |role| {
            position.pieces(colour, role).into_iter().map(move |square| (colour, role, square))
        })
    })
}
