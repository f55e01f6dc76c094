//! An open cache file, which looks up evaluations, adds new ones and lists the contents.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rusqlite::{Connection, Row, params};

use super::contents::{CacheContents, CachedEvaluation};
use super::encoding;
use super::file::{self, CacheError};
use super::key::{EvaluationKey, EvaluatorIdentity};
use crate::board::{Game, PackedPosition, Position};
use crate::evaluation::RootEvaluation;

/// The number of evaluations that are written together in one transaction.
pub const BATCH: usize = 512;

/// The time after which waiting evaluations are written, even if there are fewer than [`BATCH`].
pub const LONGEST_WAIT: Duration = Duration::from_secs(5);

/// An open cache file. Dropping it writes the waiting evaluations and ignores errors, so call
/// [`EvaluationCache::commit`] first.
#[derive(Debug)]
pub struct EvaluationCache {
    path: PathBuf,
    connection: Connection,
    /// Encoded evaluations that have not been written yet, oldest first.
    waiting: Vec<(EvaluationKey, [Vec<u8>; 2])>,
    /// Indices into `waiting`.
    places: HashMap<EvaluationKey, usize>,
    /// The evaluators passed to `put` so far. A commit adds those that the file lacks.
    evaluators: Vec<EvaluatorIdentity>,
    last_commit: Instant,
}

impl EvaluationCache {
    /// Opens a cache, or creates it if the file does not exist.
    pub fn open(path: &Path) -> Result<EvaluationCache, CacheError> {
        let connection = file::open(path)?;
        Ok(EvaluationCache {
            path: path.to_owned(),
            connection,
            waiting: Vec::new(),
            places: HashMap::new(),
            evaluators: Vec::new(),
            last_commit: Instant::now(),
        })
    }

    /// Opens a cache. The file must exist, and must not be empty.
    pub fn open_existing(path: &Path) -> Result<EvaluationCache, CacheError> {
        match fs::metadata(path) {
            Ok(file) if file.is_file() && file.len() > 0 => EvaluationCache::open(path),
            Ok(file) if file.is_file() => Err(CacheError::Empty(path.to_owned())),
            _ => Err(CacheError::Missing(path.to_owned())),
        }
    }

    fn failed(&self) -> impl Fn(rusqlite::Error) -> CacheError + use<> {
        let path = self.path.clone();
        move |error| CacheError::Sqlite { path: path.clone(), error }
    }

    /// Adds an evaluation, unless the cache already has one with this key. It is written with the
    /// next batch of evaluations.
    pub fn put(
        &mut self,
        key: EvaluationKey,
        evaluator: &EvaluatorIdentity,
        evaluation: &RootEvaluation,
    ) -> Result<(), CacheError> {
        if !self.evaluators.contains(evaluator) {
            self.evaluators.push(evaluator.clone());
        }
        if let Entry::Vacant(place) = self.places.entry(key) {
            place.insert(self.waiting.len());
            self.waiting.push((key, encoding::encode(evaluation)));
        }
        if self.waiting.len() >= BATCH || self.last_commit.elapsed() >= LONGEST_WAIT {
            self.commit()?;
        }
        Ok(())
    }

    /// Writes waiting evaluations in one transaction.
    pub fn commit(&mut self) -> Result<(), CacheError> {
        self.last_commit = Instant::now();
        if self.waiting.is_empty() {
            return Ok(());
        }
        let failed = self.failed();
        self.write_waiting().map_err(failed)?;
        self.waiting.clear();
        self.places.clear();
        Ok(())
    }

    fn write_waiting(&mut self) -> rusqlite::Result<()> {
        let transaction =
            self.connection.transaction_with_behavior(rusqlite::TransactionBehavior::Immediate)?;
        for EvaluatorIdentity { fingerprint, identity } in &self.evaluators {
            let insert = "INSERT OR IGNORE INTO assessors VALUES (?1, ?2)";
            transaction.execute(insert, params![fingerprint.cast_signed(), identity])?;
        }
        for (key, [values, lines]) in &self.waiting {
            let EvaluationKey { position, history, evaluator, depth } = key;
            let (history, evaluator) = (history.cast_signed(), evaluator.cast_signed());
            transaction.prepare_cached(
                "INSERT OR IGNORE INTO deposits (position, history, assessor, depth, moves, lines) \
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
            )?
            .execute(params![position.0, history, evaluator, depth, values, lines])?;
        }
        transaction.commit()
    }

    /// Copies from another cache all evaluations that this one lacks.
    pub fn import(&mut self, other: &Path) -> Result<(), CacheError> {
        // Opening the other file checks that it is a cache of this version.
        drop(EvaluationCache::open_existing(other)?);
        if other.canonicalize().ok() == self.path.canonicalize().ok() {
            return Ok(());
        }
        self.commit()?;
        let failed = self.failed();
        let name = file::sqlite_name(other);
        let name = name.to_str().ok_or_else(|| CacheError::Name(other.to_owned()))?;
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
            // The rollback fails if SQLite has already rolled back the transaction.
            let _already_rolled_back = self.connection.execute_batch("ROLLBACK");
        }
        self.connection.execute("DETACH other", []).map_err(&failed)?;
        taken.map_err(failed)
    }

    /// Returns the cached evaluation of the game's position, including the lines.
    pub fn find(
        &self,
        key: &EvaluationKey,
        game: &Game,
    ) -> Result<Option<RootEvaluation>, CacheError> {
        self.look_up(key, game.position(), true)
    }

    /// Like [`EvaluationCache::find`], but much faster, because the lines of the moves are left empty.
    pub fn find_values(
        &self,
        key: &EvaluationKey,
        game: &Game,
    ) -> Result<Option<RootEvaluation>, CacheError> {
        self.look_up(key, game.position(), false)
    }

    fn look_up(
        &self,
        key: &EvaluationKey,
        position: &Position,
        with_lines: bool,
    ) -> Result<Option<RootEvaluation>, CacheError> {
        if let Some(&place) = self.places.get(key) {
            let [values, lines] = &self.waiting[place].1;
            let lines = with_lines.then_some(&lines[..]);
            return Ok(encoding::decode(values, lines, position));
        }
        let failed = self.failed();
        let columns = if with_lines { "moves, lines" } else { "moves" };
        let text = format!(
            "SELECT {columns} FROM deposits \
             WHERE position = ?1 AND history = ?2 AND assessor = ?3 AND depth = ?4"
        );
        let mut select = self.connection.prepare_cached(&text).map_err(&failed)?;
        let mut rows = select.query(key.parameters()).map_err(&failed)?;
        let Some(row) = rows.next().map_err(&failed)? else { return Ok(None) };
        let blob = |column| row.get_ref(column).and_then(|value| Ok(value.as_blob()?));
        let values = blob(0).map_err(&failed)?;
        let lines = if with_lines { Some(blob(1).map_err(&failed)?) } else { None };
        let found = encoding::decode(values, lines, position);
        let damaged = || CacheError::Damaged { path: self.path.clone(), what: position.fen() };
        found.map(Some).ok_or_else(damaged)
    }

    /// Returns a summary for each evaluator, oldest first.
    pub fn contents(&self) -> Result<Vec<CacheContents>, CacheError> {
        let failed = self.failed();
        let text = "SELECT fingerprint, identity, count(depth), min(depth), max(depth) \
                    FROM assessors JOIN deposits ON assessor = fingerprint \
                    GROUP BY fingerprint ORDER BY min(deposits.rowid)";
        let mut select = self.connection.prepare(text).map_err(&failed)?;
        let summary = |row: &Row<'_>| {
            let evaluator = EvaluatorIdentity {
                fingerprint: row.get::<_, i64>(0)?.cast_unsigned(),
                identity: row.get(1)?,
            };
            let evaluations = row.get::<_, i64>(2)?.cast_unsigned();
            Ok(CacheContents { evaluator, evaluations, least: row.get(3)?, deepest: row.get(4)? })
        };
        let rows = select.query_map([], summary).map_err(&failed)?;
        rows.collect::<Result<_, _>>().map_err(failed)
    }

    /// Passes all evaluations, or only those by one evaluator, to `take`, oldest first. The
    /// first error ends the loop.
    pub fn each<E: From<CacheError>>(
        &self,
        evaluator: Option<u64>,
        mut take: impl FnMut(CachedEvaluation) -> Result<(), E>,
    ) -> Result<(), E> {
        let failed = self.failed();
        let text = "SELECT position, history, assessor, depth, moves, lines FROM deposits \
                    WHERE ?1 IS NULL OR assessor = ?1 ORDER BY rowid";
        let mut select = self.connection.prepare(text).map_err(&failed)?;
        let mut rows = select.query([evaluator.map(u64::cast_signed)]).map_err(&failed)?;
        while let Some(row) = rows.next().map_err(&failed)? {
            let damaged = || {
                let what =
                    row.get(0).map_or_else(|_| String::new(), |b: Vec<u8>| format!("{b:x?}"));
                CacheError::Damaged { path: self.path.clone(), what }
            };
            take(decode_row(row).map_err(&failed)?.ok_or_else(damaged)?)?;
        }
        Ok(())
    }
}

impl Drop for EvaluationCache {
    fn drop(&mut self) {
        let _reported_by_commit = self.commit();
    }
}

/// Decodes a row with all columns. Returns `None` if it is corrupt.
fn decode_row(row: &Row<'_>) -> rusqlite::Result<Option<CachedEvaluation>> {
    let (values, lines) = (row.get_ref(4)?.as_blob()?, row.get_ref(5)?.as_blob()?);
    let packed = row.get_ref(0)?.as_blob()?.try_into().ok().map(PackedPosition);
    let Some(position) = packed.and_then(|packed: PackedPosition| packed.unpack()) else {
        return Ok(None);
    };
    let evaluation = encoding::decode(values, Some(lines), &position);
    let (history, evaluator) = (row.get::<_, i64>(1)?, row.get::<_, i64>(2)?);
    let depth = row.get(3)?;
    Ok(evaluation.map(|evaluation| CachedEvaluation {
        position,
        history: history.cast_unsigned(),
        evaluator: evaluator.cast_unsigned(),
        depth,
        evaluation,
    }))
}
