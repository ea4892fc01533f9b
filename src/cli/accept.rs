//! `embargo accept`: runs a check, and seals what it proved when it passes.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;

use bstr::BString;

use super::judging::{self, Distrusted, Policies};
use super::run::{become_it, find};
use super::{Outcome, failure};
use crate::accept::{Asked, Watch, check, proved};
use crate::decide::Subject;
use crate::policy::{Exit, Verdict};
use crate::refuse::{self, Door};
use crate::render::accept::{Report, Unsealed};
use crate::render::{accept, answer, installing, trouble, usage};
use crate::seal::{Class, Named, Said};
use crate::sys::child::{self, Ended, Side};
use crate::sys::context::Context;
use crate::sys::executed::Executed;
use crate::sys::{install, stdio, touch};

/// Runs a check and, when it passes, seals what it proved
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    #[command(flatten)]
    policies: Policies,
    /// The check's name in messages; without one, its program's
    #[arg(long, value_name = "NAME")]
    name: Option<String>,
    /// What the check judges; may be given several times, as the next three
    #[arg(long, value_name = "PATH")]
    output: Vec<PathBuf>,
    /// A directory whose files the check looks at
    #[arg(long, value_name = "DIR")]
    root: Vec<PathBuf>,
    /// The check's own script
    #[arg(long, value_name = "PATH")]
    entry: Vec<PathBuf>,
    /// What makes an output
    #[arg(long, value_name = "PATH")]
    generator: Vec<PathBuf>,
    /// Says what would be sealed and why; runs nothing
    #[arg(long)]
    dry_run: bool,
    /// One JSON object on standard output, behind what the check writes there
    #[arg(long)]
    json: bool,
    /// The check and its arguments
    #[arg(value_name = "CMD", required = true, trailing_var_arg = true)]
    command: Vec<OsString>,
}

const EXAMPLES: &str = "\
Examples:
  embargo accept --name final -- ./verify.sh dist/app.tar report.csv
  embargo accept --root src -- make check
  embargo accept --dry-run -- ./verify.sh dist/app.tar

Files and directories among the check's arguments are sealed, its own script, and against resets
the work tree. Exit status: the check's own; 86 or 87 where the policy refuses it, 88 where it
passed and was not sealed.";

/// Judges the check, runs it, and seals.
pub fn run(args: Args) -> Outcome {
    let argv: Vec<BString> =
        args.command.iter().map(|word| BString::from(word.as_bytes())).collect();
    let name = judging::name(&argv);
    match guarded(&args, &argv, &name) {
        Ok(outcome) => outcome,
        Err(Distrusted(message)) => {
            stdio::say(&message);
            Ok(Exit::Broken)
        }
    }
}

fn guarded(args: &Args, argv: &[BString], name: &OsStr) -> Result<Outcome, Distrusted> {
    let context = args.policies.context(name)?;
    let decision = judging::decide(&context, name, Subject::Argv(argv))?;
    decision.notices.iter().for_each(|n| stdio::say(&trouble::notice(n)));
    if let Verdict::Refuse(refusal) | Verdict::Warn(refusal) = &decision.verdict() {
        let exit = refuse::refuse(&context, &decision, refusal, argv, Door::Run);
        if exit != Exit::Success {
            return Ok(Ok(exit));
        }
    }
    let us = install::ourselves().map_err(|e| Distrusted(installing::not_guarded(name, &e)))?;
    Ok(accepted(args, argv, (name, &us), &context, decision.argv0_is_path))
}

fn accepted(
    args: &Args,
    argv: &[BString],
    (name, us): (&OsStr, &Executed),
    context: &Context,
    argv0_is_path: bool,
) -> Outcome {
    let program = match find(name, us) {
        Ok(program) => program,
        Err(exit) => return Ok(exit),
    };
    if context.state().is_none() {
        return Err(failure(usage::no_places()));
    }
    let asked = asked(args);
    let check = check(&asked, argv, context);
    let mut report =
        Report { check: &check, argv, seals: Vec::new(), status: None, unsealed: None };
    let found = match args.dry_run {
        true => proved(&asked, argv, context, &check),
        false => {
            let mut watch = Watch::begin(context, check.clone(), &program);
            let side = child::fork().map_err(|e| failure(e.to_string()))?;
            let Side::Parent(child) = side else {
                return Ok(become_it(&program, argv, argv0_is_path, &[]));
            };
            let ended = child.wait();
            watch.end();
            match ended {
                Ended::Status(0) => {
                    report.status = Some(0);
                    watch.seal(&asked, argv, context)
                }
                Ended::Status(status) => {
                    report.status = Some(status);
                    Err(Unsealed::Failed(status))
                }
                Ended::Signal(signal) => {
                    child::end_by(signal);
                    return Ok(Exit::Own(u8::try_from(128 + signal).unwrap_or(u8::MAX)));
                }
                Ended::Unknown => Err(Unsealed::NoStatus),
            }
        }
    };
    match found {
        Ok(found) => report.seals = found,
        Err(why) => report.unsealed = Some(why),
    }
    say(args, &report);
    Ok(match (&report.unsealed, report.status) {
        (_, Some(status @ 1..)) => Exit::Own(status),
        (Some(_), _) if !args.dry_run => Exit::Broken,
        _ => Exit::Success,
    })
}

/// The report: for people beside what the check writes, and not among it.
fn say(args: &Args, report: &Report<'_>) {
    match (args.json, args.dry_run) {
        (true, _) => stdio::print(&answer::object(&accept::json(report))),
        (false, true) => stdio::print(&accept::text(report)),
        (false, false) => stdio::say(&accept::text(report)),
    }
}

fn asked(args: &Args) -> Asked {
    let options = [
        (Class::Output, &args.output),
        (Class::TreeRoot, &args.root),
        (Class::Entry, &args.entry),
        (Class::Generator, &args.generator),
    ];
    let named = |(class, paths): (Class, &Vec<PathBuf>)| {
        let one = |path: &PathBuf| Named { path: touch::bytes(path), class, said: Said::Option };
        paths.iter().map(one).collect::<Vec<_>>()
    };
    Asked { name: args.name.clone(), named: options.into_iter().flat_map(named).collect() }
}
