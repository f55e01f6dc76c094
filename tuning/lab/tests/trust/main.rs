//! The laboratory's long-running commands lose no finished work if they are killed or the disk is
//! full.

#![expect(clippy::print_stdout, reason = "long runs print their progress")]

#[allow(dead_code, reason = "the product's tests need more of it")]
#[path = "../../../../tests/trust/campaign.rs"]
mod campaign;
mod commands;
#[path = "../../../../tests/common/mod.rs"]
mod common;
#[cfg(unix)]
#[path = "../../../../tests/trust/faults/full_disk.rs"]
mod full_disk;
#[path = "../../../../tests/trust/faults/kills.rs"]
mod kills;
#[path = "../../../../tests/trust/faults/work.rs"]
mod work;
