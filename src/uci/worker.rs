//! The thread that searches, and what it searches with.

use std::panic::{self, AssertUnwindSafe};
use std::sync::mpsc::{self, Sender};
use std::time::Instant;
use std::{io, thread};

use super::Event;
use super::machine::Machine;
use crate::board::{Game, Move, Position, perft};
use crate::player::{Decision, Engine, Player, own_time};
use crate::search::{Controls, Limits, Observer, Report};

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
