//! The command `analyse` on the program: what it says, what it leaves out, what it survives.

mod common;

use common::{Finished, Folder, run_with_input};
use serde_json::Value as Json;

const GAME: &str = "[Event \"Test\"]\n[White \"Morphy, Paul\"]\n[Black \"Allies\"]\n[WhiteElo \"2300\"]\n\
    [BlackElo \"1500\"]\n[Date \"1858.??.??\"]\n[Result \"1-0\"]\n\n\
    1. e4 e5 2. Nf3 d6 3. d4 Bg4 4. dxe5 Bxf3 5. Qxf3 dxe5 6. Bc4 Nf6 7. Qb3 Qe7 8. Nc3 c6\n\
    9. Bg5 {[%clk 0:01]} b5 10. Nxb5 cxb5 11. Bxb5+ Nbd7 12. O-O-O Rd8 13. Rxd7 Rxd7 14. Rd1 Qe6\n\
    15. Bxd7+ Nxd7 16. Qb8+ Nxb8 17. Rd8# 1-0\n\n";

fn analyse(folder: &Folder, words: &[&str]) -> Finished {
    run_with_input(folder, &[&["analyse", "--depth", "2", "--threads", "2"], words].concat(), b"")
}

fn reports(finished: &Finished) -> Vec<Json> {
    let parse = |line: &str| serde_json::from_str(line).expect(line);
    finished.out.lines().map(parse).collect()
}

#[test]
fn both_players_get_a_report_and_what_is_left_out_is_counted() {
    let folder = Folder::new();
    let games = folder.write("games.pgn", GAME);
    let finished = analyse(&folder, &[&games, "--json", "--skip", "3", "--advantage", "20"]);
    assert_eq!(finished.code, 0, "{}", finished.error);
    let reports = reports(&finished);
    let names: Vec<&str> = reports.iter().filter_map(|report| report["name"].as_str()).collect();
    assert_eq!(names, ["Morphy, Paul", "Allies"]);
    let morphy = &reports[0];
    assert_eq!(morphy["known_rating"], 2300.0);
    // Fourteen of seventeen moves come after the third; none of them was the only one.
    assert_eq!(morphy["used"], 14);
    assert_eq!(morphy["apparent"][0]["depth"], 2);
    assert!(morphy["suspicion"]["weights"].as_array().is_some_and(|weights| weights.len() == 14));
    let text = analyse(&folder, &[&games, "--player", "morphy", "--at", "1"]);
    assert!(text.out.starts_with("Morphy, Paul\n  1 games, "), "{}", text.out);
    assert!(text.out.contains("at depth 1: c ="), "{}", text.out);
    assert!(!text.out.contains("Allies"));
}

#[test]
fn a_store_changes_nothing_but_the_time_and_serves_evaluate_too() {
    let folder = Folder::new();
    let games = folder.write("games.pgn", GAME);
    let alone = analyse(&folder, &[&games, "--json"]);
    let store = ["--json", "--store", "values.db"];
    let first = analyse(&folder, &[&[games.as_str()], &store[..]].concat());
    let again = analyse(&folder, &[&[games.as_str()], &store[..], &["--threads", "1"]].concat());
    // `--threads` twice is a mistake of the command line, not of the store.
    assert_eq!(again.code, 2);
    let again = run_with_input(
        &folder,
        &["analyse", "--depth", "2", "--threads", "1", &games, "--json", "--store", "values.db"],
        b"",
    );
    assert_eq!(alone.out, first.out);
    assert_eq!(alone.out, again.out);
    let fen = "4kb1r/p2rqppp/5n2/1B2p1B1/4P3/1Q6/PPP2PPP/2K4R w k - 0 14";
    let words = ["evaluate", "--depth", "2", "--store", "values.db", "--json", "--fen", fen];
    let evaluated = run_with_input(&folder, &words, b"");
    assert!(evaluated.error.starts_with("1 evaluations were in the store"), "{}", evaluated.error);
}

#[test]
fn groups_are_what_was_asked_for() {
    let folder = Folder::new();
    let games = folder.write("games.pgn", &GAME.repeat(2));
    for (by, names) in [
        ("event", &["Test"][..]),
        ("rating-band", &["1500-1599", "2300-2399"]),
        ("colour", &["Black", "White"]),
        ("year", &["1858"]),
    ] {
        let finished = analyse(&folder, &[&games, "--json", "--by", by]);
        let reports = reports(&finished);
        let mut found: Vec<&str> =
            reports.iter().filter_map(|report| report["name"].as_str()).collect();
        found.sort_unstable();
        assert_eq!(found, names, "{by}");
        assert!(reports.iter().all(|report| report["games"] == 2), "{by}");
    }
}

#[test]
fn bad_games_are_named_and_the_rest_goes_on() {
    let folder = Folder::new();
    let broken = GAME.replace("Bg4", "Bh4");
    let open = "[Event \"open\"]\n\n1. e4 {never closed\n\n";
    let games = folder.write("games.pgn", &format!("{broken}{open}{GAME}"));
    let finished = analyse(&folder, &[&games, "--json"]);
    assert_eq!(finished.code, 2);
    assert_eq!(reports(&finished).len(), 2, "{}", finished.error);
    assert!(finished.error.contains("line 1 ") && finished.error.contains("Bh4"));
    assert!(finished.error.contains("comment that begins on line 15"), "{}", finished.error);
    assert!(finished.error.contains("2 games were left out"), "{}", finished.error);
    for (words, complaint) in [
        (&["nowhere.pgn"][..], "nowhere.pgn"),
        (&["."], "it is a folder"),
        (&[&games, "--by", "moon"], "rating-band"),
        (&[&games, "--noise=-1"], "--noise"),
    ] {
        let finished = analyse(&folder, words);
        assert_eq!(finished.code, 2, "{words:?}");
        assert!(finished.error.contains(complaint), "{words:?}: {}", finished.error);
    }
    let nothing = folder.write("empty.pgn", "");
    assert_eq!(analyse(&folder, &[&nothing]).code, 1);
}
