//! The sample: decisions of people whose ratings are known.
//!
//! They are counted by levels, that is by ratings that round to the same hundred.

use std::collections::{BTreeMap, BTreeSet};

use crate::analyser::{EvaluatedGame, Turn, TurnRules};
use crate::board::Colour;
use crate::games::pgn::PgnGame;
use crate::math::fingerprint;
use crate::player::all_ratings;
use crate::policy::Pool;
use crate::selector::Family;
use crate::selector::human::LOWEST;
use crate::tuning::choices::{fingerprint_of, is_online, pool};
use crate::value::Depth;

/// Ratings are counted by hundreds.
const LEVEL: f64 = 100.0;

/// A decision by somebody whose rating is known.
#[derive(Clone, Debug)]
pub struct RatedDecision {
    pub turn: Turn,
    pub rating: f64,
    pub pool: Pool,
    /// The same for all games of a name.
    pub player: u64,
    /// The same for all turns of a game and, but for chance, of no other.
    pub game: u64,
}

impl RatedDecision {
    /// The hundred that his rating rounds to.
    pub fn level(&self) -> i64 {
        level(self.rating)
    }

    /// The half of the games that this one is in.
    pub fn half(&self) -> usize {
        (self.game >> 32 & 1) as usize
    }
}

/// The hundred that a rating rounds to.
pub fn level(rating: f64) -> i64 {
    ((rating / LEVEL).round() * LEVEL) as i64
}

/// The levels of a sample, rising.
pub fn levels(sample: &[&RatedDecision]) -> BTreeSet<i64> {
    sample.iter().map(|known| known.level()).collect()
}

/// The decisions of a player, by games.
pub type Career<'a> = BTreeMap<u64, Vec<&'a RatedDecision>>;

/// The careers of all players of a sample, by their numbers.
pub fn careers<'a>(sample: &[&'a RatedDecision]) -> BTreeMap<u64, Career<'a>> {
    let mut careers = BTreeMap::<u64, Career<'a>>::new();
    for &known in sample {
        careers.entry(known.player).or_default().entry(known.game).or_default().push(known);
    }
    careers
}

/// A game with fewer decisions does not tell who somebody is.
const LEAST: usize = 15;

/// A game that is long enough to tell: one by its number, which has nothing to do with how it was played.
pub fn long_game<'a, 'b>(career: &'b Career<'a>) -> Option<&'b Vec<&'a RatedDecision>> {
    career.values().find(|game| game.len() >= LEAST)
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
    if is_online(pgn) && pgn.tag("TimeClass").is_none() {
        return Vec::new();
    }
    let letter = |colour| if colour == Colour::White { 'w' } else { 'b' };
    let counts = |colour: Colour| {
        let is_picked = pgn.tag("CalibSide").is_none_or(|sides| sides.contains(letter(colour)));
        let is_collector = pgn.tag("CollectorSide").is_some_and(|s| s.starts_with(letter(colour)));
        is_picked && !is_collector
    };
    let side = |colour| {
        // Nobody has less; where it is written it is a mistake.
        let rating = pgn.rating(colour).filter(|&rating| rating >= LOWEST && counts(colour))?;
        Some(Wanted { colour, rating })
    };
    [Colour::White, Colour::Black].into_iter().filter_map(side).collect()
}

/// Do the moves of this side count?
pub fn is_wanted(pgn: &PgnGame, colour: Colour) -> bool {
    sides(pgn).iter().any(|side| side.colour == colour)
}

/// A number for the name of a player.
pub fn player(name: &str) -> u64 {
    fingerprint(name.as_bytes())
}

/// The decisions of a valued game that count, as people of all ratings see them.
pub fn known(
    evaluated: &EvaluatedGame,
    depth: Depth,
    rules: &TurnRules,
    threads: usize,
) -> Vec<RatedDecision> {
    let Some(pool) = pool(&evaluated.pgn) else { return Vec::new() };
    let game = fingerprint_of(&evaluated.game);
    let sides = sides(&evaluated.pgn);
    let rating = |colour| sides.iter().find(|side| side.colour == colour).map(|s| s.rating);
    let ratings = |colour| rating(colour).map_or_else(Vec::new, |_| all_ratings());
    let turns = evaluated.turns(depth, Family::human(pool), threads, rules, ratings);
    let counted = turns.into_iter().filter_map(|(played, turn)| {
        let rating = rating(turn.colour)?;
        let counts = turn.is_valued() && rules.against(&turn).is_none();
        let player = player(evaluated.pgn.name(turn.colour).unwrap_or_default());
        let is_calm = is_calm(&evaluated.pgn, played);
        (counts && is_calm).then_some(RatedDecision { turn, rating, pool, player, game })
    });
    counted.collect()
}

/// Seconds on the clock below which moves say more of haste than of skill.
const HASTE: u32 = 30;

/// Was there time left when so many moves had been played? What was on the clock is told after a player's
/// move before.
fn is_calm(pgn: &PgnGame, played: usize) -> bool {
    let clock = played.checked_sub(2).and_then(|before| pgn.clocks.get(before).copied().flatten());
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
        let slip = read_pgn("[WhiteElo \"230\"]\n[BlackElo \"2350\"]\n\n1. e4 *").remove(0);
        assert_eq!(sides(&slip).iter().map(|s| s.rating).collect::<Vec<f64>>(), [2350.0]);
    }
}
