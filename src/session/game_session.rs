//! A game that people play or watch in this program, and the two threads that work on it.
//!
//! # Who owns what
//!
//! - The [`GameSession`] owns the [`GameState`] behind a mutex: moves, clocks, names, offers and rating estimates. All
//!   code reads it with [`GameSession::look`] and modifies it with [`GameSession::change`].
//! - The player thread owns the engines that play: an [`Opponent`] for each side that is not played by a person, and an
//!   [`Adviser`] for hints and draw offers. They stay loaded from game to game.
//! - The rating thread owns a [`StrengthReader`] for each player whose moves it reads. These have engines of their own,
//!   so a rating estimate never delays a move.
//!
//! # The path of a move
//!
//! 1. A front end calls [`GameSession::change`] with, for example, [`GameState::play`]. The move is on the board when
//!    the call returns.
//! 2. `change` increments the version of the state, stops work that the change has made obsolete, and wakes all waiting
//!    threads.
//! 3. The player thread takes its next task from the state, searches without holding the lock, and stores the engine's
//!    move with another `change`. The rating thread does the same with the rating estimate. Both discard a result that
//!    no longer fits the state.
//! 4. Front ends that wait in [`GameSession::wait`] see the new version and show it.
//!
//! # Without threads
//!
//! WebAssembly has no threads. There, [`GameSession::open_without_threads`] returns the work of both threads as a
//! [`SessionWork`], and the front end calls [`SessionWork::play`] and [`SessionWork::read`] repeatedly.
//!
//! # Stopping
//!
//! Each thread publishes the [`Controls`] of its current task in the session. They are the only way to stop a task.
//! Where two locks are needed, the state is locked before the controls.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::Builder;
use std::time::Duration;

use super::adviser::Adviser;
use super::casual_game::{Over, SidePlayer};
use super::game_state::{GameSetup, GameState};
use super::opponent::{Opponent, OpponentTurn};
use super::position_evaluator::PositionEvaluator;
use super::rating_point::RatingPoint;
use super::strength_reader::StrengthReader;
use super::tasks::{PlayerTask, RatedPlayer, RatingTask};
use crate::arena::ContestantSpec;
use crate::board::{Colour, Game, colour_index};
use crate::clock::Instant;
use crate::player::{Sources, Tablebases};
use crate::search::Controls;
use crate::threads::STACK;

/// A game, shared by the front end and the two threads that work on it.
#[derive(Debug)]
pub struct GameSession {
    state: Mutex<GameState>,
    /// Notified after every change of the state.
    changed: Condvar,
    /// The controls of the player thread's current task.
    player_controls: Mutex<Controls>,
    /// The controls of the rating thread's current task.
    rating_controls: Mutex<Controls>,
    /// Evaluates positions for the front end, in the front end's own threads.
    pub evaluator: PositionEvaluator,
}

/// The time that an idle thread sleeps if no clock is running. A change of the state wakes it earlier.
const IDLE_WAIT: Duration = Duration::from_secs(3600);

impl GameSession {
    /// Starts a game and its two threads, which end when the session is closed. The engines that play look for
    /// tablebases in `sources`.
    pub fn open(setup: GameSetup, sources: Sources) -> std::io::Result<Arc<GameSession>> {
        let (session, SessionWork { mut player, .. }) =
            GameSession::open_without_threads(setup, sources);
        session.spawn(move || player.work(), GameState::stop_playing)?;
        // The rating thread loads its own engines, so that the player thread does not wait for
        // them.
        let rated = Arc::clone(&session);
        session.spawn(move || RatingWork::new(rated).work(), GameState::stop_rating)?;
        Ok(session)
    }

    /// Starts a game without threads. The caller does the threads' work with the [`SessionWork`].
    pub fn open_without_threads(
        setup: GameSetup,
        sources: Sources,
    ) -> (Arc<GameSession>, SessionWork) {
        let session = Arc::new(GameSession {
            state: Mutex::new(GameState::new(setup)),
            changed: Condvar::new(),
            player_controls: Mutex::default(),
            rating_controls: Mutex::default(),
            evaluator: PositionEvaluator::default(),
        });
        let player = PlayerWork::new(Arc::clone(&session), sources);
        (Arc::clone(&session), SessionWork { session, player, rating: None })
    }

    /// Runs `work` on a new thread. If it panics, `fail` changes the state.
    fn spawn(
        self: &Arc<Self>,
        work: impl FnOnce() + Send + 'static,
        fail: impl FnOnce(&mut GameState) + Send + 'static,
    ) -> std::io::Result<()> {
        let session = Arc::clone(self);
        let spawned = Builder::new().stack_size(STACK).spawn(move || {
            if catch_unwind(AssertUnwindSafe(work)).is_err() {
                session.change(fail);
            }
        });
        spawned.map(drop).inspect_err(|_| self.close())
    }

    fn lock(&self) -> MutexGuard<'_, GameState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Reads the state. The state is locked while `look` runs.
    pub fn look<T>(&self, look: impl FnOnce(&GameState) -> T) -> T {
        look(&self.lock())
    }

    /// Modifies the state, stops work that the change makes obsolete, and wakes all waiting threads.
    ///
    /// A new turn makes the work of the player thread obsolete. The rating thread can continue after a move, but not
    /// after a takeback or in a new game. The evaluation of a person's choices in advance ends with the turn.
    pub fn change<T>(&self, change: impl FnOnce(&mut GameState) -> T) -> T {
        let mut state = self.lock();
        let (turn, line) = (state.turn, state.line);
        let result = change(&mut state);
        state.version += 1;
        self.stop_obsolete(&state, turn, line);
        drop(state);
        self.changed.notify_all();
        result
    }

    /// Stops the work that has become obsolete since this turn and line.
    fn stop_obsolete(&self, state: &GameState, turn: u64, line: u64) {
        if state.turn != turn || state.closed {
            stop(&self.player_controls);
        }
        if state.line != line || state.is_evaluating_ahead && state.turn != turn || state.closed {
            stop(&self.rating_controls);
        }
    }

    /// Ends both threads, all waits and the evaluation for the front end.
    pub fn close(&self) {
        self.change(|state| state.closed = true);
        self.evaluator.new_request().stop();
    }

    /// Waits until the version of the state differs from `seen`, but no longer than `timeout`. Returns the result of
    /// `look` on the new version, or `None` if there is none.
    pub fn wait<T>(
        &self,
        seen: u64,
        timeout: Duration,
        look: impl FnOnce(&GameState) -> T,
    ) -> Option<T> {
        let is_unchanged = |state: &mut GameState| state.version == seen && !state.closed;
        let waited = self.changed.wait_timeout_while(self.lock(), timeout, is_unchanged);
        let (state, _) = waited.unwrap_or_else(PoisonError::into_inner);
        (state.version != seen).then(|| look(&state))
    }

    /// Waits for a thread's next task. Returns it with its new controls and the turn that it belongs to, or `None` when
    /// the session is closed.
    ///
    /// A thread that waits here also watches the clock, and ends the game when a flag falls.
    fn next<T>(
        &self,
        slot: &Mutex<Controls>,
        task: impl Fn(&mut GameState) -> Option<T>,
    ) -> Option<(T, Controls, u64)> {
        let mut state = self.lock();
        loop {
            if state.closed {
                return None;
            }
            if let Some(next) = self.take(&mut state, slot, &task) {
                return Some(next);
            }
            let timeout = state.allowance().unwrap_or(IDLE_WAIT);
            let waited = self.changed.wait_timeout(state, timeout);
            (state, _) = waited.unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Ends the game if a flag has fallen. Then takes a task, if there is one.
    fn take<T>(
        &self,
        state: &mut GameState,
        slot: &Mutex<Controls>,
        task: impl Fn(&mut GameState) -> Option<T>,
    ) -> Option<(T, Controls, u64)> {
        if state.allowance().is_some_and(|left| left.is_zero()) {
            let (turn, line) = (state.turn, state.line);
            state.end(Over::OutOfTime(state.casual.game.position().turn()));
            state.version += 1;
            self.stop_obsolete(state, turn, line);
            self.changed.notify_all();
        }
        let task = task(state)?;
        // The state is still locked, so the next change finds these controls and can stop the task.
        let controls = Controls::new();
        *slot.lock().unwrap_or_else(PoisonError::into_inner) = controls.clone();
        Some((task, controls, state.turn))
    }
}

fn stop(controls: &Mutex<Controls>) {
    controls.lock().unwrap_or_else(PoisonError::into_inner).stop();
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
    pub fn read(&mut self) -> bool {
        let GameSession { rating_controls, .. } = &*self.session;
        let task =
            self.session.take(&mut self.session.lock(), rating_controls, GameState::rating_task);
        let Some((task, controls, _)) = task else { return false };
        let rating = || RatingWork::new(Arc::clone(&self.session));
        self.rating.get_or_insert_with(rating).run(task, &controls);
        true
    }
}

/// The work of the player thread: it sets up engines, makes their moves, answers draw offers and gives hints.
#[derive(Debug)]
struct PlayerWork {
    session: Arc<GameSession>,
    adviser: Adviser,
    /// The engines that play White and Black. `None` for a person.
    opponents: [Option<Opponent>; 2],
    sources: Sources,
    /// The answer of the engine whose turn it is, until it is due.
    planned: Option<PlannedMove>,
}

/// An engine's answer.
#[derive(Debug)]
struct PlannedMove {
    mover: Colour,
    turn: u64,
    answer: Result<OpponentTurn, String>,
    /// The time at which a person would move, if the engine imitates human thinking times.
    due: Option<Instant>,
}

impl PlannedMove {
    /// Whether the wait is over, because the move can be made or is obsolete.
    fn is_due(&self, session: &GameSession) -> bool {
        self.due.is_none_or(|due| due <= Instant::now())
            || session.look(|state| state.turn != self.turn)
    }
}

impl PlayerWork {
    fn new(session: Arc<GameSession>, sources: Sources) -> PlayerWork {
        PlayerWork {
            session,
            adviser: Adviser::default(),
            opponents: [None, None],
            sources,
            planned: None,
        }
    }

    fn work(&mut self) {
        while let Some((task, controls, turn)) =
            self.session.next(&self.session.player_controls, GameState::player_task)
        {
            self.run(task, &controls, turn);
            self.pause();
            self.make_planned_move();
        }
    }

    fn run(&mut self, task: PlayerTask, controls: &Controls, turn: u64) {
        match task {
            PlayerTask::SetUp(specs) => self.set_up(*specs, controls),
            PlayerTask::ChangeOpponent(spec) => self.change_opponent(*spec, controls),
            PlayerTask::Move => self.plan_move(controls, turn),
            PlayerTask::AnswerOffer(game) => self.answer_offer(&game, controls, turn),
            PlayerTask::Advise(game) => self.advise(&game, controls, turn),
        }
    }

    fn set_up(&mut self, specs: [Option<ContestantSpec>; 2], controls: &Controls) {
        let outcome = self.try_set_up(specs.clone(), controls);
        self.show_players(outcome, controls, |state| {
            state.pending_players.get_or_insert(specs);
        });
    }

    /// Changes the strength of the only engine in the game.
    fn change_opponent(&mut self, spec: ContestantSpec, controls: &Controls) {
        let opponent = self.opponents.iter_mut().flatten().next();
        let outcome = opponent.map_or(Ok(()), |opponent| opponent.change(spec.clone(), controls));
        self.show_players(outcome, controls, |state| {
            state.pending_opponent.get_or_insert(spec);
        });
    }

    /// Shows the players, or why one of them cannot play. If the set-up was stopped, `retry` schedules it again.
    fn show_players(
        &mut self,
        outcome: anyhow::Result<()>,
        controls: &Controls,
        retry: impl FnOnce(&mut GameState),
    ) {
        let players = self.opponents.each_ref().map(|opponent| match opponent {
            Some(opponent) => opponent.side_player(),
            None => SidePlayer::default(),
        });
        self.session.change(|state| {
            if outcome.is_err() && controls.is_stopped() {
                retry(state);
            } else if !state.has_pending_players() {
                state.players = players;
                match outcome {
                    Ok(()) => (state.engines_ready, state.problem) = (true, None),
                    Err(error) => state.fail(format!("{error:#}")),
                }
            }
        });
    }

    /// Sets up the engines of a new game. Reuses loaded engines, because they keep their tablebases.
    fn try_set_up(
        &mut self,
        specs: [Option<ContestantSpec>; 2],
        controls: &Controls,
    ) -> anyhow::Result<()> {
        let meets_person = specs.iter().any(Option::is_none);
        let mut free: Vec<Opponent> = self.opponents.iter_mut().filter_map(Option::take).collect();
        for (opponent, spec) in self.opponents.iter_mut().zip(specs) {
            let Some(spec) = spec else { continue };
            let ready = match free.pop() {
                Some(mut loaded) => loaded.change_for_next_game(spec).map(|()| loaded),
                None => Opponent::new(spec, Tablebases::new(self.sources.clone())),
            };
            let opponent = opponent.insert(ready?);
            let started = opponent.start_game(meets_person, controls);
            started.map_err(|fault| anyhow::Error::msg(opponent.describe(&fault)))?;
        }
        Ok(())
    }

    /// Finds the move of the engine whose turn it is.
    fn plan_move(&mut self, controls: &Controls, turn: u64) {
        let (casual, clocks, started, paced, declined) = self.session.look(|state| {
            (state.casual.clone(), state.clocks.both(), state.since, state.paced, state.declined_at)
        });
        let mover = casual.game.position().turn();
        let Some(opponent) = &mut self.opponents[colour_index(mover)] else { return };
        declined.into_iter().for_each(|plies| opponent.decline(plies));
        let answer = opponent.answer(&casual, clocks, paced, controls);
        let answer = answer.map_err(|fault| opponent.describe(&fault));
        let due = match &answer {
            Ok(OpponentTurn::Plays(choice) | OpponentTurn::Offers(choice)) if paced => {
                Some(started + opponent.pace(&casual.game, choice, clocks))
            }
            _ => None,
        };
        self.planned = Some(PlannedMove { mover, turn, answer, due });
    }

    /// Makes the planned move, if there is one.
    fn make_planned_move(&mut self) {
        let Some(PlannedMove { mover, turn, answer, .. }) = self.planned.take() else { return };
        self.session.change(|state| {
            if state.turn != turn {
                return;
            }
            match answer {
                Ok(OpponentTurn::Plays(choice)) => state.answered(choice, false),
                // The draw rule counts both engines' evaluations, so the other engine accepts.
                Ok(OpponentTurn::Offers(_)) if state.casual.is_watched() => state.end(Over::Agreed),
                Ok(OpponentTurn::Offers(choice)) => state.answered(choice, true),
                Ok(OpponentTurn::Resigns) => state.end(Over::Resigned(mover)),
                Err(problem) => state.fail(problem),
            }
        });
    }

    /// Waits until the planned move is due, or until the turn ends.
    fn pause(&self) {
        let Some(PlannedMove { due: Some(due), turn, .. }) = self.planned else { return };
        let timeout = due.saturating_duration_since(Instant::now());
        let is_same_turn = |state: &mut GameState| state.turn == turn && !state.closed;
        drop(self.session.changed.wait_timeout_while(self.session.lock(), timeout, is_same_turn));
    }

    fn answer_offer(&mut self, game: &Game, controls: &Controls, turn: u64) {
        let accepts = self.adviser.accepts_draw(game, controls);
        self.session.change(|state| {
            if state.turn != turn {
                return;
            }
            state.draw_asked = false;
            match accepts {
                true => state.end(Over::Agreed),
                false => {
                    let opponent = &state.players[colour_index(!state.casual.human)].name;
                    state.notice = format!("{opponent} declines the draw.");
                }
            }
        });
    }

    fn advise(&mut self, game: &Game, controls: &Controls, turn: u64) {
        let (best, value) = self.adviser.advice(game, controls);
        self.session.change(|state| {
            if state.turn == turn {
                (state.hint_asked, state.hint) = (false, best.map(|mv| (mv, value)));
            }
        });
    }
}

/// The work of the rating thread: it estimates ratings from the moves of people, or of both engines in a game without
/// people.
#[derive(Debug)]
struct RatingWork {
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
    fn new(session: Arc<GameSession>) -> RatingWork {
        RatingWork { session, person_reader: StrengthReader::default(), pair: None }
    }

    fn work(&mut self) {
        while let Some((task, controls, _)) =
            self.session.next(&self.session.rating_controls, GameState::rating_task)
        {
            self.run(task, &controls);
        }
    }

    fn run(&mut self, task: RatingTask, controls: &Controls) {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arena::PlayerClock;
    use crate::player::{Elo, EloScale, PlayerSpec, TargetRating};
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
        while work.read() {}
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
        let (session, mut work) =
            GameSession::open_without_threads(alone(MOVES), Sources::default());
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
    fn a_fallen_flag_stops_the_evaluation_in_advance() {
        let mut setup = game([None, Some(engine(1500.0, 1))], Colour::White, "e2e4 e7e5");
        setup.clocks = [PlayerClock::new(Some("10".parse().expect("a time control"))); 2];
        let (session, _) = GameSession::open_without_threads(setup, Sources::default());
        let mut state = session.lock();
        state.is_evaluating_ahead = true;
        state.since = state.since.checked_sub(Duration::from_secs(11)).expect("a past time");
        session.take(&mut state, &session.player_controls, GameState::player_task);
        assert!(session.rating_controls.lock().expect("nothing has panicked").is_stopped());
    }
}
