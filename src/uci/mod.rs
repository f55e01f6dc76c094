//! The UCI front end: what chess programs talk to.
//!
//! Three threads and one channel. The reader turns standard input into events, the worker of the session
//! does the jobs that last and sends what comes of them as events, and one loop receives them all
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
mod conversation;
mod event;
mod go;
mod input;
mod message;
mod running;

use std::io::{self, Write};
use std::sync::mpsc;

use crate::config::Settings;
use crate::external::Analyst;

pub use command::{UciCommand, UciError};
pub use conversation::Session;
pub use event::Event;
pub use go::{Go, Side};
pub use input::{InputLine, LONGEST_LINE, read_line};

/// Speaks UCI on standard input and output until told to quit. A complaint about the
/// configuration comes first. Another engine, if there is one, has been started.
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
    let mut session = Session::with_engine(config, engine, out, sender.clone())?;
    if let Some(complaint) = complaint {
        session.remark(complaint)?;
    }
    event::listen(sender)?;
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
