//! A game between a human and the engine, whatever it is played through: the terminal and the browser
//! are two doors to the same table.

mod opponent;
mod spelling;
mod table;

use crate::board::{Colour, Game, Move};
use crate::player::{Aim, Engine, Imitating, LevelEstimate, Style};
use crate::search::{Controls, Limits, Silent};
use crate::value::Value;

pub use opponent::{Opponent, OpponentSpec, OpponentTurn, fresh_seed};
pub use spelling::{SpellingError, list, read_move};
pub use table::{Over, SidePlayer, SparringTable};

/// How long a hint and an answer to an offer are thought about.
const ADVICE_NODES: u64 = 500_000;
/// MiB of table for that.
const ADVICE_HASH: usize = 16;
/// From this move on a level game may be given up as drawn.
const LATE: u32 = 30;
/// Values nearer to zero than this are level, in centipawns; to move first is worth as much.
const LEVEL: i32 = 30;
/// Who is behind by so much would rather have a draw, in centipawns.
const WORSE: i32 = 100;
/// Fewer informative moves than this do not show how strong somebody is.
pub const FEWEST_MOVES: usize = 8;

/// Advises, and watches the human from game to game.
#[derive(Debug)]
pub struct Adviser {
    /// Values what the human chooses among, too.
    engine: Engine,
    judge: Imitating,
}

impl Default for Adviser {
    fn default() -> Adviser {
        let mut judge = Imitating::of_stranger(Style::usual(Aim::Equal));
        judge.exact = true;
        Adviser { engine: Engine::built_in(ADVICE_HASH), judge }
    }
}

impl Adviser {
    /// What the human's moves say about their player.
    pub fn judge(&mut self, game: &Game, human: Colour, controls: &Controls) -> LevelEstimate {
        self.judge.judge(&mut self.engine, game, human, controls)
    }

    /// Uses the human's time: values the moves that there are to choose from.
    pub fn watch(&mut self, game: &Game, controls: &Controls) {
        self.judge.watch(&mut self.engine, game, controls);
    }

    /// The best move for the human, and what it is worth.
    pub fn advice(&mut self, game: &Game) -> (Option<Move>, Value) {
        let limits = Limits::nodes(ADVICE_NODES);
        self.engine.clear();
        let best = self.engine.best_move(game, &limits, &Controls::new(), &mut Silent);
        (best.mv, best.value)
    }

    /// Would the engine have a draw? It takes one where it stands worse, or late in the game if nobody
    /// stands better.
    pub fn takes_draw(&mut self, game: &Game) -> bool {
        let (_, value) = self.advice(game);
        let is_late = game.position().fullmoves() >= LATE;
        value.raw() >= WORSE || is_late && value.raw() >= -LEVEL
    }
}
