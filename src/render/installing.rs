//! Sentences on shim directories: what was done, what is to be done next, and why
//! nothing could be.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

use serde_json::{Value, json};

use crate::command::quote;
use crate::policy::Exit;
use crate::sys::home::{RECORD, RecordError};
use crate::sys::install::{Change, InstallError};
use crate::view::Distrust;

use super::prose::{backquoted, shown};
use super::trouble;

/// Why a shim directory could not be changed, and what to do.
pub fn failure(error: &InstallError) -> String {
    match error {
        InstallError::NotAName(name) => format!(
            "{} is no name for a shim\ngive the name of a program, without a path: gradle",
            quoted(name)
        ),
        InstallError::Foreign(file) => format!(
            "{} is there, and is no shim of ours\nmove it away, or choose another directory with --dir",
            path(file)
        ),
        InstallError::OtherHome { directory, recorded, now } => format!(
            "{}/{RECORD} says {}, and HOME or an XDG variable says {}\n\
             unset the variable, or begin anew: embargo shim uninstall --all --dir {}",
            path(directory),
            path(recorded),
            path(now),
            quote(directory.as_os_str().as_bytes())
        ),
        InstallError::NotForPath(directory) => format!(
            "{} cannot stand on PATH: it is relative or holds a colon\nchoose another directory with --dir",
            path(directory)
        ),
        InstallError::NoExecutable(file) => format!(
            "{} is gone, and shims lead to it\ninstall embargo again, then run this once more",
            path(file)
        ),
        InstallError::Io(file, error) => {
            let text = error.to_string();
            format!("{}: {}", path(file), text.split(" (os error").next().unwrap_or_default())
        }
    }
}

/// `embargo run` without a directory for its shims: nothing is run unguarded.
pub fn not_guarded(name: &OsStr, error: &InstallError) -> String {
    let lines = failure(error).replace('\n', "\n  ");
    format!(
        "embargo cannot make its shims, so {} was not run:\n  {lines}\n\
         A person must mend this, or name a directory that can be written in TMPDIR. I must tell the user.\n\
         [embargo broken exit {}]\n",
        quoted(name),
        Exit::Broken.code()
    )
}

/// `embargo run` where no policy is.
pub fn no_rule(name: &OsStr) -> String {
    format!(
        "embargo: no rule is in force (no embargo.toml found); {} is guarded by seals alone\n",
        quoted(name)
    )
}

/// What became of one shim.
pub fn change(name: &OsStr, change: Change) -> String {
    let name = shown(&name.to_string_lossy());
    match change {
        Change::Made => format!("{name}: shim made\n"),
        Change::Renewed => format!("{name}: shim renewed, it led to another embargo\n"),
        Change::Mended => format!("{name}: shim mended, it led nowhere\n"),
        Change::Kept => format!("{name}: shim was there\n"),
        Change::Removed => format!("{name}: shim removed\n"),
        Change::Absent => format!("{name}: there was no shim\n"),
    }
}

/// A name that would be a program, and is none.
pub fn nothing_behind(name: &OsStr) -> String {
    let name = quoted(name);
    format!(
        "embargo: no shim {name}: no program of that name is on PATH and no rule refuses it, so that \
         `command -v` would find what is not there. Write a rule that refuses it, then run this again \
         (or `embargo shim sync`); `--force` makes the shim all the same\n"
    )
}

/// The step that is left when the directory is not first on PATH.
pub fn next_step(directory: &Path, option: Option<&str>) -> String {
    format!(
        "{} is not first on PATH yet. For this shell, and in its start-up file:\n  {}\n",
        path(directory),
        evaluated(option)
    )
}

/// `shim list` in a shell that does not meet the shims first.
pub fn not_first(directory: &Path, option: Option<&str>) -> String {
    format!("embargo: note: {} is not first on PATH here: {}\n", path(directory), evaluated(option))
}

/// What puts the directory in front.
fn evaluated(option: Option<&str>) -> String {
    let option = option.map(|dir| format!(" --dir {dir}")).unwrap_or_default();
    format!("eval \"$(embargo env{option})\"")
}

/// Shells keep the path of what they have run.
pub fn remembered(names: &[impl AsRef<str>]) -> String {
    let names = match names {
        [] | [_, _, _, _, ..] => "one of these".to_owned(),
        few => few.iter().map(|n| backquoted(n.as_ref())).collect::<Vec<_>>().join(" or "),
    };
    format!("a shell that has run {names} before may remember it: `hash -r`\n")
}

/// A sync where no policy is.
pub fn nothing_to_sync(directory: &Path) -> String {
    format!(
        "embargo: note: no policy is in force here (no embargo.toml found; `embargo init` writes one), so {}\n",
        unchanged(directory)
    )
}

/// A sync without a policy to go by.
pub fn not_synced(directory: &Path, distrust: &Distrust) -> String {
    trouble::untrusted_policy(&unchanged(directory), distrust)
}

/// A sync of a directory whose home record cannot be used.
pub fn record_not_synced(directory: &Path, error: &RecordError) -> String {
    trouble::untrusted_record(&unchanged(directory), directory, error)
}

fn unchanged(directory: &Path) -> String {
    format!("no shim in {} was made or removed", path(directory))
}

/// How a sync ended.
pub fn synced(directory: &Path, shims: usize, changes: usize) -> String {
    let shims = match shims {
        1 => "1 shim".to_owned(),
        n => format!("{n} shims"),
    };
    let changes = match changes {
        0 => "nothing changed".to_owned(),
        n => format!("{n} changed"),
    };
    format!("{shims} in {}, {changes}\n", path(directory))
}

/// One shim and where it leads.
#[derive(Debug)]
pub struct Listed {
    pub name: String,
    pub leads: Leads,
}

/// What a shim does when it is called.
#[derive(Debug, PartialEq, Eq)]
pub enum Leads {
    /// To us; on a pass it becomes this program, if there is one.
    To(Option<String>),
    /// Its own link is dangling: nothing is guarded.
    Nowhere,
}

const NOWHERE: &str = "leads nowhere";

/// A table for people.
pub fn list(directory: &Path, shims: &[Listed]) -> String {
    if shims.is_empty() {
        return format!("no shims in {}\n", path(directory));
    }
    let width =
        shims.iter().map(|shim| shown(&shim.name).chars().count()).max().unwrap_or_default();
    let line = |shim: &Listed| {
        let name = shown(&shim.name);
        let target = match &shim.leads {
            Leads::To(program) => program.as_deref().map_or("no program".to_owned(), shown),
            Leads::Nowhere => format!("broken: {NOWHERE}"),
        };
        format!("{name:width$}  {target}\n")
    };
    format!("{}\n{}", path(directory), shims.iter().map(line).collect::<String>())
}

/// The same for programs.
pub fn list_json(directory: &Path, shims: &[Listed]) -> Value {
    let shim = |shim: &Listed| {
        let (program, broken) = match &shim.leads {
            Leads::To(program) => (program.as_deref(), None),
            Leads::Nowhere => (None, Some(NOWHERE)),
        };
        json!({
            "name": shim.name,
            "resolves_to": program,
            "broken": broken,
            "dir": directory.to_string_lossy(),
        })
    };
    shims.iter().map(shim).collect()
}

fn path(path: &Path) -> String {
    shown(&path.to_string_lossy())
}

fn quoted(name: &OsStr) -> String {
    backquoted(&name.to_string_lossy())
}
