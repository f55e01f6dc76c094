//! Every legal move has an exact value, identical on every machine, in every run and with any
//! number of threads.

#[path = "../common/mod.rs"]
mod common;
mod exact;
#[path = "../common/hashes.rs"]
mod hashes;
mod mates;
mod network;
mod perft;
mod policy;
mod repeatable;
mod signature;
