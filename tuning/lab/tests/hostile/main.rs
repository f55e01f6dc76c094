//! A corrupt positions file does no harm: it causes no panic, is processed quickly, and needs
//! little memory.

#[path = "../../../../tests/trust/mutator.rs"]
mod mutator;
mod positions;
mod targets;

use std::fs;
use std::time::{Duration, Instant};

use mutator::{input, repeated};
use targets::Target;

const POSITIONS: Target = Target { words: positions::WORDS, repair: None };

/// The number of mutated inputs.
const ROUNDS: u64 = 3_000;
/// The length of inputs that repeat one word, in bytes.
const REPEATED_LENGTH: usize = 1 << 18;
/// The time limit for one input. It should take at most a second, but a busy machine may need
/// longer.
const LONGEST: Duration = Duration::from_secs(10);
/// The maximum amount of memory that all inputs together may add to this process.
const MAX_MEMORY: u64 = 256 << 20;

#[test]
fn damaged_files_of_positions_are_refused_or_read_without_harm() {
    let folder = tempfile::tempdir().expect("a folder");
    let read = |what: &str, bytes: &[u8]| {
        let start = Instant::now();
        positions::read(bytes, folder.path());
        assert!(start.elapsed() < LONGEST, "{what} takes {:?}", start.elapsed());
    };
    let seeds = positions::seeds();
    seeds.iter().for_each(|seed| read("a seed", seed));
    let before = peak();
    for word in POSITIONS.words.iter().copied().chain(seeds.iter().map(Vec::as_slice)) {
        read("a word repeated", &repeated(word, REPEATED_LENGTH));
    }
    for round in 0..ROUNDS {
        read(&format!("round {round}"), &input(&POSITIONS, &seeds, 1, round));
    }
    let grown = peak().zip(before).map_or(0, |(now, before)| now - before);
    assert!(grown <= MAX_MEMORY, "the inputs took {} MiB", grown >> 20);
}

/// The peak memory of this process, or `None` if the system does not report it.
fn peak() -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmPeak:"))?;
    line.split_whitespace().nth(1)?.parse::<u64>().ok().map(|kibibytes| kibibytes << 10)
}
