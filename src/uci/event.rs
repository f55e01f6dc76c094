//! The events of the UCI front end, and the thread that reads standard input.

use std::io;
use std::sync::mpsc::Sender;
use std::thread;

use super::input::{InputLine, read_line};
use crate::session;

/// An event that the loop of a [`Session`](super::Session) reacts to.
#[derive(Debug)]
pub enum Event {
    /// A line from the GUI.
    Line(InputLine),
    /// The input has ended, or reading it failed.
    EndOfInput,
    /// A message from the worker.
    Job(session::Event),
}

impl From<session::Event> for Event {
    fn from(event: session::Event) -> Event {
        Event::Job(event)
    }
}

/// Starts the thread that reads standard input. The thread ends at the end of the input.
pub fn listen(events: Sender<Event>) -> io::Result<()> {
    thread::Builder::new().name("reader".to_owned()).spawn(move || {
        let mut input = io::stdin().lock();
        // A read error counts as the end of the input.
        while let Ok(Some(line)) = read_line(&mut input) {
            if events.send(Event::Line(line)).is_err() {
                return;
            }
        }
        // An error means that the loop has already ended.
        let _ = events.send(Event::EndOfInput);
    })?;
    Ok(())
}
