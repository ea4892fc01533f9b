//! `embargo completions`: what a shell runs to complete our command line. The words come
//! from this binary each time, so that rule ids and packs are those of now.

use std::ffi::OsString;
use std::io::Write as _;

use clap::{CommandFactory, ValueEnum};
use clap_complete::CompletionCandidate;
use clap_complete::env::{CompleteEnv, Shells};

use super::judging::Policies;
use super::{Cli, Outcome, in_force};
use crate::policy::Exit;
use crate::sys::context::Context;
use crate::sys::{sources, stdio};

/// Set by the shells' functions that [`run`] prints, for that one call.
pub const VARIABLE: &str = "EMBARGO_COMPLETE";

/// Prints what a shell has to run to complete embargo's own command line
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    #[arg(value_enum)]
    shell: Shell,
}

const EXAMPLES: &str = "\
Examples:
  source <(embargo completions bash)             in ~/.bashrc
  source <(embargo completions zsh)              in ~/.zshrc, after compinit
  embargo completions fish | source              in ~/.config/fish/config.fish";

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Shell {
    Bash,
    Zsh,
    Fish,
}

/// Prints the text.
pub fn run(args: Args) -> Outcome {
    let name = args.shell.to_possible_value();
    let name = name.as_ref().map_or("bash", |name| name.get_name());
    let shells = Shells::builtins();
    let mut text = Vec::new();
    if let Some(shell) = shells.completer(name) {
        shell.write_registration(VARIABLE, "embargo", "embargo", "embargo", &mut text)?;
    }
    stdio::print_bytes(&text);
    Ok(Exit::Success)
}

/// Answers a shell that asks for completions, if it is one that called.
pub fn answer(words: impl Iterator<Item = OsString> + Clone) -> Option<Exit> {
    std::env::var_os(VARIABLE)?;
    // As those functions call; any other call is what it says, whatever is set.
    words.clone().nth(1).filter(|word| word == "--")?;
    let environment = CompleteEnv::with_factory(Cli::command).var(VARIABLE).bin("embargo");
    let cwd = std::env::current_dir().ok();
    let answered = environment.try_complete(words, cwd.as_deref());
    // Without Rust's own `main` nobody writes out what is left in the buffer.
    let _ = std::io::stdout().flush();
    match answered {
        Ok(true) => Some(Exit::Success),
        Ok(false) => None,
        Err(_) => Some(Exit::Findings),
    }
}

/// The rules in force here, each with its reason.
pub fn rules() -> Vec<CompletionCandidate> {
    let Ok(context) = Policies::default().context("embargo completions".as_ref()) else {
        return Vec::new();
    };
    let contents = in_force::contents(&context, &sources::find(&context, &[])).unwrap_or_default();
    let candidate = |rule: crate::policy::Rule| {
        CompletionCandidate::new(rule.id.0).help(Some(rule.says.reason.into()))
    };
    contents.policy.rules.into_iter().map(candidate).collect()
}

/// The shims in the user's own directory.
pub fn shims() -> Vec<CompletionCandidate> {
    let places = Context::of_caller().by_variables;
    let shims = places.and_then(|places| crate::sys::install::shims(&places.shims()).ok());
    shims.unwrap_or_default().into_iter().map(CompletionCandidate::new).collect()
}
