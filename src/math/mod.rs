//! Numbers without chess: statistics that several studies share.

pub mod outcomes;
pub mod sprt;
