//! `embargo run`: judges its own argv, then becomes the command, with a directory of
//! shims of its own first on PATH.

use std::ffi::{CString, OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

use bstr::BString;

use super::judging::{self, Distrusted, Policies};
use super::{Outcome, in_force};
use crate::decide::Subject;
use crate::policy::{Exit, Verdict};
use crate::refuse::{Door, refuse};
use crate::render::{installing, trouble};
use crate::sys::executed::Executed;
use crate::sys::install::{self, InstallError};
use crate::sys::program::{self, NoProgram};
use crate::sys::{exec, runs, sources, stdio};

/// Runs a command, and all that it starts, below the policy in force here
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    #[command(flatten)]
    policies: Policies,
    /// The command and its arguments
    #[arg(value_name = "CMD", required = true, trailing_var_arg = true)]
    command: Vec<OsString>,
}

const EXAMPLES: &str = "\
Examples:
  embargo run -- claude
  embargo run --policy embargo.example.toml -- gradle build
  embargo run bash -lc 'make test'

Names that rules speak of lead to shims, for the command and everything below it. The policies
of this directory and those given hold wherever the command goes. Below another `embargo run`
its policies hold too. The exit status is the command's own, or 86, 87, 88, 126, 127.";

/// Returns only when the command was refused, or could not be become.
pub fn run(args: Args) -> Outcome {
    let argv: Vec<BString> =
        args.command.into_iter().map(|word| BString::from(word.into_vec())).collect();
    let name = judging::name(&argv);
    let guarded = guard(&args.policies, &argv, &name);
    Ok(guarded.unwrap_or_else(|Distrusted(message)| {
        stdio::say(&message);
        Exit::Broken
    }))
}

fn guard(policies: &Policies, argv: &[BString], name: &OsStr) -> Result<Exit, Distrusted> {
    let unguarded = |error: InstallError| Distrusted(installing::not_guarded(name, &error));
    let context = policies.context(name)?;
    // Whoever wrote `embargo run -- COMMAND` has typed the command.
    let decision = judging::decide(&context, name, Subject::Argv(argv))?;
    let verdict = decision.verdict();
    let say_notices = || decision.notices.iter().for_each(|n| stdio::say(&trouble::notice(n)));
    if let Verdict::Refuse(refusal) = &verdict {
        say_notices();
        return Ok(refuse(&context, &decision, refusal, argv, Door::Run));
    }
    let us = install::ourselves().map_err(unguarded)?;
    // Without anything to go by nothing runs, whatever a notice says of other names.
    let distrusted = |e| Distrusted(trouble::distrust(name, &e));
    let has_policy = !sources::find(&context, &[]).is_empty();
    let mut names = in_force::guarded(&context, &us).map_err(distrusted)?;
    if has_policy {
        names.extend(in_force::wanted(&context, &us).map_err(distrusted)?.names);
        names.sort();
        names.dedup();
    }
    say_notices();
    if let Verdict::Warn(warning) = &verdict {
        refuse(&context, &decision, warning, argv, Door::Run);
    }
    let program = match find(name, &us) {
        Ok(program) => program,
        Err(exit) => return Ok(exit),
    };
    if !has_policy {
        stdio::say(&installing::no_rule(name));
    }
    let directory = runs::make(&context, &names, &us).map_err(unguarded)?;
    let path = CString::new(program::path_behind(&directory).as_bytes()).unwrap_or_default();
    let path = (c"PATH".to_owned(), path);
    let exit = become_it(&program, argv, decision.argv0_is_path, &[path]);
    runs::remove(&directory);
    Ok(exit)
}

/// The file to execute: a name is looked for on PATH, past us, a path is taken as it is.
pub(super) fn find(name: &OsStr, us: &Executed) -> Result<PathBuf, Exit> {
    if name.as_bytes().contains(&b'/') {
        return Ok(PathBuf::from(name));
    }
    if crate::command::is_own_name(name.as_bytes()) {
        return Ok(us.path.clone());
    }
    match program::anywhere(name, us) {
        Ok(program) => Ok(PathBuf::from(OsStr::from_bytes(program.path.to_bytes()))),
        Err(NoProgram::NotFound) => {
            let is_line = name.as_bytes().iter().any(u8::is_ascii_whitespace);
            stdio::say(&if is_line { trouble::no_line(name) } else { trouble::not_found(name) });
            Err(Exit::NotFound)
        }
        Err(NoProgram::NotExecutable) => {
            stdio::say(&trouble::permission_denied(name));
            Err(Exit::NotExecutable)
        }
    }
}

/// Returns only when that failed.
pub(super) fn become_it(
    program: &Path,
    argv: &[BString],
    argv0_is_path: bool,
    environment: &[(CString, CString)],
) -> Exit {
    let c = |bytes: &[u8]| CString::new(bytes).unwrap_or_default();
    let mut words: Vec<CString> = argv.iter().map(|word| c(word)).collect();
    if argv0_is_path && let Some(word) = words.first_mut() {
        *word = c(program.as_os_str().as_bytes());
    }
    let error = match exec::become_program(program, words, environment) {
        Ok(never) => match never {},
        Err(error) => error,
    };
    stdio::say(&trouble::not_executed(&c(program.as_os_str().as_bytes()), &error));
    match error.kind() {
        std::io::ErrorKind::NotFound => Exit::NotFound,
        _ => Exit::NotExecutable,
    }
}
