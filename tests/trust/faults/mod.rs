//! Whatever interrupts a command, finished work is kept, and the next run ends with the result of
//! an uninterrupted one.

mod commands;
mod disk;
mod engines;
#[cfg(unix)]
mod full_disk;
mod kills;
mod memory;
mod work;
