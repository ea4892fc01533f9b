//! One decision: the policy in force for a call, and what it says. The shim, `run`,
//! `check` and `explain` all come here, so that they cannot disagree.

use std::path::PathBuf;

use bstr::{BString, ByteSlice};

use crate::policy::{Ancestry, Invocation, Reserved, Rule, Settings, Verdict, judge_all};
use crate::sys::context::{Context, absolute};
use crate::sys::policy_view::{self, ViewBytes};
use crate::sys::{environment, processes, sources};
use crate::view::{Distrust, SourceRecord, View};

/// What to judge.
#[derive(Debug, Clone, Copy)]
pub enum Subject<'a> {
    Argv(&'a [BString]),
    /// Shell text: matched raw, cut at its operators.
    Line(&'a str),
}

/// The policy's answer, with all that it was made from.
#[derive(Debug)]
pub struct Decision {
    /// The call, and the commands inside it.
    pub calls: Vec<Invocation>,
    /// Rules that may hit; empty on nearly every pass.
    pub rules: Vec<Rule>,
    pub reserved: Vec<Reserved>,
    pub settings: Settings,
    /// Said on every call while it holds: a broken project file.
    pub notices: Vec<String>,
    /// The program must get its absolute path as argv\[0\].
    pub argv0_is_path: bool,
    /// Rules in force, whatever they speak of.
    pub rule_count: u32,
    pub sources: Vec<SourceRecord>,
}

impl Decision {
    /// The verdict over all calls.
    pub fn verdict(&self) -> Verdict<'_> {
        let rules: Vec<&Rule> = self.rules.iter().collect();
        judge_all(&rules, &self.reserved, &self.calls)
    }
}

/// Decides. An error is what exit 88 says.
pub fn decide(context: &Context, subject: Subject<'_>) -> Result<Decision, Distrust> {
    let found = sources::find(context, &[]);
    let bytes = policy_view::get(context, &found)?;
    let view = open(&bytes)?;
    let nothing = Decision {
        calls: Vec::new(),
        rules: Vec::new(),
        reserved: Vec::new(),
        settings: Settings::default(),
        notices: view.notices(),
        argv0_is_path: false,
        rule_count: view.rule_count(),
        sources: Vec::new(),
    };
    let Subject::Argv(argv) = subject else {
        return decide_in(context, subject, view, found, nothing);
    };
    let called = argv.first().map(|a| a.rsplit(|b| *b == b'/').next().unwrap_or_default());
    let called = called.unwrap_or_default();
    if let Some(message) = called.to_str().ok().and_then(|name| view.distrust(name)) {
        return Err(Distrust { message });
    }
    let entry = view.program(called);
    let argv0_is_path = entry.as_ref().is_some_and(|e| e.argv0_is_path);
    let nothing = Decision { argv0_is_path, ..nothing };
    let looks_inside = entry.is_some_and(|e| e.wraps || e.changes_directory);
    if !looks_inside && !view.may_speak_of(called) {
        return Ok(nothing);
    }
    decide_in(context, subject, view, found, nothing)
}

fn decide_in(
    context: &Context,
    subject: Subject<'_>,
    view: View<'_>,
    found: Vec<SourceRecord>,
    nothing: Decision,
) -> Result<Decision, Distrust> {
    let calls = calls(&view, subject, &Ancestry::default());
    let elsewhere = effective_directories(context, &calls);
    if !elsewhere.is_empty() {
        let there = sources::find(context, &elsewhere);
        if there != found {
            let bytes = policy_view::get(context, &there)?;
            let view = open(&bytes)?;
            let nothing =
                Decision { notices: view.notices(), rule_count: view.rule_count(), ..nothing };
            return Ok(weigh(context, subject, &view, there, nothing));
        }
    }
    Ok(weigh(context, subject, &view, found, nothing))
}

fn weigh(
    context: &Context,
    subject: Subject<'_>,
    view: &View<'_>,
    sources: Vec<SourceRecord>,
    nothing: Decision,
) -> Decision {
    let mut calls = calls(view, subject, &Ancestry::default());
    let rules = view.candidates(&calls);
    let reserved: Vec<Reserved> = calls.iter().flat_map(|c| view.reserved(&c.words)).collect();
    if rules.is_empty() && reserved.is_empty() {
        return Decision { calls, sources, ..nothing };
    }
    // Ancestors are looked up only for a rule that depends on them.
    let asks = |rule: &Rule| rule.asks_for_ancestry() && calls.iter().any(|c| rule.covers(c));
    if let Subject::Argv(argv) = subject
        && rules.iter().any(asks)
    {
        let session = context.record.as_ref().and_then(|r| r.session);
        calls = self::calls(
            view,
            subject,
            &processes::ancestry(session, argv, environment::shell_ran()),
        );
    }
    Decision { calls, rules, reserved, settings: view.settings(), sources, ..nothing }
}

fn calls(view: &View<'_>, subject: Subject<'_>, ancestry: &Ancestry) -> Vec<Invocation> {
    match subject {
        Subject::Argv(argv) => view.calls(argv, ancestry),
        Subject::Line(text) => view.calls_of_line(text, ancestry),
    }
}

/// Where the calls will work, if not here: `git -C dir`, `gradle -p dir`.
fn effective_directories(context: &Context, calls: &[Invocation]) -> Vec<PathBuf> {
    let directory = |call: &Invocation| {
        let steps = call.words.directories();
        let start = context.cwd.clone().unwrap_or_default();
        let step = |at: PathBuf, to: &BString| absolute(Some(&at), &to.to_path_lossy());
        (!steps.is_empty()).then(|| steps.iter().fold(start, step))
    };
    let normal = crate::sys::sources::canonical;
    calls.iter().filter_map(directory).map(normal).collect()
}

fn open(bytes: &ViewBytes) -> Result<View<'_>, Distrust> {
    View::open(bytes.bytes())
        .map_err(|_| Distrust { message: "the compiled policy is damaged".to_owned() })
}
