//! An evaluation is a pure function of the position, its history, the depth and the table size.
//! Earlier searches, their order and the number of threads do not change it.

use std::sync::Arc;

use stopdown::board::{Game, Position};
use stopdown::eval::{Evaluator, Network, SearchParams};
use stopdown::evaluation::RootEvaluation;
use stopdown::search::{Controls, EvaluationRequest, Limits, NoObserver, Observer, Searcher};
use stopdown::value::Depth;

const FENS: [&str; 4] = [
    "r1bqkb1r/pp3ppp/2n1pn2/2pp4/3P1B2/2P1PN2/PP1N1PPP/R2QKB1R b KQkq - 2 6",
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
    "2r3k1/5pp1/p3p2p/1p1bP3/3N4/P4P2/1P4PP/2R3K1 w - - 4 28",
];
const DEPTH: Depth = 8;

fn searcher() -> Searcher<Network> {
    Searcher::new(Arc::new(Network::embedded()), 4)
}

fn game(fen: &str) -> Game {
    Game::new(Position::from_fen(fen, false).expect(fen))
}

fn evaluate(searcher: &mut Searcher<Network>, game: &Game, depth: Depth) -> RootEvaluation {
    searcher.evaluate(game, &EvaluationRequest::depth(depth), &Controls::new(), &mut NoObserver)
}

#[test]
fn earlier_searches_do_not_change_an_evaluation() {
    let fresh: Vec<_> =
        FENS.iter().map(|fen| evaluate(&mut searcher(), &game(fen), DEPTH)).collect();
    let mut used = searcher();
    for (fen, expected) in FENS.iter().zip(&fresh).rev() {
        let limits = Limits::nodes(20_000);
        used.best_move(&game(fen), &limits, &Controls::new(), &mut NoObserver);
        assert_eq!(&evaluate(&mut used, &game(fen), DEPTH), expected, "{fen}");
    }
    // Repeat this often enough for any generation counter to wrap around.
    let endgame = game(FENS[2]);
    let expected = evaluate(&mut searcher(), &endgame, 5);
    for _ in 0..70 {
        assert_eq!(evaluate(&mut used, &endgame, 5), expected);
    }
}

#[test]
fn the_number_of_threads_changes_nothing() {
    for fen in FENS {
        let alone = evaluate(&mut searcher(), &game(fen), DEPTH);
        for threads in [2, 3, 16] {
            let mut many = searcher();
            many.set_threads(threads);
            assert_eq!(evaluate(&mut many, &game(fen), DEPTH), alone, "{fen}, {threads} threads");
        }
    }
}

#[test]
fn a_node_limit_counts_all_threads() {
    let game = game(FENS[0]);
    let whole = evaluate(&mut searcher(), &game, 6);
    for (nodes, depth) in [(whole.nodes, 6), (whole.nodes - 1, 5), (1, 0)] {
        let request = EvaluationRequest { nodes: Some(nodes), ..EvaluationRequest::depth(6) };
        for threads in [1, 3] {
            let mut searcher = searcher();
            searcher.set_threads(threads);
            let found = searcher.evaluate(&game, &request, &Controls::new(), &mut NoObserver);
            assert_eq!(found.depth, depth, "{nodes} nodes, {threads} threads");
            assert!(found.nodes <= nodes);
        }
    }
}

#[test]
fn a_search_with_a_node_limit_is_repeatable() {
    let game = game(FENS[0]);
    for limits in [Limits::depth(9), Limits::nodes(30_000), Limits::nodes(1)] {
        let run = || searcher().best_move(&game, &limits, &Controls::new(), &mut NoObserver);
        let (a, b) = (run(), run());
        assert_eq!((a.mv, a.value, a.nodes, a.depth), (b.mv, b.value, b.nodes, b.depth));
        assert!(a.mv.is_some(), "the search returned no move");
    }
}

/// Stops the search as soon as the given depth is completed.
struct StopAfter(Depth, Controls);

impl Observer for StopAfter {
    fn depth_completed(&mut self, evaluation: &RootEvaluation, _: std::time::Duration) {
        if evaluation.depth == self.0 {
            self.1.stop();
        }
    }
}

#[test]
fn an_evaluation_stopped_at_once_has_no_completed_depth() {
    let controls = Controls::new();
    controls.stop();
    let request = EvaluationRequest::depth(DEPTH);
    let evaluation = searcher().evaluate(&game(FENS[0]), &request, &controls, &mut NoObserver);
    assert_eq!((evaluation.depth, evaluation.moves.len()), (0, 0));
}

#[test]
fn an_interrupted_evaluation_is_the_last_completed_depth() {
    let game = game(FENS[1]);
    let controls = Controls::new();
    let mut observer = StopAfter(5, controls.clone());
    let request = EvaluationRequest::depth(12);
    let stopped = searcher().evaluate(&game, &request, &controls, &mut observer);
    assert_eq!(stopped, evaluate(&mut searcher(), &game, 5));
}

/// Otherwise, everything that was fitted to evaluations would have to be fitted again.
#[test]
fn parameters_of_the_search_for_the_best_move_change_no_evaluation() {
    let usual = Network::embedded();
    let cautious = SearchParams { reduction: 0, futility: 400, ..usual.search_params().clone() };
    let other = usual.clone().with_search_params(cautious);
    assert_eq!(other.fingerprint(), usual.fingerprint());
    let [mut usual, mut other] = [usual, other].map(|network| Searcher::new(Arc::new(network), 4));
    for fen in FENS {
        let limits = Limits::depth(7);
        let [nodes, others] = [&mut usual, &mut other].map(|searcher| {
            searcher.best_move(&game(fen), &limits, &Controls::new(), &mut NoObserver).nodes
        });
        assert_ne!(nodes, others, "{fen}");
        let expected = evaluate(&mut usual, &game(fen), DEPTH);
        assert_eq!(evaluate(&mut other, &game(fen), DEPTH), expected, "{fen}");
    }
}
