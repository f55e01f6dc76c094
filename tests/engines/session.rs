//! Another engine behind our session: our options weaken it, and in all other respects it behaves
//! as it does on its own.

use std::time::Duration;

use crate::common::{Engine, Folder, mock_command, run, word_after};
use crate::mock;

fn proxy(behaviour: &str) -> Engine {
    let mock = mock_command(behaviour);
    Engine::start_in(Folder::new(), &["proxy", "--engine", &mock, "--engine-patience", "5"])
}

/// Sends the options and waits until the session is ready.
fn ready(behaviour: &str, options: &[&str]) -> Engine {
    let mut engine = proxy(behaviour);
    engine.send("uci");
    engine.until("uciok");
    for option in options {
        engine.send(&format!("setoption name {option}"));
    }
    engine.send("ucinewgame");
    engine.sync();
    engine
}

#[test]
fn options_of_both_appear_once_with_ours_first() {
    let mut engine = proxy("plain");
    engine.send("uci");
    let lines = engine.until("uciok");
    let of = |name: &str| {
        let start = format!("option name {name} type");
        lines.iter().filter(|line| line.starts_with(&start)).collect::<Vec<_>>()
    };
    assert_eq!(of("Hash"), ["option name Hash type spin default 16 min 1 max 1048576"]);
    assert_eq!(of("Temper"), ["option name Temper type combo default Solid var Solid var Risky"]);
    assert!(of("UCI_Elo").len() == 1 && of("UCI_Elo")[0].contains("default 1600"));
    assert_eq!((of("Competence").len(), of("EvalFile").len()), (1, 0));
    assert!(
        lines.iter().any(|line| line.starts_with("id name Stopdown") && line.contains("Mock 1"))
    );
    engine.quit();
}

#[test]
fn options_of_both_are_passed_on_in_the_spelling_of_the_engine() {
    let mut engine = ready("lowercase", &["Move Overhead value 70"]);
    let search = engine.go("depth 1");
    let sent = "the overhead is 70";
    assert!(search.0.iter().any(|line| line.contains(sent)), "{search:?}");
    engine.quit();
}

#[test]
fn command_line_engine_options_stay_set_and_a_bad_file_is_only_reported() {
    let folder = Folder::new();
    let file = folder.write("bad.toml", "[options]\nHash = 0\n");
    let mock = mock_command("plain");
    let words = ["proxy", "--engine", &mock, "--engine-option", "Hash=64", "--config", &file];
    let mut engine = Engine::start_in(folder, &words);
    engine.send("uci");
    let lines = engine.until("uciok");
    assert!(lines.iter().any(|line| line.contains("bad.toml:2")), "{lines:?}");
    let is_kept = |line: &String| line.starts_with("option name Hash type spin default 64 ");
    assert!(lines.iter().any(is_kept), "{lines:?}");
    engine.quit();
}

#[test]
fn without_its_engine_the_proxy_ends_with_an_error() {
    let finished = run(&["proxy", "--engine", "/no/such/engine"]);
    assert_eq!(finished.code, 2, "{}", finished.error);
    assert!(finished.error.contains("--engine /no/such/engine: "), "{}", finished.error);
    let finished = run(&["proxy", "--engine", "true"]);
    assert!(
        finished.code == 2 && finished.error.contains("--engine true exited ("),
        "{}",
        finished.error
    );
}

#[test]
fn direct_requests_get_the_engines_own_answers() {
    let mut engine = ready("plain", &["MultiPV value 2", "Temper value Risky"]);
    engine.send("position startpos");
    engine.send("go infinite");
    let lines: Vec<String> = (0..4).map(|_| engine.line()).collect();
    assert!(lines[0].starts_with("info depth 1 multipv 1 score cp "), "{lines:?}");
    assert!(lines[3].contains("depth 2 multipv 2") && lines[3].contains(" wdl 1 2 3 nodes 2 pv"));
    assert!(engine.sync().is_empty());
    engine.send("stop");
    let answer = engine.until("bestmove");
    assert_eq!(answer.len(), 1, "{answer:?}");
    // Without a strength setting, the engine chooses its moves itself.
    let search = engine.go("depth 3 searchmoves e2e4 a2a3");
    assert_eq!(search.scored().len(), 6, "{search:?}");
    engine.quit();
}

#[test]
fn the_most_competent_play_the_best_move_and_explain_shows_all() {
    let options = ["Competence value 30000", "Depth value 3", "Explain value true", "Seed value 5"];
    let mut engine = ready("few", &options);
    engine.send("position startpos");
    let search = engine.go("wtime 60000 btime 60000");
    let moves: Vec<&str> = search
        .0
        .iter()
        .filter_map(|line| line.strip_prefix("info string prob "))
        .filter_map(|rest| rest.split(' ').next())
        .collect();
    assert_eq!(moves.len(), 20);
    let best = moves.iter().max_by_key(|mv| mock::value(mv, 3)).expect("there are moves");
    assert_eq!(search.best(), *best);
    let output = search.0.join("\n");
    assert!(output.contains("shows at most 3 lines"), "{output}");
    engine.quit();
}

/// The moves of a session's self-play.
fn game(seed: u32) -> Vec<String> {
    let seed = format!("Seed value {seed}");
    let mut engine = ready("plain", &["Competence value 300", "Depth value 2", &seed]);
    let mut moves: Vec<String> = Vec::new();
    for _ in 0..12 {
        engine.send(&format!("position startpos moves {}", moves.join(" ")));
        moves.push(engine.go("wtime 60000 btime 60000").best().to_owned());
    }
    engine.quit();
    moves
}

#[test]
fn a_seed_repeats_the_game_with_any_engine() {
    let first = game(7);
    assert_eq!(first, game(7));
    assert_ne!(first, game(8));
}

#[test]
fn strength_names_its_engine_and_analysis_is_never_weakened() {
    let mut engine = proxy("plain");
    engine.send("uci");
    engine.until("uciok");
    engine.send("setoption name UCI_LimitStrength value true");
    engine.send("ucinewgame");
    let output = engine.drain().join("\n");
    assert!(output.contains("Mock 1 evaluates the moves."), "{output}");
    engine.send("go infinite");
    assert_eq!(engine.line(), "info string analysing at full strength");
    assert!(engine.line().starts_with("info depth 1 multipv 1"));
    engine.send("stop");
    engine.answer();
    engine.quit();
}

#[test]
fn a_crashed_engine_is_restarted_and_a_move_is_played() {
    let folder = Folder::new();
    let count = folder.path().join("count").display().to_string();
    for (behaviour, options) in
        [("crash-once", &["Competence value 500", "Depth value 2"][..]), ("crash-twice", &[])]
    {
        let mut engine = ready(&format!("{behaviour}:{count}"), options);
        for round in 0..4 {
            engine.send("position startpos moves e2e4");
            let search = engine.go("movetime 2000");
            let legal = mock::value(search.best(), 1);
            assert!(search.best().len() == 4 && (-200..200).contains(&legal));
            let output = search.0.join("\n");
            assert_eq!(
                output.contains("Mock 1 exited"),
                round == 2,
                "{behaviour} {round}: {output}"
            );
            let own = behaviour == "crash-twice" && round == 2;
            assert_eq!(output.contains("Stopdown evaluates this move itself"), own, "{output}");
        }
        engine.quit();
        std::fs::remove_file(&count).expect("it was counted");
    }
}

#[test]
fn an_engine_without_options_is_used_again_after_settings_have_changed() {
    let folder = Folder::new();
    let count = folder.path().join("count").display().to_string();
    let mut engine = ready(&format!("bare-crash-twice:{count}"), &[]);
    for round in 0..4 {
        engine.send("position startpos moves e2e4");
        let output = engine.go("movetime 2000").0.join("\n");
        let has_failed = output.contains("Stopdown evaluates this move itself");
        assert_eq!(has_failed, round == 2, "{round}: {output}");
        engine.send("setoption name UCI_AnalyseMode value true");
    }
    engine.quit();
}

#[test]
fn the_session_responds_while_the_engine_hangs() {
    let mut engine = ready("stall", &["Competence value 500"]);
    engine.send("position startpos");
    engine.send("go movetime 100000");
    engine.sync();
    engine.send("stop");
    let search = engine.answer();
    // The engine may not even have received its `go` command yet.
    let is_named = |line: &String| line.contains("Mock 1 did not answer");
    assert!(search.0.iter().any(is_named), "{search:?}");
    assert_ne!(word_after(&search.0[search.0.len() - 1], "bestmove"), "0000");
    engine.send("go infinite");
    assert!(engine.line_within(Duration::from_millis(50)).is_none_or(|l| l.starts_with("info")));
    engine.quit();
}

#[test]
fn an_option_alone_can_set_another_engine() {
    let mut engine = Engine::start();
    engine.send(&format!("setoption name Engine value {}", mock_command("plain")));
    engine.send("setoption name Competence value 500\nsetoption name Depth value 2\nucinewgame");
    let output = engine.until("info string Plays with competence").join("\n");
    assert!(output.contains("Mock 1 evaluates the moves."), "{output}");
    engine.send("position startpos");
    let search = engine.go("movetime 1000");
    assert_eq!(search.best().len(), 4, "{search:?}");
    engine.send("uci");
    let output = engine.until("uciok").join("\n");
    assert!(output.contains(" with Mock 1") && output.contains("option name Temper"), "{output}");
    engine.send("setoption name Engine value /no/such/program");
    let output = engine.until("info string Engine /no/such/program").join("\n");
    assert!(output.contains("evaluates the moves itself"), "{output}");
    assert_eq!(engine.go("depth 2").best().len(), 4);
    engine.send("setoption name Engine value <empty>\nuci");
    assert!(!engine.until("uciok").join("\n").contains("Mock"));
    engine.quit();
}
