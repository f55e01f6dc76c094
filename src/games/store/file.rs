//! The file of a store: how it is made, and how it is told from others.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rusqlite::{Connection, ErrorCode, TransactionBehavior};

/// Marks a SQLite file as a store: "StDn".
const APPLICATION: i64 = 0x5374_446e;

/// Of the tables and of what is in their blobs.
const VERSION: i64 = 1;

/// How long another process may hold the file.
const PATIENCE: Duration = Duration::from_secs(60);

/// `moves` and `lines` are told of in `encoding`. Fingerprints and digests are 64 bits, which SQLite
/// shows as signed numbers.
const TABLES: &str = "
    CREATE TABLE assessors (fingerprint INTEGER PRIMARY KEY, identity TEXT NOT NULL);
    CREATE TABLE deposits (
        position BLOB NOT NULL,
        history INTEGER NOT NULL,
        assessor INTEGER NOT NULL,
        depth INTEGER NOT NULL,
        moves BLOB NOT NULL,
        lines BLOB NOT NULL,
        UNIQUE (position, history, assessor, depth)
    );";

/// What an error of SQLite says of the file at this path.
fn failed(path: &Path) -> impl Fn(rusqlite::Error) -> StoreError + Copy + '_ {
    move |error| match error.sqlite_error_code() {
        Some(ErrorCode::NotADatabase) => StoreError::Foreign(path.to_owned()),
        _ => StoreError::Sqlite { path: path.to_owned(), error },
    }
}

pub(super) fn open(path: &Path) -> Result<Connection, StoreError> {
    let failed = failed(path);
    let mut connection = Connection::open(path).map_err(failed)?;
    connection.busy_timeout(PATIENCE).map_err(failed)?;
    // What the header and the tables say is read at one moment, lest another process that makes the
    // store be seen half-way.
    let moment = connection.transaction().map_err(failed)?;
    let is_made = is_store(&moment, path)?;
    moment.finish().map_err(failed)?;
    if !is_made {
        // Readers then never wait for a writer, nor he for them.
        share(&connection).map_err(failed)?;
        let making = TransactionBehavior::Immediate;
        let bulk = connection.transaction_with_behavior(making).map_err(failed)?;
        // Another process may have been quicker.
        if !is_store(&bulk, path)? {
            bulk.execute_batch(TABLES).map_err(failed)?;
            bulk.pragma_update(None, "application_id", APPLICATION).map_err(failed)?;
            bulk.pragma_update(None, "user_version", VERSION).map_err(failed)?;
        }
        bulk.commit().map_err(failed)?;
    }
    // A crash of the system may cost the last bulks, never the file.
    connection.pragma_update(None, "synchronous", "NORMAL").map_err(failed)?;
    Ok(connection)
}

/// Is there a store in the file, as far as its header tells, or nothing at all?
fn is_store(connection: &Connection, path: &Path) -> Result<bool, StoreError> {
    let failed = failed(path);
    let number = |text: &str| connection.query_row(text, [], |row| row.get::<_, i64>(0));
    let application = number("PRAGMA application_id").map_err(failed)?;
    let version = number("PRAGMA user_version").map_err(failed)?;
    let tables = number("SELECT count(*) FROM sqlite_schema").map_err(failed)?;
    match (application, version, tables) {
        (0, 0, 0) => Ok(false),
        (APPLICATION, VERSION, _) => Ok(true),
        (APPLICATION, found, _) => {
            Err(StoreError::Version { path: path.to_owned(), found, known: VERSION })
        }
        _ => Err(StoreError::Foreign(path.to_owned())),
    }
}

/// Has changes written beside the file first. SQLite does not wait by itself for another process
/// that is about to do the same.
fn share(connection: &Connection) -> rusqlite::Result<()> {
    let deadline = Instant::now() + PATIENCE;
    loop {
        let result =
            connection.query_row("PRAGMA journal_mode = WAL", [], |row| row.get::<_, String>(0));
        match result {
            Err(error)
                if error.sqlite_error_code() == Some(ErrorCode::DatabaseBusy)
                    && Instant::now() < deadline =>
            {
                std::thread::sleep(Duration::from_millis(10));
            }
            other => return other.map(|_| ()),
        }
    }
}

#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    #[error("{path}: {error}", path = path.display())]
    Sqlite { path: PathBuf, error: rusqlite::Error },
    #[error("{path} is no store of evaluations, and is left as it is; name another file", path = .0.display())]
    Foreign(PathBuf),
    #[error(
        "{path} is a store of version {found}, and this program knows version {known}; the file is \
         left as it is, name another one",
        path = path.display()
    )]
    Version { path: PathBuf, found: i64, known: i64 },
    #[error("there is no store {}", .0.display())]
    Missing(PathBuf),
    #[error("{path}: the deposit of {what} cannot be read: the file is damaged; move it away, or name another", path = path.display())]
    Damaged { path: PathBuf, what: String },
}
