//! Positions for simulated choices: synthetic, or from real games.

use stopdown::arena::{Book, Opening, Order};
use stopdown::board::Game;
use stopdown::evaluation::RootEvaluation;
use stopdown::math::streams::Stream;
use stopdown::player::Engine;
use stopdown::search::{Controls, EvaluationRequest, NoObserver};
use stopdown::selector::Values;

use crate::synthetic::spread;

/// A source of positions for a game.
pub trait Positions {
    /// Starts a new game.
    fn begin(&mut self, stream: &mut Stream);

    /// Returns the move values of the next position.
    fn next(&mut self, stream: &mut Stream) -> Values;

    /// Plays the move at this index.
    fn play(&mut self, chosen: usize);
}

/// Synthetic values without a search.
pub struct SyntheticPositions;

impl Positions for SyntheticPositions {
    fn begin(&mut self, _stream: &mut Stream) {}

    fn next(&mut self, stream: &mut Stream) -> Values {
        let count = 10 + (stream.next_u64() % 30) as usize;
        Values::at_one_depth(&spread(stream, count)).expect("finite")
    }

    fn play(&mut self, _chosen: usize) {}
}

/// Positions from the player's self-play.
pub struct SelfPlayPositions {
    engine: Engine,
    openings: Vec<Opening>,
    game: Game,
    evaluation: RootEvaluation,
}

/// The depth p of the player and the observer.
const DEPTH: u8 = 2;

impl SelfPlayPositions {
    pub fn new() -> SelfPlayPositions {
        let openings = Book::built_in().select(Order::Sequential, None, 999).expect("legal");
        let (game, evaluation) = Default::default();
        SelfPlayPositions { engine: Engine::built_in(1), openings, game, evaluation }
    }
}

impl Positions for SelfPlayPositions {
    fn begin(&mut self, stream: &mut Stream) {
        let place = stream.next_u64() as usize % self.openings.len();
        self.game = self.openings[place].game.clone();
    }

    fn next(&mut self, stream: &mut Stream) -> Values {
        while self.game.ending().is_some() {
            self.begin(stream);
        }
        let request = EvaluationRequest::depth(DEPTH);
        let controls = Controls::new();
        self.evaluation = self.engine.evaluate(&self.game, &request, &controls, &mut NoObserver);
        Values::of(&self.evaluation, DEPTH)
    }

    fn play(&mut self, chosen: usize) {
        self.game.play(self.evaluation.moves[chosen].mv);
    }
}
