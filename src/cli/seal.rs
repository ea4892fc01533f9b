//! `embargo seal`: protects paths without any check. An agent may: it only tightens.

use std::path::{Path, PathBuf};

use super::judging::{Distrusted, Policies};
use super::{Outcome, failure};
use crate::accept::{is_same, look};
use crate::policy::Exit;
use crate::refuse;
use crate::render::{seals, usage};
use crate::seal::{Class, Seal, Tier};
use crate::sys::context::{Context, absolute};
use crate::sys::{ledger, stdio, touch};

/// Protects files and directories from being deleted, overwritten, moved or reset
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// Files, directories or links
    #[arg(value_name = "PATH", required = true)]
    paths: Vec<PathBuf>,
    /// How firmly: of a soft seal the override token is enough, a hard one only a person ends
    #[arg(long, value_enum, default_value_t = Firmly::Hard)]
    tier: Firmly,
    /// Why; completes "because it is sealed: …"
    #[arg(long)]
    reason: Option<String>,
    /// What to do instead
    #[arg(long)]
    alternative: Option<String>,
}

/// The tiers that may be asked for.
#[derive(Debug, Clone, Copy, clap::ValueEnum)]
enum Firmly {
    Soft,
    Hard,
}

const EXAMPLES: &str = "\
Examples:
  embargo seal data/ --reason \"the customer's originals\"
  embargo seal dist/app.tar --alternative 'build into out/ and compare'

Exit status: 0 all are sealed, 1 none is, 88 the ledger cannot be written. `embargo unseal` ends a
seal, and only a person may.";

/// Seals all of them or none.
pub fn run(args: Args) -> Outcome {
    let context = match Policies::default().context("embargo seal".as_ref()) {
        Ok(context) => context,
        Err(Distrusted(message)) => {
            stdio::say(&message);
            return Ok(Exit::Broken);
        }
    };
    let state = context.state().ok_or_else(|| failure(usage::no_places()))?.to_owned();
    let before = match ledger::seals(&state) {
        Ok(before) => before,
        Err(error) => return Ok(unwritten(&error)),
    };
    let new = args.paths.iter().map(|path| new(path, &args, &context, &before));
    let new = new.collect::<anyhow::Result<Vec<_>>>()?;
    if !context.may_write() {
        stdio::say(&seals::not_the_owner(&state));
        return Ok(Exit::Broken);
    }
    if let Err(error) = ledger::seal(&state, &new) {
        return Ok(unwritten(&error));
    }
    for seal in &new {
        refuse::note_seal(&context, "sealed", &seal.path);
        stdio::print(&seals::sealed(&seal.path, seal.class, seal.tier, &seal.object));
    }
    Ok(Exit::Success)
}

fn unwritten(error: &crate::sys::store::StoreError) -> Exit {
    stdio::say(&seals::not_sealed(error));
    Exit::Broken
}

fn new(
    path: &Path,
    args: &Args,
    context: &Context,
    before: &[Seal],
) -> anyhow::Result<ledger::NewSeal> {
    let real = touch::in_real_directory(&absolute(context.cwd.as_deref(), path));
    let (bytes, seen) = look(&real, Class::Kept, context).map_err(failure)?;
    let known = before.iter().find(|seal| seal.path == bytes && seal.class == Class::Kept);
    if let Some(seal) = known.filter(|seal| !is_same(&seal.object, &seen.object)) {
        // Sealing it once more would make what was done to it good.
        return Err(failure(seals::is_changed(seal)));
    }
    let tier = match args.tier {
        Firmly::Soft => Tier::Soft,
        Firmly::Hard => Tier::Hard,
    };
    let old = |of: fn(&Seal) -> &Option<String>| known.and_then(|seal| of(seal).clone());
    Ok(ledger::NewSeal {
        path: bytes,
        target: seen.target,
        class: Class::Kept,
        // A seal only becomes firmer.
        tier: known.map_or(tier, |seal| seal.tier.max(tier)),
        object: seen.object,
        inode: seen.inode,
        members: seen.members,
        reason: args.reason.clone().or_else(|| old(|seal| &seal.reason)),
        alternative: args.alternative.clone().or_else(|| old(|seal| &seal.alternative)),
        session: refuse::session_here(context),
    })
}
