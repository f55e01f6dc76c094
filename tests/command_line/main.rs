//! The subcommands, the manual and the package do what they say.

mod commands;
#[path = "../common/mod.rs"]
mod common;
mod manual;
mod packaging;
mod play;
