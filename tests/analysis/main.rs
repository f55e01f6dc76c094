//! Games are analysed, players are rated, and evaluations are cached.

mod analyse;
mod analyser;
mod cluster;
#[path = "../common/mod.rs"]
mod common;
mod page;
mod parquet;
mod ratings;
mod store;
#[path = "../synthetic/mod.rs"]
mod synthetic;
