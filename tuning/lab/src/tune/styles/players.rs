//! Players with many games, and the frequencies of traits in their moves.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use stopdown::board::{Colour, Game, Move};
use stopdown::games::pgn::PgnGame;
use stopdown::player::{PlayingStyle, TraitFinder, Traits};

use super::{dot, signature};
use crate::tune::choices::fingerprint_of;

/// The maximum number of games examined for each player.
const MAX_GAMES: usize = 100;

/// The number of plies to skip at the start of a game, because they reveal little about a player.
pub(super) const FIRST_PLY: usize = 2;

/// A side of a game.
#[derive(Clone, Copy, Debug)]
pub(super) struct Side {
    pub game: usize,
    pub colour: Colour,
    pub rating: f64,
}

/// Games by player.
#[derive(Debug, Default)]
pub struct GameRecords {
    pub(super) games: Vec<Vec<Move>>,
    known: HashSet<u64>,
    sides: BTreeMap<String, Vec<Side>>,
}

/// A player with enough games.
#[derive(Clone, Debug)]
pub struct StyledPlayer {
    pub name: String,
    /// The mean rating.
    pub rating: f64,
    pub(super) sides: Vec<Side>,
    /// The mean frequency of each trait per forty moves.
    rates: Traits,
}

impl GameRecords {
    /// Adds a game from the standard starting position, unless the same game has been added before. `pgn` has its tags.
    pub fn add(&mut self, pgn: &PgnGame, game: &Game) {
        let is_usual = game.start() == Game::default().start();
        if !is_usual || !self.known.insert(fingerprint_of(game)) {
            return;
        }
        for colour in [Colour::White, Colour::Black] {
            if let (Some(name), Some(rating)) = (pgn.name(colour), pgn.rating(colour)) {
                let side = Side { game: self.games.len(), colour, rating };
                self.sides.entry(name.to_owned()).or_default().push(side);
            }
        }
        self.games.push(game.moves().to_vec());
    }

    /// The players with at least `least` games.
    pub fn players(&self, least: usize) -> Vec<StyledPlayer> {
        let enough = self.sides.iter().filter(|(_, sides)| sides.len() >= least);
        enough.map(|(name, sides)| self.player(name, sides)).collect()
    }

    fn player(&self, name: &str, sides: &[Side]) -> StyledPlayer {
        let sides = &sides[..sides.len().min(MAX_GAMES)];
        let rating = sides.iter().map(|side| side.rating).sum::<f64>() / sides.len() as f64;
        let (mut rates, mut moves) = (Traits::default(), 0);
        for side in sides {
            let mut game = Game::default();
            for &mv in &self.games[side.game] {
                let position = game.position();
                if position.turn() == side.colour && game.ply() >= FIRST_PLY {
                    let traits = TraitFinder::new(position).traits(mv, 0.0);
                    rates.iter_mut().zip(traits).for_each(|(rate, found)| *rate += found);
                    moves += 1;
                }
                game.play(mv);
            }
        }
        rates.iter_mut().for_each(|rate| *rate *= 40.0 / f64::from(moves.max(1)));
        StyledPlayer { name: name.to_owned(), rating, sides: sides.to_vec(), rates }
    }
}

/// The players who show each style most, and others chosen at regular intervals for comparison.
pub fn candidates(players: &[StyledPlayer], each: usize, others: usize) -> Vec<StyledPlayer> {
    let mut chosen = BTreeSet::new();
    for style in PlayingStyle::ALL {
        let mut excess: Vec<(f64, usize)> =
            excesses(players, &signature(style)).into_iter().zip(0..).collect();
        excess.sort_by(|(one, _), (other, _)| other.total_cmp(one));
        chosen.extend(excess.iter().take(each).map(|(_, index)| *index));
    }
    let step = (players.len() / others.max(1)).max(1);
    chosen.extend((0..players.len()).step_by(step));
    chosen.into_iter().map(|index| players[index].clone()).collect()
}

/// For each player, how far the frequency of a signature exceeds the usual value at the same rating. A straight line
/// fitted to all players gives the usual value.
fn excesses(players: &[StyledPlayer], signature: &Traits) -> Vec<f64> {
    let points: Vec<(f64, f64)> =
        players.iter().map(|player| (player.rating, dot(&player.rates, signature))).collect();
    let count = points.len() as f64;
    let mean = |of: fn(&(f64, f64)) -> f64| points.iter().map(of).sum::<f64>() / count;
    let (x, y) = (mean(|p| p.0), mean(|p| p.1));
    let spread: f64 = points.iter().map(|p| (p.0 - x).powi(2)).sum();
    let slope = points.iter().map(|p| (p.0 - x) * (p.1 - y)).sum::<f64>() / spread.max(1.0);
    points.iter().map(|p| p.1 - y - slope * (p.0 - x)).collect()
}
