//! Files that are whole or not there, and make room for others instead of being lost.

use std::fs;
use std::io::{self, ErrorKind, Write};
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
/// place when it is whole. Until then what was there before is there, and if it is given up, still.
#[derive(Debug)]
pub struct Draft {
    file: NamedTempFile,
    path: PathBuf,
}

impl Draft {
    /// Begins a file that is to lie at this path.
    pub fn new(path: &Path) -> io::Result<Draft> {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        Draft::named(path, &format!("{name}."), ".new")
    }

    /// The same, with what its name is to begin and to end with until it is whole.
    pub fn named(path: &Path, beginning: &str, ending: &str) -> io::Result<Draft> {
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
        let mut builder = Builder::new();
        builder.prefix(beginning).suffix(ending);
        // A file like any other, not a secret one: the user's mask decides who may read it.
        #[cfg(unix)]
        builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
        let file = builder.tempfile_in(folder.unwrap_or(Path::new(".")))?;
        Ok(Draft { file, path: path.to_owned() })
    }

    /// Puts the file in its place when it is on the disk: not even a loss of power leaves half of it.
    pub fn finish(self) -> io::Result<()> {
        self.file.as_file().sync_data()?;
        self.keep()
    }

    /// Puts the file in its place without waiting for the disk.
    pub fn keep(self) -> io::Result<()> {
        self.file.persist(&self.path).map(|_| ()).map_err(|error| error.error)
    }
}

impl Write for Draft {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.as_file_mut().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.as_file_mut().flush()
    }
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
    }
}
