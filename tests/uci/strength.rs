//! The real program plays below full strength repeatably, reports which player it imitates, and is
//! never weakened in analysis.

use crate::common::{Engine, Folder, Search, word_after};
use stopdown::player::{Elo, EloScale, Levels, TargetRating, rating_path};
use stopdown::policy::GameKind;
use stopdown::selector::Family;

fn says(lines: &[String], text: &str) -> bool {
    lines.iter().any(|line| line.contains(text))
}

/// A number as it is shown, with at most three decimal places.
fn rounded(number: f64) -> f64 {
    (number * 1000.0).round() / 1000.0
}

/// The moves of a self-play game.
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
fn setting_the_same_seed_again_restarts_the_series_with_the_next_game() {
    let mut engine = Engine::start();
    engine.send("setoption name Competence value 0\nsetoption name Depth value 1");
    let seed = "setoption name Seed value 7";
    engine.send(seed);
    // Without the option, the games are counted.
    for (number, is_sent_again) in [(1, false), (2, true), (1, true), (1, false)] {
        engine.send("ucinewgame");
        let mut lines = engine.drain();
        engine.send("position startpos moves e2e4");
        lines.extend(engine.go("depth 1").0);
        assert!(says(&lines, &format!("Seed 7, game {number}.")), "{lines:?}");
        if is_sent_again {
            engine.send(seed);
        }
        engine.send("position startpos moves e2e4 e7e5 g1f3");
        let Search(lines) = engine.go("depth 1");
        assert!(!says(&lines, "Seed 7"), "the game got another number: {lines:?}");
    }
}

#[test]
fn each_position_without_moves_has_its_own_draw_and_only_played_games_count() {
    let mut engine = Engine::start();
    engine.send("setoption name Competence value 0\nsetoption name Depth value 1");
    engine.send("setoption name Seed value 5\nsetoption name Explain value true");
    let boards = ["4k3/8/8/8/8/8/8/R3K3", "4k3/8/8/8/8/8/8/3QK3", "4k3/8/8/8/8/8/8/4KR2"];
    let draws: Vec<String> = boards
        .iter()
        .map(|board| {
            engine.send(&format!("position fen {board} w - - 0 1"));
            let Search(lines) = engine.go("depth 1");
            let of_game = lines.iter().find_map(|line| line.split_once(", game "));
            word_after(of_game.expect("it is printed").1, "").to_owned()
        })
        .collect();
    assert_eq!(draws, ["1.", "2.", "3."]);
    engine.send("setoption name Seed value 6\nucinewgame\nucinewgame\nposition startpos");
    let Search(lines) = engine.go("depth 1");
    assert!(says(&lines, "Seed 6, game 1."), "{lines:?}");
}

#[test]
fn the_player_is_described_in_plain_words() {
    let after = |options: &[&str]| {
        let mut engine = Engine::start();
        options.iter().for_each(|option| engine.send(&format!("setoption name {option}")));
        engine.send("setoption name Seed value 7\nucinewgame");
        engine.drain().join("\n")
    };
    let rating = ["UCI_LimitStrength value true", "UCI_Elo value 1200"];
    let club = "Plays as club. An average club player, rated 1500 (FIDE).";
    let network = concat!("EvalFile value ", env!("CARGO_MANIFEST_DIR"), "/tuning/network.bin");
    for (options, expected) in [
        (&rating[..], "info string Plays like a player rated about 1200 (FIDE). Seed 7, game 1."),
        (
            &[rating[0], rating[1], "Elo Scale value Lichess-Blitz"],
            "rated about 1200 (Lichess-Blitz).",
        ),
        (&[rating[0], rating[1], "Depth value 2"], "This level needs at least 8 plies, not 2."),
        (
            &[rating[0], rating[1], network],
            "Levels were measured with the built-in network, not with EvalFile.",
        ),
        (&["Profile value club"], club),
        (&["Profile value human-1600"], "Plays as human-1600. A human player rated 1600 (FIDE)."),
        (&["Profile value coin-flipper", "Depth value 20"], "random legal moves. Seed 7, game 1."),
        (&["Profile value club", "Depth value 6"], "It searches at most 6 plies."),
        (&["Competence value 720"], "Plays with competence 7.2 on the curve \"levelled\"."),
        (
            &[rating[0], rating[1], "Style value attacker"],
            "(FIDE). Attacker: likes to sacrifice and to attack the king. Seed 7, game 1.",
        ),
        (&["Profile value club", "Style value Solid"], "Solid: likes to keep things safe."),
        (&["Profile value swashbuckler", "Style value Solid"], "Solid instead of Attacker: likes"),
        (
            &["Competence value 720", "Style value Solid"],
            "Style Solid is not used, because this player is not human.",
        ),
        (&["Style value Trader"], "Style Trader is not used at full strength; tick"),
        (
            &["UCI_Elo value 1700", "Style value Trader"],
            "UCI_LimitStrength is off. Style Trader is not used at full strength;",
        ),
        (
            &["Strength value Full", "Style value Trader"],
            "Plays at full strength. Style Trader is not used at full strength.",
        ),
        (
            &[rating[0], rating[1], "Exploit value Any"],
            "(FIDE). Exploit is used only in positions covered by endgame tables,",
        ),
        (
            &[rating[0], rating[1], "MultiPV value 3"],
            "(FIDE). MultiPV is used only in analysis and at full strength.",
        ),
        (&["Depth value 3"], "Plays the best move at depth 3."),
        (
            &["UCI_Elo value 1700", "Depth value 3"],
            "at depth 3. UCI_Elo 1700 is not used, because UCI_LimitStrength is off.",
        ),
        (&["Strength value Profile"], "Plays at full strength. Choose a Profile"),
        (&["Strength value Full", "Profile value club"], "Plays at full strength."),
    ] {
        let says = after(options);
        assert!(says.contains(expected), "{options:?}: {says}");
        assert_eq!(says.lines().count(), 1, "{options:?}: {says}");
    }
    let mut engine = Engine::start();
    engine.send("setoption name Profile value nobody");
    assert!(says(&engine.drain(), "Profile cannot be \"nobody\"; did you mean \"moody\"?"));
}

#[test]
fn a_style_makes_its_moves_likelier() {
    let mut engine = Engine::start();
    for option in ["UCI_LimitStrength value true", "Depth value 4", "Explain value true"] {
        engine.send(&format!("setoption name {option}"));
    }
    let mut gambit = |style: &str| -> f64 {
        engine.send(&format!("setoption name Style value {style}\nucinewgame"));
        engine.send("position startpos moves e2e4 e7e5");
        let Search(lines) = engine.go("depth 4");
        let line = lines.iter().find(|line| line.contains("prob f2f4 ")).expect("it is explained");
        word_after(line, "f2f4").parse().expect("a probability")
    };
    let [plain, gambiteer, again] = ["None", "Gambiteer", "None"].map(&mut gambit);
    assert!(gambiteer > 1.3 * plain, "{plain} {gambiteer}");
    assert_eq!(plain, again);
    engine.send("setoption name Style value Atacker");
    assert!(says(&engine.drain(), "Style cannot be \"Atacker\"; did you mean \"Attacker\"?"));
}

#[test]
fn a_slider_set_by_the_gui_does_not_replace_a_chosen_player() {
    let mut engine = Engine::start();
    engine.send("setoption name Profile value club");
    // PyChess does this before every game.
    engine.send("setoption name UCI_LimitStrength value true\nsetoption name UCI_Elo value 2000");
    engine.send("ucinewgame");
    assert!(says(&engine.drain(), "Plays as club"));
    engine.send("setoption name Strength value Elo\nucinewgame");
    assert!(says(&engine.drain(), "rated about 2000 (FIDE)"));
}

#[test]
fn a_rating_uses_the_chosen_scale_and_curve_and_is_clamped() {
    let mut engine = Engine::start();
    engine.send("setoption name UCI_LimitStrength value true\nsetoption name Depth value 1");
    engine.send("setoption name Explain value true");
    let mut play = |option: &str, elo: i64| {
        engine.send(&format!("setoption name {option}\nsetoption name UCI_Elo value {elo}"));
        engine.send("position startpos moves e2e4");
        engine.go("wtime 60000 btime 60000").0
    };
    for (option, curve, scale) in [
        ("Elo Scale value FIDE", None, EloScale::Fide),
        ("Elo Scale value Lichess-Blitz", None, EloScale::LichessBlitz),
        ("Curve value Regan", Some(Family::REGAN), EloScale::LichessBlitz),
        ("Elo Scale value fide", Some(Family::REGAN), EloScale::Fide),
    ] {
        for elo in [400, 1500, 2800] {
            let dial = TargetRating::new(Elo(elo as f64), curve, scale);
            let lines = play(option, elo);
            let parameters = dial.curve().parameters();
            let numbers = parameters.map(|(name, value)| format!(", {name} {}", rounded(value)));
            let player = format!("Curve {}{}, 1 ply.", dial.family, numbers.concat());
            assert!(says(&lines, &player), "{player} {lines:?}");
            assert!(says(&lines, &format!("Plays {dial}.")), "{dial} {lines:?}");
        }
    }
}

#[test]
fn human_ratings_play_like_humans() {
    let mut engine = Engine::start();
    engine.send(
        "setoption name Curve value Human-Blitz\nsetoption name UCI_LimitStrength value true",
    );
    let (levels, family) = (Levels::built_in(), Family::human(GameKind::Blitz));
    let elo = Elo(levels.elo(&rating_path::curve(family, 1400.0), EloScale::Fide).0.round());
    engine.send(&format!("setoption name UCI_Elo value {elo}\nsetoption name Seed value 3"));
    engine.send("setoption name Explain value true\nposition startpos moves e2e4 d7d5 e4d5");
    let Search(lines) = engine.go("wtime 60000 btime 60000");
    let curve = levels.curve(family, elo, EloScale::Fide);
    let (c, rating) = (curve.competence(), curve.scale());
    let (c, rating, depth) = (rounded(c.get()), rounded(rating), levels.depth);
    let player = format!("Curve human-blitz, competence {c}, rating {rating}, {depth} plies.");
    assert!(says(&lines, &player), "{player} {lines:?}");
    let share = |mv: &str| -> f64 {
        let line = lines.iter().find(|line| line.contains(&format!("prob {mv} ")));
        word_after(line.expect("all moves are shown"), mv).parse().expect("a number")
    };
    assert!(share("d8d5") > 0.3 && share("a7a6") < 0.01);
    // A competence on the same curve: a higher value plays the most popular moves more often.
    engine.send("setoption name Strength value Competence\nsetoption name Competence value 800");
    let Search(lines) = engine.go("wtime 60000 btime 60000");
    assert!(says(&lines, "human-blitz, competence 8, "), "{lines:?}");
    assert!(lines.last().is_some_and(|line| line.starts_with("bestmove d8d5")), "{lines:?}");
    // The imitator also plays with the human curve that belongs to the scale.
    engine.send("setoption name Strength value Imitator\nucinewgame");
    let Search(lines) = engine.go("wtime 60000 btime 60000");
    assert!(says(&lines, "human-blitz"), "{lines:?}");
}

#[test]
fn analysis_is_never_handicapped() {
    let mut engine = Engine::start();
    // A player that looks for the worst move would not take the queen.
    engine.send("setoption name Competence value -2000\nsetoption name Depth value 2");
    engine.send("position fen 3qk3/8/8/8/8/8/8/3RK3 w - - 0 1");
    assert_ne!(engine.go("wtime 60000 btime 60000").best(), "d1d8");
    engine.send("setoption name UCI_AnalyseMode value true");
    let search = engine.go("depth 4");
    assert_eq!(search.best(), "d1d8");
    assert!(says(&search.0, "analysing at full strength"), "{search:?}");
}

#[test]
fn every_probability_is_shown_on_request() {
    let mut engine = Engine::start();
    engine.send("setoption name Explain value true\nsetoption name Profile value coin-flipper");
    let Search(lines) = engine.go("wtime 60000 btime 60000");
    let probabilities = lines.iter().filter(|line| line.contains("info string prob ")).count();
    assert_eq!(probabilities, 20, "{lines:?}");
    assert!(says(&lines, "of 20, probability 0.0500, surprise 4.32 bits"), "{lines:?}");
}

#[test]
fn a_random_player_moves_at_random_against_a_bare_king_too() {
    let mut engine = Engine::start();
    engine.send("setoption name Explain value true\nsetoption name Endgame Tables value off");
    // With this many pieces, there are no tablebases.
    engine.send("position fen 4k3/8/8/8/8/4N3/PPPP4/RNBQKB2 w - - 0 40");
    let mut probabilities = |options: &str| -> Vec<f64> {
        engine.send(options);
        let Search(lines) = engine.go("wtime 600000 btime 600000");
        let shown = lines.iter().filter_map(|line| line.split_once("info string prob "));
        shown.map(|(_, rest)| word_after(rest, " ").parse().expect(rest)).collect()
    };
    let random = probabilities("setoption name Profile value coin-flipper");
    assert!(random.len() > 1 && random.iter().all(|&p| p == random[0]), "{random:?}");
    let bad = probabilities("setoption name Profile value anti-player");
    assert!(bad.len() > 1 && bad.iter().all(|&p| p < 1.0), "{bad:?}");
}

#[test]
fn shown_probabilities_add_up_to_one() {
    let mut engine = Engine::start();
    engine.send("setoption name Explain value true\nsetoption name Depth value 3");
    for (number, profile) in ["beginner", "moody", "regan", "haworth", "sleepy"].iter().enumerate()
    {
        engine.send(&format!("setoption name Profile value {profile}"));
        engine.send("position startpos moves e2e4 e7e5 g1f3 b8c6 f1b5 a7a6");
        engine.send(&format!("setoption name Seed value {}", number + 1));
        let Search(lines) = engine.go("wtime 600000 btime 600000");
        let shown = lines.iter().filter_map(|line| line.split_once("info string prob "));
        let probabilities: Vec<f64> =
            shown.map(|(_, rest)| word_after(rest, " ").parse().expect(rest)).collect();
        let sum: f64 = probabilities.iter().sum();
        // Probabilities are printed to four decimal places.
        let rounding = 0.5e-4 * probabilities.len() as f64;
        assert!((sum - 1.0).abs() <= rounding + 1e-9, "{profile}: {sum} over {lines:?}");
    }
}

#[test]
fn a_player_is_the_same_at_any_time_control() {
    let moves = |clock: &str| {
        let mut engine = Engine::start();
        engine.send("setoption name Competence value 500\nsetoption name Depth value 3");
        engine.send("setoption name Seed value 11\nucinewgame");
        let play = |line: &str| {
            engine.send(&format!("position startpos moves {line}"));
            engine.go(clock).best().to_owned()
        };
        ["", "e2e4", "e2e4 e7e5 g1f3", "d2d4 d7d5 c2c4 e7e6"].map(play)
    };
    let slow = moves("wtime 7200000 btime 7200000");
    for clock in ["wtime 300000 btime 300000 winc 3000 binc 3000", "movetime 60000", "depth 20"] {
        assert_eq!(moves(clock), slow, "{clock}");
    }
}

#[test]
fn work_beyond_the_limits_is_skipped_and_reported() {
    let mut engine = Engine::start();
    engine.send("setoption name Profile value grandmaster");
    for (go, most) in [("nodes 1", None), ("nodes 2000", Some(2000)), ("nodes 20000", Some(20_000))]
    {
        let search = engine.go(go);
        assert!(says(&search.0, " of 12 (time or search limit)"), "{go}: {search:?}");
        let last = search.scored()[search.scored().len() - 1].to_owned();
        let nodes: u64 = word_after(&last, " nodes").parse().expect("a number");
        assert!(most.is_none_or(|most| nodes <= most), "{go}: {last}");
    }
    for go in
        ["wtime 1 btime 1", "wtime -5 btime -5", "movetime 1", "wtime 30 btime 30 movestogo 1"]
    {
        assert_eq!(engine.go(go).best().len(), 4, "{go}");
    }
    let search = engine.go("depth 3 wtime 60000 btime 60000");
    assert!(says(&search.0, "search stopped at depth 3 of 12"), "{search:?}");
}

/// An engine that plays at this level, with these options.
fn level(elo: i32, options: &[&str]) -> Engine {
    let mut engine = Engine::start();
    engine.send(&format!(
        "setoption name UCI_LimitStrength value true\nsetoption name UCI_Elo value {elo}"
    ));
    options.iter().for_each(|option| engine.send(&format!("setoption name {option}")));
    engine
}

#[test]
fn a_level_above_all_humans_plays_the_same_moves_whatever_came_before() {
    let nodes = TargetRating::new(Elo(3200.0), None, EloScale::Fide).nodes().expect("it searches");
    let lines = ["e2e4 c7c5 g1f3 d7d6", "d2d4 g8f6 c2c4 e7e6 b1c3 f8b4"];
    let play = |engine: &mut Engine, line: &str| {
        engine.send(&format!("position startpos moves {line}"));
        let search = engine.go("movetime 600000");
        let last = search.scored()[search.scored().len() - 1];
        let searched: u64 = word_after(last, " nodes").parse().expect("a number");
        assert!(searched <= nodes && !says(&search.0, "search stopped"), "{search:?}");
        (search.best().to_owned(), word_after(last, " cp").to_owned(), searched)
    };
    let moves = |options: &[&str], has_searched: bool| {
        let mut engine = level(3200, options);
        if has_searched {
            engine
                .send("setoption name UCI_LimitStrength value false\nposition startpos moves d2d4");
            engine.go("nodes 20000");
            engine.send("setoption name UCI_LimitStrength value true");
            play(&mut engine, "e2e4 c7c5");
        }
        lines.map(|line| play(&mut engine, line))
    };
    let usual = moves(&[], false);
    assert_eq!(moves(&["Hash value 1", "Threads value 4"], true), usual);
    assert_eq!(moves(&["Hash value 256"], true), usual);
}

#[test]
fn a_level_above_all_humans_says_what_limits_its_search() {
    for (elo, depth, description) in [
        (2800, 12, "Plays like a player rated about 2800 (FIDE). Seed"),
        (2801, 12, "Plays at about 2801 (FIDE): the best move of a search of "),
        (2801, 60, " nodes. It searches at most to depth 60, which may weaken this level."),
        (3400, 5, " nodes. It searches at most to depth 5, which may weaken this level."),
    ] {
        let mut engine = level(elo, &[&format!("Depth value {depth}")]);
        engine.send("position startpos moves e2e4");
        let search = engine.go("movetime 60000");
        assert!(says(&search.0, description), "{elo}: {search:?}");
        assert!(!says(&search.0, "search stopped"), "{elo}: {search:?}");
        assert_eq!(search.best(), search.last_shown());
        let scored = search.scored();
        let reached: i32 = word_after(scored[scored.len() - 1], " depth").parse().expect("plies");
        assert!(depth != 5 || reached == 5, "{elo} {depth}: {search:?}");
    }
    for go in ["wtime 300 btime 300", "movetime 1", "nodes 2000", "depth 3"] {
        let search = level(3400, &[]).go(go);
        assert!(says(&search.0, " nodes (time or search limit)"), "{go}: {search:?}");
    }
}

#[test]
fn invalid_settings_are_reported() {
    let mut engine = Engine::start();
    for (set, expected) in [
        (
            "UCI_Elo value 99999",
            "99999 is out of range: UCI_Elo must be from 400 to 3400; it is set to 3400",
        ),
        (
            "UCI_Elo value -9999",
            "-9999 is out of range: UCI_Elo must be from 400 to 3400; it is set to 400",
        ),
        (
            "Elo Scale value USCF",
            "Elo Scale cannot be \"USCF\"; use FIDE, Lichess, Chesscom, Lichess-Blitz, \
             Lichess-Rapid, Lichess-Bullet, Chesscom-Blitz or Chesscom-Rapid",
        ),
        ("Competence value -9999", "Competence must be from -2000 to 30000; it is set to -2000"),
        ("Depth value 100", "Depth must be from 1 to 60; it is set to 60"),
        ("Imitator Score value 150", "Imitator Score must be from 1 to 99; it is set to 99"),
        ("Curve value Softmax", "Curve cannot be \"Softmax\"; use Auto, Haworth"),
        ("Pace value Slow", "Pace cannot be \"Slow\"; use Auto, Instant or Human"),
        ("Sensitivity value many", "Sensitivity cannot be \"many\""),
    ] {
        engine.send(&format!("setoption name {set}"));
        assert!(says(&engine.drain(), expected), "{set}");
    }
}

#[test]
fn settings_without_a_strength_do_not_weaken_the_engine() {
    let off = " UCI_Elo 1700 is not used, because UCI_LimitStrength is off.";
    for (set, more) in
        [("UCI_Elo value 1700", off), ("Elo Scale value Lichess", ""), ("Curve value Regan", "")]
    {
        let mut engine = Engine::start();
        engine.send(&format!("setoption name {set}\nsetoption name Imitator Offset value 50"));
        let Search(lines) = engine.go("depth 1 wtime 60000 btime 60000");
        let said = lines.iter().filter(|line| line.starts_with("info string"));
        let expected = format!("info string Plays at full strength.{more}");
        assert_eq!(said.collect::<Vec<_>>(), [&expected], "{set}");
    }
}

#[test]
fn depth_alone_is_the_best_move_at_that_depth() {
    let mut engine = Engine::start();
    engine.send("setoption name Depth value 2");
    engine.send("position fen 3qk3/8/8/8/8/8/8/3RK3 w - - 0 1");
    assert_eq!(engine.go("wtime 60000 btime 60000").best(), "d1d8");
}

#[test]
fn a_profile_can_be_chosen_from_a_list_and_reset() {
    let folder = Folder::new();
    folder.write("engine.toml", "[profiles.mine]\ncompetence = 1\ndepth = 1\n");
    let mut engine = Engine::start_in(folder, &[]);
    engine.send("uci");
    let lines = engine.until("uciok");
    let line = lines
        .iter()
        .find(|line| line.starts_with("option name Profile "))
        .expect("the option exists");
    assert!(line.starts_with("option name Profile type combo default <none> var <none> var "));
    assert!(line.contains(" var beginner ") && line.contains(" var mine "), "{line}");
    let go = "depth 1 wtime 60000 btime 60000";
    for none in ["<none>", "<NONE>", "<empty>", ""] {
        engine.send("setoption name Profile value Mine");
        assert!(says(&engine.go(go).0, "Plays as mine."));
        engine.send(&format!("setoption name Profile value {none}"));
        assert!(says(&engine.go(go).0, "Plays at full strength."));
    }
}

#[test]
fn an_invalid_profile_is_reported_and_games_continue() {
    for (text, expected) in [
        ("[profiles.x]\nmix = [{ profile = \"x\", weight = 1 }]\n", "a mix cannot contain itself"),
        ("[options]\nProfile = \"nobody\"\n", ":2: Profile cannot be \"nobody\""),
        ("[profiles.x]\ncurve = \"softmax\"\n", "unknown curve \"softmax\""),
    ] {
        let folder = Folder::new();
        folder.write("engine.toml", text);
        let mut engine = Engine::start_in(folder, &[]);
        let line = engine.line();
        assert!(line.starts_with("info string ") && line.contains(expected), "{line}");
        assert_eq!(engine.go("depth 1").best().len(), 4);
    }
}

#[test]
fn one_node_is_enough_for_a_searched_move() {
    let mut engine = Engine::start();
    engine
        .send("position fen r1b1kbnr/pppp1ppp/2n5/4p1q1/2B1P3/3P1N2/PPP2PPP/RNBQK2R w KQkq - 1 5");
    // A knight and a bishop can take the queen.
    assert!(["f3g5", "c1g5"].contains(&engine.go("nodes 1").best()));
}
