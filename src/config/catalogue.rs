//! All descriptions: those that are compiled in, and a user's own.

use std::path::PathBuf;
use std::sync::OnceLock;

use crate::command::Catalogue;
use crate::policy::Layer;

use super::source::Page;
use super::{Code, Diagnostic, SourceText, description};

include!(concat!(env!("OUT_DIR"), "/shims.rs"));

/// The compiled-in descriptions as sources: name and text of `shims/*.toml`.
pub fn built_in() -> impl Iterator<Item = SourceText> {
    DESCRIPTIONS.iter().map(|(name, text)| SourceText {
        path: PathBuf::from(format!("shims/{name}.toml")),
        shown: format!("shims/{name}.toml"),
        layer: Layer::System,
        bytes: text.as_bytes().to_vec(),
    })
}

/// Every description, a user's own in place of a compiled-in one of the same
/// canonical name. A file with errors contributes nothing, and its faults are told.
pub fn catalogue(user: &[SourceText]) -> (Catalogue, Vec<Diagnostic>) {
    let (mut catalogue, mut faults) = BUILT_IN.get_or_init(of_built_in).clone();
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

/// Read once a process: a judge of many policies does not read it again.
static BUILT_IN: OnceLock<(Catalogue, Vec<Diagnostic>)> = OnceLock::new();

fn of_built_in() -> (Catalogue, Vec<Diagnostic>) {
    let mut catalogue = Catalogue::default();
    let mut faults = Vec::new();
    for source in built_in() {
        match description(&source) {
            Ok(description) => catalogue.add(description),
            Err(mut found) => faults.append(&mut found),
        }
    }
    (catalogue, faults)
}

/// A description can hide the word that a rule speaks of: a project has none.
fn not_here(source: &SourceText) -> Diagnostic {
    let message = "a description of a command does not count here".to_owned();
    let help = "put it into `shims/` of the user's or the system's configuration".to_owned();
    Page::new(source).place(&(0..0)).fault(Code::NotHere, message, help)
}
