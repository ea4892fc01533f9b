//! A fault of a policy, as `rustc` shows one, and as JSON.

use serde::Serialize;
use serde::ser::{SerializeStruct, Serializer};

use crate::config::Diagnostic;

/// One fault: what, where, the line itself, and what to write instead.
pub fn plain(fault: &Diagnostic) -> String {
    let Diagnostic { code, level, line, column, .. } = fault;
    let [shown, message, help, source] =
        [&fault.shown, &fault.message, &fault.help, &fault.source_line].map(|text| visible(text));
    let number = line.to_string();
    let margin = " ".repeat(number.len());
    let mut text = format!("{}[{code}]: {message}\n", level.name());
    text.push_str(&format!("{margin}--> {shown}:{line}:{column}\n"));
    text.push_str(&format!("{margin} |\n"));
    text.push_str(&format!("{number} | {source}\n"));
    text.push_str(&format!("{margin} | {}{}\n", indent(fault), "^".repeat(fault.length as usize)));
    if !help.is_empty() {
        text.push_str(&format!("{margin} = help: {help}\n"));
    }
    text
}

/// All of them, with a blank line between.
pub fn plain_all(faults: &[Diagnostic]) -> String {
    faults.iter().map(plain).collect::<Vec<_>>().join("\n")
}

/// What stands before the carets: as wide as the text above it.
fn indent(fault: &Diagnostic) -> String {
    let before = fault.source_line.chars().take(fault.column as usize - 1);
    before.map(|c| if c == '\t' { '\t' } else { ' ' }).collect()
}

/// Words of a file somebody else wrote: nothing in them may act on the terminal.
fn visible(line: &str) -> String {
    let acts = |c: char| c.is_control() && c != '\t' || ('\u{202a}'..='\u{202e}').contains(&c);
    line.chars().map(|c| if acts(c) { '\u{fffd}' } else { c }).collect()
}

impl Serialize for Diagnostic {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut fault = serializer.serialize_struct("Diagnostic", 9)?;
        fault.serialize_field("code", &self.code)?;
        fault.serialize_field("level", &self.level)?;
        fault.serialize_field("file", &self.shown)?;
        fault.serialize_field("path", &self.path.to_string_lossy())?;
        fault.serialize_field("line", &self.line)?;
        fault.serialize_field("column", &self.column)?;
        fault.serialize_field("length", &self.length)?;
        fault.serialize_field("message", &self.message)?;
        fault.serialize_field("help", &self.help)?;
        fault.end()
    }
}
