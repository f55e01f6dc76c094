//! The work of the rating thread of a game session.

use std::sync::Arc;

use super::game_session::GameSession;
use super::game_state::GameState;
use super::rating_point::RatingPoint;
use super::strength_reader::StrengthReader;
use super::tasks::{RatedPlayer, RatingTask};
use crate::arena::ContestantSpec;
use crate::search::Controls;

/// The work of the rating thread: it estimates ratings from the moves of people, or of both engines in a game without
/// people.
#[derive(Debug)]
pub(super) struct RatingWork {
    session: Arc<GameSession>,
    /// Reads the moves of the person in all games against engines.
    person_reader: StrengthReader,
    /// Reads the moves of the last two people or two engines that have played each other. `None` until there is such a
    /// game.
    pair: Option<PairReader>,
}

/// Reads the moves of two people or two engines, in all games between them.
#[derive(Debug)]
struct PairReader {
    /// The engines. The first one plays the side in [`CasualGame::human`](super::CasualGame::human).
    engines: Box<[Option<ContestantSpec>; 2]>,
    readers: [StrengthReader; 2],
}

impl RatingWork {
    pub fn new(session: Arc<GameSession>) -> RatingWork {
        RatingWork { session, person_reader: StrengthReader::default(), pair: None }
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
        let reader = self.reader(player);
        reader.enter_game(game_number, &game);
        let Some(thoroughness) = estimate else {
            return reader.evaluate_ahead(&game, controls);
        };
        let estimate = reader.read(&game, side, thoroughness, controls);
        let point = RatingPoint { ply: game.ply(), estimate, thoroughness };
        self.session.change(|state| {
            // Taking back moves stops this task, because its estimate is then obsolete.
            if !controls.is_stopped() {
                state.take_rating(side, point);
            }
        });
    }

    fn reader(&mut self, player: RatedPlayer) -> &mut StrengthReader {
        match player {
            RatedPlayer::Person => &mut self.person_reader,
            RatedPlayer::OneOfTwo { engines, index } => {
                let earlier = self.pair.take().filter(|pair| pair.engines == engines);
                let new = || PairReader { engines, readers: Default::default() };
                &mut self.pair.insert(earlier.unwrap_or_else(new)).readers[index]
            }
        }
    }
}
