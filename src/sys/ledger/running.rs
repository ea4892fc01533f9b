//! Sealed checks that are running again: below one its own seals do not bite (B10). A file each
//! in the state directory, by the process that runs the check, as long as that lives.

use std::fs::{self, DirBuilder, OpenOptions};
use std::io::Write as _;
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

use super::{rows, schema};
use crate::seal::{Acceptance, Threat};
use crate::sys::context::Context;
use crate::sys::processes::{Lineage, SessionProcess};
use crate::sys::store::Store;

/// Its directory below the state.
const DIRECTORY: &str = "accepting";

/// This process runs a sealed check again, until this is dropped.
#[derive(Debug)]
pub struct Running(PathBuf);

/// Says so, where it is exactly the check that sealed something: the same command and directory,
/// executable and variables.
pub fn begin(state: &Path, check: &Acceptance) -> Option<Running> {
    let store = Store::for_reading(&schema::LEDGER, state).ok()??;
    let ids = rows::same(&store.connection, check, super::environment()).ok()?;
    let us = SessionProcess::current().filter(|_| !ids.is_empty())?;
    let directory = state.join(DIRECTORY);
    let _ = DirBuilder::new().mode(0o700).create(&directory);
    for old in fs::read_dir(&directory).ok()?.filter_map(Result::ok) {
        if !old.file_name().to_str().is_some_and(is_alive) {
            let _ = fs::remove_file(old.path());
        }
    }
    let file = directory.join(us.to_string());
    let mut options = OpenOptions::new();
    options.write(true).create_new(true).mode(0o600).custom_flags(libc::O_NOFOLLOW);
    let text: String = ids.iter().map(|id| format!("{id}\n")).collect();
    let running = Running(file);
    options.open(&running.0).and_then(|mut file| file.write_all(text.as_bytes())).ok()?;
    Some(running)
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.0);
    }
}

/// The threats without those to seals of a check that this process is below.
pub fn without_own(context: &Context, state: &Path, threats: Vec<Threat>) -> Vec<Threat> {
    let directory = state.join(DIRECTORY);
    let is_empty = fs::read_dir(&directory).map_or(true, |mut files| files.next().is_none());
    if threats.is_empty() || is_empty {
        return threats;
    }
    let lineage = Lineage::of_this_process(context.record.as_ref().and_then(|r| r.session));
    let files = lineage.0.iter().map(|ancestor| directory.join(ancestor.id.to_string()));
    let own: Vec<i64> = files.flat_map(|file| ids(context, &file)).collect();
    let is_own = |threat: &Threat| {
        let check = threat.sealed.as_ref().and_then(|seal| seal.check.as_ref());
        check.is_some_and(|check| own.contains(&check.id))
    };
    threats.into_iter().filter(|threat| !is_own(threat)).collect()
}

/// From a file that is the owner's alone.
fn ids(context: &Context, file: &Path) -> Vec<i64> {
    let is_ours = file.symlink_metadata().is_ok_and(|found| {
        found.is_file() && found.uid() == context.owner() && found.mode() & 0o077 == 0
    });
    let text = fs::read_to_string(file).ok().filter(|_| is_ours).unwrap_or_default();
    text.lines().filter_map(|line| line.parse().ok()).collect()
}

fn is_alive(name: &str) -> bool {
    let pid = name.split(':').next().and_then(|pid| pid.parse().ok());
    pid.and_then(SessionProcess::of).is_some_and(|process| process.to_string() == name)
}
