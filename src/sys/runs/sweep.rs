//! Removing what ended runs left behind. The process that a directory is named after
//! may be gone while others still have it on PATH (a terminal multiplexer's server):
//! removed under them, they would go on unguarded.

use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use bstr::ByteSlice;

use super::place::{Place, is_ours_to_write};
use super::{RUN, is_run, namespace, remove};

/// Where environments are not to be seen (no /proc, another pid namespace), what is older is nobody's any more.
const WEEK: Duration = Duration::from_secs(7 * 24 * 60 * 60);

/// Removes directories of runs that have ended and that no process has in its environment.
pub(super) fn sweep(place: &Place) {
    let Ok(entries) = std::fs::read_dir(&place.parent) else { return };
    let ended: Vec<PathBuf> = entries
        .filter_map(Result::ok)
        .filter(|entry| entry.file_name().to_str().and_then(|n| place.has_ended(n)) == Some(true))
        .map(|entry| entry.path())
        .filter(|path| is_run(path) && is_ours_to_write(path))
        .collect();
    if ended.is_empty() {
        return;
    }
    let (environments, here) = (environments(), namespace());
    let of_here = |path: &Path| std::fs::read_to_string(path.join(RUN)).is_ok_and(|n| n == here);
    ended
        .iter()
        .filter(|path| is_free(path, environments.as_deref().filter(|_| of_here(path))))
        .for_each(|path| remove(path));
}

fn is_free(directory: &Path, environments: Option<&[Vec<u8>]>) -> bool {
    let Some(environments) = environments else {
        let written = directory.metadata().and_then(|found| found.modified());
        return written.is_ok_and(|at| at.elapsed().is_ok_and(|age| age > WEEK));
    };
    let name = directory.as_os_str().as_bytes();
    !environments.iter().any(|environment| environment.contains_str(name))
}

/// The environments that running processes began with; `None` without /proc.
fn environments() -> Option<Vec<Vec<u8>>> {
    let processes = std::fs::read_dir("/proc").ok()?;
    let environments: Vec<Vec<u8>> = processes
        .filter_map(Result::ok)
        .filter_map(|process| std::fs::read(process.path().join("environ")).ok())
        .collect();
    (!environments.is_empty()).then_some(environments)
}
