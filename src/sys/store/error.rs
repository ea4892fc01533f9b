//! Why a store could not be written or read.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use rusqlite::ffi::{self, ErrorCode};

/// None of these changes a verdict.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StoreError {
    /// Others held the store for longer than we wait.
    Locked,
    /// No space left.
    Full,
    /// The directory or a file in it cannot be written.
    ReadOnly(PathBuf),
    /// Belongs to another user: we leave nothing of ours there.
    NotOurs(PathBuf),
    /// A link where a file of ours should be.
    Link(PathBuf),
    /// Something else than a file (or than a directory) is there.
    NotAFile(PathBuf),
    /// Not a database, or one that is not what we wrote.
    Damaged(String),
    /// Written by a newer embargo: its schema, and the newest known here.
    Newer {
        found: i64,
        known: usize,
    },
    /// A write was cut off, and this process may not mend it.
    Unfinished,
    Other(String),
}

impl StoreError {
    /// What the system said about a path of the store.
    pub fn io(path: &Path, error: &io::Error) -> Self {
        let path = path.to_owned();
        match error.raw_os_error() {
            Some(libc::ENOSPC | libc::EDQUOT) => StoreError::Full,
            Some(libc::EROFS | libc::EACCES | libc::EPERM) => StoreError::ReadOnly(path),
            Some(libc::ELOOP) => StoreError::Link(path),
            Some(libc::EISDIR | libc::ENOTDIR | libc::ENXIO | libc::EEXIST) => {
                StoreError::NotAFile(path)
            }
            _ => StoreError::Other(format!("`{}`: {error}", path.display())),
        }
    }

    /// What SQLite said about the database at `path`.
    pub fn sqlite(path: &Path, error: &rusqlite::Error) -> Self {
        let extended = error.sqlite_extended_error_code().unwrap_or_default();
        match error.sqlite_error_code() {
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => StoreError::Locked,
            Some(ErrorCode::DiskFull) => StoreError::Full,
            Some(ErrorCode::ReadOnly) if extended == ffi::SQLITE_READONLY_ROLLBACK => {
                StoreError::Unfinished
            }
            Some(ErrorCode::ReadOnly | ErrorCode::PermissionDenied) => {
                StoreError::ReadOnly(path.to_owned())
            }
            Some(ErrorCode::CannotOpen) if extended == ffi::SQLITE_CANTOPEN_SYMLINK => {
                StoreError::Link(path.to_owned())
            }
            Some(ErrorCode::CannotOpen) => StoreError::ReadOnly(path.to_owned()),
            Some(ErrorCode::OutOfMemory | ErrorCode::SystemIoFailure | ErrorCode::TooBig) => {
                StoreError::Other(format!("`{}`: {error} ({extended})", path.display()))
            }
            _ => StoreError::Damaged(error.to_string()),
        }
    }
}

impl StoreError {
    /// In words, for a store that is called so: `evidence store`, `ledger`.
    pub fn of(&self, store: &str) -> String {
        match self {
            StoreError::Locked => format!("the {store} is held by others"),
            StoreError::Full => format!("no space is left for the {store}"),
            StoreError::ReadOnly(p) => format!("`{}` cannot be written", p.display()),
            StoreError::NotOurs(p) => format!("`{}` belongs to another user", p.display()),
            StoreError::Link(p) => format!("`{}` is a link", p.display()),
            StoreError::NotAFile(p) => format!("`{}` is not what it should be", p.display()),
            StoreError::Damaged(what) => format!("the {store} is damaged: {what}"),
            StoreError::Newer { found, known } => format!(
                "a newer embargo wrote the {store}: schema {found}, and {known} is known here"
            ),
            StoreError::Unfinished => format!("an unfinished write of the {store} waits"),
            StoreError::Other(what) => what.clone(),
        }
    }
}

impl fmt::Display for StoreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.of("evidence store"))
    }
}

impl std::error::Error for StoreError {}
