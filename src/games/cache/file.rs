//! Creates and opens the file of an evaluation cache.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rusqlite::{Connection, ErrorCode, TransactionBehavior};

/// The SQLite application ID that marks an evaluation cache: "StDn".
const APPLICATION: i64 = 0x5374_446e;

/// The version of the tables and of the encoding in their blobs.
const VERSION: i64 = 1;

/// The maximum time to wait for another process to release the file.
const PATIENCE: Duration = Duration::from_secs(60);

/// [`super::encoding`] describes `moves` and `lines`. Fingerprints and hashes have 64 bits, which
/// SQLite stores as signed numbers.
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

/// Converts an SQLite error and adds the path of the file.
fn failed(path: &Path) -> impl Fn(rusqlite::Error) -> CacheError + Copy + '_ {
    move |error| match error.sqlite_error_code() {
        Some(ErrorCode::NotADatabase) => CacheError::Foreign(path.to_owned()),
        _ => CacheError::Sqlite { path: path.to_owned(), error },
    }
}

/// The name under which SQLite opens a file. SQLite gives a meaning to names such as `:memory:` and `file:x?mode=ro`,
/// but not to paths that start with a folder.
pub(super) fn sqlite_name(path: &Path) -> PathBuf {
    Path::new(".").join(path)
}

pub(super) fn open(path: &Path) -> Result<Connection, CacheError> {
    let failed = failed(path);
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    if let Some(folder) = folder.filter(|folder| !folder.exists()) {
        return Err(CacheError::NoFolder { path: path.to_owned(), folder: folder.to_owned() });
    }
    let mut connection = Connection::open(sqlite_name(path)).map_err(failed)?;
    connection.busy_timeout(PATIENCE).map_err(failed)?;
    // The header and the tables are read in one transaction, because another process may be
    // creating them.
    let snapshot = connection.transaction().map_err(failed)?;
    let exists = is_cache(&snapshot, path)?;
    snapshot.finish().map_err(failed)?;
    if !exists {
        enable_wal(&connection).map_err(failed)?;
        let creation =
            connection.transaction_with_behavior(TransactionBehavior::Immediate).map_err(failed)?;
        // Another process may have created the tables in the meantime.
        if !is_cache(&creation, path)? {
            creation.execute_batch(TABLES).map_err(failed)?;
            creation.pragma_update(None, "application_id", APPLICATION).map_err(failed)?;
            creation.pragma_update(None, "user_version", VERSION).map_err(failed)?;
        }
        creation.commit().map_err(failed)?;
    }
    // If the system crashes, the last transactions may be lost, but the file remains intact.
    connection.pragma_update(None, "synchronous", "NORMAL").map_err(failed)?;
    Ok(connection)
}

/// Returns true for an evaluation cache, false for an empty file, and an error for anything else.
fn is_cache(connection: &Connection, path: &Path) -> Result<bool, CacheError> {
    let failed = failed(path);
    let number = |text: &str| connection.query_row(text, [], |row| row.get::<_, i64>(0));
    let application = number("PRAGMA application_id").map_err(failed)?;
    let version = number("PRAGMA user_version").map_err(failed)?;
    let tables = number("SELECT count(*) FROM sqlite_schema").map_err(failed)?;
    match (application, version, tables) {
        (0, 0, 0) => Ok(false),
        (APPLICATION, VERSION, _) => Ok(true),
        (APPLICATION, found, _) => {
            Err(CacheError::Version { path: path.to_owned(), found, known: VERSION })
        }
        _ => Err(CacheError::Foreign(path.to_owned())),
    }
}

/// Switches to write-ahead logging, so that readers and a writer do not wait for each other.
/// Retries if another process is doing the same, because SQLite does not retry this by itself.
fn enable_wal(connection: &Connection) -> rusqlite::Result<()> {
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

/// Why an evaluation cache cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum CacheError {
    /// SQLite reports an error.
    #[error("{path}: {error}", path = path.display())]
    Sqlite {
        /// The file of the cache.
        path: PathBuf,
        /// The error.
        error: rusqlite::Error,
    },
    /// The folder of the file does not exist.
    #[error(
        "{path}: the folder {folder} does not exist; create it, or choose another file",
        path = path.display(),
        folder = folder.display()
    )]
    NoFolder {
        /// The file of the cache.
        path: PathBuf,
        /// Its folder.
        folder: PathBuf,
    },
    /// The file belongs to another program. Contains its path.
    #[error("{path} is not an evaluation cache and was not changed; choose another file", path = .0.display())]
    Foreign(PathBuf),
    /// Another version of this program made the cache, in another format.
    #[error(
        "{path} is an evaluation cache of version {found}, but this program reads version {known}; \
         the file was not changed; choose another file",
        path = path.display()
    )]
    Version {
        /// The file of the cache.
        path: PathBuf,
        /// The version of the file's format.
        found: i64,
        /// The version of the format that this program reads.
        known: i64,
    },
    /// The file does not exist. Contains its path.
    #[error("the evaluation cache {} does not exist", .0.display())]
    Missing(PathBuf),
    /// The file is empty. Contains its path.
    #[error("{} is empty; to fill it, run another command with --store", .0.display())]
    Empty(PathBuf),
    /// SQLite cannot read the name. Contains the path.
    #[error("the name of {} is not valid UTF-8; rename the file", .0.display())]
    Name(PathBuf),
    /// An evaluation in the file is corrupt.
    #[error("{path}: the evaluation of {what} cannot be read because the file is corrupt; move the file elsewhere, or choose another one", path = path.display())]
    Damaged {
        /// The file of the cache.
        path: PathBuf,
        /// The position: its FEN, or its bytes if they cannot be decoded.
        what: String,
    },
}
