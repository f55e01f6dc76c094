//! The word that says by which network positions are judged.

use std::path::Path;

use crate::config::Config;
use crate::eval::{Network, NetworkError};

#[derive(clap::Args, Clone, Debug)]
pub struct NetworkArguments {
    /// The network of this file instead of the built-in one [default: as configured; bench and tune do not
    /// look into engine.toml]
    #[arg(long, value_name = "FILE")]
    eval_file: Option<String>,
}

impl NetworkArguments {
    pub fn is_given(&self) -> bool {
        self.eval_file.is_some()
    }

    /// The file that is asked for, and nothing else: for figures that must not depend on a configuration.
    pub fn file(&self) -> Option<&Path> {
        self.eval_file.as_deref().filter(|file| !file.is_empty()).map(Path::new)
    }

    /// The file that is asked for, or else the one that is configured.
    pub fn or_configured<'a>(&'a self, config: &'a Config) -> Option<&'a Path> {
        if self.is_given() { self.file() } else { config.settings.network() }
    }

    /// The network of the file that is asked for, or else the one that is built in.
    pub fn load(&self) -> Result<Network, NetworkError> {
        self.file().map_or_else(|| Ok(Network::embedded()), Network::load)
    }
}
