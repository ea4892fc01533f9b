//! `embargo hook NAME`: one call by a harness, start to end. Without clap: a harness takes the
//! status of a usage error for a deny, and a hook is paid for at every tool call.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use bstr::{BString, ByteSlice};

use super::acts;
use crate::cli::judging::{Distrusted, Policies};
use crate::cli::{brief, in_force};
use crate::decide::{Decision, Subject, decide};
use crate::hook::{Answer, Dialect, Event, Reply, Request, Status, read};
use crate::policy::{Exit, Refusal, Severity, Verdict};
use crate::refuse::{self, Asker};
use crate::render::refusal::{Circumstances, warning};
use crate::render::{self, hooked, trouble};
use crate::sys::acts::{self as left, Said};
use crate::sys::context::Context;
use crate::sys::evidence::{self, Filter, Kind, Row};
use crate::sys::{install, last_word, program, runs, sources, stdio};

/// Seconds for a verdict: well below what any harness waits.
const PATIENCE: u32 = 2;

/// Characters of the rules in force when a session begins.
const BRIEF: usize = 1500;

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
        Ok(request) if named.is_none() => {
            let words: Vec<String> = words.iter().map(|w| w.to_str_lossy().into_owned()).collect();
            failure(&request, &hooked::broken_line(&words))
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

fn prepare(answer: &Answer) {
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
        Event::Start if request.dialect.takes_notes(&request.event) => {
            noted(request, &beginning(request, &asker))
        }
        Event::Ended if request.dialect.takes_notes(&request.event) => {
            noted(request, &unread(request, &asker))
        }
        Event::Start | Event::Ended | Event::Other => {
            if let Ok(context) = context(request, &OsString::new()) {
                void(&context, request, &asker);
            }
            said(request, Reply::Silence)
        }
    }
}

/// What the session's hooks have left before counts no more; a tool call's own stays until it has ended.
fn void(context: &Context, request: &Request, asker: &Asker) {
    let own = asker
        .known_call()
        .filter(|_| matches!(request.event, Event::Command(_) | Event::Permission(_)));
    left::void(context, &asker.key(), own.as_deref());
}

fn said(request: &Request, reply: Reply<'_>) -> Answer {
    request.dialect.answer(&request.name, reply)
}

fn noted(request: &Request, text: &str) -> Answer {
    said(request, if text.is_empty() { Reply::Silence } else { Reply::Note(text) })
}

/// As the shims on PATH would know it, where the command will run.
fn context(request: &Request, name: &OsString) -> Result<Context, Distrusted> {
    let context = Policies::default().context(name)?;
    let there = request.cwd.as_deref().and_then(sources::real_directory);
    Ok(Context { cwd: there.or(context.cwd), ..context })
}

fn judged(request: &Request, line: &str, asker: &Asker) -> Answer {
    let name: OsString = line.split_whitespace().next().unwrap_or_default().into();
    let context = match context(request, &name) {
        Ok(context) => context,
        Err(Distrusted(message)) => return failure(request, &hooked::cut(&message)),
    };
    void(&context, request, asker);
    let decision = match decide(&context, Subject::Line(line)) {
        Ok(decision) => decision,
        Err(distrust) => {
            let answer = failure(request, &hooked::cut(&trouble::distrust(&name, &distrust)));
            prepare(&answer);
            refuse::record_distrusted_line(&context, line, asker);
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
            let of_line = refuse::record_line(&context, &decision, &it, (line, asker), is_told);
            if is_told {
                acts::leave(&context, &decision, &it, (line, asker), (&of_line, Said::Warned));
            }
            answer
        }
        Verdict::Refuse(it) => refused(request, (&context, &decision), &it, (line, asker)),
    }
}

/// What is known is prepared before it is written down: evidence that takes too long changes nothing.
fn refused(
    request: &Request,
    (context, decision): (&Context, &Decision),
    refusal: &Refusal<'_>,
    (line, asker): (&str, &Asker),
) -> Answer {
    let asks = matches!(refusal.severity(), Severity::Ask | Severity::Grant);
    let can_ask = request.dialect.asks(&request.event, &request.name);
    let answer = |about: &Circumstances| {
        let calls = &decision.calls;
        match (asks, can_ask) {
            (true, true) => said(request, Reply::Ask(&hooked::ask(refusal, calls, about))),
            (true, false) => {
                let text = hooked::deny_for_want_of_a_prompt(refusal, calls, about);
                said(request, Reply::Deny(&text))
            }
            (false, _) => said(request, Reply::Deny(&hooked::deny(refusal, calls, about))),
        }
    };
    let unrecorded = Circumstances {
        offence: 1,
        surface_after: decision.settings.surface_after,
        door: refuse::Door::Hook.name(),
        ..Circumstances::default()
    };
    prepare(&answer(&unrecorded));
    let of_line = refuse::record_line(context, decision, refusal, (line, asker), true);
    let answer = answer(&of_line.about);
    prepare(&answer);
    let said = if asks && can_ask { Said::Asked } else { Said::Refused };
    acts::leave(context, decision, refusal, (line, asker), (&of_line, said));
    // Whom the harness asks needs not be told.
    if of_line.tell && said != Said::Asked {
        refuse::tell_person_of_line(context, decision, refusal, line, &of_line.about);
    }
    answer
}

/// What a session or sub-agent begins with; a policy that cannot be trusted is told of as well.
fn beginning(request: &Request, asker: &Asker) -> String {
    let name = OsString::from("embargo brief");
    let found = context(request, &name).and_then(|context| {
        let contents = in_force::contents(&context, &sources::find(&context, &[]));
        contents
            .map(|contents| (context, contents))
            .map_err(|e| Distrusted(trouble::distrust(&name, &e)))
    });
    let (context, contents) = match found {
        Ok(found) => found,
        Err(Distrusted(message)) => return hooked::cut(&message),
    };
    void(&context, request, asker);
    let rules = brief::ordered(&contents);
    let filter = Filter { session: Some(refuse::session_of(&context, asker)), ..Filter::default() };
    let rows = context.state().and_then(|state| evidence::rows(state, &filter).ok());
    let rows = refused_ones(rows.unwrap_or_default());
    let demoted = demoted(&context);
    hooked::beginning(&hooked::Beginning {
        brief: match rules.is_empty() {
            true => String::new(),
            false => render::brief::text(&rules, BRIEF),
        },
        notices: &contents.notices,
        rows: &rows,
        demoted: demoted.as_deref(),
    })
}

/// Without what a person has allowed.
fn refused_ones(rows: Vec<Row>) -> Vec<Row> {
    let allowed: Vec<(String, Option<String>)> = rows
        .iter()
        .filter(|row| row.kind == Kind::Allowed)
        .map(|row| (row.rule.clone(), row.call.clone()))
        .collect();
    let is_refusal = |row: &Row| match row.kind {
        Kind::Refused => true,
        Kind::Asked => !allowed.iter().any(|(rule, call)| *rule == row.rule && *call == row.call),
        _ => false,
    };
    rows.into_iter().filter(is_refusal).collect()
}

/// The shim directory, where it has shims and others come first on PATH.
fn demoted(context: &Context) -> Option<PathBuf> {
    let own = || context.by_variables.as_ref().map(|places| places.shims());
    let directory = context.shims.clone().or_else(own)?;
    let has_shims = |dir: &Path| install::shims(dir).is_ok_and(|shims| !shims.is_empty());
    let is_first = runs::is_run(&directory) || program::is_first(&directory, runs::is_run);
    (!is_first && has_shims(&directory)).then_some(directory)
}

/// Refusals of this session whose text went where nobody reads.
fn unread(request: &Request, asker: &Asker) -> String {
    let Ok(context) = context(request, &OsString::new()) else { return String::new() };
    void(&context, request, asker);
    let Some(state) = context.state() else { return String::new() };
    let session = refuse::session_of(&context, asker);
    let rows = evidence::pending(state, Some(&session)).unwrap_or_default();
    let rows: Vec<Row> =
        rows.into_iter().filter(|r| matches!(r.kind, Kind::Refused | Kind::Asked)).collect();
    if rows.is_empty() {
        return String::new();
    }
    let ids: Vec<_> = rows.iter().map(|row| row.id.clone()).collect();
    // A mark that cannot be made: the notice comes once more.
    let _ = evidence::mark_told(state, &ids);
    hooked::unread(&rows)
}
