//! Compressed tables, which are read block by block.
//!
//! Looking up a position reads and decompresses only the block that contains it. The format is the same on disk and in
//! memory. Numbers are little-endian:
//!
//! | bytes | 0-7        | 8-9     | 10     | 11-12 | 13-14   | 15-30                 | 31-34  | 35-38    |
//! |-------|------------|---------|--------|-------|---------|-----------------------|--------|----------|
//! | field | `StopTabl` | version | metric | plane | longest | material, zero-padded | head   | checksum |
//!
//! The field `head` contains the length of the rest of the head, which follows. This rest consists of the length and
//! the checksum of each block, in four bytes each, and then the deflated model. The blocks come last. The checksum in
//! the table above covers the whole head except the checksum itself. The checksum of a block is verified whenever the
//! block is read. All checksums are CRC-32.
//!
//! The head is checked against the material. It must have the right number of blocks and a valid plane. The last block
//! must end at the end of the file.

use std::fs::File;
use std::io::{ErrorKind, Read, Seek, SeekFrom, Write};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use flate2::{Compression, Crc, read::ZlibDecoder, write::ZlibEncoder};

use super::blocks::{Blocks, planes};
use super::compression::{CellModel, Scratch};
use super::layout::Layout;
use super::material::Material;
use super::outcome::{Metric, TableKey};
use super::pieces::Pieces;
use super::table::{Cell, Cells, EndgameTable, TableFault, VERSION};
use crate::board::Colour;
use crate::threads::share_out;

const MAGIC: &[u8; 8] = b"StopTabl";
const HEADER: usize = 39;
/// The offset of the head's checksum.
const CHECKSUM: usize = 35;
/// The size of a block's entry in the index, in bytes.
const ENTRY: usize = 8;
/// The maximum size of an encoded cell in bytes: up to twenty answers of at most eight bits each.
const MAX_CELL_SIZE: usize = 20;
/// The maximum number of bytes that the coder writes after the last answer.
const LAST_BYTES: usize = 8;
/// The maximum size of a deflated model in bytes.
const LONGEST_DEFLATED: u64 = 2 * LONGEST_MODEL;
/// The maximum size of a model in bytes.
const LONGEST_MODEL: u64 = 1 << 20;
/// The approximate number of blocks in the sample used to compare planes, and the number of blocks that a thread
/// compresses at a time.
const SAMPLE: usize = 64;

/// A compressed table. Its index is in memory, but its blocks may be on disk.
#[derive(Debug)]
pub(crate) struct Compressed {
    pub layout: Layout,
    metric: Metric,
    /// The length of the longest win in plies, or 0 if there are no wins.
    pub longest: u16,
    blocks: Blocks,
    model: CellModel,
    index: Vec<BlockEntry>,
    bytes: Bytes,
    is_verified: AtomicBool,
}

/// The entry for a block in the index.
#[derive(Clone, Copy, Debug)]
struct BlockEntry {
    start: u64,
    length: u32,
    checksum: u32,
}

/// The location of the blocks.
#[derive(Debug)]
enum Bytes {
    File(Mutex<File>),
    Memory(Vec<u8>),
}

/// Compresses a table.
pub fn compress(table: &EndgameTable, threads: usize) -> Vec<u8> {
    let (layout, cells) = (&table.layout, &table.cells);
    let sampled = planes(layout).into_iter().filter_map(|plane| {
        let blocks = Blocks::new(layout, plane)?;
        let step = (blocks.count() / SAMPLE).max(1);
        Some((CellModel::of(cells, &blocks, step).1 * step as f64, blocks))
    });
    let (_, blocks) = sampled.min_by(|a, b| a.0.total_cmp(&b.0)).expect("a layout has a plane");
    let (model, _) = CellModel::of(cells, &blocks, 1);
    let divided = model.divided(cells, &blocks);
    let portions = share_out(blocks.count().div_ceil(SAMPLE), threads, |portion| {
        let mut scratch = Scratch::default();
        let all = portion * SAMPLE..((portion + 1) * SAMPLE).min(blocks.count());
        all.map(|number| model.write(&divided, number, &mut scratch)).collect::<Vec<_>>()
    });
    let written: Vec<Vec<u8>> = portions.into_iter().flatten().collect();
    let mut head = Vec::new();
    for block in &written {
        head.extend((block.len() as u32).to_le_bytes());
        head.extend(checksum(&[block]).to_le_bytes());
    }
    head.extend(deflated(&model.to_bytes()));
    let mut bytes = MAGIC.to_vec();
    bytes.extend(VERSION.to_le_bytes());
    bytes.push(metric_code(table.metric));
    bytes.extend(blocks.plane.map(|slot| slot as u8));
    bytes.extend(table.longest.to_le_bytes());
    bytes.extend(material_bytes(table.material()));
    bytes.extend((head.len() as u32).to_le_bytes());
    bytes.extend(checksum(&[&bytes, &head]).to_le_bytes());
    bytes.extend(head);
    bytes.extend(written.into_iter().flatten());
    bytes
}

impl Compressed {
    /// Opens a file and reads its head. Returns `None` if the file does not exist.
    pub fn open(path: &Path, key: TableKey) -> Result<Option<Compressed>, TableFault> {
        let mut file = match File::open(path) {
            // If the directory is wrong, the error is reported later, when a table is saved there.
            Err(error)
                if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) =>
            {
                return Ok(None);
            }
            file => file?,
        };
        let length = file.metadata()?.len();
        let head = Compressed::read_head(&mut file, length, key)?;
        Ok(Some(Compressed { bytes: Bytes::File(Mutex::new(file)), ..head }))
    }

    /// Creates a table whose blocks remain in memory.
    pub fn in_memory(key: TableKey, bytes: Vec<u8>) -> Option<Compressed> {
        let length = bytes.len() as u64;
        let head = Compressed::read_head(&mut &bytes[..], length, key).ok()?;
        Some(Compressed { bytes: Bytes::Memory(bytes), ..head })
    }

    /// Reads the head. The result does not have any blocks yet.
    fn read_head(
        source: &mut impl Read,
        length: u64,
        key: TableKey,
    ) -> Result<Compressed, TableFault> {
        let (mut header, mut head) = (Vec::new(), Vec::new());
        source.take(HEADER as u64).read_to_end(&mut header)?;
        let rest = check_header(&header, key)?;
        let layout = Layout::new(key.material);
        let plane = [11, 12].map(|at: usize| usize::from(header[at]));
        let divided = Blocks::new(&layout, plane);
        let most = ENTRY * divided.as_ref().map_or(0, Blocks::count);
        let wrong_size = || TableFault::Damaged("the file has the wrong size");
        if rest > most as u64 + LONGEST_DEFLATED {
            return Err(wrong_size());
        }
        source.take(rest).read_to_end(&mut head)?;
        let sum = u32::from_le_bytes(header[CHECKSUM..].try_into().expect("a whole header"));
        if checksum(&[&header[..CHECKSUM], &head]) != sum {
            return Err(TableFault::Damaged("the checksum of the header is wrong"));
        }
        let blocks = divided.ok_or(TableFault::Damaged("its block sizes are invalid"))?;
        let entries = head.get(..ENTRY * blocks.count()).ok_or_else(wrong_size)?;
        let mut start = (HEADER + head.len()) as u64;
        let mut index = Vec::with_capacity(blocks.count());
        for entry in entries.chunks_exact(ENTRY) {
            let word = |at: usize| {
                u32::from_le_bytes([entry[at], entry[at + 1], entry[at + 2], entry[at + 3]])
            };
            let cells = 2 * blocks.block(index.len()).size();
            if word(0) as usize > MAX_CELL_SIZE * cells + LAST_BYTES {
                return Err(TableFault::Damaged("a block is too long"));
            }
            index.push(BlockEntry { start, length: word(0), checksum: word(4) });
            start += u64::from(word(0));
        }
        if start != length {
            return Err(TableFault::Damaged("the file has the wrong length"));
        }
        let model = inflated(&head[entries.len()..])
            .and_then(|bytes| CellModel::from_bytes(&bytes))
            .ok_or(TableFault::Damaged("its statistics cannot be read"))?;
        let longest = u16::from_le_bytes([header[13], header[14]]);
        let (bytes, is_verified) = (Bytes::Memory(Vec::new()), AtomicBool::new(false));
        let metric = key.metric;
        Ok(Compressed { layout, metric, longest, blocks, model, index, bytes, is_verified })
    }

    /// The number of the block that contains an index, and the index's cell in this block.
    #[inline]
    pub fn locate(&self, turn: Colour, index: usize) -> (usize, usize) {
        let (block, white, further) = self.blocks.locate(index);
        (block, if turn == Colour::White { white } else { white + further })
    }

    /// Reads and decompresses a block.
    pub fn block(&self, number: usize) -> Result<Cells, TableFault> {
        let bytes = self.bytes_of(number)?;
        Ok(self.model.read(&bytes, &self.blocks.block(number), &mut Scratch::default()))
    }

    fn bytes_of(&self, number: usize) -> Result<Vec<u8>, TableFault> {
        let BlockEntry { start, length, checksum: sum } = self.index[number];
        let mut bytes = vec![0; length as usize];
        match &self.bytes {
            Bytes::File(file) => {
                let mut file = file.lock().unwrap_or_else(PoisonError::into_inner);
                file.seek(SeekFrom::Start(start))?;
                file.read_exact(&mut bytes).map_err(|error| match error.kind() {
                    ErrorKind::UnexpectedEof => TableFault::Damaged("the file is incomplete"),
                    _ => TableFault::Io(error),
                })?;
                if checksum(&[&bytes]) != sum {
                    return Err(TableFault::Damaged("the checksum of a block is wrong"));
                }
            }
            Bytes::Memory(all) => {
                bytes.copy_from_slice(&all[start as usize..][..length as usize]);
            }
        }
        Ok(bytes)
    }

    /// Verifies the checksums of all blocks, unless this has already been done.
    pub fn verify(&self) -> Result<(), TableFault> {
        if !self.is_verified.load(Ordering::Relaxed) {
            (0..self.index.len()).try_for_each(|number| self.bytes_of(number).map(drop))?;
            self.is_verified.store(true, Ordering::Relaxed);
        }
        Ok(())
    }

    /// Returns the same table with all blocks in memory, so that reading a block cannot fail.
    pub fn loaded(&self) -> Result<Compressed, TableFault> {
        let mut bytes = vec![0; self.index.first().map_or(0, |block| block.start as usize)];
        for number in 0..self.index.len() {
            bytes.extend(self.bytes_of(number)?);
        }
        Ok(Compressed {
            layout: self.layout.clone(),
            blocks: self.blocks.clone(),
            model: self.model.clone(),
            index: self.index.clone(),
            bytes: Bytes::Memory(bytes),
            is_verified: AtomicBool::new(true),
            ..*self
        })
    }

    /// Decompresses the whole table.
    pub fn whole(&self, threads: usize) -> Result<EndgameTable, TableFault> {
        let groups: Vec<_> = self.blocks.groups().collect();
        let read = share_out(groups.len(), threads, |group| {
            let (blocks, cells) = groups[group].clone();
            self.group(blocks, cells)
        })
        .into_iter()
        .collect::<Result<Vec<_>, TableFault>>()?;
        let of = |side: usize| read.iter().flat_map(move |sides| sides[side].iter().copied());
        let cells = Cells::of(2 * self.layout.size, of(0).chain(of(1)));
        Ok(EndgameTable::new(self.layout.clone(), self.metric, cells))
    }

    /// Decompresses the blocks for a range of cells, for White and for Black to move.
    fn group(
        &self,
        blocks: std::ops::Range<usize>,
        range: std::ops::Range<usize>,
    ) -> Result<[Vec<Cell>; 2], TableFault> {
        let mut found = [(); 2].map(|()| vec![Cell::EMPTY; range.len()]);
        let mut scratch = Scratch::default();
        for number in blocks {
            let (bytes, block) = (self.bytes_of(number)?, self.blocks.block(number));
            let cells = self.model.read(&bytes, &block, &mut scratch);
            let columns = block.column_neighbours.len();
            for at in 0..block.size() {
                let index = block.index(at / columns, at % columns);
                let Some(squares) = self.layout.squares(index) else { continue };
                let pieces = Pieces::new(&self.layout, squares);
                for (side, turn) in [Colour::White, Colour::Black].into_iter().enumerate() {
                    // A position is not legal if the side that is not to move is in check.
                    if !pieces.in_check(!turn) {
                        found[side][index - range.start] = cells.get(at + side * block.size());
                    }
                }
            }
        }
        Ok(found)
    }
}

/// Checks a header except for its checksum, and returns the length of the rest of the head.
fn check_header(header: &[u8], key: TableKey) -> Result<u64, TableFault> {
    if header.get(..8) != Some(MAGIC) {
        return Err(TableFault::Foreign);
    }
    match header.get(8..10).map(|bytes| u16::from_le_bytes([bytes[0], bytes[1]])) {
        Some(VERSION) if header.len() == HEADER => {}
        Some(version) if version != VERSION => return Err(TableFault::Version(version)),
        _ => return Err(TableFault::Damaged("the file ends in its header")),
    }
    if header[15..31] != material_bytes(key.material) || header[10] != metric_code(key.metric) {
        return Err(TableFault::Damaged("its contents do not match its name"));
    }
    Ok(u64::from(u32::from_le_bytes([header[31], header[32], header[33], header[34]])))
}

/// The number that stands for a metric in the header.
fn metric_code(metric: Metric) -> u8 {
    match metric {
        Metric::Dtm => 1,
        Metric::Dtc => 2,
        Metric::Dtz => 3,
    }
}

/// The name of the material in the header.
fn material_bytes(material: Material) -> [u8; 16] {
    let mut bytes = [0; 16];
    bytes.iter_mut().zip(material.to_string().bytes()).for_each(|(byte, letter)| *byte = letter);
    bytes
}

fn checksum(parts: &[&[u8]]) -> u32 {
    let mut sum = Crc::new();
    parts.iter().for_each(|part| sum.update(part));
    sum.sum()
}

fn deflated(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(bytes).and_then(|()| encoder.finish()).expect("writing to memory cannot fail")
}

fn inflated(bytes: &[u8]) -> Option<Vec<u8>> {
    let mut found = Vec::new();
    ZlibDecoder::new(bytes).take(LONGEST_MODEL).read_to_end(&mut found).ok()?;
    Some(found)
}
