//! Estimates how long a human would think about a move.
//!
//! The logarithm of human thinking times is roughly normal. Its median and spread depend on the
//! kind of game. An open choice takes longer than a clear one, and a short clock makes players
//! faster. Players who want to finish the game never spend much of their remaining time on one
//! move. This module only computes the time. The caller does the waiting.

use std::time::Duration;

use super::Pace;
use crate::math::exact::{exp, ln};
use crate::math::streams::{Occasion, Purpose, Stream};
use crate::search::Clock;

/// Kinds of games by their duration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tempo {
    Bullet,
    Blitz,
    Rapid,
    Classical,
}

/// The circumstances that determine the thinking time of a move.
#[derive(Clone, Copy, Debug)]
pub struct ThinkingConditions {
    pub clock: Clock,
    /// The initial time of the game, as far as it is known.
    pub base: Duration,
    /// The number of legal moves.
    pub legal: usize,
    /// The player's thinking time relative to that of most people.
    pub factor: f64,
    /// The entropy of the choice in bits, if it is known.
    pub entropy: Option<f64>,
}

/// The assumed number of moves in a game.
const MOVES_PER_GAME: u32 = 40;
/// The 90th percentile of the standard normal distribution.
const Z_90: f64 = 1.281_551_565_544_600_4;
/// The entropy of a typical choice in bits: one of six equal moves.
const TYPICAL_ENTROPY: f64 = 2.6;
/// The thinking time of a choice without alternatives, and the longest of an open choice, relative
/// to a typical one.
const OPENNESS: (f64, f64) = (0.3, 2.0);
/// The thinking time of a forced move, relative to a typical one.
const FORCED: f64 = 0.15;
/// This much of the clock is never used for waiting. With less time, humans move at once too.
const LAST_SECOND: Duration = Duration::from_secs(1);
/// A clock with at least this base time or this increment is typical of a game with a human.
const HUMAN_BASE: Duration = Duration::from_secs(180);
const HUMAN_INCREMENT: Duration = Duration::from_secs(1);
/// With less time per move, there is no wait.
const SHORTEST_MOVE_TIME: Duration = Duration::from_secs(1);

impl Tempo {
    /// The tempo of a game with this base time and increment.
    pub fn of(base: Duration, increment: Duration) -> Tempo {
        match base.saturating_add(increment.saturating_mul(MOVES_PER_GAME)).as_secs() {
            0..180 => Tempo::Bullet,
            180..480 => Tempo::Blitz,
            480..1500 => Tempo::Rapid,
            1500.. => Tempo::Classical,
        }
    }

    /// The median and the 90th percentile of thinking times, in seconds.
    pub fn seconds(self) -> (f64, f64) {
        match self {
            Tempo::Bullet => (1.0, 4.0),
            Tempo::Blitz => (2.0, 11.0),
            Tempo::Rapid => (5.0, 23.0),
            Tempo::Classical => (9.0, 49.0),
        }
    }

    /// The median in seconds, and the standard deviation of the logarithm.
    fn log_normal(self) -> (f64, f64) {
        let (median, ninetieth) = self.seconds();
        (median, ln(ninetieth / median) / Z_90)
    }
}

/// Returns whether to take a human's time for a move.
///
/// The pace `Auto` does so against humans and not against engines. If the kind of opponent is
/// unknown, a slow enough clock suggests a human. `base` is the longest time that the clock has
/// shown.
pub fn imitates_thinking_time(
    pace: Pace,
    is_human: Option<bool>,
    clock: &Clock,
    base: Duration,
) -> bool {
    let is_human_clock = base >= HUMAN_BASE || clock.increment >= HUMAN_INCREMENT;
    match (pace, is_human) {
        (Pace::Instant, _) | (Pace::Auto, Some(false)) => false,
        (Pace::Human, _) | (Pace::Auto, Some(true)) => true,
        (Pace::Auto, None) => clock.remaining.is_some() && is_human_clock,
    }
}

/// Draws a human thinking time in whole milliseconds. It is zero without a clock.
pub fn thinking_time(thought: &ThinkingConditions, occasion: Occasion) -> Duration {
    let Some((base, longest)) = thought.bounds() else { return Duration::ZERO };
    let (median, spread) = Tempo::of(base, thought.clock.increment).log_normal();
    let drawn = Stream::new(occasion, Purpose::Pace).log_normal(median, spread);
    let seconds = drawn * thought.choice_factor() * thought.clock_factor() * thought.factor;
    let time = Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX);
    Duration::from_millis(time.min(longest).as_millis() as u64)
}

impl ThinkingConditions {
    /// The mean of the thinking times that people take in these circumstances, in seconds.
    pub fn mean_seconds(&self) -> f64 {
        let Some((base, longest)) = self.bounds() else { return 0.0 };
        let (median, spread) = Tempo::of(base, self.clock.increment).log_normal();
        let mean = median * exp(spread * spread / 2.0);
        (mean * self.choice_factor() * self.clock_factor() * self.factor).min(longest.as_secs_f64())
    }

    /// The base time, and the upper limit for this move.
    fn bounds(&self) -> Option<(Duration, Duration)> {
        let usable = |time: Duration| time.saturating_sub(self.clock.overhead);
        let by_clock = self.clock.remaining.map(|remaining| {
            let left = usable(remaining).saturating_sub(LAST_SECOND);
            let share = left / 10 + self.clock.increment.mul_f64(0.8);
            (self.base.max(remaining), share.min(left / 2))
        });
        let by_move = self.clock.move_time.map(|time| {
            let longest = if time < SHORTEST_MOVE_TIME { Duration::ZERO } else { usable(time) };
            (time.saturating_mul(MOVES_PER_GAME), longest)
        });
        match (by_clock, by_move) {
            (Some((base, longest)), Some((_, less))) => Some((base, longest.min(less))),
            (one, other) => one.or(other),
        }
    }

    fn choice_factor(&self) -> f64 {
        let (lowest, highest) = OPENNESS;
        if self.legal <= 1 {
            return FORCED;
        }
        let share = self.entropy.map_or(1.0, |bits| bits / TYPICAL_ENTROPY);
        (lowest + (1.0 - lowest) * share).clamp(lowest, highest)
    }

    /// The factor for time pressure. It is 1 until half of the time is used, then proportional to
    /// the time left.
    fn clock_factor(&self) -> f64 {
        let Some(remaining) = self.clock.remaining else { return 1.0 };
        let left =
            remaining.saturating_add(self.clock.increment.saturating_mul(MOVES_PER_GAME / 4));
        (2.0 * left.as_secs_f64() / self.base.max(remaining).as_secs_f64().max(1e-3)).min(1.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::statistics::median;

    const TEMPOS: [(u64, u64, Tempo); 6] = [
        (60, 0, Tempo::Bullet),
        (60, 2, Tempo::Bullet),
        (300, 0, Tempo::Blitz),
        (900, 5, Tempo::Rapid),
        (5400, 30, Tempo::Classical),
        (15, 60, Tempo::Classical),
    ];

    fn thought(base: u64, increment: u64) -> ThinkingConditions {
        let seconds = Duration::from_secs;
        let clock = Clock {
            remaining: Some(seconds(base)),
            increment: seconds(increment),
            overhead: Duration::from_millis(20),
            ..Clock::default()
        };
        ThinkingConditions {
            clock,
            base: seconds(base),
            legal: 30,
            factor: 1.0,
            entropy: Some(TYPICAL_ENTROPY),
        }
    }

    fn times(thought: &ThinkingConditions) -> Vec<f64> {
        let occasion = |ply| Occasion { seed: 3, game: 1, ply };
        (0..4000).map(|ply| thinking_time(thought, occasion(ply)).as_secs_f64()).collect()
    }

    #[test]
    fn full_clocks_give_typical_times_for_their_tempo() {
        for (base, increment, tempo) in TEMPOS {
            let thought = thought(base, increment);
            assert_eq!(Tempo::of(thought.base, thought.clock.increment), tempo);
            if base < 60 {
                continue; // the clock is too short for the 90th percentile
            }
            let mut times = times(&thought);
            times.sort_by(f64::total_cmp);
            let (middle, ninetieth) = tempo.seconds();
            // Five standard errors of a quantile of 4000 draws.
            assert!((median(&times) / middle - 1.0).abs() < 0.13, "{tempo:?} {}", median(&times));
            assert!((times[3600] / ninetieth - 1.0).abs() < 0.2, "{tempo:?} {}", times[3600]);
        }
    }

    #[test]
    fn hard_choices_take_longer_and_time_pressure_shortens_thinking() {
        let usual = thought(300, 0);
        let typical = median(&times(&usual));
        let median_with = |change: &dyn Fn(&mut ThinkingConditions)| {
            let mut changed = usual;
            change(&mut changed);
            median(&times(&changed))
        };
        assert!(median_with(&|t| t.entropy = Some(4.0)) > 1.2 * typical);
        assert!(median_with(&|t| t.entropy = Some(0.5)) < 0.6 * typical);
        assert!(median_with(&|t| t.legal = 1) < 0.2 * typical);
        assert_eq!(median_with(&|t| t.entropy = None), typical);
        assert!((median_with(&|t| t.factor = 0.5) / typical - 0.5).abs() < 0.01);
        assert!(
            median_with(&|t| t.clock.remaining = Some(Duration::from_secs(30))) < 0.3 * typical
        );
    }

    #[test]
    fn waiting_never_loses_on_time() {
        for (base, increment, _) in TEMPOS.into_iter().chain([(1, 0, Tempo::Bullet)]) {
            let mut thought = ThinkingConditions { entropy: Some(5.0), ..thought(base, increment) };
            for ply in 0..600 {
                let remaining = thought.clock.remaining.expect("on a clock");
                let time = thinking_time(&thought, Occasion { seed: 1, game: 1, ply });
                assert!(time <= remaining / 2, "{base}+{increment} ply {ply}: {time:?}");
                let is_short = remaining <= Duration::from_secs(1);
                assert!(!is_short || time.is_zero(), "{base}+{increment} ply {ply}: {time:?}");
                thought.clock.remaining = Some(remaining - time + thought.clock.increment);
            }
        }
    }

    #[test]
    fn without_a_clock_there_is_no_waiting() {
        let thought_with = |clock| ThinkingConditions { clock, ..thought(60, 0) };
        assert!(times(&thought_with(Clock::default())).iter().all(|&time| time == 0.0));
        let per_move = |milliseconds| {
            let move_time = Some(Duration::from_millis(milliseconds));
            thought_with(Clock { move_time, ..Clock::default() })
        };
        assert!(times(&per_move(900)).iter().all(|&time| time == 0.0));
        assert!(times(&per_move(3000)).iter().all(|&time| time <= 3.0));
        assert!(median(&times(&per_move(3000))) > 0.5);
    }

    #[test]
    fn auto_pace_waits_for_humans_and_never_for_engines() {
        for (base, increment, is_human, takes) in [
            (300, 0, None, true),
            (60, 1, None, true),
            (60, 0, None, false),
            (60, 0, Some(true), true),
            (5400, 30, Some(false), false),
        ] {
            let ThinkingConditions { clock, base, .. } = thought(base, increment);
            assert_eq!(
                imitates_thinking_time(Pace::Auto, is_human, &clock, base),
                takes,
                "{base:?} {is_human:?}"
            );
            assert!(imitates_thinking_time(Pace::Human, is_human, &clock, base));
            assert!(!imitates_thinking_time(Pace::Instant, is_human, &clock, base));
        }
        let seconds = Duration::from_secs;
        let clock = Clock { move_time: Some(seconds(600)), ..Clock::default() };
        assert!(!imitates_thinking_time(Pace::Auto, None, &clock, seconds(600)), "no clock runs");
    }

    #[test]
    fn the_same_occasion_takes_the_same_time() {
        assert_eq!(times(&thought(300, 0)), times(&thought(300, 0)));
    }
}
