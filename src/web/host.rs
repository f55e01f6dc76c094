//! Settings that apply to the whole server.

use crate::config::Settings;

/// The settings of the server, from the command line and the configuration.
#[derive(Debug)]
pub struct Host {
    pub config: Settings,
    /// The specification of an external engine that can evaluate moves. Empty if there is none.
    pub engine: Vec<String>,
}
