//! The clocks of recorded games.

use std::time::Duration;

use crate::games::pgn::PgnGame;
use crate::search::Clock;

/// The mover's clock before a move, given the number of plies played. `None` if the file does not give it, and for the
/// first move of each side, which some servers do not time.
pub(super) fn clock_before(pgn: &PgnGame, ply: usize) -> Option<Clock> {
    let (base, increment) = pgn.time_control()?;
    let left = pgn.clocks.get(ply.checked_sub(2)?).copied().flatten()?;
    let remaining = Some(Duration::from_secs(u64::from(left)));
    Some(Clock { base: Some(base), remaining, increment, ..Clock::default() })
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
        let time = |control: &str| {
            let games = read_pgn(&format!(
                "[TimeControl \"{control}\"]\n\n1. e4 {{[%clk 0:03:00]}} e5 2. d4 *\n"
            ));
            clock_before(&games[0], 2).map(|clock| (clock.base, clock.increment))
        };
        let seconds = Duration::from_secs;
        assert_eq!(time("300+3"), Some((Some(seconds(300)), seconds(3))));
        assert_eq!(time("600"), Some((Some(seconds(600)), seconds(0))));
        for other in ["-", "?", "40/7200:3600", "1/86400", "0+0", ""] {
            assert_eq!(time(other), None, "{other}");
        }
    }
}
