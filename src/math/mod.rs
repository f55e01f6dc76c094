//! Mathematics without chess: what several studies share.

pub mod adam;
pub mod outcomes;
pub mod sprt;
