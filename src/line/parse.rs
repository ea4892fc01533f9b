//! Shell text → the commands in it: by rable's grammar where it is admitted, else cut.
//!
//! The parser runs on the calling thread: a thread would cost every pass its thread-local
//! variables. The nesting that is tried in `tests/line.rs` comes back on a stack of 2 MB; that
//! whatever [`admits`] lets through does so is not proven.

use std::cell::Cell;

use bstr::BString;
use rable::{Node, Span};

use super::admit::{ALL_WORK, admits};
use super::command::Line;
use super::cut::documents;
use super::scan::Body;
use super::walk::Walker;

/// Stands before and behind the number of a body that was taken out.
const MARK: char = '\u{1}';

/// The commands in a line of shell text, at any depth that is looked into.
pub fn parse(text: &str) -> Line {
    parse_with(text, &[])
}

/// The same, where `$0`, `$1` and so on are known.
pub fn parse_with(text: &str, parameters: &[BString]) -> Line {
    let mut walker = Walker::default();
    walker.line(text, parameters);
    walker.finish()
}

/// The same of a text that is only asked what it prints: less of what is nested in it is read.
pub fn parse_briefly(text: &str) -> Line {
    let mut walker = Walker::default();
    walker.briefly(text);
    walker.finish()
}

/// A text that was parsed.
pub struct Tree {
    pub nodes: Vec<Node>,
    /// The text that they are of, if it is another.
    pub text: Option<String>,
    pub documents: Documents,
}

/// The tree of a text; none if it is not admitted or no shell text. What is too long with the
/// bodies of its here-documents is parsed without them: they are data, and no nesting.
///
/// `left` is what parsing may still cost.
pub fn tree(text: &str, left: &mut usize) -> Option<Tree> {
    let mut admits = |text: &str| {
        let rest = left.checked_sub(admits(text)?)?;
        *left = rest;
        Some(())
    };
    if admits(text).is_some() {
        let (nodes, text, documents) = (parsed(text)?, None, Documents::default());
        return Some(Tree { nodes, text, documents });
    }
    let (short, documents) = Documents::taken_from(text)?;
    admits(&short)?;
    let nodes = parsed(&short)?;
    Some(Tree { nodes, text: Some(short), documents })
}

fn parsed(text: &str) -> Option<Vec<Node>> {
    // Extended patterns are off at first in bash, and then `!(…)` is a negated subshell.
    rable::parse(text, false).or_else(|_| rable::parse(text, true)).ok()
}

/// The bodies of here-documents, and which of them the tree had: where one is missing, we and the
/// parser read the text differently.
#[derive(Default)]
pub struct Documents {
    bodies: Vec<(Body, Cell<bool>)>,
}

impl Documents {
    /// The text with a mark in place of each body.
    fn taken_from(text: &str) -> Option<(String, Self)> {
        if text.contains(MARK) {
            return None;
        }
        let (mut short, mut bodies, mut at) = (String::new(), Vec::new(), 0);
        for (range, body) in documents(text) {
            if !body.text.is_empty() {
                short.push_str(text.get(at..range.start)?);
                short.push_str(&format!("{MARK}{}{MARK}\n", bodies.len()));
                at = range.end;
                bodies.push((body, Cell::new(false)));
            }
        }
        short.push_str(text.get(at..)?);
        (!bodies.is_empty()).then_some((short, Documents { bodies }))
    }

    /// What stands in place of a mark.
    pub fn body(&self, text: &str) -> Option<&str> {
        let nth: usize = text.trim_end().strip_prefix(MARK)?.strip_suffix(MARK)?.parse().ok()?;
        let (body, is_found) = self.bodies.get(nth)?;
        is_found.set(true);
        Some(&body.text)
    }

    /// The text with its bodies.
    pub fn put_back(&self, text: &str) -> String {
        let mut whole = text.to_owned();
        if text.contains(MARK) {
            for (nth, (body, _)) in self.bodies.iter().enumerate() {
                whole = whole.replace(&format!("{MARK}{nth}{MARK}\n"), &body.text);
            }
        }
        whole
    }

    pub fn are_found(&self) -> bool {
        self.bodies.iter().all(|(_, is_found)| is_found.get())
    }
}

/// Does a `)` of a `case` pattern end this text too early?
pub fn has_open_case(text: &str) -> bool {
    text.contains("case") && tree(text, &mut { ALL_WORK }).is_none()
}

/// A text and where its characters begin: rable counts these, and we slice bytes.
pub struct Source<'a> {
    text: &'a str,
    /// Of each character and of the end; none where every character is one byte.
    starts: Option<Vec<usize>>,
}

impl<'a> Source<'a> {
    pub fn new(text: &'a str) -> Self {
        let starts = (!text.is_ascii())
            .then(|| text.char_indices().map(|(at, _)| at).chain([text.len()]).collect());
        Source { text, starts }
    }

    /// What a span covers, and on to the end of the command that it ends in: rable counts the
    /// words without their `\`-newlines, so that the span of such a command is too short.
    pub fn of(&self, span: &Span) -> &'a str {
        let (start, end) = (self.byte(span.start), self.byte(span.end));
        let covered = self.text.get(start..end).unwrap_or_default();
        if !covered.contains("\\\n") {
            return covered;
        }
        let width = super::raw::width(self.text.get(start..).unwrap_or_default());
        self.text.get(start..end.max(start + width)).unwrap_or(covered)
    }

    fn byte(&self, character: usize) -> usize {
        match &self.starts {
            None => character.min(self.text.len()),
            Some(starts) => starts.get(character).copied().unwrap_or(self.text.len()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn characters_and_bytes_are_mapped_both_in_ascii_and_beyond() {
        let of = |text: &'static str, start, end| Source::new(text).of(&Span::new(start, end));
        assert_eq!(of("git push", 4, 8), "push");
        assert_eq!(of("größe ä; b", 6, 7), "ä");
        assert_eq!(of("größe 😀; b", 9, 10), "b");
        assert_eq!(of("ä", 5, 9), "");
        assert_eq!(of("gi\\\nt pu\\\nsh; a", 0, 8), "gi\\\nt pu\\\nsh");
    }
}
