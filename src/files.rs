//! Files that are never half-written or overwritten by accident, and the folders for a user's files.
//!
//! Linux and similar systems follow the XDG Base Directory Specification, which says that relative paths in its
//! environment variables must be ignored. Windows and macOS have their own folders.

use std::env;
use std::fs::{self, File, TryLockError};
use std::io::{self, ErrorKind, Read, Write};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use tempfile::{Builder, NamedTempFile};

use crate::clock::Instant;

/// The time between attempts to lock a file.
const LOCK_INTERVAL: Duration = Duration::from_millis(2);

/// The path of a companion file: the same path with another extension appended.
pub fn beside(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".");
    name.push(ending);
    name.into()
}

/// Raises the limit on open files, if the system allows that. Some systems allow only 256 at first.
pub fn allow_many_open_files() {
    #[cfg(unix)]
    {
        use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
        const WANTED: u64 = 2048;
        let limits = getrlimit(Resource::Nofile);
        let wanted = limits.maximum.map_or(WANTED, |maximum| maximum.min(WANTED));
        if limits.current.is_some_and(|current| current < wanted) {
            // If this fails, opening a file reports the problem.
            let _unchanged =
                setrlimit(Resource::Nofile, Rlimit { current: Some(wanted), ..limits });
        }
    }
}

/// A file that is being written. It is written under a temporary name in the same folder, and replaces the file at its
/// path when it is complete. Until then, or if it is dropped, the old file remains. If the path is a link, the target
/// of the link is replaced. A device or pipe is written to directly.
#[derive(Debug)]
pub struct PendingFile {
    file: DraftFile,
}

#[derive(Debug)]
enum DraftFile {
    Beside { file: NamedTempFile, place: PathBuf },
    Direct(File),
}

impl PendingFile {
    /// Starts a file for this path.
    pub(crate) fn new(path: &Path) -> io::Result<PendingFile> {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        PendingFile::named(path, &format!("{name}."), ".new")
    }

    /// Starts a file for this path. The temporary name starts and ends with these strings.
    pub(crate) fn named(path: &Path, beginning: &str, ending: &str) -> io::Result<PendingFile> {
        if is_device_or_pipe(path) {
            let file = File::options().write(true).open(path)?;
            return Ok(PendingFile { file: DraftFile::Direct(file) });
        }
        let place = without_links(path);
        // Replacing a file needs only the permission to change the folder, so a write-protected file must be refused.
        if place.is_file() {
            File::options().append(true).open(&place)?;
        }
        let folder = place.parent().filter(|folder| !folder.as_os_str().is_empty());
        let mut builder = Builder::new();
        builder.prefix(beginning).suffix(ending);
        // Temporary files are private by default. This one gets the permissions of the old file, or else those that
        // the user's umask allows.
        #[cfg(unix)]
        builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
        let file = builder.tempfile_in(folder.unwrap_or(Path::new("."))).map_err(without_path)?;
        #[cfg(unix)]
        if let Ok(there) = fs::metadata(&place) {
            file.as_file().set_permissions(there.permissions())?;
        }
        Ok(PendingFile { file: DraftFile::Beside { file, place } })
    }

    /// Waits until the file is on disk and moves it to its path, so that even after a power failure the file is
    /// complete.
    pub(crate) fn finish(self) -> io::Result<()> {
        if let DraftFile::Beside { file, .. } = &self.file {
            file.as_file().sync_data()?;
        }
        self.keep()
    }

    /// Moves the file to its path without waiting for the disk.
    pub(crate) fn keep(self) -> io::Result<()> {
        match self.file {
            DraftFile::Beside { file, place } => {
                file.persist(place).map(|_| ()).map_err(|error| error.error)
            }
            DraftFile::Direct(_) => Ok(()),
        }
    }

    fn file(&mut self) -> &mut File {
        match &mut self.file {
            DraftFile::Beside { file, .. } => file.as_file_mut(),
            DraftFile::Direct(file) => file,
        }
    }
}

/// The path that a link stands for, even if its target does not exist yet. Other paths stay as they are, or become
/// absolute.
fn without_links(path: &Path) -> PathBuf {
    // Links can form a cycle. Linux also follows at most this many.
    const MAX_LINKS: usize = 40;
    let mut place = path.to_owned();
    for _ in 0..MAX_LINKS {
        if let Ok(whole) = place.canonicalize() {
            return whole;
        }
        let Ok(target) = fs::read_link(&place) else { break };
        place = place.parent().unwrap_or(Path::new("")).join(target);
    }
    place
}

/// The error without the path of the temporary file, which means nothing to the user. `tempfile` puts the path into the
/// message, and does not pass on the cause.
fn without_path(error: io::Error) -> io::Error {
    let message = error.to_string();
    match message.rsplit_once(" at path ") {
        Some((cause, _path)) => io::Error::new(error.kind(), cause),
        None => error,
    }
}

impl Write for PendingFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file().flush()
    }
}

/// Whether the path is a device or pipe, which a file cannot replace.
pub(crate) fn is_device_or_pipe(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|there| !there.is_file() && !there.is_dir())
}

/// Checks that a file can be written to or created, without changing anything.
pub(crate) fn check_writable(path: &Path) -> io::Result<()> {
    if is_device_or_pipe(path) {
        // If a pipe were opened and closed, its reader would see the end of the input.
        return Ok(());
    }
    match fs::metadata(path) {
        Ok(there) if there.is_dir() => Err(io::Error::other("this is a folder")),
        Ok(_) => File::options().append(true).open(path).map(drop),
        Err(error) if error.kind() == ErrorKind::NotFound => {
            let place = without_links(path);
            let folder = place.parent().filter(|folder| !folder.as_os_str().is_empty());
            tempfile::tempfile_in(folder.unwrap_or(Path::new("."))).map(drop).map_err(without_path)
        }
        Err(error) => Err(error),
    }
}

/// Writes a file. At any moment, the file at the path is complete: either the old one or the new one.
pub fn write_whole(path: &Path, content: &[u8]) -> io::Result<()> {
    let mut draft = PendingFile::new(path)?;
    draft.write_all(content)?;
    draft.finish()
}

/// Opens a file for reading. The error for a missing file is in plain words on every system.
pub(crate) fn open_existing(path: &Path) -> io::Result<File> {
    File::open(path).map_err(|error| match error.kind() {
        kind @ ErrorKind::NotFound => io::Error::new(kind, "file not found"),
        _ => error,
    })
}

/// The contents of a file, empty if it does not exist.
pub fn read_if_there(path: &Path) -> io::Result<Vec<u8>> {
    match fs::read(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(Vec::new()),
        read => read,
    }
}

/// Opens or creates a file to read and write it, and locks it until it is closed. The error has the kind `WouldBlock` if
/// another program has locked the file.
pub fn open_locked(path: &Path) -> io::Result<File> {
    let file = File::options().read(true).write(true).create(true).truncate(false).open(path)?;
    lock_within(&file, Duration::ZERO)?;
    Ok(file)
}

/// Takes the exclusive lock on a file. If other programs hold it, waits at most `patience`. The system releases the
/// lock when the file is closed, even if the process is killed. On a file system without locks, this succeeds at once.
pub(crate) fn lock_within(file: &File, patience: Duration) -> io::Result<()> {
    let deadline = Instant::now() + patience;
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(()),
            Err(TryLockError::WouldBlock) if Instant::now() < deadline => {
                thread::sleep(LOCK_INTERVAL);
            }
            Err(TryLockError::WouldBlock) => {
                return Err(io::Error::new(ErrorKind::WouldBlock, "another program has locked it"));
            }
            Err(TryLockError::Error(error)) if error.kind() == ErrorKind::Unsupported => {
                return Ok(());
            }
            Err(TryLockError::Error(error)) => return Err(error),
        }
    }
}

/// Rejects anything but a regular file. A pipe, a device or a terminal could keep a reader waiting forever or send data
/// without end.
pub(crate) fn check_regular(path: &Path) -> io::Result<()> {
    match fs::metadata(path)?.is_file() {
        true => Ok(()),
        false => Err(io::Error::other("this is not a regular file")),
    }
}

/// The contents of a regular file that has at most `most` bytes.
pub(crate) fn read_regular(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    check_regular(path)?;
    let mut content = Vec::new();
    File::open(path)?.take(most + 1).read_to_end(&mut content)?;
    match content.len() as u64 <= most {
        true => Ok(content),
        false => Err(io::Error::other(format!("this file has more than {most} bytes"))),
    }
}

/// The line number at an offset in a text, counted from 1.
pub(crate) fn line_at(text: &str, offset: usize) -> usize {
    1 + text.as_bytes().iter().take(offset).filter(|&&byte| byte == b'\n').count()
}

/// Renames a file to the first of its numbered names that is free, so that a new file does not overwrite it.
pub fn move_aside(path: &Path, named: impl Fn(usize) -> PathBuf) -> io::Result<PathBuf> {
    let aside = (1..).map(named).find(|aside| !aside.exists()).expect("there is a free number");
    fs::rename(path, &aside)?;
    Ok(aside)
}

/// The purpose of a folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FolderPurpose {
    /// Files that the user has written.
    Configuration,
    /// Files that cannot be created again.
    Data,
    /// Files that can be created again.
    Cache,
}

/// The program's folder for a user. It need not exist. `None` if the environment variables are missing.
pub(crate) fn user_folder(purpose: FolderPurpose) -> Option<PathBuf> {
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
    fn an_unfinished_file_changes_neither_the_old_file_nor_its_neighbours() {
        let folder = tempfile::tempdir().expect("a folder");
        let at = |name: &str| folder.path().join(name);
        for name in ["games.pgn", "games.pgn.new", "games.pgn.partial-1"] {
            fs::write(at(name), "old").expect("it can be written");
        }
        let left = |name: &str| fs::read_to_string(at(name)).expect("it is there");
        let mut given_up = PendingFile::new(&at("games.pgn")).expect("there is room");
        given_up.write_all(b"half").expect("there is room");
        assert_eq!(left("games.pgn"), "old");
        drop(given_up);
        assert_eq!(left("games.pgn"), "old");
        write_whole(&at("games.pgn"), b"new").expect("there is room");
        assert_eq!(left("games.pgn"), "new");
        assert_eq!((&*left("games.pgn.new"), &*left("games.pgn.partial-1")), ("old", "old"));
        assert_eq!(fs::read_dir(folder.path()).expect("it is there").count(), 3);
        let error = write_whole(&at("nowhere/games.pgn"), b"new").expect_err("no folder");
        assert!(!error.to_string().contains("games.pgn"), "names a temporary file: {error}");
        assert!(write_whole(folder.path(), b"new").is_err(), "a folder was replaced");
    }

    #[test]
    fn checking_whether_a_file_can_be_written_leaves_no_trace() {
        let folder = tempfile::tempdir().expect("a folder");
        let at = |name: &str| folder.path().join(name);
        fs::write(at("old.pgn"), "old").expect("there is room");
        for name in ["old.pgn", "new.pgn"] {
            check_writable(&at(name)).expect(name);
        }
        assert!(check_writable(&at("nowhere/new.pgn")).is_err());
        assert!(check_writable(&at("old.pgn/new.pgn")).is_err());
        assert!(check_writable(folder.path()).is_err(), "this is a folder");
        assert_eq!(fs::read_to_string(at("old.pgn")).expect("it is there"), "old");
        assert_eq!(fs::read_dir(folder.path()).expect("it is there").count(), 1);
    }

    #[test]
    fn a_lock_ends_with_its_file_and_waiting_for_it_has_a_limit() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("lock");
        let [one, other] = [(); 2].map(|()| {
            let mut options = File::options();
            options.create(true).truncate(false).write(true).open(&path).expect("there is room")
        });
        lock_within(&one, Duration::ZERO).expect("it is free");
        let error = lock_within(&other, Duration::ZERO).expect_err("it is locked");
        assert_eq!(error.kind(), ErrorKind::WouldBlock);
        drop(one);
        lock_within(&other, Duration::ZERO).expect("it is free again");
        let refused = open_locked(&path).expect_err("it is locked");
        assert_eq!((refused.kind(), refused.to_string()), (error.kind(), error.to_string()));
        drop(other);
        open_locked(&path).expect("it is free again");
    }

    #[cfg(unix)]
    #[test]
    fn a_new_file_has_the_usual_permissions() {
        use std::os::unix::fs::PermissionsExt as _;
        let folder = tempfile::tempdir().expect("a folder");
        let mode = |path: &Path| fs::metadata(path).expect("it is there").permissions().mode();
        let (ours, usual) = (folder.path().join("ours"), folder.path().join("usual"));
        write_whole(&ours, b"").expect("there is room");
        fs::write(&usual, "").expect("there is room");
        assert_eq!(mode(&ours), mode(&usual));
        // A file that is replaced keeps its permissions.
        fs::set_permissions(&ours, fs::Permissions::from_mode(0o640)).expect("it is ours");
        write_whole(&ours, b"new").expect("there is room");
        assert_eq!(mode(&ours) & 0o777, 0o640);
    }

    #[cfg(unix)]
    #[test]
    fn links_are_followed_and_devices_are_written_directly() {
        let folder = tempfile::tempdir().expect("a folder");
        let (place, link) = (folder.path().join("place"), folder.path().join("link"));
        fs::write(&place, "old").expect("there is room");
        std::os::unix::fs::symlink("place", &link).expect("a link");
        write_whole(&link, b"new").expect("there is room");
        assert!(link.is_symlink());
        assert_eq!(fs::read_to_string(&place).expect("it is there"), "new");
        // A link to a link, and the last target does not exist.
        fs::remove_file(&place).expect("it is there");
        let outer = folder.path().join("outer");
        std::os::unix::fs::symlink(&link, &outer).expect("a link");
        check_writable(&outer).expect("the target can be created");
        write_whole(&outer, b"newer").expect("there is room");
        assert!(outer.is_symlink() && link.is_symlink());
        assert_eq!(fs::read_to_string(&place).expect("it is there"), "newer");
        let circle = folder.path().join("circle");
        std::os::unix::fs::symlink("circle", &circle).expect("a link");
        assert!(check_writable(&circle).is_err());
        let null = Path::new("/dev/null");
        assert!(
            is_device_or_pipe(null)
                && !is_device_or_pipe(&place)
                && !is_device_or_pipe(folder.path())
        );
        write_whole(null, b"away").expect("it takes everything");
        assert!(is_device_or_pipe(null));
    }
}
