//! `embargo add`: writes a rule into a policy, and asks for what it needs.

use std::path::{Path, PathBuf};

use clap::ValueEnum;

use super::{Outcome, failure};
use crate::command::is_own_name;
use crate::config::{Format, NewRule, Pack};
use crate::policy::{Exit, Layer};
use crate::render::{add, answer, usage};
use crate::sys::context::{Context, absolute};
use crate::sys::{asking, policy_file, sources, stdio};

mod draft;

/// Writes a rule on a command, asking for reason and alternative
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// A program, with its subcommand if only that is meant: `gradle`, `git push`
    #[arg(value_name = "COMMAND", required = true)]
    command: Vec<String>,
    /// Only with this flag (`--force`, or one of several: `-f|--force`); all given ones are needed
    #[arg(long, value_name = "FLAG", allow_hyphen_values = true)]
    flag: Vec<String>,
    /// Completes the sentence "I must not use COMMAND because …"
    #[arg(long)]
    reason: Option<String>,
    /// The next right step: "run `./gradlew {args}`"; {rest} leaves out the words of COMMAND
    #[arg(long)]
    alternative: Option<String>,
    /// Words or a flag with which the rule does not hold (`--dry-run`); may be given several times
    #[arg(long, value_name = "EXCEPTION", allow_hyphen_values = true)]
    unless: Vec<String>,
    /// Names the rule in messages and in the log
    #[arg(long)]
    id: Option<String>,
    /// What becomes of a call
    #[arg(long, value_enum)]
    verdict: Option<Ruling>,
    /// Into your own policy, which counts in every project
    #[arg(long, conflicts_with = "file")]
    user: bool,
    /// Into this file; by default into the project's, or a new embargo.toml here
    #[arg(long, value_name = "FILE")]
    file: Option<PathBuf>,
    /// Shows the rule, and writes nothing
    #[arg(long, short = 'n')]
    dry_run: bool,
    /// One JSON object; asks nothing
    #[arg(long)]
    json: bool,
}

const EXAMPLES: &str = "\
Examples:
  embargo add gradle
  embargo add git push --flag '--force|-f' --verdict ask --reason 'it rewrites what others have pulled'
  embargo add cargo publish --unless --dry-run --reason 'the release job publishes'
  embargo add --user pip --reason 'this machine uses uv' --alternative 'run `uv pip {args}`'

Comments and order of the file stay. A rule whose own example does not hold, or that refuses what
it prescribes, is not written. Exit status: 0 written (or shown), 1 not.";

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Ruling {
    Refuse,
    Ask,
    Warn,
}

/// Asks, proves, writes.
pub fn run(args: Args) -> Outcome {
    let context = Context::of_caller();
    let (path, layer) = target(args.file.as_deref(), args.user, &context)?;
    let command = args.command.join(" ");
    match args.command[0].trim() {
        "" => return Err(failure(add::no_command())),
        name if is_own_name(name.as_bytes()) => return Err(failure(add::our_own_name(name))),
        _ => {}
    }
    let known = Pack::all().filter(|pack| pack.speaks_of(&args.command[0]));
    let known: Vec<&str> = known.map(|pack| pack.name).collect();
    if !args.json && !known.is_empty() {
        stdio::say(&add::known_to(&args.command[0], &known));
    }
    let asks = !args.json && asking::is_possible();
    let reason = match given(args.reason) {
        Some(reason) => reason,
        None if asks => asked(|| asking::line(&add::ask_reason(&command)))
            .ok_or_else(|| failure(add::no_reason(&command)))?,
        None => return Err(failure(add::no_reason(&command))),
    };
    let alternative = match args.alternative {
        // The end of input is no answer.
        None if asks => Some(
            asking::line(&add::ask_alternative()).ok_or_else(|| failure(add::not_answered()))?,
        ),
        alternative => alternative,
    };
    let rule = NewRule {
        id: args.id,
        command,
        flags: args.flag,
        unless: args.unless,
        verdict: args.verdict.and_then(|v| Some(v.to_possible_value()?.get_name().to_owned())),
        reason,
        alternative: given(alternative),
        refuses: Vec::new(),
    };
    let format = Format::of(&path);
    let draft = draft::draft(&context, &path, layer, format, rule)?;
    let is_written = !args.dry_run && {
        let result = match draft.is_new {
            true => policy_file::create(&path, &draft.text),
            false => policy_file::replace(&path, &draft.text),
        };
        result.map_err(|error| failure(add::unwritable(&path, &error)))?;
        true
    };
    if args.json {
        let place = (path.as_path(), draft.line);
        stdio::print(&answer::object(&add::json(place, is_written, &draft.id, &draft.rule)));
        return Ok(Exit::Success);
    }
    if !is_written {
        stdio::print(&draft.rule);
    }
    if let Some(said) = &draft.said {
        stdio::print(&add::preview(said));
    }
    if is_written {
        stdio::print(&add::written(&draft.id, &path, draft.line, layer));
    }
    Ok(Exit::Success)
}

fn given(text: Option<String>) -> Option<String> {
    text.map(|text| text.trim().to_owned()).filter(|text| !text.is_empty())
}

/// An answer that is not blank; a person has three tries.
fn asked(ask: impl Fn() -> Option<String>) -> Option<String> {
    (0..3).map_while(|_| ask()).find(|answer| !answer.is_empty())
}

/// The file to write into, and whose it is: the one that is named, the user's own, the
/// project's, or a new one here.
pub(super) fn target(
    file: Option<&Path>,
    of_user: bool,
    context: &Context,
) -> anyhow::Result<(PathBuf, Layer)> {
    if let Some(file) = file {
        let file = absolute(context.cwd.as_deref(), file);
        return Ok((file, Layer::Named));
    }
    if of_user {
        let config = context.config().ok_or_else(|| failure(usage::no_places()))?;
        return Ok((existing(config).unwrap_or_else(|| config.join("embargo.toml")), Layer::User));
    }
    let here =
        context.cwd.as_deref().ok_or_else(|| failure(crate::render::init::no_directory()))?;
    // The directory of the user's configuration holds no project's file.
    let is_project = |directory: &&Path| Some(*directory) != context.config();
    let nearest = here.ancestors().filter(is_project).find_map(existing);
    Ok((nearest.unwrap_or_else(|| here.join("embargo.toml")), Layer::Project))
}

fn existing(directory: &Path) -> Option<PathBuf> {
    sources::policy_files(directory).into_iter().find(|path| path.exists())
}
