//! Who meets whom in a study of depths.

use std::collections::BTreeMap;

use super::ScoreMatrix;
use crate::arena::{GameRecord, Opening, Pairing};
use crate::board::Colour;

/// Every depth against every other, two games with colours reversed on each opening.
#[derive(Clone, Debug)]
pub struct Schedule {
    depths: Vec<u32>,
    /// Places in the list of depths, the deeper first.
    meetings: Vec<(usize, usize)>,
}

impl Schedule {
    pub fn new(from: u32, to: u32) -> Schedule {
        let depths: Vec<u32> = (from..=to).collect();
        let meetings = (0..depths.len()).flat_map(|one| (0..one).map(move |other| (one, other)));
        Schedule { meetings: meetings.collect(), depths }
    }

    /// Round by round: after each, every two depths have played one more pair of games, so that a
    /// study that is broken off is balanced and one that is extended keeps its numbering.
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

    /// The scores of finished games.
    pub fn scores(&self, records: &[GameRecord]) -> ScoreMatrix {
        let mut games = BTreeMap::new();
        for record in records {
            let [white, black] = [record.white, record.black].map(|place| self.depths[place]);
            let halves = record.result.half_points(Colour::White) as u64;
            let (pair, halves) = match white > black {
                true => ((white, black), halves),
                false => ((black, white), 2 - halves),
            };
            let entry: &mut (u64, u64) = games.entry(pair).or_default();
            *entry = (entry.0 + halves, entry.1 + 1);
        }
        ScoreMatrix::of_games(self.depths.clone(), &games)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn everybody_meets_everybody_with_both_colours_and_longer_studies_begin_alike() {
        let schedule = Schedule::new(3, 6);
        let pairings = schedule.pairings(4);
        assert_eq!(pairings.len(), 6 * 4);
        let sides: HashSet<(usize, usize)> = pairings.iter().map(|p| (p.white, p.black)).collect();
        assert_eq!(sides.len(), 12);
        assert_eq!(pairings, schedule.pairings(10)[..24]);
        assert!(pairings.iter().enumerate().all(|(index, pairing)| pairing.game == index + 1));
    }
}
