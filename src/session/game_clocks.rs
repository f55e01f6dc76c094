//! The clocks of a game in which moves can be taken back.
//!
//! A takeback takes away the increments of the moves, but does not give back the time that was used
//! for them. A few seconds remain in any case, unless there were fewer before.

use std::collections::BTreeMap;
use std::time::Duration;

use crate::arena::{PlayerClock, TimeControl};
use crate::board::{Colour, colour_index};

/// The time that remains on a clock after a takeback, if it was not less before.
const RESERVE: Duration = Duration::from_secs(5);

/// Both clocks, with their history.
#[derive(Clone, Debug)]
pub struct GameClocks {
    now: Turn,
    /// The turns that have ended, by their plies.
    earlier: BTreeMap<usize, Turn>,
}

/// The clocks at the start of a turn.
#[derive(Clone, Copy, Debug)]
struct Turn {
    /// The clocks of White and Black.
    clocks: [PlayerClock; 2],
    /// The time that White and Black have used so far, including moves that were taken back.
    used: [Duration; 2],
}

impl GameClocks {
    pub fn new(clocks: [PlayerClock; 2]) -> GameClocks {
        let now = Turn { clocks, used: [Duration::ZERO; 2] };
        GameClocks { now, earlier: BTreeMap::new() }
    }

    /// Returns the clocks of White and Black at the start of this turn.
    pub fn both(&self) -> [PlayerClock; 2] {
        self.now.clocks
    }

    /// Returns the time control, which is the same for both sides. `None` without clocks.
    pub fn control(&self) -> Option<TimeControl> {
        self.now.clocks[0].control
    }

    /// Returns the time that a side had left at the start of this turn. `None` without clocks.
    pub fn left(&self, colour: Colour) -> Option<Duration> {
        self.now.clocks[colour_index(colour)].allowance()
    }

    /// Ends the turn at this ply. `elapsed` is its duration if the clocks are running. Returns false
    /// if the flag has fallen, by more than the margin.
    pub fn end_turn(
        &mut self,
        ply: usize,
        mover: Colour,
        elapsed: Option<Duration>,
        margin: Duration,
    ) -> bool {
        self.earlier.insert(ply, self.now);
        let Some(elapsed) = elapsed else { return true };
        let is_in_time = self.now.clocks[colour_index(mover)].spend(elapsed, margin);
        if is_in_time {
            self.now.used[colour_index(mover)] += elapsed;
        }
        is_in_time
    }

    /// Goes back to the start of the turn at this ply. `used` is the time that the mover has used in
    /// the current turn. It is `None` if a flag has fallen, and that turn then costs nothing, so that
    /// the game can go on.
    pub fn take_back(&mut self, ply: usize, mover: Colour, used: Option<Duration>) {
        let mover = colour_index(mover);
        self.now.used[mover] += used.unwrap_or_default();
        let earlier = self.earlier.get(&ply).copied();
        for side in 0..2 {
            let Some(left) = self.now.clocks[side].allowance() else { continue };
            let in_this_turn =
                if side == mover { used.unwrap_or_default() } else { Duration::ZERO };
            let left = left.saturating_sub(in_this_turn);
            let reserve = if used.is_none() { RESERVE } else { left.min(RESERVE) };
            // The turns before a game was restored are unknown.
            let (clock, remaining) = match earlier {
                None => (self.now.clocks[side], left),
                Some(Turn { clocks, used }) => {
                    let since = self.now.used[side].saturating_sub(used[side]);
                    let before = clocks[side].allowance().unwrap_or_default();
                    (clocks[side], before.saturating_sub(since))
                }
            };
            self.now.clocks[side] = clock.with_remaining(remaining.max(reserve));
        }
    }
}

#[cfg(test)]
mod tests {
    use Colour::{Black, White};

    use super::*;

    const MARGIN: Duration = Duration::ZERO;

    fn clocks(control: &str) -> GameClocks {
        GameClocks::new([PlayerClock::new(Some(control.parse().expect("a time control"))); 2])
    }

    fn seconds(number: u64) -> Option<Duration> {
        Some(Duration::from_secs(number))
    }

    fn left(clocks: &GameClocks) -> [u64; 2] {
        [White, Black].map(|side| clocks.left(side).expect("there are clocks").as_secs())
    }

    #[test]
    fn a_takeback_takes_increments_away_and_gives_back_no_time() {
        let mut clocks = clocks("10+5");
        assert!(clocks.end_turn(0, White, seconds(3), MARGIN));
        assert!(clocks.end_turn(1, Black, seconds(2), MARGIN));
        assert_eq!(left(&clocks), [12, 13]);
        clocks.take_back(1, White, seconds(4));
        assert_eq!(left(&clocks), [8, 8]);
        // White has used seven of the first ten seconds, but at least five remain.
        clocks.take_back(0, Black, seconds(0));
        assert_eq!(left(&clocks), [5, 8]);
    }

    #[test]
    fn takebacks_never_empty_a_clock() {
        let mut clocks = clocks("10+5");
        for ply in 0..20 {
            let mover = if ply % 2 == 0 { White } else { Black };
            assert!(clocks.end_turn(ply, mover, seconds(5), MARGIN));
        }
        for ply in (0..20).rev() {
            clocks.take_back(ply, if ply % 2 == 0 { Black } else { White }, seconds(0));
            assert!(left(&clocks).iter().all(|&left| left >= 5), "{clocks:?}");
        }
    }

    #[test]
    fn the_time_of_the_turn_is_used_even_if_earlier_turns_are_unknown() {
        let mut clocks = clocks("60");
        clocks.take_back(0, White, seconds(7));
        assert_eq!(left(&clocks), [53, 60]);
    }

    #[test]
    fn the_turn_in_which_a_flag_fell_costs_nothing() {
        let mut clocks = clocks("10");
        assert!(clocks.end_turn(0, White, seconds(2), MARGIN));
        assert!(!clocks.end_turn(1, Black, seconds(11), MARGIN));
        clocks.take_back(1, Black, None);
        assert_eq!(left(&clocks), [8, 10]);
    }
}
