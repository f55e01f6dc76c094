//! Saves the current game in a PGN file, after every move.
//!
//! Other programs may write to the same file at the same time. A lock on the file ensures that each
//! program sees all games. If another program has moved the game within the file, the game is found
//! again by its text. Only the end of the file is written, from the first byte that has changed.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::files::{check_writable, is_device_or_pipe, lock_within};
use crate::games::pgn::is_packed;

/// The maximum time to wait while another program has the file locked.
const LOCK_TIMEOUT: Duration = Duration::from_secs(2);

/// Saves one game in a file.
#[derive(Debug)]
pub(super) struct GameSaver {
    pub path: PathBuf,
    /// The text of this game when it was last written, and its offset in the file.
    written: String,
    offset: u64,
}

/// The place of a game in a file.
struct Place {
    offset: u64,
    /// The rest of the file from this place on.
    old: Vec<u8>,
    /// The line breaks between a new game and the previous one.
    line_breaks: &'static str,
}

impl GameSaver {
    pub fn new(path: &Path) -> GameSaver {
        GameSaver { path: path.to_owned(), written: String::new(), offset: 0 }
    }

    /// Checks that the file can be written to or created, without changing it. A game at the end of a
    /// compressed file could not be read.
    pub fn check(&self) -> io::Result<()> {
        check_writable(&self.path)?;
        match self.path.is_file() && is_packed(&mut File::open(&self.path)?)? {
            true => Err(io::Error::other("the file is compressed; choose another name")),
            false => Ok(()),
        }
    }

    /// Whether a version of the game is in the file.
    pub fn has_game(&self) -> bool {
        !self.written.is_empty()
    }

    /// Replaces the previous version of the game and keeps the other games in the file. If
    /// `is_final` is set, also makes sure that the saved game survives a power failure.
    pub fn save(&mut self, pgn: String, is_final: bool) -> io::Result<()> {
        if is_device_or_pipe(&self.path) {
            return File::options().write(true).open(&self.path)?.write_all(pgn.as_bytes());
        }
        let mut options = File::options();
        options.read(true).write(true).create(true).truncate(false);
        let mut file = options.open(&self.path)?;
        lock_within(&file, LOCK_TIMEOUT)?;
        let Place { offset, old, line_breaks } = self.find(&mut file)?;
        // Later games remain after this one.
        let later = old.get(self.written.len()..).unwrap_or_default();
        let new = [line_breaks.as_bytes(), pgn.as_bytes(), later].concat();
        replace_end(&mut file, offset, &old, &new)?;
        if is_final {
            file.sync_data()?;
        }
        (self.written, self.offset) = (pgn, offset + line_breaks.len() as u64);
        Ok(())
    }

    /// Finds the game in the file. If it is not there, it will be appended after an empty line.
    fn find(&mut self, file: &mut File) -> io::Result<Place> {
        let written = self.written.as_bytes();
        if !written.is_empty() {
            let old = read_from(file, self.offset)?;
            if old.starts_with(written) {
                return Ok(Place { offset: self.offset, old, line_breaks: "" });
            }
            let mut content = read_from(file, 0)?;
            if let Some(offset) = content.windows(written.len()).rposition(|part| part == written) {
                let old = content.split_off(offset);
                return Ok(Place { offset: offset as u64, old, line_breaks: "" });
            }
            self.written.clear();
        }
        let length = file.metadata()?.len();
        let ending = read_from(file, length.saturating_sub(2))?;
        let line_breaks = match ending.as_slice() {
            [] | [b'\n', b'\n'] => "",
            [.., b'\n'] => "\n",
            _ => "\n\n",
        };
        Ok(Place { offset: length, old: Vec::new(), line_breaks })
    }
}

fn read_from(file: &mut File, offset: u64) -> io::Result<Vec<u8>> {
    let mut content = Vec::new();
    file.seek(SeekFrom::Start(offset))?;
    file.read_to_end(&mut content)?;
    Ok(content)
}

/// Replaces the part of a file from this offset on. If that fails, for example because the disk is
/// full, the old content remains.
fn replace_end(file: &mut File, offset: u64, old: &[u8], new: &[u8]) -> io::Result<()> {
    let same = old.iter().zip(new).take_while(|(old, new)| old == new).count();
    let changed = SeekFrom::Start(offset + same as u64);
    file.seek(changed)?;
    let written = file.write_all(&new[same..]);
    if written.is_err() {
        file.seek(changed)?;
        file.write_all(&old[same..])?;
        file.set_len(offset + old.len() as u64)?;
        return written;
    }
    file.set_len(offset + new.len() as u64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn games_of_several_writers_are_in_the_file_once() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("games.pgn");
        fs::write(&path, "[Event \"Earlier\"]\n\n1. e4 1-0").expect("there is room");
        let mut savers: Vec<GameSaver> = (0..3).map(|_| GameSaver::new(&path)).collect();
        for (turn, length) in [1, 2, 1, 3].into_iter().enumerate() {
            for (number, saver) in savers.iter_mut().enumerate() {
                // The first two games are the same. The third diverges later.
                let name = if number == 2 && turn > 1 { "B" } else { "A" };
                let text = format!("[Event \"{name}\"]\n\n{}*\n\n", "1. e4 ".repeat(length));
                saver.save(text, false).expect("there is room");
            }
        }
        let game = |name: &str| format!("[Event \"{name}\"]\n\n1. e4 1. e4 1. e4 *\n\n");
        let content = fs::read_to_string(&path).expect("it is there");
        let (first, games) = content.split_once("1-0\n\n").expect("the earlier game");
        assert!(first.starts_with("[Event \"Earlier\"]"), "{content}");
        assert_eq!(games.len(), 3 * game("A").len(), "{games}");
        for (name, count) in [("A", 2), ("B", 1)] {
            assert_eq!(games.matches(&game(name)).count(), count, "{games}");
        }
    }

    #[test]
    fn a_compressed_file_is_refused_and_an_empty_game_is_removed() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("games.pgn");
        fs::write(&path, b"\x1f\x8b\x08\x00").expect("there is room");
        let mut saver = GameSaver::new(&path);
        assert!(saver.check().is_err_and(|error| error.to_string().contains("compressed")));
        fs::write(&path, "1. c4 *\n\n").expect("there is room");
        saver.check().expect("it is text");
        saver.save("1. e4 *\n\n".to_owned(), false).expect("there is room");
        assert!(saver.has_game());
        saver.save(String::new(), false).expect("there is room");
        assert_eq!(fs::read_to_string(&path).expect("it is there"), "1. c4 *\n\n");
        assert!(!saver.has_game());
    }

    #[test]
    fn a_game_removed_by_another_program_is_appended() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("games.pgn");
        let mut saver = GameSaver::new(&path);
        saver.save("1. e4 *\n\n".to_owned(), false).expect("there is room");
        fs::write(&path, "1. c4 *\n").expect("there is room");
        saver.save("1. e4 e5 *\n\n".to_owned(), true).expect("there is room");
        let content = fs::read_to_string(&path).expect("it is there");
        assert_eq!(content, "1. c4 *\n\n1. e4 e5 *\n\n");
    }
}
