//! `embargo seals`: what is sealed.

use super::{Outcome, failure};
use crate::policy::Exit;
use crate::render::{answer, log, seals, usage};
use crate::sys::context::Context;
use crate::sys::{ledger, stdio};

/// Shows what is sealed, how firmly and why
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// One JSON object
    #[arg(long)]
    json: bool,
}

const EXAMPLES: &str = "\
Example:
  embargo seals --json

Exit status: 0 shown, 88 the ledger cannot be read.";

/// Prints them by path.
pub fn run(args: Args) -> Outcome {
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
    stdio::print(&match args.json {
        true => answer::object(&seals::json(&all)),
        false => seals::list(&all),
    });
    Ok(Exit::Success)
}
