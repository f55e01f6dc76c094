//! A full disk destroys no finished work. The laboratory's tests include this file too.

use std::process::{Command, Stdio};

use super::commands::ALL;
use super::work::{Work, assert_same, finish, uninterrupted};
use crate::common::{Folder, program};

/// Runs a command that may write files of at most `blocks` blocks of 512 bytes.
fn with_small_disk(work: &Work, folder: &Folder, blocks: u32) -> (Option<i32>, String) {
    let inner = program(folder, work.arguments);
    // The signal is ignored, so that exceeding the limit is an error, as on a full disk.
    let script = format!("trap '' XFSZ; ulimit -f {blocks}; exec \"$0\" \"$@\"");
    let mut command = Command::new("sh");
    command.args(["-c", &script]).arg(inner.get_program()).args(inner.get_args());
    let variables = inner.get_envs().filter_map(|(name, value)| Some((name, value?)));
    command.envs(variables).current_dir(folder.path()).stdin(Stdio::null());
    let output = command.output().expect("there is a shell");
    (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
}

#[cfg(unix)]
#[test]
fn a_full_disk_is_reported_and_destroys_no_finished_work() {
    for work in ALL {
        let (expected, _) = uninterrupted(work);
        let mut failures = 0;
        let folder = Folder::new();
        (work.prepare)(&folder);
        // Each run has more space, as if a user had freed some.
        for blocks in [0, 2, 9, 60] {
            let (code, error) = with_small_disk(work, &folder, blocks);
            let of = format!("{}, {blocks} blocks: {error}", work.name);
            assert!(!error.contains("panicked"), "{of}");
            match code {
                Some(0) => break,
                Some(2) => failures += 1,
                other => panic!("unexpected exit code {other:?}; {of}"),
            }
            assert!(error.contains("File too large") || error.contains("disk"), "{of}");
        }
        assert!(failures > 0, "{}: the disk was never full", work.name);
        assert_same(&finish(work, &folder), &expected, work.name);
    }
}
