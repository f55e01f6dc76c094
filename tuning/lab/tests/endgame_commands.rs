//! The laboratory's `endgame` commands, run through the program.

#[path = "../../../tests/common/mod.rs"]
mod common;

use std::fs;

use common::{Finished, Folder, run_with_input};
use serde_json::Value;

fn endgame(folder: &Folder, arguments: &[&str]) -> Finished {
    run_with_input(folder, &[&["endgame"], arguments].concat(), b"")
}

fn json(folder: &Folder, arguments: &[&str]) -> Value {
    let finished = endgame(folder, arguments);
    assert_eq!(finished.code, 0, "{arguments:?}: {}", finished.error);
    serde_json::from_str(&finished.out).expect("one value of JSON")
}

#[test]
fn played_and_exact_figures_agree_and_the_chain_is_labelled() {
    let folder = Folder::new();
    let arguments = ["study", "KQK", "--dir", "t", "--competence", "0:10:5", "--players", "4"];
    let more = ["--games", "150", "--exact", "--out", "page"];
    let found = json(&folder, &[&arguments[..], &more, &["--json"]].concat());
    let (games, exact) = (&found["monte_carlo"], &found["exact"]);
    assert_eq!(games.as_array().map(Vec::len), Some(3), "as winner, as loser, against itself");
    for number in 0..3 {
        let (game, course) = (&games[number], &exact[number]);
        assert_eq!((&game["winner"], &game["loser"]), (&course["winner"], &course["loser"]));
        let of = |value: &Value| value.as_f64().expect("a number");
        let (played, error) = (of(&game["moves"]), of(&game["moves_se"]));
        let distance = (played - of(&course["moves"])).abs();
        assert!(distance <= 4.0 * error + 1e-9, "{game} {}", course["moves"]);
    }
    let deepest = found["deepest"].as_u64().expect("a number") as usize;
    let matrix = found["matrices"][0]["white"].as_array().expect("a matrix");
    assert_eq!(matrix.len(), deepest + 1);
    for row in &matrix[1..] {
        let row = row.as_array().expect("a row");
        let sum: f64 = row.iter().filter_map(Value::as_f64).sum();
        assert!((sum - 1.0).abs() < 1e-9, "{row:?}");
    }
    let text = fs::read_to_string(folder.path().join("page/study.txt")).expect("it was written");
    for words in ["Markov chain", "an approximation", "Simulated games", "Exact, position by"] {
        assert!(text.contains(words), "{words}: {text}");
    }
    let page = fs::read_to_string(folder.path().join("page/index.html")).expect("it was written");
    assert_eq!(page.matches("<svg").count(), 2, "a chart is missing from the page");
    assert!(page.contains("simulated games") && page.contains("Made by <code>stopdown"), "{page}");
}

#[test]
fn a_study_counts_the_full_board_and_names_its_limits() {
    let folder = Folder::new();
    let study = ["study", "KPK", "--dir", "t", "--competence", "0:1:1", "--games", "1"];
    let found = json(&folder, &[&study[..], &["--players=-inf", "--json"]].concat());
    let positions = found["positions_white_to_move"].as_array().expect("by depth").iter();
    assert_eq!(positions.filter_map(Value::as_u64).sum::<u64>(), 124_960);
    let (trials, start) = (&found["monte_carlo"], found["start"].as_str().expect("a position"));
    let [first, second] =
        [&trials[0], &trials[1]].map(|t| (t["winner"].as_str(), t["loser"].as_str()));
    assert_eq!((first, second), ((Some("-inf"), Some("inf")), (Some("inf"), Some("-inf"))));
    let text =
        endgame(&folder, &[&study[..], &["--players", "5", "--exact", "--metric", "dtm"]].concat());
    assert!(text.out.contains("There are no exact results."), "{}", text.out);
    assert!(text.out.contains(" +- -") && !text.out.contains("NaN"), "{}", text.out);
    // If every winning move mates, every player makes progress.
    let easy = ["study", "KNNK", "--dir", "t", "--competence", "0:1:1", "--games", "0"];
    let easy = endgame(&folder, &easy).out;
    assert!(
        easy.contains("At any competence, every move is expected to reduce the depth."),
        "{easy}"
    );
    // The quantity compared depends on the opponent's goal.
    for (fen, what) in [
        (start, "minus the expected depth after the reply"),
        ("8/8/8/3k4/8/8/3P4/3K4 w - - 0 1", "probability that the reply loses"),
    ] {
        let compared = endgame(&folder, &["compare", "--fen", fen, "--dir", "t"]).out;
        assert!(compared.contains(what) && !compared.contains("-0.0000"), "{compared}");
    }
}

/// The mean of the games that were won is far below the mean of all games.
#[test]
fn the_mean_length_is_unknown_if_a_game_was_not_won() {
    let folder = Folder::new();
    let study = ["study", "KQK", "--dir", "t", "--competence", "0:1:1", "--games", "2"];
    let found =
        json(&folder, &[&study[..], &["--players=-10", "--out", "page", "--json"]].concat());
    let trial = &found["monte_carlo"][0];
    assert_eq!((&trial["not_won"], &trial["won"]), (&2.into(), &0.into()), "{trial}");
    assert!(trial["moves"].is_null() && trial["moves_se"].is_null(), "{trial}");
    let text = fs::read_to_string(folder.path().join("page/study.txt")).expect("it was written");
    assert!(text.contains("not won: not within 5000 moves"), "{text}");
    let page = fs::read_to_string(folder.path().join("page/index.html")).expect("it was written");
    assert!(page.contains("2 of 2") && page.contains("stopped after 5000 moves"), "{page}");
}

#[test]
fn a_study_includes_positions_and_games_of_other_endgames() {
    let folder = Folder::new();
    let game =
        "[SetUp \"1\"]\n[FEN \"8/6R1/5k2/8/8/8/8/1K6 w - - 0 1\"]\n\n1. Rg1 Kf5 2. Kc2 Kf4 *\n\n";
    folder.write("games.pgn", &format!("{game}{game}[White \"A\"]\n\n1. e4 Ke4 *\n\n1. e4 *\n"));
    let study = ["study", "KQK", "--dir", "t", "--competence", "0:1:1", "--games", "0"];
    let fen = "8/8/8/3k4/8/8/4R3/3K4 w - - 0 1";
    let more = ["--fen", fen, "--pgn", "games.pgn", "--out", "page"];
    let words = [&study[..], &more].concat();
    let finished = endgame(&folder, &words);
    assert!(finished.error.contains("games.pgn:"), "{}", finished.error);
    assert!(finished.out.contains("all games: c ="), "{}", finished.out);
    assert!(finished.out.contains("game 3\nno moves of this side"), "{}", finished.out);
    let found = json(&folder, &[&words[..], &["--json"]].concat());
    assert_eq!(found["comparisons"][0]["fen"], fen);
    assert_eq!(found["games"][1]["moves"].as_array().map(Vec::len), Some(2), "{}", found["games"]);
    assert!(found["all_games"]["c"].is_number(), "{}", found["all_games"]);
    let file = fs::read_to_string(folder.path().join("page/study.json")).expect("it was written");
    assert_eq!(serde_json::from_str::<Value>(&file).expect("JSON"), found);
    // A game without any such endgame says nothing about its player.
    folder.write("short.pgn", "1. e4 e5 *\n");
    let profile = ["profile", "--pgn", "short.pgn", "--side", "white", "--dir", "t"];
    let finished = endgame(&folder, &profile);
    assert!(finished.code == 1 && !finished.out.contains("c ="), "{}", finished.out);
    assert!(finished.error.contains("short.pgn: no moves of white"), "{}", finished.error);
}

#[test]
fn bad_arguments_are_refused_with_a_reason() {
    let folder = Folder::new();
    for (arguments, words) in [
        (&["study", "KBK"][..], "no won positions to study"),
        (&["study", "KQK", "--competence", "5:1:1"], "first:last:step"),
        (&["study", "KQKRR"], "endgame build"),
        (&["study", "KQK", "--dir", "t", "--fen", "nonsense"], "--fen \"nonsense\""),
        (&["study", "KQK", "--dir", "t", "--pgn", "/no/such/file"], "/no/such/file"),
        (&["profile", "--pgn", "/no/such/file", "--side", "white"], "/no/such/file"),
        (&["compare", "--fen", "nonsense"], "not a FEN"),
        (&["verify", "--syzygy", "."], "no Syzygy files"),
        (&["verify", "KBK", "--syzygy", "."], "no Syzygy file for KBK"),
    ] {
        let finished = endgame(&folder, arguments);
        assert_eq!(finished.code, 2, "{arguments:?}: {}", finished.error);
        assert!(finished.error.contains(words), "{arguments:?}: {}", finished.error);
        assert_eq!(finished.out, "", "{arguments:?}");
    }
    for command in ["study", "profile", "compare", "verify"] {
        let help = endgame(&folder, &[command, "--help"]).out;
        assert!(help.contains("Examples:"), "{command}: {help}");
    }
}
