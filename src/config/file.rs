//! One policy file, without what it extends.

use crate::policy::{Accepted, Origin, Protect, Reserved, Says};

use super::fields::Fields;
use super::node::{Node, Value};
use super::report::Report;
use super::rule::{self, Draft};
use super::value::{Text, check_name};
use super::{Code, acceptance, ids, protect, suggest};

/// Keys of a file.
pub(super) const KEYS: &[&str] = &[
    "requires",
    "extends",
    "conflicts",
    "default",
    "reserved",
    "protect",
    "acceptance",
    "embargo",
];

/// Keys of `[default]`.
pub(super) const DEFAULT_KEYS: &[&str] =
    &["notice_on_stdout", "surface_after", "notify", "strict", "unmatched"];
/// Keys of `[reserved]`.
pub(super) const RESERVED_KEYS: &[&str] = &["names", "reason", "alternative"];

/// What a file says.
#[derive(Default)]
pub(super) struct File {
    pub rules: Vec<Draft>,
    pub reserved: Vec<Reserved>,
    pub protects: Vec<Protect>,
    pub acceptances: Vec<Accepted>,
    pub extends: Vec<Text>,
    pub conflicts: Vec<Text>,
    pub settings: Said,
}

/// `[default]` as far as it is given.
#[derive(Debug, Clone, Default)]
pub(super) struct Said {
    pub notice_on_stdout: Option<bool>,
    pub surface_after: Option<u32>,
    pub notify: Option<Vec<String>>,
}

/// Reads a file, and reports every fault in it.
pub(super) fn file(node: &Node, origin: &Origin, report: &mut Report<'_>) -> File {
    let wanted = "a table with `embargo` in it";
    let Some(fields) = Fields::of(node, wanted, report) else { return File::default() };
    fields.only(KEYS, misplaced, report);
    let mut rules = rules(fields, origin, report);
    ids::settle(&mut rules, report);
    let mut extends = fields.texts("extends", report);
    extends
        .extend(strict(fields, report).filter(|pack| extends.iter().all(|t| t.text != pack.text)));
    File {
        extends,
        conflicts: fields.texts("conflicts", report),
        settings: settings(fields, report),
        reserved: reserved(fields, origin, report),
        protects: protect::protects(fields, origin, report),
        acceptances: acceptance::acceptances(fields, origin, report),
        rules,
    }
}

fn misplaced(key: &str) -> String {
    if rule::KEYS.contains(&key) {
        return format!("`{key}` belongs to a rule: write `[[embargo]]` above it");
    }
    if DEFAULT_KEYS.contains(&key) {
        return format!("`{key}` belongs to `[default]`");
    }
    suggest::key(key, KEYS)
}

fn rules(fields: Fields<'_>, origin: &Origin, report: &mut Report<'_>) -> Vec<Draft> {
    let Some(entry) = fields.entry("embargo") else { return Vec::new() };
    match &entry.node.value {
        Value::Array(items) => {
            items.iter().filter_map(|item| rule::rule(item, origin, report)).collect()
        }
        kind => {
            let message = format!("`embargo` is a list of rules, not {}", entry.node.kind());
            let help = match kind {
                Value::Table(_) => "write each rule under `[[embargo]]`, with two brackets",
                _ => "write each rule under `[[embargo]]`",
            };
            report.add(Code::BadType, &entry.key_span, message, help);
            Vec::new()
        }
    }
}

/// `strict = true` is the pack of that name: it tightens, in whatever layer it stands.
fn strict(fields: Fields<'_>, report: &mut Report<'_>) -> Option<Text> {
    let Value::Table(_) = fields.get("default")?.value else { return None };
    let fields = Fields::of(fields.get("default")?, "a table of defaults", report)?;
    let span = fields.entry("strict")?.key_span.clone();
    let is_strict = fields.truth("strict", report)?;
    is_strict.then(|| Text { text: "strict".to_owned(), span })
}

fn settings(fields: Fields<'_>, report: &mut Report<'_>) -> Said {
    let Some(node) = fields.get("default") else { return Said::default() };
    let Some(fields) = Fields::of(node, "a table of defaults", report) else {
        return Said::default();
    };
    fields.only(DEFAULT_KEYS, |key| suggest::key(key, DEFAULT_KEYS), report);
    let loosens = ["surface_after", "notify", "unmatched"];
    if !report.page.layer.may_loosen() {
        for entry in loosens.iter().filter_map(|key| fields.entry(key)) {
            let message = format!("`{}` does not count in a project's file", entry.key);
            let help = "write it in the user's or the system's embargo.toml: whoever can commit \
                        must not loosen the policy or run a program";
            report.add(Code::NotHere, &entry.key_span, message, help);
        }
    }
    fields.choice(("unmatched", Code::BadValue), &[("pass", ())], report);
    Said {
        notice_on_stdout: fields.truth("notice_on_stdout", report),
        surface_after: fields.number("surface_after", 1, report),
        notify: fields
            .get("notify")
            .map(|_| fields.texts("notify", report).into_iter().map(|t| t.text).collect()),
    }
}

fn reserved(fields: Fields<'_>, origin: &Origin, report: &mut Report<'_>) -> Vec<Reserved> {
    let Some(node) = fields.get("reserved") else { return Vec::new() };
    let Some(fields) = Fields::of(node, "a table with `names`", report) else { return Vec::new() };
    fields.only(RESERVED_KEYS, |key| suggest::key(key, RESERVED_KEYS), report);
    let alternative = fields.prose("alternative", report).map(|t| t.text);
    let says = Says {
        reason: fields.prose("reason", report).map(|t| t.text).unwrap_or_default(),
        instead: alternative.as_deref().map(super::says::quoted_parts).unwrap_or_default(),
        alternative,
        label: None,
    };
    if fields.lacks("names", RESERVED_KEYS) {
        let message = "`[reserved]` has no `names`".to_owned();
        report.add(Code::MissingKey, &node.span, message, "write `names = [\"deploy_now\"]`");
    }
    let names = fields.texts("names", report);
    for name in &names {
        check_name(name, report);
    }
    let one = |name: Text| Reserved {
        origin: Origin { line: report.page.line(name.span.start), ..origin.clone() },
        name: name.text,
        says: says.clone(),
    };
    names.into_iter().map(one).collect()
}
