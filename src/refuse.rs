//! Saying no: evidence first, then the agent, then a person where it is time.
//! Nothing here can change the verdict.

use std::path::PathBuf;

use bstr::{BString, ByteSlice};

use crate::decide::{Decision, Subject};
use crate::line::Way;
use crate::policy::{Exit, Refusal, Severity};
use crate::render::refusal::{Circumstances, agent_voice, json, severity_name, warning};
use crate::render::{sealed, told};
use crate::seal::Threat;
use crate::sys::acts::{self, Said, Seen};
use crate::sys::context::Context;
use crate::sys::evidence::{self, Event, EvidenceId, Kind, Recorded, Row};
use crate::sys::home::RECORD;
use crate::sys::ledger;
use crate::sys::notify::{self, Notice};
use crate::sys::processes::{Lineage, began_ms};
use crate::sys::session::Facts;
use crate::sys::{environment, session, stdio};

/// Which door saw the call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Door {
    Shim,
    Run,
    Hook,
    /// A verb that changes what is sealed.
    Verb,
}

/// What a harness says of the call that it asks about.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Asker {
    pub harness: &'static str,
    /// Its own id of the session.
    pub session: Option<String>,
    /// Of the sub-agent, where one calls.
    pub agent: Option<String>,
    /// Of the tool call: asked about twice, it is one act.
    pub call: Option<String>,
}

/// Refuses, or warns of, a call that was about to be made. Returns what to exit with;
/// a warning gives [`Exit::Success`], and the call goes on. So it does, without a word, where a
/// hook has said so of this call before.
pub fn refuse(
    context: &Context,
    decision: &Decision,
    refusal: &Refusal<'_>,
    argv: &[BString],
    door: Door,
) -> Exit {
    let seen = if door == Door::Shim { acts::take(context, argv) } else { None };
    if let Some(seen) = &seen
        && settles(seen, refusal)
    {
        if seen.said == Said::Asked && !stdio::is_any_closed() {
            record_allowed(
                context,
                refusal,
                Event { told: true, ..event(context, argv, door) },
                seen,
            );
        }
        return Exit::Success;
    }
    let warns = refusal.severity() == Severity::Warn;
    if !warns {
        stdio::fill_closed();
    }
    // A call that goes on keeps its closed descriptors: then no file of ours may be opened.
    let recorded = if warns && stdio::is_any_closed() {
        None
    } else {
        record(context, decision, refusal, of_the_hook(event(context, argv, door), seen))
    };
    let about = Circumstances {
        evidence: recorded.as_ref().map(|r| r.id.to_string()),
        offence: recorded.as_ref().map_or(1, |r| r.offence.max(1)),
        surface_after: decision.settings.surface_after,
        door: door.name(),
    };
    let text = match (environment::wants_json(), warns) {
        (true, _) => format!("{}\n", json(refusal, &decision.calls, &about)),
        (false, true) => warning(refusal, &decision.calls),
        (false, false) => agent_voice(refusal, &decision.calls, &about),
    };
    stdio::say(&text);
    let also_stdout = stdio::only_stdout_is_seen()
        || decision.settings.notice_on_stdout && stdio::stderr_is_null();
    if also_stdout && !warns {
        stdio::print(&text);
    }
    if recorded.is_some_and(|r| r.surface) {
        tell_person(context, decision, refusal, argv, &about);
    }
    refusal.exit()
}

/// Has the hook's word been all there is to say? A prompt allows only what it asked about, and no
/// prompt gives a grant.
fn settles(seen: &Seen, refusal: &Refusal<'_>) -> bool {
    let said = match seen.said {
        Said::Asked => Severity::Ask,
        Said::Warned => Severity::Warn,
        Said::Refused => return false,
    };
    said == refusal.severity() && refusal.rules().iter().all(|rule| seen.rules.contains(&rule.id.0))
}

/// One act is one offence: it is counted where the hook has counted it.
fn of_the_hook(event: Event, seen: Option<Seen>) -> Event {
    match seen {
        Some(seen) => Event { session: seen.session, call: Some(seen.call), ..event },
        None => event,
    }
}

fn record_allowed(context: &Context, refusal: &Refusal<'_>, event: Event, seen: &Seen) {
    let event = Event {
        kind: Kind::Allowed,
        rule: refusal.id(),
        rules: refusal.rules().iter().map(|r| r.id.0.clone()).collect(),
        verdict: severity_name(refusal.severity()).to_owned(),
        exit: Exit::Success.code(),
        ..of_the_hook(event, Some(seen.clone()))
    };
    append(context, &event, u32::MAX);
}

/// Records what a hook is about to answer with; `told` where the agent will read it.
pub fn record_line(
    context: &Context,
    decision: &Decision,
    refusal: &Refusal<'_>,
    (subject, asker): (Subject<'_>, &Asker),
    told: bool,
) -> OfLine {
    let event = Event { told, ..event_of_line(context, subject, asker) };
    let (session, call) = (event.session.clone(), event.call.clone().unwrap_or_default());
    let recorded = record(context, decision, refusal, event);
    let about = Circumstances {
        evidence: recorded.as_ref().map(|r| r.id.to_string()),
        offence: recorded.as_ref().map_or(1, |r| r.offence.max(1)),
        surface_after: decision.settings.surface_after,
        door: Door::Hook.name(),
    };
    OfLine { about, tell: recorded.is_some_and(|r| r.surface), session, call }
}

/// What is known of a line once it is recorded.
#[derive(Debug, Clone, Default)]
pub struct OfLine {
    pub about: Circumstances,
    /// A person is to be told as well.
    pub tell: bool,
    /// What its offences are counted by.
    pub session: String,
    /// The tool call.
    pub call: String,
}

/// Records that an agent's refusals are to be told to who has started it: `row` is the last of them.
pub fn record_notice(context: &Context, asker: &Asker, row: &Row) {
    let event = Event {
        kind: Kind::Notice,
        rule: row.rule.clone(),
        rules: row.rules.clone(),
        verdict: row.verdict.clone(),
        exit: row.exit,
        argv: row.argv.iter().map(|word| BString::from(word.as_str())).collect(),
        told: false,
        ..event_of_asker(context, "", asker)
    };
    append(context, &event, u32::MAX);
}

/// Records that a line was not run because policy cannot be trusted.
pub fn record_distrusted_line(context: &Context, subject: Subject<'_>, asker: &Asker) {
    append(context, &broken(event_of_line(context, subject, asker)), u32::MAX);
}

/// Tells a person of a line that was refused again.
pub fn tell_person_of_line(
    context: &Context,
    decision: &Decision,
    refusal: &Refusal<'_>,
    line: &str,
    about: &Circumstances,
) {
    tell_person(context, decision, refusal, &shell(line), about);
}

/// Says that policy cannot be trusted, and records that the call was not made.
pub fn distrusted(context: &Context, argv: &[BString], message: &str) -> Exit {
    stdio::fill_closed();
    append(context, &broken(event(context, argv, Door::Shim)), u32::MAX);
    stdio::say(message);
    Exit::Broken
}

fn broken(event: Event) -> Event {
    Event {
        kind: Kind::Broken,
        rule: "broken".to_owned(),
        verdict: "broken".to_owned(),
        exit: Exit::Broken.code(),
        ..event
    }
}

fn record(
    context: &Context,
    decision: &Decision,
    refusal: &Refusal<'_>,
    event: Event,
) -> Option<Recorded> {
    let event = Event {
        kind: match refusal.severity() {
            _ if refusal.is_by_seal() && refusal.severity() > Severity::Warn => Kind::Sealed,
            Severity::Ask | Severity::Grant => Kind::Asked,
            Severity::Warn | Severity::Pass => Kind::Warned,
            _ => Kind::Refused,
        },
        rule: refusal.id(),
        rules: rules(refusal),
        verdict: severity_name(refusal.severity()).to_owned(),
        exit: refusal.exit().code(),
        ..event
    };
    append(context, &event, decision.settings.surface_after)
}

/// Everything that stands against it, by name.
fn rules(refusal: &Refusal<'_>) -> Vec<String> {
    let seals = refusal.threats().iter().map(Threat::id);
    seals.chain(refusal.rules().iter().map(|rule| rule.id.0.clone())).collect()
}

/// What cannot be written down changes nothing.
fn append(context: &Context, event: &Event, surface_after: u32) -> Option<Recorded> {
    let state = context.state().filter(|_| context.may_write())?;
    evidence::record(state, event, surface_after).ok()
}

/// Who called what, where and when.
fn event(context: &Context, argv: &[BString], door: Door) -> Event {
    let recorded = context.record.as_ref().and_then(|r| r.session);
    let lineage = Lineage::of_this_process(recorded);
    let ancestry = lineage.ancestry(argv, None);
    let session = session::identify(&session::facts(recorded, &ancestry, environment::text));
    Event {
        door: door.name().to_owned(),
        session: session.id.key(),
        agent: session.agent,
        call: lineage.call_id(),
        pid: std::process::id(),
        ppid: lineage.parent().map(|p| p.id.pid).unwrap_or_default(),
        parent: lineage.parent().map(|p| p.process.argv.clone()).unwrap_or_default(),
        program: argv.first().map(|a| a.to_str_lossy().into_owned()).unwrap_or_default(),
        argv: argv.to_vec(),
        cwd: context.cwd.clone().unwrap_or_default(),
        began_ms: began_ms(),
        told: !stdio::stderr_is_null(),
        ..Event::default()
    }
}

/// A line as the argv that a harness would make of it.
fn shell(line: &str) -> [BString; 3] {
    ["sh", "-c", line].map(BString::from)
}

fn event_of_line(context: &Context, subject: Subject<'_>, asker: &Asker) -> Event {
    let event = event_of_asker(context, subject.text().unwrap_or_default(), asker);
    Event { way: subject.way().map(Way::name), ..event }
}

fn event_of_asker(context: &Context, line: &str, asker: &Asker) -> Event {
    Event {
        session: session_of(context, asker),
        agent: Some(asker.name()),
        call: Some(asker.tool_call()),
        ..event(context, &shell(line), Door::Hook)
    }
}

impl Asker {
    /// The agent, as evidence has it.
    pub fn name(&self) -> String {
        match &self.agent {
            Some(agent) => format!("{}/{}", self.harness, session::clean(agent)),
            None => self.harness.to_owned(),
        }
    }

    /// The tool call, as evidence has it; one without an id has one of its own.
    fn tool_call(&self) -> String {
        match &self.call {
            Some(call) => format!("tool:{}", session::clean(call)),
            None => format!("hook:{}", EvidenceId::fresh()),
        }
    }

    /// Whose hook calls void what a hook left: the harness and its own id of the session.
    pub fn key(&self) -> String {
        format!("{}:{}", self.harness, session::clean(self.session.as_deref().unwrap_or_default()))
    }

    /// The tool call as [`acts`] have it, where it has an id.
    pub fn known_call(&self) -> Option<String> {
        self.call.as_ref().map(|_| self.tool_call())
    }
}

/// Has the command been given a reason for which soft seals yield (B12)? Each reason counts for
/// one command of a session; it is written down, the seals are to be proved again, and whoever
/// reads is told. Where it counts, the decision is without them.
pub fn overruled(context: &Context, decision: &mut Decision) {
    let is_due = matches!(decision.verdict(), crate::policy::Verdict::Refuse(it)
        if it.severity() == Severity::SoftSeal);
    let Some(reason) = environment::text("ALLOW_POST_SUCCESS_RESET").filter(|_| is_due) else {
        return;
    };
    let reason = reason.trim();
    let Some(state) = context.state().filter(|_| context.may_write() && !reason.is_empty()) else {
        return;
    };
    let of_ledger = |threat: &&Threat| threat.sealed.as_ref().is_some_and(|s| s.origin.is_none());
    let ids: Vec<_> = decision.threats.iter().filter(of_ledger).map(|t| t.seal).collect();
    stdio::fill_closed();
    match ledger::overrule(state, &session_here(context), reason, &ids) {
        Ok(true) => {
            stdio::say(&sealed::overruled(&decision.threats, reason));
            for threat in &decision.threats {
                note(context, "overridden", threat.place(), Some(reason));
            }
            decision.threats.clear();
        }
        Ok(false) => stdio::say(&sealed::spent(reason)),
        Err(error) => stdio::say(&sealed::not_overruled(&error)),
    }
}

/// Records what became of a seal.
pub fn note_seal(context: &Context, what: &str, path: &BString) {
    note(context, what, path, None);
}

fn note(context: &Context, what: &str, path: &BString, reason: Option<&str>) {
    let mut argv = vec![BString::from("embargo"), BString::from(what), path.clone()];
    argv.extend(reason.map(BString::from));
    let event = Event {
        kind: Kind::Seal,
        rule: format!("seal:{path}"),
        verdict: what.to_owned(),
        told: true,
        ..event(context, &argv, Door::Verb)
    };
    append(context, &event, u32::MAX);
}

/// The session of whoever called us.
pub fn session_here(context: &Context) -> String {
    let recorded = context.record.as_ref().and_then(|r| r.session);
    let ancestry = Lineage::of_this_process(recorded).ancestry(&[], None);
    session::identify(&session::facts(recorded, &ancestry, environment::text)).id.key()
}

/// The session that a harness's hook belongs to.
pub fn session_of(context: &Context, asker: &Asker) -> String {
    let recorded = context.record.as_ref().and_then(|r| r.session);
    let ancestry = Lineage::of_this_process(recorded).ancestry(&[], None);
    let facts = Facts {
        asker: Some((asker.harness, asker.session.clone())),
        ..session::facts(recorded, &ancestry, environment::text)
    };
    session::identify(&facts).id.key()
}

fn tell_person(
    context: &Context,
    decision: &Decision,
    refusal: &Refusal<'_>,
    argv: &[BString],
    about: &Circumstances,
) {
    // No shim of any embargo: what tells a person is not refused itself.
    let is_ours = |directory: &PathBuf| {
        Some(directory) == context.shims.as_ref() || directory.join(RECORD).exists()
    };
    let dirs: Vec<PathBuf> = environment::path().filter(|dir| !is_ours(dir)).collect();
    let rule = refusal.id();
    let notice = Notice {
        summary: &told::summary(refusal, about),
        detail: &told::detail(refusal, &crate::sys::redact::redact(argv), context.cwd.as_deref()),
        variables: &[
            ("RULE", rule.as_str()),
            ("EVIDENCE", about.evidence.as_deref().unwrap_or_default()),
            ("OFFENCE", &about.offence.to_string()),
        ],
    };
    if !notify::tell(&decision.settings.notify, &dirs, &notice) {
        notify::ring();
    }
}

impl Door {
    /// The name in JSON and evidence.
    pub fn name(self) -> &'static str {
        match self {
            Door::Shim => "shim",
            Door::Run => "run",
            Door::Hook => "hook",
            Door::Verb => "verb",
        }
    }
}
