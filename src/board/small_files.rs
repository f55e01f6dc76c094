//! Small files are read once and kept, so that looking something up needs no call to the system:
//! for Syzygy tables of up to four pieces that takes half the time. Large ones stay on the disk.

use std::io;
use std::path::{Path, PathBuf};

use shakmaty_syzygy::filesystem::{Filesystem, OsFilesystem, RandomAccessFile, ReadHint};

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
