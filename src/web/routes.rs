//! What there is at which address.

use std::collections::BTreeMap;
use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value as Json, json};

use super::access::{Access, secret};
use super::game::WebGame;
use super::host::Host;
use super::http::{Connection, Head, Method, Refusal};
use super::reading::{Reading, ReadingWork, depths};
use super::setup::Setup;
use crate::board::{Colour, place_of};
use crate::player::{Elo, EloScale, TargetRating};
use crate::report::{BOARD_SCRIPT, PAGE_STYLE, VIEWER_STYLE};
use crate::selector::Family;

const PAGE: &str = include_str!("page.html");
const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");

const HTML: &str = "text/html; charset=utf-8";
const JAVASCRIPT: &str = "text/javascript; charset=utf-8";

/// The page gets everything from here, and sends nothing elsewhere.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; \
    img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
/// An analysis brings all it needs with it; it may fetch nothing, and is a stranger to the rest.
const SANDBOX: &str = "sandbox allow-scripts; default-src 'none'; script-src 'unsafe-inline'; \
    style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'; \
    frame-ancestors 'none'";

/// Bytes of what the page says, and of games.
const LARGEST_WORD: usize = 1 << 20;
const LARGEST_FILE: usize = 16 << 20;
/// Tables and analyses that are kept: the page can restore a game that was given up.
const MOST_SESSIONS: usize = 6;
const MOST_READINGS: usize = 3;
/// So often it is seen whether somebody still listens.
const PULSE: Duration = Duration::from_secs(5);

/// The things of one kind that the page has made, by their names.
#[derive(Debug)]
struct Shelf<T> {
    things: Mutex<BTreeMap<String, (Instant, Arc<T>)>>,
}

impl<T> Default for Shelf<T> {
    fn default() -> Shelf<T> {
        Shelf { things: Mutex::default() }
    }
}

impl<T> Shelf<T> {
    fn lock(&self) -> MutexGuard<'_, BTreeMap<String, (Instant, Arc<T>)>> {
        self.things.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn get(&self, name: Option<&str>) -> Option<Arc<T>> {
        let mut things = self.lock();
        let (used, thing) = things.get_mut(name?)?;
        *used = Instant::now();
        Some(Arc::clone(thing))
    }
}

/// Keeps a thing. The one that has not been used for longest makes room for it and comes back.
fn keep<T>(
    things: &mut BTreeMap<String, (Instant, Arc<T>)>,
    name: &str,
    thing: Arc<T>,
    most: usize,
) -> Option<Arc<T>> {
    let oldest = things.iter().min_by_key(|(_, (used, _))| *used).map(|(name, _)| name.clone());
    let gone = oldest.filter(|_| things.len() >= most).and_then(|name| things.remove(&name));
    things.insert(name.to_owned(), (Instant::now(), thing));
    gone.map(|(_, thing)| thing)
}

/// All addresses, and what is behind them.
#[derive(Debug)]
pub struct Routes {
    host: Host,
    pub access: Access,
    sessions: Shelf<WebGame>,
    readings: Shelf<Reading>,
}

/// An answer that can be given.
#[derive(Debug)]
pub enum Reply {
    /// Its type, what it may do, and the text itself.
    Text(&'static str, &'static str, String),
    Pgn(String),
    Game(String, Arc<WebGame>),
    Progress(Arc<Reading>),
}

/// What the human does.
#[derive(Deserialize)]
#[serde(tag = "act", rename_all = "lowercase", deny_unknown_fields)]
enum Act {
    Move { text: String },
    Undo,
    Draw,
    Resign,
}

impl Routes {
    pub fn new(host: Host, access: Access) -> Routes {
        Routes { host, access, sessions: Shelf::default(), readings: Shelf::default() }
    }

    /// What a request is answered with.
    pub fn answer(&self, connection: &mut Connection, head: &Head) -> Result<Reply, Refusal> {
        let place = self.access.check(head)?;
        let text = |kind, text: &str| Ok(Reply::Text(kind, POLICY, text.to_owned()));
        match (head.method, place) {
            (Method::Get, "") => text(HTML, PAGE),
            (Method::Get, "page.css") => {
                text("text/css; charset=utf-8", &[PAGE_STYLE, VIEWER_STYLE, STYLE].concat())
            }
            (Method::Get, "board.js") => text(JAVASCRIPT, BOARD_SCRIPT),
            (Method::Get, "page.js") => text(JAVASCRIPT, SCRIPT),
            (Method::Get, "choices") => Ok(reply(&self.choices())),
            (Method::Get, "state") => Ok(reply(&match self.sessions.get(head.word("session")) {
                Some(session) => show(head.word("session").unwrap_or_default(), &session),
                None => json!({"gone": true}),
            })),
            (Method::Get, "events") => {
                let session = self.session(head)?;
                Ok(Reply::Game(head.word("session").unwrap_or_default().to_owned(), session))
            }
            (Method::Get, "pgn") => Ok(Reply::Pgn(pgn(&*self.session(head)?))),
            (Method::Get, "reading") => Ok(Reply::Progress(self.reading(head)?)),
            (Method::Get, "analysis") => {
                let page = self.reading(head)?.page().ok_or(Refusal::NotFound)?;
                Ok(Reply::Text(HTML, SANDBOX, page))
            }
            (Method::Post, "game") => Ok(reply(&self.sit_down(head, &words(connection, head)?)?)),
            (Method::Post, "act") => Ok(reply(&self.act(head, words(connection, head)?)?)),
            (Method::Post, "read") => {
                let session = self.session(head)?;
                // What is not there to be asked for need not be read.
                connection.body(head, LARGEST_WORD)?;
                self.read(head, pgn(&session).into_bytes(), pupil(&session))
            }
            (Method::Post, "games") => {
                let pgn = connection.body(head, LARGEST_FILE)?;
                self.read(head, pgn, None)
            }
            (Method::Post, "stop") => {
                connection.body(head, LARGEST_WORD)?;
                self.reading(head)?.stop();
                Ok(reply(&json!({})))
            }
            _ => Err(Refusal::NotFound),
        }
    }

    fn session(&self, head: &Head) -> Result<Arc<WebGame>, Refusal> {
        self.sessions.get(head.word("session")).ok_or(Refusal::NotFound)
    }

    fn reading(&self, head: &Head) -> Result<Arc<Reading>, Refusal> {
        self.readings.get(head.word("reading")).ok_or(Refusal::NotFound)
    }

    /// What there is to choose from in a new game.
    fn choices(&self) -> Json {
        let range = |scale| TargetRating::new(Elo(0.0), None, scale).range();
        let [fide, lichess] = [EloScale::Fide, EloScale::LichessBlitz].map(range);
        let profiles = self.host.config.profiles.iter();
        let profiles: Vec<Json> =
            profiles.map(|p| json!({"name": p.name, "description": p.description})).collect();
        let curves =
            Family::ALL.iter().filter(|(_, curve)| curve.numbers().contains(&"competence"));
        let curves: Vec<&str> = curves.map(|(name, _)| *name).collect();
        let engine = self.host.engine.iter().find_map(|word| word.strip_prefix("engine="));
        let [quick, thorough] = depths();
        json!({
            "levels": [[fide.start(), fide.end()], [lichess.start(), lichess.end()]],
            "profiles": profiles,
            "curves": curves,
            "engine": engine,
            "depths": [quick, thorough],
        })
    }

    /// Another game, at the table of this tab or a new one. A wish that cannot be met is explained.
    fn sit_down(&self, head: &Head, wish: &Setup) -> Result<Json, Refusal> {
        let prepared = match wish.prepare(&self.host) {
            Ok(prepared) => prepared,
            Err(error) => return Ok(json!({"error": error})),
        };
        if let Some(session) = self.sessions.get(head.word("session")) {
            session.start_anew(prepared);
            return Ok(show(head.word("session").unwrap_or_default(), &session));
        }
        let name = secret().map_err(|_| Refusal::Busy)?;
        let session = WebGame::open(prepared, &self.host).map_err(|_| Refusal::Busy)?;
        let session = Arc::new(session);
        let mut sessions = self.sessions.lock();
        if let Some(gone) = keep(&mut sessions, &name, Arc::clone(&session), MOST_SESSIONS) {
            gone.session.close();
        }
        drop(sessions);
        Ok(show(&name, &session))
    }

    /// Does what the human wants. What cannot be done is explained, and nothing changes.
    fn act(&self, head: &Head, act: Act) -> Result<Json, Refusal> {
        let session = self.session(head)?;
        let outcome = session.session.change(|state| match act {
            Act::Move { text } => state.play(&text),
            Act::Undo => state.take_back(),
            Act::Draw => state.draw(),
            Act::Resign => state.resign(),
        });
        let mut shown = show(head.word("session").unwrap_or_default(), &session);
        if let (Err(error), Some(fields)) = (outcome, shown.as_object_mut()) {
            fields.insert("error".to_owned(), json!(error));
        }
        Ok(shown)
    }

    /// Begins to read games, one lot at a time.
    fn read(
        &self,
        head: &Head,
        pgn: Vec<u8>,
        pupil: Option<(Colour, Elo)>,
    ) -> Result<Reply, Refusal> {
        let depth = head.word("depth").and_then(|depth| depth.parse().ok());
        let depth = depth.filter(|depth| depths().contains(depth)).unwrap_or(depths()[0]);
        // Locked until it has started: of two requests at the same time only one may be the first.
        let mut readings = self.readings.lock();
        if readings.values().any(|(_, reading)| !reading.is_over()) {
            let error = "games are being read already; stop that first";
            return Ok(reply(&json!({"error": error})));
        }
        let name = secret().map_err(|_| Refusal::Busy)?;
        let hash = usize::try_from(self.host.config.hash).unwrap_or(1).min(LARGEST_HASH);
        let work = ReadingWork { pgn, depth, pupil, hash };
        let reading = Reading::start(work).map_err(|_| Refusal::Busy)?;
        keep(&mut readings, &name, reading, MOST_READINGS);
        Ok(reply(&json!({"reading": name})))
    }
}

/// MiB for each thread that reads.
const LARGEST_HASH: usize = 16;

/// The human at a table, and what rating the moves so far speak for.
fn pupil(session: &WebGame) -> Option<(Colour, Elo)> {
    session.session.look(|state| {
        let human = state.table.human;
        let point = state.ratings[place_of(human)].last()?;
        state.table.is_person(human).then_some((human, Elo(point.rating)))
    })
}

fn pgn(session: &WebGame) -> String {
    session.session.look(|state| state.table.pgn(&state.seats, state.began))
}

fn show(name: &str, session: &WebGame) -> Json {
    session.show(name)
}

fn reply(json: &Json) -> Reply {
    Reply::Text("application/json", POLICY, json.to_string())
}

/// What the page says in JSON.
fn words<T: DeserializeOwned>(connection: &mut Connection, head: &Head) -> Result<T, Refusal> {
    let body = connection.body(head, LARGEST_WORD)?;
    serde_json::from_slice(&body).map_err(|error| Refusal::Wrong(error.to_string()))
}

impl Reply {
    /// Gives it; streams as long as there is something to tell and somebody to hear it.
    pub fn send(self, connection: Connection) -> io::Result<()> {
        match self {
            Reply::Text(kind, policy, text) => connection.answer(kind, policy, text.as_bytes()),
            Reply::Pgn(pgn) => {
                connection.download("application/x-chess-pgn", "game.pgn", pgn.as_bytes())
            }
            Reply::Game(name, session) => {
                let mut events = connection.events()?;
                let mut seen = 0;
                while !session.session.look(|state| state.closed) {
                    match session.wait(&name, seen, PULSE) {
                        Some((version, state)) => {
                            seen = version;
                            events.tell(&state.to_string())?;
                        }
                        None => events.keep_alive()?,
                    }
                }
                Ok(())
            }
            Reply::Progress(reading) => {
                let mut events = connection.events()?;
                let mut seen = u64::MAX;
                loop {
                    match reading.wait(seen, PULSE) {
                        Some((version, word, is_last)) => {
                            seen = version;
                            events.tell(&word.to_string())?;
                            if is_last {
                                return Ok(());
                            }
                        }
                        None => events.keep_alive()?,
                    }
                }
            }
        }
    }
}
