//! A set of tables: those in a directory, and those built by this process.
//!
//! Looking up a position reads only its block from the file, and recently used blocks are cached.
//! If a study needs a whole table, it is decompressed into memory and remains there until it is
//! released. Threads that use one table do not wait while another table's file is read.

use std::collections::HashMap;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, RwLock};

use crate::board::{Move, Position};
use crate::files::{FolderPurpose, user_folder};
use crate::threads::cores;

use super::cache::{BlockCache, CachedTable, LoadedTable};
use super::compressed::Compressed;
use super::material::{MAX_PIECES, Material};
use super::outcome::{Metric, Outcome, TableKey, TableResult};
use super::probe::{Depths, MoveReport, ProbeReport};
use super::table::{self, EndgameTable, TableFault};

/// A set of tables that threads can share.
#[derive(Debug, Default)]
pub struct Tables {
    directory: Option<PathBuf>,
    /// Tables that have been looked for. `None` means that the file does not exist. The lock is
    /// never held while a file is read.
    known: RwLock<HashMap<TableKey, Option<LoadedTable>>>,
    cache: Arc<BlockCache>,
    /// The number that the next table gets in the cache.
    numbers: AtomicU32,
    /// Whether new tables, and the tables that they are built from, remain compressed in memory.
    pub(super) keeps_compressed: bool,
    notices: Mutex<Vec<String>>,
}

impl Tables {
    /// Creates a set without a directory.
    pub fn in_memory() -> Tables {
        Tables::default()
    }

    /// Creates a set for a directory. The directory need not exist until a table is saved.
    pub fn in_directory(directory: impl Into<PathBuf>) -> Tables {
        Tables { directory: Some(directory.into()), ..Tables::default() }
    }

    /// Keeps new tables compressed in memory. This is for programs that only look up positions.
    pub fn compressed(self) -> Tables {
        Tables { keeps_compressed: true, ..self }
    }

    /// The folder of the tables, or `None` if they are kept only in memory.
    pub fn directory(&self) -> Option<&Path> {
        self.directory.as_deref()
    }

    /// Returns whether there is a file for this table, intact or not.
    pub(crate) fn is_saved(&self, material: Material, metric: Metric) -> bool {
        let key = TableKey::of(material, metric);
        let path = self.directory().map(|directory| table::path(directory, key));
        path.is_some_and(|path| path.exists())
    }

    /// Adds a table that remains in memory.
    pub fn insert(&self, table: EndgameTable) -> Arc<EndgameTable> {
        let table = Arc::new(table);
        let key = TableKey { material: table.material(), metric: table.metric };
        self.remember(key, Some(LoadedTable::Whole(table.clone())));
        table
    }

    /// Adds a compressed table, if there is one.
    pub(super) fn insert_compressed(&self, key: TableKey, table: Option<Compressed>) {
        self.remember(key, table.map(|table| self.cached(table)));
    }

    fn remember(&self, key: TableKey, found: Option<LoadedTable>) {
        self.known.write().expect("no reader panics").insert(key, found);
    }

    fn cached(&self, table: Compressed) -> LoadedTable {
        let number = self.numbers.fetch_add(1, Ordering::Relaxed);
        LoadedTable::Blocks(CachedTable {
            table: Arc::new(table),
            number,
            cache: self.cache.clone(),
        })
    }

    /// Drops whole tables that are not needed, if they have a file.
    pub fn release(&self, is_needed: impl Fn(TableKey) -> bool) {
        self.known.write().expect("no reader panics").retain(|&key, found| {
            !matches!(found, Some(LoadedTable::Whole(_)))
                || is_needed(key)
                || !self.is_saved(key.material, key.metric)
        });
    }

    /// Returns the messages about faulty files since the last call.
    pub fn take_notices(&self) -> Vec<String> {
        std::mem::take(&mut self.notices.lock().expect("no writer panics"))
    }

    /// The table for a material signature, for looking up positions. A faulty file is renamed and
    /// reported once.
    pub(crate) fn lookup(&self, material: Material, metric: Metric) -> Option<LoadedTable> {
        let key = TableKey::of(material, metric);
        match self.known.read().expect("no writer panics").get(&key) {
            Some(known) => return known.clone(),
            None if !material.is_tabulated() => return None,
            None => {}
        }
        self.open(key)
    }

    fn open(&self, key: TableKey) -> Option<LoadedTable> {
        let directory = self.directory.as_deref()?;
        let opened = Compressed::open(&table::path(directory, key), key);
        let found = opened.unwrap_or_else(|error| self.refuse(key, error));
        let found = found.map(|table| self.cached(table));
        let mut known = self.known.write().expect("no reader panics");
        let entry = known.entry(key).or_default();
        // Another thread may have built the table in the meantime.
        *entry = entry.take().or(found);
        entry.clone()
    }

    /// The whole table for a material signature, decompressed.
    pub fn table(&self, material: Material, metric: Metric) -> Option<Arc<EndgameTable>> {
        let key = TableKey::of(material, metric);
        match self.lookup(material, metric)? {
            LoadedTable::Whole(table) => Some(table),
            LoadedTable::Blocks(cached) => match cached.table.whole(cores()) {
                Ok(table) => Some(self.insert(table)),
                Err(error) => self.refuse(key, error),
            },
        }
    }

    /// A table from which another one is built. The whole table is in memory, so that looking up
    /// positions cannot fail.
    pub(super) fn linked(&self, key: TableKey) -> Option<LoadedTable> {
        if !self.keeps_compressed {
            return self.table(key.material, key.metric).map(LoadedTable::Whole);
        }
        let cached = match self.lookup(key.material, key.metric)? {
            LoadedTable::Blocks(cached) => cached,
            whole => return Some(whole),
        };
        match cached.table.loaded() {
            Ok(table) => {
                Some(LoadedTable::Blocks(CachedTable { table: Arc::new(table), ..cached }))
            }
            Err(error) => self.refuse(key, error),
        }
    }

    /// Returns whether there is an intact table. Looks for a missing file again, because another
    /// program may have built the table. Verifies a file that has not been verified yet.
    pub(super) fn look_again(&self, key: TableKey) -> bool {
        let opened = self.known.read().expect("no writer panics").get(&key).cloned().flatten();
        match opened.or_else(|| self.open(key)) {
            None => false,
            Some(LoadedTable::Whole(_)) => true,
            Some(LoadedTable::Blocks(cached)) => {
                let refuse = |error| self.refuse::<()>(key, error);
                cached.table.verify().map_err(refuse).is_ok()
            }
        }
    }

    /// Renames a faulty file and records a message. From then on, the table counts as missing.
    fn refuse<T>(&self, key: TableKey, fault: TableFault) -> Option<T> {
        self.remember(key, None);
        // A table without a file cannot be faulty.
        let directory = self.directory()?;
        let is_content = fault.is_content();
        let mut notice = fault.of(&table::path(directory, key)).to_string();
        if is_content {
            notice += &match table::set_aside(directory, key) {
                Ok(aside) => format!("; it was renamed to {}", aside.display()),
                // Another thread or program has already renamed the file.
                Err(error) if error.kind() == ErrorKind::NotFound => return None,
                Err(error) => format!("; it could not be renamed: {error}"),
            };
        }
        self.notices.lock().expect("no writer panics").push(notice);
        None
    }

    /// The outcome of a position for the side to move, or `None` if there is no table.
    pub fn probe(&self, position: &Position, metric: Metric) -> Option<Outcome> {
        if position.occupied().count() > MAX_PIECES || position.castling_rooks().any() {
            return None;
        }
        let (material, swapped) = Material::of(position);
        if material.pieces() == 2 {
            return Some(Outcome::Draw);
        }
        let table = self.lookup(material, metric)?;
        let squares = table.layout().squares_of(position, swapped);
        let turn = if swapped { !position.turn() } else { position.turn() };
        let key = TableKey::of(material, metric);
        let found = table.get(turn, &squares).unwrap_or_else(|error| self.refuse(key, error));
        let outcome = found?;
        if position.en_passant().is_none() {
            return Some(outcome);
        }
        let moves = position.legal_moves();
        let captures = moves.iter().filter(|m| m.is_en_passant());
        let values: Option<Vec<Outcome>> =
            captures.map(|&m| self.value_of(position, m, metric)).collect();
        let forced = moves.iter().all(|m| m.is_en_passant());
        let capture = values?.into_iter().reduce(Outcome::better);
        Some(capture.map_or(outcome, |capture| outcome.or_en_passant(capture, forced)))
    }

    /// The outcome of a legal move for the player who makes it. If the move reaches the goal of the
    /// metric, only the result matters, and a table in any metric will do.
    pub fn value_of(&self, position: &Position, mv: Move, metric: Metric) -> Option<Outcome> {
        let after = position.after(mv);
        if !metric.is_reached_by(mv) {
            return self.probe(&after, metric).map(Outcome::before);
        }
        let others = Metric::ALL.iter().filter_map(|&other| self.probe(&after, other));
        others.map(Outcome::converting).next()
    }

    /// The result of a position from a table in any metric.
    pub fn result(&self, position: &Position) -> Option<TableResult> {
        Metric::ALL.iter().find_map(|&metric| self.probe(position, metric)).map(Outcome::result)
    }

    /// A report on a position and its moves, or `None` if any result is missing.
    pub fn report(&self, position: &Position) -> Option<ProbeReport> {
        let (material, _) = Material::of(position);
        let result = self.result(position)?;
        let depths = Depths::by(|metric| self.probe(position, metric)?.plies());
        let longest = Depths::by(|metric| Some(self.lookup(material, metric)?.longest()));
        let legal = position.legal_moves();
        let moves = legal
            .iter()
            .map(|&m| self.move_report(position, m))
            .collect::<Option<Vec<MoveReport>>>()?;
        Some(ProbeReport { material, result, depths, longest, moves })
    }

    /// A report on a legal move.
    pub(crate) fn move_report(&self, position: &Position, mv: Move) -> Option<MoveReport> {
        let after = position.after(mv);
        let result = self.result(&after)?.reversed();
        let depths = Depths::by(|metric| match metric.is_reached_by(mv) {
            true if result != TableResult::Draw => Some(0),
            _ => self.probe(&after, metric)?.plies(),
        });
        let nearest = [Metric::Dtz, Metric::Dtc, Metric::Dtm];
        let to_zero = nearest.iter().find_map(|&metric| self.probe(&after, metric)?.plies());
        let zeroing = Metric::Dtz.is_reached_by(mv);
        Some(MoveReport { mv, result, depths, zeroing, to_zero, applies_fifty_moves: true })
    }
}

/// The default directory for tables, which is in the user's cache directory. `None` if that is
/// unknown.
pub fn default_directory() -> Option<PathBuf> {
    user_folder(FolderPurpose::Cache).map(|cache| cache.join("endgame"))
}
