//! Texts as they come from a file, and places in them.

use std::path::PathBuf;

use crate::policy::Layer;

use super::node::Span;
use super::{Code, Diagnostic, Place};

/// A policy or a description, as it was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceText {
    pub path: PathBuf,
    /// The path as people know it: `embargo.toml`, `~/.config/embargo/embargo.toml`.
    pub shown: String,
    pub layer: Layer,
    pub bytes: Vec<u8>,
}

/// A text with its lines counted: it turns a byte offset into a place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Page {
    pub path: PathBuf,
    pub shown: String,
    pub layer: Layer,
    pub text: String,
    /// Offset of each line, the first included.
    starts: Vec<usize>,
}

impl Page {
    /// The text of a source; bytes that are no UTF-8 are replaced, and [`super::text`] reports them.
    pub fn new(source: &SourceText) -> Self {
        let text = String::from_utf8_lossy(&source.bytes).into_owned();
        let starts = std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1));
        Page {
            path: source.path.clone(),
            shown: source.shown.clone(),
            layer: source.layer,
            starts: starts.collect(),
            text,
        }
    }

    /// The line of an offset, from 1.
    pub fn line(&self, offset: usize) -> u32 {
        to_u32(self.starts.partition_point(|start| *start <= offset))
    }

    /// A fault at a place.
    pub fn fault(&self, code: Code, span: &Span, message: String, help: String) -> Diagnostic {
        self.place(span).fault(code, message, help)
    }

    /// Line and column of a place; one of several lines is marked to the end of its first.
    pub fn place(&self, span: &Span) -> Place {
        let start = self.boundary(span.start);
        let line = self.line(start);
        let line_start = self.starts.get(line as usize - 1).copied().unwrap_or_default();
        let rest = self.text.get(line_start..).unwrap_or_default();
        let source_line = rest.lines().next().unwrap_or_default();
        // What lies between `\r` and `\n` is at the line's end.
        let line_end = line_start + source_line.len();
        let start = start.min(line_end);
        let end = self.boundary(span.end).clamp(start, line_end);
        let count = |from: usize, to: usize| {
            to_u32(self.text.get(from..to).unwrap_or_default().chars().count())
        };
        Place {
            shown: self.shown.clone(),
            path: self.path.clone(),
            line,
            column: count(line_start, start) + 1,
            length: count(start, end).max(1),
            source_line: source_line.to_owned(),
        }
    }

    /// The nearest place at or before `offset` that begins a character.
    fn boundary(&self, offset: usize) -> usize {
        let offset = offset.min(self.text.len());
        (0..=offset).rev().find(|at| self.text.is_char_boundary(*at)).unwrap_or_default()
    }
}

fn to_u32(n: usize) -> u32 {
    u32::try_from(n).unwrap_or(u32::MAX)
}
