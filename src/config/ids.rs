//! Ids of rules: given, or made from the rule's own words, so that they stay the
//! same when other rules come and go.

use std::collections::BTreeMap;

use crate::policy::{Form, Operator, Rule, Ruling};

use super::Code;
use super::node::{Node, Span};
use super::report::Report;
use super::rule::Draft;
use super::value::Text;

/// An id longer than this is cut at a word.
const LONGEST: usize = 48;

/// A given id has plain characters, for it is typed, logged and named in `over`.
pub(super) fn check(given: Option<&Text>, report: &mut Report<'_>) {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-');
    let Some(id) = given.filter(|id| !id.text.chars().all(is_plain)) else { return };
    let help = match slug(&id.text) {
        slug if slug.is_empty() => "write one as `gradle-wrapper`".to_owned(),
        slug => format!("write `{slug}`"),
    };
    let message =
        format!("`id` is made of letters, digits, `.`, `_` and `-`, and {:?} is not", id.text);
    report.add(Code::BadId, &id.span, message, help);
}

/// An id from the rule's words: `git-push-force`.
pub(super) fn made(rule: &Rule) -> String {
    let subject = &rule.subject;
    let mut words: Vec<String> = subject.forms.iter().map(form).collect();
    words.extend(subject.fed_by.first().map(|first| format!("fed by {}", form(first))));
    words.extend(subject.flags.iter().filter_map(|f| f.0.first().cloned()));
    let text = subject.pattern.as_ref().map(|p| p.source().to_owned()).or(subject.contains.clone());
    words.extend(text.map(|text| rule.says.label.clone().unwrap_or(text)));
    let effects = &subject.effects;
    for (name, list) in [
        ("deletes", &effects.deletes),
        ("overwrites", &effects.overwrites),
        ("moves", &effects.moves),
        ("resets", &effects.resets),
        ("runs", &effects.runs),
    ] {
        words.extend(list.first().map(|first| format!("{name} {first}")));
    }
    words.push(
        match rule.ruling {
            Ruling::Refuse => "",
            Ruling::Grant => "grant",
            Ruling::Ask => "ask",
            Ruling::Warn => "warn",
            Ruling::Allow { .. } => "allow",
        }
        .to_owned(),
    );
    match slug(&words.join(" ")) {
        empty if empty.is_empty() => "pattern".to_owned(),
        slug => slug,
    }
}

/// The content of a rule in six characters: its layout, its id and its examples do not count.
pub(super) fn digest(node: &Node) -> String {
    let content = node.content(&["id", "refuses", "permits"]);
    blake3::hash(content.as_bytes()).to_hex().chars().take(6).collect()
}

/// Tells rules of one file apart: given ids must differ, equal made ones get their digest.
pub(super) fn settle(drafts: &mut [Draft], report: &mut Report<'_>) {
    let mut firsts: BTreeMap<&str, &Span> = BTreeMap::new();
    let mut count: BTreeMap<String, usize> = BTreeMap::new();
    for draft in drafts.iter() {
        *count.entry(draft.rule.id.0.clone()).or_default() += 1;
        let Some(id) = &draft.given else { continue };
        let first = *firsts.entry(&id.text).or_insert(&id.span);
        if *first != id.span {
            let line = report.page.line(first.start);
            let message = format!("`{}` is the id of another rule, in line {line}", id.text);
            report.add(Code::DuplicateId, &id.span, message, "give each rule an id of its own");
            report.label(report.page.place(first).label("the other rule"));
        }
    }
    for draft in drafts.iter_mut().filter(|d| d.given.is_none()) {
        // Both of a pair get it: which comes first in the file must not matter.
        if count.get(&draft.rule.id.0).is_some_and(|n| *n > 1) {
            draft.rule.id.0 = format!("{}-{}", draft.rule.id.0, draft.digest);
        }
    }
}

fn form(form: &Form) -> String {
    let (before, words, flags) = match form {
        Form::Command { words, flags, .. } => ("", words, flags.as_slice()),
        Form::Fragment { operator: Operator::Pipe, words, .. } => ("pipe ", words, &[][..]),
        Form::Fragment { operator: Operator::And, words, .. } => ("and ", words, &[][..]),
        Form::Fragment { operator: Operator::Or, words, .. } => ("or ", words, &[][..]),
        Form::Fragment { operator: Operator::Sequence, words, .. } => ("then ", words, &[][..]),
    };
    let flags = flags.iter().filter_map(|f| f.0.first().cloned());
    let words: Vec<String> = words.iter().cloned().chain(flags).collect();
    format!("{before}{} {}", form.program(), words.join(" "))
}

/// Lower-case words with hyphens between.
fn slug(text: &str) -> String {
    let mut slug = String::new();
    for word in text.split(|c: char| !c.is_ascii_alphanumeric()).filter(|w| !w.is_empty()) {
        let word = word.to_lowercase();
        if slug.len() + word.len() > LONGEST {
            break;
        }
        if !slug.is_empty() {
            slug.push('-');
        }
        slug.push_str(&word);
    }
    slug
}
