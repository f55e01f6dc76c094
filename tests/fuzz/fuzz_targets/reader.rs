//! Any bytes, for the reader that STOPDOWN_TRUST_TARGET names; see `tests/trust/targets`.
#![no_main]

use std::path::PathBuf;
use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;

#[allow(dead_code, reason = "the fuzzer has its own inputs")]
#[path = "../../trust/targets/mod.rs"]
mod targets;

static TARGET: LazyLock<&targets::Target> = LazyLock::new(|| {
    let name = std::env::var("STOPDOWN_TRUST_TARGET").unwrap_or_default();
    targets::named(&name).unwrap_or_else(|| {
        let names: Vec<&str> = targets::TARGETS.iter().map(|target| target.name).collect();
        panic!("STOPDOWN_TRUST_TARGET must be one of {}", names.join(", "))
    })
});

/// Where inputs are laid that have to be files.
static FOLDER: LazyLock<PathBuf> = LazyLock::new(|| {
    tempfile::tempdir().expect("a folder").keep()
});

fuzz_target!(|bytes: &[u8]| {
    (TARGET.read)(bytes, &FOLDER);
    if let Some(mend) = TARGET.mend {
        let mut mended = bytes.to_vec();
        mend(&mut mended);
        (TARGET.read)(&mended, &FOLDER);
    }
    for entry in std::fs::read_dir(&*FOLDER).into_iter().flatten().flatten() {
        let _ = std::fs::remove_file(entry.path());
    }
});
