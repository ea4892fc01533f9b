//! `embargo init`: looks at a project, proposes packs, writes its first policy.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use clap_complete::ArgValueCandidates;

use super::{Outcome, failure, pack};
use crate::config::{Pack, Proposal, Undecided, proposals, rival, undecided};
use crate::policy::{Exit, Layer};
use crate::render::{answer, init, packs};
use crate::sys::context::Context;
use crate::sys::{asking, policy_file, sources, stdio};

/// Finds out which packs suit the project here, and writes its embargo.toml
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// One more pack; may be given several times
    #[arg(long, value_name = "PACK", add = ArgValueCandidates::new(pack::candidates))]
    pack: Vec<String>,
    /// Writes without asking
    #[arg(long, short)]
    yes: bool,
    /// Shows the file, and writes nothing
    #[arg(long, short = 'n', conflicts_with = "yes")]
    dry_run: bool,
    /// One JSON object
    #[arg(long)]
    json: bool,
}

const EXAMPLES: &str = "\
Examples:
  cd my-project && embargo init
  embargo init --dry-run
  embargo init --yes --pack git-history --pack no-sendmail

Nothing that is there is overwritten. Exit status: 0 written (or shown), 1 not.";

/// Proposes, asks, writes.
pub fn run(args: Args) -> Outcome {
    let context = Context::of_caller();
    let here = context.cwd.clone().ok_or_else(|| failure(init::no_directory()))?;
    if let Some(there) =
        ["embargo.toml", "embargo.json"].map(|name| here.join(name)).iter().find(|p| p.is_file())
    {
        return Err(failure(init::is_there(there)));
    }
    let (proposals, undecided) = proposed(&here, &args.pack)?;
    let taken: Vec<&Proposal> = proposals.iter().filter(|p| p.instead_of.is_none()).collect();
    let path = here.join("embargo.toml");
    let text = init::file(&taken);
    let mut is_written = false;
    if !args.json {
        stdio::print(&init::found(&proposals));
        stdio::print(&init::undecided(&undecided));
        above(&context).iter().for_each(|path| stdio::print(&init::also(path)));
        if args.dry_run {
            stdio::print(&text);
        }
    }
    if taken.is_empty() {
        stdio::say(&init::nothing(&here));
    } else if !args.dry_run {
        let agrees = || asking::is_possible() && asking::agrees(&init::question(&path));
        if args.yes || (!args.json && agrees()) {
            write(&path, &text)?;
            is_written = true;
            stdio::say(&init::written(&path));
        } else if !args.json && !asking::is_possible() {
            stdio::say(&init::not_asked());
        }
    }
    if args.json {
        stdio::print(&answer::object(&init::json(
            &path,
            is_written,
            (&proposals, &undecided),
            &text,
        )));
    }
    let is_done = is_written || (args.dry_run && !taken.is_empty());
    Ok(if is_done { Exit::Success } else { Exit::Findings })
}

/// Packs that suit, and files that leave it open. What was asked for by name stands first, so
/// that it wins where two conflict.
fn proposed(here: &Path, named: &[String]) -> anyhow::Result<(Vec<Proposal>, Vec<Undecided>)> {
    let mut all: Vec<Proposal> = Vec::new();
    for name in named {
        let pack = Pack::named(name).map_err(|help| failure(packs::unknown(name, &help)))?;
        if let Some(other) = rival(pack, &all) {
            return Err(failure(init::rivals(name, other)));
        }
        all.push(Proposal { pack, found: "`--pack`".to_owned(), instead_of: None });
    }
    let names = sources::names(here).map_err(|e| failure(init::unreadable(here, &e)))?;
    let read = |name: &str| {
        let bytes = sources::read_file(&here.join(name)).ok()?;
        Some(String::from_utf8_lossy(&bytes).into_owned())
    };
    for mut proposal in proposals(&names, read) {
        if !all.iter().any(|p| p.pack == proposal.pack) {
            proposal.instead_of = proposal.instead_of.or_else(|| rival(proposal.pack, &all));
            all.push(proposal);
        }
    }
    let open = undecided(&names, &all);
    Ok((all, open))
}

/// Policy files that count here already, from directories above.
fn above(context: &Context) -> Vec<PathBuf> {
    use std::os::unix::ffi::OsStrExt as _;
    let found = sources::find(context, &[]);
    let projects = found.iter().filter(|s| s.layer == Layer::Project && s.identity.is_some());
    projects.map(|s| PathBuf::from(std::ffi::OsStr::from_bytes(&s.path))).collect()
}

fn write(path: &Path, text: &str) -> anyhow::Result<()> {
    policy_file::create(path, text).map_err(|error| match error.kind() {
        ErrorKind::AlreadyExists => failure(init::is_there(path)),
        _ => failure(init::unwritable(path, &error)),
    })
}
