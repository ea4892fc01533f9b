//! `embargo schema`: the JSON schema of policy files, for editors.

use super::Outcome;
use crate::config::schema;
use crate::policy::Exit;
use crate::sys::stdio;

/// Prints the JSON schema of embargo.toml, for completion and checks in an editor
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {}

const EXAMPLES: &str = "\
Examples:
  embargo schema > embargo.schema.json
  sed -i '1i #:schema ./embargo.schema.json' embargo.toml      for Taplo and what is made with it";

/// Prints it.
pub fn run(_: Args) -> Outcome {
    stdio::print(&schema());
    Ok(Exit::Success)
}
