//! If a command is interrupted, its finished work is kept, and the next run gives the same result
//! as an uninterrupted run.

mod commands;
mod disk;
mod engines;
#[cfg(unix)]
mod full_disk;
mod kills;
mod memory;
mod work;
