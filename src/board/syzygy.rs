//! Syzygy tables: files of results under the fifty-move rule, read by the rules library.
//!
//! Only the thin part is here, because the library's positions do not leave this module. What to
//! do with the answers is decided in `endgame/`.
//!
//! Small files are read once and kept, so that looking something up needs no call to the system: for
//! tables of up to four pieces that takes half the time. Large ones stay on the disk.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use shakmaty::Chess;
use shakmaty_syzygy::filesystem::{Filesystem, OsFilesystem, RandomAccessFile, ReadHint};
use shakmaty_syzygy::{MaybeRounded, SyzygyError, Tablebase, Wdl};

use super::position::Position;

/// A set of table files. They are opened when first needed.
#[derive(Debug)]
pub struct SyzygyFiles(Tablebase<Chess>);

/// A result for the side to move under the fifty-move rule, worst first. A win is cursed, and a loss
/// blessed, when it takes too long: it is a draw if both sides play well.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FiftyMoveResult {
    Loss,
    BlessedLoss,
    Draw,
    CursedWin,
    Win,
}

/// Plies to the next capture or pawn move (or mate) that keeps the result; negative when losing,
/// zero for a draw.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Distance {
    Exact(i32),
    /// The files left out one bit: so many plies or one more.
    Rounded(i32),
}

/// Why a position could not be looked up.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LookupError {
    /// The position has castling rights or too many pieces, or its file is not there.
    #[error("not in the tables: {0}")]
    Absent(String),
    /// A file is there and cannot be read.
    #[error("{0}")]
    Broken(String),
}

impl Distance {
    /// The least and the most that it can be, as plies without sign.
    pub fn range(self) -> (u32, u32) {
        match self {
            Distance::Exact(plies) => (plies.unsigned_abs(), plies.unsigned_abs()),
            Distance::Rounded(plies) => (plies.unsigned_abs(), plies.unsigned_abs() + 1),
        }
    }
}

impl Default for SyzygyFiles {
    fn default() -> SyzygyFiles {
        SyzygyFiles(Tablebase::with_filesystem(Arc::new(SmallFilesKept::default())))
    }
}

impl SyzygyFiles {
    /// Adds one `.rtbw` or `.rtbz` file.
    pub fn add(&mut self, path: &Path) -> io::Result<()> {
        self.0.add_file(path)
    }

    /// Pieces of the largest table added.
    pub fn max_pieces(&self) -> usize {
        self.0.max_pieces()
    }

    /// The result right after a capture or pawn move: the counter is taken to stand at zero.
    #[inline]
    pub fn verdict_after_zeroing(
        &self,
        position: &Position,
    ) -> Result<FiftyMoveResult, LookupError> {
        let wdl = self.0.probe_wdl_after_zeroing(&position.chess).map_err(refused)?;
        Ok(match wdl {
            Wdl::Loss => FiftyMoveResult::Loss,
            Wdl::BlessedLoss => FiftyMoveResult::BlessedLoss,
            Wdl::Draw => FiftyMoveResult::Draw,
            Wdl::CursedWin => FiftyMoveResult::CursedWin,
            Wdl::Win => FiftyMoveResult::Win,
        })
    }

    pub fn distance(&self, position: &Position) -> Result<Distance, LookupError> {
        Ok(match self.0.probe_dtz(&position.chess).map_err(refused)? {
            MaybeRounded::Precise(dtz) => Distance::Exact(dtz.0),
            MaybeRounded::Rounded(dtz) => Distance::Rounded(dtz.0),
        })
    }
}

fn refused(error: SyzygyError) -> LookupError {
    match error {
        // The library's text goes on with a backtrace; the first line is what a user can read.
        SyzygyError::ProbeFailed { .. } => {
            LookupError::Broken(error.to_string().lines().next().unwrap_or_default().to_owned())
        }
        _ => LookupError::Absent(error.to_string()),
    }
}

/// Files of at most so many bytes are kept.
const SMALL: u64 = 1 << 20;

#[derive(Debug, Default)]
pub(super) struct SmallFilesKept(OsFilesystem);

impl Filesystem for SmallFilesKept {
    fn regular_file_size(&self, path: &Path) -> io::Result<u64> {
        self.0.regular_file_size(path)
    }

    fn read_dir(&self, path: &Path) -> io::Result<Vec<PathBuf>> {
        self.0.read_dir(path)
    }

    fn open(&self, path: &Path) -> io::Result<Box<dyn RandomAccessFile>> {
        if self.regular_file_size(path)? > SMALL {
            return self.0.open(path);
        }
        Ok(Box::new(Kept(std::fs::read(path)?)))
    }
}

struct Kept(Vec<u8>);

impl RandomAccessFile for Kept {
    fn read_at(&self, buffer: &mut [u8], offset: u64, _: ReadHint) -> io::Result<usize> {
        let rest = usize::try_from(offset).ok().and_then(|start| self.0.get(start..));
        io::Read::read(&mut rest.unwrap_or_default(), buffer)
    }
}
