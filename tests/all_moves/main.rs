//! Every legal move has an exact value, the same on every machine, run and number of threads.

#[path = "../common/mod.rs"]
mod common;
mod exact;
#[path = "../common/hashes.rs"]
mod hashes;
mod network;
mod perft;
mod policy;
mod repeatable;
mod signature;
