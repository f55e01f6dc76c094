//! Everything that reads what others wrote, each as one function of bytes.
//!
//! `tests/trust/hostile.rs` feeds them with mutated inputs that are the same on every machine;
//! `tests/fuzz` feeds the same functions with those of a fuzzer that watches which code they reach.
//! A function panics where a promise is broken; that it refuses an input is no harm.

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

/// No text and no file of ours needs as much.
pub const USUAL_MEMORY: u64 = 256 << 20;

/// A reader under test.
#[derive(Debug)]
pub struct Target {
    pub name: &'static str,
    /// Reads an input as the program would. What has to be a file first is put into the folder, which
    /// is emptied before the next input.
    pub read: fn(&[u8], &Path),
    /// Inputs that mean something.
    pub seeds: fn() -> Vec<Vec<u8>>,
    /// What inputs are made of.
    pub words: &'static [&'static [u8]],
    /// Makes checksums fit again, so that a change reaches what stands behind them.
    pub mend: Option<fn(&mut [u8])>,
    /// Bytes that an input may take, beyond what the seeds have taken.
    pub memory: u64,
    /// Inputs that take about a second, on a slow machine.
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

/// Writes an input where the program would find it.
fn lay(folder: &Path, name: &str, bytes: &[u8]) -> std::path::PathBuf {
    let path = folder.join(name);
    std::fs::write(&path, bytes).expect("the folder can be written to");
    path
}
