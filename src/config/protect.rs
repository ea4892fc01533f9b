//! `[[protect]]`: paths that stay as they are, without any check.

use crate::policy::{Origin, Protect};
use crate::seal::Tier;

use super::fields::Fields;
use super::node::Value;
use super::report::Report;
use super::{Code, suggest};

/// Its keys.
pub(super) const KEYS: &[&str] = &["paths", "reason", "alternative", "tier"];

/// Reads all of them.
pub(super) fn protects(
    fields: Fields<'_>,
    origin: &Origin,
    report: &mut Report<'_>,
) -> Vec<Protect> {
    let Some(entry) = fields.entry("protect") else { return Vec::new() };
    let Value::Array(items) = &entry.node.value else {
        let message = format!("`protect` is a list of tables, not {}", entry.node.kind());
        let help = "write each under `[[protect]]`, with two brackets";
        report.add(Code::BadType, &entry.key_span, message, help);
        return Vec::new();
    };
    let mut found = Vec::new();
    for item in items {
        let Some(fields) = Fields::of(item, "a table with `paths`", report) else { continue };
        fields.only(KEYS, |key| suggest::key(key, KEYS), report);
        if fields.lacks("paths", KEYS) {
            let message = "`[[protect]]` has no `paths`".to_owned();
            report.add(Code::MissingKey, &item.span, message, "write `paths = [\"data/**\"]`");
        }
        let tiers = [("hard", Tier::Hard), ("soft", Tier::Soft)];
        found.push(Protect {
            origin: Origin { line: report.page.line(item.span.start), ..origin.clone() },
            paths: fields.one_or_more("paths", report).into_iter().map(|t| t.text).collect(),
            reason: fields.prose("reason", report).map(|t| t.text),
            alternative: fields.prose("alternative", report).map(|t| t.text),
            tier: fields.choice(("tier", Code::BadValue), &tiers, report).unwrap_or(Tier::Hard),
        });
    }
    found
}
