//! All readers of foreign input. Each is a function that reads bytes.
//!
//! `tests/trust/hostile.rs` feeds them mutated inputs, which are the same on every machine.
//! `tests/fuzz` feeds them inputs from a coverage-guided fuzzer. A function panics if a promise is
//! broken. It may reject any input.

mod files;
mod numbers;
mod statistics;
mod text;
mod web;

use std::path::Path;

use files::{JOURNAL, MEMORY, STORE};
use numbers::{NETWORK, POLICY, TABLE};
use statistics::STATISTICS;
use text::{BOOK, ENGINE_TOML, EPD, FEN, PACKED, PGN, UCI_LINE, UCI_SERVER};
use web::WEB;

/// More memory than any text or any of our files needs, in bytes.
pub const USUAL_MEMORY: u64 = 256 << 20;

/// A reader under test.
#[derive(Debug)]
pub struct Target {
    pub name: &'static str,
    /// Reads an input as the program would. If an input must be a file, it is written to the
    /// folder, which is emptied before the next input.
    pub read: fn(&[u8], &Path),
    /// Valid inputs.
    pub seeds: fn() -> Vec<Vec<u8>>,
    /// Words of the format, for the dictionary.
    pub words: &'static [&'static [u8]],
    /// Repairs checksums, so that a change reaches the code behind them.
    pub repair: Option<fn(&mut [u8])>,
    /// The memory in bytes that an input may need in addition to that of the seeds.
    pub memory: u64,
    /// The number of inputs that are processed in about a second on a slow machine.
    pub rounds: u64,
}

pub static TARGETS: [Target; 16] = [
    FEN,
    UCI_LINE,
    UCI_SERVER,
    PGN,
    PACKED,
    EPD,
    BOOK,
    ENGINE_TOML,
    NETWORK,
    POLICY,
    TABLE,
    STORE,
    STATISTICS,
    JOURNAL,
    MEMORY,
    WEB,
];

pub fn named(name: &str) -> Option<&'static Target> {
    TARGETS.iter().find(|target| target.name == name)
}

/// Writes an input to the place where the program would find it.
fn write_input(folder: &Path, name: &str, bytes: &[u8]) -> std::path::PathBuf {
    let path = folder.join(name);
    std::fs::write(&path, bytes).expect("the folder can be written to");
    path
}
