//! Real GUIs use the engine for whole games, takebacks, new games, analysis and different levels.
//!
//! Programs with windows run on a virtual screen. Their traffic with the engine is recorded. These
//! tests run only with `STOPDOWN_CLIENTS=1`: see `tests/common/needs.rs`.

#![cfg(target_os = "linux")]

#[path = "../common/mod.rs"]
mod common;
mod engines;
mod pychess;
mod python_chess;
mod scid;
mod screen;
mod traffic;
mod xboard;

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::thread;
use std::time::Duration;

use common::{Engine, Folder};

/// A generous timeout, which is exceeded only if something hangs.
const PATIENCE: Duration = Duration::from_secs(60);

/// The time that a program has to exit once its input has ended.
const LAST_WORDS: Duration = Duration::from_secs(2);

/// The reply to 1. e4 at the level that the tests set in every program: 1500 at four plies, with
/// seed 7.
fn reply_of_a_level() -> String {
    let mut engine = Engine::start_in(Folder::new(), &[]);
    for option in ["UCI_LimitStrength value true", "UCI_Elo value 1500", "Seed value 7"] {
        engine.send(&format!("setoption name {option}"));
    }
    engine.send("setoption name Depth value 4\nsetoption name Pace value Instant\nucinewgame");
    engine.send("position startpos moves e2e4");
    engine.go("wtime 9000000 btime 9000000").best().to_owned()
}

/// A program with a driver inside it that executes commands from standard input.
#[derive(Debug)]
struct DrivenProgram {
    child: Child,
    /// `None` once the program has been told to exit.
    input: Option<ChildStdin>,
    answers: Receiver<String>,
}

impl DrivenProgram {
    fn start(command: &mut Command) -> DrivenProgram {
        let command = command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.stderr(Stdio::null()).spawn().expect("it starts");
        let input = child.stdin.take();
        let output = BufReader::new(child.stdout.take().expect("piped"));
        let (sender, answers) = mpsc::channel();
        thread::spawn(move || {
            let lines = output.lines().map_while(Result::ok);
            lines.take_while(|line| sender.send(line.clone()).is_ok()).for_each(drop);
        });
        DrivenProgram { child, input, answers }
    }

    /// Executes one command and returns its result.
    fn ask(&mut self, line: &str) -> String {
        let input = self.input.as_mut().expect("piped");
        writeln!(input, "{line}").expect("the program reads its input");
        loop {
            let answer = self.answers.recv_timeout(PATIENCE);
            let answer = answer.unwrap_or_else(|_| panic!("no answer to {line}"));
            assert!(!answer.starts_with("failed: "), "{line}: {answer}");
            // Skip the program's other output.
            if let Some(answer) = answer.strip_prefix("did: ") {
                return answer.to_owned();
            }
        }
    }
}

impl Drop for DrivenProgram {
    fn drop(&mut self) {
        // At the end of its input, PyChess resumes its suspended engines and exits. Otherwise they would stay forever.
        self.input = None;
        while self.answers.recv_timeout(LAST_WORDS).is_ok() {}
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
