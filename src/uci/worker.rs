//! The thread that searches, and what it searches with.

use std::panic::{self, AssertUnwindSafe};
use std::{io, thread};

use crossbeam::channel::{self, Sender};

use super::Event;
use crate::board::{Game, Move, Position, perft};
use crate::config::Settings;
use crate::player::{Decision, Engine, EngineError, Evaluation, Player};
use crate::search::{Controls, HashError, Limits, Observer, Report};
use crate::value::Depth;

/// Deep lines need deep stacks: room for many times the deepest.
const STACK: usize = 64 << 20;

/// The engine with what is in force in it. It lives with the loop between searches and goes to
/// the worker and back by value, so that no two can ever use it at once.
#[derive(Debug)]
pub struct Machine {
    engine: Engine,
    /// Name and file.
    evaluation: (String, String),
    hash: i64,
    threads: i64,
}

impl Machine {
    /// A machine of the least size. [`Machine::adopt`] brings it to what is wanted.
    pub fn new() -> Machine {
        let evaluation = (Evaluation::Handcrafted.name().to_owned(), String::new());
        Machine { engine: Engine::handcrafted(1), evaluation, hash: 1, threads: 1 }
    }

    /// Brings the settings into force. What cannot be had leaves the old one, and the settings
    /// say so.
    pub fn adopt(&mut self, settings: &mut Settings) -> Result<(), MachineError> {
        let wanted = (settings.evaluation.clone(), settings.evaluation_file.clone());
        let changed = self.evaluation != wanted;
        if changed {
            self.change_evaluation(settings)?;
        }
        if self.threads != settings.threads {
            self.threads = settings.threads;
            self.engine.set_threads(self.threads.unsigned_abs() as usize);
        }
        if self.hash != settings.hash {
            let set = self.engine.set_hash(settings.hash.unsigned_abs() as usize);
            if set.is_err() {
                settings.hash = self.hash;
            }
            set?;
            self.hash = settings.hash;
        }
        if changed
            && settings.chosen_evaluation()? == Evaluation::Handcrafted
            && !wanted.1.is_empty()
        {
            return Err(MachineError::IdleFile);
        }
        Ok(())
    }

    /// Makes an engine anew, as large as the present one.
    fn change_evaluation(&mut self, settings: &mut Settings) -> Result<(), MachineError> {
        let made = settings
            .chosen_evaluation()
            .and_then(|evaluation| Engine::new(&evaluation, self.hash.unsigned_abs() as usize));
        if made.is_err() {
            (settings.evaluation, settings.evaluation_file) = self.evaluation.clone();
        }
        self.engine = made?;
        self.engine.set_threads(self.threads.unsigned_abs() as usize);
        self.evaluation = (settings.evaluation.clone(), settings.evaluation_file.clone());
        Ok(())
    }

    pub fn clear(&mut self) {
        self.engine.clear();
    }
}

impl Default for Machine {
    fn default() -> Machine {
        Machine::new()
    }
}

/// Why a setting did not come into force.
#[derive(Debug, thiserror::Error)]
pub enum MachineError {
    #[error(transparent)]
    Hash(#[from] HashError),
    #[error("{0}; the evaluation stays as it was")]
    Engine(#[from] EngineError),
    #[error("EvalFile is set but does not count: Evaluation is Handcrafted")]
    IdleFile,
}

/// What the worker is given to do.
#[derive(Debug)]
pub(super) enum Job {
    Search(Box<Search>),
    /// Not to decide: to use the time of the opponent, whose turn it is.
    Watch(Box<Search>),
    Count {
        position: Position,
        depth: u32,
        controls: Controls,
    },
}

#[derive(Debug)]
pub(super) struct Search {
    pub machine: Machine,
    pub player: Player,
    pub game: Game,
    pub limits: Limits,
    pub controls: Controls,
}

/// What comes home from a search.
#[derive(Debug)]
pub struct Finished {
    pub machine: Machine,
    pub player: Player,
    pub decision: Decision,
}

/// Starts the worker, which lives as long as somebody can send it jobs.
pub(super) fn start(events: Sender<Event>) -> io::Result<Sender<Job>> {
    let (sender, jobs) = channel::unbounded();
    let work = move || {
        for job in jobs {
            let done = match job {
                Job::Search(search) => Event::Searched(run(*search, &events)),
                Job::Watch(search) => Event::Searched(watch(*search)),
                Job::Count { position, depth, controls } => {
                    Event::Counted(count_by_move(&position, depth, &controls))
                }
            };
            if events.send(done).is_err() {
                return;
            }
        }
    };
    thread::Builder::new().name("search".to_owned()).stack_size(STACK).spawn(work)?;
    Ok(sender)
}

/// Searches. A bug that panics costs the machine, not the game.
fn run(search: Search, events: &Sender<Event>) -> Option<Box<Finished>> {
    panic::catch_unwind(AssertUnwindSafe(|| {
        let Search { mut machine, mut player, game, limits, controls } = search;
        let observer = &mut Teller(events);
        let decision = player.decide(&mut machine.engine, &game, &limits, &controls, observer);
        Box::new(Finished { machine, player, decision })
    }))
    .ok()
}

/// Watches the opponent think. Nothing is decided.
fn watch(search: Search) -> Option<Box<Finished>> {
    panic::catch_unwind(AssertUnwindSafe(|| {
        let Search { mut machine, mut player, game, controls, .. } = search;
        player.watch(&mut machine.engine, &game, &controls);
        Box::new(Finished { machine, player, decision: Decision::default() })
    }))
    .ok()
}

/// Passes on what the search tells. Should the loop be gone, nobody misses it.
struct Teller<'a>(&'a Sender<Event>);

impl Observer for Teller<'_> {
    fn line(&mut self, report: &Report) {
        let _ = self.0.send(Event::Report(report.clone()));
    }

    fn remark(&mut self, text: &str) {
        let _ = self.0.send(Event::Remark(text.to_owned()));
    }

    fn current_move(&mut self, depth: Depth, m: Move, number: usize) {
        let _ = self.0.send(Event::CurrentMove(depth, m, number));
    }
}

fn count_by_move(position: &Position, depth: u32, controls: &Controls) -> Option<Vec<(Move, u64)>> {
    let moves = position.legal_moves();
    moves.iter().map(|&m| Some((m, count(&position.after(m), depth - 1, controls)?))).collect()
}

/// Perft that can be stopped: the leaves are counted without a look at the controls.
fn count(position: &Position, depth: u32, controls: &Controls) -> Option<u64> {
    if controls.is_stopped() {
        None
    } else if depth <= 3 {
        Some(perft(position, depth))
    } else {
        position.legal_moves().iter().map(|&m| count(&position.after(m), depth - 1, controls)).sum()
    }
}
