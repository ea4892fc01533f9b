//! `embargo seals`: what is sealed, and whether it still is as it was.

use std::path::{Path, PathBuf};

use bstr::BString;

use super::{Outcome, failure};
use crate::policy::Exit;
use crate::refuse;
use crate::render::{answer, log, seals, usage};
use crate::seal::Seal;
use crate::sys::context::{Context, absolute};
use crate::sys::{ledger, stdio, touch};

/// Shows what is sealed, how firmly and why
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// One JSON object
    #[arg(long, global = true)]
    json: bool,
    #[command(subcommand)]
    act: Option<Act>,
}

#[derive(Debug, clap::Subcommand)]
enum Act {
    /// Reads all of it once more and tells what is not as it was sealed
    #[command(after_help = CHECKING)]
    Check {
        /// Only what is sealed here or below; everything if none is given
        paths: Vec<PathBuf>,
    },
}

const EXAMPLES: &str = "\
Examples:
  embargo seals --json
  embargo seals check

Exit status: 0 shown, 88 the ledger cannot be read.";

const CHECKING: &str = "\
Examples:
  embargo seals check
  embargo seals check dist --json

Exit status: 0 everything is as it was sealed, 1 something is not or cannot be read, 88 the ledger
cannot be read.";

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
    if let Some(Act::Check { paths }) = &args.act {
        return check(&context, state, all, paths, args.json);
    }
    stdio::print(&match args.json {
        true => answer::object(&seals::json(&all)),
        false => seals::list(&all),
    });
    Ok(Exit::Success)
}

fn check(
    context: &Context,
    state: &Path,
    all: Vec<Seal>,
    paths: &[PathBuf],
    json: bool,
) -> Outcome {
    let real = |path: &PathBuf| {
        touch::bytes(&touch::in_real_directory(&absolute(context.cwd.as_deref(), path)))
    };
    let wanted: Vec<BString> = paths.iter().map(real).collect();
    let is_in = |path: &BString, at: &BString| {
        path.strip_prefix(at.as_slice()).is_some_and(|rest| rest.is_empty() || rest[0] == b'/')
    };
    for at in &wanted {
        if !all.iter().any(|seal| is_in(&seal.path, at)) {
            return Err(failure(seals::nothing_there(at)));
        }
    }
    let is_wanted =
        |seal: &Seal| wanted.is_empty() || wanted.iter().any(|at| is_in(&seal.path, at));
    let all: Vec<Seal> = all.into_iter().filter(is_wanted).collect();
    let (drifts, unread) = match ledger::drifts(state, &all) {
        Ok(found) => found,
        Err(error) => {
            stdio::say(&seals::unreadable(&error));
            return Ok(Exit::Broken);
        }
    };
    drifts.iter().for_each(|drift| refuse::note_seal(context, "changed", &drift.path));
    unread.iter().for_each(|(path, error)| stdio::say(&seals::not_read(path, error)));
    stdio::print(&match json {
        true => answer::object(&seals::drifts_json(&all, &drifts, &unread)),
        false => seals::drifts(&all, &drifts),
    });
    let is_sound = drifts.is_empty() && unread.is_empty();
    Ok(if is_sound { Exit::Success } else { Exit::Findings })
}
