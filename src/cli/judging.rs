//! What judging verbs share: `--policy`, the call they are asked about, and the way
//! to a decision.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStringExt;
use std::path::PathBuf;

use bstr::{BString, ByteSlice};
use clap::CommandFactory;
use clap::error::ErrorKind;

use super::failure;
use crate::decide::{self, Decision, Subject};
use crate::render::{trouble, usage};
use crate::sys::context::{Context, absolute};
use crate::sys::{sources, stdio};

/// Why nothing could be decided: what exit 88 says.
pub struct Distrusted(pub String);

/// `--policy` on every verb that judges.
#[derive(Debug, Clone, Default, clap::Args)]
pub struct Policies {
    /// One more policy file; may be given several times
    #[arg(long, value_name = "FILE")]
    policy: Vec<PathBuf>,
}

impl Policies {
    /// Where things are for this call, as the shims on PATH would know it.
    pub fn context(&self, name: &OsStr) -> Result<Context, Distrusted> {
        let context = Context::of_verb();
        let mut context =
            context.map_err(|(dir, error)| Distrusted(trouble::record(name, &dir, &error)))?;
        let named = self.absolute(&context);
        context.named.extend(named);
        match context.missing_state() {
            Some(state) => Err(Distrusted(trouble::state_gone(name, state))),
            None => Ok(context),
        }
    }

    /// The files against the working directory, without `..`; a file that is a link stays one.
    pub fn absolute(&self, context: &Context) -> Vec<PathBuf> {
        let absolute = |file: &PathBuf| absolute(context.cwd.as_deref(), file);
        self.policy.iter().map(absolute).map(sources::in_canonical_directory).collect()
    }
}

/// What `check` and `explain` are asked.
#[derive(Debug, clap::Args)]
pub struct Question {
    #[command(flatten)]
    pub policies: Policies,
    /// One JSON object
    #[arg(long)]
    pub json: bool,
    #[command(flatten)]
    pub call: Call,
}

/// A line, or the words of a command.
#[derive(Debug, clap::Args)]
pub struct Call {
    /// One line of shell text, quoted; `-` reads it from standard input
    #[arg(value_name = "LINE", required_unless_present = "argv")]
    line: Vec<OsString>,
    /// The words of one command, as a program is given them; takes everything that follows
    #[arg(
        long,
        value_name = "CMD",
        num_args = 1..,
        allow_hyphen_values = true,
        conflicts_with = "line"
    )]
    argv: Vec<OsString>,
}

/// What is asked about.
#[derive(Debug)]
pub enum Asked {
    Argv(Vec<BString>),
    Line(String),
}

impl Call {
    /// The question, or the usage error that shows both forms.
    pub fn asked(self, verb: &str) -> anyhow::Result<Asked> {
        let bytes = |word: OsString| BString::from(word.into_vec());
        match <[OsString; 1]>::try_from(self.line) {
            Ok([line]) => {
                let line = match line == "-" {
                    true => stdio::input().map_err(|e| failure(usage::no_input(&e)))?.into(),
                    false => bytes(line),
                };
                // A shell leaves NULs out, bash(1) with a warning.
                let line = line.to_str_lossy().replace('\0', "");
                Ok(Asked::Line(line.trim_end_matches('\n').to_owned()))
            }
            Err(words) if words.is_empty() => {
                let mut argv: Vec<BString> = self.argv.into_iter().map(bytes).collect();
                if argv.first().is_some_and(|word| word == "--") {
                    argv.remove(0);
                }
                Ok(Asked::Argv(argv))
            }
            Err(words) => {
                let words: Vec<BString> = words.into_iter().map(bytes).collect();
                Err(self::usage(&[verb], usage::several_words(&words)).into())
            }
        }
    }
}

impl Asked {
    /// For [`decide::decide`].
    pub fn subject(&self) -> Subject<'_> {
        match self {
            Asked::Argv(argv) => Subject::Argv(argv),
            Asked::Line(line) => Subject::Line(line),
        }
    }

    /// What to call it in a message.
    pub fn name(&self) -> OsString {
        match self {
            Asked::Argv(argv) => name(argv),
            Asked::Line(line) => line.split_whitespace().next().unwrap_or_default().into(),
        }
    }
}

/// A usage error of a verb, or of one below it, with its usage below.
pub fn usage(verbs: &[&str], message: String) -> clap::Error {
    let mut cli = super::Cli::command();
    cli.build();
    let found = verbs.iter().try_fold(&cli, |command, verb| command.find_subcommand(verb));
    let mut command = found.unwrap_or(&cli).clone();
    command.error(ErrorKind::TooManyValues, message)
}

/// The name of a command for messages.
pub fn name(argv: &[BString]) -> OsString {
    OsString::from_vec(argv.first().cloned().unwrap_or_default().into())
}

/// Decides, or says why nothing can be.
pub fn decide(
    context: &Context,
    name: &OsStr,
    subject: Subject<'_>,
) -> Result<Decision, Distrusted> {
    decide::decide(context, subject).map_err(|e| Distrusted(e.words(name)))
}
