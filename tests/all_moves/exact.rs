//! Every legal move has an exact value at every depth. Up to depth 2, it equals the value from a
//! search without pruning.

use std::sync::Arc;

use stopdown::board::{Game, MoveList, Position, Selection, see_at_least};
use stopdown::eval::{Evaluator, Network, Simple};
use stopdown::search::{Controls, EvaluationRequest, NoObserver, Searcher};
use stopdown::value::Value;

/// The slow reference: plain minimax with full windows, no table, no ordering, no pruning.
struct Reference<'e, E: Evaluator> {
    evaluator: &'e E,
    keys: Vec<u64>,
    root: usize,
}

impl<E: Evaluator> Reference<'_, E> {
    fn search(&mut self, position: &Position, depth: u8, ply: usize) -> Value {
        if ply > 0 && self.is_draw(position) {
            return Value::DRAW;
        }
        if depth == 0 {
            return self.quiesce(position, ply, -Value::INFINITE, Value::INFINITE);
        }
        let mut best = None;
        for m in position.legal_moves() {
            self.keys.push(position.key());
            let value = -self.search(&position.after(m), depth - 1, ply + 1);
            self.keys.pop();
            best = best.max(Some(value));
        }
        best.unwrap_or(if position.in_check() { Value::mated_in(ply) } else { Value::DRAW })
    }

    fn is_draw(&self, position: &Position) -> bool {
        if position.halfmoves() >= 100 {
            return !position.in_check() || position.has_legal_move();
        }
        let key = position.key();
        let before = self.keys[..self.root].iter().filter(|&&k| k == key).count();
        let within = self.keys[self.root..].iter().filter(|&&k| k == key).count();
        position.is_insufficient_material() || within > 0 || before > 1
    }

    /// Quiescence search, written straight from its definition. The alpha-beta window cuts off only
    /// moves that cannot affect the value. Without it, some positions would take minutes.
    fn quiesce(&self, position: &Position, ply: usize, mut alpha: Value, beta: Value) -> Value {
        let is_over =
            position.halfmoves() >= 100 && (!position.in_check() || position.has_legal_move());
        if is_over || position.is_insufficient_material() {
            return Value::DRAW;
        }
        let mut best = Value::mated_in(ply);
        let mut moves = MoveList::new();
        position.generate(Selection::Noisy, &mut moves);
        if position.in_check() {
            position.generate(Selection::Quiet, &mut moves);
        } else {
            moves.retain(|m| see_at_least(position, *m, 0));
            best = self.evaluator.evaluate_afresh(position).clamp_evaluation();
        }
        alpha = alpha.max(best);
        for m in moves {
            if alpha >= beta {
                break;
            }
            let value = -self.quiesce(&position.after(m), ply + 1, -beta, -alpha);
            best = best.max(value);
            alpha = alpha.max(value);
        }
        best
    }
}

fn agree<E: Evaluator>(evaluator: E, game: &Game, depth: u8) {
    let evaluator = Arc::new(evaluator);
    let mut searcher = Searcher::new(evaluator.clone(), 4);
    let request = EvaluationRequest::depth(depth);
    let evaluation = searcher.evaluate(game, &request, &Controls::new(), &mut NoObserver);
    assert_eq!(evaluation.depth, depth);
    assert_eq!(evaluation.moves.len(), game.position().legal_moves().len());
    for found in &evaluation.moves {
        assert_eq!(found.by_depth.len(), usize::from(depth));
        for (index, assessment) in found.by_depth.iter().enumerate() {
            let mut keys = game.repeatable_keys().to_vec();
            let root = keys.len();
            keys.push(game.position().key());
            let mut reference = Reference { evaluator: &*evaluator, keys, root };
            let child = game.position().after(found.mv);
            let truth = -reference.search(&child, index as u8, 1);
            let fen = game.position().fen();
            assert_eq!(assessment.value, truth, "{fen} {:?} depth {}", found.mv, index + 1);
            assert!(assessment.exact);
        }
    }
}

fn game(fen: &str, moves: &str) -> Game {
    Game::from_uci(Some(fen), moves.split_whitespace(), false).expect(fen)
}

#[test]
fn small_depths_equal_a_search_without_pruning() {
    let cases = [
        // A middlegame with captures, promotions and checks.
        ("r1bqkb1r/pp3ppp/2n1pn2/2pp4/3P1B2/2P1PN2/PP1N1PPP/R2QKB1R b KQkq - 2 6", "", 2),
        ("r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1", "", 2),
        ("r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1", "", 2),
        ("6k1/5ppp/8/8/8/8/r4PPP/1R4K1 w - - 0 1", "", 2),
        // Endings: mates, stalemates, promotions, en passant.
        ("8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1", "", 2),
        ("8/8/8/8/8/5k2/6p1/6K1 w - - 0 1", "", 2),
        ("7k/5Q2/8/6K1/8/8/8/8 w - - 0 1", "", 2),
        ("8/P6k/8/8/8/8/6Kp/8 w - - 0 1", "", 2),
        // Close to the fifty-move rule: mate comes on the last ply before it applies.
        ("7k/8/6K1/8/8/8/8/R7 w - - 97 90", "", 2),
        // The hundredth ply is reached in quiescence, where check evasions are still searched.
        ("1nRB4/3k1n2/r5N1/8/2Q5/8/8/5K2 w - - 96 80", "", 2),
        // Positions from earlier in the game are repeated.
        ("6k1/8/8/8/8/8/4R3/4K3 w - - 0 1", "e2d2 g8f8 d2e2 f8g8 e2d2 g8f8 d2e2 f8g8", 2),
        ("r5k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 4 30", "a1b1 a8b8 b1a1 b8a8 a1b1 a8b8", 2),
    ];
    for (fen, moves, depth) in cases {
        agree(Simple, &game(fen, moves), depth);
        agree(Network::embedded(), &game(fen, moves), depth);
    }
}

#[test]
fn a_cap_marks_the_moves_it_hides() {
    let game = game("r1bqkb1r/pp3ppp/2n1pn2/2pp4/3P1B2/2P1PN2/PP1N1PPP/R2QKB1R b KQkq - 2 6", "");
    let mut searcher = Searcher::new(Arc::new(Network::embedded()), 4);
    let whole = EvaluationRequest::depth(8);
    let capped = EvaluationRequest { cap: Some(200), ..whole.clone() };
    let whole = searcher.evaluate(&game, &whole, &Controls::new(), &mut NoObserver);
    let capped = searcher.evaluate(&game, &capped, &Controls::new(), &mut NoObserver);
    assert!(capped.nodes < whole.nodes, "the cap saved no nodes");
    let best = capped.best().expect("there are moves").value();
    assert!(capped.moves.iter().any(|m| !m.last().exact), "no move is beyond the cap");
    for found in &capped.moves {
        let Some(last) = found.by_depth.last() else { panic!("a move has no value") };
        if !last.exact {
            assert!(last.value <= best - Value::centipawns(200));
        }
        // At depths 1 and 2, nothing else is cut off, so the values equal those of the full
        // evaluation.
        let full = whole.find(found.mv).expect("the same moves");
        for (a, b) in found.by_depth.iter().zip(&full.by_depth).take(2) {
            if a.exact {
                assert_eq!(a.value, b.value);
            } else {
                assert!(b.value <= a.value);
            }
        }
    }
}

#[test]
fn a_cap_leaves_values_below_a_mate() {
    let mut searcher = Searcher::new(Arc::new(Simple), 4);
    let mut capped = |fen: &str, cap: i32| {
        let request = EvaluationRequest { cap: Some(cap), ..EvaluationRequest::depth(4) };
        searcher.evaluate(&game(fen, ""), &request, &Controls::new(), &mut NoObserver)
    };
    // A back-rank mate, a mate among other mates, and an unavoidable mate for the other side.
    let fens = [
        "6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1",
        "7k/5Q2/5K2/8/8/8/8/r7 w - - 0 1",
        "7k/8/5K1Q/8/8/8/8/8 b - - 0 1",
    ];
    for (fen, cap) in fens.into_iter().flat_map(|fen| [100, 400, 100_000].map(|cap| (fen, cap))) {
        let evaluation = capped(fen, cap);
        let best = evaluation.best().expect("there are moves").value();
        for found in &evaluation.moves {
            let (value, is_exact) = (found.value(), found.last().exact);
            assert!(value <= best, "{fen} {cap}: {value} is above the best, {best}");
            let far = best.pawns() - value.pawns() >= f64::from(cap) / 100.0 - 0.01;
            assert!(is_exact || far && !value.is_decisive(), "{fen} {cap}: {value}");
        }
    }
    assert!(capped(fens[0], 400).moves.iter().any(|m| !m.last().exact));
}

#[test]
fn no_depth_is_completed_without_legal_moves() {
    let mut searcher = Searcher::new(Arc::new(Simple), 1);
    let mated = game("6rk/5Npp/8/8/8/8/8/K7 b - - 0 1", "");
    let request = EvaluationRequest::depth(4);
    let found = searcher.evaluate(&mated, &request, &Controls::new(), &mut NoObserver);
    assert_eq!((found.depth, found.moves.len()), (0, 0));
}
