//! A fault with its place: what is wrong, where, and what to write instead.

use std::path::PathBuf;

use super::{Code, Level};

/// One fault of one file. [`crate::render::diagnostic`] shows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnostic {
    pub code: Code,
    pub level: Level,
    /// The file as people know it.
    pub shown: String,
    pub path: PathBuf,
    /// From 1.
    pub line: u32,
    /// From 1, in characters.
    pub column: u32,
    /// In characters, at least 1, within the line.
    pub length: u32,
    pub source_line: String,
    pub message: String,
    /// What to write instead; empty when the message has said it.
    pub help: String,
    /// Other places that have to do with it, in this file or another.
    pub labels: Vec<Label>,
}

/// Another place of a fault, and what is there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Label {
    pub place: Place,
    pub words: String,
}

impl Diagnostic {
    /// The same, with one more place.
    pub fn and(mut self, label: Label) -> Diagnostic {
        self.labels.push(label);
        self
    }
}

/// Where something is written, for faults that are found after loading.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    pub shown: String,
    pub path: PathBuf,
    pub line: u32,
    pub column: u32,
    pub length: u32,
    pub source_line: String,
}

impl Place {
    /// A fault at this place; `help` may be empty.
    pub fn fault(self, code: Code, message: String, help: String) -> Diagnostic {
        let Place { shown, path, line, column, length, source_line } = self;
        let level = code.level();
        let labels = Vec::new();
        Diagnostic {
            code,
            level,
            shown,
            path,
            line,
            column,
            length,
            source_line,
            message,
            help,
            labels,
        }
    }

    /// This place beside another; the words say what it is.
    pub fn label(self, words: impl Into<String>) -> Label {
        Label { place: self, words: words.into() }
    }
}
