//! What a rule says to the agent, and the lines by which it proves itself.

use crate::policy::{Rule, Says};

use super::fields::Fields;
use super::node::{Node, Value};
use super::report::Report;
use super::rule::KEYS;
use super::value::Text;
use super::{Code, ExampleLine, RuleExamples};

/// `reason`, `alternative`, `instead` and `label`.
pub(super) fn says(fields: Fields<'_>, report: &mut Report<'_>) -> Says {
    let reason = match fields.get("reason") {
        Some(Node { value: Value::Str(text), span }) if text.trim().is_empty() => {
            report.add(Code::BlankReason, span, "`reason` is blank".to_owned(), REASON);
            None
        }
        Some(_) => fields.prose("reason", report),
        None if fields.lacks("reason", KEYS) => {
            let message = "this rule has no `reason`".to_owned();
            report.add(Code::MissingReason, &fields.node.span, message, REASON);
            None
        }
        None => None,
    };
    let alternative = fields.prose("alternative", report).map(|t| t.text);
    let instead = match fields.get("instead") {
        Some(_) => fields.texts("instead", report).into_iter().map(|t| t.text).collect(),
        None => alternative.as_deref().map(quoted_parts).unwrap_or_default(),
    };
    let label = fields.prose("label", report).map(|t| t.text);
    Says { reason: reason.map(|t| t.text).unwrap_or_default(), alternative, instead, label }
}

const REASON: &str = "complete the sentence: `I must not use X because …`";

/// What stands between back-quotes: `` run `uv add`, or `uv sync` `` has two.
pub(super) fn quoted_parts(prose: &str) -> Vec<String> {
    let mut parts: Vec<&str> = prose.split('`').collect();
    // An odd number of quotes leaves the last one open: what follows it is prose.
    if parts.len().is_multiple_of(2) {
        parts.pop();
    }
    parts
        .into_iter()
        .skip(1)
        .step_by(2)
        .map(|part| part.trim().to_owned())
        .filter(|part| !part.is_empty())
        .collect()
}

/// `refuses`, `permits`, and what the rule prescribes, each with its place.
pub(super) fn examples(fields: Fields<'_>, rule: &Rule, report: &mut Report<'_>) -> RuleExamples {
    let mut lines = |key: &str| -> Vec<ExampleLine> {
        let texts = fields.texts(key, report);
        let line = |t: Text| ExampleLine { place: report.page.place(&t.span), text: t.text };
        texts.into_iter().map(line).collect()
    };
    let (refuses, permits) = (lines("refuses"), lines("permits"));
    let mut instead = Vec::new();
    // Given one by one, or quoted in the prose: then the prose is the place of each.
    if let Some(Node { value: Value::Array(items), .. }) = fields.get("instead") {
        let spans = items.iter().map(|item| &item.span);
        let pairs = spans.zip(&rule.says.instead);
        instead.extend(pairs.map(|(span, text)| (span, text.clone())));
    } else if let Some(prose) = fields.get("alternative") {
        instead.extend(rule.says.instead.iter().map(|text| (&prose.span, text.clone())));
    }
    let instead = instead
        .into_iter()
        .map(|(span, text)| ExampleLine { place: report.page.place(span), text })
        .collect();
    RuleExamples { rule: rule.id.clone(), origin: rule.origin.clone(), refuses, permits, instead }
}
