//! What an engine and the program that has started it say to each other.

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

/// Games are not to take long: nobody takes a person's time.
const OPTIONS: &str = "[options]\nPace = \"Instant\"\n";

/// The lines that go one way. They are in order; against those of the other way they are not.
#[derive(Debug)]
pub struct Way {
    lines: Receiver<String>,
    seen: Vec<String>,
}

#[derive(Debug)]
pub struct Traffic {
    pub to_engine: Way,
    pub from_engine: Way,
}

impl Way {
    /// What is written into a pipe with this path.
    fn listen(pipe: &Path) -> Way {
        assert!(Command::new("mkfifo").arg(pipe).status().expect("mkfifo").success());
        // Open at both ends, it does not end when an engine does: there may be another.
        let heard = File::options().read(true).write(true).open(pipe).expect("it was made");
        let (sender, lines) = mpsc::channel();
        thread::spawn(move || {
            let lines = BufReader::new(heard).lines().map_while(Result::ok);
            lines.take_while(|line| sender.send(line.clone()).is_ok()).for_each(drop);
        });
        Way { lines, seen: Vec::new() }
    }

    /// The rest of the next line that begins like this.
    pub fn until(&mut self, beginning: &str) -> String {
        self.within(PATIENCE, beginning).unwrap_or_else(|| {
            panic!("nothing begins with {beginning:?} after:\n{}", self.seen.join("\n"))
        })
    }

    /// The same, if there is one in time.
    pub fn within(&mut self, time: Duration, beginning: &str) -> Option<String> {
        let end = Instant::now() + time;
        loop {
            let line = self.lines.recv_timeout(end.saturating_duration_since(Instant::now()));
            let line = line.ok()?;
            let rest = line.strip_prefix(beginning).map(str::to_owned);
            self.seen.push(line);
            if rest.is_some() {
                return rest;
            }
        }
    }

    /// Those that were heard and begin like this.
    pub fn heard(&self, beginning: &str) -> Vec<&str> {
        self.seen.iter().map(String::as_str).filter(|line| line.starts_with(beginning)).collect()
    }
}

impl Traffic {
    /// Makes a program in the folder that is the engine and lets us hear.
    pub fn new(folder: &Folder) -> (Traffic, PathBuf) {
        let [to, from] = ["to", "from"].map(|way| folder.path().join(way));
        let traffic = Traffic { to_engine: Way::listen(&to), from_engine: Way::listen(&from) };
        // Whole lines at a time: a program may run several copies.
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

    /// The move that answers the last `go` that was heard.
    pub fn answer(&mut self) -> String {
        let asked = self.to_engine.heard("go").len();
        while self.from_engine.heard("bestmove ").len() < asked {
            self.from_engine.until("bestmove ");
        }
        let answer = self.from_engine.heard("bestmove ")[asked - 1];
        answer.split(' ').nth(1).unwrap_or_default().to_owned()
    }
}
