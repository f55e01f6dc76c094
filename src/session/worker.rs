//! The thread that has the engine: it does one job after the other, and sends what comes of them.
//!
//! Starting an engine, bringing options into force, making tables, searching and watching the opponent
//! can take long, so no front end does any of that itself. Each job that can last has controls, which
//! end it at any time.

use std::panic::{self, AssertUnwindSafe};
use std::sync::mpsc::{self, Receiver, Sender};
use std::time::{Duration, Instant};
use std::{io, thread};

use super::count::count_by_move;
use super::engine_state::EngineState;
use super::external_engine::ExternalIdentity;
use super::player_source::PlayerSource;
use crate::board::{Game, Move, Position};
use crate::config::{self, Settings};
use crate::external::{Analyst, Wait};
use crate::player::pace::{Thought, thinking_time};
use crate::player::{Decision, Engine, MoveRequest, Player, own_time};
use crate::search::{BestMove, Controls, Limits, Observer, Report};

/// Deep lines need deep stacks: room for many times the deepest.
const STACK: usize = 64 << 20;

/// MiB for our own search where another engine fails us.
const SPARE_HASH: usize = 16;

/// After a bug another engine is waited for so long.
const PATIENCE_AFTER_BUG: Duration = Duration::from_secs(1);

/// A job of the worker.
#[derive(Debug)]
pub enum Job {
    /// Brings the settings into force. Waiting for another engine ends with the controls.
    Adopt(Box<Settings>, Controls),
    /// Counts the games from here: a seed was set.
    RestartSeries,
    /// Sets an option of another engine, or says that there is none of this name.
    SetOption {
        name: String,
        value: String,
    },
    ClearHash,
    NewGame,
    Search(Box<SearchJob>),
    /// Uses the opponent's time. Nothing is decided.
    Watch(Box<Game>, Controls),
    /// Counts the move sequences of a length.
    Count {
        position: Position,
        depth: u32,
        controls: Controls,
    },
    /// Keeps what was learnt, and ends.
    Finish,
}

/// A move is wanted.
#[derive(Debug)]
pub struct SearchJob {
    pub game: Game,
    pub limits: Limits,
    pub controls: Controls,
    /// The truth is wanted, at full strength.
    pub is_analysis: bool,
}

/// What a job tells.
#[derive(Debug)]
pub enum Event {
    /// A line of the running search.
    Report(Report),
    /// A line of another engine that searches for us.
    Said(String),
    /// Something that the user should know.
    Remark(String),
    /// Another engine evaluates the moves from now on, or ours.
    Engine(Option<ExternalIdentity>),
    /// The search is over.
    Decided(Box<FinishedSearch>),
    /// Nothing more is to be seen on the opponent's time.
    Watched,
    /// Counts by first move; `None` if stopped.
    Counted(Option<Vec<(Move, u64)>>),
    /// A job was lost to a bug of ours.
    Failed,
    /// A job is done, whatever it was.
    Done,
}

/// The result of a search.
#[derive(Debug)]
pub struct FinishedSearch {
    pub best: BestMove,
    /// How much later a person would have answered, counted from when the clock started.
    pub pause: Duration,
    /// What the engine has said of its best line is all that there is to show.
    pub is_shown: bool,
}

/// Starts the worker, which lives as long as somebody can send it jobs. Another engine, if there is one,
/// has been started.
pub fn start<E: From<Event> + Send + 'static>(
    settings: &Settings,
    external: Option<Analyst>,
    events: Sender<E>,
) -> io::Result<Sender<Job>> {
    let (sender, jobs) = mpsc::channel();
    let (players, settings) = (PlayerSource::new(), settings.clone());
    // The built-in network is read here, so that what comes first is not kept waiting for it.
    let state = EngineState::new(external, &settings);
    let worker = Worker { state, players, settings, events };
    let work = move || worker.work(&jobs);
    thread::Builder::new().name("worker".to_owned()).stack_size(STACK).spawn(work)?;
    Ok(sender)
}

struct Worker<E> {
    state: EngineState,
    players: PlayerSource,
    /// In force.
    settings: Settings,
    events: Sender<E>,
}

impl<E: From<Event>> Worker<E> {
    fn work(mut self, jobs: &Receiver<Job>) {
        for job in jobs {
            let is_last = matches!(job, Job::Finish);
            // A bug that panics costs the engine, not the game.
            if panic::catch_unwind(AssertUnwindSafe(|| self.run(job))).is_err() {
                self.state.renew();
                self.adopt(&Wait::new(&Controls::new(), Instant::now(), Some(PATIENCE_AFTER_BUG)));
                self.tell(Event::Failed);
            }
            self.tell(Event::Done);
            if is_last {
                return;
            }
        }
    }

    fn run(&mut self, job: Job) {
        match job {
            Job::Adopt(settings, controls) => {
                if let Some(external) = &mut self.state.external {
                    external.share_changes(&self.settings, &settings);
                }
                self.settings = *settings;
                self.adopt(&Wait::new(&controls, Instant::now(), None));
            }
            Job::RestartSeries => self.players.restart_series(),
            Job::SetOption { name, value } => self.set_option(&name, &value),
            Job::ClearHash => self.state.participant.host.engine.clear(),
            Job::NewGame => {
                self.state.participant.host.engine.clear();
                self.players.new_game();
                self.seat(&Game::default());
                self.release();
            }
            Job::Search(search) => self.search(&search),
            Job::Watch(game, controls) => {
                self.seat(&game);
                self.state.participant.watch(&game, &controls);
                self.release();
                self.tell(Event::Watched);
            }
            Job::Count { position, depth, controls } => {
                self.tell(Event::Counted(count_by_move(&position, depth, &controls)));
            }
            Job::Finish => self.keep(),
        }
    }

    /// Should the front end be gone, it misses nothing.
    fn tell(&self, event: Event) {
        let _ = self.events.send(event.into());
    }

    fn remark(&self, remarks: impl IntoIterator<Item = String>) {
        remarks.into_iter().for_each(|remark| self.tell(Event::Remark(remark)));
    }

    fn adopt(&mut self, wait: &Wait) {
        let before = self.identity();
        let remarks = self.state.adopt(&mut self.settings, wait);
        if self.identity() != before {
            let now = self.state.external.as_ref().map(|external| external.identity.clone());
            self.tell(Event::Engine(now));
        }
        self.remark(remarks);
    }

    fn identity(&self) -> Option<String> {
        self.state.external.as_ref().map(|external| external.identity.name.clone())
    }

    fn set_option(&mut self, name: &str, value: &str) {
        let engine = &mut self.state.participant.host.engine;
        let external = self.state.external.as_mut();
        let taken = external.filter(|external| external.identity.has(name));
        let remarks = match taken {
            Some(external) => {
                external.set(name, value);
                external.tell(engine);
                engine.take_notices()
            }
            None => config::find(name).err().map(|error| error.to_string()).into_iter().collect(),
        };
        self.remark(remarks);
    }

    /// The player of the settings takes its seat.
    fn seat(&mut self, game: &Game) {
        let evaluator = self.identity();
        let (player, remarks) = self.players.player(game, &self.settings, evaluator.as_deref());
        self.state.participant.player = player;
        self.remark(remarks);
    }

    fn release(&mut self) {
        self.players.take_back(std::mem::take(&mut self.state.participant.player));
    }

    fn search(&mut self, search: &SearchJob) {
        let SearchJob { game, limits, controls, is_analysis } = search;
        let started = Instant::now();
        if self.state.is_starting() {
            // The engine may be there in time.
            let patience = limits.clock.longest().map(|time| time / 2);
            self.adopt(&Wait::new(controls, started, patience));
        }
        let thought = match is_analysis {
            true => {
                let is_weaker = self.settings.plays_below_full_strength();
                self.remark(is_weaker.then(|| "analysing at full strength".to_owned()));
                None
            }
            false => {
                self.seat(game);
                let player = &self.state.participant.player;
                self.players.thought(player, game, &limits.clock, &self.settings)
            }
        };
        let clock = limits.clock.after(own_time(started, controls));
        let limits = &Limits { clock, ..limits.clone() };
        let request = MoveRequest { game, limits, controls };
        let mut decision = self.state.participant.decide(&request, &mut Teller(&self.events));
        let notices = self.state.participant.host.engine.take_notices();
        self.remark(notices);
        let is_external = matches!(self.state.participant.host.engine, Engine::External(_));
        if decision.best.mv.is_none() && is_external {
            let clock = search.limits.clock.after(own_time(started, controls));
            let limits = &Limits { clock, ..limits.clone() };
            decision = self.decide_with_own_engine(&MoveRequest { limits, ..request });
        }
        self.remark(self.state.participant.host.tablebases.take_notices());
        let pause = thought.filter(|_| !controls.is_stopped()).map(|(thought, occasion)| {
            let thought = Thought { entropy: decision.entropy(), ..thought };
            thinking_time(&thought, occasion)
        });
        let pause = pause.unwrap_or_default();
        if self.settings.explain && !pause.is_zero() {
            let seconds = pause.as_secs_f64();
            self.remark([format!("takes {seconds:.3} s over the move, as a person might")]);
        }
        let is_shown = self.state.external.is_some()
            && matches!(self.state.participant.player, Player::FullStrength);
        self.release();
        let best = decision.best;
        self.tell(Event::Decided(Box::new(FinishedSearch { best, pause, is_shown })));
        self.keep();
    }

    /// The decision of the player by the values of our own engine, where another one has failed.
    fn decide_with_own_engine(&mut self, request: &MoveRequest<'_>) -> Decision {
        self.remark(["Stopdown itself evaluates the moves this time".to_owned()]);
        let participant = &mut self.state.participant;
        participant.host.engine.take_fault();
        let spare = Engine::built_in(SPARE_HASH);
        let external = std::mem::replace(&mut participant.host.engine, spare);
        let decision = participant.decide(request, &mut Teller(&self.events));
        participant.host.engine = external;
        decision
    }

    /// Keeps what was learnt of the opponent.
    fn keep(&mut self) {
        let complaint = self.players.keep();
        self.remark(complaint);
    }
}

/// Passes on what the search tells.
struct Teller<'a, E>(&'a Sender<E>);

impl<E: From<Event>> Teller<'_, E> {
    fn tell(&self, event: Event) {
        let _ = self.0.send(event.into());
    }
}

impl<E: From<Event>> Observer for Teller<'_, E> {
    fn line(&mut self, report: &Report) {
        self.tell(Event::Report(report.clone()));
    }

    fn said(&mut self, line: &str) {
        self.tell(Event::Said(line.to_owned()));
    }

    fn remark(&mut self, text: &str) {
        self.tell(Event::Remark(text.to_owned()));
    }
}
