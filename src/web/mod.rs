//! The web front end: an HTTP server for a browser on the same machine.
//!
//! The page shows a board, offers the opponents of `stopdown play`, and shows the rating that the
//! player's moves suggest. It needs nothing but a browser, and loads nothing from other sites.
//!
//! # Threads
//!
//! One thread accepts connections. Each request has a thread of its own, which ends with the
//! response. An event stream is a response that lasts as long as the page is open. Each browser tab
//! has a [`GameSession`](crate::session::GameSession), and each analysis a thread (`game_review.rs`).
//! Handlers change the session and return, so no request waits for an engine.
//!
//! # Security
//!
//! Any web site can make a browser send requests to this machine. The server answers only the page
//! that it has served itself (`access.rs`):
//!
//! - It listens on the loopback interface only.
//! - The `Host` header must name this machine. A foreign host name that resolves to this machine is
//!   refused (DNS rebinding).
//! - Requests from pages of other origins are refused.
//! - The address contains a random secret.
//!
//! All input is untrusted, as in UCI: it may be refused, but must do no harm.

#![cfg_attr(
    not(test),
    deny(clippy::expect_used, clippy::panic, clippy::todo, clippy::unimplemented)
)]

mod access;
mod game;
mod game_review;
mod host;
mod http;
mod opponent;
mod routes;
mod setup;
mod snapshot;

use std::io;
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::Builder;

use access::Access;
use http::{Connection, Refusal};
use routes::Routes;

pub use host::Host;
pub use opponent::MadeOpponents;

/// A server that is bound to a port.
#[derive(Debug)]
pub struct Server {
    listener: TcpListener,
    routes: Arc<Routes>,
}

/// The largest number of requests that are answered at the same time.
const MOST_REQUESTS: usize = 64;

impl Server {
    /// Binds to this port, or to any free one.
    pub fn open(host: Host, port: Option<u16>) -> io::Result<Server> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port.unwrap_or(0)))?;
        let access = Access::new(listener.local_addr()?.port()).map_err(io::Error::other)?;
        Ok(Server { listener, routes: Arc::new(Routes::new(host, access)) })
    }

    /// Returns the address of the page, including the secret.
    pub fn address(&self) -> String {
        self.routes.access.address()
    }

    /// Serves until the process ends.
    pub fn run(&self) {
        let open = Arc::new(AtomicUsize::new(0));
        for stream in self.listener.incoming() {
            // An error here means that the client has disconnected already.
            let Ok(stream) = stream else { continue };
            let request = OpenRequest::count(&open);
            let routes = Arc::clone(&self.routes);
            // If the system cannot start a thread, the connection is closed.
            let _ = Builder::new().spawn(move || serve(stream, &routes, &request));
        }
    }
}

/// Counts a request as open until dropped. The number is how many were open before.
struct OpenRequest(Arc<AtomicUsize>, usize);

impl OpenRequest {
    fn count(open: &Arc<AtomicUsize>) -> OpenRequest {
        OpenRequest(Arc::clone(open), open.fetch_add(1, Ordering::Relaxed))
    }
}

impl Drop for OpenRequest {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Answers one request. Write errors mean that the client has disconnected, so they are ignored.
fn serve(stream: TcpStream, routes: &Routes, OpenRequest(_, before): &OpenRequest) {
    let Ok(mut connection) = Connection::new(stream) else { return };
    if *before >= MOST_REQUESTS {
        let _ = connection.refuse(&Refusal::Busy);
        return;
    }
    let _ = match connection.head().and_then(|head| routes.answer(&mut connection, &head)) {
        Ok(answer) => answer.send(connection),
        Err(refusal) => connection.refuse(&refusal),
    };
}
