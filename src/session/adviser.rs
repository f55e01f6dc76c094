//! Hints for a person, and answers to draw offers. Both come from a short search at full strength.

use crate::board::{Game, Move};
use crate::player::Engine;
use crate::search::{Controls, Limits, NoObserver};
use crate::value::Value;

/// The number of nodes in a search for a hint or for the answer to a draw offer.
const NODES: u64 = 500_000;
/// The size of the hash table in MiB.
const HASH: usize = 16;
/// From this move number on, the engine agrees to a draw in an equal position.
const LATE: u32 = 30;
/// The largest advantage in centipawns that counts as equality. Having the move is worth about this
/// much.
const EQUAL: i32 = 30;
/// The engine agrees to a draw at any time if it is at least this far behind, in centipawns.
const BEHIND: i32 = 100;

/// An engine at full strength that advises people. It is loaded on first use, because most games
/// have neither hints nor draw offers.
#[derive(Debug, Default)]
pub struct Adviser {
    engine: Option<Engine>,
}

impl Adviser {
    /// Returns the best move and its score, for the side to move.
    pub fn advice(&mut self, game: &Game, controls: &Controls) -> (Option<Move>, Value) {
        let engine = self.engine.get_or_insert_with(|| Engine::built_in(HASH));
        engine.clear();
        let best = engine.best_move(game, &Limits::nodes(NODES), controls, &mut NoObserver);
        (best.mv, best.value)
    }

    /// Returns whether the engine accepts a draw offered by the side to move. It accepts if it is
    /// clearly behind. Late in the game, it also accepts if it is at most slightly ahead.
    pub fn accepts_draw(&mut self, game: &Game, controls: &Controls) -> bool {
        let (_, value) = self.advice(game, controls);
        let is_late = game.position().fullmoves() >= LATE;
        value.raw() >= BEHIND || is_late && value.raw() >= -EQUAL
    }
}
