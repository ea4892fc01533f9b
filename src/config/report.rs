//! Collects the faults of one text: all of them, not the first.

use super::diagnostic::Label;
use super::node::Span;
use super::source::Page;
use super::{Code, Diagnostic, Level};

/// The faults found so far on a page.
pub(super) struct Report<'p> {
    pub page: &'p Page,
    pub diagnostics: Vec<Diagnostic>,
    /// How many of them are errors.
    pub errors: usize,
}

impl<'p> Report<'p> {
    pub fn new(page: &'p Page) -> Self {
        Report { page, diagnostics: Vec::new(), errors: 0 }
    }

    /// Adds a fault; `help` may be empty.
    pub fn add(&mut self, code: Code, span: &Span, message: String, help: impl Into<String>) {
        self.errors += usize::from(code.level() == Level::Error);
        self.diagnostics.push(self.page.fault(code, span, message, help.into()));
    }

    /// Gives the fault that was added last another place.
    pub fn label(&mut self, label: Label) {
        let last = self.diagnostics.pop();
        self.diagnostics.extend(last.map(|fault| fault.and(label)));
    }

    /// A key that stands twice in its table.
    pub fn key_twice(&mut self, code: Code, span: &Span) {
        let key = self.page.text.get(span.clone()).unwrap_or_default().trim_matches('"');
        let message = format!("`{key}` is given twice here");
        self.add(code, span, message, "keep one of the two");
    }
}
