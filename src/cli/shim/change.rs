//! Single shims: made, removed, shown.

use std::ffi::{OsStr, OsString};

use super::sync::wanted;
use super::{Place, Policies, cannot, say};
use crate::cli::Outcome;
use crate::policy::Exit;
use crate::render::answer;
use crate::render::installing::{self, Leads, Listed};
use crate::sys::context::Context;
use crate::sys::executed::Executed;
use crate::sys::install::{self, Change, InstallError, ShimDirectory};
use crate::sys::{program, stdio};

pub fn install(names: &[OsString], place: &Place, policies: &Policies) -> Outcome {
    let context = Context::of_caller();
    let path = place.path(&context)?;
    if let Some(name) = names.iter().find(|name| !install::is_shim_name(name)) {
        return Err(cannot(InstallError::NotAName(name.clone())));
    }
    let directory = place.open(&path, &context, policies)?;
    let us = install::ourselves().map_err(cannot)?;
    let wanted = wanted(&path, context, policies, &us).unwrap_or_default();
    let mut failures = 0;
    for name in names {
        match directory.link(name) {
            Ok(change) => stdio::print(&installing::change(name, change)),
            Err(error) => {
                failures += 1;
                say(&error);
                continue;
            }
        }
        if !program::exists(name, &us) && !wanted.names.iter().any(|w| OsStr::new(w) == name) {
            stdio::say(&installing::nothing_behind(name));
        }
    }
    if failures < names.len() {
        place.say_next_step(&path);
    }
    Ok(if failures == 0 { Exit::Success } else { Exit::Findings })
}

pub fn uninstall(names: &[OsString], all: bool, place: &Place) -> Outcome {
    let path = place.path(&Context::of_caller())?;
    let found = install::shims(&path).map_err(cannot)?;
    let mut is_short = false;
    if path.is_dir() {
        let directory = ShimDirectory::open(&path, 0o700).map_err(cannot)?;
        for name in if all { &found[..] } else { names } {
            match directory.unlink(name) {
                Ok(change) => {
                    is_short |= change == Change::Absent;
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
    let is_broken = shims.iter().any(|shim| shim.leads == Leads::Nowhere);
    Ok(if is_broken { Exit::Findings } else { Exit::Success })
}
