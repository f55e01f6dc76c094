//! What a store gives back: a deposit that is asked for, or all of them in the order of deposition.

use rusqlite::Row;

use super::{EvaluationKey, EvaluatorIdentity, Store, StoreError, encoding};
use crate::board::{Game, PackedPosition, Position};
use crate::evaluation::RootEvaluation;
use crate::value::Depth;

/// A deposit as it is read in the order of deposition.
#[derive(Clone, Debug, PartialEq)]
pub struct StoredEvaluation {
    pub position: Position,
    /// A digest of the earlier positions; zero where there were none.
    pub history: u64,
    pub evaluator: u64,
    /// How deep he was asked to look.
    pub depth: Depth,
    pub evaluation: RootEvaluation,
}

/// The deposits of one evaluator.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoreSummary {
    pub evaluator: EvaluatorIdentity,
    pub deposits: u64,
    pub least: Depth,
    pub deepest: Depth,
}

impl Store {
    /// What was deposited under this key for the position of the game, lines included.
    pub fn find(
        &self,
        key: &EvaluationKey,
        game: &Game,
    ) -> Result<Option<RootEvaluation>, StoreError> {
        self.found(key, game.position(), true)
    }

    /// The same without the lines, at a fraction of the cost: those of the moves are empty.
    pub fn find_values(
        &self,
        key: &EvaluationKey,
        game: &Game,
    ) -> Result<Option<RootEvaluation>, StoreError> {
        self.found(key, game.position(), false)
    }

    fn found(
        &self,
        key: &EvaluationKey,
        position: &Position,
        with_lines: bool,
    ) -> Result<Option<RootEvaluation>, StoreError> {
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
        let damaged = || StoreError::Damaged { path: self.path.clone(), what: position.fen() };
        found.map(Some).ok_or_else(damaged)
    }

    /// What there is of whom.
    pub fn holdings(&self) -> Result<Vec<StoreSummary>, StoreError> {
        let failed = self.failed();
        let text = "SELECT fingerprint, identity, count(depth), min(depth), max(depth) \
                    FROM assessors JOIN deposits ON assessor = fingerprint \
                    GROUP BY fingerprint ORDER BY min(deposits.rowid)";
        let mut select = self.connection.prepare(text).map_err(&failed)?;
        let holding = |row: &Row<'_>| {
            let evaluator = EvaluatorIdentity {
                fingerprint: row.get::<_, i64>(0)?.cast_unsigned(),
                identity: row.get(1)?,
            };
            let deposits = row.get::<_, i64>(2)?.cast_unsigned();
            Ok(StoreSummary { evaluator, deposits, least: row.get(3)?, deepest: row.get(4)? })
        };
        let rows = select.query_map([], holding).map_err(&failed)?;
        rows.collect::<Result<_, _>>().map_err(failed)
    }

    /// Hands over all deposits, of one evaluator or of all, in the order of deposition, until told
    /// to stop by an error.
    pub fn each<E: From<StoreError>>(
        &self,
        evaluator: Option<u64>,
        mut take: impl FnMut(StoredEvaluation) -> Result<(), E>,
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
                StoreError::Damaged { path: self.path.clone(), what }
            };
            take(read(row).map_err(&failed)?.ok_or_else(damaged)?)?;
        }
        Ok(())
    }
}

/// A row of all columns; `None` if it means nothing.
fn read(row: &Row<'_>) -> rusqlite::Result<Option<StoredEvaluation>> {
    let (values, lines) = (row.get_ref(4)?.as_blob()?, row.get_ref(5)?.as_blob()?);
    let packed = row.get_ref(0)?.as_blob()?.try_into().ok().map(PackedPosition);
    let Some(position) = packed.and_then(|packed: PackedPosition| packed.unpack()) else {
        return Ok(None);
    };
    let evaluation = encoding::decode(values, Some(lines), &position);
    let (history, evaluator) = (row.get::<_, i64>(1)?, row.get::<_, i64>(2)?);
    let depth = row.get(3)?;
    Ok(evaluation.map(|evaluation| StoredEvaluation {
        position,
        history: history.cast_unsigned(),
        evaluator: evaluator.cast_unsigned(),
        depth,
        evaluation,
    }))
}
