//! The way to a verdict, step by step.

use bstr::{BString, ByteSlice};
use serde_json::{Value, json};

use crate::command::joined;
use crate::line::Way;
use crate::policy::{
    Because, Invocation, Location, Machine, Operator, Rule, Stage, Standing, Verdict,
};
use crate::view::SourceRecord;

use super::answer;
use super::prose::{backquoted, shown};
use super::refusal::{self, Circumstances, JSON_VERSION, place, severity_name};
use super::why::why;

/// All that led to a verdict.
#[derive(Debug)]
pub struct Explanation<'a> {
    pub verdict: Verdict<'a>,
    pub calls: &'a [Invocation],
    /// For each call, the rules that speak of its program.
    pub considered: Vec<Vec<(&'a Rule, Standing<'a>)>>,
    pub rule_count: usize,
    pub sources: &'a [SourceRecord],
    pub notices: &'a [String],
    /// How the line was read; none where there is no line.
    pub way: Option<Way>,
    pub unknown: Vec<Unknown>,
    pub about: Circumstances,
}

/// What the answer does not rest on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unknown {
    /// Only words were given: no pipe, no redirection.
    Line,
    /// Only text was given: no variable's value.
    Expansions,
    /// Nobody called: it is judged as the agent's own.
    Caller,
}

/// For people.
pub fn plain(it: &Explanation<'_>) -> String {
    let mut text = String::new();
    for (i, (call, rules)) in it.calls.iter().zip(&it.considered).enumerate() {
        text += &format!("command {}: {}\n", i + 1, backquoted(&call.text));
        for (what, is) in parsed(call) {
            text += &format!("  {what:9} {is}\n");
        }
        for (rule, standing) in rules {
            text += &format!(
                "  rule {} ({}): {}\n",
                backquoted(&rule.id.0),
                place(rule),
                why(standing)
            );
        }
        let others = it.rule_count - rules.len();
        text += &match (rules.len(), others) {
            (0, 0) => "  no rule is in force\n".to_owned(),
            (0, n) => format!("  no rule speaks of it; {n} in force\n"),
            (_, 0) => String::new(),
            (_, n) => format!("  rules on other commands: {n}\n"),
        };
    }
    if it.way == Some(Way::Cut) {
        text += "read\n  it, or a text in it, does not parse: cut at its operators, each part for itself\n";
    }
    text += "policy\n";
    for source in it.sources {
        text += &format!("  {:8} {}\n", layer(source), shown(&source.path.to_str_lossy()));
    }
    if it.sources.is_empty() {
        text += "  no file found\n";
    }
    for notice in it.notices {
        text += &format!("  broken: {}\n", shown(notice));
    }
    if !it.unknown.is_empty() {
        text += "unknown\n";
        text.extend(it.unknown.iter().map(|unknown| format!("  {}\n", words(*unknown))));
    }
    text + &verdict(it)
}

/// For programs.
pub fn json(it: &Explanation<'_>) -> Value {
    let rule = |(rule, standing): &(&Rule, Standing<'_>)| {
        json!({
            "id": rule.id.0,
            "origin": place(rule),
            "verdict": severity_name(rule.ruling.severity()),
            "hits": !matches!(standing, Standing::Misses(_)),
            "silenced": matches!(standing, Standing::Silenced),
            "why": why(standing),
        })
    };
    let command = |(call, rules): (&Invocation, &Vec<(&Rule, Standing<'_>)>)| {
        let words = &call.words;
        json!({
            "text": call.text,
            "argv": words.argv().iter().map(ToString::to_string).collect::<Vec<_>>(),
            "program": words.program().to_string(),
            "words": words.words().iter().map(|w| w.text.to_string()).collect::<Vec<_>>(),
            "flags": words.flags().iter().map(flag).collect::<Vec<_>>(),
            "directories": directories(call),
            "machine": machine(call),
            "effects": call.effects.iter().map(ToString::to_string).collect::<Vec<_>>(),
            "stage": stage(call.stage),
            "rules": rules.iter().map(rule).collect::<Vec<_>>(),
        })
    };
    let source = |s: &SourceRecord| json!({ "path": s.path.to_str_lossy(), "layer": layer(s) });
    json!({
        "version": JSON_VERSION,
        "kind": "explanation",
        "verdict": severity_name(it.verdict.severity()),
        "commands": it.calls.iter().zip(&it.considered).map(command).collect::<Vec<_>>(),
        "way": it.way.map(Way::name),
        "rules_in_force": it.rule_count,
        "policy": it.sources.iter().map(source).collect::<Vec<_>>(),
        "notices": it.notices,
        "unknown": it.unknown.iter().map(|u| words(*u)).collect::<Vec<_>>(),
        "answer": match &it.verdict {
            Verdict::Pass(because) => answer::pass(because),
            Verdict::Warn(r) | Verdict::Refuse(r) => refusal::json(r, it.calls, &it.about),
        },
    })
}

fn parsed(call: &Invocation) -> Vec<(&'static str, String)> {
    let words = &call.words;
    let list = |texts: Vec<String>| shown(&texts.join(" "));
    let mut parsed = vec![("program", shown(&words.program().to_str_lossy()))];
    if words.called() != words.program() {
        parsed.push(("called", shown(&words.called().to_str_lossy())));
    }
    let operands: Vec<String> = words
        .words()
        .iter()
        .map(|w| if w.doubtful { format!("{}?", w.text) } else { w.text.to_string() })
        .collect();
    let flags: Vec<String> = words.flags().iter().map(flag).collect();
    if call.machine == Machine::Another {
        parsed.push(("runs", "in a container or on another host".to_owned()));
    }
    let works_in = directories(call);
    for (what, texts) in [("words", operands), ("flags", flags), ("works in", works_in)] {
        if !texts.is_empty() {
            parsed.push((what, list(texts)));
        }
    }
    if !call.effects.is_empty() {
        let does: Vec<String> = call.effects.iter().map(ToString::to_string).collect();
        parsed.push(("does", shown(&does.join(", "))));
    }
    if call.stage != Stage::First {
        parsed.push(("stands", stage(call.stage).to_owned()));
    }
    parsed
}

/// Where it may work, as far as the line and its own options say; `.` is where the line starts.
fn directories(call: &Invocation) -> Vec<String> {
    let own = call.words.directories();
    let start = [Location::default()];
    let from = if call.locations.is_empty() { &start[..] } else { &call.locations[..] };
    let named = |path: &BString| if path.is_empty() { ".".to_owned() } else { path.to_string() };
    if own.is_empty() {
        return call.locations.iter().map(|location| named(&location.path)).collect();
    }
    let from = from.iter();
    from.flat_map(|from| own.iter().map(|to| joined(&from.path, to).to_string())).collect()
}

fn machine(call: &Invocation) -> &'static str {
    match call.machine {
        Machine::This => "this",
        Machine::Another => "another",
    }
}

fn flag(flag: &crate::command::Flag) -> String {
    match &flag.value {
        Some(value) => format!("{}={value}", flag.name),
        None => flag.name.to_string(),
    }
}

fn stage(stage: Stage) -> &'static str {
    match stage {
        Stage::First => "first",
        Stage::Piped => "behind a pipe",
        Stage::After(Operator::Pipe) => "behind `|`",
        Stage::After(Operator::And) => "behind `&&`",
        Stage::After(Operator::Or) => "behind `||`",
        Stage::After(Operator::Sequence) => "behind `;`",
    }
}

fn layer(source: &SourceRecord) -> String {
    format!("{:?}", source.layer).to_lowercase()
}

fn words(unknown: Unknown) -> &'static str {
    match unknown {
        Unknown::Line => "what stands around the command on its line: pipes, redirections",
        Unknown::Expansions => {
            "what variables, substitutions and globs stand for: they are as they were typed"
        }
        Unknown::Caller => "who will call it: it was taken as typed by the agent",
    }
}

fn verdict(it: &Explanation<'_>) -> String {
    match &it.verdict {
        Verdict::Pass(Because::NoRule) => "verdict: pass, no rule is against it\n".to_owned(),
        Verdict::Pass(because) => format!("verdict: {}", answer::passes(because)),
        Verdict::Warn(warning) => {
            format!("verdict: pass with a warning\n{}", refusal::warning(warning, it.calls))
        }
        Verdict::Refuse(refusal) => format!(
            "verdict: {}, exit {}\n{}",
            severity_name(refusal.severity()),
            refusal.exit().code(),
            refusal::agent_voice(refusal, it.calls, &it.about)
        ),
    }
}
