//! A tab of the browser: a table, whoever watches it, and a thread that moves for those who are no people
//! and reads the moves of those who are, while nobody has to wait for it.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::Builder;
use std::time::{Duration, Instant};

use super::Host;
use super::setup::Prepared;
use super::state::{RatingPoint, Task, WebState};
use crate::arena::ContestantSpec;
use crate::board::{Colour, Game, place_of};
use crate::player::{Sources, TableFolder, Tablebases};
use crate::search::Controls;
use crate::sparring::{Adviser, Opponent, OpponentTurn, Over, SidePlayer};
use crate::threads::STACK;

#[derive(Debug)]
pub struct WebSession {
    state: Mutex<WebState>,
    changed: Condvar,
    /// Of the search under way.
    search: Mutex<Controls>,
}

/// The interval of a rating holds so much of what is believed.
const HELD: f64 = 0.9;

impl WebSession {
    /// Sits down at a table, with a thread that ends when the session is closed.
    pub fn open(prepared: Prepared, host: &Host) -> std::io::Result<Arc<WebSession>> {
        let state = Mutex::new(WebState::new(prepared));
        let session =
            Arc::new(WebSession { state, changed: Condvar::new(), search: Mutex::default() });
        let (served, sources) = (Arc::clone(&session), sources(host));
        Builder::new().stack_size(STACK).spawn(move || {
            let work = || Attendant::new(&served, sources).work();
            if catch_unwind(AssertUnwindSafe(work)).is_err() {
                let mistake = "the program has made a mistake; please report the game";
                served.change(|state| state.trouble = Some(mistake.to_owned()));
            }
        })?;
        Ok(session)
    }

    fn lock(&self) -> MutexGuard<'_, WebState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Looks at the state.
    pub fn look<T>(&self, look: impl FnOnce(&WebState) -> T) -> T {
        look(&self.lock())
    }

    /// Changes the state and tells everybody.
    pub fn change<T>(&self, change: impl FnOnce(&mut WebState) -> T) -> T {
        let mut state = self.lock();
        let turn = state.turn;
        let result = change(&mut state);
        state.version += 1;
        if state.turn != turn || state.draw_asked || state.closed {
            self.search.lock().unwrap_or_else(PoisonError::into_inner).stop();
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
        look: impl FnOnce(&WebState) -> T,
    ) -> Option<T> {
        let is_seen = |state: &mut WebState| state.version == seen && !state.closed;
        let waited = self.changed.wait_timeout_while(self.lock(), long, is_seen);
        let (state, _) = waited.unwrap_or_else(PoisonError::into_inner);
        (state.version != seen).then(|| look(&state))
    }
}

/// The tables that the user has set. None are written unasked.
fn sources(host: &Host) -> Sources {
    let sources = host.config.table_sources();
    match sources.own {
        TableFolder::Cache => Sources { own: TableFolder::Memory, ..sources },
        _ => sources,
    }
}

/// Does what is to be done at a table.
struct Attendant<'a> {
    session: &'a WebSession,
    /// Of the human, and of another side whose moves are read too.
    adviser: Adviser,
    second: Option<Adviser>,
    /// White's and Black's player, where they are no people.
    opponents: [Option<Opponent>; 2],
    sources: Sources,
}

impl Attendant<'_> {
    fn new(session: &WebSession, sources: Sources) -> Attendant<'_> {
        let (adviser, opponents) = (Adviser::default(), [None, None]);
        Attendant { session, adviser, second: None, opponents, sources }
    }

    fn work(&mut self) {
        while let Some((task, turn)) = self.next() {
            match task {
                Task::Welcome(specs, game) => self.welcome(*specs, &game),
                Task::Answer => self.answer(turn),
                Task::AnswerOffer(game) => self.answer_offer(&game, turn),
                Task::Judge(side, game) => self.judge(side, &game, turn),
                Task::Foresee(game) => {
                    let controls = self.begin(turn);
                    self.adviser(game.position().turn()).watch(&game, &controls);
                }
            }
        }
    }

    /// What is to be done, and of which turn; `None` when the table is closed.
    fn next(&self) -> Option<(Task, u64)> {
        let mut state = self.session.lock();
        loop {
            if state.closed {
                return None;
            }
            if state.allowance().is_some_and(|left| left.is_zero()) {
                let mover = state.table.game.position().turn();
                state.end(Over::OutOfTime(mover));
                state.version += 1;
                self.session.changed.notify_all();
            }
            if let Some(task) = state.task() {
                return Some((task, state.turn));
            }
            let long = state.allowance().unwrap_or(Duration::from_secs(3600));
            let waited = self.session.changed.wait_timeout(state, long);
            (state, _) = waited.unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// The controls of work that is stopped when the turn is over.
    fn begin(&self, turn: u64) -> Controls {
        let state = self.session.lock();
        let controls = Controls::new();
        if state.turn != turn || state.draw_asked || state.closed {
            controls.stop();
        }
        let mut search = self.session.search.lock().unwrap_or_else(PoisonError::into_inner);
        *search = controls.clone();
        controls
    }

    /// Who reads the moves of this side.
    fn adviser(&mut self, side: Colour) -> &mut Adviser {
        match self.session.look(|state| state.table.human == side) {
            true => &mut self.adviser,
            false => self.second.get_or_insert_default(),
        }
    }

    fn welcome(&mut self, specs: [Option<ContestantSpec>; 2], game: &Game) {
        let seated = self.seat(specs, game);
        let seats = self.opponents.each_ref().map(|opponent| match opponent {
            Some(opponent) => opponent.seat(),
            None => SidePlayer::default(),
        });
        self.session.change(|state| {
            state.trouble = seated.err().map(|error| format!("{error:#}"));
            state.seats = seats;
        });
    }

    /// Who was here goes on as one of the newcomers, with the tables that are at hand.
    fn seat(&mut self, specs: [Option<ContestantSpec>; 2], game: &Game) -> anyhow::Result<()> {
        let mut free: Vec<Opponent> = self.opponents.iter_mut().filter_map(Option::take).collect();
        for (opponent, spec) in self.opponents.iter_mut().zip(specs) {
            let Some(spec) = spec else { continue };
            let seated = match free.pop() {
                Some(mut known) => known.become_another(spec, game).map(|()| known),
                None => Opponent::new(spec, Tablebases::new(self.sources.clone())),
            };
            opponent.insert(seated?).begin(game)?;
        }
        Ok(())
    }

    fn answer(&mut self, turn: u64) {
        let controls = self.begin(turn);
        let (table, clocks, started, paced, declined) = self.session.look(|state| {
            let paced = state.setup.paced;
            (state.table.clone(), state.clocks, state.since, paced, state.declined_at)
        });
        let mover = table.game.position().turn();
        let Some(opponent) = &mut self.opponents[place_of(mover)] else { return };
        declined.into_iter().for_each(|plies| opponent.decline(plies));
        let answer = opponent.answer(&table, clocks, &controls);
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
        let goes_on = |state: &mut WebState| state.turn == turn && !state.closed;
        drop(self.session.changed.wait_timeout_while(self.session.lock(), long, goes_on));
    }

    fn answer_offer(&mut self, game: &Game, turn: u64) {
        let is_taken = self.adviser.takes_draw(game);
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

    fn judge(&mut self, side: Colour, game: &Game, turn: u64) {
        let controls = self.begin(turn);
        let began = self.session.look(|state| state.began);
        let estimate = self.adviser(side).judge(game, side, &controls);
        if estimate.pending > 0 && controls.is_stopped() {
            return; // it is asked again
        }
        let belief = RatingPoint {
            ply: game.ply(),
            rating: estimate.posterior.median(),
            interval: estimate.interval(HELD),
            informative: estimate.informative,
        };
        self.session.change(|state| {
            // The moves may have been taken back meanwhile.
            if state.began == began && state.table.game.moves().starts_with(game.moves()) {
                let beliefs = &mut state.beliefs[place_of(side)];
                beliefs.retain(|known| known.ply < belief.ply);
                beliefs.push(belief);
            }
        });
    }
}
