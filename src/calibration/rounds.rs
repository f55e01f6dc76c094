//! Who meets whom: rounds, in each of which everybody who comes has two games with somebody near him.
//!
//! A round hangs on its number, the seed and the ratings so far, and on nothing else.

use super::entrants::Entrant;
use crate::math::streams::{Occasion, Purpose, Stream};

/// How far ratings are moved at random before neighbours meet, in turns: games between equals tell
/// most about the places next to each other, games between unequals about the length of the scale.
const NOISE: [f64; 2] = [150.0, 400.0];

/// Who plays in a round. Where somebody would be left over he rests, each in his turn.
pub fn present(round: usize, entrants: &[Entrant]) -> Vec<usize> {
    let comes = |&one: &usize| round.is_multiple_of(entrants[one].every);
    let mut present: Vec<usize> = (0..entrants.len()).filter(comes).collect();
    if !present.len().is_multiple_of(2) {
        present.remove(round % present.len());
    }
    present
}

/// The pairs of a round, counted from 0.
pub fn meetings(
    round: usize,
    seed: u64,
    entrants: &[Entrant],
    ratings: &[f64],
) -> Vec<(usize, usize)> {
    let noise = NOISE[round % NOISE.len()];
    let place = |player: usize| {
        let occasion = Occasion { seed, game: round as u64, ply: player as u64 };
        let drawn = Stream::new(occasion, Purpose::Pairing).uniform();
        ratings[player] + noise * (2.0 * drawn - 1.0)
    };
    let mut row: Vec<(f64, usize)> =
        present(round, entrants).into_iter().map(|one| (place(one), one)).collect();
    row.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    row.chunks_exact(2).map(|pair| (pair[0].1, pair[1].1)).collect()
}

/// All that decides who meets whom, beside the seed and the games before: what belongs together was
/// played by one schedule.
pub fn schedule(entrants: &[Entrant]) -> String {
    let every: Vec<String> = entrants.iter().map(|entrant| entrant.every.to_string()).collect();
    format!("{NOISE:?}, every {}", every.join(" "))
}

/// The number of a round's first pair; pairs count from 1. Rounds that have fewer pairs leave
/// numbers unused.
pub fn first_pair(round: usize, entrants: usize) -> usize {
    round * (entrants / 2) + 1
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    fn entrants(own: usize, others: usize) -> Vec<Entrant> {
        let entrant = |place: usize| Entrant {
            name: place.to_string(),
            words: String::new(),
            guess: 0.0,
            is_anchor: false,
            nominal: None,
            every: if place < own { 1 } else { 4 },
        };
        (0..own + others).map(entrant).collect()
    }

    #[test]
    fn everybody_meets_a_neighbour_once_a_round_and_rests_in_his_turn() {
        let entrants = entrants(9, 2);
        let ratings: Vec<f64> = (0..11).map(|place| f64::from(place * 200)).collect();
        let mut games = [0; 11];
        for round in 0..36 {
            let pairs = meetings(round, 7, &entrants, &ratings);
            let players: Vec<usize> = pairs.iter().flat_map(|&(a, b)| [a, b]).collect();
            assert_eq!(players.iter().collect::<HashSet<_>>().len(), players.len());
            assert_eq!(players.len(), if round % 4 == 0 { 10 } else { 8 });
            for (one, other) in pairs {
                assert!((ratings[one] - ratings[other]).abs() <= 1200.0);
            }
            players.iter().for_each(|&player| games[player] += 1);
        }
        assert!(games[..9].iter().all(|&games| games >= 31), "{games:?}");
        assert!(games[9..].iter().all(|&games| games >= 7), "{games:?}");
    }

    #[test]
    fn a_seed_and_a_round_give_one_draw_and_others_another() {
        let entrants = entrants(20, 0);
        let draw = |round, seed| meetings(round, seed, &entrants, &[0.0; 20]);
        assert_eq!(draw(3, 1), draw(3, 1));
        assert_ne!(draw(3, 1), draw(5, 1));
        assert_ne!(draw(3, 1), draw(3, 2));
        assert_eq!(first_pair(3, 20), 31);
    }
}
