//! The transposition table: what earlier searching found out about a position.
//!
//! Entries hold the whole key, so two positions are never mistaken for one another (but for a
//! collision of all 64 bits). Threads share the table without locks: an entry is two words, the
//! first being key xor data, so that a half-written entry simply does not match.
//!
//! | bits of data | 0-15 | 16-31 | 32-47      | 48-55 | 56-57 | 58      | 59-63      |
//! |--------------|------|-------|------------|-------|-------|---------|------------|
//! | field        | move | value | evaluation | depth | bound | was PV  | generation |
//!
//! A [`TableView`] is the table as one search sees it. A *fresh* view does not see entries of
//! other generations at all, neither to read them nor to spare them; this gives the evaluation of
//! a position a table without leftovers and without clearing it each time.

use std::sync::atomic::{AtomicU64, Ordering};

use super::Bound;
use crate::board::PackedMove;
use crate::machine::{prefer_large_pages, prefetch};
use crate::memory;
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

/// What the table knows of a position.
#[derive(Clone, Copy, Debug)]
pub(super) struct Entry {
    pub mv: PackedMove,
    pub value: Value,
    /// The static evaluation, where one was made.
    pub evaluation: Option<Value>,
    pub depth: i32,
    pub bound: Option<Bound>,
    pub was_pv: bool,
    generation: u8,
}

impl Entry {
    /// Does the value settle the question that a window asks?
    #[inline]
    pub fn settles(&self, alpha: Value, beta: Value) -> bool {
        match self.bound {
            Some(Bound::Exact) => true,
            Some(Bound::Lower) => self.value >= beta,
            Some(Bound::Upper) => self.value <= alpha,
            None => false,
        }
    }

    /// A better guess at the value than `guess`, if this entry has one. Proven values are no
    /// guesses and are left to the search.
    #[inline]
    pub fn refine(&self, guess: Value) -> Value {
        let better = match self.bound {
            Some(Bound::Exact) => true,
            Some(Bound::Lower) => self.value > guess,
            Some(Bound::Upper) => self.value < guess,
            None => false,
        };
        if better && !self.value.is_decisive() { self.value } else { guess }
    }
}

/// The memory of the table.
#[derive(Debug)]
pub(super) struct TranspositionTable {
    clusters: Vec<Bucket>,
    generation: u8,
}

impl TranspositionTable {
    /// A table of `mebibytes`, or `None` if there is no memory for it.
    pub fn new(mebibytes: usize) -> Option<TranspositionTable> {
        let count = (mebibytes << 20) / size_of::<Bucket>();
        // Where it cannot be known what there is, the allocator has the last word.
        if memory::available().is_some_and(|free| mebibytes as u64 > free >> 20) {
            return None;
        }
        let mut clusters = Vec::new();
        clusters.try_reserve_exact(count).ok()?;
        prefer_large_pages(clusters.spare_capacity_mut());
        clusters.resize_with(count, Bucket::default);
        Some(TranspositionTable { clusters, generation: 1 })
    }

    pub fn clear(&mut self) {
        self.clusters.fill_with(Bucket::default);
        self.generation = 1;
    }

    /// Starts a new search: older entries count for less from now on.
    pub fn advance(&mut self) {
        self.generation = (self.generation + 1) % GENERATIONS;
    }

    /// Starts a search that must see nothing of earlier ones: for fresh views.
    pub fn renew(&mut self) {
        if self.generation + 1 >= GENERATIONS {
            self.clear();
        } else {
            self.generation += 1;
        }
    }

    /// The whole table, older entries included.
    pub fn view(&self) -> TableView<'_> {
        TableView { clusters: &self.clusters, generation: self.generation, fresh: false }
    }

    /// The whole table without older entries.
    pub fn fresh_view(&self) -> TableView<'_> {
        TableView { fresh: true, ..self.view() }
    }
}

/// The table as one search sees it.
#[derive(Clone, Copy, Debug)]
pub(super) struct TableView<'a> {
    clusters: &'a [Bucket],
    generation: u8,
    fresh: bool,
}

impl TableView<'_> {
    #[inline]
    fn cluster(&self, key: u64) -> &Bucket {
        let index = (u128::from(key) * self.clusters.len() as u128) >> 64;
        &self.clusters[index as usize]
    }

    /// Brings the place of a key near.
    #[inline]
    pub fn prefetch(&self, key: u64) {
        prefetch(self.cluster(key));
    }

    #[inline]
    fn visible(&self, data: u64) -> bool {
        data != 0 && (!self.fresh || generation(data) == self.generation)
    }

    #[inline]
    pub fn probe(&self, key: u64, ply: usize) -> Option<Entry> {
        for slot in &self.cluster(key).0 {
            let data = slot.data.load(Ordering::Relaxed);
            if slot.check.load(Ordering::Relaxed) ^ data == key && self.visible(data) {
                return Some(unpack(data, ply));
            }
        }
        None
    }

    /// Remembers a node. A missing move does not wipe out a known one.
    #[inline]
    #[expect(clippy::too_many_arguments, reason = "the fields of an entry, in one place only")]
    pub fn store(
        &self,
        key: u64,
        ply: usize,
        mut mv: PackedMove,
        value: Value,
        evaluation: Option<Value>,
        depth: i32,
        bound: Option<Bound>,
        was_pv: bool,
    ) {
        let slots = &self.cluster(key).0;
        let mut target = &slots[0];
        let mut least = i32::MAX;
        for slot in slots {
            let data = slot.data.load(Ordering::Relaxed);
            if !self.visible(data) {
                // An empty slot is the best place, unless the position itself comes later.
                if least > i32::MIN {
                    (target, least) = (slot, i32::MIN);
                }
                continue;
            }
            let old = unpack(data, ply);
            if slot.check.load(Ordering::Relaxed) ^ data == key {
                let same = self.generation == old.generation;
                if bound != Some(Bound::Exact) && same && depth + 4 < old.depth {
                    return;
                }
                if mv.is_none() {
                    mv = old.mv;
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
        let data = pack(
            mv,
            value.to_table(ply),
            evaluation,
            depth,
            bound,
            u64::from(was_pv),
            self.generation,
        );
        target.check.store(key ^ data, Ordering::Relaxed);
        target.data.store(data, Ordering::Relaxed);
    }

    /// Thousandths in use by this search, from a sample.
    pub fn fullness(&self) -> u32 {
        let sample = &self.clusters[..self.clusters.len().min(250)];
        let used = sample
            .iter()
            .flat_map(|cluster| &cluster.0)
            .filter(|slot| {
                let data = slot.data.load(Ordering::Relaxed);
                data != 0 && generation(data) == self.generation
            })
            .count();
        (used * 1000 / (sample.len() * SLOTS)) as u32
    }
}

/// An evaluation's place in an entry that has none.
const NO_EVALUATION: i16 = i16::MIN;

#[inline]
fn generation(data: u64) -> u8 {
    (data >> 59) as u8
}

fn pack(
    mv: PackedMove,
    value: Value,
    evaluation: Option<Value>,
    depth: i32,
    bound: Option<Bound>,
    was_pv: u64,
    generation: u8,
) -> u64 {
    let short = |v: Value| u64::from(v.raw() as i16 as u16);
    let bound = match bound {
        None => 0,
        Some(Bound::Upper) => 1,
        Some(Bound::Lower) => 2,
        Some(Bound::Exact) => 3,
    };
    u64::from(mv.0)
        | short(value) << 16
        | evaluation.map_or(u64::from(NO_EVALUATION as u16), short) << 32
        | ((depth + 1).clamp(0, 255) as u64) << 48
        | bound << 56
        | was_pv << 58
        | u64::from(generation) << 59
}

#[inline]
fn unpack(data: u64, ply: usize) -> Entry {
    let short = |shift: u32| (data >> shift) as u16 as i16;
    let evaluation = short(32);
    Entry {
        mv: PackedMove(data as u16),
        value: Value::centipawns(i32::from(short(16))).from_table(ply),
        evaluation: (evaluation != NO_EVALUATION).then(|| Value::centipawns(i32::from(evaluation))),
        depth: (data >> 48 & 0xff) as i32 - 1,
        bound: match data >> 56 & 3 {
            0 => None,
            1 => Some(Bound::Upper),
            2 => Some(Bound::Lower),
            _ => Some(Bound::Exact),
        },
        was_pv: data >> 58 & 1 != 0,
        generation: generation(data),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn store(view: &TableView<'_>, key: u64, depth: i32) {
        let bound = Some(Bound::Lower);
        view.store(key, 3, PackedMove(77), Value::mate_in(9), None, depth, bound, true);
    }

    #[test]
    fn what_is_stored_is_found_again() {
        let table = TranspositionTable::new(1).expect("a mebibyte");
        let view = table.view();
        store(&view, 42, 11);
        let entry = view.probe(42, 5).expect("just stored");
        assert_eq!((entry.mv, entry.depth, entry.was_pv), (PackedMove(77), 11, true));
        assert_eq!(entry.value, Value::mate_in(11), "a mate is counted from the node");
        assert!(view.probe(43, 5).is_none());
    }

    #[test]
    fn a_fresh_view_sees_nothing_of_before() {
        let mut table = TranspositionTable::new(1).expect("a mebibyte");
        store(&table.view(), 42, 11);
        table.renew();
        assert!(table.fresh_view().probe(42, 0).is_none());
        assert!(table.view().probe(42, 0).is_some());
    }
}
