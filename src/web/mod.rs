//! The front end for a browser: a board, the opponents of `play`, and what the moves say of the player.
//!
//! The page needs no program but a browser and nothing from elsewhere. A thread listens on this
//! machine only, each request has a short one of its own, and each tab a game session with its own. What
//! comes over the wire is checked as UCI input is: it may be refused and must not do harm.
//!
//! Who may talk to us is the page that we have served ourselves, and nobody else. Any page of any site
//! can make a browser send requests to this machine. So each must name this host (a foreign name that
//! leads here does not), come from no other origin, and know the secret that stands in the address.

#![cfg_attr(
    not(test),
    deny(clippy::expect_used, clippy::panic, clippy::todo, clippy::unimplemented)
)]

mod access;
mod game;
mod host;
mod http;
mod reading;
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

/// A server that has its place and listens.
#[derive(Debug)]
pub struct Server {
    listener: TcpListener,
    routes: Arc<Routes>,
}

/// Requests that are answered at the same time.
const MOST_REQUESTS: usize = 64;

impl Server {
    /// Takes this port of the machine, or any that is free.
    pub fn open(host: Host, port: Option<u16>) -> io::Result<Server> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port.unwrap_or(0)))?;
        let access = Access::new(listener.local_addr()?.port()).map_err(io::Error::other)?;
        Ok(Server { listener, routes: Arc::new(Routes::new(host, access)) })
    }

    /// Where the page is, with the secret that opens it.
    pub fn address(&self) -> String {
        self.routes.access.address()
    }

    /// Serves until the process ends.
    pub fn run(&self) {
        let open = Arc::new(AtomicUsize::new(0));
        for stream in self.listener.incoming() {
            // A connection that is gone before it is taken up is nobody's loss.
            let Ok(stream) = stream else { continue };
            let place = RequestPlace::take(&open);
            let routes = Arc::clone(&self.routes);
            // Where the system has no thread to give, the connection is closed.
            let _ = Builder::new().spawn(move || serve(stream, &routes, &place));
        }
    }
}

/// A request's place among those that are answered at the same time.
struct RequestPlace(Arc<AtomicUsize>, usize);

impl RequestPlace {
    fn take(open: &Arc<AtomicUsize>) -> RequestPlace {
        RequestPlace(Arc::clone(open), open.fetch_add(1, Ordering::Relaxed))
    }
}

impl Drop for RequestPlace {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Answers one request. Whom it fails to reach has gone.
fn serve(stream: TcpStream, routes: &Routes, RequestPlace(_, before): &RequestPlace) {
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
