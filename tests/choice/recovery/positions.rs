//! Positions to choose in: made up, or of games that are really played.

use stopdown::arena::{Book, Opening, Order};
use stopdown::board::Game;
use stopdown::evaluation::RootEvaluation;
use stopdown::math::streams::Stream;
use stopdown::player::Engine;
use stopdown::search::{Controls, EvaluationRequest, NoObserver};
use stopdown::selector::Values;

use crate::synthetic::spread;

/// Where the positions of a game come from.
pub trait Positions {
    /// A new game begins.
    fn begin(&mut self, stream: &mut Stream);

    /// What the moves of the next position are worth.
    fn next(&mut self, stream: &mut Stream) -> Values;

    /// The move at this place was chosen.
    fn play(&mut self, chosen: usize);
}

/// Values without a search.
pub struct MadeUp;

impl Positions for MadeUp {
    fn begin(&mut self, _stream: &mut Stream) {}

    fn next(&mut self, stream: &mut Stream) -> Values {
        let count = 10 + (stream.next_u64() % 30) as usize;
        Values::at_one_depth(&spread(stream, count)).expect("finite")
    }

    fn play(&mut self, _chosen: usize) {}
}

/// Positions of games between the player and himself.
pub struct Played {
    engine: Engine,
    openings: Vec<Opening>,
    game: Game,
    evaluation: RootEvaluation,
}

/// p of the player and of who watches him.
const DEPTH: u8 = 2;

impl Played {
    pub fn new() -> Played {
        let openings = Book::built_in().select(Order::Sequential, None, 999).expect("legal");
        let (game, evaluation) = Default::default();
        Played { engine: Engine::built_in(1), openings, game, evaluation }
    }
}

impl Positions for Played {
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
