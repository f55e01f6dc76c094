//! A game that people play or watch: its state, whoever follows it, and two threads.
//!
//! The player thread has the engines for good and moves for them. The reader thread reads the strength
//! of those who play, so that neither waits for the other. Commands change the state at once; whatever
//! they make needless is stopped.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::Builder;
use std::time::{Duration, Instant};

use super::adviser::Adviser;
use super::casual_game::{Over, SidePlayer};
use super::game_state::{GameSetup, GameState, PlayerTask, RatingPoint, ReaderTask};
use super::opponent::{Opponent, OpponentTurn};
use super::strength_reader::{StrengthReader, Thoroughness};
use crate::arena::ContestantSpec;
use crate::board::{Colour, Game, place_of};
use crate::player::{Sources, Tablebases};
use crate::search::Controls;
use crate::threads::STACK;

#[derive(Debug)]
pub struct GameSession {
    state: Mutex<GameState>,
    changed: Condvar,
    /// Of what the two threads do now.
    player: Mutex<Controls>,
    reader: Mutex<Controls>,
}

/// The interval of a rating holds so much of what is believed.
const HELD: f64 = 0.9;

/// With nothing to do and no clock a thread sleeps so long.
const LONG: Duration = Duration::from_secs(3600);

const MISTAKE: &str = "the program has made a mistake; please report the game";

impl GameSession {
    /// Starts a game, with threads that end when the session is closed. The engines use these tablebases.
    pub fn open(setup: GameSetup, sources: Sources) -> std::io::Result<Arc<GameSession>> {
        let session = Arc::new(GameSession {
            state: Mutex::new(GameState::new(setup)),
            changed: Condvar::new(),
            player: Mutex::default(),
            reader: Mutex::default(),
        });
        session.spawn(move |session| PlayerThread::new(session, sources).work())?;
        session.spawn(|session| ReaderThread::new(session).work())?;
        Ok(session)
    }

    fn spawn(
        self: &Arc<Self>,
        work: impl FnOnce(&GameSession) + Send + 'static,
    ) -> std::io::Result<()> {
        let session = Arc::clone(self);
        let spawned = Builder::new().stack_size(STACK).spawn(move || {
            if catch_unwind(AssertUnwindSafe(|| work(&session))).is_err() {
                session.change(|state| state.trouble = Some(MISTAKE.to_owned()));
            }
        });
        spawned.map(drop).inspect_err(|_| self.close())
    }

    fn lock(&self) -> MutexGuard<'_, GameState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Looks at the state.
    pub fn look<T>(&self, look: impl FnOnce(&GameState) -> T) -> T {
        look(&self.lock())
    }

    /// Changes the state, stops what that makes needless, and tells all followers.
    pub fn change<T>(&self, change: impl FnOnce(&mut GameState) -> T) -> T {
        let mut state = self.lock();
        let (turn, line) = (state.turn, state.line);
        let result = change(&mut state);
        state.version += 1;
        if state.turn != turn || state.closed {
            stop(&self.player);
        }
        if state.line != line || state.is_foreseeing && state.turn != turn || state.closed {
            stop(&self.reader);
        }
        drop(state);
        self.changed.notify_all();
        result
    }

    pub fn close(&self) {
        self.change(|state| state.closed = true);
    }

    /// Waits for a version later than this, or so long. What it then looks like, if it is another.
    pub fn wait<T>(
        &self,
        seen: u64,
        long: Duration,
        look: impl FnOnce(&GameState) -> T,
    ) -> Option<T> {
        let is_seen = |state: &mut GameState| state.version == seen && !state.closed;
        let waited = self.changed.wait_timeout_while(self.lock(), long, is_seen);
        let (state, _) = waited.unwrap_or_else(PoisonError::into_inner);
        (state.version != seen).then(|| look(&state))
    }

    /// The next task of a thread, with new controls in their place, and the turn that it belongs to.
    /// `None` when the session is closed.
    fn next<T>(
        &self,
        place: &Mutex<Controls>,
        task: impl Fn(&mut GameState) -> Option<T>,
    ) -> Option<(T, Controls, u64)> {
        let mut state = self.lock();
        loop {
            if state.closed {
                return None;
            }
            if state.allowance().is_some_and(|left| left.is_zero()) {
                let mover = state.table.game.position().turn();
                state.end(Over::OutOfTime(mover));
                state.version += 1;
                stop(&self.player);
                self.changed.notify_all();
            }
            if let Some(task) = task(&mut state) {
                // Under the lock of the state: a change that comes later finds these controls.
                let controls = Controls::new();
                *place.lock().unwrap_or_else(PoisonError::into_inner) = controls.clone();
                return Some((task, controls, state.turn));
            }
            let long = state.allowance().unwrap_or(LONG);
            let waited = self.changed.wait_timeout(state, long);
            (state, _) = waited.unwrap_or_else(PoisonError::into_inner);
        }
    }
}

fn stop(controls: &Mutex<Controls>) {
    controls.lock().unwrap_or_else(PoisonError::into_inner).stop();
}

/// Moves for the engines.
struct PlayerThread<'a> {
    session: &'a GameSession,
    adviser: Adviser,
    /// White's and Black's player, where they are not people.
    opponents: [Option<Opponent>; 2],
    sources: Sources,
}

impl PlayerThread<'_> {
    fn new(session: &GameSession, sources: Sources) -> PlayerThread<'_> {
        PlayerThread { session, adviser: Adviser::default(), opponents: [None, None], sources }
    }

    fn work(&mut self) {
        while let Some((task, controls, turn)) =
            self.session.next(&self.session.player, GameState::player_task)
        {
            match task {
                PlayerTask::Seat(specs) => self.seat(*specs, &controls),
                PlayerTask::Change(spec) => self.change_opponent(*spec, &controls),
                PlayerTask::Move => self.play(&controls, turn),
                PlayerTask::AnswerOffer(game) => self.answer_offer(&game, &controls, turn),
            }
        }
    }

    fn seat(&mut self, specs: [Option<ContestantSpec>; 2], controls: &Controls) {
        let seated = self.try_seat(specs.clone(), controls);
        self.show_seats(seated, controls, |state| {
            state.newcomers.get_or_insert(specs);
        });
    }

    /// The only engine plays on as somebody else.
    fn change_opponent(&mut self, spec: ContestantSpec, controls: &Controls) {
        let opponent = self.opponents.iter_mut().flatten().next();
        let changed = opponent.map_or(Ok(()), |opponent| opponent.change(spec.clone(), controls));
        self.show_seats(changed, controls, |state| {
            state.replacement.get_or_insert(spec);
        });
    }

    /// Shows who plays now, or why somebody cannot. What was interrupted is to be done `again`.
    fn show_seats(
        &mut self,
        seated: anyhow::Result<()>,
        controls: &Controls,
        again: impl FnOnce(&mut GameState),
    ) {
        let seats = self.opponents.each_ref().map(|opponent| match opponent {
            Some(opponent) => opponent.seat(),
            None => SidePlayer::default(),
        });
        self.session.change(|state| {
            if seated.is_err() && controls.is_stopped() {
                again(state);
            } else if !state.has_newcomers() {
                state.trouble = seated.err().map(|error| format!("{error:#}"));
                state.seats = seats;
                state.seated = true;
            }
        });
    }

    /// An engine that is here goes on as one of the newcomers, with the tablebases that it has.
    fn try_seat(
        &mut self,
        specs: [Option<ContestantSpec>; 2],
        controls: &Controls,
    ) -> anyhow::Result<()> {
        let mut free: Vec<Opponent> = self.opponents.iter_mut().filter_map(Option::take).collect();
        for (opponent, spec) in self.opponents.iter_mut().zip(specs) {
            let Some(spec) = spec else { continue };
            let seated = match free.pop() {
                Some(mut known) => known.become_another(spec).map(|()| known),
                None => Opponent::new(spec, Tablebases::new(self.sources.clone())),
            };
            opponent.insert(seated?).begin(controls)?;
        }
        Ok(())
    }

    fn play(&mut self, controls: &Controls, turn: u64) {
        let (table, clocks, started, paced, declined) = self.session.look(|state| {
            (state.table.clone(), state.clocks, state.since, state.paced, state.declined_at)
        });
        let mover = table.game.position().turn();
        let Some(opponent) = &mut self.opponents[place_of(mover)] else { return };
        declined.into_iter().for_each(|plies| opponent.decline(plies));
        let answer = opponent.answer(&table, clocks, controls);
        if let (true, Ok(OpponentTurn::Plays(choice) | OpponentTurn::Offers(choice))) =
            (paced, &answer)
        {
            let due = started + opponent.pace(&table.game, choice, clocks);
            self.pause(due, turn);
        }
        self.session.change(|state| {
            if state.turn != turn {
                return;
            }
            match answer {
                Ok(OpponentTurn::Plays(choice)) => state.answered(choice, false),
                // An engine takes what another offers: it has the same values.
                Ok(OpponentTurn::Offers(_)) if state.table.is_watched() => state.end(Over::Agreed),
                Ok(OpponentTurn::Offers(choice)) => state.answered(choice, true),
                Ok(OpponentTurn::Resigns) => state.end(Over::Resigned(mover)),
                Err(fault) => state.trouble = Some(fault.to_string()),
            }
        });
    }

    /// Waits as a person would who thinks, unless the turn is over before.
    fn pause(&self, due: Instant, turn: u64) {
        let long = due.saturating_duration_since(Instant::now());
        let goes_on = |state: &mut GameState| state.turn == turn && !state.closed;
        drop(self.session.changed.wait_timeout_while(self.session.lock(), long, goes_on));
    }

    fn answer_offer(&mut self, game: &Game, controls: &Controls, turn: u64) {
        let is_taken = self.adviser.takes_draw(game, controls);
        self.session.change(|state| {
            if state.turn != turn {
                return;
            }
            state.draw_asked = false;
            match is_taken {
                true => state.end(Over::Agreed),
                false => {
                    let opponent = &state.seats[place_of(!state.table.human)].name;
                    state.notice = format!("{opponent} plays on.");
                }
            }
        });
    }
}

/// Reads the strength of those who play.
struct ReaderThread<'a> {
    session: &'a GameSession,
    /// Of the side of the person, and of the other side if its moves are read too.
    own: StrengthReader,
    other: Option<StrengthReader>,
}

impl ReaderThread<'_> {
    fn new(session: &GameSession) -> ReaderThread<'_> {
        ReaderThread { session, own: StrengthReader::default(), other: None }
    }

    fn work(&mut self) {
        while let Some((task, controls, _)) =
            self.session.next(&self.session.reader, GameState::reader_task)
        {
            match task {
                ReaderTask::Read(side, game, thoroughness) => {
                    self.read(side, &game, thoroughness, &controls);
                }
                ReaderTask::Foresee(game) => {
                    self.reader(game.position().turn()).foresee(&game, &controls);
                }
            }
        }
    }

    fn reader(&mut self, side: Colour) -> &mut StrengthReader {
        match self.session.look(|state| state.table.human == side) {
            true => &mut self.own,
            false => self.other.get_or_insert_default(),
        }
    }

    fn read(&mut self, side: Colour, game: &Game, depth: Thoroughness, controls: &Controls) {
        let estimate = self.reader(side).read(game, side, depth, controls);
        let point = RatingPoint {
            ply: game.ply(),
            rating: estimate.posterior.median(),
            interval: estimate.interval(HELD),
            informative: estimate.informative,
            thoroughness: depth,
        };
        self.session.change(|state| {
            // Moves may have been taken back meanwhile.
            if !controls.is_stopped() {
                state.take_rating(side, point);
            }
        });
    }
}
