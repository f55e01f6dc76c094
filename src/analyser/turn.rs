//! A turn: what a player could choose from, and what he chose (Regan 2011, section 2); and which turns
//! are counted.
//!
//! Every rule may be changed, and what it leaves out is counted. The first moves come from books,
//! repetitions are the same decision twice, and a player who is far ahead or behind no longer looks for
//! the best move (Regan 2011, section 5; Haworth 2007, section 4.3; Guid and Bratko 2006).

use serde::{Deserialize, Serialize};

use crate::board::{Colour, Phase};
use crate::math::largest;
use crate::math::streams::{Occasion, Purpose, Stream};
use crate::math::sums::additive;
use crate::selector::Values;
use crate::value::Depth;

/// A decision that was made in a game.
#[derive(Clone, Debug, PartialEq)]
pub struct Turn {
    /// Which game of the study, from 0.
    pub game: usize,
    /// Plies played before.
    pub ply: usize,
    pub colour: Colour,
    /// What the moves are worth; nothing where nobody asked.
    pub values: Values,
    /// Which of them was played.
    pub chosen: usize,
    /// The position, or the one after the move, has been on the board before.
    pub repeats: bool,
    pub phase: Phase,
    /// What the position after the move turned out to be worth at the next turn, in pawns for the
    /// player of this one; `None` where nobody looked.
    pub after: Option<f64>,
}

impl Turn {
    /// The number of the move, as game scores have it.
    pub fn number(&self) -> usize {
        self.ply / 2 + 1
    }

    /// The value of the best move, in pawns.
    pub fn best(&self) -> f64 {
        largest(self.values.deepest())
    }

    /// The first of the moves that are worth most.
    pub fn first(&self) -> usize {
        let best = self.best();
        self.values.deepest().iter().position(|&value| value == best).unwrap_or(0)
    }

    /// What a move is worth, in pawns.
    pub fn value(&self, index: usize) -> f64 {
        self.values.deepest()[index]
    }

    /// What the chosen move gave away, in pawns.
    pub fn loss(&self) -> f64 {
        self.best() - self.value(self.chosen)
    }

    /// The place of every move in the order of values, from 0.
    pub fn ranks(&self) -> Vec<usize> {
        let values = self.values.deepest();
        let mut order: Vec<usize> = (0..values.len()).collect();
        order.sort_by(|&a, &b| values[b].total_cmp(&values[a]));
        let mut ranks = vec![0; order.len()];
        order.into_iter().enumerate().for_each(|(rank, index)| ranks[index] = rank);
        ranks
    }

    /// Is it known what the moves are worth?
    pub fn is_valued(&self) -> bool {
        self.values.moves() > 0
    }

    /// Is there only one legal move?
    pub fn is_forced(&self) -> bool {
        self.values.moves() <= 1
    }

    /// As one sees it who looks less deep.
    pub(super) fn up_to(&self, depth: Depth) -> Turn {
        Turn { values: self.values.up_to(usize::from(depth)), ..self.clone() }
    }

    /// With deepest values that are off by a normal error each.
    pub(super) fn blurred(&self, deviation: f64, seed: u64, game: u64) -> Turn {
        let occasion = Occasion { seed, game, ply: self.ply as u64 };
        let mut stream = Stream::new(occasion, Purpose::Simulation);
        let values: Vec<f64> =
            self.values.deepest().iter().map(|value| value + deviation * stream.normal()).collect();
        let values = Values::at_one_depth(&values).expect("finite values stay so");
        Turn { values, ..self.clone() }
    }
}

/// What a study leaves out.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TurnRules {
    /// Moves at the beginning of a game.
    pub opening: usize,
    /// Turns of positions that have been on the board before.
    pub repetitions: bool,
    /// Turns at which the best move is worth more than this, or less than its negative, in pawns.
    pub advantage: Option<f64>,
    /// Turns at which there is but one legal move.
    pub forced: bool,
    /// Turns at which both the best and the played move are worth more than this, or both less than
    /// its negative.
    pub decided: Option<f64>,
}

/// Why a turn was left out: the first rule that does so, in this order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Omission {
    Opening,
    /// Only some turns of each game were valued.
    Sampled,
    Forced,
    Repetition,
    Advantage,
    Decided,
}

/// How many turns were used, and how many were not.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tally {
    pub used: usize,
    left_out: [usize; Omission::ALL.len()],
}

impl Default for TurnRules {
    fn default() -> TurnRules {
        TurnRules {
            opening: 8,
            repetitions: true,
            advantage: Some(3.0),
            forced: true,
            decided: None,
        }
    }
}

impl Omission {
    pub const ALL: [Omission; 6] = [
        Omission::Opening,
        Omission::Sampled,
        Omission::Forced,
        Omission::Repetition,
        Omission::Advantage,
        Omission::Decided,
    ];

    /// What was left out, in words.
    pub fn words(self) -> &'static str {
        match self {
            Omission::Opening => "opening moves",
            Omission::Sampled => "not in the sample",
            Omission::Forced => "only moves",
            Omission::Repetition => "repetitions",
            Omission::Advantage => "large advantages",
            Omission::Decided => "decided positions",
        }
    }
}

impl TurnRules {
    /// Nothing is left out.
    pub fn none() -> TurnRules {
        TurnRules { opening: 0, repetitions: false, advantage: None, forced: false, decided: None }
    }

    /// Why a turn does not count; `None` if it does.
    pub fn against(&self, turn: &Turn) -> Option<Omission> {
        let is_far = |value: f64, limit: f64| value.abs() > limit;
        let is_decided = |limit: f64| {
            let (best, played) = (turn.best(), turn.value(turn.chosen));
            best.min(played) > limit || best.max(played) < -limit
        };
        let applies = |reason: &Omission| match reason {
            Omission::Opening => turn.number() <= self.opening,
            Omission::Sampled => !turn.is_valued(),
            Omission::Forced => self.forced && turn.is_forced(),
            Omission::Repetition => self.repetitions && turn.repeats,
            Omission::Advantage => self.advantage.is_some_and(|limit| is_far(turn.best(), limit)),
            Omission::Decided => self.decided.is_some_and(is_decided),
        };
        Omission::ALL.into_iter().find(applies)
    }
}

additive!(Tally: used, left_out);

impl Tally {
    /// Counts a turn, which was left out for this reason if there is one.
    pub(super) fn add(&mut self, omission: Option<Omission>) {
        *omission.map_or(&mut self.used, |reason| &mut self.left_out[reason as usize]) += 1;
    }

    /// All turns, used or not.
    pub fn turns(&self) -> usize {
        self.left_out.iter().fold(self.used, |sum, count| sum.wrapping_add(*count))
    }

    pub fn left_out(&self, reason: Omission) -> usize {
        self.left_out[reason as usize]
    }

    /// How many turns were left out for which reasons; nothing, where none were.
    pub fn reasons(&self) -> String {
        let all = Omission::ALL.into_iter().map(|reason| (self.left_out(reason), reason));
        let some = all.filter(|&(count, _)| count > 0);
        some.map(|(count, reason)| format!("{count} {}", reason.words()))
            .collect::<Vec<_>>()
            .join(", ")
    }
}
