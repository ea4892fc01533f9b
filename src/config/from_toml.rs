//! TOML → [`Node`].

use toml::de::{DeTable, DeValue};

use super::Code;
use super::node::{Entry, Node, Span, Value};
use super::report::Report;

/// Parses; faults of syntax are reported, and what could be read is returned.
pub(super) fn parse(text: &str, report: &mut Report<'_>) -> Node {
    let (table, errors) = DeTable::parse_recoverable(text);
    let mut last_line = 0;
    for error in errors {
        let span = error.span().unwrap_or_default();
        // What follows on the same line is most often the same fault once more.
        let line = report.page.line(span.start);
        if line != last_line {
            fault(error.message(), &span, report);
        }
        last_line = line;
    }
    Node { value: self::table(table.into_inner()), span: 0..0 }
}

fn fault(message: &str, span: &Span, report: &mut Report<'_>) {
    if message.contains("duplicate key") {
        return report.key_twice(Code::TomlSyntax, span);
    }
    let help = if message.contains("escape") {
        "write it in 'single quotes', where a backslash is a backslash"
    } else {
        ""
    };
    let message = format!("this is no TOML: {}", message.lines().next().unwrap_or(message));
    report.add(Code::TomlSyntax, span, message, help);
}

fn table(table: DeTable<'_>) -> Value {
    let mut entries: Vec<Entry> = table
        .into_iter()
        .map(|(key, value)| Entry {
            key_span: key.span(),
            key: key.into_inner().into_owned(),
            node: node(value.span(), value.into_inner()),
        })
        .collect();
    // The parser sorts keys by name; faults are reported in the order of the text.
    entries.sort_by_key(|entry| entry.key_span.start);
    Value::Table(entries)
}

fn node(span: Span, value: DeValue<'_>) -> Node {
    let value = match value {
        DeValue::String(text) => Value::Str(text.into_owned()),
        DeValue::Integer(number) => i64::from_str_radix(number.as_str(), number.radix())
            .map_or(Value::Other("a number beyond 64 bits"), Value::Int),
        DeValue::Float(number) => {
            number.as_str().parse().map_or(Value::Other("a fraction"), Value::Float)
        }
        DeValue::Boolean(truth) => Value::Bool(truth),
        DeValue::Datetime(_) => Value::Other("a date"),
        DeValue::Array(items) => Value::Array(
            items.into_iter().map(|item| node(item.span(), item.into_inner())).collect(),
        ),
        DeValue::Table(table) => self::table(table),
    };
    Node { value, span }
}
