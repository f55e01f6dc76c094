//! Which games are taken.
//!
//! There are few games of weak players over the board and very many of strong ones; so only so many turns
//! of every level are taken, and series of games of so many players. Which games those are depends
//! on their moves and the players' names alone, not on the order of the files.

use std::collections::{BTreeMap, HashSet};

use super::sample::{Wanted, level, player, sides};
use crate::games::pgn::PgnGame;
use crate::math::statistics::mean;
use crate::policy::Pool;
use crate::tuning::choices::{fingerprint_of, is_kept_for_judging, pool};

/// Games of one player that are looked at together.
const SERIES: usize = 10;
/// Turns after the opening that a game of a series may give a player: most of them count.
const LONG: usize = 25;

/// All games that there are: found in a first reading of the files.
#[derive(Debug, Default)]
pub struct Cast {
    /// Turns of levels are of games that neither the policy network nor the curve `human` has learnt
    /// from. There are hardly any players of whom ten such games are known.
    pub is_unseen: bool,
    /// By pool and level: games by their fingerprints, with the turns that they may give.
    candidates: BTreeMap<(Pool, i64), BTreeMap<u64, usize>>,
    /// By pool and player: the games in which he may have enough turns, with his rating there.
    careers: BTreeMap<(Pool, u64), BTreeMap<u64, f64>>,
}

/// The games that are taken.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Chosen {
    /// So that there are turns of every level.
    pub of_levels: HashSet<u64>,
    /// So that there are players with a series of games, by pool and player.
    series: BTreeMap<(Pool, u64), Vec<u64>>,
}

impl Chosen {
    /// Is the game taken for any reason?
    pub fn contains(&self, game: u64) -> bool {
        self.of_levels.contains(&game) || self.series.values().any(|games| games.contains(&game))
    }

    /// The series of games of a pool, by player.
    pub fn series(&self, pool: Pool) -> BTreeMap<u64, Vec<u64>> {
        let of_pool = self.series.iter().filter(|((of, _), _)| *of == pool);
        of_pool.map(|(&(_, player), games)| (player, games.clone())).collect()
    }
}

impl Cast {
    /// Takes note of a game. Those that cannot be followed are left out here, and told of when they are
    /// read again.
    pub fn consider(&mut self, pgn: &PgnGame, opening: usize) {
        let sides = sides(pgn);
        let Some(pool) = pool(pgn).filter(|_| !sides.is_empty()) else { return };
        let Ok(game) = pgn.replay(None) else { return };
        let turns = game.ply().saturating_sub(2 * opening) / 2;
        let game = fingerprint_of(&game);
        for Wanted { colour, rating } in sides {
            if !self.is_unseen || is_kept_for_judging(game) {
                self.candidates.entry((pool, level(rating))).or_default().insert(game, turns);
            }
            if turns >= LONG
                && let Some(name) = pgn.name(colour)
            {
                let career = self.careers.entry((pool, player(name))).or_default();
                career.insert(game, rating);
            }
        }
    }

    /// The games that give about so many turns of every level, or all there are; and a series of games
    /// of so many players of every level.
    pub fn choose(&self, turns: usize, players: usize) -> Chosen {
        let mut of_levels = HashSet::new();
        for games in self.candidates.values() {
            let mut there = 0;
            for (&game, &more) in games.iter() {
                if there >= turns {
                    break;
                }
                of_levels.insert(game);
                there += more;
            }
        }
        let mut series = BTreeMap::new();
        let mut found: BTreeMap<(Pool, i64), usize> = BTreeMap::new();
        for (&(pool, player), career) in &self.careers {
            let first: Vec<(u64, f64)> =
                career.iter().take(SERIES).map(|(&g, &rating)| (g, rating)).collect();
            let ratings: Vec<f64> = first.iter().map(|&(_, rating)| rating).collect();
            let of_level = found.entry((pool, level(mean(&ratings)))).or_default();
            if first.len() == SERIES && *of_level < players {
                *of_level += 1;
                series.insert((pool, player), first.iter().map(|&(game, _)| game).collect());
            }
        }
        Chosen { of_levels, series }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::pgn::read_pgn;

    #[test]
    fn the_same_games_are_taken_in_whatever_order_they_come() {
        let texts = ["1. e4 e5 2. Nf3", "1. d4 d5 2. c4", "1. c4 e5 2. g3", "1. Nf3 d5 2. g3"];
        let games = texts.map(|moves| {
            let tags = "[WhiteElo \"1500\"]\n[CalibSide \"w\"]";
            read_pgn(&format!("{tags}\n\n{moves} *")).remove(0)
        });
        let chosen = |order: &[usize]| {
            let mut cast = Cast::default();
            order.iter().for_each(|&place| cast.consider(&games[place], 0));
            cast.choose(2, 1)
        };
        let some = chosen(&[0, 1, 2, 3]);
        assert_eq!((some.of_levels.len(), some.series.len()), (2, 0));
        assert_eq!(some, chosen(&[3, 1, 0, 2]));
    }

    #[test]
    fn a_player_with_enough_long_games_gives_a_series() {
        let mut cast = Cast::default();
        for number in 0..=SERIES {
            // Knights go to and fro, at first others than later.
            let first = "Nf3 Nf6 Ng1 Ng8 ".repeat(number);
            let moves = first + &"Nc3 Nc6 Nb1 Nb8 ".repeat(LONG);
            let tags = "[White \"A\"]\n[WhiteElo \"1500\"]\n[CalibSide \"w\"]";
            cast.consider(&read_pgn(&format!("{tags}\n\n{moves} *")).remove(0), 0);
        }
        assert_eq!(cast.choose(0, 0), Chosen::default());
        let series = cast.choose(0, 1).series(Pool::Board);
        assert_eq!(series.keys().collect::<Vec<_>>(), [&player("A")]);
        assert_eq!(series[&player("A")].len(), SERIES);
    }
}
