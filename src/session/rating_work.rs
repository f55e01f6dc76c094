//! The work of the rating thread of a game session.

use std::sync::Arc;

use super::game_session::GameSession;
use super::game_state::GameState;
use super::rating_estimator::RatingEstimator;
use super::rating_point::RatingPoint;
use super::tasks::{RatedPlayer, RatingTask};
use crate::arena::ContestantSpec;
use crate::search::Controls;

/// The work of the rating thread: it estimates ratings from the moves of people, or of both engines in a game without
/// people.
#[derive(Debug)]
pub(super) struct RatingWork {
    session: Arc<GameSession>,
    /// Estimates the rating of the person from all games against engines.
    person: RatingEstimator,
    /// Estimates the ratings of the last two people or two engines that have played each other. `None` until there is
    /// such a game.
    pair: Option<PairEstimators>,
}

/// Estimates the ratings of two people or two engines from all games between them.
#[derive(Debug)]
struct PairEstimators {
    /// The engines. The first one plays the side in [`CasualGame::human`](super::CasualGame::human).
    engines: Box<[Option<ContestantSpec>; 2]>,
    estimators: [RatingEstimator; 2],
}

impl RatingWork {
    pub fn new(session: Arc<GameSession>) -> RatingWork {
        RatingWork { session, person: RatingEstimator::default(), pair: None }
    }

    pub fn work(&mut self) {
        while let Some((task, controls, _)) =
            self.session.next(&self.session.rating_controls, GameState::rating_task)
        {
            self.run(task, &controls);
        }
    }

    pub fn run(&mut self, task: RatingTask, controls: &Controls) {
        let RatingTask { game, game_number, side, player, estimate } = task;
        let estimator = self.estimator(player);
        estimator.enter_game(game_number, &game);
        let Some(thoroughness) = estimate else {
            return estimator.evaluate_ahead(&game, controls);
        };
        let estimate = estimator.estimate(&game, side, thoroughness, controls);
        let point = RatingPoint { ply: game.ply(), estimate, thoroughness };
        self.session.change(|state| {
            // Taking back moves stops this task, because its estimate is then obsolete.
            if !controls.is_stopped() {
                state.take_rating(side, point);
            }
        });
    }

    fn estimator(&mut self, player: RatedPlayer) -> &mut RatingEstimator {
        match player {
            RatedPlayer::Person => &mut self.person,
            RatedPlayer::OneOfTwo { engines, index } => {
                let earlier = self.pair.take().filter(|pair| pair.engines == engines);
                let new = || PairEstimators { engines, estimators: Default::default() };
                &mut self.pair.insert(earlier.unwrap_or_else(new)).estimators[index]
            }
        }
    }
}
