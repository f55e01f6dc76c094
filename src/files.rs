//! Files that are whole or not there, and make room for others instead of being lost.

use std::fs::{self, File};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};

/// What belongs to a file: its name with another ending behind it.
pub fn beside(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".");
    name.push(ending);
    name.into()
}

/// What a file is called while it is written.
pub fn draft(path: &Path) -> PathBuf {
    beside(path, "new")
}

/// Writes a file so that at any moment the old or the new one is there, and never half of it.
pub fn write_whole(path: &Path, content: &[u8]) -> io::Result<()> {
    let draft = draft(path);
    let mut file = File::create(&draft)?;
    file.write_all(content)?;
    file.sync_data()?;
    fs::rename(&draft, path)
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
