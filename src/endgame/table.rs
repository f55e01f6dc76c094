//! Solved tables in memory, and table files.
//!
//! [`super::compressed`] describes the contents of a file. A file is written under a temporary name
//! and renamed when it is complete, so a table file is never incomplete. If a file is corrupt or
//! has another version, it is renamed instead of overwritten.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::layout::{Layout, Squares};
use super::material::Material;
use super::outcome::{Metric, Outcome, TableKey};
use crate::board::Colour;
use crate::files::{PendingFile, move_aside};

/// The outcome at an index. It is 0 for a draw, twice the plies for a win, and twice the plies plus
/// 1 for a loss. If there is no position, it is the largest number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cell(pub u16);

impl Cell {
    /// The cell of a drawn position.
    pub const DRAW: Cell = Cell(0);
    pub(crate) const EMPTY: Cell = Cell(u16::MAX);

    /// Encodes an outcome.
    pub fn of(outcome: Outcome) -> Cell {
        match outcome {
            Outcome::Draw => Cell::DRAW,
            Outcome::Win(plies) => Cell(2 * plies),
            Outcome::Loss(plies) => Cell(2 * plies + 1),
        }
    }

    /// Decodes the outcome, or returns `None` if there is no position at the index.
    #[inline]
    pub(crate) fn outcome(self) -> Option<Outcome> {
        match self {
            Cell::EMPTY => None,
            Cell::DRAW => Some(Outcome::Draw),
            Cell(code) if code % 2 == 0 => Some(Outcome::Win(code / 2)),
            Cell(code) => Some(Outcome::Loss(code / 2)),
        }
    }
}

/// Cells, stored as bytes if all values fit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Cells {
    /// One byte per cell.
    Bytes(Vec<u8>),
    /// Two bytes per cell.
    Words(Vec<u16>),
}

impl Cells {
    /// Packs cells into bytes if all values fit, otherwise into words.
    pub fn pack(len: usize, cell: impl Fn(usize) -> Cell) -> Cells {
        Cells::of(len, (0..len).map(&cell))
    }

    /// Packs the cells of an iterator, which is iterated twice.
    pub(super) fn of(len: usize, cells: impl Iterator<Item = Cell> + Clone) -> Cells {
        if Cells::fit_into_bytes(cells.clone()) {
            let mut bytes = Vec::with_capacity(len);
            bytes.extend(cells.map(|cell| cell.0.min(255) as u8));
            Cells::Bytes(bytes)
        } else {
            let mut words = Vec::with_capacity(len);
            words.extend(cells.map(|cell| cell.0));
            Cells::Words(words)
        }
    }

    fn fit_into_bytes(mut cells: impl Iterator<Item = Cell>) -> bool {
        cells.all(|cell| cell == Cell::EMPTY || cell.0 < u16::from(u8::MAX))
    }

    /// The size of the cells in memory, in bytes.
    pub(super) fn bytes(&self) -> usize {
        match self {
            Cells::Bytes(bytes) => bytes.len(),
            Cells::Words(words) => 2 * words.len(),
        }
    }

    /// The number of cells for both sides to move.
    pub(crate) fn count(&self) -> usize {
        match self {
            Cells::Bytes(bytes) => bytes.len(),
            Cells::Words(words) => words.len(),
        }
    }

    #[inline]
    pub(super) fn get(&self, index: usize) -> Cell {
        match self {
            Cells::Bytes(bytes) => match bytes[index] {
                u8::MAX => Cell::EMPTY,
                code => Cell(u16::from(code)),
            },
            Cells::Words(words) => Cell(words[index]),
        }
    }
}

/// The outcomes of all positions with a given material signature, in one metric.
#[derive(Clone, Debug)]
pub struct EndgameTable {
    /// The indices of the positions.
    pub layout: Layout,
    /// The metric of the depths.
    pub metric: Metric,
    /// The cells with the strong side to move, then those with the weak side to move.
    pub cells: Cells,
    /// The length of the longest win in plies, or 0 if there are no wins.
    pub longest: u16,
}

/// A position in a table and its outcome.
#[derive(Clone, Copy, Debug)]
pub struct TablePosition {
    /// The squares of the pieces by slot.
    pub squares: Squares,
    /// The side to move. White is the strong side.
    pub turn: Colour,
    /// The outcome for the side to move.
    pub outcome: Outcome,
}

/// Statistics of a table. Mirror images count once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TableSummary {
    /// The pieces of both sides.
    pub(crate) material: Material,
    /// The metric of the longest win.
    pub(crate) metric: Metric,
    /// The number of positions with either side to move.
    pub(crate) positions: u64,
    /// The number of positions that the side to move wins.
    pub(crate) wins: u64,
    /// The number of drawn positions.
    pub(crate) draws: u64,
    /// The number of positions that the side to move loses.
    pub(crate) losses: u64,
    /// The length of the longest win in plies, and a position with this win as FEN.
    pub(crate) longest: Option<(u16, String)>,
}

impl EndgameTable {
    /// Creates a table from its cells and finds the longest win.
    ///
    /// # Panics
    ///
    /// Panics if the number of cells is not twice the size of the layout.
    pub fn new(layout: Layout, metric: Metric, cells: Cells) -> EndgameTable {
        assert_eq!(cells.count(), 2 * layout.size, "a cell for each index and side to move");
        let wins = (0..cells.count()).filter_map(|i| match cells.get(i).outcome() {
            Some(Outcome::Win(plies)) => Some(plies),
            _ => None,
        });
        let longest = wins.max().unwrap_or(0);
        EndgameTable { layout, metric, cells, longest }
    }

    /// Returns the same table with its cells packed into bytes. If they do not fit, they are not copied.
    pub(super) fn packed(self) -> EndgameTable {
        let count = self.cells.count();
        let cells = (0..count).map(|index| self.cells.get(index));
        if !Cells::fit_into_bytes(cells) {
            return self;
        }
        EndgameTable { cells: Cells::pack(count, |index| self.cells.get(index)), ..self }
    }

    /// The pieces of both sides.
    pub fn material(&self) -> Material {
        self.layout.material
    }

    /// The outcome at an index, or `None` if the index has no position.
    #[inline]
    pub fn at(&self, turn: Colour, index: usize) -> Option<Outcome> {
        let offset = if turn == Colour::White { 0 } else { self.layout.size };
        self.cells.get(offset + index).outcome()
    }

    /// The outcome of a position without en passant rights, or `None` if it is not legal.
    #[inline]
    pub(crate) fn get(&self, turn: Colour, squares: &Squares) -> Option<Outcome> {
        self.at(turn, self.layout.place(squares)?.index)
    }

    /// All positions. Each set of mirror images is represented by one position.
    pub fn entries(&self) -> impl Iterator<Item = TablePosition> + '_ {
        [Colour::White, Colour::Black].into_iter().flat_map(move |turn| {
            (0..self.layout.size).filter_map(move |index| {
                let outcome = self.at(turn, index)?;
                let squares = self.layout.squares(index)?;
                Some(TablePosition { squares, turn, outcome })
            })
        })
    }

    /// Counts the positions by result and finds the longest win.
    pub fn summary(&self) -> TableSummary {
        let mut summary = TableSummary {
            material: self.material(),
            metric: self.metric,
            positions: 0,
            wins: 0,
            draws: 0,
            losses: 0,
            longest: None,
        };
        let mut longest: Option<(u16, Colour, usize)> = None;
        for turn in [Colour::White, Colour::Black] {
            for index in 0..self.layout.size {
                let Some(outcome) = self.at(turn, index) else { continue };
                summary.positions += 1;
                match outcome {
                    Outcome::Draw => summary.draws += 1,
                    Outcome::Loss(_) => summary.losses += 1,
                    Outcome::Win(plies) => {
                        summary.wins += 1;
                        if longest.is_none_or(|(most, ..)| plies > most) {
                            longest = Some((plies, turn, index));
                        }
                    }
                }
            }
        }
        summary.longest = longest.and_then(|(plies, turn, index)| {
            Some((plies, self.layout.fen(&self.layout.squares(index)?, turn)))
        });
        summary
    }
}

/// The version of table files. Files of version 1 were not compressed.
pub const VERSION: u16 = 2;

/// Why a table could not be read or written.
#[derive(Debug, thiserror::Error)]
#[error("{}: {fault}", .path.display())]
pub struct TableError {
    path: PathBuf,
    fault: TableFault,
}

/// A fault in a file, or an error while reading or writing it.
#[derive(Debug, thiserror::Error)]
pub(crate) enum TableFault {
    #[error(transparent)]
    Io(#[from] io::Error),
    #[error("{0}; tables cannot be saved there: choose another folder, or make it writable")]
    Unwritable(io::Error),
    #[error("{0}; the table was not saved: free some space, or choose another folder")]
    NotSaved(io::Error),
    #[error("not a table file from this program")]
    Foreign,
    #[error("a table file of version {0}, but this program reads version {VERSION}")]
    Version(u16),
    #[error("corrupt ({0})")]
    Damaged(&'static str),
}

impl TableFault {
    /// Adds the path of the file.
    pub fn of(self, path: &Path) -> TableError {
        TableError { path: path.to_owned(), fault: self }
    }

    /// Returns whether the fault is in the contents of the file, and not in reading it.
    pub fn is_content(&self) -> bool {
        matches!(self, TableFault::Foreign | TableFault::Version(_) | TableFault::Damaged(_))
    }
}

/// The path of a table file in a directory.
pub fn path(directory: &Path, key: TableKey) -> PathBuf {
    directory.join(name(key))
}

fn name(TableKey { material, metric }: TableKey) -> String {
    format!("{material}.{metric}")
}

/// Writes a table file atomically.
pub fn save(directory: &Path, key: TableKey, bytes: &[u8]) -> Result<PathBuf, TableError> {
    let path = path(directory, key);
    let saved = create_partial(directory, &name(key)).and_then(|mut draft| {
        draft.write_all(bytes)?;
        draft.finish()
    });
    saved.map_err(|error| TableFault::NotSaved(error).of(&path))?;
    Ok(path)
}

/// The part of an unfinished file's name between the table's name and the process ID.
const PARTIAL: &str = ".partial-";

/// The name of a file that is used only to test whether the directory is writable.
const WRITABLE: &str = "writable";

/// Tests whether a directory is writable.
pub fn try_writing(directory: &Path) -> io::Result<()> {
    create_partial(directory, WRITABLE).map(drop)
}

/// Creates a file with a unique name: `NAME.partial-PROCESS-`, followed by a few letters.
fn create_partial(directory: &Path, name: &str) -> io::Result<PendingFile> {
    let process = std::process::id();
    PendingFile::named(&directory.join(name), &format!("{name}{PARTIAL}{process}-"), "")
}

/// Unfinished files that are younger than this are not removed, because their process may be
/// running on another machine.
const MIN_AGE: Duration = Duration::from_secs(600);

/// Removes the unfinished files of processes that have ended. Errors are ignored.
pub fn sweep(directory: &Path) {
    for entry in fs::read_dir(directory).into_iter().flatten().flatten() {
        let owner = entry.file_name().to_str().and_then(owner);
        let age = entry.metadata().and_then(|metadata| metadata.modified()).ok();
        let is_old = age.and_then(|time| time.elapsed().ok()).is_some_and(|age| age > MIN_AGE);
        if owner.is_some_and(|process| !is_running(process)) && is_old {
            let _kept = fs::remove_file(entry.path());
        }
    }
}

/// The ID of the process that is writing an unfinished file, or `None` if the file is not one of
/// ours.
fn owner(name: &str) -> Option<i32> {
    let (table, rest) = name.split_once(PARTIAL)?;
    let (process, suffix) = rest.split_once('-')?;
    let is_table = table.split_once('.').is_some_and(|(material, metric)| {
        material.parse::<Material>().is_ok() && metric.parse::<Metric>().is_ok()
    });
    let is_suffix = suffix.chars().all(|letter| letter.is_ascii_alphanumeric());
    process.parse().ok().filter(|_| is_suffix && (is_table || table == WRITABLE))
}

/// Returns whether a process is running. On systems where this is unknown, returns true only for
/// our own process.
fn is_running(process: i32) -> bool {
    #[cfg(unix)]
    return rustix::process::Pid::from_raw(process).is_some_and(|process| {
        rustix::process::test_kill_process(process) != Err(rustix::io::Errno::SRCH)
    });
    #[cfg(not(unix))]
    return process == std::process::id() as i32;
}

/// Renames an unusable file, so that its name becomes free and nothing is lost.
pub fn set_aside(directory: &Path, key: TableKey) -> io::Result<PathBuf> {
    let aside = |count| directory.join(format!("{}.unusable-{count}", name(key)));
    move_aside(&path(directory, key), aside)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packing_does_not_copy_cells_that_need_two_bytes() {
        for (longest, fits) in [(127, true), (128, false)] {
            let layout = Layout::new("KQK".parse().expect("a material"));
            let mut words = vec![0; 2 * layout.size];
            words[7] = Cell::of(Outcome::Win(longest)).0;
            let before = words.as_ptr();
            let packed = EndgameTable::new(layout, Metric::Dtc, Cells::Words(words)).packed();
            match packed.cells {
                Cells::Bytes(_) => assert!(fits, "{longest}"),
                Cells::Words(words) => assert!(!fits && words.as_ptr() == before, "{longest}"),
            }
            assert_eq!(packed.longest, longest);
        }
    }
}
