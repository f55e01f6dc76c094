//! Records the traffic between an engine and the program that started it.

use std::fs::{self, File};
use std::io::{BufRead, BufReader};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::mpsc::{self, Receiver};
use std::thread;
use std::time::{Duration, Instant};

use super::PATIENCE;
use super::common::Folder;

/// Options that make the engine reply at once, to keep games short.
const OPTIONS: &str = "[options]\nPace = \"Instant\"\n";

/// The lines sent in one direction. The record does not show how they interleave with lines in the
/// other direction.
#[derive(Debug)]
pub struct LineLog {
    lines: Receiver<String>,
    seen: Vec<String>,
}

#[derive(Debug)]
pub struct Traffic {
    pub to_engine: LineLog,
    pub from_engine: LineLog,
}

impl LineLog {
    /// Listens to the lines written to the pipe at this path.
    fn listen(pipe: &Path) -> LineLog {
        assert!(Command::new("mkfifo").arg(pipe).status().expect("mkfifo").success());
        // As the pipe is open for both reading and writing, it does not close when an engine exits.
        // Another engine may follow.
        let pipe_file = File::options().read(true).write(true).open(pipe).expect("it was made");
        let (sender, lines) = mpsc::channel();
        thread::spawn(move || {
            let lines = BufReader::new(pipe_file).lines().map_while(Result::ok);
            lines.take_while(|line| sender.send(line.clone()).is_ok()).for_each(drop);
        });
        LineLog { lines, seen: Vec::new() }
    }

    /// Waits for the next line with this prefix and returns the rest of it.
    pub fn until(&mut self, prefix: &str) -> String {
        self.within(PATIENCE, prefix).unwrap_or_else(|| {
            panic!("no line starts with {prefix:?} after:\n{}", self.seen.join("\n"))
        })
    }

    /// Like `until`, but returns `None` after a timeout.
    pub fn within(&mut self, time: Duration, prefix: &str) -> Option<String> {
        let end = Instant::now() + time;
        loop {
            let line = self.lines.recv_timeout(end.saturating_duration_since(Instant::now()));
            let line = line.ok()?;
            let rest = line.strip_prefix(prefix).map(str::to_owned);
            self.seen.push(line);
            if rest.is_some() {
                return rest;
            }
        }
    }

    /// Returns the recorded lines with this prefix.
    pub fn recorded(&self, prefix: &str) -> Vec<&str> {
        self.seen.iter().map(String::as_str).filter(|line| line.starts_with(prefix)).collect()
    }
}

impl Traffic {
    /// Creates a wrapper program in the folder that runs the engine and records its traffic.
    pub fn new(folder: &Folder) -> (Traffic, PathBuf) {
        let [to, from] = ["to", "from"].map(|way| folder.path().join(way));
        let traffic =
            Traffic { to_engine: LineLog::listen(&to), from_engine: LineLog::listen(&from) };
        // Lines are copied whole, one at a time, because a program may run several engines.
        let script = format!(
            "#!/bin/bash\nexport XDG_DATA_HOME='{0}' XDG_CACHE_HOME='{0}'\n\
             sed -u 'w {1}' | '{2}' --config '{3}' | sed -u 'w {4}'\n",
            folder.path().display(),
            to.display(),
            env!("CARGO_BIN_EXE_stopdown"),
            folder.write("options.toml", OPTIONS),
            from.display()
        );
        let path = PathBuf::from(folder.write("stopdown-heard", &script));
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("it is ours");
        (traffic, path)
    }

    /// Waits for the move that answers the last recorded `go`.
    pub fn answer(&mut self) -> String {
        let asked = self.to_engine.recorded("go").len();
        while self.from_engine.recorded("bestmove ").len() < asked {
            self.from_engine.until("bestmove ");
        }
        let answer = self.from_engine.recorded("bestmove ")[asked - 1];
        answer.split(' ').nth(1).unwrap_or_default().to_owned()
    }
}
