//! A fault of a policy, as `rustc` shows one, and as JSON.

use serde::Serialize;
use serde::ser::{SerializeStruct, Serializer};

use crate::config::{Diagnostic, Label, Place};

/// A marked piece of a line: the fault itself, or another place of it.
struct Mark<'f> {
    shown: &'f str,
    line: u32,
    column: u32,
    length: u32,
    source_line: &'f str,
    sign: &'static str,
    words: &'f str,
}

/// One fault: what, where, the lines themselves, and what to write instead.
pub fn plain(fault: &Diagnostic) -> String {
    let Diagnostic { code, level, line, column, .. } = fault;
    let [shown, message, help] =
        [&fault.shown, &fault.message, &fault.help].map(|text| visible(text));
    let mut files = files(fault).into_iter();
    let last = fault.labels.iter().map(|label| label.place.line).chain([*line]).max();
    let margin = " ".repeat(last.unwrap_or_default().to_string().len());
    let mut text = format!("{}[{code}]: {message}\n", level.name());
    text.push_str(&format!("{margin}--> {shown}:{line}:{column}\n"));
    text.push_str(&snippet(&files.next().unwrap_or_default(), &margin));
    for marks in files {
        let Some(first) = marks.first() else { continue };
        let shown = visible(first.shown);
        let place = format!("{shown}:{}:{}", first.line, first.column);
        text.push_str(&format!("{margin} |\n{margin}::: {place}\n{}", snippet(&marks, &margin)));
    }
    if !help.is_empty() {
        text.push_str(&format!("{margin} = help: {help}\n"));
    }
    text
}

/// All of them, with a blank line between.
pub fn plain_all(faults: &[Diagnostic]) -> String {
    faults.iter().map(plain).collect::<Vec<_>>().join("\n")
}

/// The marks of each file by line, those of the fault's own file first.
fn files(fault: &Diagnostic) -> Vec<Vec<Mark<'_>>> {
    let own = Mark {
        shown: &fault.shown,
        line: fault.line,
        column: fault.column,
        length: fault.length,
        source_line: &fault.source_line,
        sign: "^",
        words: "",
    };
    let mut files = vec![vec![own]];
    for label in &fault.labels {
        let mark = Mark::of(label);
        let is_of = |marks: &&mut Vec<Mark<'_>>| marks.iter().all(|m| m.shown == mark.shown);
        match files.iter_mut().find(is_of) {
            Some(marks) => marks.push(mark),
            None => files.push(vec![mark]),
        }
    }
    files.iter_mut().for_each(|marks| marks.sort_by_key(|mark| (mark.line, mark.column)));
    files
}

impl Mark<'_> {
    fn of(label: &Label) -> Mark<'_> {
        let Place { shown, line, column, length, source_line, .. } = &label.place;
        let (line, column, length) = (*line, *column, *length);
        Mark { shown, line, column, length, source_line, sign: "-", words: &label.words }
    }
}

/// Lines with their marks below; `...` stands for lines between.
fn snippet(marks: &[Mark<'_>], margin: &str) -> String {
    let (mut text, mut shown) = (format!("{margin} |\n"), 0);
    for mark in marks {
        let Mark { line, length, source_line, sign, words, .. } = mark;
        if shown != 0 && *line > shown + 1 {
            text.push_str("...\n");
        }
        if *line != shown {
            let source = visible(source_line);
            text.push_str(&format!("{line:<width$} | {source}\n", width = margin.len()));
        }
        let signs = format!("{} {}", sign.repeat(*length as usize), visible(words));
        let signs = signs.trim_end();
        text.push_str(&format!("{margin} | {}{signs}\n", indent(mark)));
        shown = *line;
    }
    text
}

/// What stands before the carets: as wide as the text above it.
fn indent(mark: &Mark<'_>) -> String {
    let before = mark.source_line.chars().take(mark.column as usize - 1);
    before.map(|c| if c == '\t' { '\t' } else { ' ' }).collect()
}

/// Words of a file somebody else wrote: nothing in them may act on the terminal.
fn visible(line: &str) -> String {
    let acts = |c: char| c.is_control() && c != '\t' || ('\u{202a}'..='\u{202e}').contains(&c);
    line.chars().map(|c| if acts(c) { '\u{fffd}' } else { c }).collect()
}

impl Serialize for Diagnostic {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut fault = serializer.serialize_struct("Diagnostic", 10)?;
        fault.serialize_field("code", &self.code)?;
        fault.serialize_field("level", &self.level)?;
        fault.serialize_field("file", &self.shown)?;
        fault.serialize_field("path", &self.path.to_string_lossy())?;
        fault.serialize_field("line", &self.line)?;
        fault.serialize_field("column", &self.column)?;
        fault.serialize_field("length", &self.length)?;
        fault.serialize_field("message", &self.message)?;
        fault.serialize_field("help", &self.help)?;
        fault.serialize_field("labels", &self.labels)?;
        fault.end()
    }
}

impl Serialize for Label {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut label = serializer.serialize_struct("Label", 6)?;
        label.serialize_field("file", &self.place.shown)?;
        label.serialize_field("path", &self.place.path.to_string_lossy())?;
        label.serialize_field("line", &self.place.line)?;
        label.serialize_field("column", &self.place.column)?;
        label.serialize_field("length", &self.place.length)?;
        label.serialize_field("words", &self.words)?;
        label.end()
    }
}
