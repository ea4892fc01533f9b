//! All descriptions: those that are compiled in, and a user's own.

use std::sync::OnceLock;

use crate::command::Catalogue;

use super::source::Page;
use super::{Code, Diagnostic, SourceText, description};

/// The descriptions of `shims/`, read by the build script.
static COMPILED_IN: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/catalogue.bin"));

/// Every description, a user's own in place of a compiled-in one of the same
/// canonical name. A file with errors contributes nothing, and its faults are told.
pub fn catalogue(user: &[SourceText]) -> (Catalogue, Vec<Diagnostic>) {
    let (mut catalogue, mut faults) = (built_in(), Vec::new());
    for source in user {
        if !source.layer.may_loosen() {
            faults.push(not_here(source));
            continue;
        }
        match description(source) {
            Ok(description) => catalogue.add(description),
            Err(mut found) => faults.append(&mut found),
        }
    }
    (catalogue, faults)
}

/// Unpacked once a process: a judge of many policies does not do it again.
fn built_in() -> Catalogue {
    static BUILT_IN: OnceLock<Catalogue> = OnceLock::new();
    // The build script's own words, in the form of this very build: there is no error to give.
    BUILT_IN.get_or_init(|| postcard::from_bytes(COMPILED_IN).unwrap_or_default()).clone()
}

/// A description can hide the word that a rule speaks of: a project has none.
fn not_here(source: &SourceText) -> Diagnostic {
    let message = "a description of a command does not count here".to_owned();
    let help = "put it into `shims/` of the user's or the system's configuration".to_owned();
    Page::new(source).place(&(0..0)).fault(Code::NotHere, message, help)
}
