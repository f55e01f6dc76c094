//! The thread that searches, and what it searches with.

use std::panic::{self, AssertUnwindSafe};
use std::{io, thread};

use crossbeam::channel::{self, Sender};

use super::Event;
use super::handicap::NO_COMPETENCE;
use crate::board::{Game, Move, Position, perft};
use crate::config::Settings;
use crate::player::{self, Engine, Exploit, Library, Place, Player, Sources};
use crate::search::{BestMove, Controls, HashError, Limits, Observer, Report};
use crate::value::Depth;

/// Deep lines need deep stacks: room for many times the deepest.
const STACK: usize = 64 << 20;

/// The engine with what is in force in it. It lives with the loop between searches and goes to
/// the worker and back by value, so that no two can ever use it at once.
#[derive(Debug)]
pub struct Machine {
    engine: Engine,
    library: Library,
    hash: i64,
    threads: i64,
}

impl Machine {
    /// A machine of the least size. [`Machine::adopt`] brings it to what is wanted.
    pub fn new() -> Machine {
        Machine { engine: player::engine(1), library: Library::none(), hash: 1, threads: 1 }
    }

    /// Brings the settings into force, and says what there is to say about it.
    pub fn adopt(&mut self, settings: &mut Settings) -> Vec<String> {
        let refused = self.adopt_size(settings).err().map(|error| error.to_string());
        refused.into_iter().chain(self.adopt_tables(settings)).collect()
    }

    /// Where the tables of endings come from, and what is made of them.
    fn adopt_tables(&mut self, settings: &Settings) -> Vec<String> {
        let sources = Sources {
            syzygy: settings.syzygy_path.clone(),
            probe_limit: settings.syzygy_probe_limit.unsigned_abs() as usize,
            fifty_moves: settings.syzygy_fifty_moves,
            own: settings.endgame_tables.parse::<Place>().unwrap_or_default(),
        };
        let competence = settings.exploit_competence;
        let competence = (competence > NO_COMPETENCE).then_some(competence as f64 / 100.0);
        let is_any = settings.exploit == "Any";
        let exploit = (settings.exploit != "Off").then(|| Exploit::against(competence, is_any));
        self.library.exploit = exploit;
        let mut remarks = Vec::new();
        if self.library.arrange(sources) {
            self.engine.set_oracle(self.library.oracle());
            remarks.extend(self.library.describe_files());
        }
        remarks.extend(self.library.take_notices());
        remarks
    }

    /// A hash table that cannot be had leaves the old one, and the settings say so.
    fn adopt_size(&mut self, settings: &mut Settings) -> Result<(), HashError> {
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

/// What the worker is given to do.
#[derive(Debug)]
pub(super) enum Job {
    Search(Box<Search>),
    Count { position: Position, depth: u32, controls: Controls },
}

#[derive(Debug)]
pub(super) struct Search {
    pub machine: Machine,
    pub player: Player,
    pub game: Game,
    pub limits: Limits,
    pub controls: Controls,
}

/// Starts the worker, which lives as long as somebody can send it jobs.
pub(super) fn start(events: Sender<Event>) -> io::Result<Sender<Job>> {
    let (sender, jobs) = channel::unbounded();
    let work = move || {
        for job in jobs {
            let done = match job {
                Job::Search(search) => Event::Searched(run(*search, &events)),
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
fn run(search: Search, events: &Sender<Event>) -> Option<Box<(Machine, BestMove)>> {
    panic::catch_unwind(AssertUnwindSafe(|| {
        let Search { mut machine, player, game, limits, controls } = search;
        let observer = &mut Teller(events);
        let Machine { engine, library, .. } = &mut machine;
        let best = player.decide(engine, library, &game, &limits, &controls, observer);
        library.take_notices().iter().for_each(|notice| observer.remark(notice));
        Box::new((machine, best))
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
