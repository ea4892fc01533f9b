//! Shim directories: a home record, a list of who wants what, and for each shimmed name one link to us.
//! Every change is made under a lock on the directory and put in place by rename.

mod error;
mod files;
mod marks;

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use super::executed::{Executed, identity};
use super::home::{HomeRecord, RECORD};
use super::sources;

pub use error::InstallError;
pub use files::{is_broken, is_shim_name, lasting, make, ourselves, shims, write};
pub use marks::{MARKS, Mark, Marks};

use files::is_ours;

/// A shim directory that nobody else changes meanwhile.
#[derive(Debug)]
pub struct ShimDirectory {
    path: PathBuf,
    us: Executed,
    /// What its links lead to.
    target: PathBuf,
    /// Held until the end.
    _lock: File,
}

/// What became of a link.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Change {
    Made,
    /// It led to another binary of ours.
    Renewed,
    /// It led nowhere.
    Mended,
    Kept,
    Removed,
    /// There was none to remove.
    Absent,
}

/// Names that the policies of some project, or of the user, want in this directory, as its list
/// of marks has it.
pub fn wanted_by_policies(directory: &Path) -> Vec<OsString> {
    let text = sources::read_file(&directory.join(MARKS)).unwrap_or_default();
    let shims = shims(directory).unwrap_or_default();
    Marks::of(shims, &text).by_policies()
}

impl ShimDirectory {
    /// Opens the directory for changes, made with this mode where it is not there.
    pub fn open(path: &Path, mode: u32) -> Result<Self, InstallError> {
        if path.as_os_str().as_bytes().contains(&b':') || !path.is_absolute() {
            return Err(InstallError::NotForPath(path.to_owned()));
        }
        make(path, mode)?;
        let lock = File::open(path).and_then(|file| file.lock().map(|()| file));
        let lock = lock.map_err(|e| InstallError::at(path, e))?;
        let us = ourselves()?;
        Ok(ShimDirectory { path: path.to_owned(), target: lasting(&us), us, _lock: lock })
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

    /// Who wants the shims that are there. A list that is not there, or not understood,
    /// takes nothing from anybody.
    pub fn marks(&self) -> Result<Marks, InstallError> {
        let text = sources::read_file(&self.path.join(MARKS)).unwrap_or_default();
        Ok(Marks::of(shims(&self.path)?, &text))
    }

    /// Writes down who wants what, where that has changed.
    pub fn keep(&self, marks: &Marks) -> Result<(), InstallError> {
        let (file, text) = (self.path.join(MARKS), marks.to_bytes());
        match sources::read_file(&file) {
            Ok(found) if found == text => Ok(()),
            _ => write(&file, &text),
        }
    }

    /// Makes a shim of this name, unless a file of somebody else is there.
    pub fn link(&self, name: &OsStr) -> Result<Change, InstallError> {
        let file = self.file(name)?;
        let change = match std::fs::read_link(&file) {
            // Another way to us: who calls with another PATH changes nothing.
            Ok(_) if identity(&file) == self.us.identity => return Ok(Change::Kept),
            Ok(_) if is_ours(&file, &self.us) && is_broken(&file) => Change::Mended,
            Ok(_) if is_ours(&file, &self.us) => Change::Renewed,
            Err(e) if e.kind() == io::ErrorKind::NotFound => Change::Made,
            _ => return Err(InstallError::Foreign(file)),
        };
        let mut beside = OsString::from(format!(".new-{}-", std::process::id()));
        beside.push(name);
        let beside = self.path.join(beside);
        let made = symlink(&self.target, &beside).and_then(|()| std::fs::rename(&beside, &file));
        if made.is_err() {
            let _ = std::fs::remove_file(&beside);
        }
        made.map(|()| change).map_err(|e| InstallError::at(&file, e))
    }

    /// Removes the shim of this name; what is not ours stays.
    pub fn unlink(&self, name: &OsStr) -> Result<Change, InstallError> {
        let file = self.file(name)?;
        match std::fs::symlink_metadata(&file) {
            Err(e) if e.kind() == io::ErrorKind::NotFound => Ok(Change::Absent),
            Ok(_) if is_ours(&file, &self.us) => match std::fs::remove_file(&file) {
                Ok(()) => Ok(Change::Removed),
                Err(e) => Err(InstallError::at(&file, e)),
            },
            Ok(_) => Err(InstallError::Foreign(file)),
            Err(e) => Err(InstallError::at(&file, e)),
        }
    }

    /// Removes the record and the list, and the directory when nothing is left in it.
    pub fn close(self) -> Result<(), InstallError> {
        for file in [RECORD, MARKS].map(|name| self.path.join(name)) {
            match std::fs::remove_file(&file) {
                Err(e) if e.kind() != io::ErrorKind::NotFound => {
                    return Err(InstallError::at(&file, e));
                }
                _ => {}
            }
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
