//! Whatever happens to a command, finished work is kept, and the next run makes of it what one would have
//! made that nothing happened to.

mod disk;
mod engines;
mod kills;
mod memory;
mod work;
