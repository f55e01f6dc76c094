//! The HTTP server: it accepts connections, passes requests to their handlers, and sends the
//! responses.

use std::io;
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::Builder;
use std::time::Duration;

use super::access::Access;
use super::assets::{self, HTML, POLICY, SANDBOX};
use super::backlog::Backlog;
use super::host::Host;
use super::http::Connection;
use super::request::{Method, Refusal, Request};
use super::routes::{Reply, Routes};
use crate::threads::STACK;

/// A server that is bound to a port.
#[derive(Debug)]
pub struct Server {
    listener: TcpListener,
    access: Arc<Access>,
    routes: Arc<Routes>,
}

/// The number of threads that answer requests.
const REQUEST_THREADS: usize = 16;
/// The maximum number of simultaneous event streams.
const MAX_STREAMS: usize = 64;
/// The time between checks that the client of a silent event stream is still connected.
const KEEP_ALIVE: Duration = Duration::from_secs(5);

/// The start of the body of an analysis page.
const BACK: &str = "<body>\n<p><a href=\"./\">Back to the board</a></p>";

impl Server {
    /// Binds to this port, or to any free port if it is `None`.
    pub fn open(host: Host, port: Option<u16>) -> io::Result<Server> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port.unwrap_or(0)))?;
        let access = Access::new(listener.local_addr()?.port()).map_err(io::Error::other)?;
        Ok(Server { listener, access: Arc::new(access), routes: Arc::new(Routes::new(host)) })
    }

    /// Returns the page's address, including the secret.
    pub fn address(&self) -> String {
        self.access.address()
    }

    /// Serves requests until the process ends. Returns an error if the system cannot start the
    /// threads.
    pub fn run(&self) -> io::Result<()> {
        let (backlog, streams) = (Arc::new(Backlog::default()), Arc::default());
        for _ in 0..REQUEST_THREADS {
            let worker = RequestThread {
                backlog: Arc::clone(&backlog),
                access: Arc::clone(&self.access),
                routes: Arc::clone(&self.routes),
                streams: Arc::clone(&streams),
            };
            Builder::new().spawn(move || worker.work())?;
        }
        // An error here means that the client has already disconnected.
        self.listener.incoming().flatten().for_each(|stream| backlog.add(stream));
        Ok(())
    }
}

/// A thread that answers one request after another.
struct RequestThread {
    backlog: Arc<Backlog>,
    access: Arc<Access>,
    routes: Arc<Routes>,
    /// The number of open event streams.
    streams: Arc<AtomicUsize>,
}

impl RequestThread {
    fn work(&self) {
        loop {
            let stream = self.backlog.next();
            // A panic is a bug, but it must not end the thread. A write error means that the client
            // has disconnected.
            let _ = catch_unwind(AssertUnwindSafe(|| self.serve(stream)));
        }
    }

    /// Reads a request and handles it.
    fn answer(&self, connection: &mut Connection) -> Result<Response, Refusal> {
        let head = connection.head()?;
        let path = self.access.check(&head)?;
        connection.trust();
        let Some(path) = path else { return Ok(Response::Redirect) };
        let asset = assets::asset(path).filter(|_| head.method == Method::Get);
        if let Some((kind, text)) = asset {
            return Ok(Response::Asset(kind, text));
        }
        let request = Request { method: head.method, path, query: &head.query };
        let reply = self.routes.answer(&request, &mut |max| connection.body(&head, max))?;
        Ok(Response::Reply(reply))
    }

    /// Answers one request.
    fn serve(&self, stream: TcpStream) -> io::Result<()> {
        let mut connection = Connection::new(stream, Arc::clone(&self.backlog))?;
        let response = match self.answer(&mut connection) {
            Ok(response) => response,
            Err(refusal) => return connection.refuse(&refusal),
        };
        let reply = match response {
            Response::Redirect => return connection.redirect(&self.access.path()),
            Response::Asset(kind, text) => return connection.answer(kind, POLICY, text.as_bytes()),
            Response::Reply(reply) => reply,
        };
        if !is_stream(&reply) {
            return send(reply, connection);
        }
        match OpenStream::count(&self.streams) {
            Some(open) => {
                // If the system cannot start a thread, the connection is closed. A chart needs as
                // much stack as a search.
                Builder::new().stack_size(STACK).spawn(move || {
                    let _open = open;
                    send(reply, connection)
                })?;
                Ok(())
            }
            None => connection.refuse(&Refusal::Busy),
        }
    }
}

/// The response to a request.
enum Response {
    /// A redirection to the page, for a request whose path lacks the final slash.
    Redirect,
    /// The media type and the text of a file.
    Asset(&'static str, String),
    Reply(Reply),
}

/// Returns whether sending the response takes longer than a request may.
fn is_stream(reply: &Reply) -> bool {
    matches!(reply, Reply::Game(..) | Reply::Progress(_) | Reply::Chart(_))
}

/// Sends the response. An event stream ends with its game or analysis, or when the client
/// disconnects.
fn send(reply: Reply, connection: Connection) -> io::Result<()> {
    match reply {
        Reply::Json(json) => {
            connection.answer("application/json", POLICY, json.to_string().as_bytes())
        }
        Reply::Pgn(pgn) => {
            connection.download("application/x-chess-pgn", "game.pgn", pgn.as_bytes())
        }
        Reply::Report(page) => {
            let page = page.replacen("<body>", BACK, 1);
            connection.answer(HTML, SANDBOX, page.as_bytes())
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
        Reply::Chart(request) => {
            let mut events = connection.events()?;
            request.run(&mut |event| match event {
                Some(event) => events.send(&serde_json::to_string(event)?),
                None => events.keep_alive(),
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

/// Counts an event stream as open until this is dropped.
struct OpenStream(Arc<AtomicUsize>);

impl OpenStream {
    /// Returns `None` if too many streams are open.
    fn count(streams: &Arc<AtomicUsize>) -> Option<OpenStream> {
        let open = OpenStream(Arc::clone(streams));
        (streams.fetch_add(1, Ordering::Relaxed) < MAX_STREAMS).then_some(open)
    }
}

impl Drop for OpenStream {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}
