//! What the user has set: the options with their defaults, and the file that they come from.
//!
//! `engine.toml` gives the defaults of all options. It is looked for beside the program, in the
//! user's configuration folder and in the working directory; the first one found counts. The one
//! that is shipped is built in, so the program runs without any.

mod file;
mod options;
mod settings;
mod strength;

use std::env;
use std::path::{Path, PathBuf};

pub use file::ConfigError;
pub use options::{Applied, EngineOption, Kind, OPTIONS, OptionError, find, whole_number};
pub use settings::{ExploitSetting, Settings, StrengthSetting};

use crate::files::{FolderPurpose, user_folder};

const FILE_NAME: &str = "engine.toml";

impl Settings {
    /// Reads the given file, or else the first one found, or else takes what is built in.
    pub fn load(given: Option<&Path>) -> Result<Settings, ConfigError> {
        let found = || places().into_iter().find(|path| path.is_file());
        let Some(path) = given.map(Path::to_owned).or_else(found) else {
            return Ok(Settings::built_in());
        };
        let name = path.display().to_string();
        let text = std::fs::read_to_string(&path)
            .map_err(|reason| ConfigError::Unreadable { path: name.clone(), reason })?;
        file::parse(&text, &name)
    }
}

/// Where a file may lie, first choice first. The working directory is the last: where chess
/// programs start an engine is their choice, not the user's.
fn places() -> Vec<PathBuf> {
    let beside = env::current_exe().ok().and_then(|path| path.parent().map(Path::to_owned));
    let user = user_folder(FolderPurpose::Configuration);
    let working = env::current_dir().ok();
    [beside, user, working].into_iter().flatten().map(|path| path.join(FILE_NAME)).collect()
}
