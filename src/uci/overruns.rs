//! Moves that took more time than planned, according to the GUI's clock.
//!
//! On a loaded machine the system may suspend the program for half a second, or the GUI may read a
//! move late. That can happen again, so a reserve is kept for later moves. In later games the
//! reserve shrinks. As long as there are no overruns, there is no reserve.

use std::time::Duration;

use crate::search::Clock;

/// Larger overruns are capped at this size, because someone has probably changed the clock.
const MAX_OVERRUN: Duration = Duration::from_secs(1);
/// The size of the reserve, relative to the largest overrun.
const RESERVE_FACTOR: f64 = 2.0;
/// The fraction of the largest overrun that is expected in the next game. A machine that was loaded
/// in one game is probably still loaded in the next.
const NEXT_GAME_FACTOR: f64 = 0.75;
/// Overruns smaller than this are forgotten after the game.
const NEGLIGIBLE_OVERRUN: Duration = Duration::from_millis(20);
/// The largest fraction of the clock that is kept in reserve. Some time must be left for thinking.
const MAX_RESERVE_SHARE: f64 = 15.0 / 16.0;

/// The overruns in this game and in earlier games.
#[derive(Debug, Default)]
pub struct Overruns {
    /// The largest overrun in this game, or the fraction of an earlier one that is still expected.
    largest: Duration,
    /// The last move that was played.
    last: Option<TimedMove>,
    /// The current move.
    current: Option<TimedMove>,
    /// The move that is being prepared on the opponent's time.
    pondered: Option<TimedMove>,
}

/// A move made with a clock.
#[derive(Debug)]
struct TimedMove {
    /// The number of plies before the move.
    plies: usize,
    clock: Clock,
    /// The time that was planned for the move. Zero until the move has been sent.
    planned: Duration,
}

impl Overruns {
    /// Starts a new game.
    pub fn new_game(&mut self) {
        let expected = self.largest.mul_f64(NEXT_GAME_FACTOR);
        self.largest = if expected < NEGLIGIBLE_OVERRUN { Duration::ZERO } else { expected };
        (self.last, self.current, self.pondered) = (None, None, None);
    }

    /// Records the clock at the start of a move, and compares it with the clock of the previous
    /// move.
    pub fn start_move(&mut self, plies: usize, clock: &Clock) {
        let last = self.last.take().filter(|last| last.plies + 2 == plies);
        if let Some(overrun) = last.and_then(|last| last.overrun(clock)) {
            self.largest = self.largest.max(overrun.min(MAX_OVERRUN));
        }
        (self.current, self.pondered) = (TimedMove::new(plies, clock), None);
    }

    /// Records the clock at the start of pondering. Some programs only estimate it, so it is not
    /// compared. After a wrong guess, the next clock is compared with that of the last move played.
    pub fn start_pondering(&mut self, plies: usize, clock: &Clock) {
        self.pondered = TimedMove::new(plies, clock);
    }

    /// Makes the pondered move the current one.
    pub fn ponder_hit(&mut self) {
        self.current = self.pondered.take().or(self.current.take());
    }

    /// Records that the move was sent after `used`. Time up to `planned` counts as planned even if a
    /// search would have used less: an imitated thinking time, for example.
    pub fn end_move(&mut self, used: Duration, planned: Duration) {
        if let Some(mut current) = self.current.take() {
            let most = current.clock.hard_limit().unwrap_or(Duration::MAX).max(planned);
            current.planned = used.min(most);
            self.last = Some(current);
        }
    }

    /// The clock with a reserve for another overrun.
    pub fn with_reserve(&self, clock: &Clock) -> Clock {
        let Some(remaining) = clock.remaining else { return *clock };
        let reserve =
            self.largest.mul_f64(RESERVE_FACTOR).min(remaining.mul_f64(MAX_RESERVE_SHARE));
        Clock { overhead: clock.overhead.max(reserve), ..*clock }
    }
}

impl TimedMove {
    fn new(plies: usize, clock: &Clock) -> Option<TimedMove> {
        clock.remaining.map(|_| TimedMove { plies, clock: *clock, planned: Duration::ZERO })
    }

    /// The time by which the move overran its plan, judging by the clock at the next move.
    fn overrun(&self, next: &Clock) -> Option<Duration> {
        let cost = (self.clock.remaining? + self.clock.increment).saturating_sub(next.remaining?);
        Some(cost.saturating_sub(self.planned))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const INCREMENT: u64 = 50;

    fn clock(remaining: u64) -> Clock {
        Clock {
            remaining: Some(Duration::from_millis(remaining)),
            increment: Duration::from_millis(INCREMENT),
            overhead: Duration::from_millis(10),
            ..Clock::default()
        }
    }

    /// Plays moves that take `used` ms each, plus one of these delays in ms. Returns the overhead
    /// of the next move.
    fn overhead_after(start: u64, used: u64, delays: &[u64]) -> u64 {
        let (mut overruns, mut remaining) = (Overruns::default(), start);
        for (number, delay) in delays.iter().enumerate() {
            overruns.start_move(2 * number, &clock(remaining));
            overruns.end_move(Duration::from_millis(used), Duration::ZERO);
            remaining = remaining + INCREMENT - used - delay;
        }
        overruns.start_move(2 * delays.len(), &clock(remaining));
        overruns.with_reserve(&clock(remaining)).overhead.as_millis() as u64
    }

    #[test]
    fn without_overruns_the_overhead_is_unchanged() {
        assert_eq!(overhead_after(5000, 40, &[0; 20]), 10);
        // An overrun that the setting covers needs no reserve.
        assert_eq!(overhead_after(5000, 40, &[5; 20]), 10);
    }

    #[test]
    fn the_reserve_covers_the_largest_overrun_of_the_game() {
        assert_eq!(overhead_after(5000, 40, &[0, 100, 0, 0]), 200);
        assert_eq!(overhead_after(5000, 40, &[0, 100, 614, 0, 20]), 1228);
        // The reserve leaves some time to think, even if the clock is very short.
        let left = 1000 + 2 * (INCREMENT - 40) - 614;
        assert_eq!(overhead_after(1000, 40, &[614, 0]), 15 * left / 16);
        // The delay is capped, because a loss of a minute means that the clock was changed by hand.
        assert_eq!(overhead_after(100_000, 40, &[60_000]), 2000);
    }

    #[test]
    fn the_first_moves_of_the_next_game_have_a_reserve_that_fades() {
        let mut overruns = Overruns::default();
        overruns.start_move(0, &clock(5000));
        overruns.end_move(Duration::from_millis(40), Duration::ZERO);
        overruns.start_move(2, &clock(5000 + INCREMENT - 640));
        let reserves: Vec<u128> = (0..14)
            .map(|_| {
                overruns.new_game();
                // The clock in the new game is not compared with that in the last game.
                overruns.start_move(4, &clock(100));
                overruns.with_reserve(&clock(5000)).overhead.as_millis()
            })
            .collect();
        assert_eq!((reserves[0], reserves[1]), (900, 675));
        assert_eq!(reserves[13], 10, "{reserves:?}");
    }

    #[test]
    fn a_stalled_search_is_an_overrun() {
        // The search was meant to take at most half of the clock, but ended only after 900 ms.
        let mut overruns = Overruns::default();
        let most = clock(1000).hard_limit().expect("there is a clock");
        overruns.start_move(0, &clock(1000));
        overruns.end_move(Duration::from_millis(900), Duration::ZERO);
        overruns.start_move(2, &clock(1000 + INCREMENT - 900));
        assert_eq!(overruns.largest, Duration::from_millis(900) - most);
        // An imitated thinking time is part of the plan.
        let mut overruns = Overruns::default();
        overruns.start_move(0, &clock(1000));
        overruns.end_move(Duration::from_millis(900), Duration::from_millis(900));
        overruns.start_move(2, &clock(1000 + INCREMENT - 900));
        assert_eq!(overruns.largest, Duration::ZERO);
    }

    #[test]
    fn a_wrong_guess_does_not_hide_an_overrun() {
        for (guesses, is_hit) in [(0, false), (1, false), (2, false), (1, true)] {
            let mut overruns = Overruns::default();
            overruns.start_move(0, &clock(5000));
            overruns.end_move(Duration::from_millis(40), Duration::ZERO);
            for _ in 0..guesses {
                // The program estimates the clock, without the lost time.
                overruns.start_pondering(2, &clock(5000 + INCREMENT - 40));
                if is_hit {
                    overruns.ponder_hit();
                }
                overruns.end_move(Duration::from_millis(30), Duration::ZERO);
            }
            let (plies, left) = if is_hit { (4, 5000 - 690) } else { (2, 5000 - 590) };
            overruns.start_move(plies, &clock(left));
            let expected = if is_hit { 5000 + 2 * INCREMENT - 70 - left } else { 600 };
            assert_eq!(overruns.largest, Duration::from_millis(expected), "{guesses} {is_hit}");
        }
    }

    #[test]
    fn clocks_of_other_games_and_time_controls_are_not_compared() {
        for (plies, next) in [(4, 100), (1, 100), (2, 60_000)] {
            let mut overruns = Overruns::default();
            overruns.start_move(0, &clock(5000));
            overruns.end_move(Duration::from_millis(40), Duration::ZERO);
            overruns.start_move(plies, &clock(next));
            assert_eq!(overruns.largest, Duration::ZERO, "{plies} {next}");
        }
    }

    #[test]
    fn a_game_at_a_short_time_control_survives_repeated_stalls() {
        // Every move takes the maximum time, and one move in twenty is delayed by 600 ms.
        let (mut overruns, mut remaining) = (Overruns::default(), Duration::from_secs(5));
        for number in 0..200 {
            let now = Clock { remaining: Some(remaining), ..clock(0) };
            overruns.start_move(2 * number, &now);
            let used = overruns.with_reserve(&now).hard_limit().expect("there is a clock");
            overruns.end_move(used, Duration::ZERO);
            let stall = Duration::from_millis(if number % 20 == 4 { 600 } else { 0 });
            let left = remaining.checked_sub(used + stall);
            remaining = left.expect("time is left") + now.increment;
        }
    }
}
