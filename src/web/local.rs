//! The page without a server and without threads.
//!
//! The browser itself hosts this program, as a WebAssembly module in a Web Worker. Requests and
//! responses are the same as with the server, but they are sent as messages. The host passes
//! requests to [`LocalPage::receive`], and calls [`LocalPage::step`] whenever no request is
//! waiting. A step does one task, such as an engine's move, and no request is handled in the
//! meantime.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::game::WebGame;
use super::game_review::Analysis;
use super::host::Host;
use super::likely_moves::ChartRequest;
use super::opponent::MadeOpponents;
use super::request::{Method, Refusal, Request};
use super::routes::{Reply, Routes};
use crate::config::built_in_settings;

/// The games and analyses of a page.
#[derive(Debug)]
pub struct LocalPage {
    routes: Routes,
    streams: Vec<Stream>,
}

/// A message with a request.
#[derive(Debug, Deserialize)]
struct RequestMessage {
    /// A number that identifies the request in its answers.
    id: u32,
    /// The path relative to the page, with its query.
    path: String,
    /// Whether the request has a body.
    post: bool,
}

/// A message with an answer to a request. An event stream has many answers.
#[derive(Debug, Serialize)]
struct Answer<'a> {
    id: u32,
    text: &'a str,
    /// Whether the text says why the request was refused.
    refused: bool,
}

/// An event stream that the page has opened.
#[derive(Debug)]
struct Stream {
    id: u32,
    source: Source,
}

#[derive(Debug)]
enum Source {
    /// A game, the name of its session, and the version that the page has seen.
    Game(String, Arc<WebGame>, u64),
    Chart(Box<ChartRequest>),
    Progress(Arc<Analysis>),
}

impl Default for LocalPage {
    fn default() -> LocalPage {
        let host = Host {
            config: built_in_settings(),
            engine: Vec::new(),
            made: MadeOpponents::default(),
            has_threads: false,
        };
        LocalPage { routes: Routes::new(host), streams: Vec::new() }
    }
}

impl LocalPage {
    /// Handles a request. `message` is JSON with the fields `id`, `path` and `post`. The answers
    /// are passed to `send` as JSON with the fields `id`, `text` and `refused`, now or in a later
    /// step.
    pub fn receive(&mut self, message: &str, body: Vec<u8>, send: &mut dyn FnMut(&str)) {
        // Only our own script sends messages.
        let Ok(RequestMessage { id, path, post }) = serde_json::from_str(message) else { return };
        let (path, query) = path.split_once('?').unwrap_or((&path, ""));
        let method = if post { Method::Post } else { Method::Get };
        let request = Request { method, path, query };
        let mut body = Some(body);
        let answer = self.routes.answer(&request, &mut |max| match body.take() {
            Some(body) if body.len() > max => Err(Refusal::TooLarge(max)),
            body => Ok(body.unwrap_or_default()),
        });
        let source = match answer {
            Err(refusal) => return send(&Answer::refusing(id, &refusal)),
            Ok(Reply::Json(json)) => return send(&Answer::of(id, &json.to_string())),
            Ok(Reply::Pgn(text) | Reply::Report(text)) => return send(&Answer::of(id, &text)),
            Ok(Reply::Game(name, game)) => Source::Game(name, game, 0),
            Ok(Reply::Chart(request)) => Source::Chart(request),
            Ok(Reply::Progress(analysis)) => Source::Progress(analysis),
        };
        self.streams.push(Stream { id, source });
        self.tell_news(send);
    }

    /// Ends the event stream that was opened by the request with this number.
    pub fn close(&mut self, id: u32) {
        self.streams.retain(|stream| stream.id != id);
    }

    /// Does the next task. Returns whether there was one.
    pub fn step(&mut self, send: &mut dyn FnMut(&str)) -> bool {
        let games = self.routes.games();
        // The player waits for moves and charts, but not for rating estimates.
        let has_worked = games.iter().any(|game| game.play())
            || self.run_stream(send)
            || games.iter().any(|game| game.read());
        // A flag may have fallen even if there was no task.
        self.tell_news(send);
        has_worked
    }

    /// Sends the states of games that have changed.
    fn tell_news(&mut self, send: &mut dyn FnMut(&str)) {
        for Stream { id, source } in &mut self.streams {
            let Source::Game(name, game, seen) = source else { continue };
            if let Some((version, state)) = game.news(name, *seen) {
                *seen = version;
                send(&Answer::of(*id, &state.to_string()));
            }
        }
    }

    /// Runs the first pending chart or analysis, and sends its events. Returns whether there was
    /// one.
    fn run_stream(&mut self, send: &mut dyn FnMut(&str)) -> bool {
        let is_work = |stream: &Stream| !matches!(stream.source, Source::Game(..));
        let Some(place) = self.streams.iter().position(is_work) else { return false };
        let Stream { id, source } = self.streams.remove(place);
        match source {
            Source::Game(..) => {}
            Source::Chart(request) => {
                // Sending a message cannot fail.
                let _ = request.run(&mut |event| {
                    let Some(event) = event else { return Ok(()) };
                    send(&Answer::of(id, &serde_json::to_string(event)?));
                    Ok(())
                });
            }
            Source::Progress(analysis) => {
                analysis.run(&mut |report| send(&Answer::of(id, &report.to_string())));
            }
        }
        true
    }
}

impl Answer<'_> {
    fn of(id: u32, text: &str) -> String {
        Answer { id, text, refused: false }.json()
    }

    fn refusing(id: u32, refusal: &Refusal) -> String {
        Answer { id, text: &refusal.to_string(), refused: true }.json()
    }

    fn json(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }
}
