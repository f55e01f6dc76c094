//! The sample: decisions of people whose ratings are known, and which games they are taken from.
//!
//! Decisions are counted by levels, that is by ratings that round to the same hundred. There are few
//! games of weak players over the board and very many of strong ones; so only so many turns of every
//! level are taken, and series of games of so many players. Which games those are depends on their
//! moves and the players' names alone, not on the order of the files.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use crate::tune::choices::{fingerprint_of, is_kept_for_judging, is_online, pool};
use stopdown::analyser::{EvaluatedGame, StudiedMove, StudyRules};
use stopdown::board::Colour;
use stopdown::games::pgn::PgnGame;
use stopdown::math::fingerprint;
use stopdown::math::statistics::mean;
use stopdown::player::all_ratings;
use stopdown::policy::GameKind;
use stopdown::selector::Family;
use stopdown::selector::human::LOWEST;
use stopdown::value::Depth;

/// Ratings are counted by hundreds.
const LEVEL: f64 = 100.0;

/// A decision by somebody whose rating is known.
#[derive(Clone, Debug)]
pub struct RatedDecision {
    pub turn: StudiedMove,
    pub rating: f64,
    pub pool: GameKind,
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
    rules: &StudyRules,
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
    candidates: BTreeMap<(GameKind, i64), BTreeMap<u64, usize>>,
    /// By pool and player: the games in which he may have enough turns, with his rating there.
    careers: BTreeMap<(GameKind, u64), BTreeMap<u64, f64>>,
}

/// The games that are taken.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Chosen {
    /// So that there are turns of every level.
    pub of_levels: HashSet<u64>,
    /// So that there are players with a series of games, by pool and player.
    series: BTreeMap<(GameKind, u64), Vec<u64>>,
}

impl Chosen {
    /// Is the game taken for any reason?
    pub fn contains(&self, game: u64) -> bool {
        self.of_levels.contains(&game) || self.series.values().any(|games| games.contains(&game))
    }

    /// The series of games of a pool, by player.
    pub fn series(&self, pool: GameKind) -> BTreeMap<u64, Vec<u64>> {
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
        let mut found: BTreeMap<(GameKind, i64), usize> = BTreeMap::new();
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
    use stopdown::games::pgn::read_pgn;

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
        let series = cast.choose(0, 1).series(GameKind::Board);
        assert_eq!(series.keys().collect::<Vec<_>>(), [&player("A")]);
        assert_eq!(series[&player("A")].len(), SERIES);
    }
}
