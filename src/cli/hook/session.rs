//! What a session or sub-agent begins with: the rules, what was refused so far, shims that are up to
//! date and first on PATH.

use std::ffi::OsString;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use bstr::ByteSlice as _;

use super::call::{context, noted, prepare, said, void};
use super::notices;
use crate::cli::judging::Distrusted;
use crate::cli::shim::sync;
use crate::cli::{brief, in_force};
use crate::hook::{Answer, Dialect, Reply, Request};
use crate::refuse::{self, Asker};
use crate::render::{self, hooked, shells, trouble};
use crate::sys::context::Context;
use crate::sys::evidence::{self, Filter, Row};
use crate::sys::{environment, install, program, runs, settings, sources};

/// Characters of the rules in force when a session begins.
const BRIEF: usize = 1500;

/// Tells what there is to tell; what takes time comes after the answer is made.
pub fn begins(request: &Request, asker: &Asker) -> Answer {
    let name = OsString::from("embargo brief");
    let context = match context(request, &name) {
        Ok(context) => context,
        Err(Distrusted(message)) => return told(request, &hooked::cut(&message)),
    };
    void(&context, request, asker);
    let answer = told(request, &beginning(&context, &name, asker));
    prepare(&answer);
    sync::of_session(&context);
    if let Some(directory) = directory(&context) {
        put_first(request.dialect, &directory);
    }
    answer
}

/// Where nothing is put into the agent's context nothing is said.
fn told(request: &Request, text: &str) -> Answer {
    match request.dialect.takes_notes(&request.event) {
        true => noted(request, text),
        false => said(request, Reply::Silence),
    }
}

/// A policy that cannot be trusted is told of as well.
fn beginning(context: &Context, name: &OsString, asker: &Asker) -> String {
    let contents = match in_force::contents(context, &sources::find(context, &[])) {
        Ok(contents) => contents,
        Err(distrust) => return hooked::cut(&trouble::distrust(name, &distrust)),
    };
    let rules = brief::ordered(&contents);
    let filter = Filter { session: Some(refuse::session_of(context, asker)), ..Filter::default() };
    let rows = context.state().and_then(|state| evidence::rows(state, &filter).ok());
    let rows = rows.unwrap_or_default();
    let refused: Vec<Row> = notices::refused(&rows).cloned().collect();
    let demoted = directory(context).filter(|directory| !is_first(directory));
    hooked::beginning(&hooked::Beginning {
        brief: match rules.is_empty() {
            true => String::new(),
            false => render::brief::text(&rules, BRIEF),
        },
        notices: &contents.notices,
        rows: &refused,
        demoted: demoted.as_deref(),
    })
}

/// The shim directory of this session, where it has shims.
fn directory(context: &Context) -> Option<PathBuf> {
    let own = || context.by_variables.as_ref().map(|places| places.shims());
    let directory = context.shims.clone().or_else(own)?;
    let has_shims = install::shims(&directory).is_ok_and(|shims| !shims.is_empty());
    has_shims.then_some(directory)
}

fn is_first(directory: &Path) -> bool {
    runs::is_run(directory) || program::is_first(directory, runs::is_run)
}

/// Claude Code runs this file before each command, behind its snapshot of the shell (documented, and
/// measured in 2.1.220): the last word on PATH. It keeps one for each hook and session.
fn put_first(dialect: Dialect, directory: &Path) {
    let Some(file) = environment::text("CLAUDE_ENV_FILE").filter(|_| dialect == Dialect::Claude)
    else {
        return;
    };
    let text = shells::posix(directory.as_os_str().as_bytes().as_bstr());
    // Where it cannot be written, `embargo doctor` tells what PATH is.
    let _ = settings::append_once(Path::new(&file), &text);
}
