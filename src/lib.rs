//! Stopdown: a chess engine that values every legal move and can be stopped down to any strength.
//!
//! The modules are layers; each uses only those above it in this list (`tests/layers.rs` holds
//! them to it).

mod files;
mod machine;
pub mod math;
mod memory;
mod threads;

pub mod board;
pub mod value;
pub mod weights_file;

pub mod evaluation;

pub mod eval;
pub mod policy;

pub mod endgame;

pub mod search;

pub mod external;

pub mod selector;

pub mod player;

pub mod games;

pub mod analyser;
pub mod arena;

pub mod tuning;

pub mod calibration;
pub mod sparring;

pub mod report;

pub mod config;

pub mod session;

pub mod cli;
pub mod lab;
pub mod uci;
pub mod web;
