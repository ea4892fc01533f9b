//! `embargo hook`: what harnesses call, and how they come to call it. A harness's call itself is
//! `call`, which is looked for before clap is.

mod acts;
pub mod call;
mod change;
mod notices;
mod path;
mod place;
mod session;
mod status;

use std::path::PathBuf;

use clap::Subcommand;
use clap::builder::PossibleValuesParser;

use super::Outcome;
use crate::hook::Dialect;
use crate::hook::plan::Scope;

/// Answers a harness before it runs a command; installs that into harnesses
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES, override_usage = USAGE)]
pub struct Args {
    #[command(subcommand)]
    act: Act,
}

const USAGE: &str =
    "embargo hook NAME                 (a harness's hook line: payload on standard input)
       embargo hook install NAME [--user | --project]
       embargo hook uninstall NAME [--user | --project]
       embargo hook status [NAME] [--user | --project] [--json]";

const EXAMPLES: &str = "\
Examples:
  embargo hook install claude-code
  embargo hook install cursor --project
  embargo hook install windsurf          shows what a person writes where
  embargo hook status

NAME: claude-code, codex, copilot, cursor, gemini and opencode are written into; qwen, droid,
windsurf, cline, goose, kiro, augment, agy and grok are shown. A hook line answers in the harness's
own way, which for many is exit 2; of the others, exit status: 0 done, 1 not, 2 wrong usage.";

#[derive(Debug, Subcommand)]
enum Act {
    /// Writes the hook line into a harness's configuration, or shows it
    #[command(after_help = "Example:\n  embargo hook install claude-code")]
    Install {
        #[command(flatten)]
        which: Which,
    },
    /// Takes it out again; not below an agent
    #[command(after_help = "Example:\n  embargo hook uninstall claude-code")]
    Uninstall {
        #[command(flatten)]
        which: Which,
    },
    /// Shows where a hook line is installed, and which binary it calls
    #[command(after_help = "Example:\n  embargo hook status --json")]
    Status {
        #[arg(value_name = "NAME", value_parser = PossibleValuesParser::new(crate::hook::plan::INSTALLED))]
        name: Option<String>,
        /// In your own configuration only
        #[arg(long, conflicts_with = "project")]
        user: bool,
        /// In the configuration of the project here only
        #[arg(long)]
        project: bool,
        /// One JSON object
        #[arg(long)]
        json: bool,
    },
}

#[derive(Debug, clap::Args)]
struct Which {
    /// The harness
    #[arg(value_name = "NAME", value_parser = PossibleValuesParser::new(Dialect::NAMED.map(|(name, _)| name)))]
    name: String,
    /// In your own configuration, for every project (the default)
    #[arg(long, conflicts_with = "project")]
    user: bool,
    /// In the configuration of the project here
    #[arg(long)]
    project: bool,
}

impl Which {
    fn scope(&self) -> Scope {
        if self.project { Scope::Project } else { Scope::User }
    }
}

/// Does one act.
pub fn run(args: Args) -> Outcome {
    match args.act {
        Act::Install { which } => change::install(&which.name, which.scope()),
        Act::Uninstall { which } => change::uninstall(&which.name, which.scope()),
        Act::Status { name, user, project, json } => {
            let scopes: &[Scope] = match (user, project) {
                (true, _) => &[Scope::User],
                (_, true) => &[Scope::Project],
                _ => &[Scope::User, Scope::Project],
            };
            status::status(name.as_deref(), scopes, json)
        }
    }
}

/// Harnesses that call us by the user's own configuration, and where that is.
pub fn installed() -> Vec<(&'static str, PathBuf)> {
    status::installed()
}
