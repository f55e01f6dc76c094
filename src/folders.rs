//! Where a user's files lie, by the custom of the system.
//!
//! Linux and its like follow the XDG Base Directory Specification, which has relative paths in its
//! variables passed over; Windows and macOS have places of their own.

use std::env;
use std::path::PathBuf;

/// What a folder is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FolderPurpose {
    /// What the user has written.
    Configuration,
    /// What cannot be made again.
    Data,
    /// What can be made again.
    Cache,
}

/// The program's own folder of a user. It need not be there. `None` where the environment does not
/// tell.
pub fn users_folder(purpose: FolderPurpose) -> Option<PathBuf> {
    let folder = if cfg!(windows) {
        variable(match purpose {
            FolderPurpose::Configuration => "APPDATA",
            FolderPurpose::Data | FolderPurpose::Cache => "LOCALAPPDATA",
        })?
    } else if cfg!(target_os = "macos") {
        variable("HOME")?.join(match purpose {
            FolderPurpose::Configuration | FolderPurpose::Data => "Library/Application Support",
            FolderPurpose::Cache => "Library/Caches",
        })
    } else {
        let (name, usual) = match purpose {
            FolderPurpose::Configuration => ("XDG_CONFIG_HOME", ".config"),
            FolderPurpose::Data => ("XDG_DATA_HOME", ".local/share"),
            FolderPurpose::Cache => ("XDG_CACHE_HOME", ".cache"),
        };
        variable(name).or_else(|| Some(variable("HOME")?.join(usual)))?
    };
    Some(folder.join("stopdown"))
}

fn variable(name: &str) -> Option<PathBuf> {
    env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute())
}
