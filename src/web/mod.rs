//! The door for a browser: a board, the opponents of `play`, and what the moves say of the player.
//!
//! The page needs no program but a browser and nothing from elsewhere. A thread listens on this
//! machine only, each request has a short one of its own, and each tab one that moves and judges. What
//! comes over the wire is checked as UCI input is: it may be refused and must not do harm.
//!
//! Who may talk to us is the page that we have served ourselves, and nobody else. Any page of any site
//! can make a browser send requests to this machine. So each must name this host (a foreign name that
//! leads here does not), come from no other origin, and know the secret that stands in the address.

#![cfg_attr(
    not(test),
    deny(clippy::expect_used, clippy::panic, clippy::todo, clippy::unimplemented)
)]

mod http;
mod reading;
mod routes;
mod session;
mod setup;
mod state;

use std::io;
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::Builder;

use crate::config::Settings;
use http::{Connection, Head, Method, Refusal};
use routes::Routes;

/// What the whole of the server knows.
#[derive(Debug)]
pub struct Host {
    pub config: Settings,
    /// Words about another engine whose moves can be chosen among; none: there is no such.
    pub engine: Vec<String>,
}

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

/// What a request must show.
#[derive(Debug)]
struct Access {
    secret: String,
    hosts: [String; 2],
}

impl Access {
    fn new(port: u16) -> Result<Access, getrandom::Error> {
        let hosts = [format!("127.0.0.1:{port}"), format!("localhost:{port}")];
        Ok(Access { secret: secret()?, hosts })
    }

    /// Where the page is.
    fn address(&self) -> String {
        format!("http://{}/{}/", self.hosts[0], self.secret)
    }

    /// What is asked for, as far as this request may ask.
    fn check<'a>(&self, head: &'a Head) -> Result<&'a str, Refusal> {
        let host = head.host.as_deref().filter(|host| self.hosts.iter().any(|own| own == host));
        let host = host.ok_or(Refusal::Forbidden("this host is not the one that was asked for"))?;
        let is_own = |origin: &str| origin.strip_prefix("http://") == Some(host);
        match (&head.origin, head.method) {
            (Some(origin), _) if is_own(origin) => {}
            (None, Method::Get) => {}
            _ => return Err(Refusal::Forbidden("pages of other origins are not answered")),
        }
        let path = head.path.strip_prefix('/').unwrap_or_default();
        match path.split_once('/') {
            Some((secret, rest)) if is_same(secret, &self.secret) => Ok(rest),
            _ => Err(Refusal::Forbidden(
                "the address lacks the secret: copy all of it from where stopdown web was started",
            )),
        }
    }
}

/// Takes as long whatever the first difference is.
fn is_same(one: &str, other: &str) -> bool {
    let differences = one.bytes().zip(other.bytes()).fold(0, |all, (a, b)| all | (a ^ b));
    one.len() == other.len() && differences == 0
}

/// A hundred and twenty-eight bits that nobody guesses.
fn secret() -> Result<String, getrandom::Error> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes)?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}
