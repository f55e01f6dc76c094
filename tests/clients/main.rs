//! Programs that people really use play us: whole games, moves taken back, new games, analysis, other levels.
//!
//! Those with windows run on a screen that nobody sees. What they say to the engine, and it to them, is
//! listened to. These tests run where `STOPDOWN_CLIENTS=1` asks for them: see `tests/common/needs.rs`.

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

/// Only a hang takes so long.
const PATIENCE: Duration = Duration::from_secs(60);

/// A program with a driver within it, which does what lines on its standard input say.
#[derive(Debug)]
struct Driven {
    child: Child,
    input: ChildStdin,
    answers: Receiver<String>,
}

impl Driven {
    fn start(command: &mut Command) -> Driven {
        let command = command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.stderr(Stdio::null()).spawn().expect("it starts");
        let input = child.stdin.take().expect("piped");
        let output = BufReader::new(child.stdout.take().expect("piped"));
        let (sender, answers) = mpsc::channel();
        thread::spawn(move || {
            let lines = output.lines().map_while(Result::ok);
            lines.take_while(|line| sender.send(line.clone()).is_ok()).for_each(drop);
        });
        Driven { child, input, answers }
    }

    /// Has one line done, and gives what came of it.
    fn ask(&mut self, line: &str) -> String {
        writeln!(self.input, "{line}").expect("it reads on");
        loop {
            let answer = self.answers.recv_timeout(PATIENCE);
            let answer = answer.unwrap_or_else(|_| panic!("no answer to {line}"));
            assert!(!answer.starts_with("failed: "), "{line}: {answer}");
            // Such programs say other things too.
            if let Some(answer) = answer.strip_prefix("did: ") {
                return answer.to_owned();
            }
        }
    }
}

impl Drop for Driven {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
