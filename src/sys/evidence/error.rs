//! Why something could not be recorded or read.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use rusqlite::ffi::{self, ErrorCode};

/// None of these changes a verdict.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EvidenceError {
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

impl EvidenceError {
    /// What the system said about a path of the store.
    pub(super) fn io(path: &Path, error: &io::Error) -> Self {
        let path = path.to_owned();
        match error.raw_os_error() {
            Some(libc::ENOSPC | libc::EDQUOT) => EvidenceError::Full,
            Some(libc::EROFS | libc::EACCES | libc::EPERM) => EvidenceError::ReadOnly(path),
            Some(libc::ELOOP) => EvidenceError::Link(path),
            Some(libc::EISDIR | libc::ENOTDIR | libc::ENXIO | libc::EEXIST) => {
                EvidenceError::NotAFile(path)
            }
            _ => EvidenceError::Other(format!("`{}`: {error}", path.display())),
        }
    }

    /// What SQLite said about the database at `path`.
    pub(super) fn sqlite(path: &Path, error: &rusqlite::Error) -> Self {
        let extended = error.sqlite_extended_error_code().unwrap_or_default();
        match error.sqlite_error_code() {
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => EvidenceError::Locked,
            Some(ErrorCode::DiskFull) => EvidenceError::Full,
            Some(ErrorCode::ReadOnly) if extended == ffi::SQLITE_READONLY_ROLLBACK => {
                EvidenceError::Unfinished
            }
            Some(ErrorCode::ReadOnly | ErrorCode::PermissionDenied) => {
                EvidenceError::ReadOnly(path.to_owned())
            }
            Some(ErrorCode::CannotOpen) if extended == ffi::SQLITE_CANTOPEN_SYMLINK => {
                EvidenceError::Link(path.to_owned())
            }
            Some(ErrorCode::CannotOpen) => EvidenceError::ReadOnly(path.to_owned()),
            Some(ErrorCode::OutOfMemory | ErrorCode::SystemIoFailure | ErrorCode::TooBig) => {
                EvidenceError::Other(format!("`{}`: {error} ({extended})", path.display()))
            }
            _ => EvidenceError::Damaged(error.to_string()),
        }
    }
}

impl fmt::Display for EvidenceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            EvidenceError::Locked => f.write_str("the evidence store is held by others"),
            EvidenceError::Full => f.write_str("no space is left for evidence"),
            EvidenceError::ReadOnly(p) => write!(f, "`{}` cannot be written", p.display()),
            EvidenceError::NotOurs(p) => write!(f, "`{}` belongs to another user", p.display()),
            EvidenceError::Link(p) => write!(f, "`{}` is a link", p.display()),
            EvidenceError::NotAFile(p) => write!(f, "`{}` is not what it should be", p.display()),
            EvidenceError::Damaged(what) => write!(f, "the evidence store is damaged: {what}"),
            EvidenceError::Newer { found, known } => {
                write!(
                    f,
                    "a newer embargo wrote the evidence store: schema {found}, and {known} is known here"
                )
            }
            EvidenceError::Unfinished => f.write_str("an unfinished write of evidence waits"),
            EvidenceError::Other(what) => f.write_str(what),
        }
    }
}

impl std::error::Error for EvidenceError {}
