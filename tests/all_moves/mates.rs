//! The search for the best move and the evaluation of all moves both find a forced mate in two or
//! three, even if it starts with a quiet move.

use std::io::BufRead;
use std::sync::Arc;

use stopdown::board::{Game, Position};
use stopdown::eval::Network;
use stopdown::evaluation::MoveEvaluation;
use stopdown::games::pgn::open_text;
use stopdown::search::{
    Controls, EvaluationRequest, Limits, NoObserver, Observer, Report, Searcher,
};
use stopdown::value::Value;

use crate::common::data;

/// Mates in two that start with a quiet move. One contains a rook sacrifice. The others are the
/// hardest of their kind in a puzzle database (Lichess, CC0).
const QUIET: [&str; 7] = [
    "kbK5/pp6/1P6/8/8/8/8/R7 w - - 0 1",
    "8/p7/5K1k/1p6/2n1B1P1/8/1p6/8 w - - 2 50",
    "8/5B2/1k3p2/2p1p2P/1pK1Pnb1/1P3P2/P2N4/8 b - - 0 34",
    "r4q2/pp1b2p1/1bn1p1n1/3pPpNk/3P3P/2P3Q1/P4PP1/RN2K2R w KQ - 0 16",
    "8/1R6/5K2/7k/8/p5P1/rp6/8 w - - 2 62",
    "5k2/R4P1p/1N1Kp2P/3pPbp1/8/5r2/8/8 w - - 1 52",
    "8/RP6/1N2p1kp/P7/5np1/4K3/1r4P1/8 b - - 5 40",
];

/// The number of nodes searched in about a second.
const NODES: u64 = 1_000_000;

fn searcher() -> Searcher<Network> {
    Searcher::new(Arc::new(Network::embedded()), 8)
}

/// The value of mate in `moves` moves.
fn mate_in(moves: usize) -> Value {
    Value::mate_in(2 * moves - 1)
}

/// Ends a search that has found a mate.
struct StopAtMate<'c> {
    controls: &'c Controls,
    mate: Value,
    has_found: bool,
}

impl Observer for StopAtMate<'_> {
    fn line(&mut self, report: &Report) {
        if report.value >= self.mate {
            self.has_found = true;
            self.controls.stop();
        }
    }
}

/// Whether the search for the best move finds mate in `moves` moves.
fn finds_mate(searcher: &mut Searcher<Network>, game: &Game, moves: usize) -> bool {
    let controls = Controls::new();
    let mut observer = StopAtMate { controls: &controls, mate: mate_in(moves), has_found: false };
    searcher.clear();
    searcher.best_move(game, &Limits::nodes(NODES), &controls, &mut observer);
    observer.has_found
}

#[test]
fn quiet_mates_in_two_are_found_by_both_searches() {
    let mut searcher = searcher();
    for fen in QUIET {
        let game = Game::new(Position::from_fen(fen, false).expect(fen));
        assert!(finds_mate(&mut searcher, &game, 2), "{fen}");
        let request = EvaluationRequest::depth(6);
        let all = searcher.evaluate(&game, &request, &Controls::new(), &mut NoObserver);
        assert_eq!(all.best().map(MoveEvaluation::value), Some(mate_in(2)), "{fen}");
    }
}

/// Tests every twentieth mate in two or three from the puzzle database.
#[test]
fn mates_in_the_puzzle_database_are_found() {
    let Some(path) = data("puzzles/puzzles.tsv.zst") else { return };
    let lines = open_text(&path, &Arc::default()).expect("it is readable").lines();
    let lines = lines.map(|line| line.expect("it is text"));
    let mates = lines.filter_map(|line| {
        let moves = if line.contains("mateIn2") { 2 } else { 3 };
        let is_mate = moves == 2 || line.contains("mateIn3");
        is_mate.then(|| (line.split('\t').nth(1).unwrap_or_default().to_owned(), moves))
    });
    let mut searcher = searcher();
    for (fen, moves) in mates.step_by(20) {
        let game = Game::new(Position::from_fen(&fen, false).expect(&fen));
        assert!(finds_mate(&mut searcher, &game, moves), "no mate in {moves} in {fen}");
    }
}
