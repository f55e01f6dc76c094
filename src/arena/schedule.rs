//! The order of games in matches, round robins and gauntlets.

use super::openings::Opening;
use super::record::Pairing;

/// The pairings of a match between players 0 and 1.
pub fn match_pairings(games: usize) -> Vec<Pairing> {
    (1..).flat_map(|pair| Pairing::game_pair(pair, 0, 1)).take(games).collect()
}

/// The pairings of a match in which player 0 gives odds: it has White in every game. Every game has
/// its own opening, since with the same colours, a second game from the same opening would add
/// little.
pub(crate) fn odds_pairings(games: usize) -> Vec<Pairing> {
    let pairing = |game: usize| {
        let pair = game.div_ceil(2);
        Pairing { game, pair, opening: game, white: 0, black: 1 }
    };
    (1..=games).map(pairing).collect()
}

/// A list of encounters that is repeated in rounds. An encounter is a pair of games with reversed
/// colours.
#[derive(Clone, Debug)]
pub struct Schedule {
    /// Each encounter as two indices into the list of players.
    encounters: Vec<(usize, usize)>,
}

impl Schedule {
    /// Every player meets every other player.
    pub fn round_robin(players: usize) -> Schedule {
        let encounters = (0..players).flat_map(|one| (0..one).map(move |other| (one, other)));
        Schedule { encounters: encounters.collect() }
    }

    /// Each of the first `challengers` players meets each of the others.
    pub(crate) fn gauntlet(challengers: usize, players: usize) -> Schedule {
        let others = challengers..players;
        let encounters = others.flat_map(|other| (0..challengers).map(move |one| (one, other)));
        Schedule { encounters: encounters.collect() }
    }

    /// The pairings with `games` games for each encounter, round by round. So an interrupted
    /// tournament is balanced, and a tournament that is extended keeps the numbers of its first
    /// games.
    pub fn pairings(&self, games: usize) -> Vec<Pairing> {
        let pairs = (1..).zip((0..games / 2).flat_map(|_| &self.encounters));
        pairs.flat_map(|(pair, &(one, other))| Pairing::game_pair(pair, one, other)).collect()
    }

    /// Repeats each opening so that all encounters in a round use it.
    pub fn openings(&self, of_rounds: &[Opening]) -> Vec<Opening> {
        let encounters = self.encounters.len();
        of_rounds
            .iter()
            .flat_map(|opening| std::iter::repeat_n(opening.clone(), encounters))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn a_round_robin_pairs_all_players_with_both_colours_and_keeps_game_numbers() {
        let schedule = Schedule::round_robin(4);
        let pairings = schedule.pairings(4);
        assert_eq!(pairings.len(), 6 * 4);
        let sides: HashSet<(usize, usize)> = pairings.iter().map(|p| (p.white, p.black)).collect();
        assert_eq!(sides.len(), 12);
        assert_eq!(pairings, schedule.pairings(10)[..24]);
        assert!(pairings.iter().enumerate().all(|(index, pairing)| pairing.game == index + 1));
    }

    #[test]
    fn the_player_who_gives_odds_is_white_in_every_game() {
        let pairings = odds_pairings(3);
        assert!(pairings.iter().all(|pairing| (pairing.white, pairing.black) == (0, 1)));
        let numbers: Vec<[usize; 3]> =
            pairings.iter().map(|p| [p.game, p.pair, p.opening]).collect();
        assert_eq!(numbers, [[1, 1, 1], [2, 1, 2], [3, 2, 3]]);
    }

    #[test]
    fn in_a_gauntlet_challengers_do_not_meet_each_other() {
        let pairings = Schedule::gauntlet(2, 5).pairings(2);
        let sides: HashSet<(usize, usize)> = pairings.iter().map(|p| (p.white, p.black)).collect();
        assert_eq!((pairings.len(), sides.len()), (12, 12));
        assert!(sides.iter().all(|&(white, black)| (white < 2) != (black < 2)));
    }
}
