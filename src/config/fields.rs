//! A table read key by key: each accessor answers with a value of the wanted
//! type, or reports why there is none.

use super::node::{Entry, Node, Value};
use super::report::Report;
use super::value::{Text, bad_type, filled, string, texts};
use super::{Code, suggest};

/// The entries of one table.
#[derive(Clone, Copy)]
pub(super) struct Fields<'n> {
    pub entries: &'n [Entry],
    pub node: &'n Node,
}

impl<'n> Fields<'n> {
    /// The node as a table; `wanted` says what it should have been.
    pub fn of(node: &'n Node, wanted: &str, report: &mut Report<'_>) -> Option<Self> {
        let Value::Table(entries) = &node.value else {
            let message = format!("{} stands where {wanted} is wanted", node.kind());
            report.add(Code::BadType, &node.span, message, "");
            return None;
        };
        Some(Fields { entries, node })
    }

    /// Reports keys that are not among `keys`; `help` says what to do about one.
    pub fn only(&self, keys: &[&str], help: impl Fn(&str) -> String, report: &mut Report<'_>) {
        for entry in self.entries.iter().filter(|e| !keys.contains(&e.key.as_str())) {
            let message = format!("there is no key `{}` here", entry.key);
            report.add(Code::UnknownKey, &entry.key_span, message, help(&entry.key));
        }
    }

    /// Is `key` absent, and none of the unknown keys a slip for it? A slip was reported already.
    pub fn lacks(&self, key: &str, keys: &[&str]) -> bool {
        let is_slip = |e: &Entry| {
            !keys.contains(&e.key.as_str())
                && suggest::nearest(&e.key, keys.iter().copied()) == Some(key)
        };
        self.entry(key).is_none() && !self.entries.iter().any(is_slip)
    }

    pub fn entry(&self, key: &str) -> Option<&'n Entry> {
        self.entries.iter().find(|entry| entry.key == key)
    }

    pub fn get(&self, key: &str) -> Option<&'n Node> {
        self.entry(key).map(|entry| &entry.node)
    }

    /// A string that is not blank.
    pub fn text(&self, key: &str, report: &mut Report<'_>) -> Option<Text> {
        filled(string(self.get(key)?, key, report)?, key, report)
    }

    /// A string that is shown to people: nothing in it may act on a terminal, or hide.
    pub fn prose(&self, key: &str, report: &mut Report<'_>) -> Option<Text> {
        let Text { text, span } = self.text(key, report)?;
        // Escape sequences, and signs that turn the direction of writing.
        let acts = |c: &char| c.is_control() || ('\u{202a}'..='\u{202e}').contains(c);
        if let Some(bad) = text.chars().find(|c| acts(c) && !matches!(c, '\n' | '\t')) {
            let message = format!("`{key}` holds the control character U+{:04X}", u32::from(bad));
            report.add(Code::ControlCharacter, &span, message, "remove it");
        }
        Some(Text { text: text.trim().to_owned(), span })
    }

    /// A list of strings; absent is empty.
    pub fn texts(&self, key: &str, report: &mut Report<'_>) -> Vec<Text> {
        let Some(node) = self.get(key) else { return Vec::new() };
        match &node.value {
            Value::Array(items) => texts(items, key, report),
            Value::Str(text) => {
                let message = format!("`{key}` is a list, not text");
                report.add(
                    Code::BadType,
                    &node.span,
                    message,
                    format!("write `{key} = [{text:?}]`"),
                );
                Vec::new()
            }
            _ => {
                bad_type(node, key, "a list of texts", report);
                Vec::new()
            }
        }
    }

    /// A list of strings that may be empty ones: arguments.
    pub fn any_texts(&self, key: &str, report: &mut Report<'_>) -> Vec<String> {
        let Some(node) = self.get(key) else { return Vec::new() };
        let Value::Array(items) = &node.value else {
            bad_type(node, key, "a list of texts", report);
            return Vec::new();
        };
        items.iter().filter_map(|item| string(item, key, report)).map(|t| t.text).collect()
    }

    /// A string, or a list of strings.
    pub fn one_or_more(&self, key: &str, report: &mut Report<'_>) -> Vec<Text> {
        let Some(node) = self.get(key) else { return Vec::new() };
        match &node.value {
            Value::Array(items) => texts(items, key, report),
            Value::Str(_) => string(node, key, report)
                .and_then(|text| filled(text, key, report))
                .into_iter()
                .collect(),
            _ => {
                bad_type(node, key, "text or a list of texts", report);
                Vec::new()
            }
        }
    }

    pub fn truth(&self, key: &str, report: &mut Report<'_>) -> Option<bool> {
        let node = self.get(key)?;
        let Value::Bool(truth) = node.value else {
            bad_type(node, key, "`true` or `false`", report);
            return None;
        };
        Some(truth)
    }

    /// A whole number, at least `least`.
    pub fn number(&self, key: &str, least: u32, report: &mut Report<'_>) -> Option<u32> {
        let node = self.get(key)?;
        let Value::Int(number) = node.value else {
            bad_type(node, key, "a number", report);
            return None;
        };
        let number = u32::try_from(number).ok().filter(|n| *n >= least);
        if number.is_none() {
            let message = format!("`{key}` is a number from {least} on");
            report.add(Code::BadValue, &node.span, message, "");
        }
        number
    }

    /// One word of a closed set.
    pub fn choice<T: Copy>(
        &self,
        (key, code): (&str, Code),
        choices: &[(&str, T)],
        report: &mut Report<'_>,
    ) -> Option<T> {
        let word = self.text(key, report)?;
        let found = choices.iter().find(|(name, _)| *name == word.text);
        if found.is_none() {
            let names: Vec<&str> = choices.iter().map(|(name, _)| *name).collect();
            let message = format!("`{}` is no value of `{key}`", word.text);
            report.add(code, &word.span, message, suggest::word(&word.text, &names));
        }
        found.map(|(_, choice)| *choice)
    }
}
