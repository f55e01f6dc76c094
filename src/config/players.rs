//! The opponents modelled on players' games. Each has its own file in the folder `players` of the user's
//! configuration folder, so that the user's `engine.toml` is never rewritten.

use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use super::file::{self, ConfigError, Players};
use crate::files::{FolderPurpose, check_writable, read_regular, user_folder, write_whole};
use crate::player::{ProfileText, Roster};

/// The name of the folder.
const FOLDER: &str = "players";
/// The extension of a player's file.
const EXTENSION: &str = "toml";
/// The first line of every file that the program writes.
const FIRST_LINE: &str = "# A profile from games.";
/// The maximum size of a file in bytes. A profile with 200 opening lines takes about 10 kB.
const MAX_FILE_SIZE: u64 = 1 << 20;

/// Loads all players. Also returns the errors of the files that cannot be used.
pub(crate) fn load_players() -> (Players, Vec<ConfigError>) {
    let (mut players, mut errors) = (Players::default(), Vec::new());
    match files() {
        Ok(paths) => {
            for path in paths {
                match load_file(&path) {
                    Ok((found, text)) => {
                        players.profiles.extend(found);
                        players.texts.push(text);
                    }
                    Err(error) => errors.push(error),
                }
            }
        }
        Err((path, reason)) => errors.push(unreadable(&path, reason)),
    }
    (players, errors)
}

/// Returns the profiles in a file, and its text.
fn load_file(path: &Path) -> Result<(Roster, String), ConfigError> {
    let content = read_regular(path, MAX_FILE_SIZE);
    let text = content.and_then(|bytes| String::from_utf8(bytes).map_err(io::Error::other));
    let text = text.map_err(|reason| unreadable(path, reason))?;
    Ok((file::parse_players(&text, &path.display().to_string())?, text))
}

/// Returns a name for a player's profile that no built-in profile has.
pub(crate) fn free_profile_name(player: &str) -> String {
    let name = ProfileText::name_of(player);
    match file::built_in_settings().profiles.get(&name) {
        Ok(_) => format!("player-{name}"),
        Err(_) => name,
    }
}

/// Checks that players can be saved. Creates their folder if it is missing.
pub(crate) fn check_players_folder() -> io::Result<()> {
    let folder = folder().ok_or_else(no_folder)?;
    let created = fs::create_dir_all(&folder);
    let writable = created.and_then(|()| check_writable(&folder.join(FOLDER)));
    writable.map_err(|reason| cannot_write(&folder, &reason))
}

/// The text of the file for a profile. Its first lines name the command that made it.
pub(crate) fn player_text(profile: &ProfileText, made_by: &str) -> String {
    let (made_by, version) = (made_by.replace(char::is_control, " "), env!("CARGO_PKG_VERSION"));
    format!("{FIRST_LINE}\n# Made by `{made_by}`, Stopdown {version}.\n\n{}", profile.toml())
}

/// Whether this text of a profile was written by the program, and not by the user.
pub(crate) fn is_generated(text: &str) -> bool {
    text.starts_with(FIRST_LINE)
}

/// Saves a player and returns the path of the file. A player with the same name is replaced
/// atomically.
pub(crate) fn save_player(profile: &ProfileText, made_by: &str) -> io::Result<PathBuf> {
    let path = player_file(&profile.name).ok_or_else(no_folder)?;
    let created = path.parent().map_or(Ok(()), fs::create_dir_all);
    let saved = created.and_then(|()| write_whole(&path, player_text(profile, made_by).as_bytes()));
    saved.map_err(|reason| cannot_write(&path, &reason))?;
    Ok(path)
}

fn no_folder() -> io::Error {
    io::Error::other(
        "this system has no configuration folder; use -o to save the profile in a file",
    )
}

fn cannot_write(path: &Path, reason: &io::Error) -> io::Error {
    io::Error::new(reason.kind(), format!("cannot write {}: {reason}", path.display()))
}

/// The file of the player with this profile name. `None` if the system has no configuration folder.
pub(crate) fn player_file(name: &str) -> Option<PathBuf> {
    Some(folder()?.join(file_name(&ProfileText::name_of(name))))
}

/// The name of the file for a profile. Windows reserves names such as `con` and `com1` for devices, with any extension.
fn file_name(profile: &str) -> String {
    let is_numbered = |port: &str| {
        profile.strip_prefix(port).is_some_and(|rest| rest.len() == 1 && rest.parse::<u8>().is_ok())
    };
    let is_reserved = ["con", "prn", "aux", "nul"].contains(&profile)
        || ["com", "lpt"].into_iter().any(is_numbered);
    // No profile name contains an underscore, so no other profile has this file.
    format!("{profile}{}.{EXTENSION}", if is_reserved { "_" } else { "" })
}

fn folder() -> Option<PathBuf> {
    Some(user_folder(FolderPurpose::Configuration)?.join(FOLDER))
}

/// The files of all players, sorted by name. If the folder cannot be read, returns the folder and
/// the error.
fn files() -> Result<Vec<PathBuf>, (PathBuf, io::Error)> {
    let Some(folder) = folder() else { return Ok(Vec::new()) };
    let entries = match fs::read_dir(&folder) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries.and_then(|entries| {
            entries.map(|entry| entry.map(|entry| entry.path())).collect::<io::Result<Vec<_>>>()
        }),
    };
    let mut files = entries.map_err(|error| (folder, error))?;
    files.retain(|path| path.extension().is_some_and(|extension| extension == EXTENSION));
    files.sort();
    Ok(files)
}

fn unreadable(path: &std::path::Path, reason: io::Error) -> ConfigError {
    ConfigError::Unreadable { path: path.display().to_string(), reason }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_player_has_the_file_name_of_a_device_on_windows() {
        for name in ["con", "nul", "com1", "lpt9"] {
            assert_eq!(file_name(name), format!("{name}_.toml"));
        }
        for name in ["ann", "connie", "com", "com12", "com-1", "complete"] {
            assert_eq!(file_name(name), format!("{name}.toml"));
        }
    }

    #[test]
    fn built_in_names_are_avoided() {
        assert_eq!(free_profile_name("Club"), "player-club");
        assert_eq!(free_profile_name("Ann, B."), "ann-b");
    }
}
