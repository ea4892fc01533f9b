//! `embargo pack`: the policies that are compiled in.

use clap::Subcommand;
use clap_complete::{ArgValueCandidates, CompletionCandidate};

use super::{Outcome, failure};
use crate::config::Pack;
use crate::policy::Exit;
use crate::render::{answer, packs};
use crate::sys::stdio;

/// Lists and shows the ready-made policies for `extends`
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    #[command(subcommand)]
    act: Act,
}

const EXAMPLES: &str = "\
Examples:
  embargo pack list
  embargo pack show python-uv
  embargo pack show conventional > embargo.toml     a start for rules of one's own";

#[derive(Debug, Subcommand)]
enum Act {
    /// Shows each pack and what it is for
    #[command(after_help = "Example:\n  embargo pack list --json | jq -r '.packs[].name'")]
    List {
        /// One JSON object
        #[arg(long)]
        json: bool,
    },
    /// Prints a pack as it is written: a policy file like any other
    #[command(after_help = "Example:\n  embargo pack show git-history | less")]
    Show {
        #[arg(value_name = "PACK", add = ArgValueCandidates::new(candidates))]
        name: String,
    },
}

/// Names of packs, for shells.
pub fn candidates() -> Vec<CompletionCandidate> {
    let candidate =
        |pack: Pack| CompletionCandidate::new(pack.name).help(Some(pack.summary().into()));
    Pack::all().map(candidate).collect()
}

/// Does one act.
pub fn run(args: Args) -> Outcome {
    match args.act {
        Act::List { json: true } => stdio::print(&answer::object(&packs::json(Pack::all()))),
        Act::List { json: false } => stdio::print(&packs::list(Pack::all())),
        Act::Show { name } => {
            let pack = Pack::named(&name).map_err(|help| failure(packs::unknown(&name, &help)))?;
            stdio::print(pack.text);
        }
    }
    Ok(Exit::Success)
}
