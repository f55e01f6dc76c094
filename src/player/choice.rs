//! The choice of a move: a pure function of what the moves are worth, who plays, and when.

use super::profile::Profile;
use crate::board::{Game, Move};
use crate::evaluation::RootEvaluation;
use crate::math::streams::{Occasion, Purpose, Stream};
use crate::selector::{Curve, Distribution};

/// A choice with what led to it.
#[derive(Clone, Debug, PartialEq)]
pub struct Choice {
    pub mv: Move,
    /// The place of the move in the evaluation.
    pub index: usize,
    /// The probabilities that it was drawn from, in the order of the evaluation.
    pub distribution: Distribution,
    /// Which part of a composite profile played.
    pub part: usize,
    /// What gave the moves their probabilities.
    pub curve: Curve,
}

/// The move that a profile plays. `None` when there is none to play.
pub fn choose(
    game: &Game,
    evaluation: &RootEvaluation,
    profile: &Profile,
    occasion: Occasion,
) -> Option<Choice> {
    let part = profile.part_at(occasion);
    let distribution = distribution(game, evaluation, profile, part);
    let index = draw(&distribution, occasion)?;
    let mv = evaluation.moves.get(index)?.mv;
    let curve = profile.parts()[part].1.selector.curve;
    Some(Choice { mv, index, distribution, part, curve })
}

/// How likely each move is when this part of a profile plays.
pub fn distribution(
    game: &Game,
    evaluation: &RootEvaluation,
    profile: &Profile,
    part: usize,
) -> Distribution {
    profile.parts()[part].1.distribution(game, evaluation)
}

/// How likely each move is to someone who does not know which part plays.
pub fn expectation(game: &Game, evaluation: &RootEvaluation, profile: &Profile) -> Distribution {
    let parts = profile.parts().iter().enumerate();
    let parts: Vec<(f64, Distribution)> = parts
        .map(|(part, (weight, _))| (*weight, distribution(game, evaluation, profile, part)))
        .collect();
    Distribution::mixture(&parts)
}

/// The place of the move drawn from a distribution; `None` from an empty one.
pub fn draw(distribution: &Distribution, occasion: Occasion) -> Option<usize> {
    Stream::new(occasion, Purpose::Move).index(distribution.probabilities())
}
