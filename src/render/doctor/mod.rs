//! What `embargo doctor` says: for each symptom what was seen, and for what has a remedy
//! the command or the edit, to the letter.

mod guards;
mod here;
mod places;

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::command::quote;
use crate::doctor::{Report, Symptom, Weight};

use super::prose::shown;
use super::refusal::JSON_VERSION;

pub use guards::fault;
pub use places::unusable;

/// What remedies depend on.
#[derive(Debug, Clone)]
pub struct Place {
    /// The directory that is looked into.
    pub directory: PathBuf,
    pub which: Which,
    /// How this embargo is called in a shell: by its name, or by its path where that is not on PATH.
    pub embargo: String,
    /// Its path, as a word of a shell: a start-up file may run before its directory is on PATH.
    pub binary: String,
}

/// Whose directory it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Which {
    Own,
    /// By `--dir`.
    Named,
    /// Of an `embargo run` around us.
    Run,
}

impl Place {
    /// `embargo WORDS`, for this directory.
    fn call(&self, words: &str) -> String {
        self.call_of(&self.embargo, words)
    }

    /// The same for a start-up file.
    fn call_at_start(&self, words: &str) -> String {
        self.call_of(&self.binary, words)
    }

    fn call_of(&self, embargo: &str, words: &str) -> String {
        let option = match self.which {
            Which::Named => format!(" --dir {}", quoted(&self.directory)),
            Which::Own | Which::Run => String::new(),
        };
        format!("{embargo} {words}{option}")
    }

    fn directory(&self) -> String {
        path(&self.directory)
    }
}

/// What was seen, and what to do.
struct Said {
    seen: String,
    remedy: Option<String>,
}

impl Said {
    fn seen(seen: impl Into<String>) -> Self {
        Said { seen: seen.into(), remedy: None }
    }

    fn remedy(seen: impl Into<String>, remedy: impl Into<String>) -> Self {
        Said { seen: seen.into(), remedy: Some(remedy.into()) }
    }
}

/// A check a line, details below it, the count at the end.
pub fn plain(reports: &[Report], place: &Place) -> String {
    let width = reports.iter().map(|r| r.check.name().len()).max().unwrap_or_default();
    let mut text = String::new();
    for report in reports {
        let mut head = format!("{:11}  {:width$}  ", shouted(report.weight()), report.check.name());
        for symptom in &report.symptoms {
            let Said { seen, remedy } = said(symptom, place);
            text += &format!("{head}{seen}\n");
            head = " ".repeat(head.chars().count());
            text.extend(remedy.map(|remedy| format!("{head}  → {remedy}\n")));
        }
    }
    let findings = findings(reports);
    let checks = number(reports.len(), "check");
    text + &format!("{checks}, {}\n", number(findings, "finding"))
}

/// The same for programs.
pub fn json(reports: &[Report], place: &Place) -> Value {
    let check = |report: &Report| {
        let said: Vec<Said> = report.symptoms.iter().map(|s| said(s, place)).collect();
        json!({
            "name": report.check.name(),
            "verdict": name(report.weight()),
            "seen": said.iter().map(|said| &said.seen).collect::<Vec<_>>(),
            "remedy": said.iter().filter_map(|said| said.remedy.as_ref()).collect::<Vec<_>>(),
        })
    };
    let checks: Vec<Value> = reports.iter().map(check).collect();
    json!({ "version": JSON_VERSION, "checks": checks, "findings": findings(reports) })
}

/// Checks that found something.
pub fn findings(reports: &[Report]) -> usize {
    reports.iter().filter(|report| report.weight() == Weight::Finding).count()
}

fn said(symptom: &Symptom, place: &Place) -> Said {
    match symptom {
        Symptom::Reach(reach) => here::said(reach, place),
        Symptom::Guard(guard) => guards::said(guard, place),
        Symptom::Home(home) => places::said(home, place),
    }
}

fn shouted(weight: Weight) -> &'static str {
    match weight {
        Weight::Finding => "FINDING",
        other => name(other),
    }
}

/// The word in JSON.
fn name(weight: Weight) -> &'static str {
    match weight {
        Weight::Ok => "ok",
        Weight::NotChecked => "not-checked",
        Weight::Note => "note",
        Weight::Finding => "finding",
    }
}

fn number(count: usize, thing: &str) -> String {
    match count {
        1 => format!("1 {thing}"),
        n => format!("{n} {thing}s"),
    }
}

fn path(path: &Path) -> String {
    shown(&path.to_string_lossy())
}

/// As a word of a shell.
fn quoted(path: &Path) -> String {
    use std::os::unix::ffi::OsStrExt as _;
    quote(path.as_os_str().as_bytes())
}

/// A name as a word of a shell.
fn word(name: &str) -> String {
    quote(name.as_bytes())
}

/// Two or three names, then how many more.
fn few(names: &[String]) -> String {
    const SHOWN: usize = 6;
    let shown: Vec<String> = names.iter().take(SHOWN).map(|name| shown(name)).collect();
    match names.len().saturating_sub(SHOWN) {
        0 => shown.join(", "),
        more => format!("{} and {more} more", shown.join(", ")),
    }
}
