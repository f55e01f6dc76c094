//! Asks players for their moves.
//!
//! Hair describes four ways in which engines spoil such a test. Each of them is handled here:
//!
//! * If an engine ignores `stop`, we wait until the timeout, and count the late answer.
//! * If it answers early, we accept and count the answer.
//! * If it crashes, stalls or returns an impossible move, we restart it and ask once more.
//! * If it gives no answer for [`GIVE_UP`] consecutive positions, it cannot analyse, and we stop
//!   asking it.

use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::Suite;
use stopdown::arena::{Contestant, ContestantSpec, TimeControl, contestant};
use stopdown::threads;

/// The number of consecutive positions without an answer after which an engine is abandoned.
const GIVE_UP: usize = 5;

/// An answer as stored in the journal.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Answer {
    pub player: String,
    /// The player's specification, limits and identity.
    pub words: String,
    /// The index of the position, counted from 0.
    pub position: usize,
    /// The move in UCI notation, or `None` if all attempts failed.
    #[serde(rename = "move")]
    pub mv: Option<String>,
    pub ms: f64,
    pub depth: u32,
    /// Whether the engine answered before `stop`, although it should have waited.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub early: bool,
    /// Whether the answer was very late.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub late: bool,
    /// The faults before the answer.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub faults: Vec<String>,
    /// The probability of every move, if known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub distribution: Option<Vec<(String, f64)>>,
}

/// A player to be asked.
#[derive(Clone, Debug)]
pub struct Interviewee {
    pub name: String,
    /// The identity of the program behind the name.
    pub identity: String,
    pub spec: ContestantSpec,
    /// The indices of the positions to ask about.
    pub questions: Vec<usize>,
}

impl Interviewee {
    /// Everything that the answers depend on.
    pub fn words(&self) -> String {
        format!("{} ({}): {}", self.spec.text, self.spec.limits, self.identity)
    }
}

/// The thinking time for an engine that is `difference` points weaker than the one that thinks for
/// `base`. The time doubles for every 120 points (Hair, "Y = X*(2^((Elo Diff)/120))"), and is
/// rounded to whole milliseconds.
pub fn scaled_time(base: Duration, difference: f64) -> Duration {
    let milliseconds = base.as_secs_f64() * 1000.0 * libm::exp2(difference / 120.0);
    Duration::from_millis(milliseconds.clamp(1.0, 1e9).round() as u64)
}

/// Asks every player all questions in order, with `concurrency` players at the same time. Passes
/// every answer to `answered`, and stops when `answered` returns a break.
pub fn interview(
    suite: &Suite,
    interviewees: &[Interviewee],
    concurrency: usize,
    guard: Option<&PathBuf>,
    answered: impl FnMut(Answer) -> ControlFlow<()>,
) -> std::io::Result<()> {
    let waiting = Mutex::new(interviewees.iter().enumerate());
    let work = |stop: &AtomicBool, sender: &mpsc::Sender<Answer>| {
        let next = || waiting.lock().ok().and_then(|mut waiting| waiting.next());
        while let Some((place, interviewee)) = next() {
            let player = contestant(&interviewee.spec, place, guard);
            ask_all(suite, interviewee, player, stop, sender);
        }
    };
    threads::run_workers(concurrency.min(interviewees.len()), work, answered)
}

fn ask_all(
    suite: &Suite,
    interviewee: &Interviewee,
    mut player: Box<dyn Contestant>,
    stop: &AtomicBool,
    sender: &mpsc::Sender<Answer>,
) {
    let mut silent = 0;
    for &position in &interviewee.questions {
        if stop.load(Ordering::Relaxed) || silent >= GIVE_UP {
            return;
        }
        let answer = ask(&mut *player, interviewee, suite, position);
        silent = if answer.mv.is_some() { 0 } else { silent + 1 };
        if sender.send(answer).is_err() {
            return;
        }
    }
}

/// Makes up to two attempts to get an answer for a position.
fn ask(
    player: &mut dyn Contestant,
    interviewee: &Interviewee,
    suite: &Suite,
    position: usize,
) -> Answer {
    let game = &suite.positions[position];
    let limits = interviewee.spec.limits;
    // The random draw differs for every position. Otherwise players that choose at random would
    // agree either in all positions at the same ply or in none. The formula must not change, because the answers of
    // one study may come from several versions.
    let number = 2 * position as u64 + 1;
    let mut faults = Vec::new();
    let mut found = None;
    for _ in 0..2 {
        match player.start_game(game, number).and_then(|()| player.consult(game, limits)) {
            Ok(choice) => {
                found = Some(choice);
                break;
            }
            Err(fault) => faults.push(fault.to_string()),
        }
    }
    let elapsed = found.map_or(Duration::ZERO, |choice| choice.elapsed);
    let time = match limits.time {
        Some(TimeControl::PerMove(time)) => Some(time),
        _ => None,
    };
    let told_to_stop = limits.depth.is_none() && limits.nodes.is_none();
    let uci = |mv| game.position().uci(mv);
    let distribution = player.distribution(game, limits);
    Answer {
        player: interviewee.name.clone(),
        words: interviewee.words(),
        position,
        mv: found.map(|choice| uci(choice.mv)),
        ms: (elapsed.as_secs_f64() * 1e4).round() / 10.0,
        depth: found.map_or(0, |choice| choice.depth),
        early: found.is_some() && told_to_stop && time.is_some_and(|time| elapsed < time / 2),
        late: time.is_some_and(|time| elapsed > time + interviewee.spec.margin),
        faults,
        distribution: distribution
            .map(|moves| moves.into_iter().map(|(mv, share)| (uci(mv), share)).collect()),
    }
}
