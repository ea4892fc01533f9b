//! `embargo test`: do the policies do what their own examples say?

use super::Outcome;
use super::in_force::{Files, Set};
use crate::config::Level;
use crate::policy::Exit;
use crate::render::{answer, diagnostic, examples, findings};
use crate::sys::stdio;

/// Runs the examples (`refuses`, `permits`, `instead`) that rules carry
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    #[command(flatten)]
    files: Files,
}

const EXAMPLES: &str = "\
Examples:
  embargo test
  embargo test embargo.example.toml

Each `refuses` must be hit by its rule, each `permits` be let through by all, and so must what
rules prescribe in `instead`. Exit status: 0 all hold, 1 some do not.";

/// Prints failures and counts.
pub fn run(args: Args) -> Outcome {
    let sets = match args.files.sets("test", || examples::json(&[], true)) {
        Ok(sets) => sets,
        Err(exit) => return Ok(exit),
    };
    let proofs: Vec<_> = sets.iter().map(Set::prove).collect();
    let mut is_sound = true;
    for set in &sets {
        set.unread.iter().for_each(|(path, why)| stdio::say(&findings::unread(path, why)));
        let all = set.descriptions.iter().chain(&set.loaded.diagnostics);
        let errors = all.filter(|d| d.level == Level::Error);
        let errors: Vec<_> = errors.cloned().collect();
        stdio::say(&diagnostic::plain_all(&errors));
        is_sound &= errors.is_empty() && set.unread.is_empty();
    }
    stdio::print(&match args.files.json {
        true => answer::object(&examples::json(&proofs, is_sound)),
        false => examples::plain(&proofs, is_sound),
    });
    let holds = is_sound && proofs.iter().all(|proof| proof.failures.is_empty());
    Ok(if holds { Exit::Success } else { Exit::Findings })
}
