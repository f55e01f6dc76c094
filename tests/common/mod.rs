//! Runs the real program, over UCI as a GUI does, and from a shell.

#![allow(dead_code, unused_imports, reason = "each test binary uses a part of this")]

pub mod needs;
pub mod setups;

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Output, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{self, Receiver};
use std::thread;
use std::time::Duration;

use serde_json::Value as Json;

pub use needs::data;

/// A timeout that is long enough for the slowest machine. It is exceeded only if something hangs.
const PATIENCE: Duration = Duration::from_secs(120);

/// An empty directory that is removed on drop.
#[derive(Debug)]
pub struct Folder(PathBuf);

impl Folder {
    pub fn new() -> Folder {
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let name = format!("stopdown-test-{}-{number}", std::process::id());
        let path = std::env::temp_dir().join(name);
        fs::create_dir_all(&path).expect("the temporary directory can be written to");
        Folder(path)
    }

    pub fn path(&self) -> &Path {
        &self.0
    }

    /// Writes a file into the folder and returns its path.
    pub fn write(&self, name: &str, text: &str) -> String {
        let path = self.0.join(name);
        fs::write(&path, text).expect("the temporary directory can be written to");
        path.display().to_string()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Parses a number in the published figures.
pub fn number(json: &Json) -> f64 {
    json.as_f64().expect("a number")
}

/// Parses a list in the published figures.
pub fn list(json: &Json) -> &[Json] {
    json.as_array().expect("a list")
}

/// The prefix of the argument that turns a test program into a mock engine.
const MOCK: &str = "mock=";

/// Returns the command that starts this test program as a mock engine: its test `mock_engine`
/// receives these words. The package therefore needs no separate mock program.
pub fn mock_command(words: &str) -> String {
    let program = std::env::current_exe().expect("this test");
    format!("\"{}\" mock_engine --exact --nocapture \"{MOCK}{words}\"", program.display())
}

/// The words given to this process, if it is a mock engine.
pub fn mock_words() -> Option<String> {
    std::env::args().find_map(|word| Some(word.strip_prefix(MOCK)?.to_owned()))
}

/// The program of the package that is being tested. The laboratory's tests include this file too.
pub const PROGRAM: &str =
    match (option_env!("CARGO_BIN_EXE_stopdown"), option_env!("CARGO_BIN_EXE_stopdown-lab")) {
        (Some(program), _) | (None, Some(program)) => program,
        (None, None) => panic!("run the tests with Cargo, which sets the path of the program"),
    };

/// The program with these arguments, in a folder without the user's configuration. The program
/// stores its tables there.
pub fn program(folder: &Folder, arguments: &[&str]) -> Command {
    let built = Path::new(PROGRAM);
    let mut command = Command::new(match std::env::var_os("STOPDOWN_PROGRAMS") {
        // A program that was built elsewhere, for example by `tests/sanitize/run`.
        Some(folder) => Path::new(&folder).join(built.file_name().expect("a program has a name")),
        None => built.to_owned(),
    });
    command
        .args(arguments)
        .current_dir(folder.path())
        .env("XDG_CONFIG_HOME", folder.path())
        .env("XDG_CACHE_HOME", folder.path())
        .env("XDG_DATA_HOME", folder.path().join("data"))
        .env("APPDATA", folder.path())
        .env("HOME", folder.path())
        .env("LOCALAPPDATA", folder.path())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}

/// An engine that stops responding: after `uciok`, after the first `readyok`, or on `go`.
#[cfg(unix)]
const MUTE: &str = r#"#!/bin/sh
ready=yes
while read -r word rest; do
    case "$word" in
    uci)
        echo "id name Mute"
        echo "option name MultiPV type spin default 1 min 1 max 500"
        echo "uciok"
        [ "$1" = uciok ] && ready=no
        ;;
    isready)
        [ "$ready" = yes ] && echo "readyok"
        [ "$1" = readyok ] && ready=no
        ;;
    quit) exit ;;
    esac
done
"#;

/// Writes an executable script.
#[cfg(unix)]
pub fn script(folder: &Folder, name: &str, text: &str) -> String {
    use std::os::unix::fs::PermissionsExt;

    let path = folder.write(name, text);
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("the file is writable");
    path
}

/// Returns the command of an engine that stops responding after `uciok`, after the first
/// `readyok`, or on `go`.
#[cfg(unix)]
pub fn mute(folder: &Folder, after: &str) -> String {
    format!("'{}' {after}", script(folder, "mute.sh", MUTE))
}

/// The result of a finished run.
#[derive(Debug)]
pub struct Finished {
    pub code: i32,
    pub out: String,
    pub error: String,
}

/// Runs the program to its end with this standard input.
pub fn run_with_input(folder: &Folder, arguments: &[&str], input: &[u8]) -> Finished {
    let mut child = program(folder, arguments).spawn().expect("the program starts");
    let mut stdin = child.stdin.take().expect("standard input is piped");
    let input = input.to_vec();
    // The program may stop reading early. The rest of the input is then dropped.
    let writer = thread::spawn(move || stdin.write_all(&input).ok());
    let Output { status, stdout, stderr } = child.wait_with_output().expect("the program ends");
    writer.join().expect("the writer does not panic");
    Finished {
        code: status.code().expect("no signal ends the program"),
        out: String::from_utf8(stdout).expect("the program writes UTF-8"),
        error: String::from_utf8(stderr).expect("the program writes UTF-8"),
    }
}

pub fn run(arguments: &[&str]) -> Finished {
    run_with_input(&Folder::new(), arguments, b"")
}

/// The peak memory use of a process, in MiB.
#[expect(clippy::print_stderr, reason = "a test that is skipped says so")]
pub fn peak_memory(process: u32) -> Option<u64> {
    let status = fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kib = line.and_then(|line| line.split_whitespace().next()?.parse::<u64>().ok());
    if kib.is_none() {
        eprintln!("skipped: this system does not report a process's memory");
    }
    kib.map(|kib| kib >> 10)
}

/// A running program and its standard streams.
#[derive(Debug)]
pub struct Engine {
    child: Child,
    stdin: Option<ChildStdin>,
    lines: Receiver<String>,
    _folder: Folder,
}

impl Engine {
    /// Starts the program with the option `Pace` set so that it replies as soon as it can.
    pub fn start() -> Engine {
        let mut engine = Engine::start_in(Folder::new(), &[]);
        engine.send("setoption name Pace value Instant");
        engine
    }

    pub fn start_in(folder: Folder, arguments: &[&str]) -> Engine {
        Engine::spawn(program(&folder, arguments), folder)
    }

    /// Starts any program, with its standard streams piped.
    pub fn spawn(mut command: Command, folder: Folder) -> Engine {
        let mut child = command.spawn().expect("the program starts");
        let stdin = child.stdin.take();
        let stdout = child.stdout.take().expect("standard output is piped");
        let (sender, lines) = mpsc::channel();
        thread::spawn(move || {
            for line in BufReader::new(stdout).lines().map_while(Result::ok) {
                if sender.send(line).is_err() {
                    return;
                }
            }
        });
        Engine { child, stdin, lines, _folder: folder }
    }

    /// The process id.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    pub fn send(&mut self, text: &str) {
        self.send_bytes(text.as_bytes());
        self.send_bytes(b"\n");
    }

    pub fn send_bytes(&mut self, bytes: &[u8]) {
        let stdin = self.stdin.as_mut().expect("the input is open");
        stdin.write_all(bytes).expect("the program reads its input");
    }

    pub fn close_input(&mut self) {
        self.stdin = None;
    }

    /// Waits for the next line.
    pub fn line(&mut self) -> String {
        self.lines.recv_timeout(PATIENCE).expect("the program prints a line")
    }

    /// Waits for the next line until the timeout.
    pub fn line_within(&mut self, time: Duration) -> Option<String> {
        match self.lines.recv_timeout(time) {
            Ok(line) => Some(line),
            Err(mpsc::RecvTimeoutError::Timeout) => None,
            Err(mpsc::RecvTimeoutError::Disconnected) => panic!("the program has ended"),
        }
    }

    /// Returns all lines up to and including the first one with this prefix.
    pub fn until(&mut self, start: &str) -> Vec<String> {
        let mut lines = Vec::new();
        loop {
            lines.push(self.line());
            if lines.last().is_some_and(|line| line.starts_with(start)) {
                return lines;
            }
        }
    }

    /// Returns all output caused by the input so far, however long it takes. It sends `go perft`,
    /// which ends a running search and is answered after all other jobs.
    pub fn drain(&mut self) -> Vec<String> {
        self.send("go perft 1");
        let is_count = |line: &String| {
            let mv = line.split_once(": ").map_or("", |(mv, _)| mv);
            line.is_empty() || matches!(mv.len(), 4 | 5) || line.starts_with("Nodes searched")
        };
        let mut lines = self.until("Nodes searched");
        // An empty line follows.
        self.line();
        lines.retain(|line| !is_count(line));
        lines
    }

    /// Returns the immediate output caused by the input so far, without waiting for searches.
    pub fn sync(&mut self) -> Vec<String> {
        self.send("isready");
        let mut lines = self.until("readyok");
        lines.pop();
        lines
    }

    /// Sends a `go` and waits for its answer.
    pub fn go(&mut self, what: &str) -> Search {
        self.send(&format!("go {what}"));
        self.answer()
    }

    /// Waits for the answer to a `go`.
    pub fn answer(&mut self) -> Search {
        Search(self.until("bestmove"))
    }

    /// Waits for the program to exit. Returns its exit code and its remaining output.
    pub fn end(mut self) -> (i32, Vec<String>) {
        // The channel closes when the program closes its output.
        let mut rest = Vec::new();
        loop {
            match self.lines.recv_timeout(PATIENCE) {
                Ok(line) => rest.push(line),
                Err(mpsc::RecvTimeoutError::Disconnected) => break,
                Err(mpsc::RecvTimeoutError::Timeout) => panic!("the program does not end"),
            }
        }
        let status = self.child.wait().expect("the program has ended");
        let mut error = String::new();
        if let Some(mut stderr) = self.child.stderr.take() {
            stderr.read_to_string(&mut error).expect("the program writes UTF-8");
        }
        assert_eq!(error, "", "the program wrote to standard error");
        (status.code().expect("no signal ends the program"), rest)
    }

    pub fn quit(mut self) -> Vec<String> {
        self.send("quit");
        let (code, rest) = self.end();
        assert_eq!(code, 0);
        rest
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The lines of a search, with `bestmove` last.
#[derive(Debug)]
pub struct Search(pub Vec<String>);

impl Search {
    /// The move played.
    pub fn best(&self) -> &str {
        word_after(self.0.last().expect("a search has an answer"), "bestmove")
    }

    /// The lines with a score.
    pub fn scored(&self) -> Vec<&str> {
        self.0.iter().map(String::as_str).filter(|line| line.contains(" score ")).collect()
    }

    /// The first move of the last principal variation.
    pub fn last_shown(&self) -> &str {
        let is_best = |line: &&&str| line.contains(" multipv 1 ");
        word_after(self.scored().iter().rfind(is_best).expect("a best line is shown"), " pv")
    }
}

/// Returns the word after a key in a line.
pub fn word_after<'a>(line: &'a str, key: &str) -> &'a str {
    let (_, rest) = line.split_once(key).unwrap_or_else(|| panic!("no {key:?} in {line:?}"));
    rest.split_whitespace().next().unwrap_or_default()
}
