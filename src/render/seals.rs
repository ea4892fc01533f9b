//! Seals for people: the list, and what `seal` and `unseal` have to say.

use std::collections::BTreeSet;
use std::io;
use std::path::Path;

use bstr::{BString, ByteSlice};
use serde_json::{Value, json};

use crate::seal::{Change, Class, Drift, Forbidden, Object, Seal, SealId, Standing, Tier};
use crate::sys::store::StoreError;

use super::log::time;
use super::prose::{backquoted, clause, shown};
use super::refusal::JSON_VERSION;

/// A line each.
pub fn list(seals: &[Seal]) -> String {
    if seals.is_empty() {
        return "nothing is sealed\n".to_owned();
    }
    let line = |seal: &Seal| {
        let check = seal.check.as_ref().map(|check| format!(" by `{}`", shown(&check.name)));
        let said = seal.reason.as_deref().map(|r| format!(": {}", clause(r)));
        let reason = check.or(said).unwrap_or_default();
        let stale = match (seal.standing, &seal.check) {
            (Standing::Stale, Some(check)) => {
                format!("; must be revalidated: {}", backquoted(&check.command))
            }
            (Standing::Stale, None) => "; must be looked at".to_owned(),
            _ => String::new(),
        };
        format!(
            "{:4} {:10} {:5} {} {}{reason}{stale}\n",
            seal.tier.name(),
            seal.class.name(),
            seal.standing.name(),
            time(seal.at_ms),
            path(&seal.path),
        )
    };
    seals.iter().map(line).collect()
}

/// For programs.
pub fn json(seals: &[Seal]) -> Value {
    let one = |seal: &Seal| {
        let (kind, digest, size, files) = match &seal.object {
            Object::File { digest, size, .. } => ("file", Some(hex(digest)), Some(*size), None),
            Object::Tree { digest, files } => ("tree", Some(hex(digest)), None, Some(*files)),
            Object::Link { .. } => ("link", None, None, None),
        };
        json!({
            "id": seal.id.0,
            "path": seal.path.to_str_lossy(),
            "target": seal.target.as_ref().map(|t| t.to_str_lossy()),
            "class": seal.class.name(),
            "tier": seal.tier.name(),
            "standing": seal.standing.name(),
            "object": kind,
            "digest": digest,
            "size": size,
            "files": files,
            "reason": seal.reason,
            "alternative": seal.alternative,
            "at_ms": seal.at_ms,
            "session": seal.session,
            "check": seal.check.as_ref().map(|check| &check.name),
            "command": seal.check.as_ref().map(|check| &check.command),
        })
    };
    json!({ "version": JSON_VERSION, "seals": seals.iter().map(one).collect::<Vec<_>>() })
}

/// What is not as it was sealed, a line each, and how many of the seals are looked at.
pub fn drifts(seals: &[Seal], drifts: &[Drift]) -> String {
    let line = |drift: &Drift| {
        let what = match drift.change {
            Change::Gone => "is gone",
            Change::Content => "has other bytes",
            Change::Mode => "has other permissions",
            Change::Kind => "is another kind of thing",
            Change::Link => "leads elsewhere",
        };
        format!("{:8} {} {what}\n", drift.change.name(), path(&drift.path))
    };
    let lines: String = drifts.iter().map(line).collect();
    let all = match seals.len() {
        0 => "nothing is sealed".to_owned(),
        1 => "1 seal".to_owned(),
        count => format!("{count} seals"),
    };
    let broken: BTreeSet<SealId> = drifts.iter().map(|drift| drift.seal).collect();
    match broken.len() {
        0 if seals.is_empty() => format!("{all}\n"),
        0 => format!("{all}: everything is as it was sealed\n"),
        count => format!("{lines}{all}, {count} of them not as sealed\n"),
    }
}

/// For programs.
pub fn drifts_json(seals: &[Seal], drifts: &[Drift], unread: &[(BString, io::Error)]) -> Value {
    let one = |drift: &Drift| {
        let seal = seals.iter().find(|seal| seal.id == drift.seal);
        json!({
            "seal": drift.seal.0,
            "path": drift.path.to_str_lossy(),
            "change": drift.change.name(),
            "class": seal.map(|seal| seal.class.name()),
            "check": seal.and_then(|seal| seal.check.as_ref()).map(|check| &check.name),
        })
    };
    let unread: Vec<_> = unread.iter().map(|(path, _)| path.to_str_lossy()).collect();
    let drift: Vec<_> = drifts.iter().map(one).collect();
    json!({ "version": JSON_VERSION, "seals": seals.len(), "drift": drift, "unread": unread })
}

/// Is it as it was sealed? Nobody knows.
pub fn not_read(at: &BString, error: &io::Error) -> String {
    format!("embargo: {} cannot be read: {error}\n", path(at))
}

/// It is done.
pub fn sealed(at: &BString, class: Class, tier: Tier, object: &Object) -> String {
    let what = match object {
        Object::Tree { files: 1, .. } => ", 1 file in it".to_owned(),
        Object::Tree { files, .. } => format!(", {files} files in it"),
        Object::File { .. } | Object::Link { .. } => String::new(),
    };
    format!("sealed {} ({}, {}{what})\n", path(at), class.name(), tier.name())
}

pub fn ended(seal: &Seal) -> String {
    format!("{} is not sealed any more\n", path(&seal.path))
}

/// What everything stands on.
pub fn forbidden(at: &BString, why: Forbidden) -> String {
    let why = match why {
        Forbidden::Root => "it is the whole machine",
        Forbidden::Home => "a home directory is in it or is it",
        Forbidden::System => "it is the system's",
    };
    format!("{} is not sealed: {why}\nname what is to be kept in it; nothing was sealed", path(at))
}

pub fn unread(at: &BString, error: &io::Error) -> String {
    format!("{} cannot be sealed: {error}\nnothing was sealed", path(at))
}

/// Sealed before, and changed since.
pub fn is_changed(seal: &Seal) -> String {
    format!(
        "{} is sealed already, since {}, and is not as it was sealed\n\
         a person looks at it and runs `embargo unseal`; nothing was sealed",
        path(&seal.path),
        time(seal.at_ms)
    )
}

pub fn nothing_there(at: &BString) -> String {
    format!("{} is not sealed, and nothing in it is\n`embargo seals` lists what is", path(at))
}

pub fn no_terminal() -> String {
    "a seal is ended by a person at a terminal, and there is none\n\
     run `embargo unseal` in a shell of your own"
        .to_owned()
}

/// The question; what it is about is listed above it.
pub fn end_them(count: usize) -> String {
    let what = if count == 1 { "this seal".to_owned() } else { format!("these {count} seals") };
    format!("End {what}? Type `yes`: ")
}

pub fn not_the_owner(state: &Path) -> String {
    format!(
        "embargo: not sealed: the state in {} belongs to another user\n",
        backquoted(&state.to_string_lossy())
    )
}

pub fn not_sealed(error: &StoreError) -> String {
    format!("embargo: not sealed: {}\n", shown(&error.of("ledger")))
}

pub fn not_ended(error: &StoreError) -> String {
    format!("embargo: no seal was ended: {}\n", shown(&error.of("ledger")))
}

pub fn unreadable(error: &StoreError) -> String {
    format!("embargo: what is sealed cannot be known: {}\n", shown(&error.of("ledger")))
}

fn path(bytes: &BString) -> String {
    shown(&bytes.to_str_lossy())
}

fn hex(digest: &[u8]) -> String {
    digest.iter().map(|byte| format!("{byte:02x}")).collect()
}
