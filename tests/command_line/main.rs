//! The subcommands, the manual and the package work as documented.

mod commands;
#[path = "../common/mod.rs"]
mod common;
mod manual;
mod packaging;
mod play;
mod setups;
