//! The inputs of the network: for each side, the pieces as that side sees them, with their attack status.
//!
//! There is an input for every kind of piece, the side's own or the opponent's, on every square, which makes 768. Each
//! attack status (`attack_status.rs`) has its own 768 inputs. Black sees the board upside down. A side whose king is
//! on files e to h sees the board mirrored, so that the network has to learn only kings on the a- to d-files.

use super::attack_status::{ATTACK_STATUSES, AttackStatuses, PlacedPiece};
use crate::board::{Colour, File, PackedPosition, Position, Square};

/// The number of inputs for one attack status.
pub const PIECES: usize = 768;
/// The number of inputs. The first [`PIECES`] are for pieces that are not attacked.
pub const INPUTS: usize = PIECES * ATTACK_STATUSES;

/// The maximum number of sets of output weights in a network.
pub const MAX_BUCKETS: usize = 8;

/// The board from the point of view of a side.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct SideView {
    /// Whether this is Black's view, in which the colours are exchanged.
    black: bool,
    /// Square numbers are XORed with this number, which flips or mirrors the board.
    turn: u8,
}

impl SideView {
    /// The view of a side whose king is on this square.
    #[inline]
    pub fn new(colour: Colour, own_king: Square) -> SideView {
        let ranks = if colour.is_black() { 0o70 } else { 0 };
        let files = if own_king.file() >= File::E { 0o07 } else { 0 };
        SideView { black: colour.is_black(), turn: ranks | files }
    }

    /// The view of a side in a position.
    #[inline]
    pub fn of(colour: Colour, position: &Position) -> SideView {
        SideView::new(colour, position.king(colour))
    }

    /// The index of the input for a piece.
    #[inline(always)]
    pub fn input(self, piece: PlacedPiece) -> usize {
        let status_and_side = piece.status_and_colour() ^ usize::from(self.black);
        // Roles are numbered from 1.
        let role_and_square = (piece.role_and_square() ^ usize::from(self.turn)) - 64;
        status_and_side * PIECES / 2 + role_and_square
    }
}

/// The index of the set of output weights for a position with `pieces` pieces. There are `buckets` sets.
#[inline]
pub fn bucket(pieces: usize, buckets: usize) -> usize {
    (pieces.clamp(1, 32) - 1) * buckets / 32
}

/// Lists the inputs that are set in a packed position, for the side to move and for the opponent. `None` if a king is
/// missing.
pub fn inputs(position: &PackedPosition, set: &mut [Vec<u16>; 2]) -> Option<()> {
    let (us, attack_statuses) = (position.turn(), AttackStatuses::of_packed(position));
    for (side, list) in [us, !us].into_iter().zip(set) {
        let view = SideView::new(side, attack_statuses.king(side)?);
        list.clear();
        list.extend(attack_statuses.pieces().map(|piece| view.input(piece) as u16));
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Role;

    #[test]
    fn mirrored_and_turned_boards_look_the_same() {
        let fens = [
            "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w - - 0 1",
            "r2k3r/1bpqpp1p/1pnp2nb/3NP3/3P2p1/p1Q2N2/PPPBBPPP/R2K3R w - - 0 1",
        ];
        let seen = |fen: &str, colour| {
            let position = Position::from_fen(fen, false).expect(fen);
            let view = SideView::of(colour, &position);
            let attack_statuses = AttackStatuses::of(&position);
            let mut inputs: Vec<usize> =
                attack_statuses.pieces().map(|piece| view.input(piece)).collect();
            inputs.sort_unstable();
            inputs
        };
        for fen in fens {
            let (board, rest) = fen.split_once(' ').expect(fen);
            let mirrored: Vec<String> =
                board.split('/').map(|rank| rank.chars().rev().collect()).collect();
            let mirrored = format!("{} {rest}", mirrored.join("/"));
            let turned: String = board.split('/').rev().collect::<Vec<_>>().join("/");
            let swap = |c: char| {
                if c.is_ascii_uppercase() { c.to_ascii_lowercase() } else { c.to_ascii_uppercase() }
            };
            let turned = format!("{} {rest}", turned.chars().map(swap).collect::<String>());
            for colour in Colour::ALL {
                assert_eq!(seen(fen, colour), seen(&mirrored, colour), "{fen}");
                assert_eq!(seen(fen, colour), seen(&turned, !colour), "{fen}");
            }
        }
    }

    #[test]
    fn every_piece_on_every_square_has_its_own_input() {
        for colour in Colour::ALL {
            let view = SideView::new(colour, Square::G1);
            let mut inputs: Vec<usize> = Colour::ALL
                .into_iter()
                .flat_map(|colour| Role::ALL.map(|role| (colour, role)))
                .flat_map(|(colour, role)| Square::ALL.map(|square| (colour, role, square)))
                .flat_map(|(colour, role, square)| {
                    (0..ATTACK_STATUSES).map(move |attack_status| {
                        view.input(PlacedPiece::new(colour, role, square, attack_status))
                    })
                })
                .collect();
            inputs.sort_unstable();
            assert_eq!(inputs, (0..INPUTS).collect::<Vec<_>>());
        }
    }

    #[test]
    fn buckets_divide_the_numbers_of_pieces() {
        let of = |pieces| bucket(pieces, 8);
        assert_eq!([2, 4, 5, 8, 9, 28, 29, 32].map(of), [0, 0, 1, 1, 2, 6, 7, 7]);
        assert_eq!(bucket(17, 1), 0);
    }
}
