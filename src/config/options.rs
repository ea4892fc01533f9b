//! The option lines of a description: as manuals write them, with groups that
//! several subcommands share.

use std::collections::{BTreeMap, BTreeSet};

use crate::command::OptionSpec;

use super::fields::Fields;
use super::report::Report;
use super::value::Text;
use super::{Code, suggest};

/// Option lines by the name of their group.
pub(super) type Groups = BTreeMap<String, Vec<String>>;

/// Reads `[groups]`.
pub(super) fn groups(fields: Fields<'_>, report: &mut Report<'_>) -> Groups {
    let Some(node) = fields.get("groups") else { return Groups::new() };
    let Some(table) = Fields::of(node, "a table of groups", report) else { return Groups::new() };
    let group = |key: &String| {
        let lines = table.texts(key, report);
        check(&lines, report);
        (key.clone(), lines.into_iter().map(|t| t.text).collect())
    };
    table.entries.iter().map(|entry| &entry.key).map(group).collect()
}

/// Reads `options`: one a line, a level's own before those of its groups.
pub(super) fn options(fields: Fields<'_>, groups: &Groups, report: &mut Report<'_>) -> String {
    let (named, own): (Vec<Text>, Vec<Text>) =
        fields.texts("options", report).into_iter().partition(|t| t.text.starts_with('@'));
    check(&own, report);
    let mut lines: Vec<&str> = own.iter().map(|t| t.text.as_str()).collect();
    let mut spelled: BTreeSet<&str> =
        lines.iter().flat_map(|line| OptionSpec::new(line).names()).collect();
    for name in &named {
        let Some(group) = groups.get(&name.text[1..]) else {
            let near = suggest::nearest(&name.text[1..], groups.keys().map(String::as_str));
            let help = match near {
                Some(near) => format!("did you mean `@{near}`?"),
                None => "write its options under `[groups]`".to_owned(),
            };
            let message = format!("there is no group `{}`", &name.text[1..]);
            report.add(Code::BadOption, &name.span, message, help);
            continue;
        };
        for line in group {
            // Two lines of one option would make its abbreviations ambiguous.
            let spec = OptionSpec::new(line);
            if !spelled.contains(spec.canonical()) {
                spelled.extend(spec.names());
                lines.push(line);
            }
        }
    }
    lines.join("\n")
}

/// Every line is as manuals write it, and no spelling stands in two.
fn check(options: &[Text], report: &mut Report<'_>) {
    let mut seen: BTreeSet<&str> = BTreeSet::new();
    for option in options {
        if let Some(message) = fault(&option.text) {
            let help = "write it as manuals do: `-o, --output=<file>`, `--color[=<when>]`, `-v, --verbose`";
            report.add(Code::BadOption, &option.span, message, help);
        }
        for name in OptionSpec::new(&option.text).names() {
            if !seen.insert(name) {
                let message = format!("`{name}` is listed twice");
                report.add(Code::BadOption, &option.span, message, "keep one of the two");
            }
        }
    }
}

fn fault(line: &str) -> Option<String> {
    let balanced =
        |open: char, close: char| line.matches(open).count() == line.matches(close).count();
    if !balanced('<', '>') || !balanced('[', ']') {
        return Some(format!("a bracket of `{line}` is not closed"));
    }
    // find's `!` and `(` are options too; a word that could be an operand is none.
    let is_operand =
        |name: &&str| name.starts_with(|c: char| c.is_alphanumeric() || "/._".contains(c));
    let bad = OptionSpec::new(line).names().find(|name| name.is_empty() || is_operand(name));
    bad.map(|name| format!("`{name}` in `{line}` is no spelling of an option"))
}
