//! A saved player plays the person's own openings, and plays each phase of the game as well as the
//! person did.

use crate::common::{Engine, Folder, run_with_input, word_after};
use crate::synthetic::{evaluate, simulation};
use serde_json::Value as Json;
use stopdown::board::{Game, Position};
use stopdown::evaluation::RootEvaluation;
use stopdown::math::streams::Occasion;
use stopdown::player::{CURVE_GAMES, Profile, Roster, choose, expectation};

/// A profile named x with these settings.
fn profile(lines: &str) -> Profile {
    let roster = Roster::parse(&format!("[profiles.x]\n{lines}\n")).expect(lines);
    roster.get("x").expect("it exists").clone()
}

fn mistake(lines: &str) -> String {
    Roster::parse(&format!("[profiles.x]\n{lines}\n")).expect_err(lines).to_string()
}

fn after(moves: &str) -> Game {
    let mut game = Game::default();
    for san in moves.split_whitespace() {
        game.play(game.position().parse_san(san).expect("legal"));
    }
    game
}

fn probability_of(san: &str, game: &Game, evaluation: &RootEvaluation, profile: &Profile) -> f64 {
    let mv = game.position().parse_san(san).expect("legal");
    let index = evaluation.moves.iter().position(|m| m.mv == mv).expect("it was evaluated");
    expectation(game, evaluation, profile).probability(index)
}

#[test]
fn openings_have_their_frequencies_and_others_stay_possible() {
    let openings =
        r#"openings = ["31 e4", "9 d4", "14 d4 Nf6 c4 e6 Nc3", "2 c4 e6 d4 Nf6 Nf3", "1 e4 e5"]"#;
    for curve in ["elo = 1500", "competence = 5", "curve = \"regan\""] {
        let (own, plain) = (profile(&format!("{curve}\n{openings}")), profile(curve));
        for (moves, choices) in [
            ("", &[("e4", 31.0), ("d4", 9.0), ("c4", 0.0), ("a3", 0.0)][..]),
            // Transpositions count, no matter who played the moves.
            ("d4 Nf6 c4 e6", &[("Nc3", 14.0), ("Nf3", 2.0), ("g3", 0.0)]),
            ("c4 Nf6 d4 e6", &[("Nc3", 14.0), ("Nf3", 2.0), ("g3", 0.0)]),
            ("e4", &[("e5", 1.0), ("c5", 0.0)]),
        ] {
            let game = after(moves);
            let evaluation = evaluate(&game, &mut simulation(1, 3));
            let all: f64 = choices.iter().map(|(_, games)| games).sum();
            for &(san, games) in choices {
                let without = probability_of(san, &game, &evaluation, &plain);
                let expected = (games + CURVE_GAMES * without) / (all + CURVE_GAMES);
                let found = probability_of(san, &game, &evaluation, &own);
                assert!((found - expected).abs() < 1e-12, "{curve} {moves} {san}: {found}");
                assert!(found > 0.0, "{curve} {moves}: {san} is impossible");
            }
        }
        // Outside these openings, the player behaves as before.
        let game = after("d4 d5");
        let evaluation = evaluate(&game, &mut simulation(1, 4));
        let [own, plain] = [&own, &plain].map(|profile| expectation(&game, &evaluation, profile));
        assert_eq!(own, plain);
    }
}

#[test]
fn a_mix_has_its_own_openings() {
    let mix = "mix = [{ player = { competence = 9 }, weight = 1 }, \
               { player = { competence = 0 }, weight = 1 }]";
    let own = profile(&format!("{mix}\nopenings = [\"3 e4\"]"));
    let (game, plain) = (Game::default(), profile(mix));
    let evaluation = evaluate(&game, &mut simulation(1, 3));
    let expected = (3.0 + CURVE_GAMES * probability_of("e4", &game, &evaluation, &plain))
        / (3.0 + CURVE_GAMES);
    assert!((probability_of("e4", &game, &evaluation, &own) - expected).abs() < 1e-12);
}

#[test]
fn openings_depend_on_the_seed() {
    let own = profile("elo = 1500\nopenings = [\"31 e4\", \"29 d4\"]");
    let game = Game::default();
    let evaluation = evaluate(&game, &mut simulation(1, 3));
    let first = |seed| {
        let occasion = Occasion { seed, game: 1, ply: 0 };
        choose(&game, &evaluation, &own, occasion).expect("there are moves").mv
    };
    let moves: Vec<_> = (1..40).map(first).collect();
    assert_eq!(moves, (1..40).map(first).collect::<Vec<_>>());
    let mut different = moves.clone();
    different.sort_by_key(|&mv| game.position().uci(mv));
    different.dedup();
    assert!(different.len() > 1);
}

#[test]
fn each_phase_can_have_its_own_rating() {
    let own = profile("elo = 1500\nphases = { endgame = -300 }");
    let position = |fen: &str| Position::from_fen(fen, false).expect("legal");
    let late = "r1bq1rk1/pp1n1ppp/2pbpn2/3p4/2PP4/1PN1PN2/PB3PPP/R2QKB1R w KQ - 0 20";
    let rating = |profile: &Profile, position: &Position| {
        let curve = profile.skill(0, position).selector.curve;
        (curve.scale().round(), (1000.0 * curve.competence().get()).round())
    };
    let level = |elo: &str| profile(&format!("elo = {elo}"));
    let endgame = position("4k3/pp3ppp/4r3/8/8/4R3/PP3PPP/4K3 w - - 0 30");
    for same in [Game::default().position(), &position(late)] {
        assert_eq!(rating(&own, same), rating(&level("1500"), same));
    }
    assert_eq!(rating(&own, &endgame), rating(&level("1200"), &endgame));
    let game = Game::new(endgame);
    let evaluation = evaluate(&game, &mut simulation(1, 5));
    let [own, weaker] =
        [&own, &level("1200")].map(|profile| expectation(&game, &evaluation, profile));
    for (one, other) in own.probabilities().iter().zip(weaker.probabilities()) {
        assert!((one - other).abs() < 1e-3, "{one} {other}");
    }
}

#[test]
fn errors_name_the_line_and_show_a_valid_one() {
    for (lines, expected) in [
        ("openings = [\"31 e4\", \"14 e4 c5 Nf4\"]", "the opening \"14 e4 c5 Nf4\": "),
        ("openings = [\"e4 c5\"]", "the opening \"e4 c5\" does not begin with a number of games"),
        ("openings = [\"e4 c5\"]", "for example \"14 e4 c5 Nf3\""),
        ("openings = \"31 e4\"", "openings cannot be \"31 e4\"; write a list such as ["),
        ("openings = [31]", "openings cannot be [31]; write a list such as ["),
        (
            "phases = { ending = 3 }",
            "phases cannot be { ending = 3 }; write Elo points from -1000 to 1000, for example {",
        ),
        ("phases = { endgame = nan }", "phases cannot be { endgame = nan }"),
        ("phases = { endgame = -1001 }", "phases cannot be { endgame = -1001 }"),
        ("phases = 20", "phases cannot be 20"),
        ("curve = \"levelled\"\nphases = { endgame = 3 }", "phases need a human curve"),
        (
            "mix = [{ player = { competence = 3 }, weight = 1 }]\nphases = { endgame = 3 }",
            "a mix cannot have its own phases",
        ),
        (
            "mix = [{ player = { openings = [\"1 e4\"] }, weight = 1 }]",
            "a player in a mix cannot have its own openings",
        ),
    ] {
        let lines = if lines.contains("curve") || lines.contains("mix") {
            lines.to_owned()
        } else {
            format!("elo = 1500\n{lines}")
        };
        let error = mistake(&lines);
        assert!(error.contains(expected) && error.contains("profile \"x\""), "{lines}: {error}");
    }
}

#[test]
fn records_distinguish_openings_and_phases() {
    let describe = |lines: &str| profile(&format!("elo = 1500\n{lines}")).to_string();
    let plain = describe("");
    let [one, other] = ["31", "30"].map(|games| describe(&format!("openings = [\"{games} e4\"]")));
    assert!(one.starts_with(&plain) && one.contains("openings of 1 positions ("), "{one}");
    assert_ne!(one, other);
    let nonzero = describe("phases = { endgame = -35 }");
    assert_eq!(nonzero, format!("{plain}, by phases endgame -35"));
}

#[test]
fn choose_says_how_the_rating_differs_in_this_phase() {
    let folder = Folder::new();
    let text = "[profiles.x]\nelo = 1500\nphases = { opening = 40, endgame = -300 }\n";
    folder.write("x.toml", text);
    let choose = |fen: &str| {
        let words =
            ["--config", "x.toml", "choose", "--profile", "x", "--depth", "1", "--fen", fen];
        run_with_input(&folder, &words, b"").out
    };
    let start = choose("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1");
    assert!(start.contains("rating 1540\n"), "{start}");
    let note = "In the opening, this player's rating is 40 points above the overall rating.";
    assert!(start.contains(note), "{start}");
    let endgame = choose("4k3/pp3ppp/4r3/8/8/4R3/PP3PPP/4K3 w - - 0 30");
    assert!(endgame.contains("is 300 points below the overall rating."), "{endgame}");
    let middlegame = choose("r1bq1rk1/pp1n1ppp/2pbpn2/3p4/2PP4/1PN1PN2/PB3PPP/R2QKB1R w KQ - 0 20");
    assert!(!middlegame.contains("overall"), "{middlegame}");
}

/// Four games between two players.
fn games() -> String {
    let game = |number: usize, white: &str, black: &str, moves: &str| {
        format!("[Round \"{number}\"]\n[White \"{white}\"]\n[Black \"{black}\"]\n\n{moves} *\n\n")
    };
    let ruy = "1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. Ba4 Nf6 5. O-O Be7 6. Re1 b5 7. Bb3 d6";
    let queens = "1. d4 d5 2. c4 e6 3. Nc3 Nf6 4. Bg5 Be7 5. e3 O-O 6. Nf3 Nbd7 7. Rc1 c6";
    [
        game(1, "Ann", "Bob", ruy),
        game(2, "Ann", "Bob", ruy),
        game(3, "Ann", "Bob", queens),
        game(4, "Bob", "Ann", queens),
    ]
    .concat()
}

#[test]
fn a_saved_player_plays_the_openings_in_the_file() {
    let folder = Folder::new();
    let games = folder.write("games.pgn", &games());
    let words =
        ["profile", &games, "--player", "Ann", "--depth", "1", "--skip", "2", "-o", "ann.toml"];
    let saved = run_with_input(&folder, &words, b"");
    assert_eq!(saved.code, 0, "{}", saved.error);
    for line in ["White: 1. e4     2 of 3    67%", "Black: 1. d4 d5  1 of 1   100%"] {
        assert!(saved.out.contains(line), "{}", saved.out);
    }
    let text = std::fs::read_to_string(folder.path().join("ann.toml")).expect("it was saved");
    for line in ["\"2 e4\",", "\"1 d4\",", "\"2 e4 e5 Nf3 Nc6 Bb5 a6 Ba4 Nf6 O-O Be7 Re1\","] {
        assert!(text.contains(line), "{line} in {text}");
    }
    assert!(text.contains("# With White") && text.contains("# With Black"), "{text}");

    let choose = |more: &[&str]| {
        let words = ["--config", "ann.toml", "choose", "--profile", "ann", "--json"];
        let chosen = run_with_input(&folder, &[&words, more].concat(), b"");
        assert_eq!(chosen.code, 0, "{}", chosen.error);
        serde_json::from_str::<Json>(&chosen.out).expect("a line")
    };
    let chosen = choose(&[]);
    let moves = chosen["moves"].as_array().expect("a list");
    let found = moves.iter().find(|m| m["move"] == "e2e4").expect("it is legal");
    assert_eq!(found["games"], 2);
    let likely = found["probability"].as_f64().expect("a number");
    assert!(likely > 2.0 / (3.0 + CURVE_GAMES), "{likely}");
    let endgame = choose(&["--fen", "4k3/pp3ppp/4r3/8/8/4R3/PP3PPP/4K3 w - - 0 30"]);
    assert!(endgame["moves"][0].get("games").is_none(), "{endgame}");

    // The engine announces the same player that the command showed.
    let mut engine = Engine::start_in(folder, &["--config", "ann.toml"]);
    engine.send("setoption name Profile value ann\nsetoption name Explain value true");
    engine.send(
        "setoption name Clock Effect value false\nsetoption name Seed value 5\nposition startpos",
    );
    let answer = engine.go("wtime 600000 btime 600000");
    let line = answer.0.iter().find(|line| line.contains("prob e2e4 ")).expect("it is printed");
    let shown: f64 = word_after(line, "e2e4").parse().expect(line);
    assert!((shown - likely).abs() < 1e-4, "{shown} {likely}");
    assert!(answer.0.iter().any(|line| line.contains("openings of ")), "{answer:?}");
}
