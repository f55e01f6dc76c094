//! Against a bare king, the evaluation alone leads a shallow search to mate.

use std::collections::HashSet;

use stopdown::board::Position;
use stopdown::eval::{Evaluator, Network};
use stopdown::value::Value;

/// Plain alpha-beta with the evaluation at its leaves.
struct Player(Network);

impl Player {
    fn search(
        &self,
        position: &Position,
        depth: u32,
        ply: usize,
        mut alpha: Value,
        beta: Value,
    ) -> Value {
        let moves = position.legal_moves();
        if moves.is_empty() {
            return if position.in_check() { Value::mated_in(ply) } else { Value::DRAW };
        }
        if position.is_insufficient_material() {
            return Value::DRAW;
        }
        if depth == 0 {
            return self.0.evaluate_afresh(position);
        }
        for m in moves {
            let value = -self.search(&position.after(m), depth - 1, ply + 1, -beta, -alpha);
            alpha = alpha.max(value);
            if alpha >= beta {
                break;
            }
        }
        alpha
    }
}

/// Plays both sides at a fixed depth. The winning side avoids repetitions, as any search does.
/// Returns the number of moves until mate, if it comes in time.
fn moves_to_mate(fen: &str, depth: u32) -> Option<u32> {
    let player = Player(Network::embedded());
    let mut position = Position::from_fen(fen, false).expect(fen);
    let mut seen = HashSet::new();
    for ply in 0..100 {
        let score = |next: &Position| {
            let repeated = ply % 2 == 0 && seen.contains(&next.key());
            let value = -player.search(next, depth - 1, 1, -Value::INFINITE, Value::INFINITE);
            if repeated { Value::DRAW } else { value }
        };
        let replies = position.legal_moves().into_iter().map(|m| position.after(m));
        let Some(best) = replies.max_by_key(score) else {
            return position.in_check().then_some(ply / 2 + 1);
        };
        seen.insert(best.key());
        position = best;
    }
    None
}

#[test]
fn a_shallow_search_mates_a_bare_king() {
    let cases = [
        ("8/8/8/4k3/8/8/8/1Q2K3 w - - 0 1", 4),
        ("8/8/3k4/8/8/8/8/R3K3 w - - 0 1", 4),
        ("8/8/8/4k3/8/8/8/2B1KB2 w - - 0 1", 5),
        ("2b1k1n1/8/8/3K4/8/8/8/8 b - - 0 1", 5),
    ];
    for (fen, depth) in cases {
        assert!(moves_to_mate(fen, depth).is_some(), "no mate within 50 moves from {fen}");
    }
}
