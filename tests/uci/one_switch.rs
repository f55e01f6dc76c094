//! One setting is enough to choose an opponent, regardless of the order in which a GUI sends the
//! others.

use crate::common::{Engine, Folder, word_after};

const FULL: &str = "Plays at full strength.";

/// Every option with its default. Many GUIs send all of them before each game.
fn defaults(engine: &mut Engine) -> Vec<(String, String)> {
    engine.send("uci");
    let lines = engine.until("uciok");
    let options = lines.iter().filter_map(|line| line.strip_prefix("option name "));
    let options = options.filter_map(|rest| rest.split_once(" type "));
    let pair = |(name, kind): (&str, &str)| {
        // A button has no value.
        let (kind, default) = kind.split_once(" default ")?;
        let end = if kind == "string" { None } else { default.find([' ']) };
        Some((name.to_owned(), default[..end.unwrap_or(default.len())].to_owned()))
    };
    options.filter_map(pair).collect()
}

/// Shuffles a list. The same seed always gives the same order.
fn shuffled<T: Clone>(list: &[T], seed: u64) -> Vec<T> {
    let (mut list, mut state) = (list.to_vec(), seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
    for last in (1..list.len()).rev() {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        list.swap(last, (state >> 33) as usize % (last + 1));
    }
    list
}

/// The engine's message at the start of a game, once these options have been set.
fn introduction(engine: &mut Engine, options: &[(String, String)]) -> String {
    for (name, value) in options {
        engine.send(&format!("setoption name {name} value {value}"));
    }
    engine.send("ucinewgame");
    let lines = engine.drain();
    // The imitator also reports what it knows about the opponent.
    assert!(lines.len() == 1 || lines[0].contains("at your level"), "{options:?}: {lines:?}");
    lines[0].strip_prefix("info string ").expect("a message for the user").to_owned()
}

#[test]
fn one_setting_is_enough_in_every_order_of_all_options() {
    let mut engine = Engine::start_in(Folder::new(), &[]);
    let defaults = defaults(&mut engine);
    assert!(defaults.len() > 25, "{defaults:?}");
    let rated = "Plays like a player rated about ";
    let cases: [(&[(&str, &str)], String); 8] = [
        (&[], FULL.to_owned()),
        (&[("UCI_LimitStrength", "true")], format!("{rated}1600 (FIDE). Seed 7, game 1.")),
        (
            &[("UCI_LimitStrength", "true"), ("UCI_Elo", "1500")],
            format!("{rated}1500 (FIDE). Seed 7, game 1."),
        ),
        (
            &[("UCI_LimitStrength", "true"), ("Elo Scale", "Lichess Blitz")],
            format!("{rated}1600 (Lichess-Blitz). Seed 7, game 1."),
        ),
        (&[("Profile", "club")], "Plays as club. ".to_owned()),
        (&[("Competence", "700")], "Plays with competence 7 on the curve \"levelled\".".to_owned()),
        (&[("Strength", "Imitator")], "Plays at your level.".to_owned()),
        (
            &[("UCI_Elo", "1500")],
            format!("{FULL} UCI_Elo 1500 is not used, because UCI_LimitStrength is off."),
        ),
    ];
    for (set, expected) in &cases {
        let value_of = |(name, default): &(String, String)| {
            let given = set.iter().find(|(own, _)| own == name).map(|(_, value)| *value);
            let value = if name == "Seed" { "7" } else { given.unwrap_or(default) };
            (name.clone(), value.to_owned())
        };
        let options: Vec<(String, String)> = defaults.iter().map(value_of).collect();
        let reversed = options.iter().rev().cloned().collect();
        let orders = (1..=4).map(|seed| shuffled(&options, seed));
        for order in [options.clone(), reversed].into_iter().chain(orders) {
            let said = introduction(&mut engine, &order);
            assert!(said.starts_with(expected), "{set:?} as {order:?}: {said}");
            assert!(*expected != FULL || said == FULL, "{said}");
        }
    }
}

#[test]
fn one_setting_is_enough_without_any_other() {
    for (name, value, expected) in [
        ("UCI_LimitStrength", "true", "Plays like a player rated about 1600 (FIDE)."),
        ("Profile", "club", "Plays as club."),
        ("Competence", "700", "Plays with competence 7 on the curve \"levelled\"."),
        ("Strength", "Imitator", "Plays at your level."),
    ] {
        let mut engine = Engine::start_in(Folder::new(), &[]);
        let said = introduction(&mut engine, &[(name.to_owned(), value.to_owned())]);
        assert!(said.starts_with(expected), "{name}: {said}");
    }
}

#[test]
fn every_game_starts_with_a_description_of_the_player() {
    // Some programs never send `ucinewgame`.
    for is_announced in [true, false] {
        let mut engine = Engine::start();
        engine.send("setoption name Depth value 1\nsetoption name Strength value Full");
        let mut descriptions = Vec::new();
        for first in ["e2e4", "d2d4", "c2c4"] {
            for moves in [first.to_owned(), format!("{first} a7a6 g1f3 h7h6 b1c3")] {
                if is_announced && moves == first {
                    engine.send("ucinewgame");
                }
                engine.send(&format!("position startpos moves {moves}"));
                let lines = engine.go("depth 1 wtime 60000 btime 60000").0;
                descriptions.extend(lines.into_iter().filter(|line| line.contains(FULL)));
            }
        }
        assert_eq!(descriptions.len(), 3, "{is_announced}: {descriptions:?}");
    }
}

#[test]
fn a_rating_that_something_else_overrides_is_mentioned() {
    let pairs = |list: &[(&str, &str)]| -> Vec<(String, String)> {
        list.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
    };
    let slider = [("UCI_LimitStrength", "true"), ("UCI_Elo", "2000")];
    for (name, value, expected) in [
        ("Profile", "club", "UCI_Elo 2000 is not used, because Profile is set."),
        ("Competence", "700", "UCI_Elo 2000 is not used, because Competence is set."),
        ("Sensitivity", "200", "UCI_Elo 2000 is not used, because Sensitivity is set."),
        ("Strength", "Full", "UCI_Elo 2000 is not used, because Strength is Full."),
        ("Strength", "Competence", "UCI_Elo 2000 is not used, because Strength is Competence."),
    ] {
        let mut engine = Engine::start_in(Folder::new(), &[]);
        let said = introduction(&mut engine, &pairs(&[slider[0], slider[1], (name, value)]));
        assert!(said.contains(expected), "{said}");
    }
}

#[test]
fn values_of_options_have_no_spaces_and_old_ones_are_accepted() {
    let mut engine = Engine::start_in(Folder::new(), &[]);
    engine.send("uci");
    let lines = engine.until("uciok");
    let choices: Vec<&String> = lines.iter().filter(|line| line.contains(" type combo ")).collect();
    assert!(choices.len() >= 6, "{choices:?}");
    for line in &choices {
        // fastchess splits a value at its spaces, so every word must be a value or a keyword.
        let (_, values) = line.split_once(" default ").expect("a default");
        assert!(values.split(" var ").all(|value| !value.trim().contains(' ')), "{line}");
    }
    for old in ["Lichess Blitz", "Lichess", "lichess-blitz", "LICHESS RAPID", "Lichess Bullet"] {
        engine.send(&format!("setoption name Elo Scale value {old}"));
    }
    assert_eq!(engine.sync(), Vec::<String>::new());
    let line = choices.iter().find(|line| line.contains(" Elo Scale ")).expect("there is one");
    assert_eq!(word_after(line, " default"), "FIDE");
}

#[test]
fn a_competence_that_the_curve_does_not_have_is_mentioned() {
    let mut engine = Engine::start_in(Folder::new(), &[]);
    let options = [("Competence", "700"), ("Curve", "Regan")];
    let options = options.map(|(name, value)| (name.to_owned(), value.to_owned()));
    let said = introduction(&mut engine, &options);
    assert!(said.contains("Competence 7 is not used"), "{said}");
}

#[test]
fn depth_limits_the_search_of_a_profile() {
    let mut engine = Engine::start_in(Folder::new(), &[]);
    engine.send("setoption name Profile value club\nsetoption name Depth value 2");
    engine.send("position startpos");
    let lines = engine.go("nodes 1000000").0;
    assert!(lines.iter().any(|line| line.contains("It searches at most 2 plies.")), "{lines:?}");
    assert!(!lines.iter().any(|line| line.contains("search stopped")), "{lines:?}");
    let is_deeper = |line: &String| line.starts_with("info depth 3 ");
    assert!(lines.iter().any(|line| line.starts_with("info depth 2 ")), "{lines:?}");
    assert!(!lines.iter().any(is_deeper), "{lines:?}");
}
