//! A board in the browser: used as a person would, and protected from everyone else.

mod board;
mod browser;
mod client;
#[path = "../common/mod.rs"]
mod common;
mod lessons;
mod page;
mod repairs;
mod server;
