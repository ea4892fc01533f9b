//! What a hook tells: an agent that may not, a person who is asked, a session that begins.

use std::path::Path;

use crate::policy::{Exit, Invocation, Refusal, Rule};
use crate::sys::evidence::Row;

use super::prose::{backquoted, clause, instead, shown};
use super::refusal::{Circumstances, agent_voice, place, reason, subject};

/// The most that a harness is given as a reason.
const LONGEST: usize = 2000;

/// Of more rules than these only the number is told when a session begins.
const RULES: usize = 10;

/// What the agent reads; the same that a shim says.
pub fn deny(refusal: &Refusal<'_>, calls: &[Invocation], about: &Circumstances) -> String {
    bounded(&agent_voice(refusal, calls, about))
}

/// The same where the policy asks a person and the harness has no way to.
pub fn deny_for_want_of_a_prompt(
    refusal: &Refusal<'_>,
    calls: &[Invocation],
    about: &Circumstances,
) -> String {
    let text = agent_voice(refusal, calls, about);
    let (body, marker) = with_marker(&text);
    let approve = "This harness cannot ask: a person who agrees runs the command in a terminal of their own, or changes the rule.";
    bounded(&format!("{body}{approve}\n{marker}\n"))
}

/// What the person reads whom the harness asks.
pub fn ask(refusal: &Refusal<'_>, calls: &[Invocation], about: &Circumstances) -> String {
    let call = |rule: &Rule| calls.iter().find(|c| rule.covers(c)).or(calls.first());
    let mut lines: Vec<String> = Vec::new();
    for rule in refusal.rules().iter().take(RULES) {
        let better = match &rule.says.alternative {
            Some(text) if !text.contains('{') => format!(" The agent could {}.", instead(text)),
            _ => String::new(),
        };
        lines.push(format!(
            "embargo asks for a person's approval of {} because {}.{better} Rule `{}` ({}).",
            subject(rule, call(rule)),
            clause(reason(&rule.says)),
            rule.id,
            place(rule),
        ));
    }
    let id = about.evidence.as_deref().unwrap_or("unrecorded");
    lines.push(format!("[embargo asks {id} exit {}]", refusal.exit().code()));
    bounded(&(lines.join("\n") + "\n"))
}

/// What the user reads when an agent was stopped that tried again.
pub fn stopped(refusal: &Refusal<'_>, calls: &[Invocation], about: &Circumstances) -> String {
    let (what, because, by) = match (refusal.reserved_name(), refusal.rules().first()) {
        (Some(name), _) => (backquoted(&name.name), reason(&name.says), String::new()),
        (None, Some(rule)) => {
            let call = calls.iter().find(|c| rule.covers(c)).or(calls.first());
            let by = format!(" Rule `{}` ({}).", rule.id, place(rule));
            (subject(rule, call), reason(&rule.says), by)
        }
        (None, None) => return String::new(),
    };
    bounded(&format!(
        "embargo stopped the agent: it has now been refused {what} {} times, because {}.{by} Tell it how to go on.",
        about.offence,
        clause(because)
    ))
}

/// The same of what the log has of it.
pub fn stopped_by(row: &Row) -> String {
    bounded(&format!(
        "embargo stopped the agent: it has now been refused {} times by {}, last {}. Tell it how to go on.\n",
        row.offence,
        backquoted(&row.rule),
        command(row)
    ))
    .trim_end()
    .to_owned()
}

/// Embargo itself gave no verdict: `why` is a clause.
pub fn failed(why: &str) -> String {
    bounded(&format!(
        "embargo failed, so the command was not run: {}.\n\
         This is a fault of the installation, not of the command; trying again will be refused too. \
         A person must mend it: `embargo doctor` and `embargo lint` show what is wrong. I must tell the user.\n\
         [embargo broken exit {}]\n",
        shown(why),
        Exit::Broken.code()
    ))
}

/// Neither a verdict nor another failure, in the time there is.
pub fn no_verdict(seconds: u32) -> String {
    failed(&format!("it broke down, or came to no verdict in {seconds} seconds"))
}

/// The hook line that a harness's configuration has is no call of ours.
pub fn broken_line(words: &[String]) -> String {
    let call = backquoted(&format!("embargo {}", words.join(" ")));
    failed(&format!(
        "the hook line {call} in this harness's configuration is broken; `embargo hook install NAME` writes a good one, and `embargo hook status` shows what is there"
    ))
}

/// A payload that says nothing which can be judged.
pub fn bad_payload(why: &str) -> String {
    failed(&format!("the harness's message {why}"))
}

/// Any message of ours, cut to what a harness takes.
pub fn cut(text: &str) -> String {
    bounded(text)
}

/// What a session begins with.
#[derive(Debug, Default)]
pub struct Beginning<'a> {
    /// The rules in force, as `brief` has them; empty without any.
    pub brief: String,
    /// Project files that are broken.
    pub notices: &'a [String],
    /// Rows of this session.
    pub rows: &'a [Row],
    /// Shims that are there and not first on PATH.
    pub demoted: Option<&'a Path>,
}

/// Empty when there is nothing to tell.
pub fn beginning(about: &Beginning<'_>) -> String {
    let mut text = about.brief.clone();
    for notice in about.notices {
        text += &format!("embargo: {}\n", shown(notice));
    }
    let mut told: Vec<(&str, usize, &Row)> = Vec::new();
    for row in about.rows {
        match told.iter_mut().find(|(rule, ..)| *rule == row.rule) {
            Some((_, times, last)) => (*times, *last) = (*times + 1, row),
            None => told.push((&row.rule, 1, row)),
        }
    }
    if !told.is_empty() {
        text += "Refused so far in this session, and refused again if tried again, by any agent:\n";
    }
    for (rule, times, row) in told.iter().take(RULES) {
        let often = if *times == 1 { "once".to_owned() } else { format!("{times} times") };
        text += &format!("- {}, {often}, last {}\n", backquoted(rule), command(row));
    }
    if let Some(more @ 1..) = told.len().checked_sub(RULES) {
        text += &format!("- {more} more rules\n");
    }
    if let Some(directory) = about.demoted {
        text += &format!(
            "embargo's shims in {} are not first on PATH here, so commands that scripts run are not judged; a person runs `embargo doctor`.\n",
            backquoted(&directory.to_string_lossy())
        );
    }
    text
}

/// What nobody read when it was said: a shim's standard error went to /dev/null.
pub fn unread(rows: &[Row]) -> String {
    let line = |row: &Row| {
        format!(
            "{} was refused by {} and its text was not seen [embargo refused {} exit {}]\n",
            command(row),
            backquoted(&row.rule),
            row.id,
            row.exit
        )
    };
    let lines: String = rows.iter().rev().take(RULES).map(line).collect();
    bounded(&format!("{lines}`embargo last` says why, and what to do instead.\n"))
}

/// What a sub-agent was refused.
#[derive(Debug)]
pub struct OfAgent<'r> {
    pub agent: &'r str,
    pub rule: &'r str,
    pub times: usize,
    /// The last of them.
    pub row: &'r Row,
}

/// For who has started it.
pub fn of_sub_agents(refused: &[OfAgent<'_>]) -> String {
    let lines: String = refused.iter().take(RULES).map(of_agent).collect();
    bounded(&format!(
        "{lines}Rules are the same for every agent here: what one was refused, the next one is.\n"
    ))
}

/// For the user.
pub fn of_ended_agent(refused: &[OfAgent<'_>]) -> String {
    let lines: String = refused.iter().take(RULES).map(of_agent).collect();
    bounded(&format!("embargo: {lines}"))
}

fn of_agent(it: &OfAgent<'_>) -> String {
    let often = if it.times > 1 { format!(", {} times", it.times) } else { String::new() };
    format!(
        "sub-agent {} was refused {} by {}{often}\n",
        backquoted(it.agent),
        command(it.row),
        backquoted(it.rule)
    )
}

/// A row's command as it was typed.
fn command(row: &Row) -> String {
    match row.argv.as_slice() {
        [_, _, line] if row.door == "hook" => backquoted(line),
        argv => backquoted(&argv.join(" ")),
    }
}

/// At most [`LONGEST`] characters: the last line, by which programs know us, stays.
fn bounded(text: &str) -> String {
    if text.chars().count() <= LONGEST {
        return text.to_owned();
    }
    let (body, marker) = with_marker(text);
    let room = LONGEST.saturating_sub(marker.chars().count() + 3);
    let body: String = body.chars().take(room).collect();
    format!("{body}…\n{marker}\n")
}

/// The last line apart.
fn with_marker(text: &str) -> (&str, &str) {
    let text = text.trim_end_matches('\n');
    match text.rfind('\n') {
        Some(at) => (&text[..=at], &text[at + 1..]),
        None => ("", text),
    }
}
