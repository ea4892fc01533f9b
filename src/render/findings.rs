//! What the linter found.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::config::{Bites, Diagnostic, Level, Reach, bites};
use crate::policy::Rule;

use super::diagnostic::plain_all;
use super::prose::{backquoted, shown};
use super::refusal::{JSON_VERSION, place};

/// Faults with their places, then the counts; for each of `rules` where it can bite.
pub fn plain(found: &[Diagnostic], unread: &[(PathBuf, String)], rules: &[&Rule]) -> String {
    let mut text: String = unread.iter().map(|(path, why)| self::unread(path, why)).collect();
    text += &plain_all(found);
    if !found.is_empty() {
        text.push('\n');
    }
    for rule in rules {
        let Bites { shim, line, hook, transcript } = bites(rule);
        text += &format!(
            "rule {} ({}) bites: shim {}, line {}, hook {}, transcript {}\n",
            backquoted(&rule.id.0),
            place(rule),
            reach(shim),
            reach(line),
            reach(hook),
            reach(transcript)
        );
    }
    let count = |level| found.iter().filter(|d| d.level == level).count();
    let errors = count(Level::Error) + unread.len();
    text + &format!(
        "{}, {}, {}\n",
        number(errors, "error"),
        number(count(Level::Warning), "warning"),
        number(count(Level::Note), "note")
    )
}

/// The same for programs.
pub fn json(found: &[Diagnostic], unread: &[(PathBuf, String)], rules: &[&Rule]) -> Value {
    let unread: Vec<Value> = unread
        .iter()
        .map(|(path, why)| json!({ "path": path.to_string_lossy(), "why": why }))
        .collect();
    let rules: Vec<Value> = rules
        .iter()
        .map(|rule| {
            let Bites { shim, line, hook, transcript } = bites(rule);
            json!({
                "id": rule.id.0,
                "origin": place(rule),
                "bites": {
                    "shim": reach(shim),
                    "line": reach(line),
                    "hook": reach(hook),
                    "transcript": reach(transcript),
                },
            })
        })
        .collect();
    json!({ "version": JSON_VERSION, "findings": found, "unread": unread, "rules": rules })
}

/// A policy file that is not there, or may not be read.
pub fn unread(path: &Path, why: &str) -> String {
    let why = why.split(" (os error").next().unwrap_or_default();
    format!("error: {} cannot be read: {why}\n", shown(&path.to_string_lossy()))
}

/// Nothing to look at.
pub fn no_policy() -> String {
    "embargo: no policy is in force here (no embargo.toml found); name a file, or write one with `embargo init`\n"
        .to_owned()
}

fn reach(reach: Reach) -> &'static str {
    match reach {
        Reach::Full => "yes",
        Reach::Partly => "partly",
        Reach::Never => "no",
    }
}

fn number(count: usize, thing: &str) -> String {
    match count {
        1 => format!("1 {thing}"),
        n => format!("{n} {thing}s"),
    }
}
