//! `embargo uninstall`: takes away what stands in front of commands, and says what it leaves.

use std::path::PathBuf;

use super::shim::Place;
use super::{Outcome, failure};
use crate::policy::{Caller, Exit};
use crate::render::uninstalling::{self, Left};
use crate::render::usage;
use crate::sys::context::Context;
use crate::sys::processes::Lineage;
use crate::sys::{asking, environment, install, runs, session, startup, stdio};

/// Removes the shims and their records, and says what it leaves
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    #[command(flatten)]
    place: Place,
    /// Without asking
    #[arg(long, short)]
    yes: bool,
}

const EXAMPLES: &str = "\
Examples:
  embargo uninstall
  embargo uninstall --yes --dir /opt/embargo/shims

Policies, the evidence and the binary stay; it says where they are. Exit status: 0 removed, 1 not.
An agent does not lift its own embargo: below `embargo run` and in a harness's tool call it is
refused.";

/// Whoever is under an embargo does not lift it: below `embargo run`, in a harness's tool call
/// and below a harness that is known by its name this is an error.
pub fn by_a_person(verb: &str) -> anyhow::Result<()> {
    let context = Context::of_verb().unwrap_or_else(|_| Context::of_caller());
    let recorded = context.record.as_ref().and_then(|r| r.session);
    let ancestry = Lineage::of_this_process(recorded).ancestry(&[], None);
    let asking_one = session::identify(&session::facts(recorded, &ancestry, environment::text));
    let harness = ancestry.processes.iter().any(|p| p.caller() == Caller::Harness);
    match recorded.is_some() || harness || asking_one.agent.is_some() {
        true => {
            Err(failure(uninstalling::not_by_an_agent(verb, asking_one.agent.as_deref(), harness)))
        }
        false => Ok(()),
    }
}

/// Asks, removes, tells.
pub fn run(args: Args) -> Outcome {
    by_a_person("embargo uninstall")?;
    let context = Context::of_verb().unwrap_or_else(|_| Context::of_caller());
    let places = context.by_variables.clone().ok_or_else(|| failure(usage::no_places()))?;
    let directory = args.place.path(&context)?;
    let shims = install::shims(&directory).unwrap_or_default();
    if !args.yes && !shims.is_empty() {
        let question = uninstalling::question(&directory, shims.len());
        if !asking::is_possible() {
            return Err(failure(uninstalling::not_asked(&directory, shims.len())));
        }
        if !asking::agrees(&question) {
            return Ok(Exit::Findings);
        }
    }
    let exit = super::shim::uninstall_all(&args.place)?;
    runs::sweep_ended(&places.data);
    let there = |path: PathBuf| Some(path).filter(|path| path.exists());
    let left = Left {
        startup: startup::lines(),
        hooks: super::hook::installed(),
        config: there(places.config),
        state: there(places.state),
        cache: there(places.cache),
        runs: there(places.data.join("runs")),
        binary: install::ourselves().ok().map(|us| us.path),
    };
    stdio::print(&uninstalling::left(&left));
    Ok(exit)
}
