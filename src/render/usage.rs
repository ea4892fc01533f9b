//! What the command line says of itself when it is used in a way it cannot follow.

use std::io;
use std::path::Path;

use bstr::BString;

use crate::command::join;

use super::prose::{backquoted, shown};

/// A verb that could not do its work.
pub fn failed(why: &str) -> String {
    let mut lines = why.lines().map(shown);
    let first = lines.next().unwrap_or_default();
    let rest: String = lines.map(|line| format!("  {line}\n")).collect();
    format!("embargo: {first}\n{rest}")
}

/// An error of the system without its number.
pub fn plain(error: &io::Error) -> String {
    let text = error.to_string();
    text.split(" (os error").next().unwrap_or_default().to_owned()
}

/// Standard output goes where nothing can be written, as on a full disk.
pub fn unwritten(error: &io::Error) -> String {
    format!("standard output could not be written: {}", plain(error))
}

/// `check git push`: a line, or the words of a command?
pub fn several_words(words: &[BString]) -> String {
    let words = join(words);
    format!(
        "one LINE is asked for, and these are several words\n\n  \
         as a line of shell text:  '{}'\n  as a command's words:     --argv {words}",
        words.replace('\'', "'\"'\"'")
    )
}

/// `shim install 'git push'`: rules speak of commands, shims stand for programs.
pub fn shim_of_command(command: &str, program: &str) -> String {
    let (command, program) = (backquoted(command), backquoted(program));
    format!("a shim stands for a program; for {command} install {program}")
}

/// What somebody means who gives a verb that there is not.
pub fn verb_meant(verb: &[u8]) -> Option<&'static str> {
    Some(match verb {
        b"version" => "the version is shown by `embargo --version`",
        b"why" => "why a line is refused is said by `embargo explain 'LINE'`",
        b"policy" | b"rules" => "the rules in force are shown by `embargo brief`",
        b"rm" | b"remove" => "shims are taken away by `embargo shim uninstall NAME`",
        b"install" => "shims are installed with `embargo shim install`",
        b"list" => "shims are listed with `embargo shim list`",
        b"status" => {
            "shims are shown by `embargo shim list`, what is wrong with them by `embargo doctor`"
        }
        _ => return None,
    })
}

/// A file or directory that cannot be written.
pub fn not_written(path: &Path, error: &io::Error) -> String {
    format!("{} cannot be written: {}", shown(&path.to_string_lossy()), plain(error))
}

/// A file that is to be looked through.
pub fn not_read(path: &Path, error: &io::Error) -> String {
    format!("{} cannot be read: {}", shown(&path.to_string_lossy()), plain(error))
}

/// A shell that `env` has no words for.
pub fn unknown_shell(shell: &str) -> String {
    format!(
        "no way is known to set PATH in `{}`\nname one that is: embargo env --shell sh",
        shown(shell)
    )
}

/// What was to be judged cannot be had: nothing is said of it.
pub fn no_input(error: &std::io::Error) -> String {
    let error = error.to_string();
    let error = error.split(" (os error").next().unwrap_or_default();
    format!("standard input cannot be judged: {error}\ngive the line as an argument, or less of it")
}

/// `env` or `shim` without a place to look in.
pub fn no_home() -> String {
    "no home directory is known, so there is no place for shims\n\
     set HOME to an absolute path, or name a directory: --dir /opt/embargo/shims"
        .to_owned()
}

/// Without a place for policies and evidence, wherever the shims are.
pub fn no_places() -> String {
    "no home directory is known, so there is no place for policies and evidence\n\
     set HOME to an absolute path"
        .to_owned()
}
