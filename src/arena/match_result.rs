//! The score of a match, updated after each game.
//!
//! Games are played in pairs with the same opening and reversed colours. A pair can yield five
//! different sums of points (the pentanomial). Counting pairs instead of games removes the effect
//! of unbalanced openings from the error. A sequential probability ratio test (SPRT) uses these
//! counts to decide when the match may end; see [`crate::math::sprt`].

use std::collections::{BTreeMap, HashMap};

use super::contestant::PlayerInfo;
use super::record::{Effort, GameRecord};
use super::time_control::MoveLimits;
use crate::board::Colour;
use crate::math::outcomes::{Pentanomial, Trinomial};
use crate::math::sprt::Sprt;

/// The score of a match between two players, from the first player's point of view.
#[derive(Clone, Debug)]
pub struct MatchResult {
    pub players: [MatchSide; 2],
    pub book: String,
    pub sprt: Option<Sprt>,
    pub games: Trinomial,
    /// The results of the first player's games as White.
    pub as_white: Trinomial,
    /// The numbers of complete game pairs, by the points that the first player scored in the pair.
    pub pairs: Pentanomial,
    /// The number of pairs with one point that consist of a win and a loss instead of two draws.
    pub win_and_loss: u64,
    /// The number of games that ended for each reason.
    pub reasons: BTreeMap<String, u64>,
    /// The half points from pairs in which only one game is finished, by pair.
    half_pairs: HashMap<usize, usize>,
}

/// A player in a match, with its moves, time and nodes so far.
#[derive(Clone, Debug)]
pub struct MatchSide {
    pub info: PlayerInfo,
    pub limits: MoveLimits,
    pub effort: Effort,
    /// The number of games lost on time, by an illegal move or by a crash.
    pub faults: u64,
}

impl MatchResult {
    pub fn new(players: [(PlayerInfo, MoveLimits); 2], book: &str, sprt: Option<Sprt>) -> Self {
        let side =
            |(info, limits)| MatchSide { info, limits, effort: Effort::default(), faults: 0 };
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

    /// Adds a finished game.
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
            match points {
                0 => self.players[0].faults += 1,
                2 => self.players[1].faults += 1,
                // A flag fell, but the opponent had only a king.
                _ => {}
            }
        }
        *self.reasons.entry(record.reason.clone()).or_default() += 1;
    }

    /// Whether the pairs have different results. If they do not, the error of the Elo difference is
    /// unknown, so the difference is not shown.
    pub fn has_enough_games(&self) -> bool {
        self.pairs.variance() > 0.0
    }

    /// The log-likelihood ratio of the SPRT, if the match has one.
    pub fn log_likelihood_ratio(&self) -> Option<f64> {
        self.sprt.map(|sprt| sprt.ratio(&self.pairs))
    }
}
