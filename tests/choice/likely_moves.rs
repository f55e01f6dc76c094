//! `choose --ratings` shows the moves that players of several ratings would play.

use serde_json::Value as Json;

use crate::common::{Folder, run, run_with_input};

const RATINGS: [&str; 5] = ["choose", "--ratings", "1000,1500,2000", "--depth", "4"];
/// After 1. e4 e5 2. Qh5, Black can lose the king's pawn or be mated.
const QUEEN_OUT: &str = "rnbqkbnr/pppp1ppp/8/4p2Q/4P3/8/PPPP1PPP/RNB1KBNR b KQkq - 1 2";

#[test]
fn a_table_has_a_share_for_each_rating() {
    let shown = run(&[&RATINGS[..], &["--fen", QUEEN_OUT]].concat());
    assert_eq!(shown.code, 0, "{}", shown.error);
    assert!(shown.out.starts_with("Share of players of each rating (FIDE)"), "{}", shown.out);
    let header = shown.out.lines().find(|line| line.starts_with("move")).expect("a table");
    assert_eq!(
        header.split_whitespace().collect::<Vec<_>>(),
        ["move", "score", "1000", "1500", "2000"]
    );
    let defence = shown.out.lines().find(|line| line.starts_with("Nc6")).expect("it is likely");
    assert_eq!(defence.matches("%").count(), 3, "{defence}");
    assert!(shown.out.lines().any(|line| line.contains(" other moves")), "{}", shown.out);
}

#[test]
fn shares_add_up_to_one_and_differ_by_rating() {
    let shown = run(&[&RATINGS[..], &["--fen", QUEEN_OUT, "--json"]].concat());
    let json: Json = serde_json::from_str(&shown.out).expect("a line");
    assert_eq!((&json["scale"], &json["depth"]), (&"FIDE".into(), &4.into()));
    let moves = json["moves"].as_array().expect("a list");
    let share = |m: &Json, place: usize| m["shares"][place].as_f64().expect("a number");
    for place in 0..3 {
        let sum: f64 = moves.iter().map(|m| share(m, place)).sum();
        assert!((sum - 1.0).abs() < 1e-9, "{sum}");
    }
    let defence = moves.iter().find(|m| m["move"] == "b8c6").expect("it is legal");
    assert!(share(defence, 2) > share(defence, 0), "stronger players defend the pawn: {defence}");
}

#[test]
fn a_plot_is_saved() {
    let folder = Folder::new();
    let words = [&RATINGS[..], &["--plot", "moves.svg", "--scale", "lichess-rapid"]].concat();
    let shown = run_with_input(&folder, &words, b"");
    assert_eq!(shown.code, 0, "{}", shown.error);
    let svg = std::fs::read_to_string(folder.path().join("moves.svg")).expect("it was saved");
    assert!(svg.starts_with("<svg") && svg.contains("Lichess") && svg.contains("e4"), "{svg}");
}

#[test]
fn impossible_requests_are_refused() {
    for (words, reason) in [
        (&["--ratings", "99999"][..], "99999 is out of range"),
        (&["--ratings", "1500,high"], "high"),
        (&["--ratings", "1500", "--elo", "1600"], "--elo"),
        (&["--plot", "x.svg"], "--ratings"),
        (&["--ratings", "1500", "--depth", "0"], "--depth is \"0\""),
        (&["--ratings", "1500", "--plot", "no/x.svg"], "no/x.svg"),
    ] {
        let finished = run(&[&["choose"], words].concat());
        assert_eq!(finished.code, 2, "{words:?}: {}", finished.out);
        assert!(finished.error.contains(reason), "{words:?}: {}", finished.error);
    }
    let mated = run(&["choose", "--ratings", "1500", "--fen", "7k/5KQ1/8/8/8/8/8/8 b - - 0 1"]);
    assert_eq!(mated.code, 1);
    assert!(mated.out.contains("no legal move"), "{}", mated.out);
}
