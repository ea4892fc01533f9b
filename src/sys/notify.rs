//! Tells a person, beside and never in front of what is going on: nothing waits
//! for a notifier, and whether it worked changes nothing.

#[cfg(test)]
mod tests;

use std::ffi::OsStr;
use std::fs::OpenOptions;
use std::io::Write as _;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt as _};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::redact;

/// What a person is told.
#[derive(Debug, Clone, Copy)]
pub struct Notice<'a> {
    /// One line.
    pub summary: &'a str,
    pub detail: &'a str,
    /// More for programs: `("RULE", "no-gradle")` becomes `EMBARGO_RULE`.
    pub variables: &'a [(&'a str, &'a str)],
}

/// Starts the configured notifier with summary and detail as its last words, else
/// the desktop's own. `path_dirs` are the directories of PATH after our own, so
/// that neither it nor what it calls is a shim of ours. Was one started?
pub fn tell(argv: &[String], path_dirs: &[PathBuf], notice: &Notice<'_>) -> bool {
    let (summary, detail) = (short(notice.summary), short(notice.detail));
    let command = match argv.split_first() {
        Some((program, options)) => find(program, path_dirs).map(|path| {
            let mut command = Command::new(path);
            command.args(options).args([&summary, &detail]);
            command
        }),
        None => of_desktop(path_dirs, &summary, &detail),
    };
    let Some(mut command) = command else { return false };
    if let Ok(path) = std::env::join_paths(path_dirs) {
        command.env("PATH", path);
    }
    command.env("EMBARGO_SUMMARY", &summary).env("EMBARGO_DETAIL", &detail);
    command.envs(notice.variables.iter().map(|(name, v)| (format!("EMBARGO_{name}"), short(v))));
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    // A Ctrl-C or a harness that ends its call's process group does not end it.
    command.process_group(0).spawn().is_ok()
}

/// Rings the bell of the terminal that this process belongs to, where nobody could be told
/// otherwise: whoever sits there looks up, and finds what was said.
pub fn ring() -> bool {
    let flags = libc::O_NOCTTY | libc::O_NONBLOCK;
    let terminal = OpenOptions::new().write(true).custom_flags(flags).open("/dev/tty");
    terminal.is_ok_and(|mut terminal| terminal.write_all(b"\x07").is_ok())
}

fn of_desktop(path_dirs: &[PathBuf], summary: &str, detail: &str) -> Option<Command> {
    const SCRIPT: [&str; 6] = [
        "-e",
        "on run argv",
        "-e",
        "display notification (item 2 of argv) with title (item 1 of argv)",
        "-e",
        "end run",
    ];
    if cfg!(target_os = "macos") {
        let mut command = Command::new(find("/usr/bin/osascript", path_dirs)?);
        command.args(SCRIPT).args([summary, detail]);
        return Some(command);
    }
    let is_set = |name| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    if !is_set("DISPLAY") && !is_set("WAYLAND_DISPLAY") {
        return None;
    }
    let mut command = Command::new(find("notify-send", path_dirs)?);
    command.args(["--app-name=embargo", "--", summary, detail]);
    Some(command)
}

/// An absolute path, or a name looked for in these directories. A path relative to
/// wherever the agent is would be the agent's to fill.
fn find(program: &str, path_dirs: &[PathBuf]) -> Option<PathBuf> {
    if Path::new(program).is_absolute() {
        return Some(PathBuf::from(program)).filter(|path| is_other_program(path));
    }
    let is_name = !program.is_empty() && !program.contains('/');
    let absolute = path_dirs.iter().filter(|directory| directory.is_absolute() && is_name);
    absolute.map(|directory| directory.join(OsStr::new(program))).find(|p| is_other_program(p))
}

/// Executable, and not this program under another name: a refused notifier would
/// be told of, by a notifier.
fn is_other_program(path: &Path) -> bool {
    let Ok(found) = path.metadata() else { return false };
    let us = std::env::current_exe().and_then(|path| path.metadata());
    let is_us = us.is_ok_and(|us| (us.dev(), us.ino()) == (found.dev(), found.ino()));
    found.is_file() && found.mode() & 0o111 != 0 && !is_us
}

/// No variable or argument that a kernel would refuse; NUL cannot be passed on.
fn short(text: &str) -> String {
    const LENGTH: usize = 4096;
    redact::cut(text, LENGTH).replace('\0', "?")
}
