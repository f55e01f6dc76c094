//! Endgame tablebases, generated here, and players whose errors follow a known distribution.
//!
//! A table has the outcome and the exact depth of every position of a material, such as KQKR. It is
//! made by retrograde analysis ([`build`]), compressed in blocks, and read through [`Tables`]. Depths
//! are counted in one of three metrics ([`Metric`]). The reference fallible endgame player ([`Rfep`])
//! uses exact depths to play with a chosen competence (Haworth 2002). [`Syzygy`] reads Syzygy tables
//! for results and distances.

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
mod observer;
mod outcome;
mod pieces;
mod probe;
mod probing_time;
mod range_coder;
mod rfep;
mod solve;
mod successors;
mod syzygy;
mod table;
mod tables;

pub use background::BackgroundBuilder;
pub(crate) use build::check_memory;
pub use build::{BuildError, Built, build, plan};
pub use exploit::{Prospect, UncertainOpponent, expected_gain, prospects};
pub use layout::{Layout, TablePlace};
pub use links::MissingTable;
pub(crate) use material::MAX_PIECES;
pub use material::{Material, MaterialError};
pub use observer::{BuildObserver, Stopped};
pub use outcome::{Metric, MetricError, Outcome, TableKey, TableResult};
pub use probe::{Depths, MoveReport, ProbeReport, RepetitionHistory};
pub(crate) use probing_time::probing_time;
pub use rfep::Rfep;
pub use successors::{Successor, Successors};
pub use syzygy::{Syzygy, without_fifty_moves};
pub use table::{Cell, Cells, EndgameTable, TableError, TablePosition, TableSummary};
pub use tables::Tables;
pub(crate) use tables::default_directory;
