//! Blocks of compressed tables that were read of late, for all threads: those that are asked for again
//! stay, and all of them together never take more than a few MiB.

use std::collections::{HashMap, VecDeque};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, PoisonError, RwLock};

use super::compressed::Compressed;
use super::layout::{Layout, Squares};
use super::outcome::Outcome;
use super::table::{Cell, Cells, EndgameTable, TableFault};
use crate::board::Colour;

/// A table to look positions up in.
#[derive(Clone, Debug)]
pub enum Lookup {
    Whole(Arc<EndgameTable>),
    Blocks(CachedTable),
}

/// A compressed table with the blocks of it that are held.
#[derive(Clone, Debug)]
pub struct CachedTable {
    pub table: Arc<Compressed>,
    /// What its blocks are held under.
    pub number: u32,
    pub cache: Arc<BlockCache>,
}

impl Lookup {
    #[inline]
    pub fn layout(&self) -> &Layout {
        match self {
            Lookup::Whole(table) => &table.layout,
            Lookup::Blocks(cached) => &cached.table.layout,
        }
    }

    /// Plies of the longest win; 0 if there is none.
    pub fn longest(&self) -> u16 {
        match self {
            Lookup::Whole(table) => table.longest,
            Lookup::Blocks(cached) => cached.table.longest,
        }
    }

    /// The outcome of a legal position without en passant rights.
    #[inline]
    pub fn get(&self, turn: Colour, squares: &Squares) -> Result<Option<Outcome>, TableFault> {
        match self {
            Lookup::Whole(table) => Ok(table.get(turn, squares)),
            Lookup::Blocks(cached) => cached.get(turn, squares),
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
        self.cache.hold(key, cells);
        Ok(cell.outcome())
    }
}

/// Bytes of the blocks that are held at most.
pub const CAPACITY: usize = 8 << 20;

/// A table's number, and that of a block in it.
pub type BlockKey = (u32, u32);

#[derive(Debug, Default)]
pub struct BlockCache(RwLock<Held>);

#[derive(Debug, Default)]
struct Held {
    blocks: HashMap<BlockKey, HeldBlock>,
    /// The hand of a clock goes round: what was asked for since it last came by stays.
    clock: VecDeque<BlockKey>,
    bytes: usize,
}

#[derive(Debug)]
struct HeldBlock {
    cells: Cells,
    is_wanted: AtomicBool,
}

impl BlockCache {
    /// A cell of a block that is held.
    #[inline]
    pub fn cell(&self, key: BlockKey, at: usize) -> Option<Cell> {
        let held = self.0.read().unwrap_or_else(PoisonError::into_inner);
        let block = held.blocks.get(&key)?;
        block.is_wanted.store(true, Ordering::Relaxed);
        Some(block.cells.get(at))
    }

    /// Holds a block, at the cost of others.
    pub fn hold(&self, key: BlockKey, cells: Cells) {
        let mut held = self.0.write().unwrap_or_else(PoisonError::into_inner);
        held.bytes += cells.bytes();
        let block = HeldBlock { cells, is_wanted: AtomicBool::new(false) };
        match held.blocks.insert(key, block) {
            // Another thread was quicker.
            Some(other) => held.bytes -= other.cells.bytes(),
            None => held.clock.push_back(key),
        }
        while held.bytes > CAPACITY && held.clock.len() > 1 {
            let Some(next) = held.clock.pop_front() else { break };
            let is_wanted = |block: &HeldBlock| block.is_wanted.swap(false, Ordering::Relaxed);
            // What has only just come could not be asked for yet.
            if next == key || held.blocks.get(&next).is_some_and(is_wanted) {
                held.clock.push_back(next);
            } else if let Some(block) = held.blocks.remove(&next) {
                held.bytes -= block.cells.bytes();
            }
        }
    }

    /// Bytes of the blocks that are held.
    pub fn bytes(&self) -> usize {
        self.0.read().unwrap_or_else(PoisonError::into_inner).bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_asked_for_stays_and_the_bound_holds() {
        let cache = BlockCache::default();
        let block = |number: u8| Cells::Bytes(vec![number; 10_000]);
        for number in 0..5_000 {
            cache.hold((0, number), block(number as u8));
            assert!(cache.bytes() <= CAPACITY);
            assert_eq!(cache.cell((0, 0), 9_999), Some(Cell(0)), "it is wanted all the time");
            let held = cache.0.read().expect("nobody panics");
            assert!(held.blocks.contains_key(&(0, number)), "it has just come");
        }
        assert_eq!(cache.cell((0, 1), 0), None, "it made way");
        assert!(cache.bytes() > CAPACITY - 20_000);
    }
}
