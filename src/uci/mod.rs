//! The UCI door: what chess programs talk to.
//!
//! Three threads and one channel. The reader turns standard input into events, the worker
//! searches and sends what it finds as events, and one loop receives them all, owns the state
//! and is the only one that writes. So nothing has to be locked, no two messages can mix, and
//! "isready", "stop" and "quit" are answered at once whatever else is going on. The channel is the
//! standard library's, which sleeps as soon as there is nothing to receive: crossbeam's first yields
//! the processor some times, and on a busy machine each of these costs milliseconds of our clock.
//!
//! No line may bring the engine down: what cannot be obeyed is explained in an `info string`, and
//! the state stays as it was.

#![cfg_attr(
    not(test),
    deny(
        clippy::expect_used,
        clippy::panic,
        clippy::todo,
        clippy::unimplemented,
        clippy::indexing_slicing
    )
)]

mod command;
mod foreign;
mod go;
mod handicap;
mod imitation;
mod message;
mod session;
mod worker;

use std::io::{self, Write};
use std::sync::mpsc;

use crate::board::Move;
use crate::config::Settings;
use crate::external::Analyst;
use crate::search::Report;

pub use command::{InputLine, LONGEST_LINE, UciCommand, UciError, read_line};
pub use go::{Go, Side};
pub use session::Session;
pub use worker::{FinishedSearch, Machine};

/// Whatever the loop has to react to.
#[derive(Debug)]
pub enum Event {
    Line(InputLine),
    EndOfInput,
    /// A line of the running search.
    Report(Report),
    /// A line of another engine that searches for us.
    Said(String),
    /// The player has something to say.
    Remark(String),
    /// The search is over and comes home. `None` if it was lost to a bug of ours.
    Searched(Option<Box<FinishedSearch>>),
    /// Counts by first move; `None` if stopped.
    Counted(Option<Vec<(Move, u64)>>),
}

/// Speaks UCI on standard input and output until told to quit. A complaint about the
/// configuration comes first. With another engine, which has been started, moves are valued by that.
pub fn run(
    config: &Settings,
    engine: Option<Analyst>,
    complaint: Option<&str>,
    on_terminal: bool,
) -> io::Result<()> {
    let (sender, receiver) = mpsc::channel();
    let mut out = io::stdout();
    if on_terminal {
        greet(&mut out)?;
    }
    let mut session = Session::new(config, out, sender.clone())?;
    if let Some(analyst) = engine {
        session.stand_before(analyst)?;
    }
    if let Some(complaint) = complaint {
        session.remark(complaint)?;
    }
    command::listen(sender)?;
    session.run(&receiver)
}

fn greet(out: &mut impl Write) -> io::Result<()> {
    let version = env!("CARGO_PKG_VERSION");
    writeln!(
        out,
        "Stopdown {version} is a chess engine: it waits for UCI commands from a chess program."
    )?;
    writeln!(
        out,
        "To play it yourself, say \"stopdown play\" or \"stopdown web\" on the command line; \"stopdown \
         help\" says what else it can do. \"quit\" leaves."
    )
}
