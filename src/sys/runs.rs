//! The shim directory of one `embargo run`: private, filled before the command
//! begins, kept while anything may still look for programs in it.

use std::ffi::{OsStr, OsString};
use std::fs::DirBuilder;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _, symlink};
use std::path::{Path, PathBuf};
use std::time::Duration;

use bstr::ByteSlice;

use super::executed::Executed;
use super::home::{HomeRecord, RECORD};
use super::install::{self, InstallError};
use super::processes::SessionProcess;

/// Marks the directory of a run: `embargo env` leaves those in front of its own.
pub const RUN: &str = ".embargo-run";

/// Without a word from the system, what is older is nobody's any more.
const WEEK: Duration = Duration::from_secs(7 * 24 * 60 * 60);

/// Where directories of runs lie, and how their names begin.
#[derive(Debug)]
struct Place {
    parent: PathBuf,
    prefix: String,
}

/// Makes the directory of this run: below `data` if that is ours to write, else among
/// temporary files. The error is the last place's.
pub fn make(data: Option<&Path>) -> Result<PathBuf, InstallError> {
    let us = SessionProcess::current();
    let start = us.map_or(0, |process| process.start);
    let mut error = None;
    for place in places(data) {
        sweep(&place);
        let name = format!("{}{}-{start}", place.prefix, std::process::id());
        match make_in(&place.parent, &name) {
            Ok(path) => return Ok(path),
            Err(e) => error = Some(e),
        }
    }
    let nowhere = || InstallError::Io(PathBuf::from("/tmp"), io::ErrorKind::NotFound.into());
    Err(error.unwrap_or_else(nowhere))
}

/// Puts the record and one link a name into the directory. `sh` starts nothing of it
/// before it is complete: it is not on PATH yet.
pub fn fill(
    directory: &Path,
    record: &HomeRecord,
    names: impl IntoIterator<Item = String>,
    us: &Executed,
) -> Result<(), InstallError> {
    install::write(&directory.join(RECORD), &record.to_bytes())?;
    install::write(&directory.join(RUN), b"")?;
    for name in names.into_iter().filter(|name| install::is_shim_name(OsStr::new(name))) {
        let link = directory.join(name);
        symlink(&us.path, &link).map_err(|e| InstallError::Io(link, e))?;
    }
    Ok(())
}

/// A directory below the run's own when the wanted one cannot be had.
pub fn private(
    wanted: Option<&Path>,
    directory: &Path,
    name: &str,
) -> Result<PathBuf, InstallError> {
    match wanted {
        Some(wanted) if is_ours_to_write(wanted) && install::make(wanted, 0o700).is_ok() => {
            Ok(wanted.to_owned())
        }
        _ => {
            let own = directory.join(name);
            install::make(&own, 0o700).map(|()| own)
        }
    }
}

/// Is this the directory of a run?
pub fn is_run(directory: &Path) -> bool {
    directory.join(RUN).is_file()
}

/// Removes a run's directory that never came to be used.
pub fn remove(directory: &Path) {
    let _ = std::fs::remove_dir_all(directory);
}

fn places(data: Option<&Path>) -> impl Iterator<Item = Place> {
    let data = data.map(|data| Place { parent: data.join("runs"), prefix: String::new() });
    let temporary = Place { parent: std::env::temp_dir(), prefix: "embargo-run-".to_owned() };
    data.into_iter().filter(|p| is_ours_to_write(&p.parent)).chain([temporary])
}

/// PATH must be able to hold it. A process that became the next `embargo run` has the
/// same name once more.
fn make_in(parent: &Path, name: &str) -> Result<PathBuf, InstallError> {
    if parent.as_os_str().as_bytes().contains(&b':') || !parent.is_absolute() {
        return Err(InstallError::NotForPath(parent.to_owned()));
    }
    install::make(parent, 0o700)?;
    let mut again = 0;
    loop {
        let path = match again {
            0 => parent.join(name),
            n => parent.join(format!("{name}-{n}")),
        };
        match DirBuilder::new().mode(0o700).create(&path) {
            Ok(()) => return Ok(path),
            Err(e) if e.kind() == io::ErrorKind::AlreadyExists => again += 1,
            Err(e) => return Err(InstallError::Io(path, e)),
        }
    }
}

/// Is the nearest directory that is there ours? Root leaves nothing in another's home.
fn is_ours_to_write(path: &Path) -> bool {
    let found = path.ancestors().find_map(|dir| dir.metadata().ok());
    found.is_some_and(|dir| dir.uid() == rustix::process::geteuid().as_raw())
}

/// Removes directories of runs that have ended, unless a process still has one on its PATH.
fn sweep(place: &Place) {
    let Ok(entries) = std::fs::read_dir(&place.parent) else { return };
    let ended: Vec<PathBuf> = entries
        .filter_map(Result::ok)
        .filter(|entry| has_ended(&entry.file_name(), &place.prefix).unwrap_or(false))
        .map(|entry| entry.path())
        .filter(|path| is_run(path) && is_ours_to_write(path))
        .collect();
    if ended.is_empty() {
        return;
    }
    let in_use = environments();
    for path in ended {
        let is_free = match &in_use {
            Some(environments) => {
                !environments.iter().any(|e| e.contains_str(path.as_os_str().as_bytes()))
            }
            None => path
                .metadata()
                .and_then(|m| m.modified())
                .is_ok_and(|at| at.elapsed().is_ok_and(|age| age > WEEK)),
        };
        if is_free {
            remove(&path);
        }
    }
}

/// Has the process that this directory is named after ended? `None`: it is no such name.
fn has_ended(name: &OsString, prefix: &str) -> Option<bool> {
    let mut parts = name.to_str()?.strip_prefix(prefix)?.split('-');
    let pid: u32 = parts.next()?.parse().ok()?;
    let start: u64 = parts.next()?.parse().ok()?;
    Some(SessionProcess::of(pid).is_none_or(|process| process.start != start))
}

/// The environments that running processes began with, where the system shows them.
fn environments() -> Option<Vec<Vec<u8>>> {
    let processes = std::fs::read_dir("/proc").ok()?;
    let environments: Vec<Vec<u8>> = processes
        .filter_map(Result::ok)
        .filter_map(|process| std::fs::read(process.path().join("environ")).ok())
        .collect();
    (!environments.is_empty()).then_some(environments)
}
