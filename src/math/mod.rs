//! Mathematics without chess: what several studies share.

pub mod adam;
pub mod cholesky;
pub mod divergence;
pub mod draws;
pub mod exact;
pub mod fingerprint;
pub mod grid;
pub mod interpolation;
pub mod normal;
pub mod outcomes;
pub mod paired;
pub mod percentiling;
pub mod power_law;
pub mod rising;
pub mod root;
pub mod score_fit;
pub mod simplex;
pub mod sprt;
pub mod statistics;
pub mod streams;
pub mod sums;
pub mod upgma;
