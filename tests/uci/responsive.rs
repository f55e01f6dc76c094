//! The real program responds at once, regardless of what another engine, a file or its own
//! background work does.

#![cfg(unix)]

use std::process::Command;
use std::time::{Duration, Instant};

use crate::common::{Engine, Folder, mute, program, script};

/// The promise is 50 ms. On a loaded machine, the engine may get the processor later.
const AT_ONCE: Duration = Duration::from_millis(250);

/// Programs that start but are not engines, and engines that stop responding.
fn hanging(folder: &Folder) -> Vec<String> {
    let programs = ["sleep 1000", "cat", "yes"].map(str::to_owned).into_iter();
    programs.chain(["uciok", "readyok", "go"].map(|after| mute(folder, after))).collect()
}

fn ready_at_once(engine: &mut Engine, what: &str) {
    let asked = Instant::now();
    engine.sync();
    assert!(asked.elapsed() < AT_ONCE, "{what}: readyok after {:?}", asked.elapsed());
}

fn with_engine(words: &str) -> Engine {
    let mut engine = Engine::start();
    // The program's start is not measured.
    engine.sync();
    engine.send(&format!("setoption name Engine value {words}"));
    engine
}

#[test]
fn pipelined_commands_are_answered_in_order_before_quit() {
    let folder = Folder::new();
    for engine in ["", "setoption name Engine value sleep 1000\n"] {
        let mut session = Engine::start();
        session.send(&format!("{engine}uci\nisready\nquit"));
        let (code, output) = session.end();
        let place = |answer: &str| output.iter().position(|line| line == answer);
        assert_eq!(code, 0);
        let places = (place("uciok"), place("readyok"));
        assert!(places.0.is_some() && places.0 < places.1, "{engine}: {places:?}");
    }
    let mut session = with_engine(&mute(&folder, "uciok"));
    session.send("uci\nisready");
    let output = session.until("readyok");
    assert!(output.iter().any(|line| line == "uciok"), "{output:?}");
}

#[test]
fn an_unknown_option_is_reported_even_if_the_engine_has_not_started() {
    let mut session = Engine::start();
    session
        .send("setoption name Engine value sleep 1000\nsetoption name Foo value 1\nisready\nquit");
    let (_, output) = session.end();
    let reports = output.iter().filter(|line| line.contains("unknown option \"Foo\""));
    assert_eq!(reports.count(), 1, "{output:?}");
}

#[test]
fn isready_stop_and_quit_are_answered_at_once_whatever_the_engine_does() {
    let folder = Folder::new();
    for words in hanging(&folder) {
        let mut engine = with_engine(&words);
        ready_at_once(&mut engine, &words);
        engine.send("ucinewgame\nposition startpos moves e2e4\ngo infinite");
        ready_at_once(&mut engine, &words);
        let asked = Instant::now();
        engine.send("stop");
        assert_eq!(engine.answer().best().len(), 4, "{words}");
        assert!(asked.elapsed() < AT_ONCE, "{words}: bestmove {:?} after stop", asked.elapsed());
        engine.send("go infinite");
        let asked = Instant::now();
        engine.quit();
        assert!(asked.elapsed() < AT_ONCE, "{words}: ended {:?} after quit", asked.elapsed());
    }
}

#[test]
fn a_move_arrives_in_time_whatever_the_engine_does() {
    let folder = Folder::new();
    for words in hanging(&folder) {
        for strength in ["30000", "500"] {
            let mut engine = with_engine(&words);
            engine.send(&format!("setoption name Competence value {strength}"));
            for clock in ["wtime 1500 btime 1500", "movetime 500"] {
                let most = if clock == "movetime 500" { 500 } else { 1500 };
                let asked = Instant::now();
                let search = engine.go(clock);
                assert_eq!(search.best().len(), 4, "{words}: {search:?}");
                let allowed = Duration::from_millis(most) + AT_ONCE;
                assert!(asked.elapsed() < allowed, "{words} {clock}: {:?}", asked.elapsed());
            }
            engine.quit();
        }
    }
}

#[test]
fn a_search_with_a_clock_does_not_wait_for_a_large_hash_table() {
    // If there is not enough memory, the new table is rejected and the old one is kept.
    let large = "setoption name Hash value 2048";
    let mut engine = Engine::start();
    engine.sync();
    engine.send(large);
    ready_at_once(&mut engine, large);
    engine.send("go infinite");
    let asked = Instant::now();
    engine.send("stop");
    assert_eq!(engine.answer().best().len(), 4);
    assert!(asked.elapsed() < AT_ONCE, "bestmove {:?} after stop", asked.elapsed());
    let asked = Instant::now();
    assert_eq!(engine.go("wtime 1000 btime 1000").best().len(), 4);
    assert!(asked.elapsed() < Duration::from_millis(1000), "{:?}", asked.elapsed());
    engine.quit();
}

#[test]
fn commands_are_answered_while_the_engine_of_the_command_line_starts() {
    for given in ["sleep 1000", "cat"] {
        let mut engine = Engine::start_in(Folder::new(), &["proxy", "--engine", given]);
        engine.sync();
        assert_eq!(engine.go("movetime 100").best().len(), 4, "{given}");
        ready_at_once(&mut engine, given);
        let asked = Instant::now();
        engine.quit();
        assert!(asked.elapsed() < AT_ONCE, "{given}: ended {:?} after quit", asked.elapsed());
    }
}

/// An engine that answers `uci` and `setoption` with these shell commands, and always plays the same move.
fn engine_script(folder: &Folder, name: &str, uci: &str, setoption: &str) -> String {
    let text = format!(
        r#"#!/bin/sh
while read -r word rest; do
    case "$word" in
    uci)
        {uci}
        echo "uciok"
        ;;
    setoption) {setoption} ;;
    isready) echo "readyok" ;;
    go) echo "bestmove a2a3" ;;
    quit) exit ;;
    esac
done
"#
    );
    script(folder, name, &text)
}

#[test]
fn a_slow_engine_plays_once_it_has_started() {
    let folder = Folder::new();
    let path = engine_script(&folder, "slow.sh", r#"sleep 1; echo "id name Slow""#, ":");
    let mut engine = with_engine(&path);
    let search = engine.go("movetime 100");
    assert!(!search.scored().is_empty(), "Stopdown plays this move itself: {search:?}");
    assert_eq!(engine.go("wtime 600000 btime 600000").best(), "a2a3");
    engine.quit();
}

#[test]
fn stopdown_refuses_to_be_its_own_engine() {
    let folder = Folder::new();
    let own = env!("CARGO_BIN_EXE_stopdown");
    folder.write("engine.toml", &format!("[options]\nEngine = '{own}'\n"));
    let mut command = program(&folder, &[]);
    command.env("STOPDOWN_EVALUATES_FOR", "1");
    let mut engine = Engine::spawn(command, Folder::new());
    engine.until(&format!("info string Engine {own}: this program was started by Stopdown"));
    assert_eq!(engine.go("depth 1").best().len(), 4);
    engine.quit();
    let mut engine = Engine::start_in(folder, &[]);
    engine.until(&format!("info string Engine {own} is Stopdown itself"));
    assert_eq!(engine.go("depth 1").best().len(), 4);
    engine.quit();
}

#[test]
fn only_regular_files_are_opened() {
    let folder = Folder::new();
    let pipe = folder.path().join("pipe").display().to_string();
    let made = Command::new("mkfifo").arg(&pipe).status().expect("mkfifo is installed");
    assert!(made.success());
    for path in [&*pipe, "/dev/stdin", "/dev/zero"] {
        let mut engine = Engine::start();
        engine.send(&format!("setoption name EvalFile value {path}"));
        let refused = format!("{path}: this is not a regular file");
        engine.until(&format!("info string EvalFile {refused}"));
        ready_at_once(&mut engine, path);
        engine.send("setoption name Imitator value true\nsetoption name Depth value 1");
        engine.send("setoption name UCI_Opponent value none none human Anna");
        engine.send(&format!("setoption name Imitator Memory value {path}\nucinewgame"));
        engine.until(&format!("info string {refused}"));
        assert_eq!(engine.go("wtime 60000 btime 60000").best().len(), 4, "{path}");
        engine.quit();
    }
}

/// Processor time of all threads of a process, in hundredths of a second.
#[cfg(target_os = "linux")]
fn busy(engine: &Engine) -> u64 {
    let path = format!("/proc/{}/stat", engine.id());
    let text = std::fs::read_to_string(path).expect("the process runs");
    let fields = text.rsplit(')').next().expect("the name is in brackets");
    let ticks = fields.split_whitespace().skip(11).take(2);
    ticks.map(|ticks| ticks.parse::<u64>().expect("a number")).sum()
}

#[test]
#[cfg(target_os = "linux")]
fn with_one_thread_the_process_is_idle_after_the_move() {
    let folder = Folder::new();
    let mut engine = Engine::start();
    engine.send(&format!("setoption name Endgame Tables value {}", folder.path().display()));
    engine.send("position fen 4k3/pp6/8/8/8/8/PP4N1/4K2R w - - 0 1");
    engine.go("movetime 100");
    engine.sync();
    let before = busy(&engine);
    assert_eq!(engine.line_within(Duration::from_millis(400)), None);
    let after = busy(&engine);
    assert!(after - before < 5, "{} ms busy after the move", 10 * (after - before));
}

#[test]
fn an_option_set_while_the_engine_changes_is_not_lost() {
    let folder = Folder::new();
    // Our engine has this option too, but does not show it. The other engine writes its values to a file.
    let uci = r#"echo "id name Network"; echo "option name EvalFile type string default <empty>""#;
    let path = engine_script(&folder, "network.sh", uci, r#"echo "$rest" >> "$0.options""#);
    // The engine may not have started yet.
    let mut engine = with_engine(&path);
    engine.send("setoption name EvalFile value first.nnue");
    assert_eq!(engine.go("wtime 600000 btime 600000").best(), "a2a3");
    let options = std::fs::read_to_string(format!("{path}.options")).expect("it was written");
    assert!(options.contains("name EvalFile value first.nnue"), "{options}");
    // Our engine may not have taken over yet.
    engine.send("uci");
    assert!(engine.until("uciok").iter().any(|line| line.contains("option name EvalFile")));
    engine.send("setoption name Engine value <empty>\nsetoption name EvalFile value second.nnue");
    engine.until("info string EvalFile second.nnue");
    engine.quit();
}
