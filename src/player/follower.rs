//! The imitator at the board: it finds out what the opponent's moves were worth, and plays at the
//! level that they show.

use super::{
    Aim, Decision, Elo, Estimate, Hypotheses, Imitator, Profile, Recipe, StoppedDown, provisional,
};
use crate::board::{Colour, Game};
use crate::eval::Evaluator;
use crate::search::{Controls, EvaluationRequest, Limits, Observer, Searcher, Silent};
use crate::selector::{DepthWeights, Family};

/// Watches one opponent over games, and answers him.
#[derive(Clone, Debug)]
pub struct Follower {
    imitator: Imitator,
    aim: Aim,
    pub seed: u64,
    /// Counts the games played with this seed.
    pub game: u64,
}

/// A move with the level that it was played at.
#[derive(Clone, Debug)]
pub struct Followed {
    pub decision: Decision,
    pub player: StoppedDown,
    /// What is believed of the opponent.
    pub estimate: Estimate,
}

impl Follower {
    /// Knows nothing of the opponent but his rating, if he has one.
    pub fn new(aim: Aim, rating: Option<Elo>, seed: u64) -> Follower {
        let scale = Hypotheses::of_rating(Family::LEVELLED, &DepthWeights::deepest());
        let imitator = Imitator::new(scale, provisional::DEPTH, rating);
        Follower { imitator, aim, seed, game: 1 }
    }

    /// What the moves of this side say about the one who made them.
    pub fn watch<E: Evaluator>(
        &mut self,
        searcher: &mut Searcher<E>,
        game: &Game,
        opponent: Colour,
        controls: &Controls,
    ) -> Estimate {
        let observations = self.imitator.observe(game, opponent);
        let request = EvaluationRequest::depth(provisional::DEPTH);
        for (observation, before) in self.imitator.wanted(game, &observations) {
            let evaluation = searcher.evaluate(&before, &request, controls, &mut Silent);
            if evaluation.depth == request.depth {
                self.imitator.learn(&observation, &evaluation);
            }
        }
        self.imitator.estimate(&observations)
    }

    /// The move it makes.
    pub fn decide<E: Evaluator>(
        &mut self,
        searcher: &mut Searcher<E>,
        game: &Game,
        limits: &Limits,
        controls: &Controls,
        observer: &mut dyn Observer,
    ) -> Followed {
        let opponent = !game.position().turn();
        let estimate = self.watch(searcher, game, opponent, controls);
        let player = StoppedDown {
            profile: self.profile(estimate.level),
            seed: self.seed,
            game: self.game,
            explain: false,
        };
        let decision = player.decide(searcher, game, limits, controls, observer);
        if let Some(mv) = decision.best.mv {
            self.imitator.played(game, mv);
        }
        Followed { decision, player, estimate }
    }

    /// How it plays against an opponent of this level.
    fn profile(&self, opponent: Elo) -> Profile {
        let level = provisional::clamp(self.aim.level(opponent));
        let recipe = Recipe { elo: Some(level), ..Recipe::default() };
        Profile::plain("", recipe.skill().expect("every rating of the range has a skill"))
    }
}
