//! What is said when embargo itself, or the real program, is in trouble.

use std::ffi::{CStr, OsStr};
use std::io;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

use crate::command::{join_in_a_line, quote};
use crate::policy::Exit;
use crate::sys::home::RecordError;
use crate::sys::store::StoreError;
use crate::view::Distrust;

use super::prose::{backquoted, shown};

/// A fault of policy: where, and what a person has to do.
pub fn distrust(name: &OsStr, distrust: &Distrust) -> String {
    let name = backquoted(&name.to_string_lossy());
    untrusted_policy(&format!("{name} was not run"), distrust)
}

/// What is sealed cannot be known, and the call could break it.
pub fn ledger(name: &OsStr, error: &StoreError) -> String {
    format!(
        "embargo cannot know what is sealed, so {} was not run:\n  {}\n\
         A person must mend this; I cannot. What destroys nothing still runs. I must tell the user.\n\
         [embargo broken exit {}]\n",
        backquoted(&name.to_string_lossy()),
        shown(&error.of("ledger")),
        Exit::Broken.code()
    )
}

/// The same where nothing was to be run: `outcome` says what was not done.
pub(super) fn untrusted_policy(outcome: &str, distrust: &Distrust) -> String {
    let faults: String =
        distrust.message.lines().map(|line| format!("  {}\n", shown(line))).collect();
    format!(
        "embargo cannot trust its policy, so {outcome}:\n{faults}\
         A person must mend this; I cannot. `embargo lint` shows it in full. I must tell the user.\n\
         [embargo broken exit {}]\n",
        Exit::Broken.code()
    )
}

/// A home record that cannot be used.
pub fn record(name: &OsStr, directory: &Path, error: &RecordError) -> String {
    let name = backquoted(&name.to_string_lossy());
    untrusted_record(&format!("{name} was not run"), directory, error)
}

pub(super) fn untrusted_record(outcome: &str, directory: &Path, error: &RecordError) -> String {
    let why = match error {
        RecordError::Unreadable(e) => format!("cannot be read: {e}"),
        RecordError::NotUnderstood(line) => {
            format!("is damaged: it is not understood at {}", backquoted(line))
        }
        RecordError::Newer(line) => format!(
            "was written by a newer embargo, in the form {}, which this one does not know",
            backquoted(line)
        ),
        RecordError::NotTrusted => "can be written by another user".to_owned(),
    };
    // `sync` does not write over what it cannot judge by.
    let place = quote(directory.as_os_str().as_bytes());
    let anew = format!("write it anew: `embargo shim install --force --dir {place} NAME`");
    let mend = match error {
        RecordError::Newer(_) => format!("install that embargo again, or {anew}."),
        _ => format!("{anew}."),
    };
    format!(
        "embargo cannot trust its installation, so {outcome}:\n  {}/{} {why}\n\
         A person must {mend} I must tell the user.\n[embargo broken exit {}]\n",
        directory.display(),
        crate::sys::home::RECORD,
        Exit::Broken.code()
    )
}

/// The recorded state is not there any more.
pub fn state_gone(name: &OsStr, state: &Path) -> String {
    format!(
        "embargo's recorded state is gone, so {} was not run:\n  {}\n\
         A person must bring it back, or begin anew: `mkdir -p -m 700 {}`. I must tell the user.\n[embargo broken exit {}]\n",
        backquoted(&name.to_string_lossy()),
        state.display(),
        quote(state.as_os_str().as_bytes()),
        Exit::Broken.code()
    )
}

/// One line on every call while a project's policy is broken.
pub fn notice(notice: &str) -> String {
    format!("embargo: {}\n", shown(notice))
}

/// As shells say it.
pub fn not_found(name: &OsStr) -> String {
    format!("embargo: {}: command not found\n", shown(&name.to_string_lossy()))
}

/// A line in place of words: as shells say it, and what would run it.
pub fn no_line(line: &OsStr) -> String {
    format!(
        "{}  `run` takes a command's words, not a line: `embargo run -- sh -c {}`\n",
        not_found(line),
        join_in_a_line(&[line.as_bytes().into()])
    )
}

/// As shells say it.
pub fn permission_denied(name: &OsStr) -> String {
    format!("embargo: {}: Permission denied\n", shown(&name.to_string_lossy()))
}

/// execve failed.
pub fn not_executed(path: &CStr, error: &io::Error) -> String {
    let text = error.to_string();
    let text = text.split(" (os error").next().unwrap_or_default();
    format!("embargo: {}: {text}\n", shown(&path.to_string_lossy()))
}
