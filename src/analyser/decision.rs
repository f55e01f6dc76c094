//! Decisions (Regan 2011, section 2), and the rules that select which of them count.
//!
//! Opening moves often come from books. A repeated position does not require a new decision.
//! Players who are far ahead or behind no longer look for the best move (Regan 2011, section 5;
//! Haworth 2007, section 4.3; Guid and Bratko 2006). Every rule can be changed, and every exclusion
//! is counted.

use serde::{Deserialize, Serialize};

use crate::board::{Colour, Phase};
use crate::math::largest;
use crate::math::streams::{Occasion, Purpose, Stream};
use crate::math::sums::additive;
use crate::search::Clock;
use crate::selector::Values;
use crate::value::Depth;
use crate::words::counted;

/// A decision made in a game: the evaluated legal moves and the move that was played.
#[derive(Clone, Debug, PartialEq)]
pub struct StudiedMove {
    /// The index of the game within the study, from 0.
    pub game: usize,
    /// The number of plies played before this move.
    pub ply: usize,
    /// The side to move.
    pub colour: Colour,
    /// The evaluations of the legal moves. Empty if the position was not evaluated.
    pub values: Values,
    /// The index of the move played.
    pub chosen: usize,
    /// Whether this position, or the one after the move, occurred earlier in the game.
    pub repeats: bool,
    /// The phase of the game before the move.
    pub phase: Phase,
    /// The evaluation of the next position in pawns, from this player's point of view. `None` if
    /// that position was not evaluated.
    pub after: Option<f64>,
    /// For an opening move that counts towards ratings: the logarithm of the share of players who
    /// would play it according to the policy alone, at each rating in [`all_ratings`]. Empty for all
    /// other moves.
    ///
    /// [`all_ratings`]: crate::player::all_ratings
    pub opening: Vec<f64>,
    /// The player's clock before the move, if it is known.
    pub clock: Option<Clock>,
}

impl StudiedMove {
    /// The move number.
    pub(crate) fn number(&self) -> usize {
        self.ply / 2 + 1
    }

    /// The evaluation of the best move, in pawns.
    pub fn best(&self) -> f64 {
        largest(self.values.deepest())
    }

    /// The index of the best move. In case of a tie, the first one.
    pub fn first(&self) -> usize {
        let best = self.best();
        self.values.deepest().iter().position(|&value| value == best).unwrap_or(0)
    }

    /// The evaluation of a move, in pawns.
    pub(crate) fn value(&self, index: usize) -> f64 {
        self.values.deepest()[index]
    }

    /// The number of pawns that the move played loses.
    pub(crate) fn loss(&self) -> f64 {
        self.best() - self.value(self.chosen)
    }

    /// The rank of every move by evaluation, from 0.
    pub(crate) fn ranks(&self) -> Vec<usize> {
        let values = self.values.deepest();
        let mut order: Vec<usize> = (0..values.len()).collect();
        order.sort_by(|&a, &b| values[b].total_cmp(&values[a]));
        let mut ranks = vec![0; order.len()];
        order.into_iter().enumerate().for_each(|(rank, index)| ranks[index] = rank);
        ranks
    }

    /// Whether the position was evaluated.
    pub fn is_evaluated(&self) -> bool {
        self.values.moves() > 0
    }

    /// Whether there is at most one legal move.
    pub(crate) fn is_forced(&self) -> bool {
        self.values.moves() <= 1
    }

    /// The same decision with evaluations up to a lower depth.
    pub(super) fn up_to(&self, depth: Depth) -> StudiedMove {
        StudiedMove { values: self.values.up_to(usize::from(depth)), ..self.clone() }
    }

    /// The same decision with independent Gaussian noise added to the evaluations at the last
    /// depth.
    pub(super) fn with_noise(&self, deviation: f64, seed: u64, game: u64) -> StudiedMove {
        let occasion = Occasion { seed, game, ply: self.ply as u64 };
        let mut stream = Stream::new(occasion, Purpose::Simulation);
        let values: Vec<f64> =
            self.values.deepest().iter().map(|value| value + deviation * stream.normal()).collect();
        let values = Values::at_one_depth(&values).expect("finite values stay finite");
        StudiedMove { values, ..self.clone() }
    }
}

/// The rules that decide which decisions are left out.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StudyRules {
    /// The number of moves to leave out at the start of each game.
    pub opening: usize,
    /// Opening moves that are left out still count towards ratings, by how often players of each
    /// rating choose them.
    pub rated_openings: bool,
    /// Leave out decisions in repeated positions.
    pub repetitions: bool,
    /// Leave out decisions in which the evaluation of the best move is further from zero than this,
    /// in pawns.
    pub advantage: Option<f64>,
    /// Leave out decisions in which there is only one legal move.
    pub forced: bool,
    /// Leave out decisions in which the best move and the move played are both evaluated above this,
    /// or both below its negative.
    pub decided: Option<f64>,
}

/// The reason why a decision was left out. If several rules apply, the first one in this order
/// gives the reason.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Omission {
    /// The move belongs to the opening. See [`StudyRules::opening`].
    Opening,
    /// The position was not evaluated, because it is outside the sample.
    Sampled,
    /// There is only one legal move.
    Forced,
    /// The position is repeated. See [`StudyRules::repetitions`].
    Repetition,
    /// One side has a large advantage. See [`StudyRules::advantage`].
    Advantage,
    /// The position is decided, whether the best move or the actual move is played. See
    /// [`StudyRules::decided`].
    Decided,
}

/// The number of decisions that were used, and the number left out for each reason.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tally {
    /// The number of decisions that were used.
    pub used: usize,
    left_out: [usize; Omission::ALL.len()],
}

impl Default for StudyRules {
    fn default() -> StudyRules {
        StudyRules {
            opening: 8,
            rated_openings: true,
            repetitions: true,
            advantage: Some(3.0),
            forced: true,
            decided: None,
        }
    }
}

impl Omission {
    /// All reasons, in the order in which they apply.
    pub const ALL: [Omission; 6] = [
        Omission::Opening,
        Omission::Sampled,
        Omission::Forced,
        Omission::Repetition,
        Omission::Advantage,
        Omission::Decided,
    ];

    /// The reason why one move was left out, as a short phrase.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Omission::Opening => "opening move",
            Omission::Sampled => "outside the sample",
            Omission::Forced => "forced move",
            Omission::Repetition => "repetition",
            Omission::Advantage => "large advantage",
            Omission::Decided => "decided position",
        }
    }

    /// The number of moves left out, such as "1 forced move".
    fn counted(self, count: usize) -> String {
        match self {
            Omission::Opening | Omission::Forced | Omission::Repetition => {
                counted(count, self.name())
            }
            Omission::Sampled => format!("{count} {}", self.name()),
            Omission::Advantage => format!("{count} with a {}", self.name()),
            Omission::Decided => format!("{count} in {}s", self.name()),
        }
    }
}

impl StudyRules {
    /// Rules that leave nothing out.
    pub fn none() -> StudyRules {
        StudyRules {
            opening: 0,
            rated_openings: false,
            repetitions: false,
            advantage: None,
            forced: false,
            decided: None,
        }
    }

    /// Whether the move after this many plies counts as an opening move.
    pub(crate) fn is_opening(&self, plies: usize) -> bool {
        plies / 2 < self.opening
    }

    /// Returns why a decision is left out, or `None` if it counts.
    pub fn omission(&self, decision: &StudiedMove) -> Option<Omission> {
        let is_far = |value: f64, limit: f64| value.abs() > limit;
        let is_decided = |limit: f64| {
            let (best, played) = (decision.best(), decision.value(decision.chosen));
            best.min(played) > limit || best.max(played) < -limit
        };
        let excludes = |reason: &Omission| match reason {
            Omission::Opening => self.is_opening(decision.ply),
            Omission::Sampled => !decision.is_evaluated(),
            Omission::Forced => self.forced && decision.is_forced(),
            Omission::Repetition => self.repetitions && decision.repeats,
            Omission::Advantage => {
                self.advantage.is_some_and(|limit| is_far(decision.best(), limit))
            }
            Omission::Decided => self.decided.is_some_and(is_decided),
        };
        Omission::ALL.into_iter().find(excludes)
    }
}

additive!(Tally: used, left_out);

impl Tally {
    /// Counts a decision, with the reason if it is left out.
    pub(super) fn add(&mut self, omission: Option<Omission>) {
        *omission.map_or(&mut self.used, |reason| &mut self.left_out[reason as usize]) += 1;
    }

    /// The number of decisions, used or not.
    pub(crate) fn decisions(&self) -> usize {
        self.left_out.iter().fold(self.used, |sum, count| sum.wrapping_add(*count))
    }

    /// The number of decisions left out for this reason.
    pub fn left_out(&self, reason: Omission) -> usize {
        self.left_out[reason as usize]
    }

    /// Lists the reasons with their counts. The text is empty if nothing was left out.
    pub(crate) fn reasons(&self) -> String {
        let all = Omission::ALL.into_iter().map(|reason| (self.left_out(reason), reason));
        let nonzero = all.filter(|&(count, _)| count > 0);
        nonzero.map(|(count, reason)| reason.counted(count)).collect::<Vec<_>>().join(", ")
    }
}
