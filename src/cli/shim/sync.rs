//! All shims at once, as the policies in force want them.

use std::ffi::{OsStr, OsString};
use std::path::Path;

use super::{Place, Policies, cannot, say};
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
    let mut done = Vec::new();
    for name in install::shims(&path).map_err(cannot)? {
        if !names.iter().any(|w| *OsStr::new(w) == *name) {
            done.push((name.clone(), directory.unlink(&name)));
        }
    }
    let link = |name: &String| (OsString::from(name), directory.link(OsStr::new(name)));
    done.extend(names.iter().map(link));
    let (mut changes, mut failures) = (0, 0);
    for (name, result) in &done {
        match result {
            Ok(Change::Kept) => {}
            Ok(change) => {
                changes += 1;
                stdio::print(&installing::change(name, *change));
            }
            Err(error) => {
                failures += 1;
                say(error);
            }
        }
    }
    stdio::print(&installing::synced(&path, names.len().saturating_sub(failures), changes));
    place.say_next_step(&path);
    Ok(if failures == 0 { Exit::Success } else { Exit::Findings })
}

/// The names that the policies in force want shims of: those here, and those that the
/// directory's record names.
pub fn wanted(
    path: &Path,
    context: Context,
    policies: &Policies,
    us: &Executed,
) -> Result<Wanted, Distrusted> {
    let record = HomeRecord::read(path);
    let record = record.map_err(|e| Distrusted(installing::record_not_synced(path, &e)))?;
    let named = policies.absolute(&context).into_iter().chain(context.named.iter().cloned());
    let context = Context { named: named.collect(), record, ..context };
    let wanted = in_force::wanted(&context, us);
    let mut wanted = wanted.map_err(|e| Distrusted(installing::not_synced(path, &e)))?;
    wanted.names.retain(|n| install::is_shim_name(OsStr::new(n)));
    Ok(wanted)
}
