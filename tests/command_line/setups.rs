//! The settings that `boards` and `lichess-bot` write for other programs: those programs can read them, and
//! the engine understands every option.

use std::fs;

use serde_json::{Value as Json, json};

use crate::common::setups::{Section, sections, yaml};
use crate::common::{Engine, Folder, peak_memory, run, run_with_input};

/// The levels in the file for PicoChess, and the entry for `engines.ini`.
fn boards() -> (Vec<Section>, Section) {
    let folder = Folder::new();
    let finished = run_with_input(&folder, &["boards", "."], b"");
    assert_eq!((finished.code, finished.error.as_str()), (0, ""));
    let levels = fs::read_to_string(folder.path().join("stopdown.uci")).expect("it was written");
    let [entry] = &sections(&finished.out)[..] else { panic!("one entry: {}", finished.out) };
    (sections(&levels), entry.clone())
}

/// Sets options as a GUI does, starts a game, and returns the complaints and the introduction.
fn play(engine: &mut Engine, options: &[(String, String)]) -> (Vec<String>, String) {
    engine.sync();
    for (name, value) in options {
        engine.send(&format!("setoption name {name} value {value}"));
    }
    let mut complaints = engine.sync();
    engine.send("ucinewgame\nposition startpos moves e2e4");
    let mut lines = engine.go("wtime 600000 btime 600000 movetime 200").0;
    let at = lines.iter().position(|line| line.starts_with("info string Plays "));
    let introduction = lines.remove(at.unwrap_or_else(|| panic!("no introduction: {lines:?}")));
    let is_complaint = |line: &String| line.starts_with("info string") && line.contains("option");
    complaints.extend(lines.into_iter().filter(is_complaint));
    (complaints, introduction)
}

#[test]
fn levels_for_picochess_are_at_most_eight_and_sort_from_weak_to_strong() {
    let (levels, (engine, entry)) = boards();
    let names: Vec<&str> = levels.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names.len(), 8);
    assert!(names.is_sorted(), "PicoChess sorts levels by name: {names:?}");
    assert_eq!((names[0], names[5], names[7]), ("Elo@0600", "Elo@2800", "Max"));
    // Electronic chess clocks show only 11, 8 or 6 characters of a name without `Elo@`.
    assert!(names.iter().all(|name| name.starts_with("Elo@") || name.len() <= 8), "{names:?}");
    // The section is named after the engine's file.
    assert_eq!(engine, "stopdown");
    let value = |key: &str| {
        let line = entry.iter().find(|(name, _)| name == key);
        line.unwrap_or_else(|| panic!("no {key}: {entry:?}")).1.as_str()
    };
    for (key, longest) in [("small", 6), ("medium", 8), ("large", 11)] {
        assert!(value(key).len() <= longest, "{key}: {}", value(key));
    }
    assert_eq!(value("name"), "Stopdown");
    assert!(value("elo").parse::<u32>().is_ok());
}

/// To change the level of a running engine, PicoChess sends only the options of the new level.
#[test]
fn every_level_for_picochess_replaces_every_other() {
    let (levels, _) = boards();
    let mut engine = Engine::start();
    let count = levels.len();
    for n in (0..count).chain((0..count).rev()) {
        let (name, options) = &levels[n];
        let expected = match name.strip_prefix("Elo@") {
            Some(elo) => format!("about {} (FIDE).", elo.trim_start_matches('0')),
            None if name == "Imitator" => "Plays at your level.".to_owned(),
            None => "Plays at full strength.".to_owned(),
        };
        let (complaints, introduction) = play(&mut engine, options);
        assert_eq!(complaints, [""; 0], "{name}");
        assert!(introduction.contains(&expected), "{name}: {introduction}");
    }
}

/// Electronic chessboards have small computers.
#[test]
fn levels_on_a_board_stay_within_100_mb() {
    const MIDDLEGAME: &str =
        "position fen r1bq1rk1/pp2bppp/2n1pn2/3p4/2PP4/2N2N2/PP2BPPP/R1BQ1RK1 w - - 0 9";
    let (levels, _) = boards();
    let mut engine = Engine::start();
    for (_, options) in &levels {
        for (name, value) in options {
            engine.send(&format!("setoption name {name} value {value}"));
        }
        engine.send("ucinewgame");
        for moves in ["", " moves c4d5 f6d5"] {
            engine.send(&format!("{MIDDLEGAME}{moves}"));
            engine.go("movetime 2000");
        }
    }
    if let Some(peak) = peak_memory(engine.id()) {
        // 95 MiB is 99.6 MB.
        assert!(peak <= 95, "{peak} MiB");
    }
}

/// PicoChess does not start if two engines have the same name.
#[test]
fn an_engine_that_picochess_knows_is_not_added_again() {
    let folder = Folder::new();
    folder.write("engines.ini", "[other]\nname = Other\n\n[stopdown]\nname = Stopdown\n");
    let finished = run_with_input(&folder, &["boards", "."], b"");
    assert_eq!((finished.code, finished.out.as_str()), (0, ""));
    assert!(finished.error.contains("already has an entry for Stopdown"), "{}", finished.error);
    assert!(folder.path().join("stopdown.uci").is_file());
}

#[test]
fn boards_names_a_folder_that_is_missing() {
    let finished = run(&["boards", "no-such-folder"]);
    assert_eq!(finished.code, 2);
    assert!(finished.error.contains("no-such-folder is not a folder"), "{}", finished.error);
}

/// The bots: the arguments for each one, and the sentence with which the engine starts a game.
const BOTS: [(&[&str], &str); 5] = [
    (&["--elo", "1600"], "Plays like a player rated about 1600 (Lichess-Rapid)."),
    (&["--elo", "900", "--scale", "Lichess-Rapid"], "rated about 900 (Lichess-Rapid)."),
    (&["--imitator", "--scale", "Lichess-Bullet"], "Plays at your level."),
    (&["--exploit"], "Exploits the errors of a player rated 1712"),
    (&[], "Plays at full strength."),
];

fn config(arguments: &[&str]) -> Json {
    let finished = run(&[&["lichess-bot"], arguments].concat());
    assert_eq!((finished.code, finished.error.as_str()), (0, ""), "{arguments:?}");
    yaml(&finished.out)
}

/// Checks the settings that lichess-bot requires before it starts, and the types of the values that it computes with.
#[test]
fn configurations_satisfy_lichess_bot() {
    let one_of = |value: &Json, choices: &[&str]| choices.iter().any(|choice| value == choice);
    for (arguments, _) in BOTS {
        let config = config(arguments);
        for key in ["token", "url"] {
            assert!(config[key].is_string(), "{key}: {config}");
        }
        let (engine, challenge) = (&config["engine"], &config["challenge"]);
        for key in ["dir", "name"] {
            assert!(engine[key].is_string(), "{key}: {engine}");
        }
        assert_eq!(engine["protocol"], "uci");
        assert!(engine["ponder"].is_boolean() && engine["polyglot"]["enabled"] == false);
        let rules = &engine["draw_or_resign"];
        for key in ["offer_draw_enabled", "resign_enabled"] {
            assert!(rules[key].is_boolean(), "{key}: {rules}");
        }
        for key in ["offer_draw_score", "offer_draw_moves", "offer_draw_pieces", "resign_moves"] {
            assert!(rules[key].as_i64().is_some_and(|number| number > 0), "{key}: {rules}");
        }
        assert!(rules["resign_score"].as_i64().is_some_and(|score| score < -500), "{rules}");
        assert!(challenge["concurrency"].as_i64().is_some_and(|games| games > 0));
        assert!(one_of(&challenge["sort_by"], &["best", "first"]), "{challenge}");
        assert!(one_of(&challenge["preference"], &["none", "human", "bot"]), "{challenge}");
        assert!(challenge["accept_bot"].is_boolean());
        assert!(challenge["min_increment"].as_i64().is_some_and(|s| (0..=180).contains(&s)));
        for (key, choices) in [
            ("variants", &["standard", "fromPosition", "chess960"][..]),
            ("time_controls", &["bullet", "blitz", "rapid", "classical", "correspondence"]),
            ("modes", &["casual", "rated"]),
        ] {
            let list = challenge[key].as_array().expect(key);
            assert!(!list.is_empty() && list.iter().all(|item| one_of(item, choices)), "{list:?}");
        }
        // A message in the chat has at most 140 characters. A name on Lichess has at most 20.
        let hello = config["greeting"]["hello"].as_str().expect("a text");
        assert!(hello.replace("{opponent}", &"x".repeat(20)).len() <= 140, "{hello}");
        assert_eq!(config["matchmaking"]["allow_matchmaking"], false);
    }
}

#[test]
fn bots_play_as_configured() {
    for (arguments, expected) in BOTS {
        let config = config(arguments);
        let options = config["engine"]["uci_options"].as_object().expect("a map");
        let mut options: Vec<(String, String)> = options
            .iter()
            .map(|(name, value)| {
                let value = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
                (name.clone(), value)
            })
            .collect();
        // lichess-bot announces every opponent.
        options.push(("UCI_Opponent".to_owned(), "none 1712 human Anna".to_owned()));
        let mut engine = Engine::start();
        let (complaints, introduction) = play(&mut engine, &options);
        assert_eq!(complaints, [""; 0], "{arguments:?}");
        assert!(introduction.contains(expected), "{arguments:?}: {introduction}");
    }
}

#[test]
fn a_bot_plays_the_games_of_its_scale_and_resigns_if_its_opponents_can_win() {
    let all = &["bullet", "blitz", "rapid"][..];
    for (arguments, time_controls, resigns) in [
        (&["--elo", "1500"][..], all, false),
        (&["--elo", "2000"], all, true),
        (&["--elo", "2000", "--scale", "lichess-rapid"], &["rapid"], true),
        (&["--elo", "2000", "--scale", "Lichess-Blitz"], &["blitz"], true),
        (&["--imitator", "--scale", "Lichess-Bullet"], &["bullet"], false),
        (&["--exploit"], all, true),
    ] {
        let config = config(arguments);
        assert_eq!(config["challenge"]["time_controls"], json!(time_controls), "{arguments:?}");
        let rules = &config["engine"]["draw_or_resign"];
        assert_eq!(rules["resign_enabled"], resigns, "{arguments:?}");
    }
}

#[test]
fn impossible_bots_are_refused() {
    for (arguments, expected) in [
        (&["--elo", "9999"][..], "9999 is out of range"),
        (&["--scale", "FIDE"], "write Lichess, Lichess-Bullet, Lichess-Blitz or Lichess-Rapid"),
        (&["--scale", "Lichess-Blits"], "write Lichess, Lichess-Bullet"),
        (&["--imitator", "--exploit"], "cannot be used with"),
    ] {
        let finished = run(&[&["lichess-bot"], arguments].concat());
        assert_eq!(finished.code, 2, "{arguments:?}");
        assert!(finished.error.contains(expected), "{arguments:?}: {}", finished.error);
    }
}
