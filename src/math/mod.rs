//! Mathematics without chess: exact functions, seeded streams, posteriors, statistics.

pub mod exact;
pub mod grid;
pub mod percentiling;
pub mod statistics;
pub mod streams;
