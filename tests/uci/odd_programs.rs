//! Some GUIs send less than they should, or send it late. The engine still plays as the right
//! player.

use std::collections::HashSet;

use crate::common::{Engine, Folder, Search};

const CLOCK: &str = "wtime 600000 btime 600000";

fn says(search: &Search, text: &str) -> bool {
    search.0.iter().any(|line| line.contains(text))
}

/// An engine that plays random moves.
fn random(seed: u32) -> Engine {
    let mut engine = Engine::start();
    engine.send("setoption name Competence value 0\nsetoption name Depth value 1");
    engine.send(&format!("setoption name Seed value {seed}"));
    engine
}

fn go(engine: &mut Engine, position: &str) -> Search {
    engine.send(&format!("position {position}"));
    engine.go(CLOCK)
}

#[test]
fn positions_without_moves_belong_to_a_game_too() {
    let mut engine = random(7);
    let board = "r1bqkbnr/pppp1ppp/2n5/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R w KQkq -";
    let mut at =
        |number: u32| go(&mut engine, &format!("fen {board} 2 {number}")).best().to_owned();
    let moves: HashSet<String> = (3..23).map(&mut at).collect();
    assert!(moves.len() > 8, "{moves:?}");
    assert_eq!(at(5), at(5), "the move is not repeatable");
}

#[test]
fn positions_without_moves_and_counters_belong_to_one_game() {
    let mut engine = random(7);
    let boards = [
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR",
        "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR",
        "r1bqkbnr/pppp1ppp/2n5/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R",
        "r1bqkbnr/1ppp1ppp/p1n5/1B2p3/4P3/5N2/PPPP1PPP/RNBQK2R",
    ];
    let searches = boards.map(|board| go(&mut engine, &format!("fen {board} w KQkq - 0 1")));
    let games = searches.iter().filter(|search| says(search, "Seed 7, game ")).count();
    assert_eq!(games, 1, "{searches:?}");
    assert!(says(&go(&mut engine, "fen 4k3/8/8/8/8/8/8/R3K3 w - - 0 1"), "Seed 7, game 2."));
}

#[test]
fn an_unannounced_game_is_a_new_game() {
    let moves = "startpos moves e2e4 e7e5 g1f3 b8c6 f1b5 a7a6 b5a4 g8f6 e1g1 f8e7";
    let mut engine = random(7);
    assert!(says(&go(&mut engine, moves), "Seed 7, game 1."));
    assert!(says(&go(&mut engine, "startpos"), "Seed 7, game 2."));
    let search = go(&mut engine, "startpos moves d2d4 d7d5");
    assert!(!says(&search, "Plays "), "the same game was announced again: {search:?}");
    engine.send("ucinewgame");
    assert!(engine.drain().iter().any(|line| line.contains("Seed 7, game 3.")));
    // Without a fixed seed, such a game also gets a new random seed.
    let mut engine = random(0);
    let begun = |search: &Search| {
        search
            .0
            .iter()
            .find(|line| line.contains("Plays with competence"))
            .expect("it is printed")
            .clone()
    };
    let first = begun(&go(&mut engine, moves));
    assert_ne!(first, begun(&go(&mut engine, "startpos")));
}

#[test]
fn a_late_opponent_rating_is_used() {
    let mut engine = Engine::start();
    engine.send("setoption name Imitator value true\nsetoption name Depth value 1\nucinewgame");
    for (words, given) in [
        (&["none 2300 human none"][..], "2300"),
        (&["none 900 computer none"], "900"),
        (&["none none human Eve", "none 2300 human Eve"], "2300"),
    ] {
        for words in words {
            engine.send(&format!("ucinewgame\nsetoption name UCI_Opponent value {words}"));
        }
        let search = go(&mut engine, "startpos moves e2e4");
        let given = format!("based on the announced rating of {given}");
        assert!(says(&search, &given), "{words:?}: {search:?}");
    }
}

#[test]
fn the_imitator_works_with_a_depth_limit_only() {
    let mut engine = Engine::start();
    engine.send("setoption name Imitator value true\nsetoption name Depth value 40");
    engine.send("position startpos moves e2e4");
    let search = engine.go("depth 1");
    // The limit allows only one of the forty plies, but one ply reveals enough about the opponent's
    // move.
    assert!(!says(&search, "not evaluated yet"), "{search:?}");
}

#[test]
fn probabilities_requested_during_a_search_appear_in_the_next() {
    let mut engine = Engine::start();
    engine.send("go infinite");
    engine.until("info depth 3");
    engine.send("setoption name UCI_ShowWDL value true\nstop");
    let search = engine.answer();
    assert!(says(&search, "will take effect after the current search"), "{search:?}");
    assert!(!says(&search, " wdl "), "{search:?}");
    assert!(says(&engine.go("depth 2"), " wdl "));
}

#[test]
fn user_profiles_are_added_to_the_shipped_ones() {
    let folder = Folder::new();
    let text = "[profiles.mine]\nmix = [{ profile = \"expert\", weight = 3 }, { profile = \"beginner\", weight = 1 }]\n";
    folder.write("engine.toml", text);
    let mut engine = Engine::start_in(folder, &[]);
    engine.send("setoption name Profile value mine\nsetoption name Depth value 1");
    assert!(says(&engine.go("depth 1 wtime 60000 btime 60000"), "Plays as mine"));
}
