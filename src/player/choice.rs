//! How a move is drawn from what the moves are worth to a profile, and how the choice is explained.

use super::Profile;
use crate::board::{Game, Move};
use crate::evaluation::RootEvaluation;
use crate::math::streams::{Occasion, Purpose, Stream};
use crate::search::Observer;
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
    let curve = profile.skill(part, game.position()).selector.curve;
    Some(Choice { mv, index, distribution, part, curve })
}

/// How likely each move is when this part of a profile plays, with the openings that it knows and in
/// this phase of the game.
pub fn distribution(
    game: &Game,
    evaluation: &RootEvaluation,
    profile: &Profile,
    part: usize,
) -> Distribution {
    let position = game.position();
    let by_skill = profile.skill(part, position).distribution(game, evaluation);
    profile.repertoire.with(position, evaluation, by_skill)
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

/// Tells the probability of every move, then what is to be said of the chosen one.
pub(super) fn explain(
    game: &Game,
    moves: impl Iterator<Item = Move>,
    choice: &Choice,
    observer: &mut dyn Observer,
) {
    let position = game.position();
    for (m, probability) in moves.zip(choice.distribution.probabilities()) {
        observer.remark(&format!("prob {} {probability:.4}", position.uci(m)));
    }
    observer.remark(&format!(
        "chosen {}: rank {} of {}, probability {:.4}, surprise {:.2} bits",
        position.uci(choice.mv),
        choice.distribution.rank(choice.index),
        choice.distribution.len(),
        choice.distribution.probability(choice.index),
        choice.distribution.surprise(choice.index),
    ));
}
