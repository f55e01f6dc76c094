//! The clocks of recorded games.

use std::time::Duration;

use crate::games::pgn::PgnGame;
use crate::search::Clock;

/// The mover's clock before a move, given the number of plies played. `None` if the file does not give it, and for the
/// first move of each side, which some servers do not time.
pub(super) fn clock_before(pgn: &PgnGame, ply: usize) -> Option<Clock> {
    let (base, increment) = parse_time_control(pgn.tag("TimeControl")?)?;
    let left = pgn.clocks.get(ply.checked_sub(2)?).copied().flatten()?;
    let remaining = Some(Duration::from_secs(u64::from(left)));
    Some(Clock { base: Some(base), remaining, increment, ..Clock::default() })
}

/// Parses the initial time and the increment from a string such as `300+3` or `600`. Returns `None`
/// for other time controls.
fn parse_time_control(text: &str) -> Option<(Duration, Duration)> {
    let (base, increment) = text.trim().split_once('+').unwrap_or((text.trim(), "0"));
    let seconds = |text: &str| text.parse::<u32>().ok().map(u64::from).map(Duration::from_secs);
    let (base, increment) = (seconds(base)?, seconds(increment)?);
    (!base.is_zero() || !increment.is_zero()).then_some((base, increment))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::pgn::read_pgn;

    #[test]
    fn a_move_is_made_with_the_time_left_after_the_last_one() {
        let text = "[TimeControl \"180+2\"]\n\n1. e4 {[%clk 0:03:00]} e5 \
                    2. d4 {[%clk 0:02:50]} d6 {[%clk 0:02:30]} 3. c4 *\n";
        let games = read_pgn(text);
        let left = |ply| clock_before(&games[0], ply).map(|clock| clock.remaining);
        let seconds = |seconds| Some(Some(Duration::from_secs(seconds)));
        assert_eq!([0, 1, 2, 3, 4].map(left), [None, None, seconds(180), None, seconds(170)]);
    }

    #[test]
    fn only_plain_time_controls_are_used() {
        let seconds =
            |base, increment| Some((Duration::from_secs(base), Duration::from_secs(increment)));
        assert_eq!(parse_time_control("300+3"), seconds(300, 3));
        assert_eq!(parse_time_control("600"), seconds(600, 0));
        for other in ["-", "?", "40/7200:3600", "1/86400", "0+0", ""] {
            assert_eq!(parse_time_control(other), None, "{other}");
        }
    }
}
