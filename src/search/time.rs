//! How long to think about one move.
//!
//! Two marks: the *soft* one is looked at between iterations and moves with what the search finds
//! (an unsettled best move buys time, a clear one saves it); the *hard* one ends the search
//! wherever it is.

use std::time::{Duration, Instant};

use super::Clock;

/// The moves that a game without time control is planned for.
const MOVES_EXPECTED: u32 = 28;
/// No think is planned shorter than this; the clock decides beyond it.
const SHORTEST: Duration = Duration::from_millis(1);

/// The time plan of one search.
#[derive(Clone, Copy, Debug)]
pub(super) struct Plan {
    pub start: Instant,
    soft: Option<Duration>,
    hard: Option<Duration>,
    /// Exactly the given time: nothing is saved on clear moves.
    fixed: bool,
}

impl Plan {
    pub fn new(clock: &Clock, start: Instant) -> Plan {
        let less_overhead = |time: Duration| time.saturating_sub(clock.overhead).max(SHORTEST);
        let mut plan = Plan { start, soft: None, hard: None, fixed: false };
        if let Some(remaining) = clock.remaining {
            let available = less_overhead(remaining);
            let moves =
                clock.moves_to_go.map_or(MOVES_EXPECTED, |n| n.clamp(1, MOVES_EXPECTED) + 1);
            let share = available / moves + clock.increment.mul_f64(0.8);
            // Never so much that a later move has nothing left.
            let ceiling = available.mul_f64(if clock.moves_to_go == Some(1) { 0.9 } else { 0.5 });
            plan.soft = Some(share.min(ceiling));
            plan.hard = Some(share.mul_f64(4.0).min(ceiling));
        }
        if let Some(time) = clock.move_time {
            let time = less_overhead(time);
            if plan.hard.is_none_or(|hard| time < hard) {
                plan.fixed = plan.hard.is_none();
                plan.hard = Some(time);
                plan.soft = Some(plan.soft.map_or(time, |soft| soft.min(time)));
            }
        }
        plan
    }

    /// The moment at which the search ends, wherever it is.
    pub fn deadline(&self) -> Option<Instant> {
        self.hard.and_then(|hard| self.start.checked_add(hard))
    }

    /// The moment at which a search that goes on unchanged should end.
    pub fn soft_deadline(&self) -> Option<Instant> {
        self.soft.and_then(|soft| self.start.checked_add(soft))
    }

    /// The part of the time that every move can have.
    pub fn share(&self) -> Option<Duration> {
        self.soft
    }

    /// Is it wiser to stop than to begin another iteration? `urgency` is about 1; more means that
    /// the position deserves more time.
    pub fn is_spent(&self, urgency: f64) -> bool {
        let Some(soft) = self.soft else { return false };
        let factor = if self.fixed { 1.0 } else { urgency };
        self.start.elapsed() >= soft.mul_f64(factor)
    }

    /// Is time limited by a clock, so that a forced move should be played at once?
    pub fn saves_time(&self) -> bool {
        self.soft.is_some() && !self.fixed
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan(remaining: u64, increment: u64, moves_to_go: Option<u32>) -> (Duration, Duration) {
        let clock = Clock {
            remaining: Some(Duration::from_millis(remaining)),
            increment: Duration::from_millis(increment),
            moves_to_go,
            overhead: Duration::from_millis(10),
            move_time: None,
        };
        let plan = Plan::new(&clock, Instant::now());
        (plan.soft.expect("on a clock"), plan.hard.expect("on a clock"))
    }

    #[test]
    fn no_plan_spends_more_than_there_is() {
        for remaining in [0, 1, 5, 20, 100, 1000, 60_000, 3_600_000] {
            for increment in [0, 10, 1000, 60_000] {
                for moves in [None, Some(0), Some(1), Some(40), Some(u32::MAX)] {
                    let (soft, hard) = plan(remaining, increment, moves);
                    let most = Duration::from_millis(remaining.saturating_sub(10)).max(SHORTEST);
                    assert!(soft <= hard && hard <= most, "{remaining}+{increment} {moves:?}");
                }
            }
        }
    }

    #[test]
    fn many_moves_can_take_the_longest_time() {
        for (base, increment) in [(1000, 10), (1000, 0), (60_000, 0), (300_000, 3000)] {
            let increment = Duration::from_millis(increment);
            let mut remaining = Duration::from_millis(base);
            for _ in 0..300 {
                let clock = Clock { remaining: Some(remaining), increment, ..Clock::default() };
                remaining -= clock.longest().expect("on a clock");
                assert!(remaining >= Duration::from_millis(240), "{base}: {remaining:?}");
                remaining += increment;
            }
        }
        let clock = Clock { move_time: Some(Duration::from_secs(3)), ..Clock::default() };
        assert_eq!(clock.longest(), clock.move_time);
    }

    #[test]
    fn a_fixed_time_is_used_up() {
        let clock = Clock { move_time: Some(Duration::from_secs(1)), ..Clock::default() };
        let plan = Plan::new(&clock, Instant::now());
        assert!(!plan.is_spent(0.0), "a clear move saves nothing");
        assert!(plan.deadline().is_some());
    }
}
