//! Engines as child processes, and the processor time that each uses.
//!
//! Our own engine is also run as a child process, so that all engines are measured in the same way.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::common::{Engine, Folder, Search, word_after};

/// Clock ticks per second in /proc, the same on every Linux.
const TICKS: f64 = 100.0;

/// Hash size for every engine, in MiB.
const HASH: &str = "16";

/// More lines than any position has moves. It is also the maximum that Ethereal accepts.
const ALL_LINES: &str = "256";

/// The processor time of a process in seconds, over all its threads.
pub fn processor_seconds(id: u32) -> f64 {
    let stat = fs::read_to_string(format!("/proc/{id}/stat")).expect("the engine runs");
    // The name is in brackets and may contain anything. After it, user time is the twelfth field.
    let (_, fields) = stat.rsplit_once(')').expect("the name is in brackets");
    let ticks = |field: &str| field.parse::<u64>().expect("times are whole numbers");
    fields.split_whitespace().skip(11).take(2).map(ticks).sum::<u64>() as f64 / TICKS
}

/// A UCI engine on one thread.
pub struct Contestant {
    pub name: String,
    engine: Engine,
}

impl Contestant {
    pub fn own() -> Contestant {
        Contestant::new("stopdown", Engine::start())
    }

    /// A peer from its Debian package, if it is installed.
    pub fn peer(name: &str) -> Option<Contestant> {
        let path = Path::new("/usr/games").join(name);
        if !path.exists() {
            println!("{} is not installed: skipped", path.display());
            return None;
        }
        let folder = Folder::new();
        let mut command = Command::new(path);
        command
            .current_dir(folder.path())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null());
        Some(Contestant::new(name, Engine::spawn(command, folder)))
    }

    fn new(name: &str, mut engine: Engine) -> Contestant {
        engine.send("uci");
        engine.until("uciok");
        let mut contestant = Contestant { name: name.to_owned(), engine };
        contestant.set("Hash", HASH);
        contestant
    }

    fn set(&mut self, option: &str, value: &str) {
        self.engine.send(&format!("setoption name {option} value {value}"));
        self.engine.sync();
    }

    pub fn show_all_moves(&mut self) {
        self.set("MultiPV", ALL_LINES);
    }

    /// Sets up a position with cleared caches. The preparation is not measured.
    fn prepare(&mut self, fen: &str) {
        self.engine.send("ucinewgame");
        self.engine.send(&format!("position fen {fen}"));
        self.engine.sync();
    }

    /// Searches to a depth. Also returns the processor time.
    pub fn search(&mut self, fen: &str, depth: u32) -> (Search, f64) {
        self.prepare(fen);
        let before = processor_seconds(self.engine.id());
        let answer = self.engine.go(&format!("depth {depth}"));
        (answer, processor_seconds(self.engine.id()) - before)
    }

    /// The move that is chosen after `seconds` of processor time, regardless of how busy the
    /// machine is.
    pub fn choose(&mut self, fen: &str, seconds: f64) -> String {
        self.prepare(fen);
        let end = processor_seconds(self.engine.id()) + seconds;
        let limit = Duration::from_secs_f64(30.0 * seconds);
        self.engine.send(&format!("go movetime {}", limit.as_millis()));
        let mut stopped = false;
        loop {
            let line = self.engine.line_within(Duration::from_millis(5));
            if let Some(line) = line.filter(|line| line.starts_with("bestmove")) {
                return word_after(&line, "bestmove").to_owned();
            }
            if !stopped && processor_seconds(self.engine.id()) >= end {
                self.engine.send("stop");
                stopped = true;
            }
        }
    }
}

/// `stopdown evaluate`, reading from a pipe.
pub struct EvaluatePipe(Engine);

/// The output for one position.
pub struct Evaluated {
    pub json: serde_json::Value,
    pub processor: f64,
    pub wall: f64,
}

impl EvaluatePipe {
    pub fn new(depth: u32, threads: u32) -> EvaluatePipe {
        EvaluatePipe::with(depth, threads, &[])
    }

    /// Starts the program with additional arguments.
    pub fn with(depth: u32, threads: u32, words: &[&str]) -> EvaluatePipe {
        let (depth, threads) = (depth.to_string(), threads.to_string());
        let arguments = ["evaluate", "-", "--depth", &depth, "--threads", &threads];
        EvaluatePipe(Engine::start_in(Folder::new(), &[&arguments, words].concat()))
    }

    /// Evaluates all moves and measures the time.
    pub fn evaluate(&mut self, fen: &str) -> Evaluated {
        let before = processor_seconds(self.0.id());
        let started = Instant::now();
        self.0.send(fen);
        let line = self.0.line();
        let wall = started.elapsed().as_secs_f64();
        let processor = processor_seconds(self.0.id()) - before;
        Evaluated { json: serde_json::from_str(&line).expect("JSON"), processor, wall }
    }
}
