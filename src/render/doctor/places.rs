//! State, log and record, how embargo was built, and other embargoes.

use std::path::Path;

use crate::doctor::{Access, Home, Place as For};

use crate::sys::home::RecordError;

use super::super::log;
use super::super::prose::shown;
use super::{Place, Said, number, path, quoted, word};

pub(super) fn said(home: &Home, place: &Place) -> Said {
    match home {
        Home::Ready { place, path: at } => Said::seen(format!("{}: {}", name(*place), path(at))),
        Home::WillBeMade { place, path: at } => {
            Said::seen(format!("{}: {} (not there yet)", name(*place), path(at)))
        }
        Home::Gone { path: at } => Said::remedy(
            format!("state: {} is recorded and gone, so that no shim runs anything (88)", path(at)),
            format!("mkdir -p -m 700 {}", quoted(at)),
        ),
        Home::Unwritable { place, path: at, access } => {
            Said::remedy(unwritable(*place, at, *access), writable(at, *access))
        }
        Home::OthersMayWrite { place, path: at, mode } => Said::remedy(
            format!("{}: others may write to {} (mode {mode:04o})", name(*place), path(at)),
            format!("chmod go-w {}", quoted(at)),
        ),
        Home::OfAnother { place, path: at, owner } => Said::seen(format!(
            "{}: {} belongs to the user {owner}: it is read, and not written from here",
            name(*place),
            path(at)
        )),
        Home::NotADirectory { place, path: at } => Said::remedy(
            format!("{}: {} is no directory", name(*place), path(at)),
            format!("mv {0} {0}.old", quoted(at)),
        ),
        Home::NoHome => Said::seen("no home directory is known: HOME is not set"),
        Home::Whole { rows } => {
            let rows = usize::try_from(*rows).unwrap_or(usize::MAX);
            Said::seen(format!("the log is whole: {}", number(rows, "row")))
        }
        Home::ChainBroken { seq, file } => Said::remedy(
            format!(
                "the log is broken at row {seq} (`{} log --verify` says how); what comes after proves nothing",
                place.embargo
            ),
            moved(file),
        ),
        Home::LogUnreadable { why, file } => Said::remedy(
            format!("the log cannot be read: {}; verdicts stand, counts do not", shown(why)),
            moved(file),
        ),
        Home::Recorded { state } => Said::seen(format!("it names {}", path(state))),
        Home::NotRecorded { shim } => Said::remedy(
            format!(
                "{} has no home record: variables of the caller say where policy and state are",
                place.directory()
            ),
            match shim {
                Some(shim) => place.call(&format!("shim install --force {}", word(shim))),
                None => place.call("shim sync"),
            },
        ),
        Home::RecordUnusable { why, shim } => Said::remedy(
            format!("{}: no shim runs anything (88)", shown(why)),
            match shim {
                Some(shim) => place.call(&format!("shim install --force {}", word(shim))),
                None => format!("rm {}", quoted(&place.directory.join(crate::sys::home::RECORD))),
            },
        ),
        Home::Static => Said::seen("static: a call costs about 1.2 times a minimal exec"),
        Home::StaticButMovable => {
            Said::remedy("static and position-independent: it is relocated at every call", BUILD)
        }
        Home::Dynamic => Said::remedy(
            "dynamic: a call costs about 2.6 times a minimal exec; the static musl build costs 1.2",
            BUILD,
        ),
        Home::NoElf => Said::seen("this binary is no ELF file that embargo can read"),
        Home::Alone => Said::seen("no other embargo is on PATH"),
        Home::OtherBinary { path: at } => Said::remedy(
            format!("{} is another embargo than this one", path(at)),
            format!("{} --version", quoted(at)),
        ),
        Home::OtherShims { path: at } => Said::remedy(
            format!("{} is another directory of shims", path(at)),
            format!("{} doctor --dir {}", place.embargo, quoted(at)),
        ),
        Home::NoDirectory => Said::seen("there is no directory of shims"),
    }
}

const BUILD: &str = "scripts/musl-target && cargo musl --target \"$(uname -m)-unknown-linux-musl\"";

fn name(place: For) -> &'static str {
    match place {
        For::Config => "config",
        For::State => "state",
        For::Cache => "cache",
    }
}

fn unwritable(place: For, at: &Path, access: Access) -> String {
    let why = match access {
        Access::Denied => "cannot be written by this user",
        Access::ReadOnly => "is on a read-only file system",
    };
    let so = match place {
        For::Config => "it is only read",
        For::State => "counts and the log are not kept; verdicts stand",
        For::Cache => "policies are compiled at every call; verdicts stand",
    };
    format!("{}: {} {why}: {so}", name(place), path(at))
}

fn writable(at: &Path, access: Access) -> String {
    match access {
        Access::Denied => format!("chown -R \"$(id -u)\" {0} && chmod -R u+rwX {0}", quoted(at)),
        Access::ReadOnly => format!("let the sandbox write to {}", path(at)),
    }
}

fn moved(file: &Path) -> String {
    format!("mv {0} {0}.old", quoted(file))
}

/// Why a home record cannot be used.
pub fn unusable(directory: &Path, error: &RecordError) -> String {
    log::no_record(directory, error).lines().next().unwrap_or_default().to_owned()
}
