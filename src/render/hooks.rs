//! What `embargo hook install`, `uninstall` and `status` say.

use std::io;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::prose::{backquoted, shown};
use super::refusal::JSON_VERSION;
use super::usage::plain;
use crate::hook::plan::{Change, Scope};

/// A harness's file, as it was found.
#[derive(Debug)]
pub struct Status {
    pub name: &'static str,
    pub scope: Scope,
    pub file: PathBuf,
    pub state: State,
    /// What our lines call.
    pub binary: Option<String>,
    /// The shims on PATH, where this harness needs to be told.
    pub path: Option<PathState>,
}

/// Are the shims put first for this harness?
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PathState {
    Installed,
    Absent,
}

/// What of ours is in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum State {
    Installed,
    /// Ours, and not as this embargo would write it.
    Changed,
    Absent,
    /// It cannot be read, or not as JSON.
    Unreadable,
}

/// What is done, and what a person still has to do.
pub fn installed(name: &str, scope: Scope, path: &Path, binary: &str, is_kept: bool) -> String {
    let done = if is_kept { "is there already, in" } else { "written into" };
    let left = left_to_do(name, scope).into_iter();
    let left: String = left.map(|line| format!("  {line}\n")).collect();
    let shared = match scope {
        Scope::Project => {
            format!("  who else gets this file needs embargo at {} as well\n", shown(binary))
        }
        Scope::User => String::new(),
    };
    format!("hook of {name} {done} {}\n{left}{shared}", file(path))
}

/// By vendors' documentation, as far as nothing else is said.
fn left_to_do(name: &str, scope: Scope) -> Vec<&'static str> {
    let is_project = scope == Scope::Project;
    match name {
        "claude-code" | "claude" => vec![
            "sessions that run already do not have it; an interactive one waits for the folder to be trusted",
            "before 2.1.295 Claude Code knows no `onFailure`: a hook that cannot be started then lets commands run",
        ],
        "codex" if is_project => vec![
            "trust the project, and each hook in `/hooks`: until then Codex skips them without a word",
            "its login shell may put other directories before the shims: `embargo hook install codex --user` puts them first",
        ],
        "codex" => vec![
            "trust each hook in `/hooks`: until then Codex skips them without a word",
            "`embargo doctor`, run by the agent, says whether the shims are first on its PATH",
        ],
        "copilot" if is_project => {
            vec!["trust the folder; a hook that runs out of time never denies in Copilot"]
        }
        "copilot" => vec!["a hook that runs out of time never denies in Copilot"],
        "cursor" => vec![
            "its shell restores the PATH of your profile: `embargo doctor`, run by the agent, says whether the shims are first",
        ],
        "gemini" => vec![
            "trust the folder: in one that is not trusted Gemini runs no hooks, your own neither",
        ],
        _ => vec!["start OpenCode anew: plugins are loaded when it starts"],
    }
}

/// For a harness that is not written into.
pub fn by_hand(name: &str, place: &str, snippet: &str) -> String {
    format!("embargo does not write into {name}; a person puts this into {place}:\n\n{snippet}\n")
}

/// The same, to take it out.
pub fn out_by_hand(name: &str, place: &str) -> String {
    format!(
        "embargo did not write into {name}\na person takes `embargo hook {name}` out of {place}"
    )
}

/// What became of a file.
pub fn uninstalled(path: &Path, change: Change) -> String {
    let path = file(path);
    match change {
        Change::Restored => format!("{path} is as it was before\n"),
        Change::Removed => format!(
            "hook removed from {path}; what else was changed there stays, and {path}.embargo-backup is how it was before\n"
        ),
        Change::Absent => format!("no hook of embargo in {path}\n"),
        Change::Kept | Change::Written => String::new(),
    }
}

/// What puts the shims first on PATH.
pub fn path(path: &Path, change: Change) -> String {
    let done = if change == Change::Kept { "already has" } else { "now has" };
    format!("  {} {done} what puts the shims first on PATH below the agent\n", file(path))
}

/// There is nothing to put first.
pub fn no_shims_yet() -> String {
    "  no shims are installed; once they are, this command again puts them first on PATH for it\n"
        .to_owned()
}

/// A person has to write it.
pub fn path_by_hand(path: &Path, shims: &str, is_toml: bool) -> String {
    let why = if is_toml { "sets variables of its own" } else { "is no TOML that can be read" };
    format!(
        "  {} {why} and stays as it is; a person puts {} first: `PATH = \"{}:…\"` below `[shell_environment_policy.set]`\n",
        file(path),
        backquoted(shims),
        shown(shims)
    )
}

/// SHELL is none whose profile is known.
pub fn no_profile() -> String {
    "  a line at the end of your shell's profile has to put the shims first: `embargo env` prints it\n"
        .to_owned()
}

/// A line for each place.
pub fn status(found: &[Status]) -> String {
    let line = |it: &Status| {
        let state = match (it.state, &it.binary) {
            (State::Installed, Some(binary)) => format!("installed, calls {}", shown(binary)),
            (State::Changed, Some(binary)) => format!(
                "changed, calls {}: `embargo hook install {}{}` writes it anew",
                shown(binary),
                it.name,
                if it.scope == Scope::Project { " --project" } else { "" }
            ),
            (State::Unreadable, _) => "cannot be read".to_owned(),
            _ => "not installed".to_owned(),
        };
        let path = match it.path.filter(|_| it.state != State::Absent) {
            Some(PathState::Absent) => {
                "; the shims are not put first on PATH for it: installing it again does that"
            }
            Some(PathState::Installed) => "; the shims are put first on PATH for it",
            None => "",
        };
        format!("{} ({}): {state}, {}{path}\n", it.name, scope(it.scope), file(&it.file))
    };
    found.iter().map(line).collect()
}

/// The same for a program.
pub fn json(found: &[Status]) -> Value {
    let one = |it: &Status| {
        json!({
            "harness": it.name,
            "scope": scope(it.scope),
            "file": it.file.to_string_lossy(),
            "state": match it.state {
                State::Installed => "installed",
                State::Changed => "changed",
                State::Absent => "absent",
                State::Unreadable => "unreadable",
            },
            "binary": it.binary,
            "path": it.path.map(|path| match path {
                PathState::Installed => "installed",
                PathState::Absent => "absent",
            }),
        })
    };
    json!({ "version": JSON_VERSION, "hooks": found.iter().map(one).collect::<Vec<_>>() })
}

fn scope(scope: Scope) -> &'static str {
    match scope {
        Scope::User => "user",
        Scope::Project => "project",
    }
}

/// A name that is no harness's.
pub fn unknown(name: &str) -> String {
    format!("no harness {} is known", backquoted(name))
}

/// Nowhere to look.
pub fn no_place(scope: Scope) -> String {
    match scope {
        Scope::User => {
            "no home directory is known, so there is no configuration of harnesses\nset HOME"
        }
        Scope::Project => "the working directory is gone\nchange to the project first",
    }
    .to_owned()
}

/// Something of somebody else stands where ours would.
pub fn foreign(path: &Path) -> String {
    format!("{} was not written by embargo, and stays as it is\nmove it away first", file(path))
}

/// The file is left as it is.
pub fn unmergeable(path: &Path, why: &str) -> String {
    format!("{} {}\nnothing was changed; mend it, then try again", file(path), shown(why))
}

/// The file is left as it is.
pub fn unreadable(path: &Path, error: &io::Error) -> String {
    format!("{} cannot be read: {}\nnothing was changed", file(path), plain(error))
}

/// JSON holds text.
pub fn no_text(path: &Path) -> String {
    format!(
        "the path of this program, {}, is no UTF-8, and no configuration can name it",
        file(path)
    )
}

fn file(path: &Path) -> String {
    shown(&path.to_string_lossy())
}
