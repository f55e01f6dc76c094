//! Draws a move from a profile's distribution over the evaluated moves, and explains the choice.

use super::Profile;
use crate::board::{Game, Move};
use crate::evaluation::RootEvaluation;
use crate::math::streams::{Occasion, Purpose, Stream};
use crate::search::Observer;
use crate::selector::{Curve, Distribution};

/// A choice and the distribution that it was drawn from.
#[derive(Clone, Debug, PartialEq)]
pub struct Choice {
    /// The move to play.
    pub mv: Move,
    /// The index of the move in the evaluation.
    pub index: usize,
    /// The probabilities that the move was drawn from, in the order of the evaluation.
    pub distribution: Distribution,
    /// The part of a composite profile that chose the move.
    pub part: usize,
    /// The curve that gave the moves their probabilities.
    pub curve: Curve,
}

/// Draws a move according to a profile. Returns `None` if there is no legal move.
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

/// Returns the probability of each move when this part of a profile plays. It includes the effects
/// of the profile's repertoire and of its strength offset in this phase of the game.
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

/// Returns the probability of each move, averaged over the parts of the profile that may play.
pub fn expectation(game: &Game, evaluation: &RootEvaluation, profile: &Profile) -> Distribution {
    let parts = profile.parts().iter().enumerate();
    let parts: Vec<(f64, Distribution)> = parts
        .map(|(part, (weight, _))| (*weight, distribution(game, evaluation, profile, part)))
        .collect();
    Distribution::mixture(&parts)
}

/// Draws the index of a move from a distribution. Returns `None` if the distribution is empty.
pub fn draw(distribution: &Distribution, occasion: Occasion) -> Option<usize> {
    Stream::new(occasion, Purpose::Move).index(distribution.probabilities())
}

/// Reports the probability of every move, followed by a summary of the chosen one.
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
