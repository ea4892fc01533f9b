//! All shims at once, as the policies in force want them.

use std::ffi::OsStr;
use std::path::Path;

use super::{Place, Policies, cannot};
use crate::cli::Outcome;
use crate::cli::in_force::{self, Wanted};
use crate::cli::judging::Distrusted;
use crate::policy::Exit;
use crate::render::{installing, trouble};
use crate::sys::context::Context;
use crate::sys::executed::Executed;
use crate::sys::home::HomeRecord;
use crate::sys::install::{self, Change};
use crate::sys::stdio;

pub fn sync(place: &Place, policies: &Policies) -> Outcome {
    let context = Context::of_caller();
    let path = place.path(&context)?;
    let us = install::ourselves().map_err(cannot)?;
    let Wanted { names, notices } = match wanted(&path, context.clone(), policies, &us) {
        Ok(wanted) => wanted,
        Err(Distrusted(message)) => {
            stdio::say(&message);
            return Ok(Exit::Broken);
        }
    };
    notices.iter().for_each(|notice| stdio::say(&trouble::notice(notice)));
    let directory = place.open(&path, &context, policies)?;
    let mut changes = Vec::new();
    for name in install::shims(&path).map_err(cannot)? {
        if !names.iter().any(|w| *OsStr::new(w) == *name) {
            changes.push((name.clone(), directory.unlink(&name).map_err(cannot)?));
        }
    }
    for name in names.iter().map(OsStr::new) {
        changes.push((name.to_owned(), directory.link(name).map_err(cannot)?));
    }
    changes.retain(|(_, change)| *change != Change::Kept);
    changes.iter().for_each(|(name, change)| stdio::print(&installing::change(name, *change)));
    stdio::print(&installing::synced(&path, names.len(), changes.len()));
    place.say_next_step(&path);
    Ok(Exit::Success)
}

/// The names that the policies in force want shims of: those here, and those that the
/// directory's record names.
pub fn wanted(
    path: &Path,
    context: Context,
    policies: &Policies,
    us: &Executed,
) -> Result<Wanted, Distrusted> {
    let name = path.as_os_str();
    let record = HomeRecord::read(path);
    let record = record.map_err(|e| Distrusted(trouble::record(name, path, &e)))?;
    let named = policies.absolute(&context).into_iter().chain(context.named.iter().cloned());
    let context = Context { named: named.collect(), record, ..context };
    let wanted = in_force::wanted(&context, us);
    let mut wanted = wanted.map_err(|e| Distrusted(trouble::distrust(name, &e)))?;
    wanted.names.retain(|n| install::is_shim_name(OsStr::new(n)));
    Ok(wanted)
}
