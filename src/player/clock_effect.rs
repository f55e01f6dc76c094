//! The effect of the clock on the strength of human players.
//!
//! People make more errors when they are short of time. With t seconds left, including a few increments, a player rated
//! R plays like players with the rating `R + b (R - R0) (m - ln(1 + T / t))`. So time pressure costs strong players
//! the most. A rating describes whole games, so the offset must average zero over the moves of each kind of game: m is
//! the mean of the logarithm over these moves. `tuning/policy/clock.py` fits the parameters to games of human players.

use std::time::Duration;

use once_cell::sync::Lazy;

use crate::math::exact::ln;
use crate::policy::GameKind;
use crate::search::Clock;
use crate::selector::human::{HIGHEST, LOWEST};

/// The minimum of t. With only a second or two left, people play moves that they have planned.
const MIN_SECONDS: f64 = 2.0;

/// The correction of ratings was fitted to moves made with at least this much time left.
const ENOUGH: Duration = Duration::from_secs(30);

/// The built-in parameters.
static BUILT_IN: Lazy<ClockEffect> = Lazy::new(|| {
    let text = include_str!("../../tuning/calibration/clock.toml");
    toml::from_str(text).expect("a test parses the built-in parameters")
});

/// The parameters of the formula.
#[derive(Clone, Copy, Debug, PartialEq, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ClockEffect {
    /// b: the part of the lead over R0 that is lost for each unit of the logarithm.
    loss: f64,
    /// R0: the clock does not affect players with this rating or a lower one.
    floor: f64,
    /// T, in seconds.
    scale: f64,
    /// The number of increments that count as time left.
    increments: f64,
    /// m for each kind of game.
    mean: Means,
}

/// A number for each kind of timed game.
#[derive(Clone, Copy, Debug, PartialEq, serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Means {
    classical: f64,
    rapid: f64,
    blitz: f64,
    bullet: f64,
}

impl ClockEffect {
    pub(crate) fn built_in() -> &'static ClockEffect {
        &BUILT_IN
    }

    /// The number of rating points by which players with this rating play better than usual with this clock, negative
    /// if worse. It is zero if no clock is running, or if the player does not use its time as a human does.
    pub(crate) fn offset(&self, rating: f64, clock: &Clock) -> f64 {
        let (Some(left), Some(base)) = (clock.remaining, clock.base) else { return 0.0 };
        let seconds = |time: Duration| time.as_secs_f64();
        let increment = seconds(clock.increment);
        let Means { classical, rapid, blitz, bullet } = self.mean;
        let kind = GameKind::of_time(seconds(base), increment);
        let mean = kind.pick([classical, classical, rapid, blitz, bullet]);
        let time = seconds(left).max(MIN_SECONDS) + self.increments * increment;
        let lead = (rating.clamp(LOWEST, HIGHEST) - self.floor).max(0.0);
        self.loss * lead * (mean - ln(1.0 + self.scale / time))
    }

    /// Whether less than [`ENOUGH`] time is left, so that [`ClockEffect::shortage`] is not zero.
    pub(crate) fn is_short(clock: &Clock) -> bool {
        clock.remaining.is_some_and(|left| left < ENOUGH)
    }

    /// The offset minus the offset with [`ENOUGH`] time left. Zero if at least that much is left.
    pub(crate) fn shortage(&self, rating: f64, clock: &Clock) -> f64 {
        let enough = clock.remaining.map(|left| left.max(ENOUGH));
        self.offset(rating, clock) - self.offset(rating, &Clock { remaining: enough, ..*clock })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn clock(base: f64, left: f64, increment: f64) -> Clock {
        let seconds = Duration::from_secs_f64;
        Clock {
            remaining: Some(seconds(left)),
            base: Some(seconds(base)),
            increment: seconds(increment),
            ..Clock::default()
        }
    }

    fn offset(rating: f64, base: f64, left: f64, increment: f64) -> f64 {
        ClockEffect::built_in().offset(rating, &clock(base, left, increment))
    }

    #[test]
    fn less_time_costs_more_and_strong_players_lose_most() {
        for (base, increment) in [(60.0, 0.0), (180.0, 2.0), (300.0, 0.0), (900.0, 10.0)] {
            for rating in [800.0, 1500.0, 2500.0] {
                let times = [1.0, 0.6, 0.3, 0.1, 0.03].map(|part| part * base);
                let offsets = times.map(|left| offset(rating, base, left, increment));
                assert!(offsets.is_sorted_by(|more, less| more > less), "{base} {offsets:?}");
                assert!(offsets[0] > 0.0, "{base} {offsets:?}");
            }
        }
        assert!(offset(1500.0, 180.0, 5.0, 0.0) < -200.0);
        assert!(offset(2500.0, 180.0, 5.0, 0.0) < offset(1500.0, 180.0, 5.0, 0.0));
        assert!(offset(1500.0, 180.0, 5.0, 3.0) > offset(1500.0, 180.0, 5.0, 0.0));
    }

    #[test]
    fn only_the_last_half_minute_is_a_shortage() {
        let effect = ClockEffect::built_in();
        for left in [30.0, 31.0, 170.0] {
            let clock = clock(180.0, left, 0.0);
            assert!(!ClockEffect::is_short(&clock), "{left}");
            assert_eq!(effect.shortage(1800.0, &clock), 0.0, "{left}");
        }
        let shortages = [29.0, 10.0, 3.0].map(|left| {
            let clock = clock(180.0, left, 0.0);
            assert!(ClockEffect::is_short(&clock), "{left}");
            effect.shortage(1800.0, &clock)
        });
        assert!(shortages.is_sorted_by(|more, less| more > less), "{shortages:?}");
        // Unlike the offset, the shortage starts from zero.
        assert!((-20.0..0.0).contains(&shortages[0]), "{shortages:?}");
        assert!(!ClockEffect::is_short(&Clock::default()), "without a clock");
    }

    #[test]
    fn a_player_who_moves_at_once_does_not_depend_on_the_clock() {
        let left = Some(Duration::from_secs(5));
        let at_once = Clock { remaining: left, ..Clock::default() };
        assert_eq!(ClockEffect::built_in().offset(1500.0, &at_once), 0.0);
        assert_eq!(ClockEffect::built_in().offset(1500.0, &Clock::default()), 0.0);
    }
}
