//! The board in the browser works for its player and is protected from everyone else.

mod analyses;
mod board;
mod browser;
mod client;
#[path = "../common/mod.rs"]
mod common;
mod failures;
mod lessons;
mod local;
mod page;
mod repairs;
mod server;
