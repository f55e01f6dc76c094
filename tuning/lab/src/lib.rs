//! The laboratory of Stopdown: the program `stopdown-lab`, for the engine's authors and for
//! researchers.
//!
//! It trains the networks, tunes the search, calibrates the levels, and repeats the experiments
//! from the papers. Players never need it, so it is a separate package. It uses only the public API
//! of the library.

pub mod calibrate;
pub mod commands;
pub mod report;
pub mod study;
pub mod tune;
