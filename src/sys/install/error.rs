//! Why shims cannot be made. [`crate::render::installing`] says it.

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};

/// Why a shim directory cannot be changed.
#[derive(Debug)]
pub enum InstallError {
    /// No file of a shim directory may be called so.
    NotAName(OsString),
    /// Something that is not ours has the name.
    Foreign(PathBuf),
    /// The record there is of other places: a variable must not move them.
    OtherHome {
        directory: PathBuf,
        recorded: PathBuf,
        now: PathBuf,
    },
    /// Its path is relative or holds a colon.
    NotForPath(PathBuf),
    /// Our own binary is not where it was started from.
    NoExecutable(PathBuf),
    Io(PathBuf, io::Error),
}

impl InstallError {
    /// What the system said about a path.
    pub(super) fn at(path: &Path, error: io::Error) -> Self {
        InstallError::Io(path.to_owned(), error)
    }
}
