//! UCI stub.
use crate::config::Config;
use std::io;
pub fn run(_config: &Config, _complaint: Option<&str>, _on_terminal: bool) -> io::Result<()> {
    Ok(())
}
