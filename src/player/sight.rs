//! What a player sees of a position: the moves' values, and for people the policy.

use crate::board::{Bitboard, Colour, Game, Position, Rank, Role};
use crate::evaluation::RootEvaluation;
use crate::policy::{MoveView, PolicyNetwork, PolicyView, Setting};
use crate::selector::{Family, PolicyShares, Values, human};
use crate::value::Depth;

/// Ratings at which the policy network is asked where players of many ratings are compared; between them it
/// changes evenly enough.
const STEP: f64 = 275.0;

/// Plies in which a piece is lost: a capture comes as rarely as that.
const PLIES_FOR_A_PIECE: usize = 5;

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
    let (Some(pool), Some(network)) = (family.pool(), PolicyNetwork::built_in()) else {
        return values;
    };
    if values.moves() < 2 {
        return values;
    }
    let (view, us) = (PolicyView::of(game), game.position().turn());
    let steps: Vec<MoveView> = evaluation.moves.iter().map(|m| MoveView::of(m.mv, us)).collect();
    let shares = |&rating: &f64| {
        let known = rating.clamp(human::LOWEST, human::HIGHEST);
        let ln_shares = network.judge(&view, &steps, Setting { rating: known, pool });
        PolicyShares { rating, ln_shares }
    };
    values.with_policy(plies(game), ratings.iter().map(shares).collect())
}

/// Plies that were played before. Positions that are set up often say that they are the first ones; how
/// many pieces have left their places, and how many the board, says more. What people know by heart is
/// no such position.
fn plies(game: &Game) -> usize {
    let start = game.start();
    let gone = 32usize.saturating_sub(start.occupied().count());
    let out = Colour::ALL.map(|colour| out_of_place(start, colour)).iter().sum();
    game.plies().max(usize::max(PLIES_FOR_A_PIECE * gone, out) + game.ply())
}

/// Pieces of a colour that do not stand in the row they come from.
fn out_of_place(position: &Position, colour: Colour) -> usize {
    let all = position.of_colour(colour);
    let pawns = position.pieces(colour, Role::Pawn);
    let (back, front) = match colour {
        Colour::White => (Rank::First, Rank::Second),
        Colour::Black => (Rank::Eighth, Rank::Seventh),
    };
    (all & !pawns & !Bitboard::from_rank(back)).count()
        + (pawns & !Bitboard::from_rank(front)).count()
}

/// The ratings at which to ask where all of them count.
pub fn all_ratings() -> Vec<f64> {
    let steps = ((human::HIGHEST - human::LOWEST) / STEP) as usize;
    (0..=steps).map(|step| human::LOWEST + STEP * step as f64).collect()
}
