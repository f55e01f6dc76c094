//! Random games for tests, the same ones every time.

use rand::rngs::ChaCha8Rng;
use rand::seq::IndexedRandom;
use rand::{RngExt, SeedableRng};

use super::moves::Move;
use super::position::Position;

const STARTS: [&str; 12] = [
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    "1k1r3q/1ppn3p/p4b2/4p3/8/P2N2P1/1PP1R1BP/2K1Q3 w - - 0 1",
    "r2q1rk1/1b1nbppp/p2ppn2/1p6/3NPP2/1BN1B3/PPP1Q1PP/2KR3R w - - 0 1",
    // En passant, with rooks behind the pawns.
    "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
    "4k3/2p1p1p1/8/1P1P1P1P/1p1p1p1p/8/2P1P1P1/4K3 w - - 0 1",
    "8/1b2p3/8/3P4/4K3/8/1k4P1/3R4 b - - 0 1",
    // Promotions.
    "8/PPPPk3/8/8/8/8/3Kpppp/8 w - - 0 1",
    "1n1r4/P1P1P3/5k2/8/8/2K5/3p1p2/2B1N3 w - - 0 1",
    // Castling, also in Chess960, where pieces may cross or enter the square of a rook.
    "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1",
    "nrkrbbqn/pppppppp/8/8/8/8/PPPPPPPP/NRKRBBQN w DBdb - 0 1",
    "1rk4r/p6p/8/8/8/8/P6P/R4KR1 w GAhb - 0 1",
];

/// Calls `visit` for every position in `games` random games. Castling, en passant and promotions are rare but cause
/// most errors, so they are chosen more often than other moves.
pub fn visit_random_games(games: usize, mut visit: impl FnMut(&Position)) {
    let mut random = ChaCha8Rng::seed_from_u64(9);
    let is_rare = |m: &Move| m.is_castle() || m.is_en_passant() || m.promoted().is_some();
    for game in 0..games {
        let fen = STARTS[game % STARTS.len()];
        let mut position = Position::from_fen(fen, false).expect(fen);
        for _ in 0..80 {
            visit(&position);
            let legal = position.legal_moves();
            let rare: Vec<Move> = legal.iter().copied().filter(is_rare).collect();
            let rare = rare.choose(&mut random).filter(|_| random.random_bool(0.3));
            let Some(&m) = rare.or_else(|| legal.choose(&mut random)) else { break };
            position.play(m);
        }
    }
}
