//! A cache of decompressed blocks, shared by all threads, with a limit on its memory.
//!
//! It uses the clock algorithm, which comes close to dropping the least recently used blocks. The
//! blocks form a circle. To make room, a hand moves around the circle. It keeps the blocks that
//! have been used since its last visit and drops the others.

use std::collections::{HashMap, VecDeque};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, PoisonError, RwLock};

use super::compressed::Compressed;
use super::layout::{Layout, Squares};
use super::outcome::Outcome;
use super::table::{Cell, Cells, EndgameTable, TableFault};
use crate::board::Colour;

/// A table in which positions can be looked up: either a whole table, or a table compressed in
/// blocks.
#[derive(Clone, Debug)]
pub(crate) enum LoadedTable {
    Whole(Arc<EndgameTable>),
    Blocks(CachedTable),
}

/// A compressed table with the cache for its blocks.
#[derive(Clone, Debug)]
pub(crate) struct CachedTable {
    pub table: Arc<Compressed>,
    /// The number that identifies the table in the cache.
    pub number: u32,
    pub cache: Arc<BlockCache>,
}

impl LoadedTable {
    #[inline]
    pub fn layout(&self) -> &Layout {
        match self {
            LoadedTable::Whole(table) => &table.layout,
            LoadedTable::Blocks(cached) => &cached.table.layout,
        }
    }

    /// The length of the longest win in plies, or 0 if there are no wins.
    pub fn longest(&self) -> u16 {
        match self {
            LoadedTable::Whole(table) => table.longest,
            LoadedTable::Blocks(cached) => cached.table.longest,
        }
    }

    /// The outcome of a legal position without en passant rights.
    #[inline]
    pub fn get(&self, turn: Colour, squares: &Squares) -> Result<Option<Outcome>, TableFault> {
        match self {
            LoadedTable::Whole(table) => Ok(table.get(turn, squares)),
            LoadedTable::Blocks(cached) => cached.get(turn, squares),
        }
    }
}

impl CachedTable {
    fn get(&self, turn: Colour, squares: &Squares) -> Result<Option<Outcome>, TableFault> {
        let Some(place) = self.table.layout.place(squares) else { return Ok(None) };
        let (block, at) = self.table.locate(turn, place.index);
        let key = (self.number, block as u32);
        if let Some(cell) = self.cache.cell(key, at) {
            return Ok(cell.outcome());
        }
        let cells = self.table.block(block)?;
        let cell = cells.get(at);
        self.cache.insert(key, cells);
        Ok(cell.outcome())
    }
}

/// The maximum total size of all cached blocks, in bytes.
pub const CAPACITY: usize = 8 << 20;

/// A table's number, and the index of a block in it.
pub type BlockKey = (u32, u32);

/// A cache of decompressed blocks.
#[derive(Debug, Default)]
pub(crate) struct BlockCache(RwLock<CachedBlocks>);

#[derive(Debug, Default)]
struct CachedBlocks {
    blocks: HashMap<BlockKey, CachedBlock>,
    /// The circle of blocks. The hand is at the front.
    clock: VecDeque<BlockKey>,
    bytes: usize,
}

#[derive(Debug)]
struct CachedBlock {
    cells: Cells,
    was_used: AtomicBool,
}

impl BlockCache {
    /// Returns a cell if its block is cached.
    #[inline]
    pub fn cell(&self, key: BlockKey, at: usize) -> Option<Cell> {
        let cached = self.0.read().unwrap_or_else(PoisonError::into_inner);
        let block = cached.blocks.get(&key)?;
        block.was_used.store(true, Ordering::Relaxed);
        Some(block.cells.get(at))
    }

    /// Adds a block. Drops other blocks to make room.
    pub fn insert(&self, key: BlockKey, cells: Cells) {
        let mut cached = self.0.write().unwrap_or_else(PoisonError::into_inner);
        cached.bytes += cells.bytes();
        let block = CachedBlock { cells, was_used: AtomicBool::new(false) };
        match cached.blocks.insert(key, block) {
            // Another thread has added it in the meantime.
            Some(other) => cached.bytes -= other.cells.bytes(),
            None => cached.clock.push_back(key),
        }
        while cached.bytes > CAPACITY && cached.clock.len() > 1 {
            let Some(next) = cached.clock.pop_front() else { break };
            let was_used = |block: &CachedBlock| block.was_used.swap(false, Ordering::Relaxed);
            // A new block has not had a chance to be used yet.
            if next == key || cached.blocks.get(&next).is_some_and(was_used) {
                cached.clock.push_back(next);
            } else if let Some(block) = cached.blocks.remove(&next) {
                cached.bytes -= block.cells.bytes();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn used_blocks_stay_and_the_memory_limit_holds() {
        let cache = BlockCache::default();
        let block = |number: u8| Cells::Bytes(vec![number; 10_000]);
        for number in 0..5_000 {
            cache.insert((0, number), block(number as u8));
            assert_eq!(cache.cell((0, 0), 9_999), Some(Cell(0)), "it is used all the time");
            let cached = cache.0.read().expect("no thread panics");
            assert!(cached.bytes <= CAPACITY);
            assert!(cached.blocks.contains_key(&(0, number)), "it is new");
        }
        assert_eq!(cache.cell((0, 1), 0), None, "it was dropped");
        let cached = cache.0.read().expect("no thread panics");
        assert!(cached.bytes > CAPACITY - 20_000);
    }
}
