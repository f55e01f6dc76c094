//! Answers that wait for the worker, so that they come in order.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

/// The time that `isready` waits for pending jobs. Loading a network takes about half of it.
const READY_TIMEOUT: Duration = Duration::from_millis(250);
/// The same while an external engine is starting, which may never succeed.
const STARTING_TIMEOUT: Duration = Duration::from_millis(40);
/// The time that `uci` waits for pending jobs. An external engine may be starting, and its options
/// should be listed.
const INTRODUCTION_TIMEOUT: Duration = Duration::from_secs(2);
/// The same if the external engine was given on the command line, because a GUI asks only once. A
/// program that takes longer to answer is not considered an engine.
const ENGINE_TIMEOUT: Duration = Duration::from_secs(12);

/// An answer that can wait for pending jobs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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

impl Answer {
    /// The time that the answer waits for pending jobs. `is_starting` tells whether an external engine is starting: for
    /// `uci`, the one on the command line, and for `isready`, any.
    pub fn timeout(self, is_starting: bool) -> Duration {
        match (self, is_starting) {
            (Answer::Introduction, false) => INTRODUCTION_TIMEOUT,
            (Answer::Introduction, true) => ENGINE_TIMEOUT,
            (Answer::Ready, false) => READY_TIMEOUT,
            (Answer::Ready, true) => STARTING_TIMEOUT,
        }
    }
}

impl DueAnswers {
    /// Adds an answer. It is due when the worker has finished `after` jobs, or after the time `within`. The answers
    /// keep their order, so an answer that may wait at all also waits for the earlier ones.
    pub fn add(&mut self, answer: Answer, after: usize, within: Duration) {
        let by = Instant::now() + within;
        let earlier = self.0.back().map(|last| last.by).filter(|_| !within.is_zero());
        self.0.push_back(DueAnswer { answer, after, by: earlier.map_or(by, |last| by.max(last)) });
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn isready_does_not_cut_short_the_wait_of_uci() {
        let mut answers = DueAnswers::default();
        answers.add(Answer::Introduction, 1, Answer::Introduction.timeout(true));
        let by = answers.next_time();
        answers.add(Answer::Ready, 1, Answer::Ready.timeout(true));
        assert_eq!(answers.next_time(), by);
        assert_eq!(answers.take_due(1), [Answer::Introduction, Answer::Ready]);
    }

    #[test]
    fn an_answer_that_must_not_wait_is_sent_with_the_earlier_ones() {
        let mut answers = DueAnswers::default();
        answers.add(Answer::Introduction, 1, Answer::Introduction.timeout(true));
        answers.add(Answer::Ready, 2, Duration::ZERO);
        assert_eq!(answers.take_due(0), [Answer::Introduction, Answer::Ready]);
    }
}
