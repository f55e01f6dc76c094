//! Reads a person's strength from their moves, from game to game.
//!
//! A glance at each move comes first, so that the reading never falls behind the game. The same moves
//! are then read as deeply as ratings were measured at.

use crate::board::{Colour, Game};
use crate::player::{Aim, Engine, Imitating, LevelEstimate, Style};
use crate::search::Controls;
use crate::value::Depth;

/// MiB of table.
const HASH: usize = 16;
/// Plies of a glance: some milliseconds.
const GLANCE: Depth = 5;

/// Fewer informative moves than this do not show how strong somebody is.
pub const FEWEST_MOVES: usize = 8;

/// How deeply moves are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Thoroughness {
    Glance,
    Full,
}

#[derive(Debug)]
pub struct StrengthReader {
    engine: Engine,
    quick: Imitating,
    thorough: Imitating,
}

impl Default for StrengthReader {
    fn default() -> StrengthReader {
        let usual = Style::usual(Aim::Equal);
        let [mut quick, mut thorough] =
            [GLANCE, usual.depth].map(|depth| Imitating::of_stranger(Style { depth, ..usual }));
        (quick.exact, thorough.exact) = (true, true);
        StrengthReader { engine: Engine::built_in(HASH), quick, thorough }
    }
}

impl StrengthReader {
    /// What the moves of this side show; if it is stopped, as far as they were read.
    pub fn read(
        &mut self,
        game: &Game,
        side: Colour,
        thoroughness: Thoroughness,
        controls: &Controls,
    ) -> LevelEstimate {
        let reader = match thoroughness {
            Thoroughness::Glance => &mut self.quick,
            Thoroughness::Full => &mut self.thorough,
        };
        reader.judge(&mut self.engine, game, side, controls)
    }

    /// Uses the time of the side to move: evaluates the moves that there are to choose from.
    pub fn foresee(&mut self, game: &Game, controls: &Controls) {
        self.thorough.watch(&mut self.engine, game, controls);
    }
}
