//! A command can be killed at any moment. When it is resumed, it gives the same result as an
//! uninterrupted run.
//!
//! To run it by hand, set the number of kills for each command. `STOPDOWN_TRUST_TARGET` selects a
//! single command.
//!
//! ```text
//! STOPDOWN_TRUST_KILLS=200 cargo test --release --test trust killed -- --nocapture
//! ```

use std::process::Stdio;
use std::time::Duration;

use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};

use super::commands::ALL;
use super::work::{Work, assert_same, command, finish, uninterrupted};
use crate::campaign::from_env;
use crate::common::Folder;

#[test]
fn a_killed_command_resumes_to_the_same_result() {
    let kills = from_env("STOPDOWN_TRUST_KILLS").unwrap_or(4);
    let seed = from_env("STOPDOWN_TRUST_SEED").unwrap_or(1);
    let only: Option<String> = from_env("STOPDOWN_TRUST_TARGET");
    let wanted = |work: &&Work| only.as_ref().is_none_or(|only| only == work.name);
    assert!(ALL.iter().any(|work| wanted(&work)), "there is no command {only:?}");
    for work in ALL.iter().filter(wanted) {
        let (expected, time) = uninterrupted(work);
        let (killed, runs) = kill(work, &expected, time, kills, seed);
        println!("{}: {killed} kills, {runs} results as in an uninterrupted run", work.name);
    }
}

/// Kills the command at moments spread over its running time, until it has been killed `kills`
/// times. Returns the number of kills and of completed runs.
fn kill(work: &Work, expected: &str, time: Duration, kills: u32, seed: u64) -> (u32, u32) {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let (mut killed, mut runs) = (0, 0);
    while killed < kills {
        let folder = Folder::new();
        (work.prepare)(&folder);
        loop {
            let mut command = command(work, &folder);
            command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
            let mut child = command.spawn().expect("the program starts");
            // The delay does not wait for a condition. It sets the moment of the kill.
            std::thread::sleep(time.mul_f64(random.random_range(0.0..0.7)));
            let ended = child.try_wait().expect("the child process");
            let _ = child.kill();
            child.wait().expect("the child process");
            if let Some(status) = ended {
                assert!(status.success(), "{}: {status} after {killed} kills", work.name);
                break;
            }
            killed += 1;
            // Let some runs finish, because steps that cannot be resumed would otherwise never be
            // completed.
            if killed >= kills || killed.is_multiple_of(5) {
                break;
            }
        }
        assert_same(&finish(work, &folder), expected, &format!("{}, {killed} kills", work.name));
        runs += 1;
    }
    (killed, runs)
}
