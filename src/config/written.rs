//! Where the parts of a rule are written, for what is found when all rules are known.

use super::fields::Fields;
use super::node::{Node, Span, Value};
use super::value::Text;

/// The places of one rule in its page.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Written {
    /// The rule's header.
    pub table: Span,
    /// In the order of the rule's forms.
    pub commands: Vec<Text>,
    /// In the order of the rule's flags.
    pub flags: Vec<Text>,
    /// In the order of its exceptions.
    pub unless: Vec<Text>,
    pub pattern: Option<Text>,
    pub contains: Option<Text>,
    pub verdict: Option<Text>,
}

impl Written {
    /// Of a rule without errors: what is no text was reported already.
    pub fn of(fields: Fields<'_>) -> Written {
        let texts = |key: &str| fields.get(key).map(texts).unwrap_or_default();
        let key = if fields.get("command").is_some() { "command" } else { "cmd" };
        Written {
            table: fields.node.span.clone(),
            commands: texts(key),
            flags: texts("flags"),
            unless: texts("unless"),
            pattern: texts("pattern").pop(),
            contains: texts("contains").pop(),
            verdict: texts("verdict").pop(),
        }
    }
}

fn texts(node: &Node) -> Vec<Text> {
    match &node.value {
        Value::Str(text) => vec![Text { text: text.clone(), span: node.span.clone() }],
        Value::Array(items) => items.iter().flat_map(texts).collect(),
        _ => Vec::new(),
    }
}
