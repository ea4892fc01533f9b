//! JSON → [`Node`]: strict JSON, without comments and trailing commas.

use jsonc_parser::ast::Value as Ast;
use jsonc_parser::common::Ranged;
use jsonc_parser::{CollectOptions, ParseOptions, parse_to_ast};

use super::Code;
use super::node::{Entry, Node, Span, Value};
use super::report::Report;

const STRICT: ParseOptions = ParseOptions {
    allow_comments: false,
    allow_loose_object_property_names: false,
    allow_trailing_commas: false,
    allow_missing_commas: false,
    allow_single_quoted_strings: false,
    allow_hexadecimal_numbers: false,
    allow_unary_plus_numbers: false,
    allow_bare_decimal_point_numbers: false,
    allow_non_finite_numbers: false,
    allow_extended_string_escapes: false,
};

/// Parses; the first fault of syntax ends the reading.
pub(super) fn parse(text: &str, report: &mut Report<'_>) -> Option<Node> {
    match parse_to_ast(text, &CollectOptions::default(), &STRICT) {
        Ok(parsed) => match parsed.value {
            Some(value) if is_strict(text, report) => Some(node(value, report)),
            Some(_) => None,
            None => {
                let help = "write `{\"embargo\": []}` for a policy without rules";
                report.add(Code::JsonSyntax, &(0..0), "the file is empty".to_owned(), help);
                None
            }
        },
        Err(error) => {
            let range = error.range();
            let message = format!("this is no JSON: {}", lower_first(&error.kind().to_string()));
            report.add(Code::JsonSyntax, &(range.start..range.end), message, HELP);
            None
        }
    }
}

const HELP: &str = "JSON has one value a file, no comments and no trailing commas";

/// The first parser lets through what is no JSON (line breaks in strings, odd spaces); the second does not.
fn is_strict(text: &str, report: &mut Report<'_>) -> bool {
    let Err(error) = serde_json::from_str::<serde::de::IgnoredAny>(text) else { return true };
    let line_start: usize =
        text.split_inclusive('\n').take(error.line().saturating_sub(1)).map(str::len).sum();
    let at = (line_start + error.column().saturating_sub(1)).min(text.len());
    let full = error.to_string();
    let message = full.split(" at line ").next().unwrap_or(&full);
    report.add(Code::JsonSyntax, &(at..at), format!("this is no JSON: {message}"), HELP);
    false
}

fn node(value: Ast<'_>, report: &mut Report<'_>) -> Node {
    let range = value.range();
    let span = range.start..range.end;
    let value = match value {
        Ast::StringLit(text) => Value::Str(text.value.into_owned()),
        Ast::NumberLit(number) => self::number(number.value),
        Ast::BooleanLit(truth) => Value::Bool(truth.value),
        Ast::NullKeyword(_) => Value::Other("null"),
        Ast::Array(array) => {
            Value::Array(array.elements.into_iter().map(|item| node(item, report)).collect())
        }
        Ast::Object(object) => {
            let mut entries: Vec<Entry> = Vec::new();
            for property in object.properties {
                let range = property.name.range();
                let key_span: Span = range.start..range.end;
                let key = property.name.into_string();
                if entries.iter().any(|entry| entry.key == key) {
                    report.key_twice(Code::JsonSyntax, &key_span);
                }
                entries.push(Entry { key, key_span, node: node(property.value, report) });
            }
            Value::Table(entries)
        }
    };
    Node { value, span }
}

fn number(text: &str) -> Value {
    if text.contains(['.', 'e', 'E']) {
        return text.parse().map_or(Value::Other("a fraction"), Value::Float);
    }
    text.parse().map_or(Value::Other("a number beyond 64 bits"), Value::Int)
}

fn lower_first(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map(|c| c.to_lowercase().chain(chars).collect()).unwrap_or_default()
}
