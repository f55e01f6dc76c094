//! Who meets whom, and in which order.

use super::openings::Opening;
use super::record::Pairing;

/// A list of meetings that is gone through again and again, a pair of games with colours reversed
/// at each.
#[derive(Clone, Debug)]
pub struct Schedule {
    /// Places in the list of players.
    meetings: Vec<(usize, usize)>,
}

impl Schedule {
    /// Everybody meets everybody.
    pub fn round_robin(players: usize) -> Schedule {
        let meetings = (0..players).flat_map(|one| (0..one).map(move |other| (one, other)));
        Schedule { meetings: meetings.collect() }
    }

    /// Each of the first so many players meets each of the others.
    pub fn gauntlet(challengers: usize, players: usize) -> Schedule {
        let others = challengers..players;
        let meetings = others.flat_map(|other| (0..challengers).map(move |one| (one, other)));
        Schedule { meetings: meetings.collect() }
    }

    /// So many games at every meeting, round by round: after each, every two players have played
    /// one more pair of games, so that what is broken off is balanced and what is extended keeps
    /// its numbering.
    pub fn pairings(&self, games: usize) -> Vec<Pairing> {
        let pairs = (0..games / 2).flat_map(|_| &self.meetings).enumerate();
        let pairings = pairs.flat_map(|(index, &(one, other))| {
            let (game, pair) = (2 * index + 1, index + 1);
            [
                Pairing { game, pair, white: one, black: other },
                Pairing { game: game + 1, pair, white: other, black: one },
            ]
        });
        pairings.collect()
    }

    /// All meetings of a round begin with the same opening.
    pub fn openings(&self, of_rounds: &[Opening]) -> Vec<Opening> {
        let meetings = self.meetings.len();
        of_rounds
            .iter()
            .flat_map(|opening| std::iter::repeat_n(opening.clone(), meetings))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn everybody_meets_everybody_with_both_colours_and_longer_ones_begin_alike() {
        let schedule = Schedule::round_robin(4);
        let pairings = schedule.pairings(4);
        assert_eq!(pairings.len(), 6 * 4);
        let sides: HashSet<(usize, usize)> = pairings.iter().map(|p| (p.white, p.black)).collect();
        assert_eq!(sides.len(), 12);
        assert_eq!(pairings, schedule.pairings(10)[..24]);
        assert!(pairings.iter().enumerate().all(|(index, pairing)| pairing.game == index + 1));
    }

    #[test]
    fn challengers_do_not_meet_each_other() {
        let pairings = Schedule::gauntlet(2, 5).pairings(2);
        let sides: HashSet<(usize, usize)> = pairings.iter().map(|p| (p.white, p.black)).collect();
        assert_eq!((pairings.len(), sides.len()), (12, 12));
        assert!(sides.iter().all(|&(white, black)| (white < 2) != (black < 2)));
    }
}
