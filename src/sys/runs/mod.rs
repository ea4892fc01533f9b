//! The shim directory of one `embargo run`: private, filled before the command
//! begins, kept while anything may still look for programs in it.

mod place;
mod sweep;

use std::ffi::OsStr;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use super::context::Context;
use super::executed::Executed;
use super::home::{HomeRecord, RECORD};
use super::install::{self, InstallError};
use super::processes::SessionProcess;

use place::{is_ours_to_write, places};

/// Marks the directory of a run: `embargo env` leaves those in front of its own.
const RUN: &str = ".embargo-run";

/// Makes the directory of this run, complete: below the user's data, or where that cannot
/// be among temporary files. The error is the last place's.
pub fn make(context: &Context, names: &[String], us: &Executed) -> Result<PathBuf, InstallError> {
    let data = context.by_variables.as_ref().map(|places| &*places.data);
    let mut outcome = Err(InstallError::NotForPath(PathBuf::new()));
    for place in places(data) {
        sweep::sweep(&place);
        outcome = place.make().and_then(|directory| {
            let filled = fill(context, &directory, names, us);
            filled.inspect_err(|_| remove(&directory)).map(|()| directory)
        });
        if outcome.is_ok() {
            break;
        }
    }
    outcome
}

/// The pid namespace that the run's process has its number in, as far as that can be known:
/// of another one nobody here can tell which runs have ended.
fn namespace() -> String {
    let link = std::fs::read_link("/proc/self/ns/pid").unwrap_or_default();
    link.to_string_lossy().into_owned()
}

/// Removes the directories of runs that have ended, as the next run would.
pub fn sweep_ended(data: &Path) {
    places(Some(data)).for_each(|place| sweep::sweep(&place));
}

/// Is this the directory of a run?
pub fn is_run(directory: &Path) -> bool {
    directory.join(RUN).is_file()
}

/// Removes a run's directory that is of no use.
pub fn remove(directory: &Path) {
    let _ = std::fs::remove_dir_all(directory);
}

fn fill(
    context: &Context,
    directory: &Path,
    names: &[String],
    us: &Executed,
) -> Result<(), InstallError> {
    let record = record(context, directory)?;
    install::write(&directory.join(RECORD), &record.to_bytes())?;
    install::write(&directory.join(RUN), namespace().as_bytes())?;
    let binary = install::lasting(us);
    for name in names.iter().filter(|name| install::is_shim_name(OsStr::new(name))) {
        let link = directory.join(name);
        symlink(&binary, &link).map_err(|e| InstallError::Io(link, e))?;
    }
    Ok(())
}

/// What the shims of this run know: an outer run's record goes on, with more policies.
fn record(context: &Context, directory: &Path) -> Result<HomeRecord, InstallError> {
    let recorded = context.record.as_ref();
    let state = match recorded {
        Some(record) => record.state.clone(),
        None => state(context.state(), directory)?,
    };
    let mut policies = recorded.map(|r| r.policies.clone()).unwrap_or_default();
    for policy in &context.named {
        if !policies.contains(policy) {
            policies.push(policy.clone());
        }
    }
    // A directory above a start is looked into anyway.
    let mut starts = recorded.map(|r| r.starts.clone()).unwrap_or_default();
    starts.extend(context.cwd.clone().filter(|cwd| !starts.iter().any(|s| s.starts_with(cwd))));
    let place =
        |place: Option<&Path>, name| place.map_or_else(|| directory.join(name), Path::to_owned);
    Ok(HomeRecord {
        owner: context.owner(),
        config: place(context.config(), "config"),
        state,
        cache: place(context.cache(), "cache"),
        starts,
        policies,
        session: recorded.and_then(|r| r.session).or_else(SessionProcess::current),
    })
}

/// Shims refuse everything when their state is gone: where the user's own cannot be
/// made, the run has one that ends with it.
fn state(wanted: Option<&Path>, directory: &Path) -> Result<PathBuf, InstallError> {
    if let Some(wanted) = wanted.filter(|wanted| is_ours_to_write(wanted))
        && install::make(wanted, 0o700).is_ok()
    {
        return Ok(wanted.to_owned());
    }
    let own = directory.join("state");
    install::make(&own, 0o700).map(|()| own)
}
