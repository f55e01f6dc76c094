//! Time management: how long to think about one move.
//!
//! A plan has two limits. The search checks the *soft* limit between iterations, and scales it according to its
//! findings so far: an unsettled best move gets more time, and a clear one gets less. The *hard* limit ends the search
//! in the middle of an iteration.
//!
//! Time spent pondering counts towards the soft limit, since that thinking has been done. It does not count towards the
//! hard limit, because pondering takes none of our own time: the hard limit starts with our clock.

use std::time::Duration;

use super::Controls;
use crate::clock::Instant;

/// The maximum number of moves that we expect before the next time control or the end of the game.
const MAX_MOVES_EXPECTED: u32 = 28;
/// The number of moves among which the time is divided when the clock does not say how many are left. Most moves
/// take less than their share: with 28, a fifth of the clock was left at the end of games.
const MOVES_PLANNED: u32 = 20;
/// The largest soft limit, as a share of the clock. When little more than the increment is left, the clock can recover,
/// so that a delay of a few tenths of a second does not lose the game.
const MAX_SHARE: f64 = 0.2;
/// No plan is shorter than this.
const SHORTEST: Duration = Duration::from_millis(1);
/// Reserve for players that need the same time for every move: a loaded machine can delay a move by this much.
const RESERVE: Duration = Duration::from_millis(500);
/// Each move of such a player may use the reserve divided by this number, which is enough for a search of a few plies.
const RESERVE_DIVISOR: u32 = 200;

/// The time that the mover has. If all fields are `None`, it is unlimited.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Clock {
    /// Time for this move alone. The search uses all of it.
    pub move_time: Option<Duration>,
    /// Time left on the mover's clock.
    pub remaining: Option<Duration>,
    /// Time left on the opponent's clock. Our own search ignores it.
    pub opponents: Option<Duration>,
    /// The time on the clock at the start of the game, if we use our time as a human does. Our own search ignores it.
    pub base: Option<Duration>,
    /// The time that is added after each move.
    pub increment: Duration,
    /// The time that is added after each of the opponent's moves.
    pub opponents_increment: Duration,
    /// Moves to the next time control. `None` means that the time is for the whole game.
    pub moves_to_go: Option<u32>,
    /// Time lost between the engine and the clock on every move.
    pub overhead: Duration,
}

impl Clock {
    /// The clock after some of the time has passed.
    #[must_use]
    pub(crate) fn after(&self, elapsed: Duration) -> Clock {
        let less = |time: Duration| time.saturating_sub(elapsed);
        Clock { move_time: self.move_time.map(less), remaining: self.remaining.map(less), ..*self }
    }

    /// The hard limit of a search for the best move with this clock.
    pub(crate) fn hard_limit(&self) -> Option<Duration> {
        Plan::new(self, Instant::now()).hard
    }

    /// The time that each of the remaining moves may take without a risk of losing on time.
    pub(crate) fn safe_time_per_move(&self) -> Option<Duration> {
        let soft = Plan::new(self, Instant::now()).soft;
        let Some(remaining) = self.remaining else { return soft };
        let available = less_overhead(self, remaining);
        let reserve = available.min(RESERVE);
        let share =
            (available - reserve) / moves(self, MAX_MOVES_EXPECTED) + reserve / RESERVE_DIVISOR;
        // When only the increment is left, spend a shrinking share of it, so that the clock recovers. The clock then
        // settles at a level where a move takes as much time as it adds, even if time is lost between the engine and
        // the clock.
        let fullness = reserve.as_secs_f64() / RESERVE.as_secs_f64();
        soft.map(|soft| soft.min(share + self.increment.mul_f64(0.8 * fullness)))
    }
}

/// A limit on our own time. It counts from the start of the search, or from the ponder hit if the search
/// starts on the opponent's time.
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

/// The time limits of one search.
#[derive(Clone, Copy, Debug)]
pub(super) struct Plan {
    pub start: Instant,
    soft: Option<Duration>,
    hard: Option<Duration>,
    /// The time per move is fixed, so there is no point in saving time on clear moves.
    fixed: bool,
}

impl Plan {
    pub fn new(clock: &Clock, start: Instant) -> Plan {
        let less_overhead = |time| less_overhead(clock, time);
        let mut plan = Plan { start, soft: None, hard: None, fixed: false };
        if let Some(remaining) = clock.remaining {
            let available = less_overhead(remaining);
            // The overhead is lost on every move.
            let gain = clock.increment.saturating_sub(clock.overhead);
            let share = available / moves(clock, MOVES_PLANNED) + gain.mul_f64(0.8);
            // Leave some time for later moves.
            let ceiling = available.mul_f64(if clock.moves_to_go == Some(1) { 0.9 } else { 0.5 });
            let is_control_near = clock.moves_to_go.is_some_and(|moves| moves <= 4);
            let usual = if is_control_near { ceiling } else { available.mul_f64(MAX_SHARE) };
            plan.soft = Some(share.min(usual));
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

    /// The hard limit, at which the search ends at once.
    pub fn deadline(&self) -> Option<Deadline> {
        self.hard.map(|time| Deadline { start: self.start, time })
    }

    /// Whether to stop rather than start another iteration. `urgency` multiplies the soft limit: it is about 1, and
    /// larger in a position that deserves more time.
    pub fn is_spent(&self, urgency: f64, now: Instant) -> bool {
        let Some(soft) = self.soft else { return false };
        let factor = if self.fixed { 1.0 } else { urgency };
        now.saturating_duration_since(self.start) >= soft.mul_f64(factor)
    }

    /// Whether time that is not used now can be used later. If it can, a forced move should be played at once.
    pub fn saves_time(&self) -> bool {
        self.soft.is_some() && !self.fixed
    }
}

fn less_overhead(clock: &Clock, time: Duration) -> Duration {
    time.saturating_sub(clock.overhead).max(SHORTEST)
}

/// The number by which the time on the clock is divided: one more than the moves to the time control, or `otherwise` if
/// the clock does not give them.
fn moves(clock: &Clock, otherwise: u32) -> u32 {
    clock.moves_to_go.map_or(otherwise, |n| n.clamp(1, MAX_MOVES_EXPECTED) + 1)
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
        (plan.soft.expect("there is a clock"), plan.hard.expect("there is a clock"))
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

    /// Plays 300 moves. Each takes the longest time allowed, and some more time is lost. Returns the minimum time left
    /// on the clock, and the time of the shortest move.
    fn play_on(base: u64, increment: u64, lost: u64) -> (Duration, Duration) {
        let [base, increment, lost] = [base, increment, lost].map(Duration::from_millis);
        let (mut remaining, mut least, mut shortest) = (base, base, base);
        for _ in 0..300 {
            let clock = Clock { remaining: Some(remaining), increment, ..Clock::default() };
            let longest = clock.safe_time_per_move().expect("there is a clock");
            remaining = remaining.saturating_sub(longest + lost);
            (least, shortest) = (least.min(remaining), shortest.min(longest));
            remaining += increment;
        }
        (least, shortest)
    }

    #[test]
    fn every_move_of_a_long_game_can_take_the_longest_time() {
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
        // The reserve must not keep an increment from being used.
        let (_, shortest) = play_on(1000, 10, 0);
        assert!(shortest >= Duration::from_millis(9), "{shortest:?}");
        let clock = Clock { move_time: Some(Duration::from_secs(3)), ..Clock::default() };
        assert_eq!(clock.safe_time_per_move(), clock.move_time);
    }

    #[test]
    fn the_clock_recovers_when_only_the_increment_is_left() {
        for (increment, left) in [(10, 60), (50, 250), (100, 300), (2000, 6000)] {
            let [increment, left] = [increment, left].map(Duration::from_millis);
            let (lag, overhead) = (Duration::from_millis(5), Duration::from_millis(20));
            let mut remaining = 100 * increment;
            for _ in 0..300 {
                let clock =
                    Clock { remaining: Some(remaining), increment, overhead, ..Clock::default() };
                let soft = Plan::new(&clock, Instant::now()).soft.expect("there is a clock");
                // A move takes a little longer than the soft limit on average.
                remaining = remaining.saturating_sub(soft.mul_f64(1.1) + lag);
                assert!(remaining >= left, "{increment:?}: {remaining:?} left");
                remaining += increment;
            }
        }
    }

    #[test]
    fn a_fixed_time_is_used_up() {
        let clock = Clock { move_time: Some(Duration::from_secs(1)), ..Clock::default() };
        let now = Instant::now();
        let plan = Plan::new(&clock, now);
        assert!(!plan.is_spent(0.0, now), "a clear move must not save time");
        let deadline = plan.deadline().expect("there is a clock");
        let controls = Controls::new();
        assert!(!deadline.has_passed(&controls, now + Duration::from_millis(999)));
        assert!(deadline.has_passed(&controls, now + Duration::from_secs(1)));
    }

    #[test]
    fn a_ponder_hit_starts_the_hard_limit_but_not_the_soft_one() {
        let remaining = Some(Duration::from_secs(60));
        let clock = Clock { remaining, ..Clock::default() };
        let (start, moment) = (Instant::now(), Duration::from_millis(1));
        let plan = Plan::new(&clock, start);
        let (soft, hard) =
            (plan.soft.expect("there is a clock"), plan.hard.expect("there is a clock"));
        let deadline = plan.deadline().expect("there is a clock");
        for pondered in [Duration::ZERO, soft / 2, 2 * hard, Duration::from_secs(3600)] {
            let controls = Controls::pondering();
            let hit = start + pondered;
            assert!(
                !deadline.has_passed(&controls, hit + 2 * hard),
                "our clock is not running yet"
            );
            controls.ponder_hit_at(hit);
            // A second ponder hit does not restart the clock.
            controls.ponder_hit_at(hit + hard);
            assert!(!deadline.has_passed(&controls, hit));
            assert!(!deadline.has_passed(&controls, hit + hard - moment), "{pondered:?}");
            assert!(deadline.has_passed(&controls, hit + hard), "{pondered:?}");
            // Between iterations the search may stop once it has thought long enough, pondering included.
            assert_eq!(plan.is_spent(1.0, hit), pondered >= soft, "{pondered:?}");
        }
        assert!(hard >= 4 * soft - moment, "an iteration can be completed");
    }

    #[test]
    fn without_pondering_the_clock_runs_from_the_start() {
        let (controls, start) = (Controls::new(), Instant::now());
        assert_eq!(controls.clock_start(start), Some(start));
        controls.ponder_hit_at(start + Duration::from_secs(1));
        assert_eq!(controls.clock_start(start), Some(start), "a hit without pondering");
        let controls = Controls::pondering();
        assert_eq!(controls.clock_start(start), None);
        controls.ponder_hit_at(start);
        let later = start + Duration::from_secs(1);
        assert_eq!(controls.clock_start(later), Some(later), "work that starts after the hit");
    }
}
