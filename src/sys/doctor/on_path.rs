//! Directories of a PATH, as far as shims are concerned.

use std::ffi::{OsStr, OsString};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use crate::doctor::{Entry, Met, OnPath};
use crate::sys::executed::{Executed, identity};
use crate::sys::home::RECORD;
use crate::sys::{environment, program, runs};

/// A second embargo.
#[derive(Debug, PartialEq, Eq)]
pub enum Other {
    Binary(PathBuf),
    Shims(PathBuf),
}

/// The shims of the innermost `embargo run` around us.
pub fn run_directory() -> Option<PathBuf> {
    environment::path().find(|directory| directory.is_absolute() && runs::is_run(directory))
}

/// Where `directory` stands on this PATH, and which of these names are met before it.
pub fn on_path(path: &OsStr, directory: &Path, names: &[String]) -> OnPath {
    let this = identity(directory);
    let is_this = |entry: &Path| this.is_some() && identity(entry) == this;
    let kind = |entry: &Path| match entry {
        entry if is_this(entry) => Entry::Shims,
        entry if runs::is_run(entry) => Entry::Run,
        _ => Entry::Other,
    };
    let mut entries: Vec<(PathBuf, Entry)> = std::env::split_paths(path)
        // An empty one is the working directory.
        .map(|entry| if entry.as_os_str().is_empty() { PathBuf::from(".") } else { entry })
        .map(|entry| (entry.clone(), kind(&entry)))
        .collect();
    entries.dedup();
    let before = entries.iter().take_while(|(_, entry)| *entry != Entry::Shims);
    let others: Vec<&Path> =
        before.filter(|(_, entry)| *entry == Entry::Other).map(|(path, _)| &**path).collect();
    let first = |name: &String| {
        let files = others.iter().map(|directory| directory.join(name));
        let program = files.into_iter().find(|file| is_program(file))?;
        (!program::is_embargo(&program)).then(|| Met { name: name.clone(), program })
    };
    OnPath { met: names.iter().filter_map(first).collect(), entries }
}

/// This PATH as whoever has not put `directory` on it would have it.
pub fn without(path: &OsStr, directory: &Path) -> OsString {
    let this = identity(directory);
    let is_other = |entry: &PathBuf| this.is_none() || identity(entry) != this;
    // What was split at colons can be joined with them.
    std::env::join_paths(std::env::split_paths(path).filter(is_other)).unwrap_or_default()
}

/// Embargoes on PATH besides this one and the directory that is looked into.
pub fn others(directory: &Path, us: &Executed) -> Vec<Other> {
    let mut found = Vec::new();
    let mut seen = vec![identity(directory)];
    for entry in environment::path().filter(|entry| entry.is_absolute()) {
        if seen.contains(&identity(&entry)) || runs::is_run(&entry) {
            continue;
        }
        seen.push(identity(&entry));
        if entry.join(RECORD).is_file() {
            found.push(Other::Shims(entry.clone()));
        }
        let binary = entry.join("embargo");
        if is_program(&binary) && identity(&binary) != us.identity {
            found.push(Other::Binary(binary));
        }
    }
    found
}

/// Is this embargo the one that a shell finds by its name?
pub fn is_on_path(us: &Executed) -> bool {
    let found =
        environment::path().map(|directory| directory.join("embargo")).find(|f| is_program(f));
    found.is_some_and(|found| identity(&found) == us.identity)
}

fn is_program(file: &Path) -> bool {
    file.metadata().is_ok_and(|found| found.is_file() && found.permissions().mode() & 0o111 != 0)
}
