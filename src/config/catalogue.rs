//! All descriptions: those that are compiled in, and a user's own.

use crate::command::{Catalogue, Compiled};

use super::source::Page;
use super::{Code, Diagnostic, SourceText, description};

/// The descriptions of `shims/`, read by the build script.
pub static BUILT_IN: Compiled<'static> =
    Compiled::new(&PLACES, include_bytes!(concat!(env!("OUT_DIR"), "/records.bin")));

/// In a section of its own: every pass looks a name up here, and `.cargo/hot.ld` puts what a
/// pass reads side by side.
#[cfg_attr(target_os = "linux", unsafe(link_section = ".rodata.hot"))]
static PLACES: [u8; include_bytes!(concat!(env!("OUT_DIR"), "/places.bin")).len()] =
    *include_bytes!(concat!(env!("OUT_DIR"), "/places.bin"));

/// Every description, a user's own in place of a compiled-in one of the same
/// canonical name. A file with errors contributes nothing, and its faults are told.
pub fn catalogue(user: &[SourceText]) -> (Catalogue, Vec<Diagnostic>) {
    let (mut catalogue, mut faults) = (Catalogue::over(BUILT_IN), Vec::new());
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

/// A description can hide the word that a rule speaks of: a project has none.
fn not_here(source: &SourceText) -> Diagnostic {
    let message = "a description of a command does not count here".to_owned();
    let help = "put it into `shims/` of the user's or the system's configuration".to_owned();
    Page::new(source).place(&(0..0)).fault(Code::NotHere, message, help)
}
