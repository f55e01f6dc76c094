//! A fallible player that keeps wins always mates in time, even if it plays at random.

use std::sync::Arc;

use stopdown::board::{Colour, Game, GameEnd, Position};
use stopdown::endgame::{
    BackgroundBuilder, Metric, Outcome, RepetitionHistory, Rfep, TableResult, Tables,
};
use stopdown::math::exact::exp;
use stopdown::math::streams::{Occasion, Purpose, Stream};

/// Tables from the builder, kept in memory.
fn tables(names: &[&str]) -> Arc<Tables> {
    let tables = Arc::new(Tables::in_memory());
    let builder = BackgroundBuilder::open(tables.clone());
    for name in names {
        builder.order(name.parse().expect(name), &Metric::ALL);
    }
    assert!(builder.take_errors().is_empty());
    builder.finish();
    tables
}

/// Won positions with the given material and the strong side to move, spread evenly over its table.
fn won(tables: &Tables, name: &str, count: usize) -> Vec<Position> {
    let table = tables.table(name.parse().expect(name), Metric::Dtm).expect("it was made");
    let wins: Vec<_> = table
        .entries()
        .filter(|e| e.turn == Colour::White && matches!(e.outcome, Outcome::Win(_)))
        .collect();
    let chosen = wins.iter().step_by(wins.len().div_ceil(count));
    let fens = chosen.map(|entry| table.layout.fen(&entry.squares, entry.turn));
    fens.map(|fen| Position::from_fen(&fen, false).expect("legal")).collect()
}

fn play(tables: &Tables, start: &Position, competence: f64, number: u64) -> Game {
    let mut game = Game::new(start.clone());
    let winner = Rfep { competence, ..Rfep::default() };
    let loser =
        Rfep { competence: if number.is_multiple_of(2) { f64::INFINITY } else { 0.0 }, ..winner };
    while game.ending().is_none() {
        let player = if game.position().turn() == start.turn() { &winner } else { &loser };
        let occasion = Occasion { seed: 7, game: number, ply: game.ply() as u64 };
        let mut stream = Stream::new(occasion, Purpose::Simulation);
        let report = tables.report(game.position()).expect("all tables are made");
        let halfmoves = game.position().halfmoves();
        let ln = player.ln_probabilities(&report, halfmoves, Some(&RepetitionHistory::of(&game)));
        let weights: Vec<f64> = ln.into_iter().map(exp).collect();
        let chosen = stream.index(&weights).expect("the game is not over");
        game.play(report.moves[chosen].mv);
    }
    game
}

#[test]
fn every_competence_mates_within_the_fifty_move_rule() {
    let names = ["KQK", "KRK", "KPK", "KBBK", "KBNK"];
    let tables = tables(&names);
    for name in names {
        for (number, start) in won(&tables, name, 60).iter().enumerate() {
            let competence = (number % 51) as f64;
            let game = play(&tables, start, competence, number as u64);
            let context = || format!("{} c {competence}: {:?}", start.fen(), game.moves());
            assert_eq!(game.ending(), Some(GameEnd::Checkmate), "{}", context());
            assert_ne!(game.position().turn(), start.turn(), "{}", context());
        }
    }
}

#[test]
fn a_player_allowed_to_lose_wins_sometimes_does() {
    let tables = tables(&["KQK"]);
    let position = Position::from_fen("8/8/8/8/8/1k6/8/K1Q5 w - - 0 1", false).expect("legal");
    let report = tables.report(&position).expect("KQK is made");
    assert_eq!(report.result, TableResult::Win);
    let throws = report.moves.iter().position(|m| m.result != TableResult::Win);
    let throws = throws.expect("the queen can be lost here");
    let keeping = Rfep { competence: 0.0, ..Rfep::default() };
    let careless = Rfep { keeps_result: false, ..keeping };
    assert_eq!(keeping.ln_probabilities(&report, 0, None)[throws], f64::NEG_INFINITY);
    let even = -(report.moves.len() as f64).ln();
    assert!((careless.ln_probabilities(&report, 0, None)[throws] - even).abs() < 1e-12);
    // For a skilled player, every winning move is likelier than the loss of the queen.
    let skilled = Rfep { competence: 20.0, ..careless };
    let ln = skilled.ln_probabilities(&report, 0, None);
    assert!(
        report.moves.iter().zip(&ln).all(|(m, l)| m.result != TableResult::Win || l > &ln[throws])
    );
}

#[test]
fn moves_too_slow_for_the_fifty_move_counter_are_excluded() {
    let tables = tables(&["KRK"]);
    let fen = "8/8/8/8/8/2k5/1R6/K7 w - - 69 80";
    let position = Position::from_fen(fen, false).expect("legal");
    let report = tables.report(&position).expect("KRK is made");
    // Mate in 31 plies falls on the hundredth ply, so only perfect play succeeds.
    assert_eq!(report.depths.dtz, Some(31));
    let random = Rfep { competence: 0.0, ..Rfep::default() };
    let considered = |halfmoves| {
        let ln = random.ln_probabilities(&report, halfmoves, None);
        report
            .moves
            .iter()
            .zip(ln)
            .filter(|(_, l)| l.is_finite())
            .map(|(m, _)| *m)
            .collect::<Vec<_>>()
    };
    assert!(considered(0).len() > considered(69).len());
    assert!(!considered(69).is_empty());
    assert!(considered(69).iter().all(|m| m.depths.dtz == Some(30)));
    // When the win is out of reach, the player still plays for it.
    assert_eq!(considered(90).len(), considered(0).len());
    let paper = Rfep::as_published(0.0);
    assert_eq!(
        paper.ln_probabilities(&report, 69, None).iter().filter(|l| l.is_finite()).count(),
        considered(0).len()
    );
}
