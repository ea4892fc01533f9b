//! `embargo accept`: runs a check, and seals what it proved when it passes.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use bstr::{BString, ByteSlice};

use super::judging::{self, Distrusted, Policies};
use super::run::{become_it, find};
use super::{Outcome, failure, seal};
use crate::command::join;
use crate::decide::Subject;
use crate::policy::{Exit, Verdict};
use crate::refuse::{self, Door};
use crate::render::accept::{Report, Unsealed};
use crate::render::{accept, answer, installing, trouble, usage};
use crate::seal::{self as seals, Acceptance, Check, Class, Named, Object, Said, Seal, Tier};
use crate::sys::child::{self, Ended, Side};
use crate::sys::context::{Context, absolute};
use crate::sys::executed::Executed;
use crate::sys::ledger::{self, NewSeal};
use crate::sys::{clock, install, stdio, touch};

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
    let state = context.state().ok_or_else(|| failure(usage::no_places()))?;
    let check = check(args, argv, context);
    let mut report =
        Report { check: &check, argv, seals: Vec::new(), status: None, unsealed: None };
    if !args.dry_run {
        let real = touch::real(&absolute(context.cwd.as_deref(), &program));
        let mut acceptance = Acceptance {
            check: check.clone(),
            executable: (touch::bytes(&real), digest(&real)),
            at_ms: clock::now_ms(),
            duration_ms: 0,
        };
        // Below it its own seals do not bite: what it makes again is proved again.
        let running = context.may_write().then(|| ledger::begin(state, &acceptance));
        let side = child::fork().map_err(|e| failure(e.to_string()))?;
        let Side::Parent(child) = side else {
            return Ok(become_it(&program, argv, argv0_is_path, &[]));
        };
        match child.wait() {
            Ended::Status(0) => {}
            Ended::Status(status) => {
                report.status = Some(status);
                report.unsealed = Some(Unsealed::Failed(status));
                say(args, &report);
                return Ok(Exit::Own(status));
            }
            Ended::Signal(signal) => {
                child::end_by(signal);
                return Ok(Exit::Own(u8::try_from(128 + signal).unwrap_or(u8::MAX)));
            }
            Ended::Unknown => {
                report.unsealed = Some(Unsealed::NoStatus);
                say(args, &report);
                return Ok(Exit::Broken);
            }
        }
        drop(running);
        report.status = Some(0);
        acceptance.duration_ms = clock::now_ms().saturating_sub(acceptance.at_ms);
        match proved(args, argv, context, &check, state) {
            Ok(found) => {
                let new: Vec<NewSeal> = found.iter().map(|(new, _)| new.clone()).collect();
                match ledger::accept(state, &acceptance, &new) {
                    Ok(_) => report.seals = found,
                    Err(error) => report.unsealed = Some(Unsealed::Ledger(error)),
                }
            }
            Err(why) => report.unsealed = Some(why),
        }
        for (new, _) in &report.seals {
            refuse::note_seal(context, "sealed", &new.path);
        }
    } else {
        match proved(args, argv, context, &check, state) {
            Ok(found) => report.seals = found,
            Err(why) => report.unsealed = Some(why),
        }
    }
    say(args, &report);
    Ok(match report.unsealed {
        Some(_) if !args.dry_run => Exit::Broken,
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

fn check(args: &Args, argv: &[BString], context: &Context) -> Check {
    let program = argv.first().and_then(|word| word.rsplit(|b| *b == b'/').next());
    let name = || program.unwrap_or_default().to_str_lossy().into_owned();
    Check {
        id: 0,
        name: args.name.clone().unwrap_or_else(name),
        command: join(argv),
        cwd: context.cwd.as_deref().map(touch::bytes).unwrap_or_default(),
    }
}

fn digest(program: &Path) -> [u8; 32] {
    match ledger::observe(program, Class::Entry).map(|seen| seen.object) {
        Ok(Object::File { digest, .. }) => digest,
        _ => [0; 32],
    }
}

/// What the check proves as things are now, and who says so.
fn proved(
    args: &Args,
    argv: &[BString],
    context: &Context,
    check: &Check,
    state: &Path,
) -> Result<Vec<(NewSeal, Said)>, Unsealed> {
    if let Some(why) = seals::dubious(argv) {
        return Err(Unsealed::Dubious(why));
    }
    if !context.may_write() {
        return Err(Unsealed::NotTheOwner);
    }
    let before = ledger::seals(state).map_err(Unsealed::Ledger)?;
    let session = refuse::session_here(context);
    let mut found: Vec<(NewSeal, Said)> = Vec::new();
    for named in targets(args, argv, context) {
        let path = absolute(context.cwd.as_deref(), &named.path.to_path_lossy());
        let real = touch::in_real_directory(&path);
        let is_option = named.said == Said::Option;
        if !is_option && !touch::is_there(&real) {
            continue;
        }
        let Some(class) = class(&named, &real, context) else { continue };
        let (bytes, seen) = match seal::look(&real, class, context) {
            Ok(found) => found,
            // What an option names is sealed, or nothing is.
            Err(why) if is_option => return Err(Unsealed::Target(why.to_string())),
            Err(_) => continue,
        };
        if found.iter().any(|(new, _)| new.path == bytes) {
            continue;
        }
        let own = |s: &&Seal| s.path == bytes;
        let is_changed = |s: &&Seal| {
            s.class != Class::ResetRoot
                && class != Class::ResetRoot
                && !seal::is_same(&s.object, &seen.object)
                && s.check.as_ref().is_none_or(|of| !is_same_check(of, check))
        };
        if let Some(changed) = before.iter().filter(own).find(is_changed) {
            return Err(Unsealed::Changed(Box::new(changed.clone())));
        }
        let known = before.iter().filter(own).filter(|s| s.class == class).map(|s| s.tier).max();
        let tier = match touch::is_scratch(&real, context.cwd.as_deref()) {
            true => Tier::Scratch,
            false => class.tier(),
        };
        let new = NewSeal {
            path: bytes,
            target: seen.target,
            class,
            tier: known.map_or(tier, |known| known.max(tier)),
            object: seen.object,
            inode: seen.inode,
            members: seen.members,
            reason: None,
            alternative: None,
            session: session.clone(),
        };
        found.push((new, named.said));
    }
    if found.is_empty() { Err(Unsealed::Nothing) } else { Ok(found) }
}

fn is_same_check(a: &Check, b: &Check) -> bool {
    a.command == b.command && a.cwd == b.cwd
}

/// All that may be a target, what was said explicitly first.
fn targets(args: &Args, argv: &[BString], context: &Context) -> Vec<Named> {
    let options = [
        (Class::Output, &args.output),
        (Class::TreeRoot, &args.root),
        (Class::Entry, &args.entry),
        (Class::Generator, &args.generator),
    ];
    let said = |(class, paths): (Class, &Vec<PathBuf>)| {
        let named = |path: &PathBuf| Named { path: touch::bytes(path), class, said: Said::Option };
        paths.iter().map(named).collect::<Vec<_>>()
    };
    let mut all: Vec<Named> = options.into_iter().flat_map(said).collect();
    let by_argv = seals::named(argv);
    for list in by_argv.iter().filter(|named| named.class == Class::Input) {
        let path = absolute(context.cwd.as_deref(), &list.path.to_path_lossy());
        let named = |path| Named { path, class: Class::Output, said: Said::List };
        all.extend(seals::listed(&stdio::whole(&path).unwrap_or_default()).map(named));
    }
    all.extend(by_argv);
    let tree = context.cwd.as_deref().and_then(touch::work_tree);
    all.extend(tree.map(|path| Named {
        path: touch::bytes(&path),
        class: Class::ResetRoot,
        said: Said::WorkTree,
    }));
    all
}

/// As what it is sealed; `None` where it is no target after all.
fn class(named: &Named, real: &Path, context: &Context) -> Option<Class> {
    let cwd = context.cwd.as_deref();
    match (named.class, touch::is_directory(real)) {
        // `pytest .` says where, not what.
        (Class::Output, true)
            if named.said != Said::Option && cwd.is_some_and(|cwd| cwd.starts_with(real)) =>
        {
            Some(Class::ResetRoot)
        }
        (Class::Output, true) => Some(Class::TreeRoot),
        (Class::TreeRoot, false) => Some(Class::Output),
        // A tool that was installed is not the check's own script.
        (Class::Entry, _) if named.said == Said::Program => {
            let tree = touch::work_tree(real.parent()?);
            let ignored = tree.map(|tree| touch::ignored(&tree)).unwrap_or_default();
            let is_ignored = ignored.iter().any(|path| real.starts_with(path));
            (!is_ignored).then_some(Class::Entry)
        }
        (class, _) => Some(class),
    }
}
