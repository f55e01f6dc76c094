//! Tables on disk.
//!
//! A file is a header of 64 bytes and the cells, little-endian:
//!
//! | bytes | 0-7        | 8-9     | 10     | 11          | 12-27                | 28-35 | 36-43    |
//! |-------|------------|---------|--------|-------------|----------------------|-------|----------|
//! | field | `StopTabl` | version | metric | cell bytes  | material, zero-padded| cells | checksum |
//!
//! The checksum covers the header before it and all cells. A file is written under another name
//! and renamed when it is complete, so a table is either whole or not there. One that turns out
//! damaged, or of another version, is renamed, never overwritten.

use std::fs;
use std::io::{self, ErrorKind, Read, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::layout::Layout;
use super::material::Material;
use super::outcome::Metric;
use super::table::{Cells, Table};
use crate::files::{Draft, give_way};

const MAGIC: &[u8; 8] = b"StopTabl";
const VERSION: u16 = 1;
const HEADER: usize = 64;
/// Where the checksum stands in the header.
const CHECKSUM: usize = 36;

/// Why a table could not be read or written.
#[derive(Debug, thiserror::Error)]
pub enum FileError {
    #[error("{}: {}", .0.display(), .1)]
    Io(PathBuf, io::Error),
    #[error(
        "{}: {}; tables cannot be kept there: choose another directory, or make it writable",
        .0.display(), .1
    )]
    Unwritable(PathBuf, io::Error),
    #[error(
        "{}: {}; the table is not saved: make room, or choose another directory", .0.display(), .1
    )]
    NotSaved(PathBuf, io::Error),
    #[error("{}: not a table of ours", .0.display())]
    Foreign(PathBuf),
    #[error("{}: written by another version ({}, this program reads {VERSION})", .0.display(), .1)]
    Version(PathBuf, u16),
    #[error("{}: damaged ({})", .0.display(), .1)]
    Damaged(PathBuf, &'static str),
}

impl FileError {
    /// Is something wrong with what is in the file, rather than with reaching it?
    pub fn is_content(&self) -> bool {
        matches!(self, FileError::Foreign(_) | FileError::Version(..) | FileError::Damaged(..))
    }
}

/// Where a table lies in a directory.
pub fn path(directory: &Path, material: Material, metric: Metric) -> PathBuf {
    directory.join(format!("{material}.{metric}"))
}

/// Writes a table whole or not at all.
pub fn save(directory: &Path, table: &Table) -> Result<PathBuf, FileError> {
    let path = path(directory, table.material(), table.metric());
    let name = format!("{}.{}", table.material(), table.metric());
    let saved = create_partial(directory, &name).and_then(|mut draft| {
        write(&mut draft, table)?;
        draft.finish()
    });
    saved.map_err(|error| FileError::NotSaved(path.clone(), error))?;
    Ok(path)
}

/// What the names of unfinished files end in, before the number of the process that writes them.
const PARTIAL: &str = ".partial-";

/// What a file is called that only tries whether files can be written.
const WRITABLE: &str = "writable";

/// Can tables be kept in a directory?
pub fn try_writing(directory: &Path) -> io::Result<()> {
    create_partial(directory, WRITABLE).map(drop)
}

/// Begins a file under a name that nobody else has: `NAME.partial-PROCESS-` and a few letters.
fn create_partial(directory: &Path, name: &str) -> io::Result<Draft> {
    let process = std::process::id();
    Draft::named(&directory.join(name), &format!("{name}{PARTIAL}{process}-"), "")
}

/// Unfinished files are left alone for so long: their process may live where we cannot see it.
const SPARED: Duration = Duration::from_secs(600);

/// Takes away the unfinished files of processes that have ended. What cannot be removed stays.
pub fn sweep(directory: &Path) {
    for entry in fs::read_dir(directory).into_iter().flatten().flatten() {
        let owner = entry.file_name().to_str().and_then(owner);
        let age = entry.metadata().and_then(|metadata| metadata.modified()).ok();
        let is_old = age.and_then(|time| time.elapsed().ok()).is_some_and(|age| age > SPARED);
        if owner.is_some_and(|process| !lives(process)) && is_old {
            let _kept = fs::remove_file(entry.path());
        }
    }
}

/// The process that writes an unfinished file; `None` where the name is none of ours.
fn owner(name: &str) -> Option<i32> {
    let (table, rest) = name.split_once(PARTIAL)?;
    let (process, mark) = rest.split_once('-')?;
    let is_table = table.split_once('.').is_some_and(|(material, metric)| {
        material.parse::<Material>().is_ok() && metric.parse::<Metric>().is_ok()
    });
    let is_mark = mark.chars().all(|letter| letter.is_ascii_alphanumeric());
    process.parse().ok().filter(|_| is_mark && (is_table || table == WRITABLE))
}

/// Is there a process of this number? Where nobody can tell, there is not.
fn lives(process: i32) -> bool {
    #[cfg(unix)]
    return rustix::process::Pid::from_raw(process).is_some_and(|process| {
        rustix::process::test_kill_process(process) != Err(rustix::io::Errno::SRCH)
    });
    #[cfg(not(unix))]
    return process == std::process::id() as i32;
}

fn write(file: &mut Draft, table: &Table) -> io::Result<()> {
    let body: Vec<u8> = match table.cells() {
        Cells::Bytes(bytes) => bytes.clone(),
        Cells::Words(words) => words.iter().flat_map(|word| word.to_le_bytes()).collect(),
    };
    let mut header = [0u8; HEADER];
    header[..8].copy_from_slice(MAGIC);
    header[8..10].copy_from_slice(&VERSION.to_le_bytes());
    header[10] = number(table.metric());
    header[11] = cell_bytes(table.cells());
    let name = table.material().to_string();
    header[12..12 + name.len()].copy_from_slice(name.as_bytes());
    header[28..36].copy_from_slice(&(table.cells().count() as u64).to_le_bytes());
    let sum = checksum(&header[..CHECKSUM], &body);
    header[CHECKSUM..CHECKSUM + 8].copy_from_slice(&sum.to_le_bytes());
    file.write_all(&header)?;
    file.write_all(&body)
}

/// Reads a table and checks that it is the one asked for; `None` if there is no such file.
pub fn load(
    directory: &Path,
    material: Material,
    metric: Metric,
) -> Result<Option<Table>, FileError> {
    let path = path(directory, material, metric);
    let mut content = Vec::new();
    match fs::File::open(&path).and_then(|mut file| file.read_to_end(&mut content)) {
        Ok(_) => {}
        // That the directory is none is said by whoever wants to write there.
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
            return Ok(None);
        }
        Err(error) => return Err(FileError::Io(path, error)),
    }
    let damaged = |what| FileError::Damaged(path.clone(), what);
    let version_at = |at: usize| content.get(at..at + 2).map(|b| u16::from_le_bytes([b[0], b[1]]));
    if content.get(..8) != Some(MAGIC) {
        return Err(FileError::Foreign(path));
    }
    let version = version_at(8).ok_or_else(|| damaged("cut off in the header"))?;
    if version != VERSION {
        return Err(FileError::Version(path, version));
    }
    if content.len() < HEADER {
        return Err(damaged("cut off in the header"));
    }
    let word = |at: usize| {
        u64::from_le_bytes(content[at..at + 8].try_into().expect("eight bytes of the header"))
    };
    let (header, body) = content.split_at(HEADER);
    if checksum(&header[..CHECKSUM], body) != word(CHECKSUM) {
        return Err(damaged("the checksum does not fit"));
    }
    let layout = Layout::new(material);
    let name = material.to_string();
    let named = header[12..28].iter().copied().take_while(|&byte| byte != 0);
    if !named.eq(name.bytes()) || header[10] != number(metric) {
        return Err(damaged("it holds another table than its name says"));
    }
    let cells = match header[11] {
        1 => Cells::Bytes(body.to_vec()),
        _ => Cells::Words(body.chunks_exact(2).map(|b| u16::from_le_bytes([b[0], b[1]])).collect()),
    };
    if cells.count() != 2 * layout.size() || word(28) != cells.count() as u64 {
        return Err(damaged("it has the wrong size"));
    }
    Ok(Some(Table::new(layout, metric, cells)))
}

/// Renames a file that cannot be used, so that its place is free and nothing is lost.
pub fn set_aside(directory: &Path, material: Material, metric: Metric) -> io::Result<PathBuf> {
    let path = path(directory, material, metric);
    give_way(&path, |count| directory.join(format!("{material}.{metric}.unusable-{count}")))
}

fn number(metric: Metric) -> u8 {
    match metric {
        Metric::Dtm => 1,
        Metric::Dtc => 2,
        Metric::Dtz => 3,
    }
}

fn cell_bytes(cells: &Cells) -> u8 {
    match cells {
        Cells::Bytes(_) => 1,
        Cells::Words(_) => 2,
    }
}

/// FNV-1a over words of eight bytes: each step is a bijection of the sum so far, so no single
/// wrong word goes unnoticed.
fn checksum(header: &[u8], body: &[u8]) -> u64 {
    let mut sum = 0xcbf2_9ce4_8422_2325_u64 ^ (body.len() as u64);
    let mut step = |chunk: &[u8]| {
        let mut bytes = [0; 8];
        bytes[..chunk.len()].copy_from_slice(chunk);
        sum = (sum ^ u64::from_le_bytes(bytes)).wrapping_mul(0x0000_0100_0000_01b3).rotate_left(29);
    };
    header.chunks(8).for_each(&mut step);
    body.chunks(8).for_each(&mut step);
    sum
}
