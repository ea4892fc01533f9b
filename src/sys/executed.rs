//! What file did the kernel execute, and under what name? `exec -a` and a forged
//! argv\[0\] do not choose another face where the kernel tells.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

use bstr::BString;

use super::{program, raw};

/// The file that was executed.
#[derive(Debug, Clone)]
pub struct Executed {
    /// As it was named, perhaps relative to the working directory.
    pub path: PathBuf,
    /// Device and inode of our own binary, when they can be had.
    pub identity: Option<(u64, u64)>,
}

impl Executed {
    /// Asks the kernel; falls back to argv\[0\], which a script's `#!` line sets to our path.
    pub fn find(argv: &[BString]) -> Self {
        let named = raw::executed_path().map(|p| PathBuf::from(OsStr::from_bytes(p.to_bytes())));
        if let Some(path) = named.as_ref().filter(|path| is_called_by(path, argv))
            && let Some(found) = identity(path)
        {
            return Executed { path: path.clone(), identity: Some(found) };
        }
        let identity = own_identity();
        let by_kernel = named
            .filter(|p| !p.starts_with("/dev/fd") && !p.starts_with("/proc/self/fd"))
            .filter(|p| p.file_name().is_some_and(|n| !n.is_empty()))
            .filter(|p| identity.is_none_or(|us| leads_to(p, us)));
        let by_name = || {
            let name = OsString::from_vec(argv.first().cloned().unwrap_or_default().into());
            if name.as_bytes().contains(&b'/') {
                PathBuf::from(name)
            } else {
                on_path(&name, identity)
            }
        };
        Executed { path: by_kernel.unwrap_or_else(by_name), identity }
    }

    /// The name we were called by.
    pub fn name(&self) -> &OsStr {
        self.path.file_name().unwrap_or_default()
    }

    /// The directory of the executed file.
    pub fn directory(&self) -> &Path {
        match self.path.parent() {
            Some(parent) if !parent.as_os_str().is_empty() => parent,
            _ => Path::new("."),
        }
    }
}

/// Is the file that the kernel was told to execute the one that argv\[0\] names? Then it is us:
/// a script's `#!` line sets argv\[0\] to another. `/proc/self/exe` would tell of any, but makes
/// the kernel set up the process's directory there, a tenth of what a call may cost.
fn is_called_by(path: &Path, argv: &[BString]) -> bool {
    let Some(name) = argv.first().map(|name| OsStr::from_bytes(name)) else { return false };
    let is_path = name.as_bytes().contains(&b'/');
    // `#!gradle` in a file of that name: the file is the first argument, or the second.
    let is_script = || argv.iter().skip(1).take(2).any(|word| path.as_os_str().as_bytes() == word);
    path.as_os_str() == name || (!is_path && path.file_name() == Some(name) && !is_script())
}

/// A script runs us under its own path: then that file is not us. A link that leads to
/// another version of us, or nowhere, was ours when it was executed: we are being replaced.
fn leads_to(path: &Path, us: (u64, u64)) -> bool {
    match identity(path) {
        Some(found) => found == us || program::is_embargo(path),
        None => path.is_symlink(),
    }
}

fn own_identity() -> Option<(u64, u64)> {
    if cfg!(target_os = "linux") {
        return identity(Path::new("/proc/self/exe"));
    }
    identity(&std::env::current_exe().ok()?)
}

/// Device and inode behind a path, links followed.
pub fn identity(path: &Path) -> Option<(u64, u64)> {
    let stat = rustix::fs::stat(path).ok()?;
    Some((widen(stat.st_dev), stat.st_ino))
}

/// `dev_t` differs in width and sign from one system to the next.
pub(super) fn widen(device: impl TryInto<u64>) -> u64 {
    device.try_into().unwrap_or_default()
}

fn on_path(name: &OsStr, identity: Option<(u64, u64)>) -> PathBuf {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path)
        .map(|dir| dir.join(name))
        .find(|file| identity.is_some() && self::identity(file) == identity)
        .unwrap_or_else(|| PathBuf::from(name))
}
