//! Syzygy tables: files with results under the fifty-move rule, read by shakmaty.
//!
//! This is only the part that needs shakmaty's positions. The module `endgame` decides what to do with the results.
//!
//! Small files are read once and kept in memory, which halves the probing time for tables of up to four pieces. Large
//! files stay on disk.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use shakmaty::Chess;
#[cfg(any(unix, windows))]
use shakmaty_syzygy::filesystem::OsFilesystem;
use shakmaty_syzygy::filesystem::{Filesystem, RandomAccessFile, ReadHint};
use shakmaty_syzygy::{MaybeRounded, SyzygyError, Tablebase, Wdl};

use super::position::Position;

/// A set of tablebase files, each opened when first needed.
#[derive(Debug)]
pub struct SyzygyFiles(Tablebase<Chess>);

/// A result for the side to move under the fifty-move rule, worst first. Cursed wins and blessed losses take too many
/// moves, so they are draws with best play.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FiftyMoveResult {
    /// The mover loses.
    Loss,
    /// The mover would lose without the fifty-move rule.
    BlessedLoss,
    /// The position is drawn.
    Draw,
    /// The mover would win without the fifty-move rule.
    CursedWin,
    /// The mover wins.
    Win,
}

/// Plies to the next capture or pawn move (or mate) that keeps the result. Negative when losing, and
/// zero for a draw.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Distance {
    /// Exactly this distance.
    Exact(i32),
    /// This many plies or one more: the files round the distance.
    Rounded(i32),
}

/// The reason a position could not be looked up.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LookupError {
    /// The position has castling rights or too many pieces, or its file is missing.
    #[error("not in the tables: {0}")]
    Absent(String),
    /// The file cannot be read.
    #[error("{0}")]
    Broken(String),
}

impl Distance {
    /// The minimum and maximum possible number of plies, without the sign.
    pub fn range(self) -> (u32, u32) {
        match self {
            Distance::Exact(plies) => (plies.unsigned_abs(), plies.unsigned_abs()),
            Distance::Rounded(plies) => (plies.unsigned_abs(), plies.unsigned_abs() + 1),
        }
    }
}

impl Default for SyzygyFiles {
    fn default() -> SyzygyFiles {
        SyzygyFiles(Tablebase::with_filesystem(Arc::new(CachingFilesystem::default())))
    }
}

impl SyzygyFiles {
    /// Adds one `.rtbw` or `.rtbz` file.
    pub fn add(&mut self, path: &Path) -> io::Result<()> {
        self.0.add_file(path)
    }

    /// The number of pieces in the largest table.
    pub(crate) fn max_pieces(&self) -> usize {
        self.0.max_pieces()
    }

    /// The result right after a capture or pawn move, with the fifty-move counter at zero.
    #[inline]
    pub fn result_after_zeroing(
        &self,
        position: &Position,
    ) -> Result<FiftyMoveResult, LookupError> {
        let wdl = self.0.probe_wdl_after_zeroing(&position.chess).map_err(lookup_error)?;
        Ok(match wdl {
            Wdl::Loss => FiftyMoveResult::Loss,
            Wdl::BlessedLoss => FiftyMoveResult::BlessedLoss,
            Wdl::Draw => FiftyMoveResult::Draw,
            Wdl::CursedWin => FiftyMoveResult::CursedWin,
            Wdl::Win => FiftyMoveResult::Win,
        })
    }

    /// The distance to the next capture or pawn move that keeps the result.
    pub fn distance(&self, position: &Position) -> Result<Distance, LookupError> {
        Ok(match self.0.probe_dtz(&position.chess).map_err(lookup_error)? {
            MaybeRounded::Precise(dtz) => Distance::Exact(dtz.0),
            MaybeRounded::Rounded(dtz) => Distance::Rounded(dtz.0),
        })
    }
}

fn lookup_error(error: SyzygyError) -> LookupError {
    match error {
        // shakmaty's error text includes a backtrace. Only its first line is for users.
        SyzygyError::ProbeFailed { .. } => {
            LookupError::Broken(error.to_string().lines().next().unwrap_or_default().to_owned())
        }
        _ => LookupError::Absent(error.to_string()),
    }
}

/// The size up to which files are kept in memory, in bytes.
const MAX_CACHED_SIZE: u64 = 1 << 20;

#[derive(Debug, Default)]
pub(super) struct CachingFilesystem(OsFilesystem);

impl Filesystem for CachingFilesystem {
    fn regular_file_size(&self, path: &Path) -> io::Result<u64> {
        self.0.regular_file_size(path)
    }

    fn read_dir(&self, path: &Path) -> io::Result<Vec<PathBuf>> {
        self.0.read_dir(path)
    }

    fn open(&self, path: &Path) -> io::Result<Box<dyn RandomAccessFile>> {
        if self.regular_file_size(path)? > MAX_CACHED_SIZE {
            return self.0.open(path);
        }
        Ok(Box::new(CachedFile(std::fs::read(path)?)))
    }
}

/// A replacement for systems without files, such as WebAssembly.
#[cfg(not(any(unix, windows)))]
#[derive(Debug, Default)]
struct OsFilesystem;

#[cfg(not(any(unix, windows)))]
impl Filesystem for OsFilesystem {
    fn regular_file_size(&self, _: &Path) -> io::Result<u64> {
        Err(io::ErrorKind::Unsupported.into())
    }

    fn read_dir(&self, _: &Path) -> io::Result<Vec<PathBuf>> {
        Err(io::ErrorKind::Unsupported.into())
    }

    fn open(&self, _: &Path) -> io::Result<Box<dyn RandomAccessFile>> {
        Err(io::ErrorKind::Unsupported.into())
    }
}

struct CachedFile(Vec<u8>);

impl RandomAccessFile for CachedFile {
    fn read_at(&self, buffer: &mut [u8], offset: u64, _: ReadHint) -> io::Result<usize> {
        let rest = usize::try_from(offset).ok().and_then(|start| self.0.get(start..));
        io::Read::read(&mut rest.unwrap_or_default(), buffer)
    }
}
