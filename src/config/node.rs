//! One tree for TOML and JSON, each value with its place: what is checked once
//! holds for both.

/// Bytes of a source.
pub(super) type Span = std::ops::Range<usize>;

/// A value and where it stands.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Node {
    pub value: Value,
    pub span: Span,
}

#[derive(Debug, Clone, PartialEq)]
pub(super) enum Value {
    Str(String),
    Int(i64),
    Bool(bool),
    Float(f64),
    Array(Vec<Node>),
    /// In the order of the text.
    Table(Vec<Entry>),
    /// What no key of ours takes: null, a date, a number beyond 64 bits.
    Other(&'static str),
}

/// A key and its value.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Entry {
    pub key: String,
    pub key_span: Span,
    pub node: Node,
}

impl Node {
    /// What kind of value this is, as people say it.
    pub fn kind(&self) -> &'static str {
        match &self.value {
            Value::Str(_) => "text",
            Value::Int(_) => "a number",
            Value::Bool(_) => "a truth value",
            Value::Float(_) => "a fraction",
            Value::Array(_) => "a list",
            Value::Table(_) => "a table",
            Value::Other(kind) => kind,
        }
    }

    /// The same text for the same content, however it is laid out and in whatever order.
    pub fn content(&self, leave_out: &[&str]) -> String {
        match &self.value {
            Value::Str(text) => format!("{text:?}"),
            Value::Int(number) => number.to_string(),
            Value::Bool(truth) => truth.to_string(),
            Value::Float(number) => number.to_string(),
            Value::Array(items) => {
                let items: Vec<String> = items.iter().map(|i| i.content(leave_out)).collect();
                format!("[{}]", items.join(","))
            }
            Value::Table(entries) => {
                let mut pairs: Vec<String> = entries
                    .iter()
                    .filter(|e| !leave_out.contains(&e.key.as_str()))
                    .map(|e| format!("{:?}:{}", e.key, e.node.content(leave_out)))
                    .collect();
                pairs.sort();
                format!("{{{}}}", pairs.join(","))
            }
            Value::Other(kind) => (*kind).to_owned(),
        }
    }
}
