//! Single shims: made, removed, shown.

use std::ffi::{OsStr, OsString};

use super::sync::wanted;
use super::{Place, Policies, cannot, say};
use crate::cli::judging::Distrusted;
use crate::cli::uninstall::by_a_person;
use crate::cli::{Outcome, judging};
use crate::policy::Exit;
use crate::render::installing::{self, Leads, Listed};
use crate::render::{answer, usage};
use crate::sys::context::Context;
use crate::sys::executed::Executed;
use crate::sys::install::{self, Change, InstallError, Mark, ShimDirectory};
use crate::sys::{program, runs, stdio};

/// Makes shims of the names that have a program behind them or a rule against them;
/// with `force`, of all.
pub fn install(names: &[OsString], force: bool, place: &Place, policies: &Policies) -> Outcome {
    let context = Context::of_caller();
    let path = place.path(&context)?;
    if let Some((name, program)) = names.iter().find_map(command) {
        let message = usage::shim_of_command(&name, &program);
        return Err(judging::usage(&["shim", "install"], message).into());
    }
    if let Some(name) = names.iter().find(|name| !install::is_shim_name(name)) {
        return Err(cannot(InstallError::NotAName(name.clone())));
    }
    let directory = place.open(&path, &context, policies)?;
    let us = install::ourselves().map_err(cannot)?;
    let wanted = wanted(&path, context, policies, &us);
    let there = install::shims(&path).map_err(cannot)?;
    let is_wanted =
        |name: &OsString| wanted.as_ref().is_ok_and(|wanted| wanted.names.contains(name));
    let is_made = |name: &&OsString| {
        force || program::exists(name, &us) || there.contains(name) || is_wanted(name)
    };
    let (names, not_made): (Vec<_>, Vec<_>) = names.iter().partition(is_made);
    let mut failures = not_made.len();
    match &wanted {
        // A name with a program needs nobody's wish; for the others there is nothing to go by.
        Err(Distrusted(message)) if failures > 0 => stdio::say(message),
        _ => not_made.iter().for_each(|name| stdio::say(&installing::nothing_behind(name))),
    }
    let mut marks = directory.marks().map_err(cannot)?;
    names.iter().for_each(|name| marks.add(name, Mark::Installed));
    directory.keep(&marks).map_err(cannot)?;
    let mut made = Vec::new();
    for &name in &names {
        match directory.link(name) {
            Ok(change) => {
                made.extend((change == Change::Made).then_some(name));
                stdio::print(&installing::change(name, change));
            }
            Err(error) => {
                failures += 1;
                say(&error);
            }
        }
    }
    if failures < names.len() + not_made.len() {
        place.say_next_step(&path, &made, &us);
    }
    Ok(if failures == 0 { Exit::Success } else { Exit::Findings })
}

/// A command where a program's name is asked for, and its program.
fn command(name: &OsString) -> Option<(String, String)> {
    let text = name.to_str().filter(|text| text.contains(char::is_whitespace))?;
    let program = text.split_whitespace().next()?;
    install::is_shim_name(OsStr::new(program)).then(|| (text.to_owned(), program.to_owned()))
}

pub fn uninstall(names: &[OsString], all: bool, place: &Place) -> Outcome {
    by_a_person("embargo uninstall")?;
    let path = place.path(&Context::of_caller())?;
    let mut is_short = false;
    if path.is_dir() {
        let directory = ShimDirectory::open(&path, 0o700).map_err(cannot)?;
        let found = install::shims(&path).map_err(cannot)?;
        let mut marks = directory.marks().map_err(cannot)?;
        let before = marks.clone();
        for name in if all { &found[..] } else { names } {
            match directory.unlink(name) {
                Ok(change) => {
                    is_short |= change == Change::Absent;
                    marks.forget(name);
                    stdio::print(&installing::change(name, change));
                }
                Err(error) => {
                    is_short = true;
                    say(&error);
                }
            }
        }
        if all {
            directory.close().map_err(cannot)?;
        } else if marks != before {
            directory.keep(&marks).map_err(cannot)?;
        }
    }
    Ok(if is_short { Exit::Findings } else { Exit::Success })
}

pub fn list(place: &Place, json: bool) -> Outcome {
    let path = place.path(&Context::of_caller())?;
    let us = install::ourselves().map_err(cannot)?;
    let listed = |name: OsString| {
        let shim = Executed { path: path.join(&name), identity: us.identity };
        let program = || program::find(&name, &shim, None).ok();
        let leads = match install::is_broken(&shim.path) {
            true => Leads::Nowhere,
            false => Leads::To(program().map(|p| p.path.to_string_lossy().into_owned())),
        };
        Listed { name: name.to_string_lossy().into_owned(), leads }
    };
    let shims: Vec<Listed> =
        install::shims(&path).map_err(cannot)?.into_iter().map(listed).collect();
    stdio::print(&match json {
        true => answer::object(&installing::list_json(&path, &shims)),
        false => installing::list(&path, &shims),
    });
    if !shims.is_empty() && !program::is_first(&path, runs::is_run) {
        stdio::say(&installing::not_first(&path, place.option(&path).as_deref()));
    }
    let is_broken = shims.iter().any(|shim| shim.leads == Leads::Nowhere);
    Ok(if is_broken { Exit::Findings } else { Exit::Success })
}
