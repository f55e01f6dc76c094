//! The games of a tournament that are still to be played.
//!
//! A player that remembers its opponent must have finished its last game against them before the next one starts. The
//! games of such a pair are therefore handed out one at a time.

use std::collections::{HashMap, HashSet, VecDeque};

use super::record::{GameRecord, Pairing};
use super::spec::ContestantSpec;
use crate::player::SavedPrior;

/// Hands out games in order.
#[derive(Debug)]
pub struct GameQueue {
    /// For each player, whether it remembers its opponents.
    remembers: Vec<bool>,
    waiting: VecDeque<Pairing>,
    /// The pairs of players who must finish a game before their next one.
    busy: HashSet<(usize, usize)>,
    /// The latest estimates. The first player of each key estimates the second one.
    estimates: HashMap<(usize, usize), SavedPrior>,
}

/// A game to play.
#[derive(Debug)]
pub struct NextGame {
    pub pairing: Pairing,
    /// White's and Black's estimates of each other from earlier games.
    pub known: [Option<SavedPrior>; 2],
}

impl GameQueue {
    /// Creates a queue of the waiting games between these players. They follow the finished games.
    pub fn new(
        players: &[ContestantSpec],
        finished: &[GameRecord],
        waiting: &[Pairing],
    ) -> GameQueue {
        let remembers = players.iter().map(|player| player.remembers().is_some()).collect();
        let waiting = waiting.iter().copied().collect();
        let (busy, estimates) = Default::default();
        let mut queue = GameQueue { remembers, waiting, busy, estimates };
        finished.iter().for_each(|record| queue.finish(record));
        queue
    }

    /// The number of waiting games.
    pub fn len(&self) -> usize {
        self.waiting.len()
    }

    /// Takes the next game that can start. Returns `None` if every waiting game must follow a running one. The workers
    /// that play the running games then also play the waiting ones.
    pub fn take(&mut self) -> Option<NextGame> {
        let is_free =
            |pairing: &Pairing| !self.busy.contains(&unordered(pairing.white, pairing.black));
        let index = self.waiting.iter().position(is_free)?;
        let pairing = self.waiting.remove(index)?;
        let Pairing { white, black, .. } = pairing;
        if self.remembers[white] || self.remembers[black] {
            self.busy.insert(unordered(white, black));
        }
        let sides = [(white, black), (black, white)];
        let known = sides.map(|sides| self.estimates.get(&sides).cloned());
        Some(NextGame { pairing, known })
    }

    /// Records a finished game.
    pub fn finish(&mut self, record: &GameRecord) {
        let (white, black) = (record.white, record.black);
        self.busy.remove(&unordered(white, black));
        let sides = [(white, black), (black, white)].into_iter();
        let known = sides.zip(record.estimates.iter().cloned());
        self.estimates.extend(known.filter_map(|(sides, estimate)| Some((sides, estimate?))));
    }
}

/// The pair of players, whatever their colours.
fn unordered(white: usize, black: usize) -> (usize, usize) {
    (white.min(black), white.max(black))
}
