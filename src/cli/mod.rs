//! The command line: one file per verb. clap and anyhow live only here.

mod accept;
mod add;
mod brief;
mod check;
mod completions;
mod doctor;
mod env;
mod explain;
mod history;
mod hook;
mod in_force;
mod init;
mod judging;
mod last;
mod lint;
mod log;
mod man;
mod pack;
mod run;
mod schema;
mod seal;
mod seals;
mod shim;
mod test;
mod uninstall;
mod unseal;

use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;

use bstr::BString;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Parser, Subcommand};

use crate::policy::Exit;
use crate::render::usage;
use crate::sys::stdio;

/// What a verb ends with.
type Outcome = anyhow::Result<Exit>;

/// Refuses what a coding agent must not run, in the agent's own voice, or becomes the real program
#[derive(Debug, Parser)]
#[command(name = "embargo", bin_name = "embargo", version, max_term_width = 100, after_help = EXAMPLES)]
struct Cli {
    #[command(subcommand)]
    verb: Verb,
}

const EXAMPLES: &str = "\
Examples:
  embargo run -- claude                      start an agent below the policy in force here
  embargo check 'gradle build | head -50'    what the policy says of a line, without running it
  embargo shim install gradle                stand in front of gradle in every shell …
  eval \"$(embargo env)\"                      … once this is in the shell's start-up file
  embargo doctor                             whether that holds, here and in new shells

Exit status: 0 done, 1 findings or failure, 2 wrong usage, 86 refused, 87 needs a person's
approval, 88 policy or state cannot be trusted; `run` otherwise has the command's own.";

#[derive(Debug, Subcommand)]
enum Verb {
    Run(run::Args),
    Check(check::Args),
    Explain(explain::Args),
    Test(test::Args),
    Lint(lint::Args),
    Init(init::Args),
    Add(add::Args),
    Pack(pack::Args),
    Shim(shim::Args),
    Env(env::Args),
    Hook(hook::Args),
    Doctor(doctor::Args),
    Log(log::Args),
    Last(last::Args),
    History(history::Args),
    Accept(accept::Args),
    Seal(seal::Args),
    Seals(seals::Args),
    Unseal(unseal::Args),
    Brief(brief::Args),
    Completions(completions::Args),
    Man(man::Args),
    Schema(schema::Args),
    Uninstall(uninstall::Args),
}

/// Runs the command line. Returns only when no other program was become.
pub fn run(argv: &[BString]) -> Exit {
    let exit = verb(argv);
    // What nobody got is no success; a status that says more stays.
    let Some(error) = stdio::unwritten() else { return exit };
    stdio::say(&usage::failed(&usage::unwritten(error)));
    if exit == Exit::Success { Exit::Findings } else { exit }
}

fn verb(argv: &[BString]) -> Exit {
    if let Some(exit) = hook::call::answer(argv) {
        return exit;
    }
    let words = argv.iter().map(|word| OsString::from_vec(word.to_vec()));
    if let Some(exit) = completions::answer(words.clone()) {
        return exit;
    }
    let cli = match Cli::try_parse_from(words) {
        Ok(cli) => cli,
        Err(mut error) => {
            if argv.get(1).is_some_and(|verb| verb == "check" || verb == "explain") {
                // "use `-- --force`" would lead away from the two forms there are.
                error.remove(ContextKind::Suggested);
            }
            let meant = argv.get(1).and_then(|verb| usage::verb_meant(verb));
            if let (ErrorKind::InvalidSubcommand, Some(tip)) = (error.kind(), meant) {
                error.remove(ContextKind::SuggestedSubcommand);
                let tips = ContextValue::StyledStrs(vec![tip.into()]);
                error.insert(ContextKind::Suggested, tips);
            }
            return shown(&error);
        }
    };
    if !matches!(cli.verb, Verb::Run(_)) {
        stdio::fill_closed();
    }
    let outcome = match cli.verb {
        Verb::Run(args) => run::run(args),
        Verb::Check(args) => check::run(args),
        Verb::Explain(args) => explain::run(args),
        Verb::Test(args) => test::run(args),
        Verb::Lint(args) => lint::run(args),
        Verb::Init(args) => init::run(args),
        Verb::Add(args) => add::run(args),
        Verb::Pack(args) => pack::run(args),
        Verb::Shim(args) => shim::run(args),
        Verb::Env(args) => env::run(args),
        Verb::Hook(args) => hook::run(args),
        Verb::Doctor(args) => doctor::run(args),
        Verb::Log(args) => log::run(args),
        Verb::Last(args) => last::run(args),
        Verb::History(args) => history::run(args),
        Verb::Accept(args) => accept::run(args),
        Verb::Seal(args) => seal::run(args),
        Verb::Seals(args) => seals::run(args),
        Verb::Unseal(args) => unseal::run(args),
        Verb::Brief(args) => brief::run(args),
        Verb::Completions(args) => completions::run(args),
        Verb::Man(args) => man::run(args),
        Verb::Schema(args) => schema::run(args),
        Verb::Uninstall(args) => uninstall::run(args),
    };
    match outcome {
        Ok(exit) => exit,
        Err(error) => match error.downcast_ref::<clap::Error>() {
            Some(usage) => shown(usage),
            None => {
                stdio::say(&usage::failed(&format!("{error:#}")));
                Exit::Findings
            }
        },
    }
}

/// Help and version are asked for; everything else that clap says is a usage error.
fn shown(error: &clap::Error) -> Exit {
    let text = error.render().to_string();
    if error.use_stderr() {
        stdio::say(&text);
        Exit::Usage
    } else {
        stdio::print(&text);
        Exit::Success
    }
}

/// A failure in words from [`crate::render`].
fn failure(words: String) -> anyhow::Error {
    anyhow::Error::msg(words)
}
