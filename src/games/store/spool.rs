//! Records that are written once, read again by group, and forgotten: what is too much for memory.
//!
//! They are in a temporary file of SQLite's, which it keeps in memory while that is small, and which
//! goes when the spool does.

use std::path::PathBuf;

use rusqlite::{Connection, params};

use super::StoreError;

/// An open spool.
#[derive(Debug)]
pub struct Spool {
    connection: Connection,
}

const TABLES: &str = "
    PRAGMA journal_mode = OFF;
    PRAGMA synchronous = OFF;
    CREATE TABLE records (
        grouped INTEGER NOT NULL,
        number INTEGER NOT NULL,
        record BLOB NOT NULL,
        PRIMARY KEY (grouped, number)
    ) WITHOUT ROWID;
    BEGIN;";

impl Spool {
    pub fn new() -> Result<Spool, StoreError> {
        let connection = Connection::open("").map_err(failed)?;
        connection.execute_batch(TABLES).map_err(failed)?;
        Ok(Spool { connection })
    }

    /// Adds a record to a group, as its `number`th.
    pub fn put(&self, group: u64, number: u64, record: &[u8]) -> Result<(), StoreError> {
        let insert = "INSERT INTO records VALUES (?1, ?2, ?3)";
        let mut insert = self.connection.prepare_cached(insert).map_err(failed)?;
        let (group, number) = (group.cast_signed(), number.cast_signed());
        insert.execute(params![group, number, record]).map_err(failed)?;
        Ok(())
    }

    /// Hands over a group's records, in order.
    pub fn each(&self, group: u64, mut take: impl FnMut(&[u8])) -> Result<(), StoreError> {
        let select = "SELECT record FROM records WHERE grouped = ?1 ORDER BY number";
        let mut select = self.connection.prepare_cached(select).map_err(failed)?;
        let mut rows = select.query([group.cast_signed()]).map_err(failed)?;
        while let Some(row) = rows.next().map_err(failed)? {
            take(row.get_ref(0).and_then(|value| Ok(value.as_blob()?)).map_err(failed)?);
        }
        Ok(())
    }
}

fn failed(error: rusqlite::Error) -> StoreError {
    StoreError::Sqlite { path: PathBuf::from("the temporary file of this command"), error }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_come_back_in_order_and_apart() {
        let spool = Spool::new().expect("a temporary file");
        for number in 0..1000 {
            spool.put(number % 3, number, &number.to_le_bytes()).expect("written");
        }
        let mut found = Vec::new();
        let mut take = |bytes: &[u8]| found.push(bytes[0] as u64 + 256 * bytes[1] as u64);
        spool.each(1, &mut take).expect("read");
        spool.each(7, &mut take).expect("nothing there");
        assert_eq!(found, (0..1000).filter(|n| n % 3 == 1).collect::<Vec<u64>>());
    }
}
