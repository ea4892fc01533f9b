//! Shells that are really started, and asked what they make of PATH and of names. What their
//! start-up files print besides does not matter.

mod script;

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use bstr::ByteSlice as _;

use crate::command::quote;
use crate::doctor::{self, Meant, NotAsked, Resolved, Shell, Start, StartUp, meant};

use super::bounded::{self, Stopped};
use super::{clock, environment};

/// A shell that has not answered by then waits for something.
const SECONDS: u64 = 5;

/// The user's shell, and which of those we know it is.
#[derive(Debug, Clone)]
pub struct UsersShell {
    pub path: PathBuf,
    pub kind: Shell,
}

/// What a shell said.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Answer {
    /// As programs that it starts get it.
    pub path: Vec<u8>,
    /// Those that were asked about and can be spelled without quotes.
    pub names: Vec<(String, Said)>,
}

/// What it makes of a name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Said {
    Alias(String),
    Function(String),
    Builtin,
    File(PathBuf),
    Nothing,
}

/// The one in SHELL.
pub fn users() -> Result<UsersShell, NotAsked> {
    let shell = environment::text("SHELL").filter(|shell| !shell.is_empty());
    let path = PathBuf::from(shell.ok_or(NotAsked::NoShell)?);
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    match Shell::named(&name) {
        Some(kind) if path.is_absolute() => Ok(UsersShell { path, kind }),
        _ => Err(NotAsked::UnknownShell(path.to_string_lossy().into_owned())),
    }
}

/// The one that programs start.
pub fn plain() -> UsersShell {
    UsersShell { path: PathBuf::from("/bin/sh"), kind: Shell::Sh }
}

/// The start-up file of this shell that is the user's.
pub fn start_up(shell: &UsersShell, start: Start) -> Option<StartUp> {
    let found = doctor::start_up(shell.kind, start, |file| at_home(file).exists())?;
    // Where a variable moves those of a shell.
    let (usual, moved) = match shell.kind {
        Shell::Zsh => ("~/", environment::text("ZDOTDIR")),
        Shell::Fish => ("~/.config/", environment::text("XDG_CONFIG_HOME")),
        Shell::Bash | Shell::Sh => return Some(found),
    };
    let moved = moved.filter(|directory| directory.starts_with('/'));
    let file = match (found.file.strip_prefix(usual), moved) {
        (Some(name), Some(directory)) => quote(format!("{directory}/{name}").as_bytes()),
        _ => found.file,
    };
    Some(StartUp { file, ..found })
}

/// Starts the shell, and asks.
pub fn ask(shell: &UsersShell, start: Start, names: &[String]) -> Result<Answer, NotAsked> {
    ask_on(None, shell, start, names)
}

/// The same with this PATH to begin with, where one is given.
pub fn ask_on(
    path: Option<&OsStr>,
    shell: &UsersShell,
    start: Start,
    names: &[String],
) -> Result<Answer, NotAsked> {
    let mark = format!("@embargo-doctor-{}-{}@", std::process::id(), clock::now_ns());
    let call = format!("{} {}", shell.path.display(), start.option());
    let mut command = Command::new(&shell.path);
    command.args([start.option(), &script::script(shell.kind, &mark, names)]);
    command.envs(path.map(|path| ("PATH", path)));
    let end = format!("{mark}{}", script::END);
    let ended = bounded::run(command, Duration::from_secs(SECONDS), Some(end.as_bytes()));
    let ended = ended.map_err(|stopped| match stopped {
        Stopped::NotStarted(e) => {
            let shell = shell.path.to_string_lossy().into_owned();
            NotAsked::NotStarted { shell, why: e.to_string() }
        }
        Stopped::TimedOut => NotAsked::TimedOut { call: call.clone(), seconds: SECONDS },
        Stopped::Interrupted => NotAsked::Interrupted,
    })?;
    read(shell.kind, &ended.stdout, &mark).ok_or(NotAsked::Silent { call })
}

/// The records between the marks; none where the last is missing.
fn read(kind: Shell, bytes: &[u8], mark: &str) -> Option<Answer> {
    let text = |bytes: &[u8]| bytes.to_str_lossy().into_owned();
    let mut answer = Answer::default();
    let mut is_whole = false;
    for record in bytes.split_str(mark).skip(1) {
        match record.split_first() {
            Some((b'P', path)) => answer.path = path.to_owned(),
            Some((b'N', rest)) => {
                let mut fields = rest.splitn_str(3, "\u{1f}").map(text);
                let mut field = || fields.next().unwrap_or_default();
                let (name, what, value) = (field(), field(), field());
                let said = script::said(kind, &name, what.trim(), value.trim());
                answer.names.push((name, said));
            }
            Some((b'.', _)) => is_whole = true,
            _ => {}
        }
    }
    is_whole.then_some(answer)
}

/// Names as the judgement takes them: `is_shim` says whether a file
/// is what a name should lead to, and `ask` asks the
/// same shell once more, what commands of aliases are to it.
pub fn resolve(
    names: Vec<(String, Said)>,
    is_shim: impl Fn(&str, &Path) -> bool,
    ask: impl Fn(&[String]) -> Vec<(String, Said)>,
) -> Vec<(String, Resolved)> {
    let alias = |said: &Said| match said {
        Said::Alias(text) => Some(meant(text).command),
        _ => None,
    };
    let commands: Vec<String> = names.iter().filter_map(|(_, said)| alias(said)).collect();
    let known = if commands.is_empty() { Vec::new() } else { ask(&commands) };
    let is_unknown =
        |command: &str| known.iter().any(|(name, said)| name == command && *said == Said::Nothing);
    let missing = |meant: &Meant| {
        let file = meant.paths.iter().find(|path| !at_home(path).exists()).cloned();
        file.or_else(|| is_unknown(&meant.command).then(|| meant.command.clone()))
    };
    let resolved = |name: &str, said: Said| match said {
        Said::Alias(text) => Resolved::Alias { missing: missing(&meant(&text)), text },
        Said::Function(text) => Resolved::Function(text),
        Said::Builtin => Resolved::Builtin,
        Said::File(path) => Resolved::File { is_shim: is_shim(name, &path), path },
        Said::Nothing => Resolved::Nothing,
    };
    let one = |(name, said): (String, Said)| {
        let resolved = resolved(&name, said);
        (name, resolved)
    };
    names.into_iter().map(one).collect()
}

/// PATH as a shell has told it.
pub fn os(path: &[u8]) -> &OsStr {
    OsStr::from_bytes(path)
}

fn at_home(path: &str) -> PathBuf {
    let home = environment::text("HOME").unwrap_or_default();
    path.strip_prefix("~/").map_or_else(|| PathBuf::from(path), |rest| Path::new(&home).join(rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chatter_around_the_marks_does_not_matter() {
        let rows: [(&str, Option<&[u8]>); 5] = [
            ("@mP/bin@m.", Some(b"/bin")),
            ("welcome!\n@mP/a:/b@mNrm\u{1f}alias\u{1f}rm -i@m.bye\n", Some(b"/a:/b")),
            ("@mP/bin", None),
            ("P/bin.", None),
            ("", None),
        ];
        for (text, path) in rows {
            let found = read(Shell::Bash, text.as_bytes(), "@m");
            assert_eq!(found.as_ref().map(|answer| &answer.path[..]), path, "{text:?}");
        }
    }
}
