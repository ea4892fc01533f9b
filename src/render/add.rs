//! What `embargo add` asks, shows and says.

use std::io;
use std::path::Path;

use serde_json::{Value, json};

use crate::config::{Code, Diagnostic};
use crate::policy::Layer;

use super::prose::{backquoted, shown};
use super::refusal::JSON_VERSION;

/// Packs that speak of the same program.
pub fn known_to(program: &str, packs: &[&str]) -> String {
    format!(
        "note: {} of {} already: `embargo pack show {}`, and `extends` takes it over\n",
        if packs.len() == 1 {
            format!("pack {} speaks", packs[0])
        } else {
            format!("packs {} speak", packs.join(", "))
        },
        backquoted(program),
        packs[0]
    )
}

pub fn ask_reason(command: &str) -> String {
    format!("I must not use {} because … ", backquoted(command))
}

pub fn ask_alternative() -> String {
    "Instead, … (the next right step, as \"run `./gradlew {args}`\"; {rest}: without the command's own words; empty: the agent asks the user) ".to_owned()
}

/// The input ended where an answer was awaited.
pub fn not_answered() -> String {
    "the questions were not answered, so nothing was written\n\
     give the answers as options: --reason, --alternative"
        .to_owned()
}

/// Nothing to refuse.
pub fn no_command() -> String {
    "a rule needs a command to speak of\nembargo add gradle --reason \"it …\"".to_owned()
}

/// A rule on us.
pub fn our_own_name(name: &str) -> String {
    format!(
        "no shim may be called `{}`, so a rule on it would hold nowhere but in lines that are checked\n\
         verbs that loosen refuse an agent by themselves: nothing needs to be added",
        shown(name)
    )
}

/// No reason, and nobody to ask.
pub fn no_reason(command: &str) -> String {
    format!(
        "a rule without a reason teaches nothing, so none was written\n\
         embargo add {} --reason \"it …\" --alternative \"run `…`\"",
        shown(command)
    )
}

/// What an agent will read.
pub fn preview(said: &str) -> String {
    let lines = said.lines().map(|line| format!("  {line}\n"));
    std::iter::once("An agent that does it reads:\n".to_owned()).chain(lines).collect()
}

/// Where the rule is, and what is left to do.
pub fn written(id: &str, path: &Path, line: u32, layer: Layer) -> String {
    let next = match layer {
        Layer::Named => "check with it: embargo check --policy FILE 'LINE'",
        _ => "shims for every shell follow by `embargo shim sync`",
    };
    format!("rule {} written to {}:{line}; {next}\n", backquoted(id), file(path))
}

/// The same for a program.
pub fn json((path, line): (&Path, u32), is_written: bool, id: &str, rule: &str) -> Value {
    json!({
        "version": JSON_VERSION,
        "path": path.to_string_lossy(),
        "line": line,
        "written": is_written,
        "id": id,
        "rule": rule,
    })
}

/// The file has faults of its own.
pub fn broken_before(path: &Path, faults: &str) -> String {
    format!(
        "{} has errors already, so nothing was written\nmend these first:\n{faults}",
        file(path)
    )
}

/// The rule has faults.
pub fn faulty(faults: &str) -> String {
    format!("the rule does not hold, so nothing was written\n{faults}")
}

/// A fault of the rule that was to be written, with what may be done about it here: the file
/// that `explain` would look into is not there yet.
pub fn with_way_out(fault: Diagnostic) -> Diagnostic {
    let help = match fault.code {
        Code::InsteadRefused => {
            "except it: --unless --dry-run; or name the command in words, without back-quotes"
        }
        _ => return fault,
    };
    Diagnostic { help: help.to_owned(), ..fault }
}

/// The file has such a rule.
pub fn same_rule(path: &Path, line: u32) -> String {
    format!("a rule at {}:{line} says the same already, so nothing was written", file(path))
}

/// A file that a rule cannot be put into.
pub fn no_place(path: &Path) -> String {
    format!(
        "{} has no place for a rule\nin TOML rules stand under `[[embargo]]`, in JSON in the list `\"embargo\": []`",
        file(path)
    )
}

pub fn unreadable(path: &Path, why: &str) -> String {
    format!("{} cannot be read: {}", file(path), shown(why))
}

pub fn unwritable(path: &Path, error: &io::Error) -> String {
    let text = error.to_string();
    let why = text.split(" (os error").next().unwrap_or_default();
    format!("{} cannot be written: {why}\nwhat it would get is shown by `--dry-run`", file(path))
}

fn file(path: &Path) -> String {
    shown(&path.to_string_lossy())
}
