//! Stopdown: a chess engine that values every legal move and can be stopped down to any strength.
//!
//! The modules are layers; each uses only those above it in this list (`tests/house/layers.rs` holds
//! them to it).

pub mod files;
pub mod machine;
pub mod math;
mod memory;
pub mod threads;

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

pub mod config;
pub mod games;

pub mod analyser;
pub mod arena;

pub mod review;
pub mod session;

pub mod report;

pub mod cli;
pub mod uci;
pub mod web;
