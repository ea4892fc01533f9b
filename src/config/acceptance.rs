//! `[[acceptance]]`: commands that are checks; when one passes in its shim, what it proved is sealed.

use crate::policy::{Accepted, Form, Origin};

use super::fields::Fields;
use super::form::form;
use super::node::Value;
use super::report::Report;
use super::{Code, suggest};

/// Its keys.
pub(super) const KEYS: &[&str] = &["command", "name", "outputs", "roots", "entries", "generators"];

/// Reads all of them.
pub(super) fn acceptances(
    fields: Fields<'_>,
    origin: &Origin,
    report: &mut Report<'_>,
) -> Vec<Accepted> {
    let Some(entry) = fields.entry("acceptance") else { return Vec::new() };
    let Value::Array(items) = &entry.node.value else {
        let message = format!("`acceptance` is a list of tables, not {}", entry.node.kind());
        let help = "write each under `[[acceptance]]`, with two brackets";
        report.add(Code::BadType, &entry.key_span, message, help);
        return Vec::new();
    };
    let mut found = Vec::new();
    for item in items {
        let Some(fields) = Fields::of(item, "a table with `command`", report) else { continue };
        fields.only(KEYS, |key| suggest::key(key, KEYS), report);
        if fields.lacks("command", KEYS) {
            let message = "`[[acceptance]]` has no `command`".to_owned();
            report.add(Code::MissingKey, &item.span, message, "write `command = \"make check\"`");
        }
        let mut forms = Vec::new();
        for text in fields.one_or_more("command", report) {
            match form(&text, report) {
                Some(Form::Fragment { .. }) => {
                    let message = format!("`{}` is no command of its own", text.text);
                    let help = "name a program and its words: the status is that of one command";
                    report.add(Code::BadCommandForm, &text.span, message, help);
                }
                form => forms.extend(form),
            }
        }
        let mut paths = |key| -> Vec<String> {
            fields.one_or_more(key, report).into_iter().map(|t| t.text).collect()
        };
        let (outputs, roots) = (paths("outputs"), paths("roots"));
        let (entries, generators) = (paths("entries"), paths("generators"));
        found.push(Accepted {
            origin: Origin { line: report.page.line(item.span.start), ..origin.clone() },
            forms,
            name: fields.prose("name", report).map(|t| t.text),
            outputs,
            roots,
            entries,
            generators,
        });
    }
    found
}
