//! Playing styles, learnt from players who have them.
//!
//! [`players`] finds players with many games whose moves show the traits of a style more often than
//! other players' moves do. [`decisions`] holds their decisions with the probabilities that the
//! human curve gives the moves. [`fit`] learns how much each trait raises the odds of a move for
//! these players, compared with other players.

mod decisions;
mod fit;
mod players;

pub use decisions::{Decision, StyleDecisions, events, write};
pub use fit::{LearntStyle, learn};
pub use players::{GameRecords, StyledPlayer, candidates};

use stopdown::player::{MoveTrait, PlayingStyle, Traits};

/// The traits by which players with a style are found.
pub fn signature(style: PlayingStyle) -> Traits {
    let traits: &[(MoveTrait, f64)] = match style {
        PlayingStyle::Attacker => &[
            (MoveTrait::Sacrifice, 1.0),
            (MoveTrait::PawnSacrifice, 0.5),
            (MoveTrait::PawnStorm, 0.5),
            (MoveTrait::KingAttack, 0.2),
        ],
        PlayingStyle::Solid => &[
            (MoveTrait::Sacrifice, -1.0),
            (MoveTrait::Gambit, -0.5),
            (MoveTrait::PawnSacrifice, -0.5),
            (MoveTrait::PawnStorm, -0.5),
        ],
        PlayingStyle::Trader => &[(MoveTrait::QueenExchange, 1.0), (MoveTrait::Exchange, 0.5)],
        PlayingStyle::Gambiteer => &[(MoveTrait::Gambit, 1.0)],
    };
    let mut signature = Traits::default();
    traits.iter().for_each(|&(of, weight)| signature[of as usize] = weight);
    signature
}

/// The trait that shows a style in play, and the factor by which the style should change the frequency of this trait.
pub fn visible(style: PlayingStyle) -> (MoveTrait, f64) {
    match style {
        PlayingStyle::Attacker => (MoveTrait::Sacrifice, 2.0),
        PlayingStyle::Solid => (MoveTrait::Sacrifice, 0.5),
        PlayingStyle::Trader => (MoveTrait::QueenExchange, 2.0),
        PlayingStyle::Gambiteer => (MoveTrait::Gambit, 2.0),
    }
}

/// The dot product of two lists of numbers.
fn dot(one: &[f64], other: &[f64]) -> f64 {
    one.iter().zip(other).map(|(a, b)| a * b).sum()
}
