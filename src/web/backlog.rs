//! Accepted connections that are waiting for a thread.

use std::collections::VecDeque;
use std::net::TcpStream;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// The maximum number of waiting connections. Another one replaces the oldest, whose client has
/// probably given up.
const MAX_WAITING: usize = 64;

/// The queue between the thread that accepts connections and the threads that serve them.
#[derive(Debug, Default)]
pub struct Backlog {
    waiting: Mutex<VecDeque<TcpStream>>,
    arrived: Condvar,
}

impl Backlog {
    fn lock(&self) -> MutexGuard<'_, VecDeque<TcpStream>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn add(&self, stream: TcpStream) {
        let mut waiting = self.lock();
        if waiting.len() >= MAX_WAITING {
            waiting.pop_front();
        }
        waiting.push_back(stream);
        drop(waiting);
        self.arrived.notify_one();
    }

    /// Returns the connection that has waited longest. If there is none, waits for one.
    pub fn next(&self) -> TcpStream {
        let mut waiting = self.lock();
        loop {
            match waiting.pop_front() {
                Some(stream) => return stream,
                None => {
                    waiting = self.arrived.wait(waiting).unwrap_or_else(PoisonError::into_inner);
                }
            }
        }
    }

    /// Returns whether connections are waiting because all threads are busy.
    pub fn is_crowded(&self) -> bool {
        !self.lock().is_empty()
    }
}
