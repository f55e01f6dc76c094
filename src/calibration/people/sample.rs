//! The sample: decisions of people whose ratings are known.
//!
//! There are few games of weak players over the board and very many of strong ones; so of every level,
//! that is of ratings that round to the same hundred, only so many turns are taken. Which games
//! those are depends on their moves alone, not on the order of the files.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use crate::analyser::{Rules, Surveyed, Turn};
use crate::board::Colour;
use crate::games::pgn::PgnGame;
use crate::math::fingerprint::fingerprint;
use crate::player::all_ratings;
use crate::prior::Pool;
use crate::selector::Family;
use crate::tuning::choices::{fingerprint_of, pool};
use crate::value::Depth;

/// Ratings are counted by hundreds.
const LEVEL: f64 = 100.0;

/// A decision by somebody whose rating is known.
#[derive(Clone, Debug)]
pub struct Known {
    pub turn: Turn,
    pub rating: f64,
    pub pool: Pool,
    /// The same for all games of a name.
    pub player: u64,
    /// The same for all turns of a game and, but for chance, of no other.
    pub game: u64,
}

impl Known {
    /// The hundred that his rating rounds to.
    pub fn level(&self) -> i64 {
        level(self.rating)
    }

    /// The half of the games that this one is in.
    pub fn half(&self) -> usize {
        (self.game >> 32 & 1) as usize
    }
}

fn level(rating: f64) -> i64 {
    ((rating / LEVEL).round() * LEVEL) as i64
}

/// The levels of a sample, rising.
pub fn levels(sample: &[&Known]) -> BTreeSet<i64> {
    sample.iter().map(|known| known.level()).collect()
}

/// A side of a game whose moves are taken: its rating and the game's pool.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Wanted {
    pub colour: Colour,
    pub rating: f64,
}

/// The sides of a game whose moves count. The tags `CalibSide` and `CollectorSide` of collections are
/// heeded: in them only one side was picked by its rating, and one account is in nearly all games.
pub fn sides(pgn: &PgnGame) -> Vec<Wanted> {
    // Games of a server whose kind is not told may have ratings of any kind.
    if pool(pgn) != Pool::Board && pgn.tag("TimeClass").is_none() {
        return Vec::new();
    }
    let letter = |colour| if colour == Colour::White { 'w' } else { 'b' };
    let counts = |colour: Colour| {
        let is_picked = pgn.tag("CalibSide").is_none_or(|sides| sides.contains(letter(colour)));
        let is_collector = pgn.tag("CollectorSide").is_some_and(|s| s.starts_with(letter(colour)));
        is_picked && !is_collector
    };
    let side = |colour| {
        let rating = pgn.rating(colour).filter(|_| counts(colour))?;
        Some(Wanted { colour, rating })
    };
    [Colour::White, Colour::Black].into_iter().filter_map(side).collect()
}

/// Do the moves of this side count?
pub fn is_wanted(pgn: &PgnGame, colour: Colour) -> bool {
    sides(pgn).iter().any(|side| side.colour == colour)
}

/// Which games are taken: found in a first reading of all files.
#[derive(Debug, Default)]
pub struct Cast {
    /// By pool and level: games by their fingerprints, with the turns that they may give.
    candidates: BTreeMap<(Pool, i64), BTreeMap<u64, usize>>,
}

impl Cast {
    /// Takes note of a game. Those that cannot be followed are left out here, and told of when they are
    /// read again.
    pub fn consider(&mut self, pgn: &PgnGame, opening: usize) {
        let sides = sides(pgn);
        let Some(game) = pgn.replay(None).ok().filter(|_| !sides.is_empty()) else { return };
        let turns = game.ply().saturating_sub(2 * opening) / 2;
        for Wanted { rating, .. } in sides {
            let games = self.candidates.entry((pool(pgn), level(rating))).or_default();
            games.insert(fingerprint_of(&game), turns);
        }
    }

    /// The games that give about so many turns of every level, or all there are.
    pub fn choose(&self, most: usize) -> HashSet<u64> {
        let mut chosen = HashSet::new();
        for games in self.candidates.values() {
            let mut turns = 0;
            for (&game, &more) in games {
                if turns >= most {
                    break;
                }
                chosen.insert(game);
                turns += more;
            }
        }
        chosen
    }
}

/// The decisions of a valued game that count, as somebody of that rating saw them; where `by_all` is
/// set, as people of all ratings see them.
pub fn known(surveyed: &Surveyed, depth: Depth, rules: &Rules, by_all: bool) -> Vec<Known> {
    let (game, pool) = (fingerprint_of(&surveyed.game), pool(&surveyed.pgn));
    let sides = sides(&surveyed.pgn);
    let rating = |colour| sides.iter().find(|side| side.colour == colour).map(|s| s.rating);
    let seen_by =
        |colour| rating(colour).map(|rating| if by_all { all_ratings() } else { vec![rating] });
    let turns = surveyed.turns_seen(depth, Family::human(pool), seen_by);
    let counted = turns.into_iter().map(|(_, turn)| turn).filter_map(|turn| {
        let rating = rating(turn.colour)?;
        let counts = turn.values.moves() > 0 && rules.against(&turn).is_none();
        let player = fingerprint(surveyed.pgn.name(turn.colour).unwrap_or_default().as_bytes());
        let is_calm = is_calm(surveyed, &turn);
        (counts && is_calm).then_some(Known { turn, rating, pool, player, game })
    });
    counted.collect()
}

/// Seconds on the clock below which moves say more of haste than of skill.
const HASTE: u32 = 30;

/// Was there time left? What was on the clock is told after a player's move before.
fn is_calm(surveyed: &Surveyed, turn: &Turn) -> bool {
    let before = turn.ply.checked_sub(2);
    let clock = before.and_then(|ply| surveyed.pgn.clocks.get(ply).copied().flatten());
    clock.is_none_or(|seconds| seconds >= HASTE)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::pgn::read_pgn;

    fn game(tags: &str) -> PgnGame {
        let text = format!("[WhiteElo \"1640\"]\n[BlackElo \"1880\"]\n{tags}\n1. e4 e5 2. Nf3 *");
        read_pgn(&text).remove(0)
    }

    #[test]
    fn only_sides_that_were_picked_for_their_rating_count() {
        let ratings = |tags| sides(&game(tags)).iter().map(|s| s.rating).collect::<Vec<f64>>();
        assert_eq!(ratings(""), [1640.0, 1880.0]);
        assert_eq!(ratings("[CalibSide \"b\"]\n"), [1880.0]);
        assert_eq!(ratings("[CollectorSide \"black\"]\n"), [1640.0]);
        assert_eq!(ratings("[CalibSide \"b\"]\n[CollectorSide \"black\"]\n"), [0.0; 0]);
    }

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
            cast.choose(2)
        };
        let some = chosen(&[0, 1, 2, 3]);
        assert_eq!(some.len(), 2);
        assert_eq!(some, chosen(&[3, 1, 0, 2]));
    }
}
