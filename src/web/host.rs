//! What the whole of the server knows.

use crate::config::Settings;

#[derive(Debug)]
pub struct Host {
    pub config: Settings,
    /// Words about another engine whose moves can be chosen among; none: there is no such.
    pub engine: Vec<String>,
}
