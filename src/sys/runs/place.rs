//! Where directories of runs lie, and what they are called.

use std::fs::DirBuilder;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _};
use std::path::{Path, PathBuf};

use super::super::install::{self, InstallError};
use super::super::processes::SessionProcess;

/// A directory for directories of runs, and how their names begin.
#[derive(Debug)]
pub(super) struct Place {
    pub parent: PathBuf,
    pub prefix: String,
}

/// The user's data if it is ours to write, then temporary files.
pub(super) fn places(data: Option<&Path>) -> impl Iterator<Item = Place> {
    let data = data.map(|data| Place { parent: data.join("runs"), prefix: String::new() });
    let temporary = Place { parent: std::env::temp_dir(), prefix: "embargo-run-".to_owned() };
    data.into_iter().filter(|p| is_ours_to_write(&p.parent)).chain([temporary])
}

/// Is the nearest directory that is there ours? Root leaves nothing in another's home.
pub(super) fn is_ours_to_write(path: &Path) -> bool {
    let found = path.ancestors().find_map(|directory| directory.metadata().ok());
    found.is_some_and(|directory| directory.uid() == rustix::process::geteuid().as_raw())
}

impl Place {
    /// Makes the directory of this process: nobody had it before. A process that became
    /// the next `embargo run` makes a second one.
    pub fn make(&self) -> Result<PathBuf, InstallError> {
        let Place { parent, prefix } = self;
        if parent.as_os_str().as_bytes().contains(&b':') || !parent.is_absolute() {
            return Err(InstallError::NotForPath(parent.clone()));
        }
        install::make(parent, 0o700)?;
        let start = SessionProcess::current().map_or(0, |process| process.start);
        let name = format!("{prefix}{}-{start}", std::process::id());
        let names = std::iter::once(name.clone()).chain((1..).map(|n: u32| format!("{name}-{n}")));
        for path in names.map(|name| parent.join(name)) {
            match DirBuilder::new().mode(0o700).create(&path) {
                Ok(()) => return Ok(path),
                Err(e) if e.kind() == io::ErrorKind::AlreadyExists => {}
                Err(e) => return Err(InstallError::Io(path, e)),
            }
        }
        Err(InstallError::NotForPath(parent.clone()))
    }

    /// Has the process that a directory is named after ended? `None`: it is no such name.
    pub fn has_ended(&self, name: &str) -> Option<bool> {
        let mut parts = name.strip_prefix(&self.prefix)?.split('-');
        let pid: u32 = parts.next()?.parse().ok()?;
        let start: u64 = parts.next()?.parse().ok()?;
        Some(SessionProcess::of(pid).is_none_or(|process| process.start != start))
    }
}
