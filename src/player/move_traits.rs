//! The traits of a move that show a player's style: sacrifices, exchanges, checks and the like.
//!
//! They are cheap to compute, and each can be explained to a chess player. A move offers material
//! if the opponent can win more by captures on one square than the move itself captures. The offer
//! counts only if the evaluation shows compensation: at least a quarter of an offered pawn, or at
//! least half of a larger offer. Other offers are blunders, not style.

use serde::{Deserialize, Serialize};

use crate::board::{
    Bitboard, Checks, Colour, EXCHANGE_VALUES, File, Move, MoveList, Phase, Position, Role,
    Selection, Square, attacks, see_at_least,
};

/// A trait of a move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum MoveTrait {
    /// Offers more than a pawn, for compensation.
    Sacrifice,
    /// Offers a pawn in the opening, for compensation.
    Gambit,
    /// Offers a pawn later, for compensation.
    PawnSacrifice,
    /// Gives check.
    Check,
    /// How many more squares around the opponent's king the piece attacks than before, at most 2.
    KingAttack,
    /// Advances a pawn towards the opponent's king, on files away from the mover's king.
    PawnStorm,
    /// Moves a piece back.
    Retreat,
    /// Castles on either side.
    Castling,
    /// Castles on the queenside.
    LongCastling,
    /// Exchanges pieces of equal value, other than queens.
    Exchange,
    /// Exchanges queens, or offers to.
    QueenExchange,
    /// Exchanges pawns.
    PawnExchange,
    /// Advances a pawn so that it attacks an enemy pawn.
    Lever,
    /// Enters the opponent's half of the board without a capture.
    Advance,
    /// Wins material.
    Gain,
    /// Moves a piece within the mover's half of the board, without a capture or a check.
    Quiet,
}

/// The strength of each trait of a move, in the order of [`MoveTrait::ALL`].
pub type Traits = [f64; MoveTrait::ALL.len()];

impl MoveTrait {
    /// All traits, in the order of [`Traits`].
    pub const ALL: [MoveTrait; 16] = [
        MoveTrait::Sacrifice,
        MoveTrait::Gambit,
        MoveTrait::PawnSacrifice,
        MoveTrait::Check,
        MoveTrait::KingAttack,
        MoveTrait::PawnStorm,
        MoveTrait::Retreat,
        MoveTrait::Castling,
        MoveTrait::LongCastling,
        MoveTrait::Exchange,
        MoveTrait::QueenExchange,
        MoveTrait::PawnExchange,
        MoveTrait::Lever,
        MoveTrait::Advance,
        MoveTrait::Gain,
        MoveTrait::Quiet,
    ];
}

/// Offers in centipawns: a pawn, the exchange, a piece, a rook and a queen. Each is slightly less
/// than the corresponding difference between [`EXCHANGE_VALUES`], since bishops count a little more
/// than knights.
const OFFERS: [i32; 5] = [90, 150, 270, 450, 800];
const PAWN: i32 = OFFERS[0];

/// An exchange is equal if neither side gains as much as this, in centipawns.
const EQUAL: i32 = 50;

/// A pawn counts as offered only if, according to the evaluation, the move loses at most this many
/// pawns. Most known gambits lose 0.4 to 0.7 pawns.
const LOSS_FOR_PAWN: f64 = 0.75;
/// The same limit for larger offers, as a fraction of the offer.
const LOSS_FOR_MORE: f64 = 0.5;

/// Finds the traits of the moves in a position.
#[derive(Debug)]
pub struct TraitFinder<'a> {
    position: &'a Position,
    checks: Checks,
    /// The opponent's king and the squares around it.
    target: Bitboard,
    is_opening: bool,
}

impl<'a> TraitFinder<'a> {
    /// Prepares to examine the moves in a position.
    pub fn new(position: &'a Position) -> TraitFinder<'a> {
        let king = position.king(!position.turn());
        TraitFinder {
            position,
            checks: Checks::of(position),
            target: attacks::king_attacks(king).with(king),
            is_opening: Phase::of(position) == Phase::Opening,
        }
    }

    /// The traits of a legal move that is worse than the best by `loss` pawns.
    pub fn traits(&self, mv: Move, loss: f64) -> Traits {
        let us = self.position.turn();
        let after = self.position.after(mv);
        let (from, to) = (seen_rank(mv.from(), us), seen_rank(mv.to(), us));
        let is_pawn = mv.role() == Role::Pawn;
        let is_piece = !is_pawn && mv.role() != Role::King;
        let is_quiet = !mv.is_capture();
        let is_check = self.checks.gives(mv);
        let gains = |centipawns| see_at_least(self.position, mv, centipawns);
        let is_equal = || gains(1 - EQUAL) && !gains(EQUAL);
        let takes_piece = !matches!(mv.captured(), None | Some(Role::Pawn | Role::Queen));
        let offer = offered(&after, mv);
        let offer = if loss <= acceptable_loss(offer) { offer } else { 0 };
        let mut traits = Traits::default();
        for (of, is_there) in [
            (MoveTrait::Sacrifice, offer > PAWN),
            (MoveTrait::Gambit, offer == PAWN && self.is_opening),
            (MoveTrait::PawnSacrifice, offer == PAWN && !self.is_opening),
            (MoveTrait::Check, is_check),
            (MoveTrait::PawnStorm, is_pawn && is_quiet && self.is_storm(mv)),
            (MoveTrait::Retreat, is_piece && is_quiet && to < from),
            (MoveTrait::Castling, mv.is_castle()),
            (MoveTrait::LongCastling, mv.is_castle() && mv.to().file() < mv.from().file()),
            (MoveTrait::Exchange, takes_piece && is_equal()),
            (MoveTrait::QueenExchange, mv.role() == Role::Queen && self.meets_queen(mv, &after)),
            (MoveTrait::PawnExchange, is_pawn && !is_quiet && is_equal()),
            (MoveTrait::Lever, is_pawn && is_quiet && self.attacks_pawn(mv)),
            (MoveTrait::Advance, is_quiet && to >= 4 && from < 4 && !mv.is_castle()),
            (MoveTrait::Gain, gains(PAWN)),
            (MoveTrait::Quiet, is_piece && is_quiet && !is_check && to < 4),
        ] {
            traits[of as usize] = f64::from(u8::from(is_there));
        }
        if is_piece {
            traits[MoveTrait::KingAttack as usize] = self.king_attack(mv);
        }
        traits
    }

    /// Whether a pawn advances beyond the mover's third rank, near the file of the opponent's king
    /// but not near the file of the mover's king.
    fn is_storm(&self, mv: Move) -> bool {
        let us = self.position.turn();
        let near = |king: Square| file_distance(king.file(), mv.to().file()) <= 1;
        let kings = (self.position.king(us), self.position.king(!us));
        seen_rank(mv.to(), us) >= 3 && near(kings.1) && !near(kings.0)
    }

    fn king_attack(&self, mv: Move) -> f64 {
        let role = mv.promoted().unwrap_or(mv.role());
        let occupied = self.position.occupied();
        let reached = |square, occupied| {
            let piece = role.of(self.position.turn());
            (attacks::attacks(square, piece, occupied) & self.target).count() as f64
        };
        let moved = occupied.without(mv.from()).with(mv.to());
        (reached(mv.to(), moved) - reached(mv.from(), occupied)).clamp(-2.0, 2.0)
    }

    fn attacks_pawn(&self, mv: Move) -> bool {
        let us = self.position.turn();
        let pawns = self.position.pieces(!us, Role::Pawn);
        (attacks::pawn_attacks(us, mv.to()) & pawns).any()
    }

    /// Whether a queen takes a defended queen, or goes where the opponent's queen may take it in an
    /// equal exchange.
    fn meets_queen(&self, mv: Move, after: &Position) -> bool {
        match mv.captured() {
            Some(Role::Queen) => !see_at_least(self.position, mv, EQUAL),
            Some(_) => false,
            None => {
                let is_answer = |reply: &Move| reply.role() == Role::Queen && reply.to() == mv.to();
                let answer = captures(after).into_iter().find(is_answer);
                answer.is_some_and(|reply| !see_at_least(after, reply, EQUAL))
            }
        }
    }
}

/// The most that the opponent can win by captures on one square, minus the material that the move
/// has won. It is one of [`OFFERS`], or 0.
fn offered(after: &Position, mv: Move) -> i32 {
    let value = |role: Role| EXCHANGE_VALUES[role as usize];
    let promoted = mv.promoted().map_or(0, |role| value(role) - value(Role::Pawn));
    let won = mv.captured().map_or(0, value) + promoted;
    let mut steps = 0;
    for reply in captures(after) {
        let wins = |offer: &&i32| see_at_least(after, reply, won + **offer);
        steps += OFFERS[steps..].iter().take_while(wins).count();
    }
    steps.checked_sub(1).map_or(0, |last| OFFERS[last])
}

/// The largest loss in pawns at which an offer still counts as compensated.
fn acceptable_loss(offer: i32) -> f64 {
    if offer == PAWN { LOSS_FOR_PAWN } else { LOSS_FOR_MORE * f64::from(offer) / 100.0 }
}

fn captures(position: &Position) -> MoveList {
    let mut moves = MoveList::new();
    position.generate(Selection::Noisy, &mut moves);
    moves.retain(|mv| mv.is_capture());
    moves
}

/// The rank of a square, counted from 0 at a side's back rank.
fn seen_rank(square: Square, us: Colour) -> u8 {
    let rank = square.rank() as u8;
    if us == Colour::White { rank } else { 7 - rank }
}

fn file_distance(one: File, other: File) -> u8 {
    (one as u8).abs_diff(other as u8)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn has(fen: &str, text: &str, loss: f64, wanted: MoveTrait) -> bool {
        let position = Position::from_fen(fen, false).expect(fen);
        let mv = position.parse_uci(text).expect(text);
        TraitFinder::new(&position).traits(mv, loss)[wanted as usize] > 0.0
    }

    #[test]
    fn an_offer_needs_compensation() {
        let kings_gambit = "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2";
        assert!(has(kings_gambit, "f2f4", 0.4, MoveTrait::Gambit));
        assert!(!has(kings_gambit, "f2f4", 0.9, MoveTrait::Gambit));
        assert!(!has(kings_gambit, "d2d3", 0.0, MoveTrait::Gambit));
        // The Greek gift: a bishop for a pawn.
        let gift = "rnbq1rk1/pppnbppp/4p3/3pP3/3P4/2NB1N2/PPP2PPP/R1BQK2R w KQ - 0 8";
        assert!(has(gift, "d3h7", 0.0, MoveTrait::Sacrifice));
        assert!(!has(gift, "d3h7", 1.7, MoveTrait::Sacrifice));
        assert!(!has(gift, "e1g1", 0.0, MoveTrait::Sacrifice));
        // A knight for a knight.
        let trade = "r1bqkbnr/pppp1ppp/2n5/8/3NP3/8/PPP2PPP/RNBQKB1R w KQkq - 0 4";
        assert!(!has(trade, "d4c6", 0.0, MoveTrait::Sacrifice));
        assert!(has(trade, "d4c6", 0.0, MoveTrait::Exchange));
    }

    #[test]
    fn traits_are_found_for_both_sides() {
        let queens = "rnb1k1nr/pppp1ppp/8/4p1q1/4P3/3P4/PPP2PPP/RNBQK1NR w KQkq - 0 5";
        assert!(has(queens, "d1d2", 0.0, MoveTrait::QueenExchange));
        assert!(!has(queens, "d1g4", 0.0, MoveTrait::QueenExchange));
        let castled = "2kr4/ppp5/8/8/6p1/8/5PPP/5RK1 b - - 0 20";
        assert!(has(castled, "g4g3", 0.0, MoveTrait::PawnStorm));
        assert!(has(castled, "g4g3", 0.0, MoveTrait::Lever));
        assert!(!has(castled, "c7c5", 0.0, MoveTrait::PawnStorm));
        assert!(has(castled, "d8d2", 0.0, MoveTrait::Advance));
        assert!(has("4k3/8/8/8/8/8/8/R3K3 w Q - 0 1", "e1c1", 0.0, MoveTrait::LongCastling));
        assert!(has("4k3/8/8/8/8/8/8/R3K3 w Q - 0 1", "a1a8", 0.0, MoveTrait::Check));
    }
}
