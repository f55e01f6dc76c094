//! Too little memory is reported as an error.

use std::process::{Command, Stdio};

use crate::common::{Engine, Folder, program};

/// The command in a process with this memory limit in KiB.
fn limited(folder: &Folder, words: &[&str], kibibytes: u64) -> Command {
    let inner = program(folder, words);
    let mut command = Command::new("sh");
    command.args(["-c", &format!("ulimit -v {kibibytes}; exec \"$0\" \"$@\"")]);
    command.arg(inner.get_program()).args(inner.get_args());
    command.envs(inner.get_envs().filter_map(|(name, value)| Some((name, value?))));
    command.env("MALLOC_ARENA_MAX", "1").current_dir(folder.path());
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// Runs a command with this memory limit. Returns its exit code and its standard error.
pub fn with_memory(folder: &Folder, words: &[&str], kibibytes: u64) -> (Option<i32>, String) {
    let output = limited(folder, words, kibibytes).stdin(Stdio::null()).output();
    let output = output.expect("there is a shell");
    (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
}

#[cfg(target_os = "linux")]
#[test]
fn a_table_beyond_the_available_memory_is_refused() {
    let folder = Folder::new();
    let command = limited(&folder, &[], 1 << 20);
    let mut engine = Engine::spawn(command, folder);
    engine.send("setoption name Pace value Instant");
    // The machine might have this much memory, but the limit keeps the process from using it. No
    // machine has the last amount.
    for hash in ["2048", "65536", "1048576"] {
        engine.send(&format!("setoption name Hash value {hash}"));
        let printed = engine.drain();
        let refused =
            format!("a hash table of {hash} MiB does not fit into memory; the old one of 16");
        assert!(printed.iter().any(|line| line.contains(&refused)), "{printed:?}");
        assert_eq!(engine.go("depth 4").best().len(), 4, "no move was played");
    }
    // The stacks of 512 threads do not fit into memory.
    engine.send("setoption name Threads value 512");
    assert_eq!(engine.go("depth 4").best().len(), 4, "no move was played with fewer threads");
    engine.quit();
}

#[cfg(target_os = "linux")]
#[test]
fn endless_files_are_not_read_to_the_end() {
    for (words, says) in [
        (&["evaluate", "--depth", "1", "--eval-file", "/dev/zero"][..], "/dev/zero"),
        (&["report", "endless.epd"], "not a statistics file"),
        (&["report", "/dev/zero"], "not a regular file"),
        (
            &["match", "--a", "self depth=1", "--b", "self depth=2", "--openings", "endless.pgn"],
            "MiB",
        ),
        (&["split", "/dev/zero"], "binary"),
        (&["analyse", "endless.pgn.gz", "--depth", "1"], "longer than"),
        (&["evaluate", "--epd", "endless.epd"], "bytes is not a position"),
    ] {
        let folder = Folder::new();
        endless(&folder);
        let (code, error) = with_memory(&folder, words, 1 << 20);
        assert_eq!(code, Some(2), "{words:?}: {error}");
        assert!(error.contains(says), "{words:?}: {error}");
        assert!(!error.contains("panicked"), "{words:?}: {error}");
        assert!(!error.contains("memory"), "{words:?}: {error}");
    }
}

/// Small files that decompress to a gigabyte, or claim to.
fn endless(folder: &Folder) {
    use std::io::Write;
    let file = std::fs::File::create(folder.path().join("endless.pgn.gz")).expect("writable");
    let mut gzip = flate2::write::GzEncoder::new(file, flate2::Compression::fast());
    let part = [b'x'; 1 << 16];
    let mebibytes = crate::campaign::from_env("STOPDOWN_TRUST_LONG_LINE").unwrap_or(300_u64);
    (0..16 * mebibytes).try_for_each(|_| gzip.write_all(&part)).expect("it can be written");
    gzip.finish().expect("it can be written");
    for name in ["endless.epd", "endless.pgn"] {
        let mut file = std::fs::File::create(folder.path().join(name)).expect("writable");
        file.write_all(b"8/8/8").expect("it can be written");
        file.set_len(mebibytes << 20).expect("the file can be extended");
    }
}
