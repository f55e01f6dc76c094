//! Answers that wait for the worker, so that they come in order.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

/// An answer that can wait for pending jobs.
#[derive(Clone, Copy, Debug)]
pub(super) enum Answer {
    /// The answer to `uci`.
    Introduction,
    /// The answer to `isready`.
    Ready,
}

/// The answers that wait for pending jobs, in order.
#[derive(Debug, Default)]
pub(super) struct DueAnswers(VecDeque<DueAnswer>);

#[derive(Clone, Copy, Debug)]
struct DueAnswer {
    answer: Answer,
    /// The answer is due when the worker has finished this number of jobs.
    after: usize,
    /// The time by which the answer must be sent.
    by: Instant,
}

impl DueAnswers {
    /// Adds an answer. It is due when the worker has finished `after` jobs, or after the time `within`.
    pub fn add(&mut self, answer: Answer, after: usize, within: Duration) {
        self.0.push_back(DueAnswer { answer, after, by: Instant::now() + within });
    }

    /// The earliest time by which an answer must be sent.
    pub fn next_time(&self) -> Option<Instant> {
        self.0.iter().map(|due| due.by).min()
    }

    /// Removes the answers that are due when the worker has finished `done` jobs. If an answer is due, the earlier ones
    /// are sent along with it.
    pub fn take_due(&mut self, done: usize) -> Vec<Answer> {
        let now = Instant::now();
        let last = self.0.iter().rposition(|due| due.after <= done || due.by <= now);
        self.0.drain(..last.map_or(0, |last| last + 1)).map(|due| due.answer).collect()
    }

    /// Removes all answers.
    pub fn take_all(&mut self) -> Vec<Answer> {
        self.0.drain(..).map(|due| due.answer).collect()
    }
}
