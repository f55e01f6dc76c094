//! The subcommands: output and exit codes.

use std::process::Stdio;

use crate::common::{Folder, program, run, run_with_input};
use serde_json::Value;

const MATED: &str = "R5k1/5ppp/8/8/8/8/8/6K1 b - - 0 1";

/// The last output line of a successful run.
fn last_line(arguments: &[&str]) -> String {
    let finished = run(arguments);
    assert_eq!(finished.code, 0, "{arguments:?}: {}", finished.error);
    finished.out.lines().last().expect("something is written").to_owned()
}

#[test]
fn perft_ends_with_its_count() {
    assert_eq!(last_line(&["perft", "4"]), "Nodes: 197281");
    assert_eq!(last_line(&["perft", "0"]), "Nodes: 1");
    let castles = ["perft", "1", "--divide", "--fen", "4k3/8/8/8/8/8/8/4K2R w K - 0 1"];
    let lines = run(&castles).out;
    assert!(lines.lines().any(|line| line == "e1g1: 1"), "{lines}");
    let lines = run(&[&castles[..], &["--chess960"]].concat()).out;
    assert!(lines.lines().any(|line| line == "e1h1: 1"), "{lines}");
}

#[test]
fn an_evaluation_is_a_line_of_json() {
    let line = last_line(&["evaluate", "--depth", "3", "--json"]);
    let json: Value = serde_json::from_str(&line).expect(&line);
    assert_eq!(json["fen"], "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1");
    assert_eq!(json["depth"], 3);
    assert!(json["nodes"].as_u64().is_some_and(|n| n > 20), "{line}");
    assert!(json["time_ms"].is_u64(), "{line}");
    let moves = json["moves"].as_array().expect("moves are a list");
    assert_eq!(moves.len(), 20);
    let mut before = f64::INFINITY;
    for m in moves {
        let depths = m["by_depth"].as_array().expect("one for each depth");
        assert_eq!(depths.len(), 3, "{m}");
        assert_eq!(depths[2], m["value"], "{m}");
        assert_eq!(m["pv"][0], m["move"], "{m}");
        assert!(m["san"].is_string(), "{m}");
        let pawns = m["pawns"].as_f64().expect("a number");
        assert!(m["value"]["cp"].as_f64() == Some((pawns * 100.0).round()), "{m}");
        assert!(pawns <= before, "the moves are not in order");
        before = pawns;
    }
}

#[test]
fn a_mate_has_its_own_kind_of_value() {
    let fen = "6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 1";
    let line = last_line(&["evaluate", "--fen", fen, "--depth", "2", "--json"]);
    let json: Value = serde_json::from_str(&line).expect(&line);
    assert_eq!(json["moves"][0]["san"], "Ra8#");
    assert_eq!(json["moves"][0]["value"], serde_json::json!({ "mate": 1 }));
}

#[test]
fn moves_beyond_the_cap_are_marked() {
    let fen = "6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 1";
    let arguments = ["evaluate", "--fen", fen, "--depth", "3", "--cap", "1", "--json"];
    let line = last_line(&arguments);
    let json: Value = serde_json::from_str(&line).expect(&line);
    let moves = json["moves"].as_array().expect("moves are a list");
    assert!(moves.iter().any(|m| m["exact"] == false), "{line}");
    assert!(moves[0].get("exact").is_none(), "{line}");
}

#[test]
fn the_table_shows_every_move() {
    let finished = run(&["evaluate", "--depth", "2"]);
    assert_eq!(finished.code, 0);
    for word in ["move", "score", "d1", "d2", "line", "Nf3", "a4", "h3"] {
        assert!(finished.out.contains(word), "{word} in {}", finished.out);
    }
}

#[test]
fn values_do_not_depend_on_threads() {
    let moves = |threads| {
        let line = last_line(&["evaluate", "--depth", "4", "--json", "--threads", threads]);
        let json: Value = serde_json::from_str(&line).expect(&line);
        json["moves"].clone()
    };
    assert_eq!(moves("1"), moves("3"));
}

#[test]
fn positions_come_through_a_pipe() {
    let input = format!("4k3/8/8/8/8/8/8/4K3 w - -\n\n# a remark\nnonsense\n{MATED}\n");
    let input = [input.as_bytes(), b"\xff"].concat();
    let finished = run_with_input(&Folder::new(), &["evaluate", "-", "--depth", "1"], &input);
    assert_eq!(finished.code, 2, "a line is not a position");
    assert!(finished.error.contains("standard input:4: \"nonsense\""), "{}", finished.error);
    let lines: Vec<Value> =
        finished.out.lines().map(|line| serde_json::from_str(line).expect(line)).collect();
    assert_eq!(lines.len(), 4);
    assert_eq!(lines[0]["moves"].as_array().map(Vec::len), Some(5));
    assert!(lines[1]["error"].as_str().is_some_and(|error| error.contains("input:4:")));
    assert_eq!(lines[2]["moves"].as_array().map(Vec::len), Some(0));
}

#[test]
fn positions_come_from_a_file() {
    let folder = Folder::new();
    let start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - bm e4; id \"first\";";
    let path = folder.write("two.epd", &format!("{start}\n{MATED}\n"));
    let finished = run_with_input(&folder, &["evaluate", "--epd", &path, "--depth", "1"], b"");
    assert_eq!(finished.code, 0, "{}", finished.error);
    assert!(finished.out.contains("no legal move: checkmate"), "{}", finished.out);
}

#[test]
fn a_finished_game_has_no_moves_and_says_why() {
    let stalemate = "7k/5K2/6Q1/8/8/8/8/8 b - - 0 1";
    for (fen, ending) in [(MATED, "checkmate"), (stalemate, "stalemate")] {
        let line = last_line(&["evaluate", "--fen", fen, "--json"]);
        let json: Value = serde_json::from_str(&line).expect(&line);
        assert_eq!(json["ending"], ending, "{line}");
        assert_eq!(json["moves"], serde_json::json!([]), "{line}");
        let finished = run(&["evaluate", "--fen", fen]);
        assert_eq!(finished.code, 0, "{finished:?}");
        assert!(finished.out.contains(&format!("no legal move: {ending}")), "{finished:?}");
        let finished = run_with_input(&Folder::new(), &["evaluate", "-"], fen.as_bytes());
        assert_eq!(finished.code, 0, "{finished:?}");
    }
    let line = last_line(&["evaluate", "--depth", "1", "--json"]);
    assert!(!line.contains("\"ending\""), "{line}");
}

#[test]
#[cfg(target_os = "linux")]
fn a_failed_write_to_standard_output_says_so() {
    for arguments in [&["perft", "1"][..], &["help"]] {
        let full = std::fs::File::options().write(true).open("/dev/full").expect("a device");
        let folder = Folder::new();
        let mut command = program(&folder, arguments);
        let finished = command.stdout(full).stderr(Stdio::piped()).output().expect("it runs");
        let error = String::from_utf8_lossy(&finished.stderr);
        assert_eq!(finished.status.code(), Some(2), "{arguments:?}");
        assert!(error.contains("stopdown: cannot write to standard output: No space"), "{error}");
    }
}

#[test]
fn errors_exit_with_code_2() {
    for (arguments, words) in [
        (&["evaluate", "--fen", "nonsense"][..], "\"nonsense\" is not a FEN"),
        (&["perft", "2", "--fen", "8/8/8/8/8/8/8/8 w - - 0 1"], "the board is empty"),
        (&["perft", "many"], "many"),
        (&["perft", "-1"], "a whole number from 0 to 30"),
        (&["play", "--seed", "-1"], "a whole number of at least 0"),
        (&["rate", "x.pgn", "--min-moves", "-1"], "a whole number of at least 0"),
        (&["rate", "x.pgn", "--threads", "-1"], "a whole number from 1 to 512"),
        (&["analyse", "x.pgn", "--rating", "--json"], "--rating <ELO>"),
        (&["profile", "x.pgn", "--player", "Ann", "--scale", "Regan-Fitted"], "Regan-Fitted"),
        (&["lichess-bot", "--elo", "100"], "Lichess ratings must be from 400 to 3400"),
        (&["profile", "x.pgn", "--player", "Ann"], "use --add"),
        (&["tournament"], "give at least two players"),
        (&["ladder", "--pgn", "games.pgn", "--resume"], "give its players again"),
        (&["perft"], "Usage"),
        (&["evaluate", "--depth", "0"], "0"),
        (&["evaluate", "--depth", "200"], "200"),
        (&["evaluate", "--depth", "-1"], "a number of plies from 1 to 190"),
        (
            &["evaluate", "--depth", "1", "--store", "/no/such/x.db"],
            "/no/such/x.db: the folder /no/such does not exist",
        ),
        (&["evaluate", "--cap", "x"], "x"),
        (&["evaluate", "--cap", "nan"], "a number of pawns from 0 to 1000"),
        (&["evaluate", "--threads", "0"], "0"),
        (&["evaluate", "--epd", "/no/such/file"], "/no/such/file"),
        (&["bench", "0"], "0"),
        (&["frobnicate"], "frobnicate"),
        (&["perft", "2", "--config", "/no/such/file"], "/no/such/file"),
    ] {
        let finished = run(arguments);
        assert_eq!(finished.code, 2, "{arguments:?}");
        assert!(finished.error.contains(words), "{arguments:?}: {}", finished.error);
        assert_eq!(finished.out, "", "{arguments:?}");
    }
}

#[test]
fn a_configuration_error_stops_a_subcommand() {
    let folder = Folder::new();
    folder.write("engine.toml", "[options]\nHsah = 1\n");
    let finished = run_with_input(&folder, &["perft", "1"], b"");
    assert_eq!(finished.code, 2);
    assert!(
        finished.error.contains("engine.toml:2: unknown option \"Hsah\"; did you mean \"Hash\"?"),
        "{}",
        finished.error
    );
}

#[test]
#[cfg(target_os = "linux")]
fn a_named_configuration_precedes_the_users_and_the_working_directorys() {
    let folder = Folder::new();
    let is_of = |arguments: &[&str], name: &str| {
        let finished = run_with_input(&folder, arguments, b"");
        assert_eq!(finished.code, 2, "{name}: {finished:?}");
        let message = format!("{name}:2: unknown option \"{name}\"");
        assert!(finished.error.contains(&message), "{name}: {}", finished.error);
    };
    // Each file causes an error that identifies it.
    let write = |path: &str, name: &str| {
        folder.write(path, &format!("[options]\n\"{}\" = 1\n", folder.path().join(name).display()));
    };
    let path = |name: &str| folder.path().join(name).display().to_string();
    write("engine.toml", "engine.toml");
    is_of(&["perft", "1"], &path("engine.toml"));
    std::fs::create_dir(folder.path().join("stopdown")).expect("it can be made");
    write("stopdown/engine.toml", "stopdown/engine.toml");
    is_of(&["perft", "1"], &path("stopdown/engine.toml"));
    write("named.toml", "named.toml");
    is_of(&["perft", "1", "--config", &path("named.toml")], &path("named.toml"));
}

/// Downloads contain the shipped `engine.toml` beside the program.
#[test]
#[cfg(target_os = "linux")]
fn the_configuration_beside_the_program_does_not_hide_the_users() {
    let folder = Folder::new();
    let copy = folder.path().join("program");
    // If this process copied the file, a process that another test starts at that moment could inherit the open file,
    // and Linux would refuse to run a program that is open for writing.
    let program = env!("CARGO_BIN_EXE_stopdown");
    let copied = std::process::Command::new("cp").arg(program).arg(&copy).status();
    assert!(copied.expect("cp runs").success(), "there is room");
    let complaint = |option: &str| {
        let output = std::process::Command::new(&copy)
            .args(["perft", "1"])
            .current_dir("/")
            .env("XDG_CONFIG_HOME", folder.path())
            .output();
        let error = String::from_utf8(output.expect("it runs").stderr).expect("UTF-8");
        assert!(error.contains(&format!("unknown option \"{option}\"")), "{option}: {error}");
    };
    folder.write("engine.toml", "[options]\nBeside = 1\n");
    complaint("Beside");
    std::fs::create_dir(folder.path().join("stopdown")).expect("it can be made");
    folder.write("stopdown/engine.toml", "[options]\nMine = 1\n");
    complaint("Mine");
}

#[test]
fn a_network_that_cannot_be_read_is_named_with_the_option_that_sets_it() {
    let folder = Folder::new();
    folder.write("engine.toml", "[options]\nEvalFile = \"missing.bin\"\n");
    for (with, expected) in [
        (&[][..], "EvalFile in engine.toml: missing.bin"),
        (&["--eval-file", "other.bin"], "--eval-file: other.bin"),
    ] {
        let finished = run_with_input(&folder, &[&["evaluate"], with].concat(), b"");
        assert_eq!(finished.code, 2, "{finished:?}");
        assert!(finished.error.contains(expected), "{}", finished.error);
    }
}

#[test]
fn a_file_of_games_is_not_read_as_positions() {
    let folder = Folder::new();
    let games = folder.write("games.pgn", "[Event \"?\"]\n\n1. e4 *\n");
    let finished = run(&["evaluate", "--epd", &games]);
    assert_eq!((finished.code, finished.out.as_str()), (2, ""));
    assert!(finished.error.contains("games.pgn looks like a PGN file"), "{}", finished.error);
}

#[test]
fn help_shows_what_a_command_accepts() {
    let help = |command: &str| run(&[command, "--help"]).out;
    let profile = help("profile");
    assert!(
        !profile.contains("Regan-") && !profile.contains("may be repeated\n      --skip"),
        "{profile}"
    );
    assert!(profile.contains("--player <NAME>") && profile.contains("Chesscom-Rapid"), "{profile}");
    assert_eq!(help("bench").matches("engine.toml").count(), 2, "{}", help("bench"));
}

#[test]
fn every_command_has_help() {
    for arguments in [
        &["help"][..],
        &["--help"],
        &["help", "bench"],
        &["help", "evaluate"],
        &["perft", "--help"],
    ] {
        let finished = run(arguments);
        assert_eq!(finished.code, 0, "{arguments:?}");
        assert!(finished.out.contains("Examples:"), "{arguments:?}: {}", finished.out);
    }
    assert!(last_line(&["--version"]).starts_with("stopdown "));
}

#[test]
fn a_closed_pipe_is_not_an_error() {
    let folder = Folder::new();
    let mut child = program(&folder, &["evaluate", "-", "--depth", "1"])
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    drop(child.stdout.take());
    let mut stdin = child.stdin.take().expect("standard input is piped");
    let line = b"4k3/8/8/8/8/8/8/4K3 w - -\n";
    // The program may exit before it has read the whole input.
    while std::io::Write::write_all(&mut stdin, line).is_ok() {}
    let finished = child.wait_with_output().expect("the program ends");
    assert_eq!(finished.status.code(), Some(0));
    assert_eq!(finished.stderr, b"");
}

#[test]
fn a_command_that_has_moved_to_the_laboratory_is_named_in_one_line() {
    for words in [
        &["calibrate", "--work", "x"][..],
        &["tune"],
        &["help", "similarity"],
        &["endgame", "study", "KQKR"],
    ] {
        let output = program(&Folder::new(), &[]).args(words).output();
        let output = output.expect("the program ends");
        let error = String::from_utf8(output.stderr).expect("UTF-8");
        assert_eq!(output.status.code(), Some(2), "{words:?}");
        let name = words.join(" ").replace("help ", "");
        let name = name.split(" --").next().unwrap_or_default().replace(" KQKR", "");
        assert!(error.contains(&format!("use stopdown-lab {name}")), "{words:?}: {error}");
        assert_eq!(error.lines().count(), 1, "{error}");
    }
}

#[test]
fn a_position_without_its_option_is_explained() {
    let whole = "8/8/8/4k3/8/8/4P3/4K3 w - - 0 1";
    let alone = vec!["choose", whole, "--json"];
    let without_quotes = ["evaluate", "--fen"].into_iter().chain(whole.split(' ')).collect();
    for words in [alone, vec!["evaluate", whole], without_quotes] {
        let output = program(&Folder::new(), &[]).args(&words).output().expect("the program ends");
        let error = String::from_utf8(output.stderr).expect("UTF-8");
        assert_eq!(output.status.code(), Some(2), "{words:?}");
        assert!(error.contains(&format!("--fen \"{whole}\"")), "{words:?}: {error}");
    }
    // Other errors keep their usual message.
    let words = ["evaluate", "--fen", whole, "--dept", "3"];
    let output = program(&Folder::new(), &[]).args(words).output().expect("the program ends");
    assert!(String::from_utf8_lossy(&output.stderr).contains("--dept"));
}

#[cfg(unix)]
#[test]
fn names_that_are_not_unicode_are_refused_without_a_crash() {
    use std::os::unix::ffi::OsStrExt;

    let folder = Folder::new();
    let odd = std::ffi::OsStr::from_bytes(b"bad\xff.pgn");
    for words in
        [&["rate"][..], &["help"], &["split", "games.pgn", "--out"], &["perft", "1", "--fen"]]
    {
        let finished = program(&folder, words).arg(odd).output();
        let finished = finished.expect("the program runs");
        let error = String::from_utf8_lossy(&finished.stderr);
        assert_eq!(finished.status.code(), Some(2), "{words:?}: {error}");
        assert!(!error.contains("panicked"), "{words:?}: {error}");
    }
}

#[test]
fn a_file_of_players_is_not_overwritten() {
    let folder = Folder::new();
    let players = folder.write("players.txt", "self depth=1\nself depth=2\n");
    let words = ["ladder", "--players", &players, "--games", "2", "--html", &players];
    let finished = run_with_input(&folder, &words, b"");
    assert_eq!(finished.code, 2, "{}", finished.out);
    assert!(finished.error.contains("is also an input"), "{}", finished.error);
    let left = std::fs::read_to_string(folder.path().join("players.txt"));
    assert!(left.expect("it is there").starts_with("self depth=1"));
}
