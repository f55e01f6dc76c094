//! What can be wrong with a store.

use std::path::PathBuf;

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
