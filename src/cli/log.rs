//! `embargo log`: the evidence, as it was written.

use clap_complete::ArgValueCandidates;

use super::{Outcome, completions, failure};
use crate::policy::Exit;
use crate::render::{answer, log, usage};
use crate::sys::context::Context;
use crate::sys::evidence::{self, Chain, EvidenceError, Filter};
use crate::sys::stdio;

/// Shows what was refused, asked, warned of or broken, oldest first
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// Of this session only, as the log names it
    #[arg(long, value_name = "SESSION")]
    session: Option<String>,
    /// Of this rule only
    #[arg(long, value_name = "RULE", add = ArgValueCandidates::new(completions::rules))]
    rule: Option<String>,
    /// The newest N only
    #[arg(long, value_name = "N")]
    limit: Option<u32>,
    /// One JSON object a line
    #[arg(long)]
    json: bool,
    /// Checks that no row was changed, moved or taken out, and shows none
    #[arg(long, conflicts_with_all = ["session", "rule", "limit"])]
    verify: bool,
}

const EXAMPLES: &str = "\
Examples:
  embargo log --limit 20
  embargo log --json --rule gradle-wrapper | jq .argv
  embargo log --verify

Secrets in arguments are taken out before they are written. Exit status of --verify: 0 whole,
1 broken.";

/// Prints rows, or the state of the chain.
pub fn run(args: Args) -> Outcome {
    let context = Context::of_verb()
        .map_err(|(directory, error)| failure(log::no_record(&directory, &error)))?;
    let state = context.state().ok_or_else(|| failure(usage::no_places()))?;
    if args.verify {
        let chain = evidence::verify(state).map_err(cannot)?;
        stdio::print(&match args.json {
            true => answer::object(&log::chain_json(&chain)),
            false => log::chain(&chain),
        });
        let is_whole = matches!(chain, Chain::Whole { .. });
        return Ok(if is_whole { Exit::Success } else { Exit::Findings });
    }
    let filter =
        Filter { session: args.session, rule: args.rule, limit: args.limit, ..Filter::default() };
    let rows = evidence::rows(state, &filter).map_err(cannot)?;
    for row in &rows {
        stdio::print(&match args.json {
            true => answer::object(&log::json(row)),
            false => log::line(row),
        });
    }
    Ok(Exit::Success)
}

fn cannot(error: EvidenceError) -> anyhow::Error {
    failure(log::unreadable(&error))
}
