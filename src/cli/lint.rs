//! `embargo lint`: everything that is wrong with policies, at once.

use super::Outcome;
use super::in_force::{Files, Set};
use crate::config::{self, Diagnostic, Level};
use crate::policy::{Exit, Rule};
use crate::render::{answer, examples, findings};
use crate::sys::{install, program, stdio};

/// Finds what is wrong with policies, examples that do not hold included
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    #[command(flatten)]
    files: Files,
    /// Says for each rule where it can bite
    #[arg(long, short)]
    verbose: bool,
}

const EXAMPLES: &str = "\
Examples:
  embargo lint
  embargo lint --verbose embargo.toml
  embargo lint --json examples/*.toml

Exit status: 0 nothing but notes, 1 errors or warnings.";

/// Prints the findings.
pub fn run(args: Args) -> Outcome {
    let sets = match args.files.sets("lint", || findings::json(&[], &[], &[])) {
        Ok(sets) => sets,
        Err(exit) => return Ok(exit),
    };
    let found = found(&sets);
    let unread: Vec<_> = sets.iter().flat_map(|set| &set.unread).cloned().collect();
    let rules: Vec<&Rule> =
        sets.iter().flat_map(|set| &set.loaded.policy.rules).filter(|_| args.verbose).collect();
    stdio::print(&match args.files.json {
        true => answer::object(&findings::json(&found, &unread, &rules)),
        false => findings::plain(&found, &unread, &rules),
    });
    let is_clean = unread.is_empty() && found.iter().all(|d| d.level == Level::Note);
    Ok(if is_clean { Exit::Success } else { Exit::Findings })
}

fn found(sets: &[Set]) -> Vec<Diagnostic> {
    let mut all: Vec<Diagnostic> = Vec::new();
    let us = install::ourselves().ok();
    // Who cannot tell does not claim that a program is missing.
    let exists = |name: &str| us.as_ref().is_none_or(|us| program::exists(name.as_ref(), us));
    for set in sets {
        let proof = set.prove();
        let of_examples = proof.failures.iter().map(examples::diagnostic);
        let found = set.descriptions.iter().chain(&set.loaded.diagnostics).cloned();
        let of_rules = config::findings(&set.loaded, &set.contents.catalogue, exists);
        for fault in found.chain(of_rules).chain(of_examples) {
            // Several files may extend the same one.
            if !all.contains(&fault) {
                all.push(fault);
            }
        }
    }
    all
}
