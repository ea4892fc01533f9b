//! `embargo hook NAME`: one call by a harness, start to end. Without clap: a harness takes the
//! status of a usage error for a deny, and a hook is paid for at every tool call.

use std::ffi::OsString;

use bstr::{BString, ByteSlice};

use super::{acts, notices, session};
use crate::cli::judging::{Distrusted, Policies};
use crate::decide::{Decision, Subject, decide};
use crate::hook::{Answer, Dialect, Event, Reply, Request, Shell, Status, read};
use crate::policy::{Exit, Refusal, Severity, Verdict};
use crate::refuse::{self, Asker};
use crate::render::refusal::{Circumstances, warning};
use crate::render::{self, hooked};
use crate::sys::acts::{self as left, Said};
use crate::sys::context::{Context, absolute};
use crate::sys::processes::Lineage;
use crate::sys::{last_word, sources, stdio};

/// Seconds for a verdict: well below what any harness waits.
const PATIENCE: u32 = 2;

/// The acts of the verb that are not a harness's call.
const ACTS: [&str; 6] = ["install", "uninstall", "status", "help", "--help", "-h"];

/// Answers, if this is a harness's call. A word that is no name is a broken line, unless somebody types.
pub fn answer(argv: &[BString]) -> Option<Exit> {
    let words = argv.get(1..).filter(|words| words.first().is_some_and(|verb| verb == "hook"))?;
    let named = words.get(1).filter(|_| words.len() == 2).and_then(|n| Dialect::named(n));
    let is_act = words.get(1).is_some_and(|word| ACTS.iter().any(|act| word == act));
    if named.is_none() && (is_act || stdio::is_typed()) {
        return None;
    }
    stdio::fill_closed();
    last_word::arm(PATIENCE);
    let fallback = named.unwrap_or(Dialect::Claude);
    prepare(&fallback.failure(&unknown(), "", &hooked::no_verdict(PATIENCE)));
    let payload = stdio::input();
    let request = match &payload {
        Ok(payload) => read(payload, fallback),
        Err(error) => {
            let why = format!("cannot be read ({})", render::usage::plain(error));
            return Some(give(&fallback.failure(&unknown(), "", &hooked::bad_payload(&why))));
        }
    };
    let answer = match request {
        read if named.is_none() => {
            let words: Vec<String> = words.iter().map(|w| w.to_str_lossy().into_owned()).collect();
            let text = hooked::broken_line(&words);
            match read {
                Ok(request) => failure(&request, &text),
                Err(bad) => bad.dialect.failure(&unknown(), &bad.name, &text),
            }
        }
        Ok(request) => {
            prepare(&failure(&request, &hooked::no_verdict(PATIENCE)));
            reply(&request)
        }
        Err(bad) => bad.dialect.failure(&unknown(), &bad.name, &hooked::bad_payload(&bad.why)),
    };
    Some(give(&answer))
}

/// What could not be read may have been a command.
fn unknown() -> Event {
    Event::Command(String::new())
}

pub(super) fn prepare(answer: &Answer) {
    last_word::prepare(&answer.stdout, &answer.stderr, answer.status.code());
}

fn failure(request: &Request, text: &str) -> Answer {
    request.dialect.failure(&request.event, &request.name, text)
}

/// Writes the answer. Where standard output takes nothing, a deny still has its status.
fn give(answer: &Answer) -> Exit {
    last_word::disarm();
    if !answer.stdout.is_empty() {
        stdio::print(&answer.stdout);
    }
    if !answer.stderr.is_empty() {
        stdio::say(&answer.stderr);
    }
    match answer.status {
        Status::Done if stdio::unwritten().is_none() => Exit::Success,
        Status::Done | Status::Denied => Exit::Usage,
    }
}

fn reply(request: &Request) -> Answer {
    let asker = Asker {
        harness: request.dialect.harness(),
        session: request.session.clone(),
        agent: request.agent.clone(),
        call: request.call.clone(),
    };
    match &request.event {
        Event::Command(line) | Event::Permission(line) => judged(request, line, &asker),
        Event::Start => session::begins(request, &asker),
        Event::Ended if request.dialect.takes_notes(&request.event) => {
            noted(request, &notices::unread(request, &asker))
        }
        Event::Batch(calls) => match notices::second_offence(request, &asker, calls) {
            Some(told) => request.dialect.stop_turn(&told),
            None => said(request, Reply::Silence),
        },
        Event::AgentEnded => match notices::of_ended_agent(request, &asker) {
            text if text.is_empty() => said(request, Reply::Silence),
            text => request.dialect.tell(&request.name, &text),
        },
        Event::Ended | Event::Other => {
            if let Ok(context) = context(request, &OsString::new()) {
                void(&context, request, &asker);
            }
            said(request, Reply::Silence)
        }
    }
}

/// What the session's hooks have left before counts no more; a tool call's own stays until it has ended.
pub(super) fn void(context: &Context, request: &Request, asker: &Asker) {
    let own = asker
        .known_call()
        .filter(|_| matches!(request.event, Event::Command(_) | Event::Permission(_)));
    left::void(context, &asker.key(), own.as_deref());
}

pub(super) fn said(request: &Request, reply: Reply<'_>) -> Answer {
    request.dialect.answer(&request.name, reply)
}

pub(super) fn noted(request: &Request, text: &str) -> Answer {
    said(request, if text.is_empty() { Reply::Silence } else { Reply::Note(text) })
}

/// As the shims on PATH would know it, where the command will run.
pub(super) fn context(request: &Request, name: &OsString) -> Result<Context, Distrusted> {
    let context = Policies::default().context(name)?;
    // One that is gone was in some project: what is above it counts.
    let told = request.cwd.as_deref().map(|cwd| absolute(context.cwd.as_deref(), cwd));
    let there = told.as_deref().and_then(sources::nearest_directory);
    Ok(Context { cwd: there.or(context.cwd), ..context })
}

fn judged(request: &Request, line: &str, asker: &Asker) -> Answer {
    let name: OsString = line.split_whitespace().next().unwrap_or_default().into();
    let context = match context(request, &name) {
        Ok(context) => context,
        Err(Distrusted(message)) => return failure(request, &hooked::cut(&message)),
    };
    void(&context, request, asker);
    let subject = match request.shell {
        Shell::Posix => Subject::Line(line),
        Shell::PowerShell => Subject::PowerShell(line),
    };
    let decision = match decide(&context, subject) {
        Ok(decision) => decision,
        Err(doubt) => {
            let answer = failure(request, &hooked::cut(&doubt.words(&name)));
            prepare(&answer);
            refuse::record_distrusted_line(&context, subject, asker);
            return answer;
        }
    };
    match decision.verdict() {
        Verdict::Pass(_) => said(request, Reply::Silence),
        Verdict::Warn(it) => {
            let text = hooked::cut(&warning(&it, &decision.calls));
            let is_told = request.dialect.takes_notes(&request.event);
            let answer = said(request, if is_told { Reply::Note(&text) } else { Reply::Silence });
            prepare(&answer);
            let of_line = refuse::record_line(&context, &decision, &it, (subject, asker), is_told);
            if is_told {
                acts::leave(&context, &decision, &it, (subject, asker), (&of_line, Said::Warned));
            }
            answer
        }
        Verdict::Refuse(it) => refused(request, (&context, &decision), &it, (line, subject, asker)),
    }
}

/// Can the harness ask, and is there anybody?
fn has_somebody_to_ask(context: &Context, request: &Request) -> bool {
    let recorded = context.record.as_ref().and_then(|record| record.session);
    let is_alone = || {
        let above = Lineage::of_this_process(recorded).0;
        above.iter().any(|ancestor| request.dialect.asks_nobody(&ancestor.process.argv))
    };
    request.dialect.asks(&request.event, &request.name) && !is_alone()
}

/// What is known is prepared before it is written down: evidence that takes too long changes nothing.
fn refused(
    request: &Request,
    (context, decision): (&Context, &Decision),
    refusal: &Refusal<'_>,
    (line, subject, asker): (&str, Subject<'_>, &Asker),
) -> Answer {
    let asks = matches!(refusal.severity(), Severity::Ask | Severity::Grant);
    let can_ask = asks && has_somebody_to_ask(context, request);
    let answer = |about: &Circumstances| {
        let calls = &decision.calls;
        match (asks, can_ask) {
            (true, true) => said(request, Reply::Ask(&hooked::ask(refusal, calls, about))),
            (true, false) => {
                let text = hooked::deny_for_want_of_a_prompt(refusal, calls, about);
                said(request, Reply::Deny(&text))
            }
            (false, _) => {
                let text = hooked::deny(refusal, calls, about);
                // The first teaches.
                let is_again = about.offence >= about.surface_after.max(2);
                match is_again && request.dialect.stops(&request.event) {
                    true => {
                        let told = hooked::stopped(refusal, calls, about);
                        request.dialect.stop(&request.name, &text, &told)
                    }
                    false => said(request, Reply::Deny(&text)),
                }
            }
        }
    };
    let unrecorded = Circumstances {
        offence: 1,
        surface_after: decision.settings.surface_after,
        door: refuse::Door::Hook.name(),
        ..Circumstances::default()
    };
    prepare(&answer(&unrecorded));
    let of_line = refuse::record_line(context, decision, refusal, (subject, asker), true);
    let answer = answer(&of_line.about);
    prepare(&answer);
    let said = if asks && can_ask { Said::Asked } else { Said::Refused };
    acts::leave(context, decision, refusal, (subject, asker), (&of_line, said));
    // Whom the harness asks needs not be told.
    if of_line.tell && said != Said::Asked {
        refuse::tell_person_of_line(context, decision, refusal, line, &of_line.about);
    }
    answer
}
