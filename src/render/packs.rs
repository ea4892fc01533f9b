//! Packs, and why one is proposed.

use serde_json::{Value, json};

use crate::config::Pack;

use super::prose::backquoted;
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
