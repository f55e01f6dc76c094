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

mod encoding;
mod file;
mod reading;

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rusqlite::{Connection, params};

use crate::board::{Game, PackedPosition};
use crate::evaluation::RootEvaluation;
use crate::math::fingerprint;
use crate::value::Depth;

pub use file::StoreError;
pub use reading::{StoreSummary, StoredEvaluation};

/// How many deposits make a bulk.
pub const BATCH: usize = 512;

/// A deposit that comes so long after the last bulk is not kept waiting.
pub const LONGEST_WAIT: Duration = Duration::from_secs(5);

/// An open store. Dropped, it writes what is waiting; [`Store::commit`] does too and says if that
/// failed.
#[derive(Debug)]
pub struct Store {
    path: PathBuf,
    connection: Connection,
    /// In the order of deposition, and where each is.
    waiting: Vec<(EvaluationKey, [Vec<u8>; 2])>,
    places: HashMap<EvaluationKey, usize>,
    /// Assessors that the file knows, or will with the next bulk.
    evaluators: Vec<EvaluatorIdentity>,
    last_bulk: Instant,
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
            evaluators: Vec::new(),
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
        key: EvaluationKey,
        evaluator: &EvaluatorIdentity,
        evaluation: &RootEvaluation,
    ) -> Result<(), StoreError> {
        if !self.evaluators.contains(evaluator) {
            self.evaluators.push(evaluator.clone());
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
        for EvaluatorIdentity { fingerprint, identity } in &self.evaluators {
            let insert = "INSERT OR IGNORE INTO assessors VALUES (?1, ?2)";
            bulk.execute(insert, params![fingerprint.cast_signed(), identity])?;
        }
        for (key, [values, lines]) in &self.waiting {
            let EvaluationKey { position, history, evaluator, depth } = key;
            let (history, evaluator) = (history.cast_signed(), evaluator.cast_signed());
            bulk.prepare_cached(
                "INSERT OR IGNORE INTO deposits (position, history, assessor, depth, moves, lines) \
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
            )?
            .execute(params![position.0, history, evaluator, depth, values, lines])?;
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
}

impl Drop for Store {
    fn drop(&mut self) {
        let _told_by_commit = self.commit();
    }
}

/// What finds a deposit: everything that its values depend on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct EvaluationKey {
    position: PackedPosition,
    history: u64,
    evaluator: u64,
    depth: Depth,
}

/// Who values moves, and under what conditions: all that the values depend on but the position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EvaluatorIdentity {
    /// In words: `Stopdown 0.1.0 with weights 0123456789abcdef, Hash=16`.
    pub identity: String,
    pub fingerprint: u64,
}

impl EvaluatorIdentity {
    pub fn new(identity: String) -> EvaluatorIdentity {
        EvaluatorIdentity { fingerprint: fingerprint(identity.as_bytes()), identity }
    }
}

impl EvaluationKey {
    /// `None` for a position of more than 32 pieces, which is never deposited.
    pub fn new(game: &Game, evaluator: &EvaluatorIdentity, depth: Depth) -> Option<EvaluationKey> {
        let position = PackedPosition::of(game.position())?;
        Some(EvaluationKey {
            position,
            history: history(game),
            evaluator: evaluator.fingerprint,
            depth,
        })
    }

    /// The numbers that find it in the file.
    fn parameters(&self) -> impl rusqlite::Params + '_ {
        let (history, evaluator) = (self.history.cast_signed(), self.evaluator.cast_signed());
        (&self.position.0, history, evaluator, self.depth)
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
