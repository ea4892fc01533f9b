//! What shows only when all rules and all descriptions are known: rules that no call is
//! hit by, that others make void or repeat, and words that are a slip of known ones. Only
//! what is certain is said.

mod covered;
mod flags;
mod lifted;
mod never;
mod slips;

use crate::command::Catalogue;
use crate::policy::Rule;

use super::diagnostic::Label;
use super::node::Span;
use super::source::Page;
use super::written::Written;
use super::{Diagnostic, Loaded};

/// A rule and where it is written.
#[derive(Clone, Copy)]
struct Placed<'l> {
    rule: &'l Rule,
    page: &'l Page,
    written: &'l Written,
}

/// Everything of this kind in the rules that were loaded, by file and place. `exists` says
/// whether there is a program of a name.
pub fn findings(
    loaded: &Loaded,
    catalogue: &Catalogue,
    exists: impl Fn(&str) -> bool,
) -> Vec<Diagnostic> {
    let placed: Vec<Placed<'_>> = loaded.placed().collect();
    let mut found = covered::covered(&placed, catalogue);
    for one in &placed {
        found.extend(never::never(one, catalogue));
        found.extend(slips::slips(one, catalogue, &exists));
    }
    // A pack's notes and warnings are for those who write it.
    found.retain(|fault| !fault.path.starts_with("<pack>"));
    let rank = |fault: &Diagnostic| loaded.pages.iter().position(|page| page.path == fault.path);
    found.sort_by_cached_key(|fault| (rank(fault), fault.line, fault.column, fault.code));
    found
}

impl Loaded {
    fn placed(&self) -> impl Iterator<Item = Placed<'_>> {
        self.policy.rules.iter().zip(&self.written).filter_map(|(rule, (page, written))| {
            Some(Placed { rule, page: self.pages.get(*page)?, written })
        })
    }
}

impl Placed<'_> {
    fn label(&self, span: &Span, words: impl Into<String>) -> Label {
        self.page.place(span).label(words)
    }

    /// The rule as a whole, beside a fault of another.
    fn as_label(&self) -> Label {
        self.label(&self.written.table, format!("rule `{}`", self.rule.id))
    }
}
