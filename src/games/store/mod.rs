//! The store of evaluations: one SQLite file that keeps what every legal move of a position is worth
//! (Haworth 2007, 4.1: deposits), so that nothing has to be valued twice.
//!
//! A deposit is found by everything that its values depend on: the position with its move counter,
//! the earlier positions that could come up again, who valued the moves and under what conditions,
//! and how deep he was asked to look. What has been deposited stays; a second deposit of the same is
//! passed over.
//!
//! Deposits are written in bulk, [`BATCH`] at a time or after [`LONGEST_WAIT`], each bulk whole or
//! not at all. Several processes may read and write one file at once: a writer holds the file only
//! for the moment of its bulk. A file of something else, or of another version, is left alone.

mod bytes;
mod encoding;
mod error;
mod file;
mod spool;

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rusqlite::{Connection, OptionalExtension, Row, params};

use crate::board::{Game, PackedPosition, Position};
use crate::evaluation::RootEvaluation;
use crate::math::fingerprint::fingerprint;
use crate::value::Depth;

pub use error::StoreError;
pub use spool::Spool;

/// How many deposits make a bulk.
pub const BATCH: usize = 512;

/// A deposit that comes so long after the last bulk is not kept waiting.
pub const LONGEST_WAIT: Duration = Duration::from_secs(5);

/// What finds a deposit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Key {
    position: PackedPosition,
    history: u64,
    assessor: u64,
    depth: Depth,
}

/// Who values moves, and under what conditions: all that the values depend on but the position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Assessor {
    /// In words: `Stopdown 0.1.0 with weights 0123456789abcdef, Hash=16`.
    pub identity: String,
    pub fingerprint: u64,
}

/// A deposit as it is read in the order of deposition.
#[derive(Clone, Debug, PartialEq)]
pub struct Deposit {
    pub position: Position,
    /// A digest of the earlier positions; zero where there were none.
    pub history: u64,
    pub assessor: u64,
    /// How deep he was asked to look.
    pub depth: Depth,
    pub evaluation: RootEvaluation,
}

/// The deposits of one assessor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Holding {
    pub assessor: Assessor,
    pub deposits: u64,
    pub least: Depth,
    pub deepest: Depth,
}

/// An open store. Dropped, it writes what is waiting; [`Store::commit`] does too and says if that
/// failed.
#[derive(Debug)]
pub struct Store {
    path: PathBuf,
    connection: Connection,
    /// In the order of deposition, and where each is.
    waiting: Vec<(Key, [Vec<u8>; 2])>,
    places: HashMap<Key, usize>,
    /// Assessors that the file knows, or will with the next bulk.
    assessors: Vec<Assessor>,
    last_bulk: Instant,
}

impl Assessor {
    pub fn new(identity: String) -> Assessor {
        Assessor { fingerprint: fingerprint(identity.as_bytes()), identity }
    }
}

impl Key {
    /// `None` for a position of more than 32 men, which is never deposited.
    pub fn new(game: &Game, assessor: &Assessor, depth: Depth) -> Option<Key> {
        let position = game.position().pack()?;
        Some(Key { position, history: history(game), assessor: assessor.fingerprint, depth })
    }
}

/// A digest of the earlier positions that could come up again, in whatever order they were.
fn history(game: &Game) -> u64 {
    let mut keys = game.repeatable_keys().to_vec();
    if keys.is_empty() {
        return 0;
    }
    keys.sort_unstable();
    let bytes: Vec<u8> = keys.iter().flat_map(|key| key.to_le_bytes()).collect();
    fingerprint(&bytes)
}

impl Store {
    /// Opens a store; without a file there a new one is made.
    pub fn open(path: &Path) -> Result<Store, StoreError> {
        let connection = file::open(path)?;
        Ok(Store {
            path: path.to_owned(),
            connection,
            waiting: Vec::new(),
            places: HashMap::new(),
            assessors: Vec::new(),
            last_bulk: Instant::now(),
        })
    }

    /// Opens a store that must be there.
    pub fn open_existing(path: &Path) -> Result<Store, StoreError> {
        match path.is_file() {
            true => Store::open(path),
            false => Err(StoreError::Missing(path.to_owned())),
        }
    }

    fn failed(&self) -> impl Fn(rusqlite::Error) -> StoreError + use<> {
        let path = self.path.clone();
        move |error| StoreError::Sqlite { path: path.clone(), error }
    }

    /// Deposits an evaluation. It is on the disk when its bulk is.
    pub fn put(
        &mut self,
        key: Key,
        assessor: &Assessor,
        evaluation: &RootEvaluation,
    ) -> Result<(), StoreError> {
        if !self.assessors.contains(assessor) {
            self.assessors.push(assessor.clone());
        }
        if let Entry::Vacant(place) = self.places.entry(key) {
            place.insert(self.waiting.len());
            self.waiting.push((key, encoding::encode(evaluation)));
        }
        if self.waiting.len() >= BATCH || self.last_bulk.elapsed() >= LONGEST_WAIT {
            self.commit()?;
        }
        Ok(())
    }

    /// Writes what is waiting.
    pub fn commit(&mut self) -> Result<(), StoreError> {
        self.last_bulk = Instant::now();
        if self.waiting.is_empty() {
            return Ok(());
        }
        let failed = self.failed();
        self.write_bulk().map_err(failed)?;
        self.waiting.clear();
        self.places.clear();
        Ok(())
    }

    fn write_bulk(&mut self) -> rusqlite::Result<()> {
        let bulk =
            self.connection.transaction_with_behavior(rusqlite::TransactionBehavior::Immediate)?;
        for Assessor { fingerprint, identity } in &self.assessors {
            let insert = "INSERT OR IGNORE INTO assessors VALUES (?1, ?2)";
            bulk.execute(insert, params![fingerprint.cast_signed(), identity])?;
        }
        for (key, [values, lines]) in &self.waiting {
            let Key { position, history, assessor, depth } = key;
            let (history, assessor) = (history.cast_signed(), assessor.cast_signed());
            bulk.prepare_cached(
                "INSERT OR IGNORE INTO deposits (position, history, assessor, depth, moves, lines) \
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
            )?
            .execute(params![position.0, history, assessor, depth, values, lines])?;
        }
        bulk.commit()
    }

    /// Takes over what another store holds and this one does not.
    pub fn take_in(&mut self, other: &Path) -> Result<(), StoreError> {
        // That it is a store, and of this version, is told before it is touched.
        drop(Store::open_existing(other)?);
        if other.canonicalize().ok() == self.path.canonicalize().ok() {
            return Ok(()); // it holds all that it holds
        }
        self.commit()?;
        let failed = self.failed();
        let name = other.to_str().ok_or_else(|| StoreError::Missing(other.to_owned()))?;
        self.connection.execute("ATTACH ?1 AS other", [name]).map_err(&failed)?;
        let columns = "position, history, assessor, depth, moves, lines";
        let taken = self.connection.execute_batch(&format!(
            "BEGIN IMMEDIATE;
             INSERT OR IGNORE INTO main.assessors SELECT * FROM other.assessors;
             INSERT OR IGNORE INTO main.deposits ({columns})
                 SELECT {columns} FROM other.deposits ORDER BY rowid;
             COMMIT;"
        ));
        if taken.is_err() {
            // Nothing of the other store is half in this one.
            let _nothing_to_undo = self.connection.execute_batch("ROLLBACK");
        }
        self.connection.execute("DETACH other", []).map_err(&failed)?;
        taken.map_err(failed)
    }

    /// What was deposited under this key for the position of the game, lines included.
    pub fn find(&self, key: &Key, game: &Game) -> Result<Option<RootEvaluation>, StoreError> {
        let Some([values, lines]) = self.blobs(key)? else { return Ok(None) };
        let evaluation = encoding::decode(&values, game.position());
        let evaluation =
            evaluation.and_then(|found| encoding::add_lines(found, &lines, game.position()));
        evaluation.map(Some).ok_or_else(|| self.damaged(game.position()))
    }

    /// The same without the lines, at a fraction of the cost: those of the moves are empty.
    pub fn find_values(
        &self,
        key: &Key,
        game: &Game,
    ) -> Result<Option<RootEvaluation>, StoreError> {
        if let Some([values, _]) = self.waiting(key) {
            return Ok(encoding::decode(values, game.position()));
        }
        let failed = self.failed();
        let mut select = self
            .connection
            .prepare_cached(
                "SELECT moves FROM deposits \
                 WHERE position = ?1 AND history = ?2 AND assessor = ?3 AND depth = ?4",
            )
            .map_err(&failed)?;
        let mut rows = select.query(key.parameters()).map_err(&failed)?;
        let Some(row) = rows.next().map_err(&failed)? else { return Ok(None) };
        let values = row.get_ref(0).and_then(|value| Ok(value.as_blob()?)).map_err(&failed)?;
        let found = encoding::decode(values, game.position());
        found.map(Some).ok_or_else(|| self.damaged(game.position()))
    }

    fn waiting(&self, key: &Key) -> Option<&[Vec<u8>; 2]> {
        self.places.get(key).map(|&place| &self.waiting[place].1)
    }

    fn blobs(&self, key: &Key) -> Result<Option<[Vec<u8>; 2]>, StoreError> {
        if let Some(blobs) = self.waiting(key) {
            return Ok(Some(blobs.clone()));
        }
        let failed = self.failed();
        let mut select = self
            .connection
            .prepare_cached(
                "SELECT moves, lines FROM deposits \
                 WHERE position = ?1 AND history = ?2 AND assessor = ?3 AND depth = ?4",
            )
            .map_err(&failed)?;
        let blobs = |row: &Row<'_>| Ok([row.get(0)?, row.get(1)?]);
        select.query_row(key.parameters(), blobs).optional().map_err(failed)
    }

    fn damaged(&self, position: &Position) -> StoreError {
        StoreError::Damaged { path: self.path.clone(), what: position.fen() }
    }

    /// What there is of whom.
    pub fn holdings(&self) -> Result<Vec<Holding>, StoreError> {
        let failed = self.failed();
        let mut select = self
            .connection
            .prepare(
                "SELECT fingerprint, identity, count(depth), min(depth), max(depth) \
                 FROM assessors JOIN deposits ON assessor = fingerprint \
                 GROUP BY fingerprint ORDER BY min(deposits.rowid)",
            )
            .map_err(&failed)?;
        let holding = |row: &Row<'_>| {
            let assessor = Assessor {
                fingerprint: row.get::<_, i64>(0)?.cast_unsigned(),
                identity: row.get(1)?,
            };
            let deposits = row.get::<_, i64>(2)?.cast_unsigned();
            Ok(Holding { assessor, deposits, least: row.get(3)?, deepest: row.get(4)? })
        };
        let rows = select.query_map([], holding).map_err(&failed)?;
        rows.collect::<Result<_, _>>().map_err(failed)
    }

    /// Hands over all deposits, of one assessor or of all, in the order of deposition, until told
    /// to stop by an error.
    pub fn each<E: From<StoreError>>(
        &self,
        assessor: Option<u64>,
        take: impl FnMut(Deposit) -> Result<(), E>,
    ) -> Result<(), E> {
        self.walk("moves, lines", assessor, take)
    }

    /// The same without the lines, at a fraction of the cost.
    pub fn each_values<E: From<StoreError>>(
        &self,
        assessor: Option<u64>,
        take: impl FnMut(Deposit) -> Result<(), E>,
    ) -> Result<(), E> {
        self.walk("moves, NULL", assessor, take)
    }

    fn walk<E: From<StoreError>>(
        &self,
        columns: &str,
        assessor: Option<u64>,
        mut take: impl FnMut(Deposit) -> Result<(), E>,
    ) -> Result<(), E> {
        let failed = self.failed();
        let select = format!(
            "SELECT position, history, assessor, depth, {columns} FROM deposits \
             WHERE ?1 IS NULL OR assessor = ?1 ORDER BY rowid"
        );
        let mut select = self.connection.prepare(&select).map_err(&failed)?;
        let mut rows = select.query([assessor.map(u64::cast_signed)]).map_err(&failed)?;
        while let Some(row) = rows.next().map_err(&failed)? {
            let damaged = || {
                let what =
                    row.get(0).map_or_else(|_| String::new(), |b: Vec<u8>| format!("{b:x?}"));
                StoreError::Damaged { path: self.path.clone(), what }
            };
            take(read(row).map_err(&failed)?.ok_or_else(damaged)?)?;
        }
        Ok(())
    }
}

impl Key {
    fn parameters(&self) -> impl rusqlite::Params + '_ {
        let (history, assessor) = (self.history.cast_signed(), self.assessor.cast_signed());
        (&self.position.0, history, assessor, self.depth)
    }
}

/// A row of all columns; `None` if it means nothing.
fn read(row: &Row<'_>) -> rusqlite::Result<Option<Deposit>> {
    let (values, lines) = (row.get_ref(4)?.as_blob()?, row.get_ref(5)?.as_blob_or_null()?);
    let packed = row.get_ref(0)?.as_blob()?.try_into().ok().map(PackedPosition);
    let Some(position) = packed.and_then(|packed: PackedPosition| packed.unpack()) else {
        return Ok(None);
    };
    let evaluation = encoding::decode(values, &position);
    let evaluation = evaluation.and_then(|found| match lines {
        Some(lines) => encoding::add_lines(found, lines, &position),
        None => Some(found),
    });
    let (history, assessor) = (row.get::<_, i64>(1)?, row.get::<_, i64>(2)?);
    let depth = row.get(3)?;
    Ok(evaluation.map(|evaluation| Deposit {
        position,
        history: history.cast_unsigned(),
        assessor: assessor.cast_unsigned(),
        depth,
        evaluation,
    }))
}

impl Drop for Store {
    fn drop(&mut self) {
        let _told_by_commit = self.commit();
    }
}
