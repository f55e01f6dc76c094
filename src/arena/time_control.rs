//! Time controls and players' clocks.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use crate::value::{Depth, plies};

/// A player's time control, written `[MOVES/]TIME[+INCREMENT]` in seconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TimeControl {
    /// A clock for several moves.
    Clock {
        /// The number of moves in a period, or `None` if the time is for the whole game.
        moves: Option<u32>,
        /// The time for a period or for the whole game.
        time: Duration,
        /// The time added after each move.
        increment: Duration,
    },
    /// A fixed time for each move. Unused time is lost.
    PerMove(Duration),
}

/// The error for a string that is not a time control.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("\"{0}\" is not a time control; write 10+0.1 or 40/60+0.6, in seconds")]
pub struct TimeControlError(String);

impl FromStr for TimeControl {
    type Err = TimeControlError;

    fn from_str(text: &str) -> Result<TimeControl, TimeControlError> {
        let error = || TimeControlError(text.to_owned());
        let (moves, rest) = match text.split_once('/') {
            Some((moves, rest)) => (Some(moves.parse::<u32>().map_err(|_| error())?), rest),
            None => (None, text),
        };
        let (time, increment) = rest.split_once('+').unwrap_or((rest, "0"));
        let time = parse_seconds(time).ok_or_else(error)?;
        let increment = parse_seconds(increment).ok_or_else(error)?;
        if moves == Some(0) || time.is_zero() {
            return Err(error());
        }
        Ok(TimeControl::Clock { moves, time, increment })
    }
}

/// Parses a time in seconds, with or without decimals.
pub(super) fn parse_seconds(text: &str) -> Option<Duration> {
    let seconds: f64 = text.parse().ok()?;
    Duration::try_from_secs_f64(seconds).ok().filter(|time| *time < Duration::from_secs(10_000_000))
}

impl fmt::Display for TimeControl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TimeControl::Clock { moves, time, increment } => {
                if let Some(moves) = moves {
                    write!(f, "{moves}/")?;
                }
                write!(f, "{}", time.as_secs_f64())?;
                if !increment.is_zero() {
                    write!(f, "+{}", increment.as_secs_f64())?;
                }
                Ok(())
            }
            TimeControl::PerMove(time) => write!(f, "{}/move", time.as_secs_f64()),
        }
    }
}

/// The limits on a player's moves. If there are none, an engine may think for as long as its depth
/// keeps increasing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MoveLimits {
    /// The time control, or `None` to play without a clock.
    pub time: Option<TimeControl>,
    /// The search depth in plies, or `None` for no limit.
    pub depth: Option<Depth>,
    /// The number of nodes for each move, or `None` for no limit.
    pub nodes: Option<u64>,
}

impl fmt::Display for MoveLimits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let parts = [
            self.time.map(|time| time.to_string()),
            self.depth.map(plies),
            self.nodes.map(|nodes| format!("{nodes} nodes")),
        ];
        let parts: Vec<String> = parts.into_iter().flatten().collect();
        f.write_str(&if parts.is_empty() { "no limit".to_owned() } else { parts.join(", ") })
    }
}

/// A player's running clock.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PlayerClock {
    /// The time control, or `None` if the player has no clock.
    pub control: Option<TimeControl>,
    remaining: Duration,
    /// The number of moves until the next period, or `None` if the time is for the whole game.
    pub moves_to_go: Option<u32>,
}

impl PlayerClock {
    /// Creates a clock at the start of a game.
    pub fn new(control: Option<TimeControl>) -> PlayerClock {
        match control {
            Some(TimeControl::Clock { moves, time, .. }) => {
                PlayerClock { control, remaining: time, moves_to_go: moves }
            }
            _ => PlayerClock { control, remaining: Duration::ZERO, moves_to_go: None },
        }
    }

    /// The same clock with a different remaining time.
    #[must_use]
    pub fn with_remaining(self, remaining: Duration) -> PlayerClock {
        PlayerClock { remaining, ..self }
    }

    /// The time allowed for the next move, or `None` without a clock.
    pub fn allowance(&self) -> Option<Duration> {
        match self.control? {
            TimeControl::Clock { .. } => Some(self.remaining),
            TimeControl::PerMove(time) => Some(time),
        }
    }

    /// Subtracts the time used for a move. Returns false if the move exceeds its allowance by more
    /// than the margin. The remaining time never falls below zero.
    pub fn spend(&mut self, elapsed: Duration, margin: Duration) -> bool {
        let Some(allowance) = self.allowance() else { return true };
        if elapsed > allowance + margin {
            return false;
        }
        if let Some(TimeControl::Clock { moves, time, increment }) = self.control {
            self.remaining = self.remaining.saturating_sub(elapsed) + increment;
            if let (Some(period), Some(to_go)) = (moves, self.moves_to_go) {
                let over = to_go == 1;
                self.moves_to_go = Some(if over { period } else { to_go - 1 });
                self.remaining += if over { time } else { Duration::ZERO };
            }
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MARGIN: Duration = Duration::from_millis(5);

    fn ms(n: u64) -> Duration {
        Duration::from_millis(n)
    }

    #[test]
    fn time_controls_survive_printing_and_parsing() {
        for text in ["10+0.1", "40/60+0.6", "5", "40/900"] {
            assert_eq!(text.parse::<TimeControl>().expect(text).to_string(), text);
        }
        for text in ["", "0", "-1", "x", "0/5", "10+", "10+-1", "NaN", "inf", "1e99", "1+inf"] {
            assert!(text.parse::<TimeControl>().is_err(), "{text}");
        }
    }

    #[test]
    fn a_new_period_adds_its_time() {
        let mut clock = PlayerClock::new(Some("2/1+0.1".parse().expect("sound")));
        assert!(clock.spend(ms(300), MARGIN));
        assert_eq!((clock.allowance(), clock.moves_to_go), (Some(ms(800)), Some(1)));
        assert!(clock.spend(ms(800), MARGIN));
        assert_eq!((clock.allowance(), clock.moves_to_go), (Some(ms(1100)), Some(2)));
    }

    #[test]
    fn the_flag_falls_after_the_margin() {
        let mut clock = PlayerClock::new(Some("1".parse().expect("sound")));
        assert!(clock.spend(ms(1005), MARGIN));
        assert_eq!(clock.allowance(), Some(ms(0)));
        assert!(!clock.spend(ms(6), MARGIN));
        let mut per_move = PlayerClock::new(Some(TimeControl::PerMove(ms(50))));
        assert!(per_move.spend(ms(50), MARGIN) && per_move.spend(ms(55), MARGIN));
        assert!(!per_move.spend(ms(56), MARGIN));
        assert!(PlayerClock::new(None).spend(ms(1_000_000), MARGIN));
    }
}
