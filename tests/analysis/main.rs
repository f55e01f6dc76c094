//! Games are analysed, players are rated, and evaluations are cached.

mod analyse;
mod analyser;
mod cluster;
#[path = "../common/mod.rs"]
mod common;
#[allow(dead_code, reason = "the laboratory uses more of it")]
#[path = "../../tuning/lab/src/calibrate/people/fit.rs"]
mod fit;
mod page;
mod parquet;
mod ratings;
mod scales;
mod split;
mod store;
#[path = "../synthetic/mod.rs"]
mod synthetic;
