//! The addresses of the server, each with its handler.

use std::collections::BTreeMap;
use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value as Json, json};

use super::access::{Access, secret};
use super::game::WebGame;
use super::game_review::{Analysis, AnalysisRequest, depths};
use super::host::Host;
use super::http::{Connection, Head, Method, Refusal};
use super::likely_moves::{ChartEngine, ChartRequest};
use super::opponent::{OpponentRequest, players_of_file};
use super::setup::Setup;
use crate::board::{Colour, colour_index};
use crate::player::{Elo, EloScale, TargetRating};
use crate::report::{BOARD_SCRIPT, CHART_SCRIPT, CHART_STYLE, PAGE_STYLE, VIEWER_STYLE};
use crate::selector::Family;
use crate::value::Depth;

const PAGE: &str = include_str!("page.html");
const STYLE: &str = include_str!("page.css");
/// The scripts of the page, each with its name.
const SCRIPTS: [(&str, &str); 11] = [
    ("board.js", BOARD_SCRIPT),
    ("moves_by_rating.js", CHART_SCRIPT),
    ("likely_moves.js", include_str!("likely_moves.js")),
    ("server.js", include_str!("server.js")),
    ("sound.js", include_str!("sound.js")),
    ("premove.js", include_str!("premove.js")),
    ("page.js", include_str!("page.js")),
    ("input.js", include_str!("input.js")),
    ("actions.js", include_str!("actions.js")),
    ("setup.js", include_str!("setup.js")),
    ("study.js", include_str!("study.js")),
];

const HTML: &str = "text/html; charset=utf-8";
const JAVASCRIPT: &str = "text/javascript; charset=utf-8";

/// The content security policy of the page: it communicates only with this server.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; \
    img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
/// The policy of an analysis page. The page is self-contained, so it may not load anything. The
/// sandbox gives it its own origin, so that it cannot access the board page.
const SANDBOX: &str = "sandbox allow-scripts; default-src 'none'; script-src 'unsafe-inline'; \
    style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'; \
    frame-ancestors 'none'";

/// The maximum size of a JSON request in bytes.
const MAX_JSON_SIZE: usize = 1 << 20;
/// The maximum size of uploaded games in bytes.
const MAX_FILE_SIZE: usize = 16 << 20;
/// The maximum number of games that are kept. The page can restore older ones.
const MAX_SESSIONS: usize = 6;
/// The maximum number of players in a file that the page lists.
const MAX_PLAYERS: usize = 1000;
/// The maximum number of analyses that are kept.
const MAX_ANALYSES: usize = 3;
/// The time between checks that the client of a silent event stream is still connected.
const KEEP_ALIVE: Duration = Duration::from_secs(5);

/// Objects of one kind by their names, each with the time of its last use.
#[derive(Debug)]
struct Registry<T> {
    entries: Mutex<BTreeMap<String, (Instant, Arc<T>)>>,
}

impl<T> Default for Registry<T> {
    fn default() -> Registry<T> {
        Registry { entries: Mutex::default() }
    }
}

impl<T> Registry<T> {
    fn lock(&self) -> MutexGuard<'_, BTreeMap<String, (Instant, Arc<T>)>> {
        self.entries.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn get(&self, name: Option<&str>) -> Option<Arc<T>> {
        let mut entries = self.lock();
        let (used, object) = entries.get_mut(name?)?;
        *used = Instant::now();
        Some(Arc::clone(object))
    }
}

/// Inserts an object. If the registry is full, removes and returns the least recently used one.
fn insert<T>(
    entries: &mut BTreeMap<String, (Instant, Arc<T>)>,
    name: &str,
    object: Arc<T>,
    max: usize,
) -> Option<Arc<T>> {
    let oldest = entries.iter().min_by_key(|(_, (used, _))| *used).map(|(name, _)| name.clone());
    let removed = oldest.filter(|_| entries.len() >= max).and_then(|name| entries.remove(&name));
    entries.insert(name.to_owned(), (Instant::now(), object));
    removed.map(|(_, object)| object)
}

/// The state of the server that requests share.
#[derive(Debug)]
pub struct Routes {
    host: Host,
    pub access: Access,
    sessions: Registry<WebGame>,
    analyses: Registry<Analysis>,
    charts: Arc<ChartEngine>,
}

/// A response to a request.
#[derive(Debug)]
pub enum Reply {
    /// The media type, the content security policy and the text.
    Text(&'static str, &'static str, String),
    /// A redirection to the page, for a request without the last slash of its path.
    Redirect(String),
    /// A PGN file to save.
    Pgn(String),
    /// The event stream of a game, and the name of its session.
    Game(String, Arc<WebGame>),
    /// The event stream of an analysis.
    Progress(Arc<Analysis>),
    /// The event stream of a chart.
    Chart(Arc<ChartEngine>, Box<ChartRequest>),
}

/// An action of the person at the board.
#[derive(Deserialize)]
#[serde(tag = "act", rename_all = "lowercase", deny_unknown_fields)]
enum GameAction {
    Move { text: String },
    Undo,
    Draw,
    Resign,
    Hint,
}

impl Routes {
    pub fn new(host: Host, access: Access) -> Routes {
        let (sessions, analyses) = (Registry::default(), Registry::default());
        Routes { host, access, sessions, analyses, charts: Arc::default() }
    }

    /// Handles a request.
    pub fn answer(&self, connection: &mut Connection, head: &Head) -> Result<Reply, Refusal> {
        let path = self.access.check(head)?;
        connection.trust();
        let Some(path) = path else { return Ok(Reply::Redirect(self.access.path())) };
        let text = |kind, text: &str| Ok(Reply::Text(kind, POLICY, text.to_owned()));
        match (head.method, path) {
            (Method::Get, "") => text(HTML, PAGE),
            (Method::Get, "page.css") => text(
                "text/css; charset=utf-8",
                &[PAGE_STYLE, VIEWER_STYLE, CHART_STYLE, STYLE].concat(),
            ),
            (Method::Get, "choices") => Ok(reply(&self.choices())),
            (Method::Get, "state") => {
                Ok(reply(&match self.sessions.get(head.query_value("session")) {
                    Some(session) => {
                        show(head.query_value("session").unwrap_or_default(), &session)
                    }
                    None => json!({"gone": true}),
                }))
            }
            (Method::Get, "events") => {
                let session = self.session(head)?;
                Ok(Reply::Game(head.query_value("session").unwrap_or_default().to_owned(), session))
            }
            (Method::Get, "likely") => self.likely(head),
            (Method::Get, "pgn") => Ok(Reply::Pgn(pgn(&*self.session(head)?))),
            (Method::Get, "progress") => Ok(Reply::Progress(self.analysis(head)?)),
            (Method::Get, "analysis") => {
                let page = self.analysis(head)?.page().ok_or(Refusal::NotFound)?;
                Ok(Reply::Text(HTML, SANDBOX, page))
            }
            (Method::Post, "game") => {
                Ok(reply(&self.start_game(head, &read_json(connection, head)?)?))
            }
            (Method::Post, "act") => Ok(reply(&self.act(head, read_json(connection, head)?)?)),
            (Method::Post, "read") => {
                let session = self.session(head)?;
                // The body is not used but must be read. Requests for unknown games have already
                // been refused.
                connection.body(head, MAX_JSON_SIZE)?;
                self.analyse(head, pgn(&session).into_bytes(), student(&session))
            }
            (Method::Post, "games") => {
                let pgn = connection.body(head, MAX_FILE_SIZE)?;
                self.analyse(head, pgn, None)
            }
            (Method::Post, "players") => {
                let pgn = connection.body(head, MAX_FILE_SIZE)?;
                let mut players = players_of_file(&pgn);
                players.truncate(MAX_PLAYERS);
                Ok(reply(&json!({ "players": players })))
            }
            (Method::Post, "opponent") => {
                let pgn = connection.body(head, MAX_FILE_SIZE)?;
                let request = self.opponent_request(head)?;
                self.start_analysis(head, |depth, hash| AnalysisRequest {
                    pgn,
                    depth,
                    student: None,
                    opponent: Some(request),
                    hash,
                })
            }
            (Method::Post, "stop") => {
                connection.body(head, MAX_JSON_SIZE)?;
                self.analysis(head)?.stop();
                Ok(reply(&json!({})))
            }
            (Method::Get, name) => {
                let script = SCRIPTS.iter().find(|(script, _)| *script == name);
                script.map_or(Err(Refusal::NotFound), |(_, script)| text(JAVASCRIPT, script))
            }
            _ => Err(Refusal::NotFound),
        }
    }

    fn session(&self, head: &Head) -> Result<Arc<WebGame>, Refusal> {
        self.sessions.get(head.query_value("session")).ok_or(Refusal::NotFound)
    }

    fn analysis(&self, head: &Head) -> Result<Arc<Analysis>, Refusal> {
        self.analyses.get(head.query_value("analysis")).ok_or(Refusal::NotFound)
    }

    /// Starts the chart of the likely moves in a position of a game.
    fn likely(&self, head: &Head) -> Result<Reply, Refusal> {
        let session = self.session(head)?;
        let plies = head.query_value("ply").and_then(|plies| plies.parse().ok());
        let plies =
            plies.ok_or_else(|| Refusal::Invalid("the request needs a ply number".to_owned()))?;
        let scale = head.query_value("scale").map_or(Ok(EloScale::default()), str::parse);
        let scale = scale.map_err(|error| Refusal::Invalid(error.to_string()))?;
        let request = session.chart(plies, scale).ok_or(Refusal::NotFound)?;
        Ok(Reply::Chart(Arc::clone(&self.charts), Box::new(request)))
    }

    /// Returns the choices that the page offers for a new game.
    fn choices(&self) -> Json {
        let scale = |scale: EloScale| {
            let range = TargetRating::new(Elo(0.0), None, scale).range();
            json!({"name": scale.name(), "low": range.start(), "high": range.end()})
        };
        let profiles = self.host.profiles();
        let profiles: Vec<Json> = profiles
            .iter()
            .map(|p| json!({"name": p.name, "description": p.description}))
            .collect();
        let curves =
            Family::ALL.iter().filter(|(_, curve)| curve.parameter_names().contains(&"competence"));
        let curves: Vec<&str> = curves.map(|(name, _)| *name).collect();
        let engine = self.host.engine.iter().find_map(|word| word.strip_prefix("engine="));
        let [quick, thorough] = depths();
        json!({
            "scales": EloScale::ALL.map(scale),
            "profiles": profiles,
            "curves": curves,
            "engine": engine,
            "depths": [quick, thorough],
        })
    }

    /// Starts a game, either in the session of this tab or in a new one. If the setup is invalid,
    /// the response contains an error message for the user.
    fn start_game(&self, head: &Head, setup: &Setup) -> Result<Json, Refusal> {
        let prepared = match setup.prepare(&self.host) {
            Ok(prepared) => prepared,
            Err(error) => return Ok(json!({"error": error})),
        };
        if let Some(session) = self.sessions.get(head.query_value("session")) {
            session.start_new_game(prepared);
            return Ok(show(head.query_value("session").unwrap_or_default(), &session));
        }
        let name = secret().map_err(|_| Refusal::Busy)?;
        let session = WebGame::open(prepared, &self.host).map_err(|_| Refusal::Busy)?;
        let session = Arc::new(session);
        let mut sessions = self.sessions.lock();
        if let Some(removed) = insert(&mut sessions, &name, Arc::clone(&session), MAX_SESSIONS) {
            removed.session.close();
        }
        drop(sessions);
        Ok(show(&name, &session))
    }

    /// Carries out an action of the person. If it is not allowed, nothing changes and the error
    /// says why.
    fn act(&self, head: &Head, action: GameAction) -> Result<Json, Refusal> {
        let session = self.session(head)?;
        let outcome = session.session.change(|state| match action {
            GameAction::Move { text } => state.play(&text),
            GameAction::Undo => state.take_back(),
            GameAction::Draw => state.draw(),
            GameAction::Resign => state.resign(),
            GameAction::Hint => state.ask_for_hint(),
        });
        let mut shown = show(head.query_value("session").unwrap_or_default(), &session);
        if let (Err(error), Some(fields)) = (outcome, shown.as_object_mut()) {
            fields.insert("error".to_owned(), json!(error));
        }
        Ok(shown)
    }

    /// Reads a request for an opponent from a query: the player's index, the kind of the games, and
    /// whether to save the opponent.
    fn opponent_request(&self, head: &Head) -> Result<OpponentRequest, Refusal> {
        let index = head.query_value("player").and_then(|index| index.parse().ok());
        let index = index
            .ok_or_else(|| Refusal::Invalid("the request needs a player number".to_owned()))?;
        let scale = head.query_value("scale").and_then(|name| name.parse::<EloScale>().ok());
        let kind = scale.unwrap_or_default().pool();
        let is_kept = head.query_value("keep") == Some("1");
        Ok(OpponentRequest { index, kind, is_kept, made: self.host.made.clone() })
    }

    /// Starts an analysis of games for a report.
    fn analyse(
        &self,
        head: &Head,
        pgn: Vec<u8>,
        student: Option<(Colour, Elo)>,
    ) -> Result<Reply, Refusal> {
        self.start_analysis(head, |depth, hash| AnalysisRequest {
            pgn,
            depth,
            student,
            opponent: None,
            hash,
        })
    }

    /// Starts an analysis, unless one is already running. `request` receives the search depth and
    /// the hash size.
    fn start_analysis(
        &self,
        head: &Head,
        request: impl FnOnce(Depth, usize) -> AnalysisRequest,
    ) -> Result<Reply, Refusal> {
        let depth = head.query_value("depth").and_then(|depth| depth.parse().ok());
        let depth = depth.filter(|depth| depths().contains(depth)).unwrap_or(depths()[0]);
        // The lock is held until the analysis has started, so that two simultaneous requests cannot
        // each start one.
        let mut analyses = self.analyses.lock();
        if analyses.values().any(|(_, analysis)| !analysis.is_over()) {
            let error = "an analysis is already running; stop it first";
            return Ok(reply(&json!({"error": error})));
        }
        let name = secret().map_err(|_| Refusal::Busy)?;
        let hash = usize::try_from(self.host.config.hash).unwrap_or(1).min(MAX_HASH);
        let analysis = Analysis::start(request(depth, hash)).map_err(|_| Refusal::Busy)?;
        insert(&mut analyses, &name, analysis, MAX_ANALYSES);
        Ok(reply(&json!({"analysis": name})))
    }
}

/// The maximum hash size of each analysis thread in MiB.
const MAX_HASH: usize = 16;

/// Returns the person's side and the rating that the person's moves suggest so far.
fn student(session: &WebGame) -> Option<(Colour, Elo)> {
    session.session.look(|state| {
        let human = state.casual.human;
        let point = state.ratings[colour_index(human)].last()?;
        state.casual.is_person(human).then_some((human, Elo(point.rating)))
    })
}

fn pgn(session: &WebGame) -> String {
    session.pgn()
}

fn show(name: &str, session: &WebGame) -> Json {
    session.show(name)
}

fn reply(json: &Json) -> Reply {
    Reply::Text("application/json", POLICY, json.to_string())
}

/// Reads a JSON request.
fn read_json<T: DeserializeOwned>(connection: &mut Connection, head: &Head) -> Result<T, Refusal> {
    let body = connection.body(head, MAX_JSON_SIZE)?;
    serde_json::from_slice(&body).map_err(|error| Refusal::Invalid(error.to_string()))
}

impl Reply {
    /// Returns whether sending the response takes longer than a request may.
    pub fn is_stream(&self) -> bool {
        matches!(self, Reply::Game(..) | Reply::Progress(_) | Reply::Chart(..))
    }

    /// Sends the response. An event stream ends with its game or analysis, or when the client
    /// disconnects.
    pub fn send(self, connection: Connection) -> io::Result<()> {
        match self {
            Reply::Text(kind, policy, text) => connection.answer(kind, policy, text.as_bytes()),
            Reply::Redirect(address) => connection.redirect(&address),
            Reply::Pgn(pgn) => {
                connection.download("application/x-chess-pgn", "game.pgn", pgn.as_bytes())
            }
            Reply::Game(name, session) => {
                let mut events = connection.events()?;
                let mut seen = 0;
                while !session.session.look(|state| state.closed) {
                    match session.wait(&name, seen, KEEP_ALIVE) {
                        Some((version, state)) => {
                            seen = version;
                            events.send(&state.to_string())?;
                        }
                        None => events.keep_alive()?,
                    }
                }
                Ok(())
            }
            Reply::Chart(engine, request) => {
                let mut events = connection.events()?;
                engine.run(&request, &mut |event| {
                    let json = serde_json::to_string(event).map_err(io::Error::other)?;
                    events.send(&json)
                })
            }
            Reply::Progress(analysis) => {
                let mut events = connection.events()?;
                let mut seen = u64::MAX;
                loop {
                    match analysis.wait(seen, KEEP_ALIVE) {
                        Some((version, report, is_last)) => {
                            seen = version;
                            events.send(&report.to_string())?;
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
