//! Regardless of what the engines do, the match continues, and no finished game is lost or
//! repeated.

#[path = "../common/mod.rs"]
mod common;
mod handicaps;
mod mock;

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader};
use std::ops::ControlFlow;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;

use stopdown::arena::{
    Book, ContestantSpec, GameRecord, Order, Pairing, Rules, Tournament, introduce, match_pairings,
};
use stopdown::config::built_in_settings;
use stopdown::endgame::Syzygy;
use stopdown::games::GameResult;

use common::{Folder, data, mock_command, mock_words};

/// Not a test: starts this program as the mock engine for the other tests.
#[test]
fn mock_engine() {
    if let Some(file) = mock_words() {
        mock::run(&file).expect("pipes");
    }
}

fn mock_player(file: &Path) -> String {
    format!("cmd='{}'", mock_command(&file.display().to_string()))
}

fn spec(words: &str) -> ContestantSpec {
    ContestantSpec::parse(words, &built_in_settings().profiles).expect(words)
}

fn tournament(players: [&str; 2], games: usize, concurrency: usize) -> Tournament {
    let players = players.map(spec).to_vec();
    Tournament {
        event: "test".to_owned(),
        names: vec!["A".to_owned(), "B".to_owned()],
        players,
        openings: Book::built_in().select(Order::Random(5), None, games / 2).expect("valid"),
        rules: Rules { max_moves: Some(60), ..Rules::default() },
        is_detailed: true,
        tables: None,
        concurrency,
        guard: None,
    }
}

fn play(tournament: &Tournament, games: usize) -> Vec<GameRecord> {
    play_all(tournament, &match_pairings(games))
}

fn play_all(tournament: &Tournament, pairings: &[Pairing]) -> Vec<GameRecord> {
    let mut records = Vec::new();
    let run = tournament.run(pairings, |record| {
        records.push(record);
        ControlFlow::Continue(())
    });
    run.expect("threads can be started");
    records
}

#[test]
fn an_engine_with_every_vice_never_stops_a_match() {
    let folder = Folder::new();
    let count = folder.path().join("games");
    let mock = format!("{} patience=3 depth=1", mock_player(&count));
    let tournament = tournament([&mock, "self depth=1 option.Hash=1"], 18, 1);
    let records = play(&tournament, 18);
    let reasons: Vec<&str> = records.iter().map(|record| record.reason.as_str()).collect();
    assert_eq!(reasons.len(), 18);
    // The mock engine has White in the first game of every pair, so each misbehaviour occurs with
    // both colours.
    let expected = [
        (2, "disconnects"),
        (4, "stalls"),
        (6, "stalls"),
        (8, "makes an illegal move: e1e8"),
        (14, "disconnects"),
    ];
    for (first, words) in expected {
        for (game, loser) in [(first, "White "), (first + 1, "Black ")] {
            let reason = reasons[game];
            assert!(reason.starts_with(loser) && reason.contains(words), "{game}: {reasons:?}");
        }
    }
    // Normal play, garbage before a move and unrequested moves do not count as faults.
    for game in [0, 1, 10, 11, 12, 13, 17] {
        let termination = &records[game].termination;
        assert!(matches!(termination.as_str(), "normal" | "adjudication"), "{game}: {reasons:?}");
    }
    // An engine that refuses to restart costs one game.
    assert_eq!(records[16].termination, "abandoned", "{reasons:?}");
}

#[test]
fn another_engine_behind_our_session_never_stops_a_match() {
    let folder = Folder::new();
    let engine = mock_player(&folder.path().join("games")).replacen("cmd=", "engine=", 1);
    let players = [&*format!("self {engine} patience=1 depth=1"), "self depth=1 option.Hash=1"];
    assert_eq!(play(&tournament(players, 18, 1), 18).len(), 18);
}

#[test]
fn resuming_with_other_settings_is_refused() {
    let folder = Folder::new();
    let (book, pgn) = (folder.path().join("book.epd"), folder.path().join("games.pgn"));
    let start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
    let write = |text: &str| std::fs::write(&book, text).expect("the folder is writable");
    let run = || {
        let mut command = match_command(&pgn, 2);
        let output = command.arg("--openings").arg(&book).stderr(Stdio::piped()).output();
        String::from_utf8_lossy(&output.expect("the program runs").stderr).into_owned()
    };
    write(start);
    assert_eq!(run(), "");
    write(&start.replace("w KQkq", "b KQkq"));
    assert!(run().contains("different settings: openings is"), "{}", run());
    write(start);
    let path = format!("{}.jsonl", pgn.display());
    let journal = std::fs::read_to_string(&path).expect("a journal");
    std::fs::write(&path, journal.replacen("\"white\":0", "\"white\":7", 1)).expect("writable");
    assert!(run().contains("this game is not between two of the 2 players"), "{}", run());
}

#[test]
fn tablebase_positions_are_adjudicated() {
    let Some(path) = data("syzygy") else { return };
    let tables = Syzygy::open(&path.display().to_string(), 7, true);
    assert!(tables.found > 0, "there are no tables in {}", path.display());
    let folder = Folder::new();
    let book = folder.path().join("book.epd");
    let positions = ["8/8/8/4k3/8/8/3QP3/4K3 w - -", "8/8/8/4k3/8/8/4P3/4K3 b - -"];
    std::fs::write(&book, positions.join("\n")).expect("writable");
    let players = ["self depth=3 option.Hash=1"; 2];
    let mut tournament = tournament(players, 4, 1);
    let book = Book::open(&book).expect("valid");
    tournament.openings = book.select(Order::Sequential, None, 2).expect("valid");
    tournament.tables = Some(Arc::new(tables));
    for record in play(&tournament, 4) {
        assert!(record.reason.contains("adjudication: SyzygyTB"), "{}", record.reason);
        assert_eq!(record.termination, "adjudication");
        assert_eq!(record.effort[0].moves + record.effort[1].moves, 1, "{record:?}");
        assert_eq!(record.result == GameResult::WhiteWins, record.pair == 1);
    }
}

#[test]
fn without_distances_the_fifty_move_rule_still_applies_to_adjudications() {
    let Some(path) = data("syzygy") else { return };
    let folder = Folder::new();
    for name in ["KBNvK.rtbw", "KBvK.rtbw", "KNvK.rtbw"] {
        std::fs::copy(path.join(name), folder.path().join(name)).expect("a table");
    }
    // Mate takes some thirty moves, but only five are left. The files with results do not say so.
    let book = folder.path().join("book.epd");
    std::fs::write(&book, "8/8/8/4k3/8/8/8/KBN5 w - - 90 100").expect("writable");
    let mut tournament = tournament(["self depth=1 option.Hash=1"; 2], 2, 1);
    tournament.openings =
        Book::open(&book).expect("valid").select(Order::Sequential, None, 1).expect("valid");
    tournament.tables = Some(Arc::new(Syzygy::open(&folder.path().display().to_string(), 7, true)));
    for record in play(&tournament, 2) {
        assert_eq!(record.result, GameResult::Draw, "{}", record.reason);
    }
}

#[test]
fn moves_before_the_opening_do_not_count_as_moves_of_the_game() {
    let folder = Folder::new();
    let book = folder.path().join("book.epd");
    let start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 90";
    std::fs::write(&book, start).expect("writable");
    let mut tournament = tournament(["self depth=1 option.Hash=1"; 2], 2, 1);
    tournament.openings =
        Book::open(&book).expect("valid").select(Order::Sequential, None, 1).expect("valid");
    tournament.rules.max_moves = Some(3);
    let records = play(&tournament, 2);
    assert_eq!(records[0].reason, "Draw by adjudication: too many moves");
    assert_eq!(records[0].effort.each_ref().map(|effort| effort.moves), [3, 3]);
}

/// A file that belongs to another program, or has a mistake, must not stop the engines.
#[test]
fn a_configuration_file_in_an_engines_folder_is_not_read() {
    let folder = Folder::new();
    folder.write("engine.toml", "[engine]\nname = \"other\"\n");
    let output = Command::new(env!("CARGO_BIN_EXE_stopdown"))
        .args(["become", "1", "/nonexistent/engine"])
        .current_dir(folder.path())
        .output()
        .expect("the program runs");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(text.contains("/nonexistent/engine"), "{output:?}");
}

#[test]
fn an_engine_that_cannot_play_is_refused_before_the_match() {
    for (words, expected) in [
        ("cmd=/nonexistent/engine depth=1".to_owned(), "engine: program not found; give"),
        (
            format!("{} option.Fast=1 depth=1", mock_player(Path::new("unused"))),
            "no option \"Fast\"",
        ),
        ("cmd=true depth=1".to_owned(), "disconnects"),
    ] {
        let message = introduce(&spec(&words), None).expect_err(&words).to_string();
        assert!(message.contains(expected), "{message}");
    }
    let mut command = Command::new(env!("CARGO_BIN_EXE_stopdown"));
    let refused =
        command.args(["match", "--a", "self elo=900 depth=2", "--b", "cmd=true depth=1"]).output();
    let printed = String::from_utf8(refused.expect("the program runs").stderr).expect("text");
    let note = "The player \"self elo=900 depth=2\": This level needs at least 8 plies, not 2.";
    assert!(printed.contains(note), "{printed}");
    assert!(printed.contains("the player \"cmd=true depth=1\": the engine exited"), "{printed}");
}

#[cfg(unix)]
#[test]
fn games_are_not_saved_in_a_device() {
    let mut command = Command::new(env!("CARGO_BIN_EXE_stopdown"));
    command.args(["match", "--a", "self depth=1", "--b", "self depth=1", "--pgn", "/dev/null"]);
    let refused = command.output().expect("the program runs");
    let printed = String::from_utf8(refused.stderr).expect("text");
    assert!(!refused.status.success());
    assert!(printed.contains("/dev/null is not a file"), "{printed}");
}

#[test]
fn a_player_that_does_not_support_chess960_is_refused_before_the_match() {
    let folder = Folder::new();
    let openings =
        folder.write("960.epd", "bnrbkrqn/pppppppp/8/8/8/8/PPPPPPPP/BNRBKRQN w FCfc -\n");
    let mock = mock_player(&folder.path().join("relayed")) + " depth=1";
    let weakened = format!("self elo=1500 {}", mock.replacen("cmd=", "engine=", 1));
    for player in [mock, weakened] {
        let refused = Command::new(env!("CARGO_BIN_EXE_stopdown"))
            .args(["match", "--a", "self depth=1", "--b", &player, "--openings", &openings])
            .output()
            .expect("the program runs");
        let printed = String::from_utf8(refused.stderr).expect("text");
        assert_eq!(refused.status.code(), Some(2), "{printed}");
        assert!(printed.contains("does not support Chess960"), "{printed}");
    }
}

#[test]
fn missing_tables_are_reported_before_the_match() {
    let folder = Folder::new();
    let pgn = folder.path().join("games.pgn");
    let missing = folder.path().join("nothing").display().to_string();
    let finished = match_command(&pgn, 2)
        .args(["--tb", &missing])
        .stderr(Stdio::piped())
        .output()
        .expect("it ran");
    let error = String::from_utf8_lossy(&finished.stderr);
    assert_eq!(finished.status.code(), Some(2), "{error}");
    assert!(error.contains("no Syzygy tables in"), "{error}");
    assert!(!pgn.exists());
}

/// The moves and the result of each game, by game number and without times.
fn without_times(records: &[GameRecord]) -> BTreeMap<usize, String> {
    let strip = |pgn: &str| {
        let moves = pgn.split("\n\n").nth(1).unwrap_or_default();
        let parts = moves.split('{').map(|part| part.split('}').next_back().unwrap_or_default());
        parts.flat_map(str::split_whitespace).collect::<Vec<&str>>().join(" ")
    };
    records.iter().map(|record| (record.game, strip(&record.pgn))).collect()
}

#[test]
fn node_limits_give_the_same_games_whatever_the_concurrency() {
    let players = ["self nodes=300 option.Hash=1", "self depth=2 option.Hash=1"];
    let alone = without_times(&play(&tournament(players, 12, 1), 12));
    let crowded = without_times(&play(&tournament(players, 12, 4), 12));
    assert_eq!(alone.len(), 12);
    assert_eq!(alone, crowded);
}

fn match_command(pgn: &Path, games: usize) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_stopdown"));
    command.args(["match", "--a", "self depth=2", "--b", "self depth=1", "--each"]);
    command.args(["option.Hash=1", "--games", &games.to_string(), "--concurrency", "2"]);
    command.args(["--interval", "1", "--resume", "--pgn"]).arg(pgn);
    command.stdout(Stdio::piped()).stderr(Stdio::null());
    command
}

fn journal(pgn: &Path) -> Vec<GameRecord> {
    let text = std::fs::read_to_string(format!("{}.jsonl", pgn.display())).expect("a journal");
    let records = text.lines().skip(1).filter(|line| !line.is_empty());
    records.map(|line| serde_json::from_str(line).expect("a record")).collect()
}

fn assert_complete(pgn: &Path, games: usize) {
    let records = journal(pgn);
    let mut numbers: Vec<usize> = records.iter().map(|record| record.game).collect();
    numbers.sort_unstable();
    assert_eq!(numbers, (1..=games).collect::<Vec<usize>>());
    let written: String = records.iter().map(|record| record.pgn.as_str()).collect();
    assert_eq!(std::fs::read_to_string(pgn).expect("a PGN file"), written);
}

#[test]
fn a_match_killed_repeatedly_loses_and_repeats_no_game() {
    let folder = Folder::new();
    let pgn = folder.path().join("games.pgn");
    let games = 40;
    for _ in 0..6 {
        let mut child = match_command(&pgn, games).spawn().expect("the program runs");
        let lines = BufReader::new(child.stdout.take().expect("piped")).lines();
        let standings = lines.map_while(Result::ok).filter(|line| line.starts_with("Games: "));
        assert!(standings.take(4).count() > 0, "the match printed no more standings");
        child.kill().expect("it runs or has just exited");
        child.wait().expect("the child process");
    }
    assert!(match_command(&pgn, games).status().expect("the program runs").success());
    assert_complete(&pgn, games);
}

#[test]
fn truncated_files_are_repaired() {
    let folder = Folder::new();
    let pgn = folder.path().join("games.pgn");
    let path = folder.path().join("games.pgn.jsonl");
    assert!(match_command(&pgn, 6).status().expect("the program runs").success());
    assert_complete(&pgn, 6);
    let whole = without_times(&journal(&pgn));
    let text = std::fs::read(&path).expect("a journal");
    for cut in [0, 10, text.len() / 3, text.len() / 2, text.len() - 1] {
        std::fs::write(&path, &text[..cut]).expect("writable");
        std::fs::write(&pgn, "[Event \"torn").expect("writable");
        assert!(match_command(&pgn, 6).status().expect("the program runs").success());
        assert_complete(&pgn, 6);
        assert_eq!(without_times(&journal(&pgn)), whole, "cut at {cut}");
    }
}

#[test]
fn games_outside_the_journal_are_kept() {
    let folder = Folder::new();
    let pgn = folder.path().join("games.pgn");
    std::fs::write(&pgn, "1. e4 e5 *\n").expect("writable");
    let alone = match_command(&pgn, 2).status().expect("the program runs");
    assert_eq!(alone.code(), Some(2), "a match continued without its journal");
    assert_eq!(std::fs::read_to_string(&pgn).expect("kept"), "1. e4 e5 *\n");
    std::fs::remove_file(&pgn).expect("removable");
    assert!(match_command(&pgn, 2).status().expect("the program runs").success());
    let mut changed = std::fs::read_to_string(&pgn).expect("games");
    changed += "1. d4 d5 {added by hand} *\n";
    std::fs::write(&pgn, &changed).expect("writable");
    assert!(match_command(&pgn, 4).status().expect("the program runs").success());
    assert_complete(&pgn, 4);
    let aside = std::fs::read_to_string(folder.path().join("games.1.pgn"))
        .expect("the old games were renamed");
    assert_eq!(aside, changed);
    // A file that is not a journal remains unchanged.
    let notes = folder.path().join("games.pgn.jsonl");
    for text in ["important\nlast line", "{\"my\":\"json\"}"] {
        std::fs::write(&notes, text).expect("writable");
        assert_eq!(match_command(&pgn, 4).status().expect("the program runs").code(), Some(2));
        assert_eq!(std::fs::read_to_string(&notes).expect("kept"), text);
    }
}

#[test]
fn every_game_has_a_line_with_the_progress_and_the_time_left() {
    let folder = Folder::new();
    let pgn = folder.path().join("games.pgn");
    let run = |games: usize, words: &[&str]| {
        let finished = match_command(&pgn, games).args(words).output().expect("the program runs");
        String::from_utf8(finished.stdout).expect("text")
    };
    let out = run(2, &[]);
    let lines = |out: &str| -> Vec<String> {
        let lines = out.lines().filter(|line| line.starts_with("Finished game "));
        lines.map(str::to_owned).collect()
    };
    let [first, second] = &lines(&out)[..] else { panic!("{out}") };
    assert!(first.contains(" vs ") && first.contains("}, 1 of 2 games, "), "{first}");
    assert!(first.ends_with(" left") && second.ends_with("}, 2 of 2 games"), "{out}");
    assert!(!out.contains("nan") && !out.contains("inf"), "{out}");
    // Resumed games are counted, and there are no other lines in the JSON output.
    let out = run(4, &["--sprt", "0:5"]);
    assert!(lines(&out)[0].contains(", 3 of 4 games, at most "), "{out}");
    let out = run(4, &["--sprt", "0:5", "--json"]);
    assert!(out.starts_with('{') && out.lines().count() == 1, "{out}");
}

#[test]
fn games_are_saved_with_ratings_and_details_on_request() {
    let folder = Folder::new();
    let saved = |words: &[&str]| {
        let pgn = folder.path().join(format!("{}.pgn", words.len()));
        let players = ["match", "--a", "self elo=1500", "--b", "self depth=1", "--games", "2"];
        let mut command = Command::new(env!("CARGO_BIN_EXE_stopdown"));
        command.args(players).args(["--depth", "1", "--max-moves", "5", "--pgn"]).arg(&pgn);
        assert!(command.args(words).output().expect("the program runs").status.success());
        std::fs::read_to_string(pgn).expect("games")
    };
    let text = saved(&[]);
    assert!(
        text.contains("[WhiteElo \"1500\"]\n[BlackElo \"-\"]\n[RatingScale \"FIDE\"]"),
        "{text}"
    );
    assert!(text.contains("[TimeControl \"-\"]") && text.contains("/1 0."), "{text}");
    assert!(!text.contains(", n=") && !text.contains(", p="), "{text}");
    let text = saved(&["--details"]);
    assert!(text.contains(", n=") && text.contains(", p="), "{text}");
}

#[test]
fn games_of_another_match_are_not_mixed_in() {
    let folder = Folder::new();
    let pgn = folder.path().join("games.pgn");
    assert!(match_command(&pgn, 2).status().expect("the program runs").success());
    let other = match_command(&pgn, 2).args(["--plies", "4"]).status().expect("the program runs");
    assert_eq!(other.code(), Some(2));
    // A seed changes nothing unless the order of the openings is random.
    let more = match_command(&pgn, 2).args(["--seed", "4"]).status().expect("the program runs");
    assert!(more.success());
    let more = match_command(&pgn, 4).status().expect("the program runs");
    assert!(more.success());
    assert_complete(&pgn, 4);
}
