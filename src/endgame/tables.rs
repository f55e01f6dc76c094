//! The tables at hand: those in a directory, and those made since.
//!
//! Who looks a position up reads the block of the file that it is in, and blocks that were read of late
//! are held. Who goes through a whole table, as studies do, has it decompressed in memory for as long as
//! it is needed. Nobody who asks for one table waits for another's file.

use std::collections::HashMap;
use std::hint::black_box;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, RwLock};
use std::time::{Duration, Instant};

use crate::board::{Move, Position};
use crate::files::{FolderPurpose, users_folder};
use crate::threads::cores;

use super::cache::{BlockCache, CachedTable, Lookup};
use super::compressed::Compressed;
use super::material::Material;
use super::outcome::{Metric, Outcome, TableKey};
use super::table::{self, EndgameTable, TableFault};

/// A set of tables that threads may share.
#[derive(Debug, Default)]
pub struct Tables {
    directory: Option<PathBuf>,
    /// What has been asked for; `None` is what is known not to be there. Never held while reading.
    known: RwLock<HashMap<TableKey, Option<Lookup>>>,
    cache: Arc<BlockCache>,
    numbers: AtomicU32,
    /// Are tables compressed as soon as they are made?
    pub(super) keeps_small: bool,
    notices: Mutex<Vec<String>>,
}

impl Tables {
    /// Tables that live in memory only.
    pub fn in_memory() -> Tables {
        Tables::default()
    }

    /// Tables of a directory. It need not exist as long as nothing is saved.
    pub fn in_directory(directory: impl Into<PathBuf>) -> Tables {
        Tables { directory: Some(directory.into()), ..Tables::default() }
    }

    /// For who only looks positions up: what is made is compressed, and so is what it is made from.
    pub fn compressed(self) -> Tables {
        Tables { keeps_small: true, ..self }
    }

    pub fn directory(&self) -> Option<&Path> {
        self.directory.as_deref()
    }

    /// Is there a file of this table, sound or not?
    pub fn is_saved(&self, material: Material, metric: Metric) -> bool {
        let key = TableKey::of(material, metric);
        let path = self.directory().map(|directory| table::path(directory, key));
        path.is_some_and(|path| path.exists())
    }

    /// Adds a table for as long as the program runs.
    pub fn insert(&self, table: EndgameTable) -> Arc<EndgameTable> {
        let table = Arc::new(table);
        let key = TableKey { material: table.material(), metric: table.metric };
        self.know(key, Some(Lookup::Whole(table.clone())));
        table
    }

    /// Adds a compressed table, if there is one.
    pub(super) fn insert_compressed(&self, key: TableKey, table: Option<Compressed>) {
        self.know(key, table.map(|table| self.cached(table)));
    }

    fn know(&self, key: TableKey, found: Option<Lookup>) {
        self.known.write().expect("no reader panics").insert(key, found);
    }

    fn cached(&self, table: Compressed) -> Lookup {
        let number = self.numbers.fetch_add(1, Ordering::Relaxed);
        Lookup::Blocks(CachedTable { table: Arc::new(table), number, cache: self.cache.clone() })
    }

    /// Lets go of the whole tables that nobody needs now and that can be read again.
    pub fn release(&self, is_needed: impl Fn(TableKey) -> bool) {
        self.known.write().expect("no reader panics").retain(|&key, found| {
            !matches!(found, Some(Lookup::Whole(_)))
                || is_needed(key)
                || !self.is_saved(key.material, key.metric)
        });
    }

    /// What went wrong with files since this was last asked, one sentence each.
    pub fn take_notices(&self) -> Vec<String> {
        std::mem::take(&mut self.notices.lock().expect("no writer panics"))
    }

    /// The table of a material, to look positions up. A file that cannot be used is set aside and
    /// spoken of once.
    pub fn lookup(&self, material: Material, metric: Metric) -> Option<Lookup> {
        let key = TableKey::of(material, metric);
        match self.known.read().expect("no writer panics").get(&key) {
            Some(known) => return known.clone(),
            None if !material.is_tabulated() => return None,
            None => {}
        }
        self.open(key)
    }

    fn open(&self, key: TableKey) -> Option<Lookup> {
        let directory = self.directory.as_deref()?;
        let opened = Compressed::open(&table::path(directory, key), key);
        let found = opened.unwrap_or_else(|error| self.refuse(key, error));
        let found = found.map(|table| self.cached(table));
        let mut known = self.known.write().expect("no reader panics");
        let entry = known.entry(key).or_default();
        // It may have been made in the meantime.
        *entry = entry.take().or(found);
        entry.clone()
    }

    /// The whole table of a material.
    pub fn table(&self, material: Material, metric: Metric) -> Option<Arc<EndgameTable>> {
        let key = TableKey::of(material, metric);
        match self.lookup(material, metric)? {
            Lookup::Whole(table) => Some(table),
            Lookup::Blocks(cached) => match cached.table.whole(cores()) {
                Ok(table) => Some(self.insert(table)),
                Err(error) => self.refuse(key, error),
            },
        }
    }

    /// The table that another is made from: to look up what cannot fail to be there.
    pub(super) fn linked(&self, key: TableKey) -> Option<Lookup> {
        if !self.keeps_small {
            return self.table(key.material, key.metric).map(Lookup::Whole);
        }
        let cached = match self.lookup(key.material, key.metric)? {
            Lookup::Blocks(cached) => cached,
            whole => return Some(whole),
        };
        match cached.table.held() {
            Ok(table) => Some(Lookup::Blocks(CachedTable { table: Arc::new(table), ..cached })),
            Err(error) => self.refuse(key, error),
        }
    }

    /// Is there a sound table? A file that was not there before is looked for again: another program
    /// may have made it. One that has not been read is read to its end.
    pub(super) fn look_again(&self, key: TableKey) -> bool {
        let at_hand = self.known.read().expect("no writer panics").get(&key).cloned().flatten();
        match at_hand.or_else(|| self.open(key)) {
            None => false,
            Some(Lookup::Whole(_)) => true,
            Some(Lookup::Blocks(cached)) => {
                let refuse = |error| self.refuse::<()>(key, error);
                cached.table.verify().map_err(refuse).is_ok()
            }
        }
    }

    /// Sets a file aside that cannot be used, and says so. The table counts as not at hand.
    fn refuse<T>(&self, key: TableKey, fault: TableFault) -> Option<T> {
        self.know(key, None);
        // What is in memory has no faults.
        let directory = self.directory()?;
        let is_content = fault.is_content();
        let mut notice = fault.of(&table::path(directory, key)).to_string();
        if is_content {
            notice += &match table::set_aside(directory, key) {
                Ok(aside) => format!("; kept as {}, to be made again", aside.display()),
                // Another thread or program was quicker.
                Err(error) if error.kind() == ErrorKind::NotFound => return None,
                Err(error) => format!("; it could not be renamed: {error}"),
            };
        }
        self.notices.lock().expect("no writer panics").push(notice);
        None
    }

    /// The outcome of a position for the side to move, or `None` where no table has it.
    pub fn probe(&self, position: &Position, metric: Metric) -> Option<Outcome> {
        if position.occupied().count() > super::MAX_PIECES || position.castling_rooks().any() {
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
        let capture = values?.into_iter().reduce(Outcome::or);
        Some(capture.map_or(outcome, |capture| outcome.or_in_passing(capture, forced)))
    }

    /// What a legal move is worth to the mover. Where it reaches the metric's goal, any table that
    /// tells the result will do.
    pub fn value_of(&self, position: &Position, mv: Move, metric: Metric) -> Option<Outcome> {
        let after = position.after(mv);
        if !metric.is_reached_by(mv) {
            return self.probe(&after, metric).map(Outcome::before);
        }
        let others = Metric::ALL.iter().filter_map(|&other| self.probe(&after, other));
        others.map(Outcome::converting).next()
    }
}

/// How long looking up a position takes on average.
#[derive(Clone, Copy, Debug)]
pub struct ProbingTime {
    /// Where its block is held in memory.
    pub held: Duration,
    /// Where its block has to be read and decompressed.
    pub read: Duration,
}

/// How long looking up a position of a material takes; `None` without a table on the disk.
pub fn probing_time(tables: &Tables, material: Material) -> Option<ProbingTime> {
    const SAMPLE: usize = 10_000;
    const ROUND: usize = 400;
    let table = Metric::ALL.iter().find_map(|&metric| tables.table(material, metric))?;
    let fresh = Tables::in_directory(tables.directory()?);
    let step = (2 * table.layout.size / SAMPLE).max(1);
    let fens = table.entries().step_by(step).map(|e| table.layout.fen(&e.squares, e.turn));
    let positions: Vec<Position> =
        fens.filter_map(|fen| Position::from_fen(&fen, false).ok()).collect();
    let time = |round: &[Position]| {
        let start = Instant::now();
        for position in round {
            black_box(fresh.probe(position, table.metric));
        }
        start.elapsed() / round.len() as u32
    };
    let mut times: Vec<[Duration; 2]> =
        positions.chunks(ROUND).map(|round| [time(round), time(round)]).collect();
    let &[read, _] = times.first()?;
    // Rounds in which the machine did something else fall out of the median.
    times.sort_by_key(|&[_, held]| held);
    times.get(times.len() / 2).map(|&[_, held]| ProbingTime { held, read })
}

/// Where tables are kept unless the user says otherwise: the system's place for files that can be
/// made again. `None` where the environment does not tell.
pub fn default_directory() -> Option<PathBuf> {
    users_folder(FolderPurpose::Cache).map(|cache| cache.join("endgame"))
}
