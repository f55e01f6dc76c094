//! Files that are whole or not there, and make room for others instead of being lost; and where a user's
//! files lie, by the custom of the system.
//!
//! Linux and its like follow the XDG Base Directory Specification, which has relative paths in its
//! variables passed over; Windows and macOS have places of their own.

use std::env;
use std::fs::{self, File};
use std::io::{self, ErrorKind, Read, Write};
use std::path::{Path, PathBuf};

use tempfile::{Builder, NamedTempFile};

/// What belongs to a file: its name with another ending behind it.
pub fn beside(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".");
    name.push(ending);
    name.into()
}

/// A file on its way: it is written beside its place, under a name that no file has, and takes its
/// place when it is whole. Until then what was there before is there, and if it is given up, still. A link
/// stays, and what it points to is replaced; a device or a pipe is written to as it is.
#[derive(Debug)]
pub struct Draft {
    file: DraftFile,
}

#[derive(Debug)]
enum DraftFile {
    Beside { file: NamedTempFile, place: PathBuf },
    Straight(File),
}

impl Draft {
    /// Begins a file that is to lie at this path.
    pub fn new(path: &Path) -> io::Result<Draft> {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        Draft::named(path, &format!("{name}."), ".new")
    }

    /// The same, with what its name is to begin and to end with until it is whole.
    pub fn named(path: &Path, beginning: &str, ending: &str) -> io::Result<Draft> {
        if is_no_place(path) {
            let file = File::options().write(true).open(path)?;
            return Ok(Draft { file: DraftFile::Straight(file) });
        }
        // Behind all links.
        let place = path.canonicalize().unwrap_or_else(|_| path.to_owned());
        let folder = place.parent().filter(|folder| !folder.as_os_str().is_empty());
        let mut builder = Builder::new();
        builder.prefix(beginning).suffix(ending);
        // A file like any other, not a secret one: the user's mask decides who may read it, unless
        // somebody has decided already.
        #[cfg(unix)]
        builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
        let file = builder.tempfile_in(folder.unwrap_or(Path::new(".")))?;
        #[cfg(unix)]
        if let Ok(there) = fs::metadata(&place) {
            file.as_file().set_permissions(there.permissions())?;
        }
        Ok(Draft { file: DraftFile::Beside { file, place } })
    }

    /// Puts the file in its place when it is on the disk: not even a loss of power leaves half of it.
    pub fn finish(self) -> io::Result<()> {
        if let DraftFile::Beside { file, .. } = &self.file {
            file.as_file().sync_data()?;
        }
        self.keep()
    }

    /// Puts the file in its place without waiting for the disk.
    pub fn keep(self) -> io::Result<()> {
        match self.file {
            DraftFile::Beside { file, place } => {
                file.persist(place).map(|_| ()).map_err(|error| error.error)
            }
            DraftFile::Straight(_) => Ok(()),
        }
    }

    fn file(&mut self) -> &mut File {
        match &mut self.file {
            DraftFile::Beside { file, .. } => file.as_file_mut(),
            DraftFile::Straight(file) => file,
        }
    }
}

impl Write for Draft {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file().flush()
    }
}

/// Is something there that is neither a file nor a folder, so that no file can take its place?
pub fn is_no_place(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|there| !there.is_file() && !there.is_dir())
}

/// Writes a file so that at any moment the old or the new one is there, and never half of it.
pub fn write_whole(path: &Path, content: &[u8]) -> io::Result<()> {
    let mut draft = Draft::new(path)?;
    draft.write_all(content)?;
    draft.finish()
}

/// What is in a file; nothing, where there is none.
pub fn read_if_there(path: &Path) -> io::Result<Vec<u8>> {
    match fs::read(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(Vec::new()),
        read => read,
    }
}

/// Refuses what is not a regular file. A pipe, a device or a terminal could keep a reader waiting for ever,
/// or never end.
pub fn check_regular(path: &Path) -> io::Result<()> {
    match fs::metadata(path)?.is_file() {
        true => Ok(()),
        false => Err(io::Error::other("this is not a regular file")),
    }
}

/// The content of a regular file of at most so many bytes.
pub fn read_regular(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    check_regular(path)?;
    let mut content = Vec::new();
    File::open(path)?.take(most + 1).read_to_end(&mut content)?;
    match content.len() as u64 <= most {
        true => Ok(content),
        false => Err(io::Error::other(format!("this file has more than {most} bytes"))),
    }
}

/// The line that a place in a text is on, counted from 1.
pub fn line_at(text: &str, offset: usize) -> usize {
    1 + text.as_bytes().iter().take(offset).filter(|&&byte| byte == b'\n').count()
}

/// Gives a file the first of its numbered names that is free, so that its place is free and nothing is
/// lost.
pub fn give_way(path: &Path, named: impl Fn(usize) -> PathBuf) -> io::Result<PathBuf> {
    let aside = (1..).map(named).find(|aside| !aside.exists()).expect("numbers do not end");
    fs::rename(path, &aside)?;
    Ok(aside)
}

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_whole_or_as_it_was_and_its_neighbours_are_left_alone() {
        let folder = tempfile::tempdir().expect("a folder");
        let at = |name: &str| folder.path().join(name);
        for name in ["games.pgn", "games.pgn.new", "games.pgn.partial-1"] {
            fs::write(at(name), "old").expect("it can be written");
        }
        let left = |name: &str| fs::read_to_string(at(name)).expect("it is there");
        let mut given_up = Draft::new(&at("games.pgn")).expect("there is room");
        given_up.write_all(b"half").expect("there is room");
        assert_eq!(left("games.pgn"), "old");
        drop(given_up);
        assert_eq!(left("games.pgn"), "old");
        write_whole(&at("games.pgn"), b"new").expect("there is room");
        assert_eq!(left("games.pgn"), "new");
        assert_eq!((&*left("games.pgn.new"), &*left("games.pgn.partial-1")), ("old", "old"));
        assert_eq!(fs::read_dir(folder.path()).expect("it is there").count(), 3);
        assert!(write_whole(&at("nowhere/games.pgn"), b"new").is_err());
        assert!(write_whole(folder.path(), b"new").is_err(), "a folder is no file");
    }

    #[cfg(unix)]
    #[test]
    fn others_may_read_what_is_written_if_the_user_lets_them() {
        use std::os::unix::fs::PermissionsExt as _;
        let folder = tempfile::tempdir().expect("a folder");
        let mode = |path: &Path| fs::metadata(path).expect("it is there").permissions().mode();
        let (ours, usual) = (folder.path().join("ours"), folder.path().join("usual"));
        write_whole(&ours, b"").expect("there is room");
        fs::write(&usual, "").expect("there is room");
        assert_eq!(mode(&ours), mode(&usual));
        // Who may read a file that is written again has been decided.
        fs::set_permissions(&ours, fs::Permissions::from_mode(0o640)).expect("it is ours");
        write_whole(&ours, b"new").expect("there is room");
        assert_eq!(mode(&ours) & 0o777, 0o640);
    }

    #[cfg(unix)]
    #[test]
    fn links_stay_and_what_is_no_file_is_written_to() {
        let folder = tempfile::tempdir().expect("a folder");
        let (place, link) = (folder.path().join("place"), folder.path().join("link"));
        fs::write(&place, "old").expect("there is room");
        std::os::unix::fs::symlink("place", &link).expect("a link");
        write_whole(&link, b"new").expect("there is room");
        assert!(link.is_symlink());
        assert_eq!(fs::read_to_string(&place).expect("it is there"), "new");
        let null = Path::new("/dev/null");
        assert!(is_no_place(null) && !is_no_place(&place) && !is_no_place(folder.path()));
        write_whole(null, b"away").expect("it takes everything");
        assert!(is_no_place(null));
    }
}
