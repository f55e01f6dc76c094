//! The requests that the page can send, each with its handler. The handlers do not depend on how a
//! request arrives.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value as Json, json};

#[cfg(feature = "program")]
use super::access::secret;
use super::game::WebGame;
use super::game_review::{Analysis, AnalysisRequest, depths};
use super::host::Host;
use super::likely_moves::ChartRequest;
use super::opponent::{OpponentRequest, players_of_file};
use super::request::{Method, ReadBody, Refusal, Request};
use super::setup::Setup;
use crate::board::{Colour, colour_index};
use crate::clock::Instant;
#[cfg(not(feature = "program"))]
use crate::fresh::fresh_number;
use crate::player::{Elo, EloScale, TargetRating};
use crate::selector::Family;
use crate::value::Depth;

/// The maximum size of a JSON request in bytes.
const MAX_JSON_SIZE: usize = 1 << 20;
/// The maximum size of uploaded games in bytes.
const MAX_FILE_SIZE: usize = 16 << 20;
/// The maximum number of games that are kept. The page can restore older ones.
const MAX_SESSIONS: usize = 6;
/// The maximum number of players that the page lists for a file.
const MAX_PLAYERS: usize = 1000;
/// The maximum number of analyses that are kept.
const MAX_ANALYSES: usize = 3;

/// Objects of one kind by name, each with the time of its last use.
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

/// Inserts an object. If the registry is full, removes and returns the least recently used one. An
/// object that a stream is sending is removed only if all are.
fn insert<T>(
    entries: &mut BTreeMap<String, (Instant, Arc<T>)>,
    name: &str,
    object: Arc<T>,
    max: usize,
) -> Option<Arc<T>> {
    let last_use = |object: &Arc<T>, used: Instant| (Arc::strong_count(object) > 1, used);
    let oldest = entries.iter().min_by_key(|(_, (used, object))| last_use(object, *used));
    let oldest = oldest.map(|(name, _)| name.clone());
    let removed = oldest.filter(|_| entries.len() >= max).and_then(|name| entries.remove(&name));
    entries.insert(name.to_owned(), (Instant::now(), object));
    removed.map(|(_, object)| object)
}

/// The server state that all requests share.
#[derive(Debug)]
pub struct Routes {
    host: Host,
    sessions: Registry<WebGame>,
    analyses: Registry<Analysis>,
}

/// A response to a request.
#[derive(Debug)]
pub enum Reply {
    Json(Json),
    /// A PGN file to save.
    Pgn(String),
    /// The page of a finished analysis.
    Report(String),
    /// The event stream of a game, and the name of its session.
    Game(String, Arc<WebGame>),
    /// The event stream of an analysis.
    Progress(Arc<Analysis>),
    /// The event stream of a chart.
    Chart(Box<ChartRequest>),
}

/// An action by the person at the board.
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
    pub fn new(host: Host) -> Routes {
        let (sessions, analyses) = (Registry::default(), Registry::default());
        Routes { host, sessions, analyses }
    }

    /// All games.
    pub fn games(&self) -> Vec<Arc<WebGame>> {
        self.sessions.lock().values().map(|(_, game)| Arc::clone(game)).collect()
    }

    /// Handles a request. `read` reads its body.
    pub fn answer(&self, request: &Request<'_>, read: &mut ReadBody<'_>) -> Result<Reply, Refusal> {
        match (request.method, request.path) {
            (Method::Get, "choices") => Ok(Reply::Json(self.choices())),
            (Method::Get, "state") => {
                let name = request.query_value("session");
                Ok(Reply::Json(match self.sessions.get(name) {
                    Some(session) => session.show(name.unwrap_or_default()),
                    None => json!({"gone": true}),
                }))
            }
            (Method::Get, "events") => {
                let session = self.session(request)?;
                let name = request.query_value("session").unwrap_or_default();
                Ok(Reply::Game(name.to_owned(), session))
            }
            (Method::Get, "likely") => self.likely(request),
            (Method::Get, "pgn") => Ok(Reply::Pgn(self.session(request)?.pgn())),
            (Method::Get, "lesson") => {
                let session = self.session(request)?;
                // The players did not make the moves before this game.
                Ok(Reply::Json(json!({"pgn": session.own_pgn(), "student": student(&session)})))
            }
            (Method::Get, "progress") => Ok(Reply::Progress(self.analysis(request)?)),
            (Method::Get, "analysis") => {
                let analysis = self.analyses.get(request.query_value("analysis"));
                let page = analysis.and_then(|analysis| analysis.page());
                Ok(Reply::Report(page.ok_or(Refusal::NoReport)?))
            }
            (Method::Post, "game") => Ok(Reply::Json(self.start_game(request, &read_json(read)?)?)),
            (Method::Post, "act") => Ok(Reply::Json(self.act(request, read_json(read)?)?)),
            (Method::Post, "games") => {
                let pgn = read(MAX_FILE_SIZE)?;
                let student = named_student(request)?;
                self.start_analysis(request, |depth, hash| AnalysisRequest {
                    pgn,
                    depth,
                    student,
                    opponent: None,
                    hash,
                })
            }
            (Method::Post, "players") => {
                let mut players = players_of_file(&read(MAX_FILE_SIZE)?);
                players.truncate(MAX_PLAYERS);
                Ok(Reply::Json(json!({ "players": players })))
            }
            (Method::Post, "opponent") => {
                let pgn = read(MAX_FILE_SIZE)?;
                let opponent = self.opponent_request(request)?;
                self.start_analysis(request, |depth, hash| AnalysisRequest {
                    pgn,
                    depth,
                    student: None,
                    opponent: Some(opponent),
                    hash,
                })
            }
            (Method::Post, "stop") => {
                read(MAX_JSON_SIZE)?;
                self.analysis(request)?.stop();
                Ok(Reply::Json(json!({})))
            }
            _ => Err(Refusal::NotFound),
        }
    }

    fn session(&self, request: &Request<'_>) -> Result<Arc<WebGame>, Refusal> {
        self.sessions.get(request.query_value("session")).ok_or(Refusal::NoGame)
    }

    fn analysis(&self, request: &Request<'_>) -> Result<Arc<Analysis>, Refusal> {
        self.analyses.get(request.query_value("analysis")).ok_or(Refusal::NotFound)
    }

    /// Starts the chart of the likely moves in a position of a game.
    fn likely(&self, request: &Request<'_>) -> Result<Reply, Refusal> {
        let session = self.session(request)?;
        let plies = request.query_value("ply").and_then(|plies| plies.parse().ok());
        let plies =
            plies.ok_or_else(|| Refusal::Invalid("the request needs a ply number".to_owned()))?;
        let scale = request.query_value("scale").map_or(Ok(EloScale::default()), str::parse);
        let scale = scale.map_err(|error| Refusal::Invalid(error.to_string()))?;
        let request = session.chart(plies, scale).ok_or(Refusal::NotFound)?;
        Ok(Reply::Chart(Box::new(request)))
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
            // Opponents made from games can be saved only if there is a server.
            "opponents": self.host.has_threads,
        })
    }

    /// Starts a game, either in the session of this tab or in a new one. If the setup is invalid,
    /// the response contains an error message for the user.
    fn start_game(&self, request: &Request<'_>, setup: &Setup) -> Result<Json, Refusal> {
        let prepared = match setup.prepare(&self.host) {
            Ok(prepared) => prepared,
            Err(error) => return Ok(json!({"error": error})),
        };
        if let Some(session) = self.sessions.get(request.query_value("session")) {
            session.start_new_game(prepared);
            return Ok(session.show(request.query_value("session").unwrap_or_default()));
        }
        let name = new_name()?;
        let session = WebGame::open(prepared, &self.host).map_err(|_| Refusal::Busy)?;
        let session = Arc::new(session);
        let mut sessions = self.sessions.lock();
        if let Some(removed) = insert(&mut sessions, &name, Arc::clone(&session), MAX_SESSIONS) {
            removed.session.close();
        }
        drop(sessions);
        Ok(session.show(&name))
    }

    /// Carries out an action by the person. If it is not allowed, nothing changes and the error
    /// says why.
    fn act(&self, request: &Request<'_>, action: GameAction) -> Result<Json, Refusal> {
        let session = self.session(request)?;
        let outcome = session.session.change(|state| match action {
            GameAction::Move { text } => state.play(&text),
            GameAction::Undo => state.take_back(),
            GameAction::Draw => state.draw(),
            GameAction::Resign => state.resign(),
            GameAction::Hint => state.ask_for_hint(),
        });
        let mut shown = session.show(request.query_value("session").unwrap_or_default());
        if let (Err(error), Some(fields)) = (outcome, shown.as_object_mut()) {
            fields.insert("error".to_owned(), json!(error));
        }
        Ok(shown)
    }

    /// Reads a request for an opponent from a query: the player's index, the kind of games, and
    /// whether to save the opponent.
    fn opponent_request(&self, request: &Request<'_>) -> Result<OpponentRequest, Refusal> {
        let index = request.query_value("player").and_then(|index| index.parse().ok());
        let index = index
            .ok_or_else(|| Refusal::Invalid("the request needs a player number".to_owned()))?;
        let scale = request.query_value("scale").and_then(|name| name.parse::<EloScale>().ok());
        let kind = scale.unwrap_or_default().pool();
        let is_kept = request.query_value("keep") == Some("1");
        Ok(OpponentRequest { index, kind, is_kept, made: self.host.made.clone() })
    }

    /// Starts an analysis, unless one is already running. `make` receives the search depth and the
    /// hash size.
    fn start_analysis(
        &self,
        request: &Request<'_>,
        make: impl FnOnce(Depth, usize) -> AnalysisRequest,
    ) -> Result<Reply, Refusal> {
        let depth = request.query_value("depth").and_then(|depth| depth.parse().ok());
        let depth = depth.filter(|depth| depths().contains(depth)).unwrap_or(depths()[0]);
        // The lock is held until the analysis has started, so that two simultaneous requests cannot
        // each start one.
        let mut analyses = self.analyses.lock();
        let running = analyses.iter().find(|(_, (_, analysis))| !analysis.is_over());
        if let Some((name, _)) = running {
            let error = "another analysis is already running";
            return Ok(Reply::Json(json!({"error": error, "running": name})));
        }
        let name = new_name()?;
        let hash = usize::try_from(self.host.config.hash).unwrap_or(1).min(MAX_HASH);
        let analysis = Analysis::open(make(depth, hash), self.host.has_threads);
        let analysis = analysis.map_err(|_| Refusal::Busy)?;
        insert(&mut analyses, &name, analysis, MAX_ANALYSES);
        Ok(Reply::Json(json!({"analysis": name})))
    }
}

/// The maximum hash size of each analysis thread in MiB.
const MAX_HASH: usize = 16;

/// Returns the person's side and the rating that the person's moves suggest so far. `None` without a single person.
fn student(session: &WebGame) -> Option<(bool, f64)> {
    session.session.look(|state| {
        let human = state.casual.human;
        let point = state.ratings[colour_index(human)].last()?;
        state.casual.has_one_person().then_some((human == Colour::White, point.estimate.rating))
    })
}

/// Reads the result of [`student`] from a query.
fn named_student(request: &Request<'_>) -> Result<Option<(Colour, Elo)>, Refusal> {
    let (Some(side), Some(rating)) =
        (request.query_value("student"), request.query_value("rating"))
    else {
        return Ok(None);
    };
    let rating = rating.parse().ok().filter(|rating: &f64| rating.is_finite());
    let rating = rating.ok_or_else(|| Refusal::Invalid("the rating is not a number".to_owned()))?;
    let side = if side == "white" { Colour::White } else { Colour::Black };
    Ok(Some((side, Elo(rating))))
}

/// Returns a name for a game or an analysis.
fn new_name() -> Result<String, Refusal> {
    #[cfg(feature = "program")]
    return secret().map_err(|_| Refusal::Busy);
    // Only one page can send requests, so the name need not be secret.
    #[cfg(not(feature = "program"))]
    return Ok(format!("{:016x}", fresh_number()));
}

/// Reads a JSON request.
fn read_json<T: DeserializeOwned>(read: &mut ReadBody<'_>) -> Result<T, Refusal> {
    let body = read(MAX_JSON_SIZE)?;
    serde_json::from_slice(&body).map_err(|error| Refusal::Invalid(error.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_object_in_use_is_kept() {
        let mut entries = BTreeMap::new();
        let in_use = Arc::new(1);
        insert(&mut entries, "one", Arc::clone(&in_use), 2);
        insert(&mut entries, "two", Arc::new(2), 2);
        assert_eq!(insert(&mut entries, "three", Arc::new(3), 2).as_deref(), Some(&2));
        drop(in_use);
        assert_eq!(insert(&mut entries, "four", Arc::new(4), 2).as_deref(), Some(&1));
    }
}
