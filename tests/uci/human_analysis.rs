//! With `Analyse As`, analysis shows the moves that players with a given rating would play.

use serde_json::Value as Json;

use crate::common::{Engine, Search, run, word_after};

/// White can win a queen, or play on.
const HANGING_QUEEN: &str = "r1b1kbnr/pppp1ppp/2n5/4p1q1/2B1P3/3P1N2/PPP2PPP/RNBQK2R w KQkq - 1 5";

/// An engine that shows the moves of players with these ratings.
fn analyst(options: &[&str]) -> Engine {
    let mut engine = Engine::start();
    options.iter().for_each(|option| engine.send(&format!("setoption name {option}")));
    engine
}

/// The lines that show what share of players would play a move.
fn shares(search: &Search) -> Vec<&str> {
    let lines = search.0.iter().filter_map(|line| line.strip_prefix("info string "));
    lines.filter(|line| line.contains(" is played by ")).collect()
}

/// The first number in front of a percent sign. Shares printed as `<1` count as zero.
fn percent(line: &str) -> f64 {
    let (before, _) = line.split_once("%").expect(line);
    let number = before.rsplit(' ').next().expect(line);
    if number == "<1" { 0.0 } else { number.parse().expect(line) }
}

/// The first move and the score in centipawns from the last line with each MultiPV number.
fn last_lines(search: &Search, count: usize) -> Vec<(String, String)> {
    let line = |number: usize| {
        let key = format!(" multipv {number} ");
        let scored = search.scored();
        let line = scored.iter().rfind(|line| line.contains(&key)).expect("a line is shown");
        (word_after(line, " pv").to_owned(), word_after(line, " score cp").to_owned())
    };
    (1..=count).map(line).collect()
}

#[test]
fn the_most_likely_move_comes_first_with_its_share() {
    let mut engine = analyst(&["Analyse As value 1200", "MultiPV value 4"]);
    engine.send(&format!("position fen {HANGING_QUEEN}\ngo infinite"));
    let mut lines = engine.until("info string ");
    while lines.iter().filter(|line| line.contains(" is played by ")).count() < 4 {
        lines.push(engine.line());
    }
    engine.send("stop");
    lines.extend(engine.answer().0);
    let search = Search(lines);
    // A knight and a bishop can take the queen.
    assert!(["f3g5", "c1g5"].contains(&search.best()), "{}", search.best());
    assert_eq!(search.best(), search.last_shown());
    let shares = shares(&search);
    let first = shares[0];
    assert!(
        first[1..].starts_with("xg5 is played by ") && first.ends_with("rated 1200 (FIDE)"),
        "{first}"
    );
    let percents: Vec<f64> = shares.iter().map(|line| percent(line)).collect();
    assert_eq!(percents.len(), 4);
    assert!(percents.is_sorted_by(|one, other| one >= other), "{percents:?}");
    assert!(percents[0] + percents[1] > 90.0, "{percents:?}");
    assert!(percents.iter().sum::<f64>() <= 101.0, "{percents:?}");
}

#[test]
fn every_score_is_the_engines_own() {
    let evaluated = run(&["evaluate", "--fen", HANGING_QUEEN, "--depth", "6", "--json"]);
    let evaluated: Json = serde_json::from_str(&evaluated.out).expect("a line");
    let centipawns = |uci: &str| {
        let moves = evaluated["moves"].as_array().expect("a list");
        moves.iter().find(|m| m["move"] == uci).expect(uci)["value"]["cp"].to_string()
    };
    for rating in [600, 2400] {
        let rating = format!("Analyse As value {rating}");
        let mut engine = analyst(&[&rating, "MultiPV value 5", "UCI_AnalyseMode value true"]);
        engine.send(&format!("position fen {HANGING_QUEEN}"));
        let search = engine.go("depth 6");
        for (mv, score) in last_lines(&search, 5) {
            assert_eq!(score, centipawns(&mv), "{mv} {search:?}");
        }
    }
}

#[test]
fn analysis_continues_beyond_the_depth_of_the_shares() {
    let mut engine = analyst(&["Analyse As value 1500", "MultiPV value 2"]);
    engine.send("position fen 8/5k2/8/8/3p4/8/2K2P2/8 w - - 0 1\ngo infinite");
    while !engine.line().starts_with("info depth 14 ") {}
    engine.send("stop");
    let search = engine.answer();
    assert!(["c2d3", "f2f4", "c2d2"].contains(&search.best()), "{search:?}");
}

#[test]
fn a_second_rating_is_shown_beside_the_first() {
    let mut engine = analyst(&[
        "Analyse As value 800",
        "Compare With value 2200",
        "Elo Scale value Lichess-Rapid",
        "UCI_AnalyseMode value true",
    ]);
    engine.send("position startpos moves e2e4");
    let search = engine.go("depth 4");
    let [line] = shares(&search)[..] else { panic!("{search:?}") };
    assert!(line.contains("% of players rated 800 (Lichess-Rapid"), "{line}");
    assert!(line.ends_with("% of players rated 2200"), "{line}");
    assert_ne!(percent(line), percent(line.split_once(" and ").expect("two ratings").1), "{line}");
}

#[test]
fn without_a_rating_analysis_is_at_full_strength() {
    for off in ["", "<empty>", "0"] {
        let mut engine = analyst(&["Analyse As value 1500", "Compare With value 1800"]);
        engine.send(&format!("setoption name Analyse As value {off}"));
        engine.send("setoption name UCI_AnalyseMode value true\nposition startpos");
        let search = engine.go("depth 3");
        assert!(shares(&search).is_empty(), "{search:?}");
    }
}

#[test]
fn games_are_not_affected() {
    let mut engine = analyst(&["Analyse As value 600", "MultiPV value 3"]);
    engine.send(&format!("position fen {HANGING_QUEEN}"));
    let search = engine.go("depth 5");
    assert!(shares(&search).is_empty(), "{search:?}");
    assert_eq!(search.best(), "f3g5");
}

#[test]
fn only_the_searched_moves_are_shown() {
    let mut engine = analyst(&["Analyse As value 1500", "MultiPV value 5"]);
    engine.send("position startpos");
    let search = engine.go("depth 4 searchmoves a2a3 h2h4");
    let shares = shares(&search);
    assert_eq!(shares.len(), 2, "{search:?}");
    assert!(shares.iter().all(|line| percent(line) < 20.0), "{shares:?}");
    assert!(["a2a3", "h2h4"].contains(&search.best()), "{search:?}");
}

#[test]
fn an_analysis_that_is_stopped_at_once_has_a_move() {
    let mut engine = analyst(&["Analyse As value 1500", "MultiPV value 3"]);
    engine.send(&format!("position fen {HANGING_QUEEN}\ngo infinite\nstop"));
    let search = engine.answer();
    assert_eq!(search.best().len(), 4, "{search:?}");
    assert_eq!(search.best(), search.last_shown());
}

#[test]
fn a_position_without_moves_has_no_line() {
    let mut engine = analyst(&["Analyse As value 1500", "UCI_AnalyseMode value true"]);
    engine.send("position fen 7k/5Q2/6K1/8/8/8/8/8 b - - 0 1");
    assert_eq!(engine.go("depth 3").best(), "(none)");
}

#[test]
fn a_comparison_without_a_first_rating_is_mentioned() {
    let unused = "info string Compare With 1800 is not used, because Analyse As is not set";
    let said = |options: &[&str]| {
        let mut engine = analyst(&[&["UCI_AnalyseMode value true"], options].concat());
        let lines = [engine.go("depth 1").0, engine.go("depth 2").0].concat();
        lines.iter().filter(|line| *line == unused).count()
    };
    assert_eq!(said(&["Compare With value 1800"]), 1);
    assert_eq!(said(&["Compare With value 1800", "Analyse As value 1500"]), 0);
    assert_eq!(said(&[]), 0);
}

#[test]
fn ratings_out_of_range_are_clamped() {
    let mut engine = Engine::start();
    for (set, said) in [
        (
            "Analyse As value 100",
            "100 is out of range: Analyse As must be from 400 to 3400; it is set to 400",
        ),
        (
            "Analyse As value -400",
            "-400 is out of range: Analyse As must be from 400 to 3400; it is set to 400",
        ),
        (
            "Compare With value 9999",
            "9999 is out of range: Compare With must be from 400 to 3400; it is set to 3400",
        ),
        ("Analyse As value many", "Analyse As cannot be \"many\""),
    ] {
        engine.send(&format!("setoption name {set}"));
        let lines = engine.drain();
        assert!(lines.iter().any(|line| line.contains(said)), "{set}: {lines:?}");
    }
}

#[test]
fn the_user_is_told_once_that_a_move_is_not_an_analysis() {
    let mut engine = analyst(&["Analyse As value 1500"]);
    let is_told = |search: &Search| {
        search.0.iter().any(|line| line.contains("Analyse As 1500 is used only in analysis"))
    };
    let mut told = |go: &str| {
        engine.send("position startpos");
        is_told(&engine.go(go))
    };
    assert_eq!(["depth 1", "depth 1"].map(&mut told), [true, false]);
}
