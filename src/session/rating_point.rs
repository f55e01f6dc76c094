//! The rating estimate of one side after some plies, and how people read it.

use super::rating_estimator::{RatingEstimate, Thoroughness};
use crate::board::Colour;
use crate::player::{EloScale, RATED_RANGE, ShownRating, not_enough_moves};

/// During a game, a rating from fewer moves than this, including opening moves, is not shown.
const MIN_MOVES_SO_FAR: usize = 10;

/// The rating estimate of one side after some plies.
#[derive(Clone, Copy, Debug)]
pub struct RatingPoint {
    pub ply: usize,
    pub estimate: RatingEstimate,
    pub thoroughness: Thoroughness,
}

impl RatingPoint {
    /// The estimate as users see it, or `None` if there are too few moves.
    pub fn shown(&self) -> Option<ShownRating> {
        let RatingEstimate { rating, interval, counted, .. } = self.estimate;
        ShownRating::new(counted, rating, interval, &RATED_RANGE)
    }

    /// The estimate during a game, or `None` if there are too few moves. It is shown earlier than
    /// in a report, because the player watches it change.
    pub fn shown_early(&self) -> Option<ShownRating> {
        let RatingEstimate { rating, interval, evidence, .. } = self.estimate;
        let shown = ShownRating::limited(rating, interval, &RATED_RANGE);
        (evidence >= MIN_MOVES_SO_FAR).then_some(shown)
    }

    /// The early estimate in one sentence. It addresses the person at the board, or names a side.
    pub fn sentence_so_far(&self, side: Option<Colour>) -> String {
        let (who, moves) = (side.map(colour_name), self.estimate.evidence);
        let scale = EloScale::Fide.name();
        match (self.shown_early(), who) {
            (None, None) => format!(
                "Your rating appears here after {MIN_MOVES_SO_FAR} moves that count ({moves} so far)."
            ),
            (None, Some(who)) => {
                format!("{who}: not enough moves yet ({moves} of {MIN_MOVES_SO_FAR}).")
            }
            (Some(rating), None) => format!("So far you play like {}.", rating.so_far(scale)),
            (Some(rating), Some(who)) => {
                format!("So far {who} plays like {}.", rating.so_far(scale))
            }
        }
    }

    /// The estimate in one sentence. It addresses the person at the board, or names a side.
    pub fn sentence(&self, side: Option<Colour>) -> String {
        let (who, moves) = (side.map(colour_name), self.estimate.counted);
        match (self.shown(), who) {
            (None, None) => format!("There are {}.", not_enough_moves("your", moves)),
            (None, Some(who)) => format!("{who}: {}.", not_enough_moves("a", moves)),
            (Some(rating), who) => format!(
                "{} played like a player rated {}, based on {moves} moves.",
                who.unwrap_or("You"),
                rating.described(EloScale::Fide.name(), 90)
            ),
        }
    }
}

fn colour_name(colour: Colour) -> &'static str {
    if colour == Colour::White { "White" } else { "Black" }
}
