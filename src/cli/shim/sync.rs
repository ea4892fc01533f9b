//! All shims at once, as the policies in force want them.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use super::{Place, Policies, cannot, say};
use crate::cli::Outcome;
use crate::cli::in_force;
use crate::cli::judging::Distrusted;
use crate::policy::{Exit, Layer};
use crate::render::{installing, trouble};
use crate::sys::context::Context;
use crate::sys::executed::Executed;
use crate::sys::home::HomeRecord;
use crate::sys::install::{self, Change, InstallError, Mark, ShimDirectory};
use crate::sys::{ledger, runs, sources, stdio};
use crate::view::SourceRecord;

pub fn sync(place: &Place, policies: &Policies) -> Outcome {
    let context = Context::of_caller();
    let path = place.path(&context)?;
    let us = install::ourselves().map_err(cannot)?;
    let wanted = match wanted(&path, context.clone(), policies, &us) {
        Ok(wanted) => wanted,
        Err(Distrusted(message)) => {
            stdio::say(&message);
            return Ok(Exit::Broken);
        }
    };
    if wanted.by.is_empty() {
        stdio::say(&installing::nothing_to_sync(&path));
        return Ok(Exit::Success);
    }
    wanted.notices.iter().for_each(|notice| stdio::say(&trouble::notice(notice)));
    let directory = place.open(&path, &context, policies)?;
    let done = bring_up_to_date(&directory, &wanted).map_err(cannot)?;
    let (mut changes, mut failures) = (0, 0);
    for (result, name) in &done {
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
    let shims = install::shims(&path).map_err(cannot)?;
    stdio::print(&installing::synced(&path, shims.len(), changes));
    let made = done.iter().filter(|(result, _)| matches!(result, Ok(Change::Made)));
    let made: Vec<_> = made.map(|(_, name)| name).collect();
    place.say_next_step(&path, &made, &us);
    Ok(if failures == 0 { Exit::Success } else { Exit::Findings })
}

/// What became of a link, and its name.
type Done = (Result<Change, InstallError>, OsString);

/// Links as they are wanted: what became of each.
fn bring_up_to_date(directory: &ShimDirectory, wanted: &Wanted) -> Result<Vec<Done>, InstallError> {
    let mut marks = directory.marks()?;
    wanted.by.iter().for_each(|(mark, names)| marks.set(mark, names));
    marks.retain(|mark| !is_gone(mark));
    // Before any link: one that is found without its mark counts as installed by a person.
    directory.keep(&marks)?;
    let unlink = |name: OsString| (directory.unlink(&name), name);
    let mut done: Vec<_> = marks.unwanted().into_iter().map(unlink).collect();
    done.extend(wanted.names.iter().map(|name| (directory.link(name), name.clone())));
    Ok(done)
}

/// For a session that begins: the same without a word, in its directory of shims, if it has one. What
/// cannot be done changes nothing here; `embargo doctor` tells of it.
pub fn of_session(context: &Context) {
    let own = || context.by_variables.as_ref().map(|places| places.shims());
    let Some(path) = context.shims.clone().or_else(own).filter(|_| context.may_write()) else {
        return;
    };
    if !HomeRecord::read(&path).is_ok_and(|record| record.is_some()) {
        return;
    }
    let Ok(us) = install::ourselves() else { return };
    if runs::is_run(&path) {
        // Filled for all that it runs: nothing is taken away.
        let Ok(wanted) = in_force::wanted(context, &us) else { return };
        let Ok(directory) = ShimDirectory::open(&path, 0o700) else { return };
        for name in wanted.names {
            let _ = directory.link(OsStr::new(&name));
        }
        return;
    }
    let wanted = wanted(&path, context.clone(), &Policies::default(), &us);
    let Some(wanted) = wanted.ok().filter(|wanted| !wanted.by.is_empty()) else { return };
    if let Ok(directory) = ShimDirectory::open(&path, 0o700) {
        let _ = bring_up_to_date(&directory, &wanted);
    }
}

/// The names that the policies in force want shims of.
#[derive(Debug, Default)]
pub struct Wanted {
    pub names: Vec<OsString>,
    /// The same by who wants them; empty where no policy is.
    by: Vec<(Mark, Vec<OsString>)>,
    notices: Vec<String>,
}

/// Those of the policies here, and those of the ones that the directory's record names.
pub fn wanted(
    path: &Path,
    context: Context,
    policies: &Policies,
    us: &Executed,
) -> Result<Wanted, Distrusted> {
    let record = HomeRecord::read(path);
    let record = record.map_err(|e| Distrusted(installing::record_not_synced(path, &e)))?;
    let named = policies.absolute(&context).into_iter().chain(context.named.iter().cloned());
    let here = Context { named: named.collect(), record, ..context };
    let names = |context: &Context, sources: &[SourceRecord]| {
        let wanted = in_force::wanted_by(context, sources, us);
        let wanted = wanted.map_err(|e| Distrusted(installing::not_synced(path, &e)))?;
        let names = wanted.names.into_iter().map(OsString::from);
        let names: Vec<OsString> = names.filter(|n| install::is_shim_name(n)).collect();
        Ok((names, wanted.notices))
    };
    let project = project(&here);
    let everywhere = Context { cwd: None, ..here.clone() };
    let found = sources::find(&here, &[]);
    let (all, notices) = names(&here, &found)?;
    let mut wanted = Wanted { names: all.clone(), notices, ..Wanted::default() };
    let found_everywhere = sources::find(&everywhere, &[]);
    if !found_everywhere.is_empty() {
        let names = names(&everywhere, &found_everywhere)?.0;
        wanted.names.extend(names.iter().filter(|name| !all.contains(name)).cloned());
        wanted.by.push((Mark::User, names));
    } else if project.is_some() {
        // What was wanted everywhere is so no more.
        wanted.by.push((Mark::User, Vec::new()));
    }
    if ledger::held(&here).is_ok_and(|held| held.is_some()) {
        // What is sealed is so wherever one works.
        let guarded = in_force::guarded(&here, us);
        let guarded = guarded.map_err(|e| Distrusted(installing::not_synced(path, &e)))?;
        let guarded: Vec<OsString> = guarded.into_iter().map(OsString::from).collect();
        if !wanted.by.iter().any(|(mark, _)| *mark == Mark::User) {
            wanted.by.push((Mark::User, Vec::new()));
        }
        for (_, names) in wanted.by.iter_mut().filter(|(mark, _)| *mark == Mark::User) {
            names.extend(guarded.clone());
            names.sort();
            names.dedup();
        }
        wanted.names.extend(guarded);
        wanted.names.sort();
        wanted.names.dedup();
    }
    if let Some(directory) = project {
        // What the user's policy alone wants is not the project's to keep.
        let own: Vec<_> = found.into_iter().filter(|s| s.layer == Layer::Project).collect();
        wanted.by.push((Mark::Project(directory), names(&here, &own)?.0));
    }
    Ok(wanted)
}

/// A project whose policy file was removed, or that was removed itself or moved.
fn is_gone(mark: &Mark) -> bool {
    let Mark::Project(directory) = mark else { return false };
    !sources::policy_files(directory).iter().any(|file| file.exists())
}

/// The directory of the deepest policy file of a project here.
fn project(context: &Context) -> Option<PathBuf> {
    let found = sources::find(context, &[]);
    let file = found.iter().find(|source| source.layer == Layer::Project)?;
    Path::new(OsStr::from_bytes(&file.path)).parent().map(Path::to_owned)
}
