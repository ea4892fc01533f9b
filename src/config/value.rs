//! One value of a table: text, of the right type and not blank.

use super::Code;
use super::node::{Node, Span, Value};
use super::report::Report;

/// A string and its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Text {
    pub text: String,
    pub span: Span,
}

/// A string, blank or not.
pub(super) fn string(node: &Node, key: &str, report: &mut Report<'_>) -> Option<Text> {
    let Value::Str(text) = &node.value else {
        bad_type(node, key, "text", report);
        return None;
    };
    Some(Text { text: text.clone(), span: node.span.clone() })
}

pub(super) fn texts(items: &[Node], key: &str, report: &mut Report<'_>) -> Vec<Text> {
    items
        .iter()
        .filter_map(|item| string(item, key, report))
        .collect::<Vec<_>>()
        .into_iter()
        .filter_map(|text| filled(text, key, report))
        .collect()
}

pub(super) fn filled(text: Text, key: &str, report: &mut Report<'_>) -> Option<Text> {
    if !text.text.trim().is_empty() {
        return Some(text);
    }
    let code = match key {
        "command" | "cmd" => Code::BadCommandForm,
        "id" => Code::BadId,
        _ => Code::Blank,
    };
    report.add(code, &text.span, format!("`{key}` is blank"), "write something, or remove it");
    None
}

pub(super) fn bad_type(node: &Node, key: &str, wanted: &str, report: &mut Report<'_>) {
    let message = format!("`{key}` is {wanted}, not {}", node.kind());
    report.add(Code::BadType, &node.span, message, "");
}

/// Reports what is no name of a program: names are met without their path.
pub(super) fn check_name(name: &Text, report: &mut Report<'_>) {
    let Text { text, span } = name;
    let plain = text.rsplit(|c: char| c == '/' || c.is_whitespace()).find(|part| !part.is_empty());
    if plain != Some(text) {
        let message = format!("`{text}` is no program's name");
        let help = match plain {
            Some(plain) => format!("write it without path and arguments, as `{plain}`"),
            None => "write a name".to_owned(),
        };
        report.add(Code::BadName, span, message, help);
    }
}
