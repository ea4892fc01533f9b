//! Shim directories: a home record, and for each shimmed name one link to us.
//! Every change is made under a lock on the directory and put in place by rename.

use std::ffi::{OsStr, OsString};
use std::fs::{DirBuilder, File, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _, symlink};
use std::path::{Path, PathBuf};

use super::executed::{Executed, identity};
use super::home::{HomeRecord, RECORD};
use super::program;

/// A shim directory that nobody else changes meanwhile.
#[derive(Debug)]
pub struct ShimDirectory {
    path: PathBuf,
    us: Executed,
    /// Held until the end.
    _lock: File,
}

/// What became of a link.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Change {
    Made,
    /// It led to another binary of ours.
    Renewed,
    Kept,
    Removed,
    /// There was none to remove.
    Absent,
}

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

impl ShimDirectory {
    /// Opens the directory for changes, made with this mode where it is not there.
    pub fn open(path: &Path, mode: u32) -> Result<Self, InstallError> {
        if path.as_os_str().as_bytes().contains(&b':') || !path.is_absolute() {
            return Err(InstallError::NotForPath(path.to_owned()));
        }
        make(path, mode)?;
        let lock = File::open(path).and_then(|file| file.lock().map(|()| file));
        let lock = lock.map_err(|e| at(path, e))?;
        Ok(ShimDirectory { path: path.to_owned(), us: ourselves()?, _lock: lock })
    }

    /// Writes the record, and makes the state directory it names. A record that is there
    /// keeps its places and its policies; new policies are added to it.
    pub fn record(&self, wanted: &HomeRecord) -> Result<(), InstallError> {
        let found = HomeRecord::read(&self.path).ok().flatten();
        let mut record = wanted.clone();
        if let Some(found) = &found {
            let pairs = [(&found.config, &wanted.config), (&found.state, &wanted.state)];
            if let Some((recorded, now)) = pairs.into_iter().find(|(a, b)| a != b) {
                return Err(InstallError::OtherHome {
                    directory: self.path.clone(),
                    recorded: recorded.clone(),
                    now: now.clone(),
                });
            }
            record = found.clone();
            let more = wanted.policies.iter().filter(|p| !found.policies.contains(p)).cloned();
            record.policies.extend(more);
        }
        make(&record.state, 0o700)?;
        if found.as_ref() != Some(&record) {
            write(&self.path.join(RECORD), &record.to_bytes())?;
        }
        Ok(())
    }

    /// Makes a shim of this name, unless a file of somebody else is there.
    pub fn link(&self, name: &OsStr) -> Result<Change, InstallError> {
        let file = self.file(name)?;
        let change = match std::fs::read_link(&file) {
            Ok(target) if target == self.us.path => return Ok(Change::Kept),
            Ok(_) if is_ours(&file, &self.us) => Change::Renewed,
            Err(e) if e.kind() == io::ErrorKind::NotFound => Change::Made,
            _ => return Err(InstallError::Foreign(file)),
        };
        let mut beside = OsString::from(format!(".new-{}-", std::process::id()));
        beside.push(name);
        let beside = self.path.join(beside);
        let made = symlink(&self.us.path, &beside).and_then(|()| std::fs::rename(&beside, &file));
        if made.is_err() {
            let _ = std::fs::remove_file(&beside);
        }
        made.map(|()| change).map_err(|e| at(&file, e))
    }

    /// Removes the shim of this name; what is not ours stays.
    pub fn unlink(&self, name: &OsStr) -> Result<Change, InstallError> {
        let file = self.file(name)?;
        match std::fs::symlink_metadata(&file) {
            Err(e) if e.kind() == io::ErrorKind::NotFound => Ok(Change::Absent),
            Ok(_) if is_ours(&file, &self.us) => match std::fs::remove_file(&file) {
                Ok(()) => Ok(Change::Removed),
                Err(e) => Err(at(&file, e)),
            },
            Ok(_) => Err(InstallError::Foreign(file)),
            Err(e) => Err(at(&file, e)),
        }
    }

    /// Removes the record, and the directory when nothing is left in it.
    pub fn close(self) -> Result<(), InstallError> {
        let record = self.path.join(RECORD);
        match std::fs::remove_file(&record) {
            Err(e) if e.kind() != io::ErrorKind::NotFound => return Err(at(&record, e)),
            _ => {}
        }
        // Somebody else's files keep it.
        let _ = std::fs::remove_dir(&self.path);
        Ok(())
    }

    fn file(&self, name: &OsStr) -> Result<PathBuf, InstallError> {
        if is_shim_name(name) {
            Ok(self.path.join(name))
        } else {
            Err(InstallError::NotAName(name.to_owned()))
        }
    }
}

/// May a shim be called so? No path, nothing hidden, and no name that has the face of
/// the command line.
pub fn is_shim_name(name: &OsStr) -> bool {
    let name = name.as_bytes();
    let is_ours = name == b"embargo" || name.starts_with(b"embargo-");
    !(name.is_empty() || name.starts_with(b".") || name.contains(&b'/') || is_ours)
}

/// Names of our shims in a directory, sorted; none where it is not there.
pub fn shims(directory: &Path) -> Result<Vec<OsString>, InstallError> {
    let us = ourselves()?;
    let entries = match std::fs::read_dir(directory) {
        Ok(entries) => entries,
        Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(e) => return Err(at(directory, e)),
    };
    let mut names: Vec<OsString> = entries
        .filter_map(Result::ok)
        .filter(|e| is_shim_name(&e.file_name()) && is_ours(&e.path(), &us))
        .map(|e| e.file_name())
        .collect();
    names.sort();
    Ok(names)
}

/// Our own binary, links followed: what shims lead to.
pub fn ourselves() -> Result<Executed, InstallError> {
    let path = std::env::current_exe().map_err(|e| at(Path::new("/proc/self/exe"), e))?;
    // The kernel's note on a file that has been replaced since.
    let path = match path.as_os_str().as_bytes().strip_suffix(b" (deleted)") {
        Some(replaced) if !path.exists() => PathBuf::from(OsStr::from_bytes(replaced)),
        _ => path,
    };
    match identity(&path) {
        Some(identity) => Ok(Executed { path, identity: Some(identity) }),
        None => Err(InstallError::NoExecutable(path)),
    }
}

/// A link to us, to another version of us, or to where we once were.
fn is_ours(link: &Path, us: &Executed) -> bool {
    let Ok(target) = std::fs::read_link(link) else { return false };
    match identity(link) {
        Some(found) => us.identity == Some(found) || program::is_embargo(link),
        None => target.file_name() == Some(OsStr::new("embargo")),
    }
}

/// Makes a directory and those above it; one that is there stays as it is.
pub fn make(path: &Path, mode: u32) -> Result<(), InstallError> {
    DirBuilder::new().recursive(true).mode(mode).create(path).map_err(|e| at(path, e))
}

/// Writes beside and renames in: a reader has the old file or the new one, whole.
pub fn write(file: &Path, bytes: &[u8]) -> Result<(), InstallError> {
    let mut beside = file.as_os_str().to_owned();
    beside.push(format!(".new-{}", std::process::id()));
    let beside = PathBuf::from(beside);
    let written = OpenOptions::new()
        .write(true)
        .create(true)
        .truncate(true)
        .mode(0o644)
        .open(&beside)
        .and_then(|mut f| f.write_all(bytes))
        .and_then(|()| std::fs::rename(&beside, file));
    if written.is_err() {
        let _ = std::fs::remove_file(&beside);
    }
    written.map_err(|e| at(file, e))
}

fn at(path: &Path, error: io::Error) -> InstallError {
    InstallError::Io(path.to_owned(), error)
}
