//! Hostile input does no harm: it causes no panic, is processed in less than a second, and needs
//! little memory.
//!
//! Every reader runs in its own process, which may die without ending the tests. You can also run
//! this test for any length of time. It then resumes where the last run stopped:
//!
//! ```text
//! STOPDOWN_TRUST_SECONDS=600 cargo test --release --test trust hostile -- --nocapture
//! ```

use std::fs;
use std::io::{Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use crate::campaign::{child, failure_message, from_env, progress_folder, words_of_child};
use crate::common::{Folder, run_with_input};
use crate::mutator::{input, repeated};
use crate::targets::{TARGETS, Target, USUAL_MEMORY, named};

/// The maximum processor time for one input.
const LONGEST: Duration = Duration::from_secs(1);
/// The length of repetitive inputs, in bytes.
const REPEATED_LENGTH: usize = 1 << 18;

#[test]
fn hostile_input_does_no_harm() {
    let seconds = from_env::<u64>("STOPDOWN_TRUST_SECONDS");
    let seed = from_env("STOPDOWN_TRUST_SEED").unwrap_or(1);
    let only = std::env::var("STOPDOWN_TRUST_TARGET").ok();
    let wanted =
        TARGETS.iter().filter(|target| only.as_ref().is_none_or(|name| name == target.name));
    let next = std::sync::Mutex::new(wanted);
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                loop {
                    let target = next.lock().expect("the lock is not poisoned").next();
                    let Some(target) = target else { return };
                    feed(target, seed, seconds);
                }
            });
        }
    });
}

/// Readers that each break one of the promises.
static HARMFUL: [Target; 3] = [
    harmful("panics", |bytes, _| assert!(bytes.len() < 4, "the input is too long")),
    harmful("is slow", |bytes, _| {
        let start = Instant::now();
        while bytes.len() >= 4 && start.elapsed() < 4 * LONGEST {}
    }),
    harmful("takes memory", |bytes, _| {
        let room: Vec<u8> = Vec::with_capacity(if bytes.len() < 4 { 1 } else { 1 << 29 });
        assert!(std::hint::black_box(room).is_empty());
    }),
];

const fn harmful(name: &'static str, read: fn(&[u8], &Path)) -> Target {
    Target {
        name,
        read,
        seeds: || vec![b"abc".to_vec()],
        words: &[b"d"],
        repair: None,
        memory: USUAL_MEMORY,
        rounds: 40,
    }
}

#[test]
fn harm_is_detected() {
    for (target, says) in HARMFUL.iter().zip(["the input is too long", "the input took", "MiB"]) {
        let found = std::panic::catch_unwind(|| feed(target, 1, None)).expect_err(target.name);
        let printed = found.downcast_ref::<String>().expect("a message");
        assert!(printed.contains(says), "{printed}");
        let harm =
            fs::read(progress_folder(&format!("{}-harm", target.name))).expect("the input is kept");
        assert!(target.name == "takes memory" || harm.len() >= 4, "{harm:?}");
    }
}

#[test]
fn every_reader_is_fuzzed_every_week() {
    let workflow = include_str!("../../.github/workflows/fuzz.yml");
    let list = workflow.lines().find_map(|line| line.trim().strip_prefix("reader: ["));
    let list = list.and_then(|line| line.strip_suffix("]")).expect("a list on a line");
    let mut listed: Vec<&str> = list.split(", ").collect();
    // The reader of position files belongs to the laboratory, and the laboratory's own tests feed
    // it.
    let names = TARGETS.iter().map(|target| target.name);
    let mut readers: Vec<&str> = names.chain(["positions"]).collect();
    listed.sort_unstable();
    readers.sort_unstable();
    assert_eq!(listed, readers);
}

/// Feeds inputs to a reader, starting where the last long run stopped.
fn feed(target: &Target, seed: u64, seconds: Option<u64>) {
    let name = target.name;
    let done = progress_folder(&format!("{name}-{seed}.rounds"));
    let from = match seconds {
        Some(_) => fs::read_to_string(&done).ok().and_then(|text| text.trim().parse().ok()),
        None => None,
    };
    let from: u64 = from.unwrap_or(0);
    let folder = tempfile::tempdir().expect("a folder");
    let (rounds, most) = match seconds {
        Some(seconds) => (u64::MAX, seconds),
        None => (target.rounds, u64::MAX),
    };
    let words = format!("{name}:{seed}:{from}:{rounds}:{most}:{}", folder.path().display());
    let output = child("hostile::reader", &words).output().expect("this test runs");
    let progress = fs::read_to_string(folder.path().join(PROGRESS)).unwrap_or_default();
    let reached = progress.trim().to_owned();
    if !output.status.success() {
        let kept = progress_folder(&format!("{name}-harm"));
        // A process that was killed could not write the file.
        let harm = fs::read(folder.path().join(HARM)).ok();
        let harm = harm.unwrap_or_else(|| rebuild_input(target, seed, &reached));
        fs::write(&kept, harm).expect("the build folder can be written to");
        let (printed, kept) = (failure_message(&output), kept.display());
        panic!("{name}, seed {seed}, {reached}: {printed}\nthe input is {kept}");
    }
    if let Some(seconds) = seconds {
        let rounds: u64 =
            reached.strip_prefix("round ").and_then(|n| n.parse().ok()).unwrap_or(from);
        fs::write(&done, rounds.to_string()).expect("the build folder can be written to");
        println!("{name}: {} inputs in {seconds} s, {rounds} in all, no harm", rounds - from);
    }
}

/// Rebuilds the input with this name.
fn rebuild_input(target: &Target, seed: u64, what: &str) -> Vec<u8> {
    let seeds = (target.seeds)();
    let (kind, place) = what.rsplit_once(' ').unwrap_or((what, ""));
    let place: usize = place.parse().unwrap_or(0);
    let swollen = |word: &[u8]| repeated(word, REPEATED_LENGTH);
    match kind {
        "round" => input(target, &seeds, seed, place as u64),
        "repeated" => match target.words.get(place) {
            Some(word) => swollen(word),
            None => seeds.get(place - target.words.len()).map_or(Vec::new(), |seed| swollen(seed)),
        },
        "corpus file" => corpus(target.name).get(place).cloned().unwrap_or_default(),
        _ => seeds.get(place).cloned().unwrap_or_default(),
    }
}

/// The file that names the current input.
const PROGRESS: &str = "progress";
/// The file with the harmful input.
const HARM: &str = "harm";

/// Not a test: the process that reads.
#[test]
fn reader() {
    let Some(words) = words_of_child() else { return };
    let words: Vec<&str> = words.splitn(6, ':').collect();
    let number = |at: usize| words[at].parse::<u64>().expect("a number");
    let harmful = || HARMFUL.iter().find(|target| target.name == words[0]);
    let target = named(words[0]).or_else(harmful).expect("a target");
    let mut reading = Reading::new(target, Path::new(words[5]));
    let seeds = reading.seeds();
    for (place, bytes) in seeds.iter().enumerate() {
        reading.read(&format!("seed {place}"), bytes);
    }
    for (place, bytes) in corpus(target.name).iter().enumerate() {
        reading.read(&format!("corpus file {place}"), bytes);
    }
    if number(2) == 0 {
        let swollen = target.words.iter().copied().chain(seeds.iter().map(Vec::as_slice));
        for (place, word) in swollen.enumerate() {
            reading.read(&format!("repeated {place}"), &repeated(word, REPEATED_LENGTH));
        }
    }
    let (from, rounds) = (number(2), number(3));
    let until = Instant::now().checked_add(Duration::from_secs(number(4).min(1 << 30)));
    for round in from..from.saturating_add(rounds) {
        if until.is_some_and(|until| Instant::now() >= until) {
            break;
        }
        reading.read(&format!("round {round}"), &input(target, &seeds, number(1), round));
    }
}

#[test]
fn a_once_harmful_statistics_file_gives_an_error_message() {
    let folder = Folder::new();
    for bytes in corpus("statistics") {
        fs::write(folder.path().join("some.stats"), bytes).expect("the folder is writable");
        let finished = run_with_input(&folder, &["report", "some.stats", "--full"], b"");
        let is_reported = finished.error.contains("create it again with analyse --statistics");
        assert!(finished.code == 0 || finished.code == 2 && is_reported, "{finished:?}");
    }
}

/// Inputs that used to be harmful.
fn corpus(name: &str) -> Vec<Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/trust/corpus").join(name);
    let mut files: Vec<PathBuf> =
        fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()).collect();
    files.sort();
    files.into_iter().map(|file| fs::read(file).expect("the corpus can be read")).collect()
}

/// A running reader, with its limits.
struct Reading {
    target: &'static Target,
    progress: fs::File,
    harm: PathBuf,
    folder: PathBuf,
    memory: Option<u64>,
    inputs: u64,
}

impl Reading {
    fn new(target: &'static Target, folder: &Path) -> Reading {
        let files = folder.join("files");
        fs::create_dir_all(&files).expect("the folder is writable");
        Reading {
            target,
            progress: fs::File::create(folder.join(PROGRESS)).expect("the folder is writable"),
            harm: folder.join(HARM),
            folder: files,
            memory: None,
            inputs: 0,
        }
    }

    /// The seeds of the target. Memory is measured from this point on.
    fn seeds(&mut self) -> Vec<Vec<u8>> {
        let seeds = (self.target.seeds)();
        seeds.iter().for_each(|bytes| (self.target.read)(bytes, &self.folder));
        self.memory = peak();
        seeds
    }

    fn read(&mut self, what: &str, bytes: &[u8]) {
        self.note(what);
        // If reading the input panics, this saves it.
        let mut guard = Harm { path: &self.harm, bytes: Some(bytes) };
        let (start, before) = (Instant::now(), processor_time());
        (self.target.read)(bytes, &self.folder);
        if start.elapsed() > LONGEST {
            // Only the processor time of this thread counts, because the machine may be busy.
            let used = processor_time().zip(before).map(|(after, before)| after - before);
            assert!(used.is_none_or(|used| used <= LONGEST), "the input took {used:?}");
        }
        self.inputs += 1;
        if self.inputs.is_multiple_of(16) || bytes.len() >= REPEATED_LENGTH {
            let grown = peak().zip(self.memory).map_or(0, |(now, before)| now - before);
            assert!(grown <= self.target.memory, "the last 16 inputs took {} MiB", grown >> 20);
        }
        guard.bytes = None;
        self.empty();
    }

    fn note(&mut self, what: &str) {
        let line = format!("{what:<40}");
        let noted = self.progress.seek(SeekFrom::Start(0));
        noted.and_then(|_| self.progress.write_all(line.as_bytes())).expect("it can be written");
    }

    fn empty(&self) {
        for entry in fs::read_dir(&self.folder).into_iter().flatten().flatten() {
            let path = entry.path();
            let _gone =
                if path.is_dir() { fs::remove_dir_all(path) } else { fs::remove_file(path) };
        }
    }
}

/// Saves an input if reading it panics.
struct Harm<'a> {
    path: &'a Path,
    bytes: Option<&'a [u8]>,
}

impl Drop for Harm<'_> {
    fn drop(&mut self) {
        if let Some(bytes) = self.bytes.take() {
            let _ = fs::write(self.path, bytes);
        }
    }
}

/// The peak size of this process's address space, including stacks and reserved memory. `None` if
/// the system does not report it.
fn peak() -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmPeak:"))?;
    line.split_whitespace().nth(1)?.parse::<u64>().ok().map(|kibibytes| kibibytes << 10)
}

/// The processor time of this thread, or `None` if the system does not report it.
fn processor_time() -> Option<Duration> {
    let text = fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    text.split_whitespace().next()?.parse().ok().map(Duration::from_nanos)
}
