//! The zone of tables: exact depths, and players that err by a known law.

mod background;
mod blocks;
mod build;
mod cache;
mod compressed;
mod compression;
mod exploit;
mod layout;
mod links;
mod markov;
mod material;
mod outcome;
mod pieces;
mod probe;
mod range_coder;
mod rfep;
mod solve;
mod study;
mod syzygy;
mod table;
mod tables;
mod walk;

pub use background::BackgroundBuilder;
pub use build::{BuildError, Built, build, check_memory, plan};
pub use exploit::{Belief, Comparison, Crossing, Preference, Prospect, candidates, prospects};
pub use layout::Layout;
pub use links::MissingTable;
pub use markov::{Endgame, expected_depths, expected_moves, infallible, product, step};
pub use material::{MAX_PIECES, Material, MaterialError};
pub use outcome::{Metric, MetricError, Outcome, TableKey, TableResult};
pub use probe::{Depths, MoveReport, Past, ProbeReport};
pub use rfep::{EndgameProfile, ProfiledMove, Rfep, profile};
pub use solve::{BuildObserver, Stopped};
pub use study::{
    Average, EndgamePlan, Matrices, MeanEstimate, Study, Trial, TrialGames, TrialResult, choose,
    study,
};
pub use syzygy::{Syzygy, TableAgreement, against_syzygy};
pub use table::{Cell, Cells, EndgameTable, TableError, TablePosition, TableSummary};
pub use tables::{ProbingTime, Tables, default_directory, probing_time};
pub use walk::{Course, Walk};
