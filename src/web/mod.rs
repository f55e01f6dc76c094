//! The web front end: an HTTP server for a browser on the same machine.
//!
//! The page shows a board, offers the opponents of `stopdown play`, and shows the rating that the
//! player's moves suggest. It needs only a browser, and does not load anything from other sites.
//!
//! # Threads
//!
//! One thread accepts connections and puts them into a queue (`backlog.rs`). A fixed number of
//! threads takes them from there, and each answers one request at a time. An event stream is a
//! response that lasts as long as the page is open. It therefore gets its own thread, and the
//! number of streams is limited. Each browser tab has a
//! [`GameSession`](crate::session::GameSession), and each analysis has a thread (`game_review.rs`).
//! Handlers change the session and return, so no request waits for an engine.
//!
//! Any program on this machine can connect and then remain silent. While connections wait, a client
//! that has not shown the secret loses its thread after a moment, so that it cannot block other
//! clients.
//!
//! # Security
//!
//! Any website can make a browser send requests to this machine. The server responds only to the
//! page that it has served itself (`access.rs`):
//!
//! - It listens only on the loopback interface.
//! - The `Host` header must name this machine. This prevents DNS rebinding, in which a foreign host
//!   name resolves to this machine.
//! - Requests from pages of other origins are refused.
//! - The address contains a random secret.
//!
//! All input is untrusted, as in UCI. Invalid input is refused and must do no harm.

#![cfg_attr(
    not(test),
    deny(clippy::expect_used, clippy::panic, clippy::todo, clippy::unimplemented)
)]

mod access;
mod backlog;
mod game;
mod game_review;
mod host;
mod http;
mod likely_moves;
mod opponent;
mod routes;
mod setup;
mod snapshot;

use std::io;
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::Builder;

use access::Access;
use backlog::Backlog;
use http::{Connection, Refusal};
use routes::Routes;

use crate::threads::STACK;

pub use host::Host;
pub use opponent::MadeOpponents;

/// A server that is bound to a port.
#[derive(Debug)]
pub struct Server {
    listener: TcpListener,
    routes: Arc<Routes>,
}

/// The number of threads that answer requests.
const REQUEST_THREADS: usize = 16;
/// The maximum number of event streams at the same time.
const MAX_STREAMS: usize = 64;

impl Server {
    /// Binds to this port, or to any free port if it is `None`.
    pub fn open(host: Host, port: Option<u16>) -> io::Result<Server> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port.unwrap_or(0)))?;
        let access = Access::new(listener.local_addr()?.port()).map_err(io::Error::other)?;
        Ok(Server { listener, routes: Arc::new(Routes::new(host, access)) })
    }

    /// Returns the address of the page, including the secret.
    pub fn address(&self) -> String {
        self.routes.access.address()
    }

    /// Serves requests until the process ends. Returns an error if the system cannot start the
    /// threads.
    pub fn run(&self) -> io::Result<()> {
        let (backlog, streams) = (Arc::new(Backlog::default()), Arc::default());
        for _ in 0..REQUEST_THREADS {
            let routes = Arc::clone(&self.routes);
            let worker = RequestThread {
                backlog: Arc::clone(&backlog),
                routes,
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

    /// Answers one request.
    fn serve(&self, stream: TcpStream) -> io::Result<()> {
        let mut connection = Connection::new(stream, Arc::clone(&self.backlog))?;
        let answer = connection.head().and_then(|head| self.routes.answer(&mut connection, &head));
        let reply = match answer {
            Ok(reply) => reply,
            Err(refusal) => return connection.refuse(&refusal),
        };
        if !reply.is_stream() {
            return reply.send(connection);
        }
        match OpenStream::count(&self.streams) {
            Some(open) => {
                // If the system cannot start a thread, the connection is closed. A chart needs as
                // much stack as a search.
                Builder::new().stack_size(STACK).spawn(move || {
                    let _open = open;
                    reply.send(connection)
                })?;
                Ok(())
            }
            None => connection.refuse(&Refusal::Busy),
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
