//! Starts the two threads of a game session, or hands out their work to a program without threads.

use std::sync::Arc;

use super::game_session::GameSession;
use super::game_state::{GameSetup, GameState};
use super::player_work::PlayerWork;
use super::rating_work::RatingWork;
use crate::player::Sources;

/// Starts a game and its two threads, which end when the session is closed. The engines that play look for tablebases
/// in `sources`.
pub fn open_game(setup: GameSetup, sources: Sources) -> std::io::Result<Arc<GameSession>> {
    let (session, SessionWork { mut player, .. }) = SessionWork::open(setup, sources);
    session.spawn(move || player.work(), GameState::stop_playing)?;
    // The rating thread loads its own engines, so that the player thread does not wait for them.
    let rated = Arc::clone(&session);
    session.spawn(move || RatingWork::new(rated).work(), GameState::stop_rating)?;
    Ok(session)
}

/// The work of both threads of a session, for a program without threads.
#[derive(Debug)]
pub struct SessionWork {
    session: Arc<GameSession>,
    player: PlayerWork,
    /// `None` until there are moves to rate.
    rating: Option<RatingWork>,
}

impl SessionWork {
    /// Starts a game without threads. The caller does their work.
    pub fn open(setup: GameSetup, sources: Sources) -> (Arc<GameSession>, SessionWork) {
        let session = GameSession::new(GameState::new(setup));
        let player = PlayerWork::new(Arc::clone(&session), sources);
        (Arc::clone(&session), SessionWork { session, player, rating: None })
    }

    /// Does the next task of the player thread. Returns whether there was one.
    pub fn play(&mut self) -> bool {
        if let Some(planned) = &self.player.planned {
            let is_due = planned.is_due(&self.session);
            if is_due {
                self.player.make_planned_move();
            }
            return is_due;
        }
        let GameSession { player_controls, .. } = &*self.session;
        let task =
            self.session.take(&mut self.session.lock(), player_controls, GameState::player_task);
        match task {
            Some((task, controls, turn)) => self.player.run(task, &controls, turn),
            None => return false,
        }
        true
    }

    /// Does the next task of the rating thread. Returns whether there was one.
    pub fn estimate(&mut self) -> bool {
        let GameSession { rating_controls, .. } = &*self.session;
        let task =
            self.session.take(&mut self.session.lock(), rating_controls, GameState::rating_task);
        let Some((task, controls, _)) = task else { return false };
        let rating = || RatingWork::new(Arc::clone(&self.session));
        self.rating.get_or_insert_with(rating).run(task, &controls);
        true
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::arena::{ContestantSpec, PlayerClock};
    use crate::board::{Colour, Game};
    use crate::player::{Elo, EloScale, PlayerSpec, Roster, TargetRating};
    use crate::search::Controls;
    use crate::session::{CasualGame, OpponentSpec};

    fn engine(elo: f64, seed: u64) -> ContestantSpec {
        let player = PlayerSpec::rated(TargetRating::new(Elo(elo), None, EloScale::Fide));
        let spec = OpponentSpec { player, seed: None, engine: Vec::new() };
        spec.make(seed).expect("a level")
    }

    /// Returns a game between these engines or people after these moves.
    fn game(specs: [Option<ContestantSpec>; 2], human: Colour, moves: &str) -> GameSetup {
        let mut casual = CasualGame::new(Game::default().position().clone(), human);
        casual.people = specs.each_ref().map(Option::is_none);
        let game = Game::from_uci(None, moves.split_whitespace(), false).expect("legal");
        game.moves().iter().for_each(|&mv| casual.play(mv, None));
        GameSetup { casual, specs, clocks: [PlayerClock::new(None); 2], paced: false }
    }

    /// Returns how many moves count for the ratings of White and Black. `None` for a side that is not rated.
    fn evidence(session: &GameSession, work: &mut SessionWork) -> [Option<usize>; 2] {
        while work.estimate() {}
        session.look(|state| {
            state.ratings.each_ref().map(|points| Some(points.last()?.estimate.evidence))
        })
    }

    #[test]
    fn ratings_carry_over_only_to_games_of_the_same_players() {
        const MOVES: &str = "e2e4 e7e5 g1f3 b8c6 f1b5";
        let alone = |moves| game([None, Some(engine(1500.0, 1))], Colour::White, moves);
        let watched =
            |seed| game([Some(engine(1500.0, seed)), Some(engine(900.0, seed))], Colour::White, "");
        let (session, mut work) = SessionWork::open(alone(MOVES), Sources::default());
        let mut next = |setup: GameSetup| {
            session.change(|state| state.start_new_game(setup));
            evidence(&session, &mut work)
        };
        assert_eq!(next(alone(MOVES)), [Some(3), None]);
        let people = |human, moves| game([None, None], human, moves);
        assert_eq!(
            next(people(Colour::White, MOVES)),
            [Some(3), Some(2)],
            "the person's own games"
        );
        // In a rematch, the players swap colours.
        assert_eq!(next(people(Colour::Black, "")), [Some(2), Some(3)]);
        assert_eq!(next(watched(1)), [Some(0), Some(0)], "moves of the two people");
        let moved = game([Some(engine(1500.0, 2)), Some(engine(900.0, 2))], Colour::White, MOVES);
        assert_eq!(next(moved), [Some(3), Some(2)]);
        assert_eq!(next(watched(3)), [Some(3), Some(2)], "a rematch");
        let others = game([Some(engine(2000.0, 4)), Some(engine(900.0, 4))], Colour::White, "");
        assert_eq!(next(others), [Some(0), Some(0)], "moves of other engines");
        assert_eq!(next(alone("")), [Some(3), None], "the person's own games");
    }

    #[test]
    fn an_imitator_remembers_the_person_after_games_of_others() {
        let imitator = || {
            let spec = ContestantSpec::parse("self imitator=0", &Roster::default());
            Some(spec.expect("a player"))
        };
        let setup = game([None, imitator()], Colour::White, "");
        let (_session, mut work) = SessionWork::open(setup, Sources::default());
        let controls = Controls::new();
        for specs in [
            [None, imitator()],
            [None, None],
            [Some(engine(1500.0, 1)), Some(engine(900.0, 1))],
            [imitator(), None],
        ] {
            work.player.try_set_up(specs, &controls).expect("players");
        }
        assert!(work.player.person.is_some());
        assert_eq!(work.player.spare.len(), 1, "the engines stay loaded");
    }

    #[test]
    fn a_fallen_flag_stops_the_evaluation_in_advance() {
        let mut setup = game([None, Some(engine(1500.0, 1))], Colour::White, "e2e4 e7e5");
        setup.clocks = [PlayerClock::new(Some("10".parse().expect("a time control"))); 2];
        let (session, _) = SessionWork::open(setup, Sources::default());
        let mut state = session.lock();
        state.is_evaluating_ahead = true;
        state.turn_started =
            state.turn_started.checked_sub(Duration::from_secs(11)).expect("a past time");
        session.take(&mut state, &session.player_controls, GameState::player_task);
        assert!(session.rating_controls.lock().expect("nothing has panicked").is_stopped());
    }
}
