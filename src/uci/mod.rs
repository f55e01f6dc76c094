//! The UCI front end, which connects a GUI with the worker thread of `session`.
//!
//! Three threads take part, and one channel carries all their events:
//!
//! - The reader thread turns standard input into events (`event.rs`, `input.rs`).
//! - The worker thread of the session does everything that can take a long time, and sends its
//!   results as events.
//! - The main thread runs a [`Session`] (`conversation.rs`), a loop over these events. It keeps all
//!   protocol state, and no other thread writes to standard output. Jobs go to the worker through a
//!   second channel.
//!
//! So no lock is needed, messages never get mixed up, and `stop` and `quit` are handled at once,
//! regardless of what the worker is doing. `isready` waits briefly for earlier commands (`due_answers.rs`).
//!
//! The channel is `std::sync::mpsc`. If the channel is empty, the waiting thread goes to sleep at
//! once. With a Crossbeam channel, the thread first yields the processor several times. On a loaded
//! machine each yield can cost milliseconds of clock time.
//!
//! Bad input never stops the engine. If a command cannot be carried out, an `info string` says why
//! and the state stays as it was.

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
mod due_answers;
mod event;
mod go;
mod input;
mod message;
mod overruns;
mod running;

use std::io::{self, Write};
use std::sync::mpsc;

use crate::config::Settings;
use crate::external::ExternalEvaluator;

pub use command::{UciCommand, UciError};
pub use conversation::Session;
pub use event::Event;
pub use go::Go;
pub use input::{InputLine, read_line};

/// Speaks UCI on standard input and output until `quit` or the end of the input.
///
/// Warnings about the configuration are written first. An external engine, if there is one, is
/// started while commands are already being answered. Returns an error if it cannot be started.
pub(crate) fn run(
    config: &Settings,
    engine: Option<ExternalEvaluator>,
    warnings: &[String],
    on_terminal: bool,
) -> io::Result<()> {
    let (sender, receiver) = mpsc::channel();
    let mut out = io::stdout();
    if on_terminal {
        greet(&mut out)?;
    }
    let mut session = Session::with_engine(config, engine, out, sender.clone())?;
    for warning in warnings {
        session.remark(warning)?;
    }
    event::listen(sender)?;
    session.run(&receiver)
}

fn greet(out: &mut impl Write) -> io::Result<()> {
    let version = env!("CARGO_PKG_VERSION");
    writeln!(
        out,
        "Stopdown {version} is a chess engine. It waits for UCI commands from a chess program."
    )?;
    writeln!(
        out,
        "To play against it, run `stopdown play` or `stopdown web`. `stopdown help` lists all commands. To \
         leave, type quit."
    )
}
