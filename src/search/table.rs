//! The transposition table: results of earlier searches by position.
//!
//! Different move orders lead to the same position, so a search meets most positions many times. The table
//! remembers the value, the best move and the depth at which they were found. A result of sufficient depth ends the
//! search of the node. Otherwise its move is tried first.
//!
//! Entries hold the whole key, so that positions are confused only if all 64 bits collide. Threads share the table
//! without locks: an entry is two words, and the first one is the key XORed with the data. An entry that another thread
//! has half written does not match its key (Hyatt and Mann, "A lock-less transposition table implementation for
//! parallel search", 2002).
//!
//! | bits of data | 0-15 | 16-31 | 32-47      | 48-55 | 56-57 | 58      | 59-63      |
//! |--------------|------|-------|------------|-------|-------|---------|------------|
//! | field        | move | value | evaluation | depth | bound | was PV  | generation |
//!
//! A [`TableView`] is the table as one search sees it. A *fresh* view treats the entries of earlier searches as
//! empty. The evaluation of each position can therefore start with an empty table, and no time is spent clearing one.

use std::sync::atomic::{AtomicU64, Ordering};

use super::Bound;
use crate::board::PackedMove;
use crate::free_memory;
use crate::simd::{prefer_large_pages, prefetch};
use crate::value::Value;

const SLOTS: usize = 4;
const GENERATIONS: u8 = 32;

#[derive(Debug, Default)]
struct Slot {
    check: AtomicU64,
    data: AtomicU64,
}

#[derive(Debug, Default)]
#[repr(align(64))]
struct Bucket([Slot; SLOTS]);

const _: () = assert!(size_of::<Bucket>() == 64);

/// The result of a node, to be stored.
#[derive(Clone, Copy, Debug)]
pub(super) struct Record {
    pub mv: PackedMove,
    pub value: Value,
    pub evaluation: Option<Value>,
    pub depth: i32,
    pub bound: Bound,
    pub was_pv: bool,
}

/// The stored result of a position.
#[derive(Clone, Copy, Debug)]
pub(super) struct Entry {
    pub mv: PackedMove,
    pub value: Value,
    /// The static evaluation, if there is one.
    pub evaluation: Option<Value>,
    pub depth: i32,
    pub bound: Bound,
    pub was_pv: bool,
    generation: u8,
}

impl Entry {
    /// Whether the value, exact or a bound, makes a search with this window unnecessary.
    #[inline]
    pub fn allows_cutoff(&self, alpha: Value, beta: Value) -> bool {
        match self.bound {
            Bound::Exact => true,
            Bound::Lower => self.value >= beta,
            Bound::Upper => self.value <= alpha,
        }
    }

    /// Returns the entry's value if it is a better guess than `guess`. Mates and tablebase results do not replace
    /// evaluations.
    #[inline]
    pub fn refine(&self, guess: Value) -> Value {
        let better = match self.bound {
            Bound::Exact => true,
            Bound::Lower => self.value > guess,
            Bound::Upper => self.value < guess,
        };
        if better && !self.value.is_decisive() { self.value } else { guess }
    }
}

#[derive(Debug)]
pub(super) struct TranspositionTable {
    buckets: Vec<Bucket>,
    generation: u8,
    /// Whether the table is still unused. An unused table need not be cleared, which saves time.
    is_clear: bool,
}

/// A table whose memory is being allocated step by step. That can take seconds.
#[derive(Debug)]
pub(super) struct GrowingTable {
    buckets: Vec<Bucket>,
    count: usize,
}

impl GrowingTable {
    /// The number of buckets in a step. Allocating 4 MiB takes a few milliseconds.
    const STEP: usize = (4 << 20) / size_of::<Bucket>();

    /// Starts a table of this size. Returns `None` if there is not enough memory.
    pub fn new(mebibytes: usize) -> Option<GrowingTable> {
        let count = (mebibytes << 20) / size_of::<Bucket>();
        // If the free memory is unknown, leave the decision to the allocator.
        if free_memory::available().is_some_and(|free| mebibytes as u64 > free >> 20) {
            return None;
        }
        let mut buckets = Vec::new();
        buckets.try_reserve_exact(count).ok()?;
        prefer_large_pages(buckets.spare_capacity_mut());
        Some(GrowingTable { buckets, count })
    }

    /// Takes one step. Returns whether the table is complete.
    pub fn grow(&mut self) -> bool {
        let next = self.count.min(self.buckets.len() + GrowingTable::STEP);
        self.buckets.resize_with(next, Bucket::default);
        next == self.count
    }

    /// Takes all steps that are left.
    pub fn finish(mut self) -> TranspositionTable {
        while !self.grow() {}
        TranspositionTable { buckets: self.buckets, generation: 1, is_clear: true }
    }
}

impl TranspositionTable {
    /// A table of this size, or `None` if there is not enough memory.
    pub fn new(mebibytes: usize) -> Option<TranspositionTable> {
        GrowingTable::new(mebibytes).map(GrowingTable::finish)
    }

    pub fn clear(&mut self) {
        if !self.is_clear {
            self.buckets.fill_with(Bucket::default);
            (self.generation, self.is_clear) = (1, true);
        }
    }

    /// Starts a new search. Entries from earlier searches become less valuable.
    pub fn advance(&mut self) {
        self.generation = (self.generation + 1) % GENERATIONS;
        self.is_clear = false;
    }

    /// Starts a search with a fresh view, which does not see entries from earlier searches.
    pub fn renew(&mut self) {
        if self.generation + 1 >= GENERATIONS {
            self.clear();
        } else {
            self.generation += 1;
        }
        self.is_clear = false;
    }

    /// A view with the entries from earlier searches.
    pub fn view(&self) -> TableView<'_> {
        TableView { buckets: &self.buckets, generation: self.generation, fresh: false }
    }

    /// A view without the entries from earlier searches.
    pub fn fresh_view(&self) -> TableView<'_> {
        TableView { fresh: true, ..self.view() }
    }
}

/// The table as one search sees it.
#[derive(Clone, Copy, Debug)]
pub(super) struct TableView<'a> {
    buckets: &'a [Bucket],
    generation: u8,
    fresh: bool,
}

impl TableView<'_> {
    #[inline]
    fn bucket(&self, key: u64) -> &Bucket {
        let index = (u128::from(key) * self.buckets.len() as u128) >> 64;
        &self.buckets[index as usize]
    }

    /// Loads the bucket of a key into the processor's cache.
    #[inline]
    pub fn prefetch(&self, key: u64) {
        prefetch(self.bucket(key));
    }

    #[inline]
    fn visible(&self, data: u64) -> bool {
        data != 0 && (!self.fresh || generation(data) == self.generation)
    }

    #[inline]
    pub fn probe(&self, key: u64, ply: usize) -> Option<Entry> {
        for slot in &self.bucket(key).0 {
            let data = slot.data.load(Ordering::Relaxed);
            if slot.check.load(Ordering::Relaxed) ^ data == key && self.visible(data) {
                return Some(unpack(data, ply));
            }
        }
        None
    }

    /// Stores a node in its bucket. It replaces the older entry of the same position, unless that one is much deeper,
    /// or else the least valuable entry by depth and age. A record without a move keeps the move of the older entry.
    #[inline]
    pub fn store(&self, key: u64, ply: usize, mut record: Record) {
        let slots = &self.bucket(key).0;
        let mut target = &slots[0];
        let mut least = i32::MAX;
        for slot in slots {
            let data = slot.data.load(Ordering::Relaxed);
            if !self.visible(data) {
                // An empty slot is the best place, unless a later slot has the same position.
                if least > i32::MIN {
                    (target, least) = (slot, i32::MIN);
                }
                continue;
            }
            let old = unpack(data, ply);
            if slot.check.load(Ordering::Relaxed) ^ data == key {
                let same = self.generation == old.generation;
                if record.bound != Bound::Exact && same && record.depth + 4 < old.depth {
                    return;
                }
                if record.mv.is_none() {
                    record.mv = old.mv;
                }
                target = slot;
                break;
            }
            let age = i32::from((GENERATIONS + self.generation - old.generation) % GENERATIONS);
            let worth = old.depth - 4 * age;
            if worth < least {
                (target, least) = (slot, worth);
            }
        }
        record.value = record.value.to_table(ply);
        let data = pack(record, self.generation);
        target.check.store(key ^ data, Ordering::Relaxed);
        target.data.store(data, Ordering::Relaxed);
    }

    /// How full the table is with entries from this search, in thousandths, estimated from a sample.
    pub fn fullness(&self) -> u32 {
        let sample = &self.buckets[..self.buckets.len().min(250)];
        let used = sample
            .iter()
            .flat_map(|bucket| &bucket.0)
            .filter(|slot| {
                let data = slot.data.load(Ordering::Relaxed);
                data != 0 && generation(data) == self.generation
            })
            .count();
        (used * 1000 / (sample.len() * SLOTS)) as u32
    }
}

/// Marks an entry without a static evaluation.
const NO_EVALUATION: i16 = i16::MIN;

#[inline]
fn generation(data: u64) -> u8 {
    (data >> 59) as u8
}

fn pack(record: Record, generation: u8) -> u64 {
    let Record { mv, value, evaluation, depth, bound, was_pv } = record;
    let bound = match bound {
        Bound::Upper => 1,
        Bound::Lower => 2,
        Bound::Exact => 3,
    };
    u64::from(mv.0)
        | short(value) << 16
        | evaluation.map_or(u64::from(NO_EVALUATION as u16), short) << 32
        | ((depth + 1).clamp(0, 255) as u64) << 48
        | bound << 56
        | u64::from(was_pv) << 58
        | u64::from(generation) << 59
}

fn short(value: Value) -> u64 {
    u64::from(value.raw() as i16 as u16)
}

#[inline]
fn unpack(data: u64, ply: usize) -> Entry {
    let field = |shift: u32| i32::from((data >> shift) as u16 as i16);
    let evaluation = field(32);
    Entry {
        mv: PackedMove(data as u16),
        value: Value::centipawns(field(16)).at_root(ply),
        evaluation: (evaluation != i32::from(NO_EVALUATION)).then(|| Value::centipawns(evaluation)),
        depth: (data >> 48 & 0xff) as i32 - 1,
        bound: match data >> 56 & 3 {
            0 | 1 => Bound::Upper,
            2 => Bound::Lower,
            _ => Bound::Exact,
        },
        was_pv: data >> 58 & 1 != 0,
        generation: generation(data),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn store(view: &TableView<'_>, key: u64, depth: i32) {
        let record = Record {
            mv: PackedMove(77),
            value: Value::mate_in(9),
            evaluation: None,
            depth,
            bound: Bound::Lower,
            was_pv: true,
        };
        view.store(key, 3, record);
    }

    #[test]
    fn a_stored_entry_is_found_again() {
        let table = TranspositionTable::new(1).expect("a mebibyte");
        let view = table.view();
        store(&view, 42, 11);
        let entry = view.probe(42, 5).expect("just stored");
        assert_eq!((entry.mv, entry.depth, entry.was_pv), (PackedMove(77), 11, true));
        assert_eq!(
            entry.value,
            Value::mate_in(11),
            "a mate is stored as its distance from the node"
        );
        assert!(view.probe(43, 5).is_none());
    }

    #[test]
    fn a_cleared_table_is_empty() {
        let mut table = TranspositionTable::new(1).expect("a mebibyte");
        for start in [TranspositionTable::advance, TranspositionTable::renew] {
            start(&mut table);
            store(&table.view(), 42, 11);
            table.clear();
            assert!(table.view().probe(42, 0).is_none());
        }
    }

    #[test]
    fn a_fresh_view_hides_earlier_entries() {
        let mut table = TranspositionTable::new(1).expect("a mebibyte");
        table.advance();
        store(&table.view(), 42, 11);
        table.renew();
        assert!(table.fresh_view().probe(42, 0).is_none());
        assert!(table.view().probe(42, 0).is_some());
    }
}
