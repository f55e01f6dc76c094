//! Builds small tables on a background thread, so that no player has to wait for them.
//!
//! Users have not asked for these tables, so the total size of those saved on disk is limited.

use std::fmt::Display;
use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::thread::JoinHandle;
use std::time::Duration;

use super::build::{BuildError, BuildLimits, build_one, plan, prepare};
use super::material::Material;
use super::observer::BuildObserver;
use super::outcome::Metric;
use super::tables::Tables;

/// The maximum total size of the tables that a builder saves, in bytes.
const MAX_SAVED: u64 = 10_000_000;

/// A material signature, and the metrics of the tables to build for it, in order.
type TableOrder = (Material, Vec<Metric>);

/// A thread that builds tables in the order in which they were requested. Dropping the builder
/// stops the thread.
#[derive(Debug)]
pub struct BackgroundBuilder {
    orders: Option<Sender<TableOrder>>,
    ordered: AtomicUsize,
    flag: Arc<StopFlag>,
    progress: Arc<Progress>,
    thread: Option<JoinHandle<()>>,
}

/// The progress of the thread, which it shares with the builder.
#[derive(Debug, Default)]
struct Progress {
    state: Mutex<BuildState>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct BuildState {
    /// The number of finished orders.
    done: usize,
    errors: Vec<String>,
}

/// Stops or pauses the building of tables.
#[derive(Debug, Default)]
struct StopFlag {
    stopped: AtomicBool,
    paused: Mutex<bool>,
    resumed: Condvar,
}

impl StopFlag {
    fn pause(&self, is_paused: bool) {
        *self.paused.lock().expect("no worker panics") = is_paused;
        self.resumed.notify_all();
    }
}

impl BuildObserver for StopFlag {
    /// Blocks the calling thread while the builder is paused.
    fn is_stopped(&self) -> bool {
        let paused = self.paused.lock().expect("no worker panics");
        drop(self.resumed.wait_while(paused, |paused| *paused).expect("no worker panics"));
        self.stopped.load(Ordering::Relaxed)
    }
}

impl BackgroundBuilder {
    /// Starts a builder. If no thread can be started, nothing is built.
    pub fn open(tables: Arc<Tables>) -> BackgroundBuilder {
        let (orders, received) = channel();
        let flag = Arc::new(StopFlag::default());
        let progress = Arc::new(Progress::default());
        let (stop, shared) = (flag.clone(), progress.clone());
        let thread = std::thread::Builder::new()
            .name("endgame tables".to_owned())
            .spawn(move || work(&tables, &received, &stop, &shared))
            .ok();
        BackgroundBuilder {
            orders: Some(orders),
            ordered: AtomicUsize::new(0),
            flag,
            progress,
            thread,
        }
    }

    /// Orders the tables for a material signature. If they exist already, the order is finished at
    /// once.
    pub fn order(&self, material: Material, metrics: &[Metric]) {
        let order = (material, metrics.to_vec());
        let was_sent = self.orders.as_ref().is_some_and(|orders| orders.send(order).is_ok());
        self.ordered.fetch_add(usize::from(was_sent), Ordering::Relaxed);
    }

    /// Waits until `is_enough` returns true, all orders are finished, or the time is up.
    pub(crate) fn wait(&self, is_enough: impl Fn() -> bool, longest: Duration) {
        const POLL_INTERVAL: Duration = Duration::from_millis(5);
        let start = crate::clock::Instant::now();
        let mut state = self.progress.state();
        while state.done < self.ordered.load(Ordering::Relaxed)
            && start.elapsed() < longest
            && !is_enough()
        {
            state = self
                .progress
                .changed
                .wait_timeout(state, POLL_INTERVAL)
                .expect("no worker panics")
                .0;
        }
    }

    /// Pauses or resumes the building of tables.
    pub(crate) fn pause(&self, is_paused: bool) {
        self.flag.pause(is_paused);
    }

    /// Whether any orders are unfinished.
    pub(crate) fn is_busy(&self) -> bool {
        self.progress.state().done < self.ordered.load(Ordering::Relaxed)
    }

    /// Returns the errors since the last call.
    pub fn take_errors(&self) -> Vec<String> {
        std::mem::take(&mut self.progress.state().errors)
    }

    /// Waits until all orders are finished. No more orders can be added.
    pub fn finish(mut self) {
        self.end();
    }

    fn end(&mut self) {
        self.flag.pause(false);
        self.orders = None;
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

impl Drop for BackgroundBuilder {
    fn drop(&mut self) {
        self.flag.stopped.store(true, Ordering::Relaxed);
        self.end();
    }
}

impl Progress {
    fn state(&self) -> MutexGuard<'_, BuildState> {
        self.state.lock().expect("no worker panics")
    }

    fn note_done(&self) {
        self.state().done += 1;
        self.changed.notify_all();
    }

    fn report(&self, error: impl Display) {
        let error = format!("endgame tables: {error}");
        let errors = &mut self.state().errors;
        if !errors.contains(&error) {
            errors.push(error);
        }
    }
}

/// The priority of the thread. It is low but not the lowest, because a player may be waiting for a
/// table.
#[cfg(target_os = "linux")]
const NICENESS: i32 = 5;

/// Lowers the priority of this thread, if the system allows this for a single thread.
fn lower_priority() {
    #[cfg(windows)]
    crate::simd::lower_thread_priority();
    #[cfg(target_os = "linux")]
    // If this fails, the thread just runs at normal priority.
    let _refused = rustix::process::setpriority_process(None, NICENESS);
}

fn work(tables: &Tables, orders: &Receiver<TableOrder>, stop: &StopFlag, progress: &Progress) {
    lower_priority();
    // If tables cannot be saved, this is reported once, and they remain in memory.
    let mut saves = match tables.directory().map(prepare) {
        Some(Err(error)) => {
            progress.report(error);
            false
        }
        prepared => prepared.is_some(),
    };
    let mut room = MAX_SAVED;
    carry_out(orders, progress, |(material, metrics)| {
        if stop.is_stopped() {
            return ControlFlow::Break(());
        }
        for job in plan(tables, [material], &metrics) {
            // Tables that are skipped here are built the next time the program runs.
            if room == 0 {
                break;
            }
            let limits = BuildLimits { threads: 1, room: if saves { room } else { 0 } };
            match build_one(tables, job, limits, stop) {
                Ok(bytes) => room = room.saturating_sub(bytes),
                Err(BuildError::Stopped(_)) => return ControlFlow::Break(()),
                Err(error @ BuildError::File(_)) => {
                    progress.report(error);
                    saves = false;
                }
                Err(error) => {
                    progress.report(error);
                    break;
                }
            }
        }
        ControlFlow::Continue(())
    });
}

/// Carries out all orders. If one of them panics, reports this and goes on with the next.
fn carry_out(
    orders: &Receiver<TableOrder>,
    progress: &Progress,
    mut make: impl FnMut(TableOrder) -> ControlFlow<()>,
) {
    for order in orders {
        let material = order.0;
        let made = catch_unwind(AssertUnwindSafe(|| make(order)));
        if made.is_err() {
            progress.report(format_args!(
                "building the tables for {material} failed because of a bug in this program; please report it"
            ));
        }
        if made.is_ok_and(|made| made.is_break()) {
            return;
        }
        progress.note_done();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_is_reported_and_the_next_table_is_made() {
        let (sender, orders) = channel();
        let material = |name: &str| name.parse::<Material>().expect(name);
        for name in ["KQK", "KRK"] {
            sender.send((material(name), Vec::new())).expect("the receiver exists");
        }
        drop(sender);
        let progress = Progress::default();
        let mut made = Vec::new();
        carry_out(&orders, &progress, |(ordered, _)| {
            assert_ne!(ordered, material("KQK"), "the panic to be reported");
            made.push(ordered);
            ControlFlow::Continue(())
        });
        assert_eq!(made, [material("KRK")]);
        let state = progress.state();
        assert_eq!(state.done, 2, "nothing waits for a table that will not come");
        let [error] = &state.errors[..] else { panic!("{:?}", state.errors) };
        assert!(error.contains("building the tables for KQK failed"), "{error}");
    }
}
