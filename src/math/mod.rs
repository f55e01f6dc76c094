//! Mathematics without chess.

pub mod adam;
