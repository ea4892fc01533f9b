//! The files of a directory of shims, and the program behind each.

use std::ffi::OsString;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

use crate::doctor::{Leads, SeenShim};
use crate::sys::executed::{Executed, identity};
use crate::sys::install::{self, is_shim_name};
use crate::sys::program;

/// Everything in the directory that could be executed by its name, sorted.
pub fn shims(directory: &Path, us: &Executed) -> Vec<SeenShim> {
    let entries = std::fs::read_dir(directory).into_iter().flatten().filter_map(Result::ok);
    let mut names: Vec<OsString> = entries.map(|entry| entry.file_name()).collect();
    names.retain(|name| is_shim_name(name));
    names.sort();
    let seen = |name: OsString| {
        let path = directory.join(&name);
        let shim = Executed { path: path.clone(), identity: us.identity };
        // One that stands before the directory is behind it once that is first.
        let program = program::find(&name, &shim, None).or_else(|_| program::anywhere(&name, us));
        // In a run PATH leads to this very shim once more.
        let program =
            program.ok().filter(|found| found.path.to_bytes() != path.as_os_str().as_bytes());
        SeenShim {
            name: name.to_string_lossy().into_owned(),
            leads: leads(&path, us),
            program: program.map(|program| program.path.to_string_lossy().into_owned()),
        }
    };
    names.into_iter().map(seen).collect()
}

/// Names that a project or the user's policy wants, as the last sync has written it down.
pub fn wanted_elsewhere(directory: &Path) -> Vec<String> {
    let wanted = install::wanted_by_policies(directory);
    wanted.into_iter().map(|name| name.to_string_lossy().into_owned()).collect()
}

fn leads(path: &Path, us: &Executed) -> Leads {
    let target = std::fs::read_link(path).unwrap_or_default();
    match identity(path) {
        None => Leads::Nowhere(target),
        found if found == us.identity => Leads::ToUs,
        Some(_) if program::is_embargo(path) => Leads::ToAnother(target),
        Some(_) => Leads::NotOurs,
    }
}
