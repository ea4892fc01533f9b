//! `embargo unseal`: a person ends seals.

use std::path::PathBuf;

use super::uninstall::by_a_person;
use super::{Outcome, failure};
use crate::policy::Exit;
use crate::refuse;
use crate::render::{log, seals, usage};
use crate::seal::{Seal, SealId};
use crate::sys::context::{Context, absolute};
use crate::sys::{asking, ledger, stdio, touch};

/// Ends seals: for a person, at a terminal
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// Sealed paths; of a directory, what is sealed in it as well
    #[arg(value_name = "PATH", required_unless_present = "all")]
    paths: Vec<PathBuf>,
    /// Everything that is sealed
    #[arg(long, conflicts_with = "paths")]
    all: bool,
}

const EXAMPLES: &str = "\
Examples:
  embargo unseal dist/app.tar
  embargo unseal --all

Asks at the terminal. Below `embargo run`, in a harness's tool call and without a terminal it is
refused: an agent does not end a seal. Exit status: 0 ended, 1 not, 88 the ledger cannot be
written.";

/// Asks, ends, tells.
pub fn run(args: Args) -> Outcome {
    by_a_person("embargo unseal")?;
    let context =
        Context::of_verb().map_err(|(dir, error)| failure(log::no_record(&dir, &error)))?;
    let state = context.state().ok_or_else(|| failure(usage::no_places()))?;
    let all = match ledger::seals(state) {
        Ok(all) => all,
        Err(error) => {
            stdio::say(&seals::unreadable(&error));
            return Ok(Exit::Broken);
        }
    };
    let mut chosen: Vec<Seal> = Vec::new();
    for path in &args.paths {
        let path = touch::in_real_directory(&absolute(context.cwd.as_deref(), path));
        let found = all.iter().filter(|seal| touch::is_within(&seal.path, &path));
        let found: Vec<Seal> = found.cloned().collect();
        if found.is_empty() {
            return Err(failure(seals::nothing_there(&touch::bytes(&path))));
        }
        chosen.extend(found);
    }
    let chosen = if args.all { all } else { chosen };
    if chosen.is_empty() {
        stdio::print(&seals::list(&[]));
        return Ok(Exit::Success);
    }
    if !asking::is_possible() {
        return Err(failure(seals::no_terminal()));
    }
    stdio::say(&seals::list(&chosen));
    if asking::line(&seals::end_them(chosen.len())).as_deref() != Some("yes") {
        return Ok(Exit::Findings);
    }
    let ids: Vec<SealId> = chosen.iter().map(|seal| seal.id).collect();
    if let Err(error) = ledger::end(state, &ids) {
        stdio::say(&seals::not_ended(&error));
        return Ok(Exit::Broken);
    }
    for seal in &chosen {
        refuse::note_seal(&context, "unsealed", &seal.path);
        stdio::print(&seals::ended(seal));
    }
    Ok(Exit::Success)
}
