//! A board in the browser: played as a person would, and safe from everybody else.

mod browser;
mod client;
#[path = "../common/mod.rs"]
mod common;
mod page;
mod server;
