//! What a player sees of a position: the moves' values, and for people what draws the eye.

use crate::board::Game;
use crate::evaluation::RootEvaluation;
use crate::prior::{Eye, Setting, Step, View};
use crate::selector::{Family, Glance, Values, human};
use crate::value::Depth;

/// Ratings at which the eye is asked where players of many ratings are compared; between them it
/// changes evenly enough.
const STEP: f64 = 250.0;

/// The values of an evaluation at depths up to `depth`, as the players of a family see them who have
/// these ratings.
pub fn seen(
    game: &Game,
    evaluation: &RootEvaluation,
    depth: Depth,
    family: Family,
    ratings: &[f64],
) -> Values {
    let values = Values::of(evaluation, depth);
    let (Some(pool), Some(eye)) = (family.pool(), Eye::built_in()) else { return values };
    if values.moves() < 2 {
        return values;
    }
    let (view, us) = (View::of(game), game.position().turn());
    let steps: Vec<Step> = evaluation.moves.iter().map(|m| Step::of(m.mv, us)).collect();
    let glance = |&rating: &f64| {
        let known = rating.clamp(human::LOWEST, human::HIGHEST);
        let ln_shares = eye.judge(&view, &steps, Setting { rating: known, pool });
        Glance { rating, ln_shares }
    };
    values.with_glances(game.plies(), ratings.iter().map(glance).collect())
}

/// The ratings at which to ask where all of them count.
pub fn all_ratings() -> Vec<f64> {
    let steps = ((human::HIGHEST - human::LOWEST) / STEP) as usize;
    (0..=steps).map(|step| human::LOWEST + STEP * step as f64).collect()
}
