//! `embargo history`: what the policy in force would have said of commands that were run before.

use std::collections::{BTreeMap, HashMap};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use super::judging::{Distrusted, Policies};
use super::{Outcome, failure, in_force};
use crate::decide::{Subject, decide};
use crate::history::{Came, Entry, doubts, often, read};
use crate::hook::Shell;
use crate::policy::{Exit, Rule, Verdict};
use crate::render::history::{self as says, File, Finding, OfRule, Report};
use crate::render::refusal::{place, severity_name};
use crate::render::{answer, usage};
use crate::sys::context::Context;
use crate::sys::{redact, sources, stdio};

/// Judges commands that were run before by the policy in force here
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    #[command(flatten)]
    policies: Policies,
    /// All that would have been said, and not just the first
    #[arg(long)]
    all: bool,
    /// One JSON object, with all of it
    #[arg(long)]
    json: bool,
    /// Histories of bash, zsh or fish, or transcripts of Claude Code; `-` is standard input
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,
}

const EXAMPLES: &str = "\
Examples:
  embargo history ~/.bash_history ~/.zsh_history
  embargo history ~/.claude/projects/*/*.jsonl
  embargo history --policy draft.toml --json ~/.local/share/fish/fish_history | jq .rules

Nothing is run or counted. A command of a transcript is judged where it ran, if that directory is
still there, others here. Likely false is what only asks for help, has the pattern in quoted text alone,
is like what the rule's own example permits, could not be parsed, or ran often and never failed. Exit
status: 0 done, 1 a file cannot be read, 88 the policy cannot be trusted.";

/// Prints what would have been said.
pub fn run(args: Args) -> Outcome {
    match judged(&args) {
        Ok(outcome) => outcome,
        Err(Distrusted(message)) => {
            match args.json {
                true => stdio::print(&answer::object(&answer::broken(&message, "history"))),
                false => stdio::say(&message),
            }
            Ok(Exit::Broken)
        }
    }
}

fn judged(args: &Args) -> Result<Outcome, Distrusted> {
    let context = args.policies.context(OsStr::new("embargo history"))?;
    if sources::find(&context, &[]).is_empty() {
        stdio::say(&answer::no_policy(context.cwd.as_deref(), context.config()));
    }
    let mut judge = Judge::new(&context);
    for file in &args.files {
        let bytes = match stdio::whole(file) {
            Ok(bytes) => bytes,
            Err(error) => return Ok(Err(failure(usage::not_read(file, &error)))),
        };
        let (format, entries) = read(&bytes);
        judge.file(file, &entries)?;
        judge.report.files.push(File { path: file.clone(), format, commands: entries.len() });
    }
    let report = judge.report();
    stdio::print(&match args.json {
        true => answer::object(&says::json(&report)),
        false => says::text(&report, args.all),
    });
    Ok(Ok(Exit::Success))
}

/// What is known while files are read.
struct Judge<'c> {
    context: &'c Context,
    /// Examples of what each rule permits.
    permits: BTreeMap<String, Vec<String>>,
    report: Report,
    /// Where the verdict of a line is in the report, if it was no pass.
    known: HashMap<(Option<PathBuf>, String), Option<usize>>,
}

impl<'c> Judge<'c> {
    fn new(context: &'c Context) -> Self {
        let (_, set) = in_force::here(context);
        let mut permits: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for examples in &set.loaded.examples {
            let texts = examples.permits.iter().map(|line| line.text.clone());
            permits.entry(examples.rule.0.clone()).or_default().extend(texts);
        }
        Judge { context, permits, report: Report::default(), known: HashMap::new() }
    }

    fn file(&mut self, file: &Path, entries: &[Entry]) -> Result<(), Distrusted> {
        /// Between two words of how far it is.
        const STEP: usize = 500;
        for (at, entry) in entries.iter().enumerate() {
            if at % STEP == 0 && at > 0 {
                stdio::progress(&says::progress(at, entries.len()));
            }
            self.entry(file, entry)?;
        }
        stdio::progress("");
        Ok(())
    }

    fn entry(&mut self, file: &Path, entry: &Entry) -> Result<(), Distrusted> {
        let there = entry.cwd.as_deref().and_then(sources::real_directory);
        let key = (there.clone(), entry.command.clone());
        let at = match self.known.get(&key) {
            Some(at) => *at,
            None => {
                let at = self.judge(file, entry, there)?;
                self.known.insert(key, at);
                at
            }
        };
        let Some(finding) = at.and_then(|at| self.report.findings.get_mut(at)) else {
            return Ok(());
        };
        finding.times += 1;
        *finding.came.entry(entry.came).or_default() += 1;
        Ok(())
    }

    /// Judges a line that was not seen before; where its finding is.
    fn judge(
        &mut self,
        file: &Path,
        entry: &Entry,
        there: Option<PathBuf>,
    ) -> Result<Option<usize>, Distrusted> {
        let context = Context { cwd: there.or(self.context.cwd.clone()), ..self.context.clone() };
        let subject = match entry.shell {
            Shell::Posix => Subject::Line(&entry.command),
            Shell::PowerShell => Subject::PowerShell(&entry.command),
        };
        let name = OsStr::new("embargo history");
        let mut decision =
            decide(&context, subject).map_err(|doubt| Distrusted(doubt.words(name)))?;
        // What is sealed now was not then.
        decision.threats.clear();
        let (Verdict::Warn(it) | Verdict::Refuse(it)) = decision.verdict() else { return Ok(None) };
        let permits = it.rules().iter().filter_map(|rule| self.permits.get(&rule.id.0)).flatten();
        let permits: Vec<&str> = permits.map(String::as_str).collect();
        let line = ["sh", "-c", entry.command.as_str()].map(Into::into);
        let of_rule = |rule: &&Rule| OfRule { id: rule.id.0.clone(), origin: place(rule) };
        let mut rules: Vec<OfRule> = it.rules().iter().map(of_rule).collect();
        if let Some(name) = it.reserved_name() {
            let origin = String::new();
            rules.insert(0, OfRule { id: format!("reserved:{}", name.name), origin });
        }
        self.report.findings.push(Finding {
            file: file.to_owned(),
            line: entry.line,
            command: redact::redact(&line).pop().unwrap_or_default(),
            verdict: severity_name(it.severity()),
            rules,
            times: 0,
            came: BTreeMap::new(),
            doubts: doubts(&it, &decision.calls, &entry.command, &permits),
        });
        Ok(Some(self.report.findings.len() - 1))
    }

    /// With what only all of it together shows.
    fn report(mut self) -> Report {
        for finding in &mut self.report.findings {
            let failed = [Came::Failed, Came::Refused].iter().any(|c| finding.came.contains_key(c));
            let ran = if failed { 0 } else { finding.times };
            finding.doubts.extend(often(ran));
        }
        self.report
    }
}
