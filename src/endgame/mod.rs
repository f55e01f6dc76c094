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
mod material;
mod outcome;
mod pieces;
mod probe;
mod range_coder;
mod rfep;
mod solve;
mod successors;
mod syzygy;
mod table;
mod tables;

pub use background::BackgroundBuilder;
pub use build::{BuildError, Built, build, check_memory, plan};
pub use exploit::{Belief, Prospect, expected_gain, prospects};
pub use layout::{Layout, TablePlace};
pub use links::MissingTable;
pub use material::{MAX_PIECES, Material, MaterialError};
pub use outcome::{Metric, MetricError, Outcome, TableKey, TableResult};
pub use probe::{Depths, MoveReport, Past, ProbeReport};
pub use rfep::Rfep;
pub use solve::{BuildObserver, Stopped};
pub use successors::{Successor, Successors};
pub use syzygy::{Syzygy, plain};
pub use table::{Cell, Cells, EndgameTable, TableError, TablePosition, TableSummary};
pub use tables::{ProbingTime, Tables, default_directory, probing_time};
