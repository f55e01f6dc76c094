//! How long to think about one move.
//!
//! Two marks: the *soft* one is looked at between iterations and moves with what the search finds
//! (an unsettled best move buys time, a clear one saves it); the *hard* one ends the search
//! wherever it is.
//!
//! What was thought on the opponent's time is thought: it counts for the soft mark. But it took
//! nothing off our clock, so the hard one is that far from the moment at which our clock began to
//! run.

use std::time::{Duration, Instant};

use super::{Clock, Controls};

/// Among so many moves a clock is divided at the most.
const MOVES_EXPECTED: u32 = 28;
/// Among so many where nothing is said of how many there are: most moves take less than their share, and
/// divided among 28 a fifth of the clock was left when games were over.
const MOVES_PLANNED: u32 = 20;
/// No think is planned shorter than this; the clock decides beyond it.
const SHORTEST: Duration = Duration::from_millis(1);
/// What who needs the same time for every move leaves on the clock: a busy machine may keep him
/// waiting for as long.
const RESERVE: Duration = Duration::from_millis(500);
/// The part of it that a move may take all the same: who looks a few plies ahead needs no more.
const PART_OF_RESERVE: u32 = 200;

/// So much of our own time from the start of a search: where that is on the opponent's time, from
/// the ponder hit.
#[derive(Clone, Copy, Debug)]
pub(super) struct Deadline {
    pub start: Instant,
    pub time: Duration,
}

impl Deadline {
    pub fn has_passed(&self, controls: &Controls, now: Instant) -> bool {
        let start = controls.clock_start(self.start);
        start.is_some_and(|start| now.saturating_duration_since(start) >= self.time)
    }
}

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
        let less_overhead = |time| less_overhead(clock, time);
        let mut plan = Plan { start, soft: None, hard: None, fixed: false };
        if let Some(remaining) = clock.remaining {
            let available = less_overhead(remaining);
            let share = available / moves(clock, MOVES_PLANNED) + clock.increment.mul_f64(0.8);
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

    /// Where the search ends, wherever it is.
    pub fn deadline(&self) -> Option<Deadline> {
        self.hard.map(|time| Deadline { start: self.start, time })
    }

    /// Is it wiser to stop now than to begin another iteration? `urgency` is about 1; more means
    /// that the position deserves more time.
    pub fn is_spent(&self, urgency: f64, now: Instant) -> bool {
        let Some(soft) = self.soft else { return false };
        let factor = if self.fixed { 1.0 } else { urgency };
        now.saturating_duration_since(self.start) >= soft.mul_f64(factor)
    }

    /// Is time limited by a clock, so that a forced move should be played at once?
    pub fn saves_time(&self) -> bool {
        self.soft.is_some() && !self.fixed
    }
}

impl Clock {
    /// The longest that a move may take when every other takes as long, without danger to the game.
    pub fn longest(&self) -> Option<Duration> {
        let soft = Plan::new(self, Instant::now()).soft;
        let Some(remaining) = self.remaining else { return soft };
        let available = less_overhead(self, remaining);
        let reserve = available.min(RESERVE);
        let share = (available - reserve) / moves(self, MOVES_EXPECTED) + reserve / PART_OF_RESERVE;
        // Who lives on the increment takes the less of it the less there is left: so the clock comes to
        // rest where a move costs what it brings, whatever is lost on the way to the clock.
        let fullness = reserve.as_secs_f64() / RESERVE.as_secs_f64();
        soft.map(|soft| soft.min(share + self.increment.mul_f64(0.8 * fullness)))
    }
}

fn less_overhead(clock: &Clock, time: Duration) -> Duration {
    time.saturating_sub(clock.overhead).max(SHORTEST)
}

/// Among how many moves the time is divided: so many where the clock does not say.
fn moves(clock: &Clock, otherwise: u32) -> u32 {
    clock.moves_to_go.map_or(otherwise, |n| n.clamp(1, MOVES_EXPECTED) + 1)
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
            ..Clock::default()
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

    /// The least that is left in 300 moves that take the longest time and lose some more on the way
    /// to the clock, and the shortest of these times.
    fn play_on(base: u64, increment: u64, lost: u64) -> (Duration, Duration) {
        let [base, increment, lost] = [base, increment, lost].map(Duration::from_millis);
        let (mut remaining, mut least, mut shortest) = (base, base, base);
        for _ in 0..300 {
            let clock = Clock { remaining: Some(remaining), increment, ..Clock::default() };
            let longest = clock.longest().expect("on a clock");
            remaining = remaining.saturating_sub(longest + lost);
            (least, shortest) = (least.min(remaining), shortest.min(longest));
            remaining += increment;
        }
        (least, shortest)
    }

    #[test]
    fn many_moves_can_take_the_longest_time() {
        for (base, increment, lost, left) in [
            (1000, 10, 0, 450),
            (1000, 10, 5, 200),
            (1000, 10, 9, 30),
            (600, 0, 0, 100),
            (60_000, 0, 0, 250),
            (300_000, 3000, 0, 500),
        ] {
            let (least, _) = play_on(base, increment, lost);
            let left = Duration::from_millis(left);
            assert!(least >= left, "{base}+{increment}, {lost} lost: {least:?} left");
        }
        // And the reserve does not keep an increment from being used.
        let (_, shortest) = play_on(1000, 10, 0);
        assert!(shortest >= Duration::from_millis(9), "{shortest:?}");
        let clock = Clock { move_time: Some(Duration::from_secs(3)), ..Clock::default() };
        assert_eq!(clock.longest(), clock.move_time);
    }

    #[test]
    fn a_fixed_time_is_used_up() {
        let clock = Clock { move_time: Some(Duration::from_secs(1)), ..Clock::default() };
        let now = Instant::now();
        let plan = Plan::new(&clock, now);
        assert!(!plan.is_spent(0.0, now), "a clear move saves nothing");
        let deadline = plan.deadline().expect("on a clock");
        let controls = Controls::new();
        assert!(!deadline.has_passed(&controls, now + Duration::from_millis(999)));
        assert!(deadline.has_passed(&controls, now + Duration::from_secs(1)));
    }

    #[test]
    fn after_a_ponder_hit_there_is_all_the_time_of_the_clock_and_none_must_be_spent() {
        let remaining = Some(Duration::from_secs(60));
        let clock = Clock { remaining, ..Clock::default() };
        let (start, moment) = (Instant::now(), Duration::from_millis(1));
        let plan = Plan::new(&clock, start);
        let (soft, hard) = (plan.soft.expect("on a clock"), plan.hard.expect("on a clock"));
        let deadline = plan.deadline().expect("on a clock");
        for pondered in [Duration::ZERO, soft / 2, 2 * hard, Duration::from_secs(3600)] {
            let controls = Controls::pondering();
            let hit = start + pondered;
            assert!(!deadline.has_passed(&controls, hit + 2 * hard), "it is not our time");
            controls.ponder_hit_at(hit);
            // A second one does not start the clock anew.
            controls.ponder_hit_at(hit + hard);
            assert!(!deadline.has_passed(&controls, hit));
            assert!(!deadline.has_passed(&controls, hit + hard - moment), "{pondered:?}");
            assert!(deadline.has_passed(&controls, hit + hard), "{pondered:?}");
            // Between iterations it may stop as soon as it has thought long enough.
            assert_eq!(plan.is_spent(1.0, hit), pondered >= soft, "{pondered:?}");
        }
        assert!(hard >= 4 * soft - moment, "an iteration can be completed");
    }

    #[test]
    fn who_does_not_ponder_is_on_the_clock_from_the_start() {
        let (controls, start) = (Controls::new(), Instant::now());
        assert_eq!(controls.clock_start(start), Some(start));
        controls.ponder_hit_at(start + Duration::from_secs(1));
        assert_eq!(controls.clock_start(start), Some(start), "a hit without pondering");
        let controls = Controls::pondering();
        assert_eq!(controls.clock_start(start), None);
        controls.ponder_hit_at(start);
        let later = start + Duration::from_secs(1);
        assert_eq!(controls.clock_start(later), Some(later), "what begins after the hit");
    }
}
