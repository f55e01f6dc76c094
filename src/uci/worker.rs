//! The thread that searches, and the machine that it is lent: what searches, and what is in force in it.

use std::panic::{self, AssertUnwindSafe};
use std::sync::mpsc::{self, Sender};
use std::time::Instant;
use std::{io, thread};

use super::Event;
use crate::board::{Game, Move, Position, perft};
use crate::config::{ExploitSetting, Settings};
use crate::eval::NetworkError;
use crate::player::{Decision, Engine, Exploit, Library, Player, own_time};
use crate::search::{Controls, HashError, Limits, Observer, Report};

/// Deep lines need deep stacks: room for many times the deepest.
const STACK: usize = 64 << 20;

/// MiB for our own search where another engine fails us.
const SPARE_HASH: usize = 16;

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
pub struct FinishedSearch {
    pub machine: Machine,
    pub player: Player,
    pub decision: Decision,
}

/// Starts the worker, which lives as long as somebody can send it jobs.
pub(super) fn start(events: Sender<Event>) -> io::Result<Sender<Job>> {
    let (sender, jobs) = mpsc::channel();
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
fn run(search: Search, events: &Sender<Event>) -> Option<Box<FinishedSearch>> {
    panic::catch_unwind(AssertUnwindSafe(|| {
        let Search { mut machine, mut player, game, limits, controls } = search;
        let observer = &mut Teller(events);
        let started = Instant::now();
        let Machine { engine, library, .. } = &mut machine;
        let mut decision = player.decide(engine, library, &game, &limits, &controls, observer);
        engine.take_notices().iter().for_each(|notice| observer.remark(notice));
        if decision.best.mv.is_none() && engine.take_fault().is_some() {
            observer.remark("Stopdown itself values the moves this time");
            let limits =
                Limits { clock: limits.clock.after(own_time(started, &controls)), ..limits };
            let own = &mut Engine::built_in(SPARE_HASH);
            decision = player.decide(own, library, &game, &limits, &controls, observer);
        }
        library.take_notices().iter().for_each(|notice| observer.remark(notice));
        Box::new(FinishedSearch { machine, player, decision })
    }))
    .ok()
}

/// Watches the opponent think. Nothing is decided.
fn watch(search: Search) -> Option<Box<FinishedSearch>> {
    panic::catch_unwind(AssertUnwindSafe(|| {
        let Search { mut machine, mut player, game, controls, .. } = search;
        player.watch(&mut machine.engine, &game, &controls);
        Box::new(FinishedSearch { machine, player, decision: Decision::default() })
    }))
    .ok()
}

/// Passes on what the search tells. Should the loop be gone, nobody misses it.
struct Teller<'a>(&'a Sender<Event>);

impl Observer for Teller<'_> {
    fn line(&mut self, report: &Report) {
        let _ = self.0.send(Event::Report(report.clone()));
    }

    fn said(&mut self, line: &str) {
        let _ = self.0.send(Event::Said(line.to_owned()));
    }

    fn remark(&mut self, text: &str) {
        let _ = self.0.send(Event::Remark(text.to_owned()));
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

/// The engine and its tables, as the settings want them. It lives with the loop between searches
/// and goes to the worker and back by value, so that no two can ever use it at once.
#[derive(Debug)]
pub struct Machine {
    pub(super) engine: Engine,
    pub(super) library: Library,
    /// The file of its network; empty: the built-in one.
    network_file: String,
    hash: i64,
    /// The size of the table that was last wished for and fitted.
    granted: i64,
    threads: i64,
}

/// Why a setting did not come into force.
#[derive(Debug, thiserror::Error)]
enum MachineError {
    #[error(transparent)]
    Hash(#[from] HashError),
    #[error("{0}; the network stays as it was")]
    Network(#[from] NetworkError),
}

impl Machine {
    /// A machine of the least size. [`Machine::adopt`] brings it to what is wanted.
    pub fn new() -> Machine {
        Machine {
            engine: Engine::built_in(1),
            library: Library::none(),
            network_file: String::new(),
            hash: 1,
            granted: Settings::built_in().hash,
            threads: 1,
        }
    }

    /// A machine with this engine.
    pub fn of(engine: Engine) -> Machine {
        // It is to hear of both, whatever its own defaults are.
        Machine { engine, hash: 0, threads: 0, ..Machine::new() }
    }

    /// Brings the settings into force, and says what there is to say about it. What cannot be had
    /// leaves the old one, and the settings say so.
    pub fn adopt(&mut self, settings: &mut Settings) -> Vec<String> {
        let adopted = [self.adopt_network(settings), self.adopt_size(settings)];
        let refused = adopted.into_iter().filter_map(|adopted| Some(adopted.err()?.to_string()));
        refused.chain(self.adopt_tables(settings)).collect()
    }

    pub fn clear(&mut self) {
        self.engine.clear();
    }

    fn adopt_size(&mut self, settings: &mut Settings) -> Result<(), MachineError> {
        if self.threads != settings.threads {
            self.threads = settings.threads;
            self.engine.set_threads(self.threads.unsigned_abs() as usize);
        }
        if self.hash != settings.hash {
            let set = self.engine.set_hash(settings.hash.unsigned_abs() as usize);
            if let Err(HashError(refused, _)) = set {
                settings.hash = self.granted;
                self.engine.set_hash(self.granted.unsigned_abs() as usize)?;
                self.hash = self.granted;
                return Err(HashError(refused, self.granted.unsigned_abs() as usize).into());
            }
            self.hash = settings.hash;
            self.granted = settings.hash;
        }
        Ok(())
    }

    /// Makes an engine anew if positions are to be judged by another network. It is of the least size:
    /// there need not be room for a second one as large as the present one.
    fn adopt_network(&mut self, settings: &mut Settings) -> Result<(), MachineError> {
        let is_foreign = matches!(self.engine, Engine::External(_));
        if is_foreign || settings.network_file == self.network_file {
            return Ok(());
        }
        self.engine = match Engine::new(settings.network(), 1) {
            Ok(engine) => engine,
            Err(error) => {
                settings.network_file.clone_from(&self.network_file);
                return Err(error.into());
            }
        };
        (self.hash, self.threads) = (1, 1);
        self.engine.set_oracle(self.library.oracle());
        self.network_file.clone_from(&settings.network_file);
        Ok(())
    }

    /// Where the tables of endings come from, and what is made of them.
    fn adopt_tables(&mut self, settings: &Settings) -> Vec<String> {
        let competence = settings.exploit_competence.map(|hundredths| hundredths as f64 / 100.0);
        self.library.exploit = match settings.exploit {
            ExploitSetting::Off => None,
            ExploitSetting::Equal => Some(Exploit::against(competence, false)),
            ExploitSetting::Any => Some(Exploit::against(competence, true)),
        };
        let mut remarks = Vec::new();
        if self.library.arrange(settings.table_sources()) {
            self.engine.set_oracle(self.library.oracle());
            remarks.extend(self.library.describe_files());
        }
        remarks.extend(self.library.take_notices());
        remarks
    }
}

impl Default for Machine {
    fn default() -> Machine {
        Machine::new()
    }
}
