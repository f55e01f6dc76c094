//! Work shared out among threads, as many as the system has to give.

use std::io;
use std::ops::ControlFlow;
use std::panic::resume_unwind;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::thread::{Builder, Scope, ScopedJoinHandle, available_parallelism, scope};

/// Deep lines of a search need deep stacks.
pub const STACK: usize = 16 << 20;

/// How many threads can work at once, where the system tells.
pub fn cores() -> usize {
    available_parallelism().map_or(1, usize::from)
}

/// Starts a thread with room for the deepest line of a search. `None` where the system has no
/// thread to give: the work is then done by those that there are.
pub fn helper<'scope, T: Send + 'scope>(
    scope: &'scope Scope<'scope, '_>,
    work: impl FnOnce() -> T + Send + 'scope,
) -> Option<ScopedJoinHandle<'scope, T>> {
    Builder::new().stack_size(STACK).spawn_scoped(scope, work).ok()
}

/// Waits for a thread to end. What it gives is given; a panic there goes on here.
pub fn joined<T>(thread: ScopedJoinHandle<'_, T>) -> T {
    thread.join().unwrap_or_else(|panic| resume_unwind(panic))
}

/// Does so many tasks on up to so many threads, this one among them. What they give is in the
/// order of their numbers.
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
        let helpers: Vec<_> = (1..threads.min(tasks)).filter_map(|_| helper(scope, work)).collect();
        let mut all = work();
        all.extend(helpers.into_iter().flat_map(joined));
        all
    });
    all.sort_by_key(|(number, _)| *number);
    all.into_iter().map(|(_, done)| done).collect()
}

/// Has so many workers, one at least, do what each finds to do; where the system has fewer threads to
/// give, these do it all. What they send is handed to `received` in this thread; when that says break,
/// the flag that they all see says that nobody wants more.
pub fn crew<T: Send>(
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
    fn a_panic_in_any_thread_is_the_callers() {
        for fails_caller in [false, true] {
            let caller = current().id();
            let threads = Barrier::new(2);
            // The first two tasks are for two threads: neither is done before both are begun.
            let task = |number: usize| {
                if number < 2 {
                    threads.wait();
                    assert!((current().id() == caller) != fails_caller, "what is to be heard of");
                }
            };
            let panic = catch_unwind(|| share_out(9, 2, task)).expect_err("a panic");
            assert_eq!(panic.downcast_ref(), Some(&"what is to be heard of"));
        }
    }
}
