//! What games of people whose ratings are known say of the curves.
//!
//! A sample of their decisions is valued once; every model of how people choose is fitted to it as a
//! smooth function of their rating (fitted rating by rating, even thousands of moves would leave 50
//! Elo), and judged on games that its numbers were not fitted to: the games are split in two, and
//! each half is judged by the fit to the other.

mod cast;
mod coverage;
mod fitting;
mod models;
mod sample;
mod verdict;

pub use cast::{Cast, Chosen};
pub use coverage::{Coverage, CoverageRow, RatedPlayer};
pub use fitting::{Fitted, OfLevel, fit_levels, fit_model};
pub use models::{CurveModel, human};
pub use sample::{RatedDecision, is_wanted, known, sides};
pub use verdict::{Bin, Judged, Misses, OfPool, ProjectionVerdict, judge};
