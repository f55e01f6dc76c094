//! The user's settings: the options with their defaults, and the file that they come from.
//!
//! `engine.toml` sets the defaults of all options. The program looks for it in the user's
//! configuration folder, next to itself and in the working directory, and uses the first one found.
//! The shipped file is also built into the program, so no file is required. Opponents modelled on
//! players' games have their own files (see `save_player`).

mod file;
mod options;
mod players;
mod settings;

use std::env;
use std::io;
use std::path::{Path, PathBuf};

pub use file::{ConfigError, built_in_settings};
pub(crate) use options::{Applied, EngineOption, Kind, OPTIONS, find, whole_number};
pub(crate) use players::{
    check_players_folder, free_profile_name, is_generated, load_players, player_file, player_text,
    save_player,
};
pub use settings::Settings;
pub(crate) use settings::{ExploitSetting, StrengthSetting};

use crate::files::{FolderPurpose, open_existing, user_folder};

const FILE_NAME: &str = "engine.toml";

/// Loads the settings in the given file, or else in the first one found, or else the built-in ones.
/// Opponents modelled on players' games are always added. Their files that cannot be used are left
/// out; the second value has the errors.
pub fn load_settings(given: Option<&Path>) -> Result<(Settings, Vec<ConfigError>), ConfigError> {
    let found = || places().into_iter().find(|path| path.is_file());
    let Some(path) = given.map(Path::to_owned).or_else(found) else {
        return Ok(built_in_with_players());
    };
    let (players, errors) = load_players();
    let name = path.display().to_string();
    let text = open_existing(&path)
        .and_then(io::read_to_string)
        .map_err(|reason| ConfigError::Unreadable { path: name.clone(), reason })?;
    let mut settings = file::parse(&text, &name, &players)?;
    settings.is_given = given.is_some();
    settings.profiles = settings.profiles_with(&players.profiles);
    Ok((settings, errors))
}

/// The built-in settings with all opponents modelled on players' games, and the errors of the files that cannot be used.
pub(crate) fn built_in_with_players() -> (Settings, Vec<ConfigError>) {
    let (players, errors) = load_players();
    let mut settings = built_in_settings();
    settings.profiles.extend(players.profiles);
    (settings, errors)
}

/// The possible paths to the file, in order of priority. The user's folder comes first, because
/// downloads contain the shipped file beside the program. The working directory comes last, because
/// it is often chosen by the GUI and not by the user.
fn places() -> Vec<PathBuf> {
    let user = user_folder(FolderPurpose::Configuration);
    let beside = env::current_exe().ok().and_then(|path| path.parent().map(Path::to_owned));
    let working = env::current_dir().ok();
    [user, beside, working].into_iter().flatten().map(|path| path.join(FILE_NAME)).collect()
}
