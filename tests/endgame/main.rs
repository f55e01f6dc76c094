//! Endgame tables are exact. Players that use them win won endings and hold drawn ones.

mod bare_king;
mod commands;
#[path = "../common/mod.rs"]
mod common;
#[path = "../common/kqkr.rs"]
mod kqkr;
#[path = "../common/mates.rs"]
#[allow(dead_code, reason = "the figures need more of it")]
mod mates;
mod memory;
mod play;
mod rfep;
mod tablebase_play;
mod tables;
