//! The UCI protocol as GUIs use it: the engine answers, explains bad input, and plays as its
//! options require.

mod bad_input;
mod clock;
#[path = "../common/mod.rs"]
mod common;
mod everywhere;
mod exploit;
mod fastchess;
mod human_analysis;
mod imitator;
mod odd_programs;
mod one_switch;
mod pace;
mod protocol;
mod random_lines;
mod responsive;
mod strength;
mod tables;
