//! Makes small tables in the background, so that a player has them soon and never waits.
//!
//! Nobody has asked for them, so there is a bound to what they may take of the disk.

use std::fmt::Display;
use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::thread::JoinHandle;
use std::time::Duration;

use super::build::{BuildError, build_one, plan, prepare};
use super::material::Material;
use super::outcome::Metric;
use super::solve::BuildObserver;
use super::tables::Tables;

/// Bytes of tables that are made unasked at most, for as long as the program runs.
const ROOM: u64 = 10_000_000;

/// A material whose tables are wanted, and in which metrics, first things first.
type TableOrder = (Material, Vec<Metric>);

/// A thread that makes the tables it is asked for, one after the other. Dropping it stops it.
#[derive(Debug)]
pub struct BackgroundBuilder {
    orders: Option<Sender<TableOrder>>,
    ordered: AtomicUsize,
    flag: Arc<StopFlag>,
    board: Arc<NoticeBoard>,
    thread: Option<JoinHandle<()>>,
}

/// What the builder has to tell.
#[derive(Debug, Default)]
struct NoticeBoard {
    state: Mutex<BuildState>,
    news: Condvar,
}

#[derive(Debug, Default)]
struct BuildState {
    /// Orders that are carried out.
    done: usize,
    errors: Vec<String>,
}

/// Stops the making of tables, for good or for a while.
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
    /// While it is paused, the thread that asks sleeps here.
    fn is_stopped(&self) -> bool {
        let paused = self.paused.lock().expect("no worker panics");
        drop(self.resumed.wait_while(paused, |paused| *paused).expect("no worker panics"));
        self.stopped.load(Ordering::Relaxed)
    }
}

impl BackgroundBuilder {
    /// Starts a builder. Without a thread to be had it makes nothing.
    pub fn open(tables: Arc<Tables>) -> BackgroundBuilder {
        let (orders, received) = channel();
        let flag = Arc::new(StopFlag::default());
        let board = Arc::new(NoticeBoard::default());
        let (stop, told) = (flag.clone(), board.clone());
        let thread = std::thread::Builder::new()
            .name("endgame tables".to_owned())
            .spawn(move || work(&tables, &received, &stop, &told))
            .ok();
        BackgroundBuilder {
            orders: Some(orders),
            ordered: AtomicUsize::new(0),
            flag,
            board,
            thread,
        }
    }

    /// Asks for a material's tables; at once if they are there already.
    pub fn order(&self, material: Material, metrics: &[Metric]) {
        let order = (material, metrics.to_vec());
        let heard = self.orders.as_ref().is_some_and(|orders| orders.send(order).is_ok());
        self.ordered.fetch_add(usize::from(heard), Ordering::Relaxed);
    }

    /// Waits until this is so, nothing is left to do, or the time is over.
    pub fn wait(&self, is_enough: impl Fn() -> bool, longest: Duration) {
        const GLANCE: Duration = Duration::from_millis(5);
        let start = std::time::Instant::now();
        let mut state = self.board.state();
        while state.done < self.ordered.load(Ordering::Relaxed)
            && start.elapsed() < longest
            && !is_enough()
        {
            state = self.board.news.wait_timeout(state, GLANCE).expect("no worker panics").0;
        }
    }

    /// Stops making tables for a while, or goes on.
    pub fn pause(&self, is_paused: bool) {
        self.flag.pause(is_paused);
    }

    /// Is anything left to do?
    pub fn is_busy(&self) -> bool {
        self.board.state().done < self.ordered.load(Ordering::Relaxed)
    }

    /// What went wrong since this was last asked.
    pub fn take_errors(&self) -> Vec<String> {
        std::mem::take(&mut self.board.state().errors)
    }

    /// Waits until everything ordered so far is made. No more can be ordered.
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

impl NoticeBoard {
    fn state(&self) -> MutexGuard<'_, BuildState> {
        self.state.lock().expect("no worker panics")
    }

    fn note_done(&self) {
        self.state().done += 1;
        self.news.notify_all();
    }

    fn report(&self, error: impl Display) {
        let error = format!("endgame tables: {error}");
        let errors = &mut self.state().errors;
        if !errors.contains(&error) {
            errors.push(error);
        }
    }
}

/// How far to stand back: somebody may already wait for a table, on a machine that is busy.
#[cfg(target_os = "linux")]
const NICENESS: i32 = 5;

/// Lets others go first: on Linux priorities belong to threads.
fn stand_back() {
    #[cfg(target_os = "linux")]
    // Refused, it is merely less polite.
    let _refused = rustix::process::setpriority_process(None, NICENESS);
}

fn work(tables: &Tables, orders: &Receiver<TableOrder>, stop: &StopFlag, board: &NoticeBoard) {
    stand_back();
    // Where nothing can be saved, that is said once, and tables live in memory.
    let mut saves = match tables.directory().map(prepare) {
        Some(Err(error)) => {
            board.report(error);
            false
        }
        prepared => prepared.is_some(),
    };
    let mut room = ROOM;
    carry_out(orders, board, |(material, metrics)| {
        if stop.is_stopped() {
            return ControlFlow::Break(());
        }
        for job in plan(tables, [material], &metrics) {
            // What is left out is made the next time.
            if room == 0 {
                break;
            }
            match build_one(tables, job, 1, if saves { room } else { 0 }, stop) {
                Ok(bytes) => room = room.saturating_sub(bytes),
                Err(BuildError::Stopped(_)) => return ControlFlow::Break(()),
                Err(error @ BuildError::File(_)) => {
                    board.report(error);
                    saves = false;
                }
                Err(error) => {
                    board.report(error);
                    break;
                }
            }
        }
        ControlFlow::Continue(())
    });
}

/// Carries out one order after the other. One that panics is told of, and does not cost the others:
/// who waits for it goes on without its tables.
fn carry_out(
    orders: &Receiver<TableOrder>,
    board: &NoticeBoard,
    mut make: impl FnMut(TableOrder) -> ControlFlow<()>,
) {
    for order in orders {
        let material = order.0;
        let made = catch_unwind(AssertUnwindSafe(|| make(order)));
        if made.is_err() {
            board.report(format_args!(
                "making {material} failed, which is a bug of the program's; please report it"
            ));
        }
        if made.is_ok_and(|made| made.is_break()) {
            return;
        }
        board.note_done();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_that_cannot_be_made_for_a_bug_is_told_of_and_the_next_one_is_made() {
        let (sender, orders) = channel();
        let material = |name: &str| name.parse::<Material>().expect(name);
        for name in ["KQK", "KRK"] {
            sender.send((material(name), Vec::new())).expect("somebody listens");
        }
        drop(sender);
        let board = NoticeBoard::default();
        let mut made = Vec::new();
        carry_out(&orders, &board, |(ordered, _)| {
            assert_ne!(ordered, material("KQK"), "what is to be told of");
            made.push(ordered);
            ControlFlow::Continue(())
        });
        assert_eq!(made, [material("KRK")]);
        let state = board.state();
        assert_eq!(state.done, 2, "nobody waits for what will not come");
        let [error] = &state.errors[..] else { panic!("{:?}", state.errors) };
        assert!(error.contains("making KQK failed"), "{error}");
    }
}
