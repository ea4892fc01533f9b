//! What `embargo init` finds, asks and writes.

use std::io;
use std::path::Path;

use serde_json::{Value, json};

use crate::config::{Proposal, Undecided};

use super::prose::{backquoted, shown};
use super::refusal::JSON_VERSION;

/// A line for each pack that suits, with what speaks for it.
pub fn found(proposals: &[Proposal]) -> String {
    let line = |p: &Proposal| {
        let (name, found) = (p.pack.name, &p.found);
        let begin =
            if found == "`--pack`" { "asked for".to_owned() } else { format!("{found} found") };
        match p.instead_of {
            None => format!("{begin}: pack {name} ({})\n", p.pack.summary()),
            Some(other) => {
                format!("{begin}: pack {name} is left out, it cannot be combined with {other}\n")
            }
        }
    };
    proposals.iter().map(line).collect()
}

/// A line for each file that leaves open which pack suits.
pub fn undecided(files: &[Undecided]) -> String {
    let line = |(file, packs): &Undecided| {
        let packs: Vec<String> = packs.iter().map(|name| format!("`--pack {name}`")).collect();
        format!(
            "{} found, and no other file says what it is built with: {} (later: `embargo pack add NAME`)\n",
            backquoted(file),
            packs.join(", ")
        )
    };
    files.iter().map(line).collect()
}

/// The policy file that takes these packs over.
pub fn file(taken: &[&Proposal]) -> String {
    let width = taken.iter().map(|p| p.pack.name.len()).max().unwrap_or_default() + 3;
    let entry = |p: &&Proposal| {
        let name = format!("\"{}\",", p.pack.name);
        format!("    {name:width$}  # {}\n", p.found.replace('`', ""))
    };
    let entries: String = taken.iter().map(entry).collect();
    format!(
        "\
# What an agent must not run in this project, why, and what to do instead.
#
# `embargo pack show NAME` shows what a pack refuses, `embargo add COMMAND` writes a rule of
# your own below, `embargo lint` finds what is wrong, `embargo test` runs the rules' examples.
extends = [
{entries}]
"
    )
}

/// The same for a program.
pub fn json(
    path: &Path,
    is_written: bool,
    (proposals, undecided): (&[Proposal], &[Undecided]),
    text: &str,
) -> Value {
    let open = |(file, packs): &Undecided| json!({ "file": file, "packs": packs });
    let proposal = |p: &Proposal| {
        json!({
            "pack": p.pack.name,
            "found": p.found.replace('`', ""),
            "summary": p.pack.summary(),
            "left_out_for": p.instead_of,
        })
    };
    json!({
        "version": JSON_VERSION,
        "path": path.to_string_lossy(),
        "written": is_written,
        "packs": proposals.iter().map(proposal).collect::<Vec<_>>(),
        "undecided": undecided.iter().map(open).collect::<Vec<_>>(),
        "text": text,
    })
}

/// A policy of a directory above, which counts as well.
pub fn also(path: &Path) -> String {
    format!("{} is in force here already, and stays so\n", file_name(path))
}

pub fn question(path: &Path) -> String {
    format!("Write {}? [Y/n] ", file_name(path))
}

/// What is left to do.
pub fn written(path: &Path) -> String {
    format!(
        "{} written. Start an agent below it with `embargo run -- AGENT`, or make shims for every shell: `embargo shim sync`\n",
        file_name(path)
    )
}

/// No terminal, and no `--yes`.
pub fn not_asked() -> String {
    "embargo: nothing was written, since nobody can be asked here: `embargo init --yes` writes it\n"
        .to_owned()
}

/// No pack suits.
pub fn nothing(directory: &Path) -> String {
    format!(
        "embargo: nothing in {} speaks for a pack, so nothing was written\n  \
         embargo pack list             shows those that there are, for `embargo init --pack NAME`\n  \
         embargo add COMMAND           writes a rule of your own\n",
        file_name(directory)
    )
}

pub fn is_there(path: &Path) -> String {
    format!(
        "{} is there, and is not overwritten\n`embargo pack add NAME` puts a pack into it (embargo pack list), `embargo add COMMAND` a rule",
        file_name(path)
    )
}

/// Two of `--pack`.
pub fn rivals(name: &str, other: &str) -> String {
    format!(
        "pack {} cannot be combined with {}\nname one of them",
        backquoted(name),
        backquoted(other)
    )
}

pub fn no_directory() -> String {
    "the working directory is gone\nchange to the project's directory, then run this again"
        .to_owned()
}

pub fn unreadable(path: &Path, error: &io::Error) -> String {
    format!("{} cannot be read: {}", file_name(path), plain(error))
}

pub fn unwritable(path: &Path, error: &io::Error) -> String {
    format!(
        "{} cannot be written: {}\nwhat it would hold is shown by `--dry-run`",
        file_name(path),
        plain(error)
    )
}

fn plain(error: &io::Error) -> String {
    let text = error.to_string();
    text.split(" (os error").next().unwrap_or_default().to_owned()
}

fn file_name(path: &Path) -> String {
    shown(&path.to_string_lossy())
}
