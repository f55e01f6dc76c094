//! The worker thread of a front end that serves a GUI. The GUI keeps track of the game.
//!
//! The thread owns everything that is slow to use: the engine, the tablebases and the player of the
//! current game. It starts external engines, applies options, builds tablebases, searches, and uses
//! the opponent's time. All of this can take a long time, so the front end leaves it to the worker.
//!
//! - [`Job`]s come in through a channel. They run one at a time, in order, so the engine needs no
//!   lock.
//! - [`Event`]s go out through the front end's channel: first the output of the job, then
//!   [`Event::Done`]. A front end that counts the jobs sent and the `Done`s received knows when the
//!   worker is idle.
//! - A job that can take a long time carries [`Controls`]. Its sender keeps a copy and can stop the
//!   job, or turn pondering into a normal search.
//! - Between jobs, the thread allocates a large hash table step by step. A search without a clock
//!   waits until the whole table is allocated.
//! - A panic in a job is a bug, but it must not end the game. The worker replaces the engine and
//!   sends [`Event::Failed`].
//!
//! The thread ends after [`Job::Finish`], or when the front end drops its sender.

use std::panic::{self, AssertUnwindSafe};
use std::sync::mpsc::{self, Receiver, Sender, TryRecvError};
use std::time::Duration;
use std::{io, thread};

use super::engine_state::EngineState;
use super::external_engine::ExternalIdentity;
use super::perft::count_by_move;
use super::player_source::PlayerSource;
use crate::board::{Game, Move, Position};
use crate::clock::Instant;
use crate::config::Settings;
use crate::external::{ExternalEvaluator, Wait};
use crate::player::{Decision, Engine, MoveRequest, Player, own_time};
use crate::search::{BestMove, Clock, Controls, Limits, Observer, Report};

/// The stack size in bytes. The search recurses deeply, and this is many times what the deepest
/// line needs.
const WORKER_STACK: usize = 64 << 20;

/// The hash size in MiB of our own engine when it replaces an external engine that has failed.
const FALLBACK_HASH: usize = 16;

/// The time that an external engine may take to restart after a panic.
const RESTART_TIMEOUT: Duration = Duration::from_secs(1);

/// A job for the worker.
#[derive(Debug)]
pub enum Job {
    /// Applies the settings. The controls can end the wait for an external engine.
    ApplySettings(Box<Settings>, Controls),
    /// The seed has been set. See [`PlayerSource::restart_series`].
    RestartSeries,
    /// Sets an option of the external engine, once it has started.
    SetOption(ExternalOption),
    ClearHash,
    NewGame,
    Search(Box<SearchJob>),
    /// Evaluates the opponent's choices in this game, for an imitator. It has no result.
    Watch(Box<Game>, Controls),
    /// Counts the leaf nodes after each first move (perft).
    Perft {
        position: Position,
        depth: u32,
        controls: Controls,
    },
    /// Saves everything learnt about the opponent, and ends the thread.
    Finish,
}

impl Job {
    fn kind(&self) -> JobKind {
        match self {
            Job::Search(_) => JobKind::Search,
            Job::Watch(..) => JobKind::Watch,
            Job::Perft { .. } => JobKind::Perft,
            _ => JobKind::Other,
        }
    }
}

/// The kinds of jobs, by what the front end waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JobKind {
    Search,
    Watch,
    Perft,
    /// A job without a result.
    Other,
}

/// A value for an option of the external engine.
#[derive(Debug)]
pub struct ExternalOption {
    pub name: String,
    pub value: String,
    /// Whether we have an option of this name too, which has been set already. If not, and if the external engine has
    /// none, the answer is [`Event::NotExternal`].
    pub is_ours: bool,
}

/// A request for a move.
#[derive(Debug)]
pub struct SearchJob {
    pub game: Game,
    pub limits: Limits,
    pub controls: Controls,
    /// The time when the move was requested. Waiting for earlier jobs takes time off the clock too.
    pub started: Instant,
    /// Whether to search for the best move at full strength, regardless of the settings.
    pub is_analysis: bool,
}

/// A message from the worker to the front end.
#[derive(Debug)]
pub enum Event {
    /// A line of analysis by our own search.
    Report(Report),
    /// A line of output from an external engine that searches for us, unchanged.
    ExternalLine(String),
    /// A message for the user.
    Remark(String),
    /// The reason why the external engine given on the command line cannot be used.
    NoEngine(String),
    /// From now on, this external engine evaluates the moves. `None` means our own engine.
    Engine(Option<ExternalIdentity>),
    /// The external engine has no option of this name. It may be one of ours.
    NotExternal { name: String, value: String },
    /// A search has ended with this result.
    SearchDone(Box<FinishedSearch>),
    /// A [`Job::Watch`] has ended.
    WatchDone,
    /// The perft counts by first move, or `None` if stopped.
    PerftDone(Option<Vec<(Move, u64)>>),
    /// The job is about to write a file. The program should wait for the end of the job before it
    /// exits.
    Saving,
    /// A job of this kind has panicked and has no result.
    Failed(JobKind),
    /// A job has ended. This is always its last event.
    Done,
}

/// The result of a search.
#[derive(Debug)]
pub struct FinishedSearch {
    pub(crate) best: BestMove,
    /// The thinking time to imitate. The answer is due this long after the clock started.
    pub(crate) pause: Duration,
    /// Whether the external engine has shown its best line itself, so the front end need not show
    /// it.
    pub(crate) is_shown: bool,
}

/// Starts the worker thread and returns the sender for its jobs.
///
/// If there is an external engine, the first job starts it. Events are converted to the front end's
/// own event type, so that a front end can receive everything through one channel.
pub fn start<E: From<Event> + Send + 'static>(
    settings: &Settings,
    external: Option<ExternalEvaluator>,
    events: Sender<E>,
) -> io::Result<Sender<Job>> {
    let (sender, jobs) = mpsc::channel();
    let (players, settings) = (PlayerSource::new(), settings.clone());
    // Load the built-in network here, so that it does not delay the first job.
    let state = EngineState::new(external, &settings);
    let worker = Worker { state, players, settings, unset: Vec::new(), events };
    let work = move || worker.work(&jobs);
    thread::Builder::new().name("worker".to_owned()).stack_size(WORKER_STACK).spawn(work)?;
    Ok(sender)
}

/// The state of the worker thread.
struct Worker<E> {
    state: EngineState,
    players: PlayerSource,
    /// The settings in force.
    settings: Settings,
    /// The options that wait until the external engine has started.
    unset: Vec<ExternalOption>,
    events: Sender<E>,
}

impl<E: From<Event>> Worker<E> {
    fn work(mut self, jobs: &Receiver<Job>) {
        while let Some(job) = self.next(jobs) {
            let (kind, is_last) = (job.kind(), matches!(job, Job::Finish));
            if panic::catch_unwind(AssertUnwindSafe(|| self.run(job))).is_err() {
                self.put_player_back();
                self.state.replace_engine();
                self.apply_settings(&Wait::new(
                    &Controls::new(),
                    Instant::now(),
                    Some(RESTART_TIMEOUT),
                ));
                self.send(Event::Failed(kind));
            }
            self.send(Event::Done);
            if is_last {
                return;
            }
        }
    }

    /// Returns the next job, or `None` if the front end has ended. Until a job arrives, the thread
    /// allocates the hash table.
    fn next(&mut self, jobs: &Receiver<Job>) -> Option<Job> {
        let engine = &mut self.state.participant.host.engine;
        while engine.is_hash_growing() {
            match jobs.try_recv() {
                Ok(job) => return Some(job),
                Err(TryRecvError::Disconnected) => return None,
                Err(TryRecvError::Empty) => {
                    engine.grow_hash();
                }
            }
        }
        jobs.recv().ok()
    }

    fn run(&mut self, job: Job) {
        match job {
            Job::ApplySettings(settings, controls) => {
                if let Some(external) = &mut self.state.external {
                    external.share_changes(&self.settings, &settings);
                }
                self.settings = *settings;
                self.apply_settings(&Wait::new(&controls, Instant::now(), None));
            }
            Job::RestartSeries => self.players.restart_series(),
            Job::SetOption(option) => {
                self.unset.push(option);
                self.set_external_options();
            }
            Job::ClearHash => self.state.participant.host.engine.clear(),
            Job::NewGame => {
                self.state.participant.host.engine.clear();
                self.players.new_game();
                self.set_up_player(&Game::default(), None);
                self.state.participant.load();
                self.put_player_back();
            }
            Job::Search(search) => self.search(&search),
            Job::Watch(game, controls) => {
                let game = self.set_up_player(&game, None);
                self.state.participant.watch(&game, &controls);
                self.put_player_back();
                self.send(Event::WatchDone);
            }
            Job::Perft { position, depth, controls } => {
                self.send(Event::PerftDone(count_by_move(&position, depth, &controls)));
            }
            Job::Finish => {
                // These were kept for an engine that has not started.
                let unset = std::mem::take(&mut self.unset).into_iter();
                for ExternalOption { name, value, .. } in unset.filter(|option| !option.is_ours) {
                    self.send(Event::NotExternal { name, value });
                }
                self.players.close();
                self.save_opponent();
            }
        }
    }

    /// Sends an event. An error means that the front end has ended, so it is ignored.
    fn send(&self, event: Event) {
        let _ = self.events.send(event.into());
    }

    fn remark(&self, remarks: impl IntoIterator<Item = String>) {
        remarks.into_iter().for_each(|remark| self.send(Event::Remark(remark)));
    }

    fn apply_settings(&mut self, wait: &Wait) {
        let before = self.external_name();
        let remarks = self.state.apply(&mut self.settings, wait);
        let failure = self.state.take_failure();
        failure.into_iter().for_each(|failure| self.send(Event::NoEngine(failure)));
        if self.external_name() != before {
            let now = self.state.external.as_ref().map(|external| external.identity.clone());
            self.send(Event::Engine(now));
        }
        self.remark(remarks);
        self.set_external_options();
    }

    /// Returns the name of the external engine in use.
    fn external_name(&self) -> Option<String> {
        self.state.external.as_ref().map(|external| external.identity.name.clone())
    }

    /// Sets options of the external engine, unless it is still starting.
    fn set_external_options(&mut self) {
        if self.state.is_starting() {
            return;
        }
        for ExternalOption { name, value, is_ours } in std::mem::take(&mut self.unset) {
            let external = self.state.external.as_mut();
            if let Some(external) = external.filter(|external| external.identity.has(&name)) {
                let engine = &mut self.state.participant.host.engine;
                external.set(&name, &value);
                external.send_unsent(engine);
                let notices = engine.take_notices();
                self.remark(notices);
            } else if !is_ours {
                self.send(Event::NotExternal { name, value });
            }
        }
    }

    /// Creates the player for this game, with our clock if a move is wanted. Returns the game as the player should see
    /// it. After its move, call [`Worker::put_player_back`].
    fn set_up_player(&mut self, game: &Game, clock: Option<&Clock>) -> Game {
        let evaluator = self.external_name();
        let game = self.players.start_game_if_new(game);
        if let Some(clock) = clock {
            self.players.note_clock(clock);
        }
        let (player, exploited, remarks) =
            self.players.set_up(&self.settings, evaluator.as_deref());
        self.state.participant.player = player;
        self.state.participant.host.opponent = exploited;
        self.remark(remarks);
        game
    }

    /// Puts the player and its opponent back, so that they keep everything they have learnt.
    fn put_player_back(&mut self) {
        let participant = &mut self.state.participant;
        self.players.put_back(std::mem::take(&mut participant.player));
        self.players.put_exploited_back(participant.host.opponent.take());
    }

    /// Runs a search: waits for an engine that is starting, creates the player, lets it decide,
    /// works out its thinking time, and sends the result.
    fn search(&mut self, search: &SearchJob) {
        let SearchJob { limits, controls, started, is_analysis, .. } = search;
        let (mut game, started) = (search.game.clone(), *started);
        // Spend up to half of the time for the move on waiting for the engine.
        let patience = limits.clock.safe_time_per_move().map(|time| time / 2);
        let wait = Wait::new(controls, started, patience);
        if self.state.is_starting() {
            self.apply_settings(&wait);
        }
        self.state.finish_hash(&wait);
        let human =
            self.settings.human_analysis().filter(|_| *is_analysis && limits.mate.is_none());
        let mut clock = limits.clock;
        let thinking = match is_analysis {
            true => {
                let is_weaker = self.settings.plays_below_full_strength() && human.is_none();
                self.remark(is_weaker.then(|| "analysing at full strength".to_owned()));
                let notice = self.players.comparison_notice(&self.settings);
                self.remark(notice);
                None
            }
            false => {
                let notice = self.players.analysis_notice(&self.settings);
                self.remark(notice);
                game = self.set_up_player(&game, Some(&clock));
                let player = &self.state.participant.player;
                let thinking = self.players.thinking(player, &game, &clock, &self.settings);
                // The clock affects only a player that imitates thinking times. A player that moves
                // at once is never short of time.
                if let Some(thinking) = &thinking {
                    clock = thinking.clock;
                    let notice = self.players.clock_notice(player, &clock);
                    self.remark(notice);
                }
                thinking
            }
        };
        let left = || clock.after(own_time(started, controls));
        let limits = &Limits { clock: left(), ..limits.clone() };
        let request = MoveRequest { game: &game, limits, controls };
        let observer = &mut EventObserver(&self.events);
        let participant = &mut self.state.participant;
        let mut decision = match &human {
            Some(analysis) => participant.analyse_as(analysis, &request, observer),
            None => participant.decide(&request, observer),
        };
        let notices = self.state.participant.host.engine.take_notices();
        self.remark(notices);
        let is_external = matches!(self.state.participant.host.engine, Engine::External(_));
        if decision.best.mv.is_none() && is_external {
            let limits = &Limits { clock: left(), ..limits.clone() };
            decision = self.decide_with_own_engine(&MoveRequest { limits, ..request });
        }
        self.remark(self.state.participant.host.tablebases.take_notices());
        let pause = thinking.filter(|_| !controls.is_stopped());
        let pause =
            pause.map(|thinking| thinking.time(&game, decision.best.mv, decision.entropy()));
        let pause = pause.unwrap_or_default();
        let is_shown = self.state.external.is_some()
            && human.is_none()
            && matches!(self.state.participant.player, Player::FullStrength);
        self.put_player_back();
        let best = decision.best;
        self.send(Event::SearchDone(Box::new(FinishedSearch { best, pause, is_shown })));
        self.save_opponent();
    }

    /// Lets the player decide with evaluations from our own engine, after the external one has
    /// failed.
    fn decide_with_own_engine(&mut self, request: &MoveRequest<'_>) -> Decision {
        self.remark(["Stopdown evaluates this move itself".to_owned()]);
        let participant = &mut self.state.participant;
        participant.host.engine.take_fault();
        let spare = Engine::built_in(FALLBACK_HASH);
        let external = std::mem::replace(&mut participant.host.engine, spare);
        let decision = participant.decide(request, &mut EventObserver(&self.events));
        participant.host.replace_engine(external);
        decision
    }

    /// Saves everything learnt about the opponent.
    fn save_opponent(&mut self) {
        if let Some((name, known)) = self.players.unsaved() {
            self.send(Event::Saving);
            let message = self.players.save_opponent(&name, known);
            self.remark(message);
        }
    }
}

/// Sends the output of a running search as events.
struct EventObserver<'a, E>(&'a Sender<E>);

impl<E: From<Event>> EventObserver<'_, E> {
    fn send(&self, event: Event) {
        let _ = self.0.send(event.into());
    }
}

impl<E: From<Event>> Observer for EventObserver<'_, E> {
    fn line(&mut self, report: &Report) {
        self.send(Event::Report(report.clone()));
    }

    fn external_line(&mut self, line: &str) {
        self.send(Event::ExternalLine(line.to_owned()));
    }

    fn remark(&mut self, text: &str) {
        self.send(Event::Remark(text.to_owned()));
    }
}
