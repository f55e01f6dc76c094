//! Which turns are counted: every rule may be changed, and what it leaves out is counted.
//!
//! The first moves come from books, repetitions are the same decision twice, and a player who is
//! far ahead or behind no longer looks for the best move (Regan 2011, section 5; Haworth 2007,
//! section 4.3; Guid and Bratko 2006).

use serde::{Deserialize, Serialize};

use super::Turn;

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
#[derive(Clone, Debug, Default, PartialEq, Eq)]
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

impl Tally {
    /// By sums of units.
    pub(super) fn of_counts(used: i64, left_out: &[i64]) -> Tally {
        let count = |&count: &i64| usize::try_from(count).unwrap_or(0);
        Tally { used: count(&used), left_out: std::array::from_fn(|i| count(&left_out[i])) }
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
