//! The standing of a match between two players.

use std::collections::{BTreeMap, HashMap};

use super::contestant::PlayerCard;
use super::record::{Effort, GameRecord};
use super::time_control::MoveLimits;
use crate::board::Colour;
use crate::math::outcomes::{Pentanomial, Trinomial};
use crate::math::sprt::Sprt;

/// Everything that a report on a match can say. The score is the first player's.
#[derive(Clone, Debug)]
pub struct MatchResult {
    pub players: [MatchSide; 2],
    pub book: String,
    pub sprt: Option<Sprt>,
    pub games: Trinomial,
    /// The same with the first player's games as White only.
    pub as_white: Trinomial,
    /// Complete pairs by points.
    pub pairs: Pentanomial,
    /// Of the pairs with one point, those with two decided games.
    pub win_and_loss: u64,
    /// How often games ended in which way.
    pub reasons: BTreeMap<String, u64>,
    /// The first half of every pair of which the other is still to come.
    half_pairs: HashMap<usize, usize>,
}

/// One player with what he has spent so far.
#[derive(Clone, Debug)]
pub struct MatchSide {
    pub card: PlayerCard,
    pub limits: MoveLimits,
    pub effort: Effort,
    /// Games lost by a fault: on time, by an illegal move, by a crash.
    pub faults: u64,
}

impl MatchResult {
    pub fn new(players: [(PlayerCard, MoveLimits); 2], book: &str, sprt: Option<Sprt>) -> Self {
        let side =
            |(card, limits)| MatchSide { card, limits, effort: Effort::default(), faults: 0 };
        MatchResult {
            players: players.map(side),
            book: book.to_owned(),
            sprt,
            games: Trinomial::default(),
            as_white: Trinomial::default(),
            pairs: Pentanomial::default(),
            win_and_loss: 0,
            reasons: BTreeMap::new(),
            half_pairs: HashMap::new(),
        }
    }

    /// Counts a game.
    pub fn add(&mut self, record: &GameRecord) {
        let colour = if record.white == 0 { Colour::White } else { Colour::Black };
        let points = record.result.half_points(colour);
        self.games.0[points] += 1;
        if colour == Colour::White {
            self.as_white.0[points] += 1;
        }
        match self.half_pairs.remove(&record.pair) {
            None => drop(self.half_pairs.insert(record.pair, points)),
            Some(other) => {
                self.pairs.0[points + other] += 1;
                self.win_and_loss += u64::from(points + other == 2 && points != 1);
            }
        }
        self.players[record.white].effort.add(record.effort[0]);
        self.players[record.black].effort.add(record.effort[1]);
        if record.is_fault() {
            self.players[if points == 0 { 0 } else { 1 }].faults += 1;
        }
        *self.reasons.entry(record.reason.clone()).or_default() += 1;
    }

    /// The ratio of the sequential test, if one is being made.
    pub fn log_likelihood_ratio(&self) -> Option<f64> {
        self.sprt.map(|sprt| sprt.ratio(&self.pairs))
    }
}
