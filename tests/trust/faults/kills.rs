//! Killed at any moment, a command goes on where it was, and ends as if nothing had happened.
//!
//! By hand, as many kills as wanted for each command, or for the one that `STOPDOWN_TRUST_TARGET` names:
//!
//! ```text
//! STOPDOWN_TRUST_KILLS=200 cargo test --release --test trust killed -- --nocapture
//! ```

use std::process::Stdio;
use std::time::Duration;

use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};

use super::commands::ALL;
use super::work::{Work, assert_same, command, finish, undisturbed};
use crate::campaign::asked;
use crate::common::Folder;

#[test]
fn a_command_that_is_killed_ends_as_if_it_had_not_been() {
    let kills = asked("STOPDOWN_TRUST_KILLS").unwrap_or(4);
    let seed = asked("STOPDOWN_TRUST_SEED").unwrap_or(1);
    let only: Option<String> = asked("STOPDOWN_TRUST_TARGET");
    let wanted = |work: &&Work| only.as_ref().is_none_or(|only| only == work.name);
    assert!(ALL.iter().any(|work| wanted(&work)), "no command is called {only:?}");
    for work in ALL.iter().filter(wanted) {
        let (expected, time) = undisturbed(work);
        let (killed, runs) = kill(work, &expected, time, kills, seed);
        println!("{}: {killed} kills, {runs} results as undisturbed", work.name);
    }
}

/// Kills the command at moments that are spread over the time that it takes, until it has been killed so
/// often. How often it was, and how many times it came to its end in between.
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
            // This waits for nothing: it is the moment of the kill.
            std::thread::sleep(time.mul_f64(random.random_range(0.0..0.7)));
            let ended = child.try_wait().expect("our child");
            let _ = child.kill();
            child.wait().expect("our child");
            if let Some(status) = ended {
                assert!(status.success(), "{}: {status} after {killed} kills", work.name);
                break;
            }
            killed += 1;
            // Some of what is made in one piece would never be done.
            if killed >= kills || killed.is_multiple_of(5) {
                break;
            }
        }
        assert_same(&finish(work, &folder), expected, &format!("{}, {killed} kills", work.name));
        runs += 1;
    }
    (killed, runs)
}
