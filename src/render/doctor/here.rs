//! PATH, shells, and what hides a shim from them.

use std::path::PathBuf;

use crate::doctor::{Met, NotAsked, OfPath, Reach, Shell, StartUp, of_path};

use super::super::prose::{backquoted, shown};
use super::{Place, Said, number, path, word};

pub(super) fn said(reach: &Reach, place: &Place) -> Said {
    match reach {
        Reach::First => Said::seen(format!("{} is first on PATH", place.directory())),
        Reach::Inherited { start_up } => Said::remedy(
            format!(
                "{} is first on PATH by what it has from here; a terminal that is opened anew does not have that",
                place.directory()
            ),
            in_front(start_up, place),
        ),
        Reach::NoDirectory => Said::remedy(
            format!("there is no {}: no shim was ever installed", place.directory()),
            place.call("shim sync"),
        ),
        Reach::Behind { before, met, start_up } => {
            Said::remedy(behind(before, met, place), in_front(start_up, place))
        }
        Reach::NotOnPath { start_up } => {
            Said::remedy(format!("{} is not on PATH", place.directory()), in_front(start_up, place))
        }
        Reach::NotAsked(why) => Said::seen(not_asked(why)),
        Reach::MetByName { names } => Said::seen(format!(
            "no alias or function hides one of {}",
            number(*names, "shimmed name")
        )),
        Reach::Alias { name, text, start_up } => Said::remedy(
            format!(
                "{} is an alias of {}, so its shim is not met",
                backquoted(name),
                backquoted(text)
            ),
            last_line(start_up, |shell| unaliased(shell, name)),
        ),
        Reach::AliasToNothing { name, text, missing, start_up } => Said::remedy(
            format!(
                "{} is an alias of {}, and {} is not there",
                backquoted(name),
                backquoted(text),
                backquoted(missing)
            ),
            last_line(start_up, |shell| unaliased(shell, name)),
        ),
        Reach::AliasToShim { name, command } => Said::seen(format!(
            "{} is an alias of {}, which is shimmed",
            backquoted(name),
            backquoted(command)
        )),
        Reach::Function { name, start_up } => Said::remedy(
            format!("{} is a function, so its shim is not met", backquoted(name)),
            last_line(start_up, |shell| match shell {
                Shell::Fish => format!("functions --erase {}", word(name)),
                _ => format!("unset -f {}", word(name)),
            }),
        ),
        Reach::FunctionAround { name } => Said::seen(format!(
            "{} is a function that runs `command {}`: the shim is met there",
            backquoted(name),
            shown(name)
        )),
        Reach::Builtin { name } => Said::seen(format!(
            "{} is built into the shell, which runs its own and meets no shim",
            backquoted(name)
        )),
        Reach::Remembered { name, path: file, start_up } => Said::remedy(
            format!(
                "the shell runs {} for {}, not the first on PATH",
                path(file),
                backquoted(name)
            ),
            last_line(start_up, |_| "hash -r".to_owned()),
        ),
        Reach::NoHarness => Said::seen("no harness is known by its variables or processes"),
        Reach::Harness { name, variables } => harness(name, variables, place),
    }
}

fn behind(before: &[PathBuf], met: &[Met], place: &Place) -> String {
    let first = before.first().map(|first| path(first)).unwrap_or_default();
    let others = match before.len() {
        0 | 1 => String::new(),
        n => format!(" and {} more", n - 1),
    };
    let met = match met {
        [] => "no shimmed name is there yet".to_owned(),
        met => {
            let one = |met: &Met| format!("{} at {}", backquoted(&met.name), path(&met.program));
            format!("met there: {}", met.iter().map(one).collect::<Vec<_>>().join(", "))
        }
    };
    format!("{first}{others} stands before {} on PATH; {met}", place.directory())
}

/// The line that puts the directory in front, for good where a start-up file is known.
fn in_front(start_up: &Option<StartUp>, place: &Place) -> String {
    match start_up {
        None => format!("eval \"$({})\"", place.call("env")),
        Some(StartUp { shell: Shell::Fish, file }) => {
            format!(
                "echo {} >> {file}",
                word(&format!("{} | source", place.call_at_start("env --shell fish")))
            )
        }
        Some(StartUp { shell, file }) => {
            let call = place.call_at_start(&format!("env --shell {}", shell.name()));
            format!("echo {} >> {file}", word(&format!("eval \"$({call})\"")))
        }
    }
}

/// Added at the end of a start-up file.
fn last_line(start_up: &Option<StartUp>, line: impl Fn(Shell) -> String) -> String {
    match start_up {
        None => line(Shell::Sh),
        Some(StartUp { shell, file }) => format!("echo {} >> {file}", word(&line(*shell))),
    }
}

fn unaliased(shell: Shell, name: &str) -> String {
    match shell {
        Shell::Fish => format!("functions --erase {}", word(name)),
        _ => format!("unalias {}", word(name)),
    }
}

fn not_asked(why: &NotAsked) -> String {
    match why {
        NotAsked::NoShell => "SHELL is not set, so that no shell of the user's is known".to_owned(),
        NotAsked::UnknownShell(shell) => {
            format!("{} is no shell that embargo knows (bash, zsh, fish, sh)", backquoted(shell))
        }
        NotAsked::NotStarted { shell, why } => {
            let why = why.split(" (os error").next().unwrap_or_default();
            format!("{} cannot be started: {why}", backquoted(shell))
        }
        NotAsked::TimedOut { call, seconds } => {
            format!("{} had not answered after {seconds} s", backquoted(call))
        }
        NotAsked::Silent { call } => format!("{} ended without an answer", backquoted(call)),
        NotAsked::Interrupted => "it was interrupted".to_owned(),
        NotAsked::NoDirectory => "there is no directory of shims".to_owned(),
        NotAsked::NoNames => "no name is shimmed".to_owned(),
    }
}

fn harness(name: &str, variables: &[&str], place: &Place) -> Said {
    let by = match variables {
        [] => "by a process above".to_owned(),
        set => set.join(", "),
    };
    let (does, remedy) = match of_path(name) {
        OfPath::KeptInSnapshot => (
            "it sources a snapshot of the shell, with the PATH that it was started with",
            format!(
                "start it with the shims in front: eval \"$({})\"; or embargo hook install claude-code, \
                 whose sessions put them first",
                place.call("env")
            ),
        ),
        OfPath::Kept => (
            "it runs a plain shell, with the PATH that it was started with",
            format!("start it with the shims in front: eval \"$({})\"", place.call("env")),
        ),
        OfPath::LoginShell => (
            "it runs a login shell for each command, so that the profile has the last word on PATH",
            "embargo hook install codex: it puts the shims first in config.toml and in the profile; \
             or mend what `login-shell` found"
                .to_owned(),
        ),
        OfPath::LoginDump => (
            "it restores what a login shell had before each command, so that the profile has the last word on PATH",
            "embargo hook install cursor: it puts the shims first at the profile's end, for agents alone; \
             then start it again"
                .to_owned(),
        ),
        OfPath::Terminal => (
            "it uses an editor's terminal, with PATH by the shell's start-up files and the editor's settings",
            format!(
                "mend what the shells' checks found, or put {} first in `terminal.integrated.env`",
                place.directory()
            ),
        ),
        OfPath::Unknown => (
            "what it does to PATH is not known to embargo",
            format!("let the agent run it: {}", place.call("doctor")),
        ),
    };
    Said::remedy(format!("{} ({}): {does}", shown(name), shown(&by)), remedy)
}
