//! The zone of tables: exact depths, and players that err by a known law.

mod build;
mod file;
mod layout;
mod links;
mod material;
mod men;
mod outcome;
mod solve;
mod table;
mod tables;
mod verify;

pub use build::{BuildError, BuildWatcher, Built, Job, build, plan};
pub use file::FileError;
pub use layout::{Layout, Man, Place, Squares};
pub use links::{Links, MissingTable, Source};
pub use material::{MAX_MEN, Material, MaterialError};
pub use outcome::{GameResult, Metric, MetricError, Outcome};
pub use solve::{Problem, Stopped, Watcher};
pub use table::{Cell, Cells, Entry, Summary, Table};
pub use tables::{Tables, strong_side};
pub use verify::{Comparison, against_syzygy};
