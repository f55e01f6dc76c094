//! Feeds arbitrary bytes to the reader that STOPDOWN_TRUST_TARGET names; see
//! `tests/trust/targets`.
#![no_main]

use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;

#[path = "../../../tuning/lab/tests/hostile/positions.rs"]
mod positions;
#[allow(dead_code, reason = "the fuzzer has its own inputs")]
#[path = "../../trust/targets/mod.rs"]
mod targets;

/// The laboratory's own reader.
static POSITIONS: targets::Target = targets::Target {
    name: "positions",
    read: positions::read,
    seeds: positions::seeds,
    words: positions::WORDS,
    repair: None,
    memory: targets::USUAL_MEMORY,
    rounds: 0,
};

static TARGET: LazyLock<&targets::Target> = LazyLock::new(|| {
    let name = std::env::var("STOPDOWN_TRUST_TARGET").unwrap_or_default();
    let all = || targets::TARGETS.iter().chain([&POSITIONS]);
    all().find(|target| target.name == name).unwrap_or_else(|| {
        let names: Vec<&str> = all().map(|target| target.name).collect();
        panic!("STOPDOWN_TRUST_TARGET must be one of {}", names.join(", "))
    })
});

/// The folder for inputs that must be files.
static FOLDER: LazyLock<PathBuf> = LazyLock::new(|| tempfile::tempdir().expect("a folder").keep());

/// Writes the reader's seeds and dictionary to the folders where the fuzzer looks for them.
fn write_seeds_and_dictionary() {
    let Ok(folder) = std::env::var("STOPDOWN_FUZZ_KNOWN") else { return };
    let folder = Path::new(&folder);
    fs::create_dir_all(folder.join("seeds")).expect("the folder can be made");
    for (place, seed) in (TARGET.seeds)().iter().enumerate() {
        fs::write(folder.join(format!("seeds/{place}")), seed)
            .expect("the folder can be written to");
    }
    let mut words = String::new();
    for word in TARGET.words.iter().filter(|word| !word.is_empty()) {
        let escaped: String = word.iter().map(|byte| format!("\\x{byte:02x}")).collect();
        writeln!(words, "\"{escaped}\"").expect("memory can be written to");
    }
    fs::write(folder.join("words"), words).expect("the folder can be written to");
}

fuzz_target!(init: write_seeds_and_dictionary(), |bytes: &[u8]| {
    (TARGET.read)(bytes, &FOLDER);
    if let Some(repair) = TARGET.repair {
        let mut repaired = bytes.to_vec();
        repair(&mut repaired);
        (TARGET.read)(&repaired, &FOLDER);
    }
    for entry in fs::read_dir(&*FOLDER).into_iter().flatten().flatten() {
        let _ = fs::remove_file(entry.path());
    }
});
