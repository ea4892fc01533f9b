//! What `embargo history` found.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde_json::{Value, json};

use super::prose::{backquoted, shown};
use super::refusal::JSON_VERSION;
use crate::history::{Came, Doubt, Format};

/// Lines that are shown without `--all`.
const SHOWN: usize = 40;

/// All of it.
#[derive(Debug, Default)]
pub struct Report {
    pub files: Vec<File>,
    /// Each line that would not have passed, once for each directory.
    pub findings: Vec<Finding>,
}

/// A file that was read.
#[derive(Debug)]
pub struct File {
    pub path: PathBuf,
    pub format: Format,
    pub commands: usize,
}

/// A line that would not have passed.
#[derive(Debug)]
pub struct Finding {
    /// Where it stands first.
    pub file: PathBuf,
    pub line: usize,
    /// Without secrets.
    pub command: String,
    pub verdict: &'static str,
    pub rules: Vec<OfRule>,
    pub times: usize,
    pub came: BTreeMap<Came, usize>,
    pub doubts: Vec<Doubt>,
}

/// A rule by its name and place.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct OfRule {
    pub id: String,
    pub origin: String,
}

/// What a rule would have done.
#[derive(Debug, Default, Clone, Copy)]
struct Total {
    refused: usize,
    asked: usize,
    warned: usize,
    likely_false: usize,
}

/// How far it is.
pub fn progress(done: usize, all: usize) -> String {
    format!("embargo history: {done} of {all} commands")
}

/// For reading: files, lines, totals.
pub fn text(report: &Report, all: bool) -> String {
    let mut text = String::new();
    for file in &report.files {
        text += &format!(
            "{}: {} ({})\n",
            shown(&file.path.to_string_lossy()),
            commands(file.commands),
            format_name(file.format)
        );
    }
    if report.findings.is_empty() {
        return text + "nothing would have been refused, asked about or warned of\n";
    }
    text.push('\n');
    let limit = if all { usize::MAX } else { SHOWN };
    for finding in report.findings.iter().take(limit) {
        text += &line(finding);
    }
    if let Some(more @ 1..) = report.findings.len().checked_sub(limit) {
        text += &format!("… and {more} more lines: --all shows them\n");
    }
    text += "\nrefused asked warned likely-false rule\n";
    for (rule, total) in totals(report) {
        let origin =
            if rule.origin.is_empty() { String::new() } else { format!(" ({})", rule.origin) };
        text += &format!(
            "{:>7} {:>5} {:>6} {:>12} {}{origin}\n",
            total.refused,
            total.asked,
            total.warned,
            total.likely_false,
            shown(&rule.id)
        );
    }
    text
}

fn line(finding: &Finding) -> String {
    let times = if finding.times > 1 { format!(" {} times", finding.times) } else { String::new() };
    let rules: Vec<&str> = finding.rules.iter().map(|rule| rule.id.as_str()).collect();
    let came: Vec<String> = finding
        .came
        .iter()
        .filter(|(came, _)| **came != Came::Unknown)
        .map(|(came, n)| {
            if finding.times > 1 { format!("{n} {}", came.name()) } else { came.name().to_owned() }
        })
        .collect();
    let came = if came.is_empty() { String::new() } else { format!(" [{}]", came.join(", ")) };
    let doubts: Vec<String> = finding.doubts.iter().map(doubt).collect();
    let doubts = match doubts.is_empty() {
        true => String::new(),
        false => format!("\n    likely false: {}", doubts.join("; ")),
    };
    format!(
        "{}:{}: {}: {} by {}{times}{came}{doubts}\n",
        shown(&finding.file.to_string_lossy()),
        finding.line,
        backquoted(&finding.command),
        finding.verdict,
        shown(&rules.join(", "))
    )
}

fn doubt(doubt: &Doubt) -> String {
    match doubt {
        Doubt::InQuotes => "the pattern is in quoted text alone".to_owned(),
        Doubt::NotParsed => "the line could not be parsed, only cut at its operators".to_owned(),
        Doubt::AsksForHelp => "it asks for help or version".to_owned(),
        Doubt::LikePermitted(example) => {
            format!("it is like {}, which the rule's own example permits", backquoted(example))
        }
        Doubt::RanOften(times) => format!("it ran {times} times and never failed"),
    }
}

/// The same by name, for programs.
fn doubt_name(doubt: &Doubt) -> &'static str {
    match doubt {
        Doubt::InQuotes => "in-quotes",
        Doubt::NotParsed => "not-parsed",
        Doubt::AsksForHelp => "asks-for-help",
        Doubt::LikePermitted(_) => "like-permitted",
        Doubt::RanOften(_) => "ran-often",
    }
}

/// For a program.
pub fn json(report: &Report) -> Value {
    let files: Vec<Value> = report
        .files
        .iter()
        .map(|file| {
            json!({
                "file": file.path.to_string_lossy(),
                "format": file.format.name(),
                "commands": file.commands,
            })
        })
        .collect();
    let findings: Vec<Value> = report
        .findings
        .iter()
        .map(|finding| {
            let came = finding.came.iter().map(|(came, n)| (came.name().to_owned(), json!(n)));
            json!({
                "file": finding.file.to_string_lossy(),
                "line": finding.line,
                "command": finding.command,
                "verdict": finding.verdict,
                "rules": finding.rules.iter().map(|rule| &rule.id).collect::<Vec<_>>(),
                "times": finding.times,
                "came": came.collect::<serde_json::Map<_, _>>(),
                "likely_false": finding.doubts.iter().map(doubt_name).collect::<Vec<_>>(),
            })
        })
        .collect();
    let rules: Vec<Value> = totals(report)
        .into_iter()
        .map(|(rule, total)| {
            json!({
                "id": rule.id,
                "origin": rule.origin,
                "refused": total.refused,
                "asked": total.asked,
                "warned": total.warned,
                "likely_false": total.likely_false,
            })
        })
        .collect();
    json!({ "version": JSON_VERSION, "files": files, "findings": findings, "rules": rules })
}

/// By rule, those with the most first.
fn totals(report: &Report) -> Vec<(OfRule, Total)> {
    let mut totals: BTreeMap<OfRule, Total> = BTreeMap::new();
    for finding in &report.findings {
        for rule in &finding.rules {
            let total = totals.entry(rule.clone()).or_default();
            let count = match finding.verdict {
                "warn" => &mut total.warned,
                "ask" | "grant" => &mut total.asked,
                _ => &mut total.refused,
            };
            *count += finding.times;
            if !finding.doubts.is_empty() {
                total.likely_false += finding.times;
            }
        }
    }
    let mut totals: Vec<(OfRule, Total)> = totals.into_iter().collect();
    totals.sort_by_key(|(_, total)| std::cmp::Reverse(total.refused + total.asked + total.warned));
    totals
}

fn commands(count: usize) -> String {
    if count == 1 { "1 command".to_owned() } else { format!("{count} commands") }
}

fn format_name(format: Format) -> &'static str {
    match format {
        Format::Transcript => "a transcript of Claude Code",
        Format::Bash => "a history of bash",
        Format::Zsh => "a history of zsh",
        Format::Fish => "a history of fish",
    }
}
