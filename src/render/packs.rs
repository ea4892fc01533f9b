//! Packs, and why one is proposed.

use std::path::Path;

use serde_json::{Value, json};

use crate::config::Pack;

use super::prose::{backquoted, shown};
use super::refusal::JSON_VERSION;

/// A line each: name, and what it is for.
pub fn list(packs: impl Iterator<Item = Pack>) -> String {
    let packs: Vec<Pack> = packs.collect();
    let width = packs.iter().map(|pack| pack.name.len()).max().unwrap_or_default();
    let lines = packs.iter().map(|pack| format!("{:width$}  {}\n", pack.name, pack.summary()));
    lines.collect()
}

/// The same for a program, with rules and conflicts.
pub fn json(packs: impl Iterator<Item = Pack>) -> Value {
    let pack = |pack: Pack| {
        json!({
            "name": pack.name,
            "summary": pack.summary(),
            "rules": pack.rules(),
            "conflicts": pack.conflicts(),
        })
    };
    json!({ "version": JSON_VERSION, "packs": packs.map(pack).collect::<Vec<_>>() })
}

/// A name that is no pack's.
pub fn unknown(name: &str, help: &str) -> String {
    format!("there is no pack {}\n{help}", backquoted(name))
}

/// A file that has the pack already.
pub fn is_there(name: &str, path: &Path) -> String {
    format!("pack {} is in {} already\n", backquoted(name), file(path))
}

/// What was written, and what is left to do.
pub fn added(names: &[&str], path: &Path) -> String {
    let names: Vec<String> = names.iter().map(|name| backquoted(name)).collect();
    let packs = if names.len() == 1 { "pack" } else { "packs" };
    format!(
        "{packs} {} added to {}; shims for every shell follow by `embargo shim sync`\n",
        names.join(", "),
        file(path)
    )
}

/// A file whose `extends` cannot be written into.
pub fn no_place(path: &Path) -> String {
    format!(
        "{} has no list that packs could be put into, so nothing was written\nwrite `extends = [\"NAME\"]` above the first table",
        file(path)
    )
}

/// With the packs the file would have faults.
pub fn faulty(faults: &str) -> String {
    format!("that would not hold, so nothing was written\n{faults}")
}

fn file(path: &Path) -> String {
    shown(&path.to_string_lossy())
}
