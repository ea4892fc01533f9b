//! Files of a shim directory: which are ours, and how they are written.

use std::ffi::{OsStr, OsString};
use std::fs::{DirBuilder, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

use super::InstallError;
use crate::command;
use crate::sys::executed::{Executed, identity};
use crate::sys::program;

/// May a shim be called so?
pub fn is_shim_name(name: &OsStr) -> bool {
    command::is_shim_name(name.as_bytes())
}

/// Names of our shims in a directory, sorted, those that lead nowhere included; none where it is not there.
pub fn shims(directory: &Path) -> Result<Vec<OsString>, InstallError> {
    let us = ourselves()?;
    let entries = match std::fs::read_dir(directory) {
        Ok(entries) => entries,
        Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(e) => return Err(InstallError::at(directory, e)),
    };
    let mut names: Vec<OsString> = entries
        .filter_map(Result::ok)
        .filter(|e| is_shim_name(&e.file_name()) && is_ours(&e.path(), &us))
        .map(|e| e.file_name())
        .collect();
    names.sort();
    Ok(names)
}

/// Does a shim lead nowhere? Shells then find what is next on PATH, unguarded.
pub fn is_broken(shim: &Path) -> bool {
    identity(shim).is_none()
}

/// Our own binary, links followed.
pub fn ourselves() -> Result<Executed, InstallError> {
    let path =
        std::env::current_exe().map_err(|e| InstallError::at(Path::new("/proc/self/exe"), e))?;
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

/// What a shim is to lead to: our binary where it stands on PATH itself, else the link there that
/// leads to it. Behind that an installer puts the next version, and the shims stay.
pub fn lasting(us: &Executed) -> PathBuf {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let on_path: Vec<PathBuf> = std::env::split_paths(&path)
        .filter(|directory| directory.is_absolute())
        .map(|directory| directory.join("embargo"))
        .filter(|file| identity(file) == us.identity && is_root_or_mine(file))
        .collect();
    match on_path.first() {
        Some(link) if !on_path.contains(&us.path) => link.clone(),
        _ => us.path.clone(),
    }
}

/// Else whoever owns the link, or its directory, could put something else behind root's shims.
fn is_root_or_mine(file: &Path) -> bool {
    let me = rustix::process::geteuid().as_raw();
    let owner = |path: &Path| path.symlink_metadata().map(|found| found.uid());
    let is_trusted = |path: &Path| owner(path).is_ok_and(|owner| [0, me].contains(&owner));
    is_trusted(file) && file.parent().is_some_and(is_trusted)
}

/// A link to us, to another version of us, or to where we once were.
pub(super) fn is_ours(link: &Path, us: &Executed) -> bool {
    let Ok(target) = std::fs::read_link(link) else { return false };
    match identity(link) {
        Some(found) => us.identity == Some(found) || program::is_embargo(link),
        None => target.file_name().is_some_and(|name| command::is_own_name(name.as_bytes())),
    }
}

/// Makes a directory and those above it; one that is there stays as it is.
pub fn make(path: &Path, mode: u32) -> Result<(), InstallError> {
    DirBuilder::new().recursive(true).mode(mode).create(path).map_err(|e| InstallError::at(path, e))
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
    written.map_err(|e| InstallError::at(file, e))
}
