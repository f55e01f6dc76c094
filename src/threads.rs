//! Runs work on several threads, or on as many as the system can start.

use std::io;
use std::ops::ControlFlow;
use std::panic::resume_unwind;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::thread::{Builder, Scope, ScopedJoinHandle, available_parallelism, scope};

/// The stack size in bytes of threads that search. It must be large enough for deep lines.
pub(crate) const STACK: usize = 16 << 20;

/// Whether this system has threads. WebAssembly has none.
pub(crate) const HAS_THREADS: bool = !cfg!(all(target_family = "wasm", target_os = "unknown"));

/// The number of threads that can run at the same time, or 1 if the system does not report it.
pub fn cores() -> usize {
    available_parallelism().map_or(1, usize::from)
}

/// Starts a thread whose stack is large enough for a search. Returns `None` if the system cannot start one. In that
/// case, the other threads do the work.
pub fn spawn_helper<'scope, T: Send + 'scope>(
    scope: &'scope Scope<'scope, '_>,
    work: impl FnOnce() -> T + Send + 'scope,
) -> Option<ScopedJoinHandle<'scope, T>> {
    Builder::new().stack_size(STACK).spawn_scoped(scope, work).ok()
}

/// Waits for a thread and returns its result. If the thread panicked, this panics too.
pub(crate) fn joined<T>(thread: ScopedJoinHandle<'_, T>) -> T {
    thread.join().unwrap_or_else(|panic| resume_unwind(panic))
}

/// Runs numbered tasks on up to `threads` threads, including the calling thread. The results are in the order of the
/// tasks.
pub fn share_out<T: Send>(
    tasks: usize,
    threads: usize,
    task: impl Fn(usize) -> T + Sync,
) -> Vec<T> {
    let next = AtomicUsize::new(0);
    let work = || {
        let mut done = Vec::new();
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            if number >= tasks {
                return done;
            }
            done.push((number, task(number)));
        }
    };
    let mut all = scope(|scope| {
        let helpers: Vec<_> =
            (1..threads.min(tasks)).filter_map(|_| spawn_helper(scope, work)).collect();
        let mut all = work();
        all.extend(helpers.into_iter().flat_map(joined));
        all
    });
    all.sort_by_key(|(number, _)| *number);
    all.into_iter().map(|(_, done)| done).collect()
}

/// Runs `work` on `workers` threads, or on as many as the system can start. Fails only if the system cannot start any.
/// Each result sent by a worker is passed to `received` on the calling thread. When `received` returns `Break`, the
/// workers' stop flag is set, and all later results are dropped.
pub fn run_workers<T: Send>(
    workers: usize,
    work: impl Fn(&AtomicBool, &Sender<T>) + Sync,
    mut received: impl FnMut(T) -> ControlFlow<()>,
) -> io::Result<()> {
    let stop = AtomicBool::new(false);
    let (sender, results) = channel();
    scope(|scope| {
        for number in 1..=workers.max(1) {
            let (sender, stop, work) = (sender.clone(), &stop, &work);
            let thread = Builder::new().name(format!("worker {number}")).stack_size(STACK);
            match thread.spawn_scoped(scope, move || work(stop, &sender)) {
                Err(error) if number == 1 => return Err(error),
                Err(_) => break,
                Ok(_) => {}
            }
        }
        drop(sender);
        for result in results {
            if !stop.load(Ordering::Relaxed) && received(result).is_break() {
                stop.store(true, Ordering::Relaxed);
            }
        }
        Ok(())
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::panic::catch_unwind;
    use std::sync::Barrier;
    use std::thread::current;

    #[test]
    fn results_are_in_the_order_of_the_tasks() {
        let squares: Vec<usize> = (0..100).map(|number| number * number).collect();
        for threads in [0, 1, 2, 7, 200] {
            assert_eq!(share_out(100, threads, |number| number * number), squares);
        }
        assert!(share_out(0, 3, |number| number).is_empty());
    }

    #[test]
    fn a_panic_in_any_thread_reaches_the_caller() {
        for fails_caller in [false, true] {
            let caller = current().id();
            let threads = Barrier::new(2);
            // The first two tasks wait for each other, so that two threads must work on them.
            let task = |number: usize| {
                if number < 2 {
                    threads.wait();
                    assert!((current().id() == caller) != fails_caller, "a panic for the caller");
                }
            };
            let panic = catch_unwind(|| share_out(9, 2, task)).expect_err("a panic");
            assert_eq!(panic.downcast_ref(), Some(&"a panic for the caller"));
        }
    }
}
