//! `embargo pack`: the policies that are compiled in.

use std::path::{Path, PathBuf};

use clap::Subcommand;
use clap_complete::{ArgValueCandidates, CompletionCandidate};

use super::{Outcome, failure};
use crate::config::{self, Format, Level, Pack};
use crate::policy::Exit;
use crate::render::{self, answer, diagnostic, packs};
use crate::sys::context::Context;
use crate::sys::{policy_file, sources, stdio};
use crate::view::source_text;

/// Lists, shows and adds the ready-made policies for `extends`
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
  embargo pack add python-uv git-history
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
    /// Puts packs into the `extends` of a policy; comments and order stay
    #[command(after_help = "Example:\n  embargo pack add python-uv && embargo shim sync")]
    Add {
        #[arg(value_name = "PACK", required = true, add = ArgValueCandidates::new(candidates))]
        names: Vec<String>,
        /// Into your own policy, which counts in every project
        #[arg(long, conflicts_with = "file")]
        user: bool,
        /// Into this file; by default into the project's, or a new embargo.toml here
        #[arg(long, value_name = "FILE")]
        file: Option<PathBuf>,
        /// Shows the file, and writes nothing
        #[arg(long, short = 'n')]
        dry_run: bool,
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
            stdio::print(&pack.text());
        }
        Act::Add { names, user, file, dry_run } => {
            return add(&names, user, file.as_deref(), dry_run);
        }
    }
    Ok(Exit::Success)
}

fn add(names: &[String], user: bool, file: Option<&Path>, dry_run: bool) -> Outcome {
    let (path, layer) = super::add::target(file, user, &Context::of_caller())?;
    for name in names {
        Pack::named(name).map_err(|help| failure(packs::unknown(name, &help)))?;
    }
    let is_new = !path.exists() && !path.is_symlink();
    let before = if is_new { String::new() } else { text(&path)? };
    let load = |text: &str| {
        config::load(&[source_text(&path, layer, text.as_bytes().to_vec())], sources::read_file)
    };
    let sound = |text: &str| {
        let found = load(text).diagnostics;
        let errors: Vec<_> = found.into_iter().filter(|d| d.level == Level::Error).collect();
        if errors.is_empty() { Ok(()) } else { Err(diagnostic::plain_all(&errors)) }
    };
    sound(&before).map_err(|faults| failure(render::add::broken_before(&path, &faults)))?;
    let own = config::extends(&before, Format::of(&path));
    let (there, missing): (Vec<&str>, Vec<&str>) =
        names.iter().map(String::as_str).partition(|name| own.iter().any(|own| own == name));
    there.iter().for_each(|name| stdio::print(&packs::is_there(name, &path)));
    if missing.is_empty() {
        return Ok(Exit::Success);
    }
    let after = config::extend(&before, Format::of(&path), &missing);
    let after = after.ok_or_else(|| failure(packs::no_place(&path)))?;
    sound(&after).map_err(|faults| failure(packs::faulty(&faults)))?;
    if dry_run {
        stdio::print(&after);
        return Ok(Exit::Success);
    }
    let written = match is_new {
        true => policy_file::create(&path, &after),
        false => policy_file::replace(&path, &after),
    };
    written.map_err(|error| failure(render::add::unwritable(&path, &error)))?;
    stdio::print(&packs::added(&missing, &path));
    Ok(Exit::Success)
}

fn text(path: &Path) -> anyhow::Result<String> {
    let unreadable = |why: &str| failure(render::add::unreadable(path, why));
    let bytes = sources::read_file(path).map_err(|why| unreadable(&why))?;
    String::from_utf8(bytes).map_err(|_| unreadable("it is no UTF-8"))
}
