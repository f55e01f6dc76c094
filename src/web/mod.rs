//! The web front end: an HTTP server for a browser on the same machine.
//!
//! The page shows a board, offers the opponents of `stopdown play`, and shows the rating that the
//! player's moves suggest. It needs only a browser, and does not load anything from other sites.
//!
//! Request handlers (`routes.rs`) do not depend on how a request arrives. A request comes through
//! the HTTP server (`server.rs`), or through [`LocalPage`] in a WebAssembly module, which has
//! neither a server nor threads.
//!
//! # Threads of the server
//!
//! One thread accepts connections and puts them into a queue (`backlog.rs`). A fixed number of
//! threads takes them from there, and each answers one request at a time. An event stream is a
//! response that can last as long as the page is open. It therefore gets its own thread, and the
//! number of streams is limited. Each browser tab has a `GameSession`, and each analysis has a
//! thread (`game_review.rs`). Handlers change the session and return, so no request waits for an
//! engine.
//!
//! Any program on this machine can connect and then remain silent. While connections wait, a client
//! that has not yet shown the secret in the address (see below) loses its thread after a moment, so
//! that it cannot block other clients.
//!
//! # Security of the server
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

#[cfg(feature = "program")]
mod access;
#[cfg(feature = "program")]
mod assets;
#[cfg(feature = "program")]
mod backlog;
mod game;
mod game_review;
mod host;
#[cfg(feature = "program")]
mod http;
mod likely_moves;
mod local;
mod opponent;
mod request;
mod routes;
#[cfg(feature = "program")]
mod server;
mod setup;
mod snapshot;

pub use host::Host;
pub use local::LocalPage;
pub use opponent::MadeOpponents;
#[cfg(feature = "program")]
pub use server::Server;
