//! The share of players with a given rating who would play each move.

use super::profile::Skill;
use super::{TargetRating, rating_path};
use crate::board::Game;
use crate::evaluation::RootEvaluation;
use crate::selector::{Distribution, Selector};
use crate::value::Depth;

/// Returns the share of players with this rating who would play each move, in the order of the
/// evaluation. Results deeper than `depth` are ignored.
///
/// These are the choices of humans. A level with the same rating raises their probabilities to a
/// power, because otherwise it would not be as strong as those humans.
pub fn human_shares(
    game: &Game,
    evaluation: &RootEvaluation,
    depth: Depth,
    rating: &TargetRating,
) -> Distribution {
    let curve = rating_path::human_choice_curve(&rating.curve());
    Skill::new(Selector::new(curve), depth).distribution(game, evaluation)
}

/// Writes a share in whole percent.
pub(crate) fn percent(share: f64) -> String {
    match 100.0 * share {
        percent if percent >= 0.5 => format!("{percent:.0}%"),
        _ => "<1%".to_owned(),
    }
}
