//! `stopdown choose`: the formulas can be tried on given values, and a random draw can be repeated.

use crate::common::run;
use serde_json::Value;

const PAWNS: &str = "0.5,0.2,-1.0";

fn json(arguments: &[&str]) -> Value {
    let arguments = [&["choose", "--json"], arguments].concat();
    let finished = run(&arguments);
    assert_eq!(finished.code, 0, "{arguments:?}: {}", finished.error);
    serde_json::from_str(&finished.out).expect(&finished.out)
}

fn probabilities(answer: &Value) -> Vec<f64> {
    let moves = answer["moves"].as_array().expect("a list");
    moves.iter().map(|m| m["probability"].as_f64().expect("a number")).collect()
}

#[test]
fn values_need_no_board() {
    let answer = json(&["--values", PAWNS, "--curve", "haworth", "--competence", "2"]);
    assert_eq!(answer["curve"], "haworth");
    assert_eq!(answer["parameters"]["competence"], 2.0);
    assert!(answer["chosen"].is_null());
    let names: Vec<&Value> = answer["moves"].as_array().expect("a list").iter().collect();
    assert_eq!((&names[0]["move"], &names[0]["value"]), (&Value::from("1"), &Value::from(0.5)));
    // The weights are (1 + |0.5| + |0.5 - v|)^-2, so the bases are 1.5, 1.8 and 3.
    let weights = [1.5, 1.8, 3.0].map(|w: f64| w.powi(-2));
    let sum: f64 = weights.iter().sum();
    for (found, weight) in probabilities(&answer).iter().zip(weights) {
        assert!((found - weight / sum).abs() < 1e-12, "{found}");
    }
}

#[test]
fn given_values_have_no_search_depth() {
    let described = run(&["choose", "--values", PAWNS]).out;
    assert!(described.starts_with("levelled, competence 7, kappa 1\n"), "{described}");
    let answer = json(&["--values", PAWNS]);
    assert!(answer["parameters"]["depth"].is_null() && answer["fen"].is_null());
}

#[test]
fn the_last_moves_count() {
    let fen = "r2qkbnr/ppp2ppp/2np4/4p2b/2B1P3/2N2N1P/PPPP1PP1/R1BQK2R w KQkq - 1 6";
    let moves = "1.e4 e5 2.Nf3 Nc6 3. f1c4 d6 4... Nc3 Bg4 5.h3 Bh5";
    let level = ["--elo", "1400", "--depth", "4"];
    let [alone, after] = [["--fen", fen], ["--moves", moves]]
        .map(|position| json(&[&level[..], &position[..]].concat()));
    assert_eq!(after["fen"], fen);
    assert_ne!(probabilities(&alone), probabilities(&after));
    let marked = "1. e4 e5 2. Nf3! Nc6 3. Bc4 Nf6?! 4. 0-0 *";
    let castled = "r1bqkb1r/pppp1ppp/2n2n2/4p3/2B1P3/5N2/PPPP1PPP/RNBQ1RK1 b kq - 5 4";
    assert_eq!(json(&["--depth", "1", "--moves", marked])["fen"], castled);
    let finished = run(&["choose", "--moves", "e4 e4"]);
    assert!(finished.code == 2 && finished.error.contains("--moves: "), "{}", finished.error);
}

#[test]
fn strong_players_with_openings_are_evaluated_at_the_usual_depth() {
    let folder = crate::common::Folder::new();
    let config = folder.write("ace.toml", "[profiles.ace]\nelo = 3000\nopenings = [\"4 e4\"]\n");
    let chosen = run(&["--config", &config, "choose", "--profile", "ace", "--json"]);
    let chosen: Value = serde_json::from_str(&chosen.out).expect(&chosen.error);
    assert_eq!(chosen["moves"][0]["probability"].as_f64().map(|share| share < 1.0), Some(false));
}

#[test]
fn a_bare_king_is_mated_in_a_game() {
    let fen = "8/8/8/4k3/8/8/PPQ5/KR6 w - - 0 40";
    let chosen = run(&["choose", "--elo", "1000", "--depth", "2", "--fen", fen]);
    assert!(chosen.out.contains("the player plays the best move against a bare king"));
}

#[test]
fn the_ends_of_the_scale_share_ties_evenly() {
    for (values, competence, expected) in [
        ("0.2,0.2,-1", "inf", [0.5, 0.5, 0.0]),
        ("0.2,-1,-1", "-inf", [0.0, 0.5, 0.5]),
        ("3,0,-3", "0", [1.0 / 3.0; 3]),
    ] {
        let answer = json(&["--values", values, "--competence", competence]);
        for (found, expected) in probabilities(&answer).iter().zip(expected) {
            assert!((found - expected).abs() < 1e-12, "{competence}: {answer}");
        }
    }
}

#[test]
fn depths_are_mixed_by_their_weights() {
    let values = ["--values", "1,0;0,1", "--competence", "5", "--depth", "2"];
    let of = |weights: &str| {
        probabilities(&json(&[&values[..], &["--depth-weights", weights]].concat()))
    };
    let even = of("1,1");
    assert!((even[0] - 0.5).abs() < 1e-12, "{even:?}");
    assert!(of("3,1")[0] > 0.5 && of("1,3")[0] < 0.5);
    let answer = json(&[&values[..], &["--depth-weights", "0.6,0.1"]].concat());
    let weights = &answer["parameters"]["depth_weights"];
    assert_eq!(weights, &serde_json::json!([0.857_142_857_143, 0.142_857_142_857]));
}

#[test]
fn a_draw_depends_on_seed_game_and_ply() {
    let draw = |seed: &str, ply: &str| {
        json(&["--values", "0,0,0,0,0,0,0,0", "--seed", seed, "--game", "2", "--ply", ply])["chosen"].clone()
    };
    assert!(draw("4", "7").is_string());
    assert_eq!(draw("4", "7"), draw("4", "7"));
    let draws: Vec<Value> = (0..12).map(|ply| draw("4", &ply.to_string())).collect();
    assert!(draws.iter().any(|chosen| *chosen != draws[0]));
}

#[test]
fn bad_arguments_are_refused_with_a_reason() {
    for (arguments, reason) in [
        (&["--values", "nan,1"][..], "values must be finite"),
        (&["--values", "1,,2"], "is not a score in pawns"),
        (&["--values", "1,2;3"], "--values"),
        (&["--values", PAWNS, "--competence", "nan"], "competence cannot be \"nan\""),
        (&["--values", PAWNS, "--curve", "spline"], "unknown curve \"spline\""),
        (
            &["--values", PAWNS, "--curve", "regan", "--sensitivity", "0"],
            "sensitivity cannot be \"0\"",
        ),
        (
            &["--values", PAWNS, "--curve", "regan", "--sensitivity", "inf"],
            "sensitivity cannot be \"inf\"",
        ),
        (&["--values", PAWNS, "--curve", "regan", "--competence", "3"], "is not a parameter of"),
        (&["--values", PAWNS, "--rating", "1400"], "use the curve human, or give elo instead"),
        (&["--values", PAWNS, "--sensitivity", "0.2"], "use the curve regan"),
        (&["--values", PAWNS, "--style", "attacker"], "use the curve human or an elo up to 2800"),
        (&["--values", PAWNS, "--kappa", "0"], "kappa cannot be \"0\""),
        (&["--values", PAWNS, "--depth-weights", "1,-1"], "the weight of depth 2 is -1"),
        (&["--values", PAWNS, "--depth-weights", "0,0"], "add up to zero"),
        (&["--elo", "1500", "--plot", "x.svg"], "--plot needs --ratings"),
        (&["--seed", "3", "--plot", "x.svg"], "--plot needs --ratings"),
        (&["--profile", "nobody"], "unknown profile \"nobody\""),
        (&["--elo", "99999"], "99999 is out of range: FIDE ratings must be from 400 to 3400"),
        (
            &["--elo", "399", "--scale", "Lichess-Rapid"],
            "399 is out of range: Lichess-Rapid ratings must be from 400 to 3400",
        ),
        (&["--elo", "1500", "--scale", "Lichess-Blits"], "'Lichess-Blitz'"),
        (&["--fen", "rubbish"], "\"rubbish\" is not a FEN"),
    ] {
        let finished = run(&[&["choose"], arguments].concat());
        assert_eq!(finished.code, 2, "{arguments:?}");
        assert!(finished.error.contains(reason), "{arguments:?}: {}", finished.error);
    }
}

#[test]
fn a_depth_limits_a_profile_as_in_a_game() {
    let fen = "r1bqkbnr/pppp1ppp/2n5/4p3/2B1P3/5Q2/PPPP1PPP/RNB1K1NR b KQkq - 3 3";
    let of = |words: &[&str]| json(&[&["--fen", fen, "--depth", "2"], words].concat());
    let club = of(&["--profile", "club"]);
    assert_eq!(club["parameters"]["depth"], 2, "{club}");
    // The profile is rated 1500.
    assert_eq!(probabilities(&club), probabilities(&of(&["--elo", "1500"])));
    let answer = of(&[]);
    assert_eq!((&answer["version"], &answer["fen"]), (&Value::from(1), &Value::from(fen)));
    let defence = answer["moves"].as_array().expect("a list").iter().find(|m| m["move"] == "g8f6");
    assert_eq!(defence.expect("it is legal")["san"], "Nf6");
    let deep = json(&["--fen", fen, "--depth", "9", "--profile", "glance"]);
    assert_eq!(deep["parameters"]["depth"], 4, "the limit raised the profile's depth");
}

#[test]
fn a_finished_game_is_reported_as_such() {
    for (fen, ending) in [
        ("R5k1/5ppp/8/8/8/8/8/6K1 b - - 0 1", "checkmate"),
        ("7k/5K2/6Q1/8/8/8/8/8 b - - 0 1", "stalemate"),
    ] {
        let finished = run(&["choose", "--fen", fen]);
        assert_eq!(finished.code, 1);
        assert_eq!(finished.out.trim(), format!("no legal move: {ending}"));
    }
}

#[test]
fn human_choices_are_explained() {
    let fen = "rnbqkbnr/ppp1pppp/8/3P4/8/8/PPPP1PPP/RNBQKBNR b KQkq - 0 2";
    let of =
        |rating: &str| json(&["--curve", "human", "--rating", rating, "--fen", fen, "--seed", "5"]);
    let answer = of("1400");
    assert_eq!(
        (&answer["curve"], &answer["parameters"]["rating"]),
        (&"human".into(), &1400.0.into())
    );
    let moves = answer["moves"].as_array().expect("a list");
    for column in ["by_values", "policy", "probability"] {
        let sum: f64 = moves.iter().map(|m| m[column].as_f64().expect("a number")).sum();
        assert!((sum - 1.0).abs() < 1e-9, "{column}: {sum}");
    }
    let taken = moves.iter().find(|m| m["move"] == "d8d5").expect("it is legal");
    assert!(taken["policy"].as_f64() > Some(0.2), "{taken}");
    assert_eq!(of("1400"), answer);
    assert_ne!(probabilities(&of("2600")), probabilities(&answer));
    // With other curves, moves have no policy probability, and the parameters are different.
    assert!(json(&["--fen", fen])["moves"][0]["policy"].is_null());
    for (wrong, message) in [
        (&["--curve", "human", "--kappa", "2"][..], "kappa is not a parameter"),
        (&["--curve", "human", "--depth-weights", "1"], "depth-weights is not a parameter"),
        (&["--curve", "regan", "--rating", "1500"], "rating is not a parameter"),
        (
            &["--curve", "human", "--rating", "0"],
            "rating cannot be \"0\"; write a number from 600 to 3000",
        ),
    ] {
        let finished = run(&[&["choose"], wrong].concat());
        assert!(finished.code != 0 && finished.error.contains(message), "{}", finished.error);
    }
}

#[test]
fn a_wrong_move_number_does_not_change_human_choices() {
    let mate = |board: &str, number: u32| {
        let fen = format!("{board} w - - 0 {number}");
        let answer = json(&["--curve", "human", "--rating", "2600", "--depth", "8", "--fen", &fen]);
        let moves = answer["moves"].as_array().expect("a list");
        let mate = moves.iter().find(|m| m["move"] == "Ra8#" || m["move"] == "a1a8");
        mate.expect("it is legal")["probability"].as_f64().expect("a number")
    };
    let board = "6k1/5ppp/8/8/8/8/5PPP/R5K1";
    let (first, late) = (mate(board, 1), mate(board, 40));
    assert!(first > 0.8 && (first - late).abs() < 0.05, "{first} {late}");
}
