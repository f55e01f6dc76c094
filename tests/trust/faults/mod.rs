//! Whatever happens to a command, finished work is kept, and the next run makes of it what one would have
//! made that nothing happened to.

mod commands;
mod disk;
mod engines;
#[cfg(unix)]
mod full_disk;
mod kills;
mod memory;
mod work;
