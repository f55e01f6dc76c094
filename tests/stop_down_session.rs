//! The real program plays below full strength: repeatably, saying what it plays, and never when it
//! is asked to analyse.

mod common;

use common::{Engine, Search};

fn said(lines: &[String], text: &str) -> bool {
    lines.iter().any(|line| line.contains(text))
}

/// A game against itself, by the moves.
fn game(seed: u32) -> Vec<String> {
    let mut engine = Engine::start();
    engine.send("setoption name Competence value 200\nsetoption name Depth value 2");
    engine.send(&format!("setoption name Seed value {seed}\nucinewgame"));
    let mut moves: Vec<String> = Vec::new();
    for _ in 0..12 {
        engine.send(&format!("position startpos moves {}", moves.join(" ")));
        let search = engine.go("wtime 600000 btime 600000");
        if search.best() == "(none)" {
            break;
        }
        assert_eq!(search.best(), search.last_shown());
        moves.push(search.best().to_owned());
    }
    moves
}

#[test]
fn a_seed_gives_the_same_game_and_another_seed_another() {
    assert_eq!(game(7), game(7));
    assert_ne!(game(7), game(8));
}

#[test]
fn what_is_played_is_said_and_what_does_not_count_too() {
    let mut engine = Engine::start();
    engine
        .send("setoption name Profile value club\nsetoption name Competence value 720\nucinewgame");
    let lines = engine.sync();
    assert!(said(&lines, "because Profile=club"), "{lines:?}");
    assert!(said(&lines, "Competence is set but does not count: Profile=club"), "{lines:?}");
    engine.send("setoption name UCI_LimitStrength value true\nsetoption name Depth value 2");
    let Search(lines) = engine.go("wtime 60000 btime 60000");
    assert!(said(&lines, "about 1600 Elo (provisional), because UCI_Elo=1600"), "{lines:?}");
    assert!(said(&lines, "Profile is set but does not count"), "{lines:?}");
    engine.send("setoption name Profile value nobody");
    assert!(said(&engine.sync(), "there is no profile called \"nobody\""));
}

#[test]
fn analysis_is_never_handicapped() {
    let mut engine = Engine::start();
    // Who looks for the worst move would not take the queen.
    engine.send("setoption name Competence value -2000\nsetoption name Depth value 2");
    engine.send("position fen 3qk3/8/8/8/8/8/8/3RK3 w - - 0 1");
    assert_ne!(engine.go("wtime 60000 btime 60000").best(), "d1d8");
    engine.send("setoption name UCI_AnalyseMode value true");
    let search = engine.go("depth 4");
    assert_eq!(search.best(), "d1d8");
    assert!(said(&search.0, "analysing at full strength"), "{search:?}");
}

#[test]
fn every_probability_is_shown_on_request() {
    let mut engine = Engine::start();
    engine.send("setoption name Explain value true\nsetoption name Profile value coin-flipper");
    let Search(lines) = engine.go("wtime 60000 btime 60000");
    let probabilities = lines.iter().filter(|line| line.contains("info string prob ")).count();
    assert_eq!(probabilities, 20, "{lines:?}");
    assert!(said(&lines, "of 20, probability 0.0500, surprise 4.32 bits"), "{lines:?}");
}
