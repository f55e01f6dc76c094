//! The one channel of the UCI front end, and the thread that reads standard input into it.

use std::io;
use std::sync::mpsc::Sender;
use std::thread;

use super::input::{InputLine, read_line};
use crate::session;

/// Whatever the loop has to react to.
#[derive(Debug)]
pub enum Event {
    Line(InputLine),
    EndOfInput,
    /// What a job of the worker tells.
    Job(session::Event),
}

impl From<session::Event> for Event {
    fn from(event: session::Event) -> Event {
        Event::Job(event)
    }
}

/// Reads standard input on a thread of its own, which ends with its last event.
pub fn listen(events: Sender<Event>) -> io::Result<()> {
    thread::Builder::new().name("reader".to_owned()).spawn(move || {
        let mut input = io::stdin().lock();
        // An input that cannot be read any more has ended.
        while let Ok(Some(line)) = read_line(&mut input) {
            if events.send(Event::Line(line)).is_err() {
                return;
            }
        }
        // Should nobody listen, the program has ended already.
        let _ = events.send(Event::EndOfInput);
    })?;
    Ok(())
}
