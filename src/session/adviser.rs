//! Hints for a person, and the answer to an offer of a draw.

use crate::board::{Game, Move};
use crate::player::Engine;
use crate::search::{Controls, Limits, Silent};
use crate::value::Value;

/// How long a hint and an answer to an offer are thought about.
const NODES: u64 = 500_000;
/// MiB of table for that.
const HASH: usize = 16;
/// From this move on a level game may be given up as drawn.
const LATE: u32 = 30;
/// Values nearer to zero than this are level, in centipawns; to move first is worth as much.
const LEVEL: i32 = 30;
/// A side that is behind by so much would rather have a draw, in centipawns.
const WORSE: i32 = 100;

#[derive(Debug)]
pub struct Adviser {
    engine: Engine,
}

impl Default for Adviser {
    fn default() -> Adviser {
        Adviser { engine: Engine::built_in(HASH) }
    }
}

impl Adviser {
    /// The best move for the side to move, and its value.
    pub fn advice(&mut self, game: &Game, controls: &Controls) -> (Option<Move>, Value) {
        self.engine.clear();
        let best = self.engine.best_move(game, &Limits::nodes(NODES), controls, &mut Silent);
        (best.mv, best.value)
    }

    /// Would the engine have a draw? It takes one where it stands worse, or late in the game if neither
    /// side stands better.
    pub fn takes_draw(&mut self, game: &Game, controls: &Controls) -> bool {
        let (_, value) = self.advice(game, controls);
        let is_late = game.position().fullmoves() >= LATE;
        value.raw() >= WORSE || is_late && value.raw() >= -LEVEL
    }
}
