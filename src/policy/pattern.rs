//! Patterns over text (A4): a regex, with look-around where it is used, or a
//! literal when it is no regex at all. The required literal is known beforehand,
//! so that most texts never compile anything.

use fancy_regex::Expr;
use serde::{Deserialize, Serialize};

/// Steps a look-around pattern may take before it is given up (about 20 ms).
const BACKTRACK_LIMIT: usize = 200_000;
/// Bytes a compiled pattern may take.
const SIZE_LIMIT: usize = 4 << 20;

/// A pattern, checked when it was parsed and compiled when it is needed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pattern {
    source: String,
    kind: Kind,
    /// Occurs in every text that matches; empty when there is none such.
    required: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
enum Kind {
    Regex,
    /// Look-around and back-references: bounded backtracking.
    Backtracking,
    /// No valid regex: taken as it stands.
    Literal,
}

impl Pattern {
    /// Parses; never fails, for what is no regex is taken literally.
    pub fn parse(source: &str) -> Self {
        let source = source.to_owned();
        if build_regex(&source).is_ok() {
            let required = required_literal(&source);
            Pattern { source, kind: Kind::Regex, required }
        } else if build_backtracking(&source).is_ok() {
            let required = required_literal(&source);
            Pattern { source, kind: Kind::Backtracking, required }
        } else {
            Pattern { required: source.clone(), source, kind: Kind::Literal }
        }
    }

    /// The pattern as it was written.
    pub fn source(&self) -> &str {
        &self.source
    }

    /// Was it taken literally because it is no regex?
    pub fn is_literal(&self) -> bool {
        self.kind == Kind::Literal
    }

    /// A literal without which no text matches; empty when none is known.
    pub fn required(&self) -> &str {
        &self.required
    }

    /// Does the text match? `None` when the bound on backtracking was reached.
    pub fn is_match(&self, text: &str) -> Option<bool> {
        if !text.contains(self.required.as_str()) {
            return Some(false);
        }
        match self.kind {
            Kind::Literal => Some(true),
            Kind::Regex => Some(build_regex(&self.source).ok()?.is_match(text)),
            Kind::Backtracking => build_backtracking(&self.source).ok()?.is_match(text).ok(),
        }
    }
}

fn build_regex(source: &str) -> Result<regex::Regex, regex::Error> {
    regex::RegexBuilder::new(source).size_limit(SIZE_LIMIT).build()
}

fn build_backtracking(source: &str) -> Result<fancy_regex::Regex, Box<fancy_regex::Error>> {
    fancy_regex::RegexBuilder::new(source)
        .backtrack_limit(BACKTRACK_LIMIT)
        .delegate_size_limit(SIZE_LIMIT)
        .build()
        .map_err(Box::new)
}

/// The longest run of characters that every match must contain.
fn required_literal(source: &str) -> String {
    let Ok(tree) = Expr::parse_tree(source) else { return String::new() };
    let mut runs = Runs::default();
    runs.walk(&tree.expr);
    runs.cut();
    runs.longest
}

#[derive(Default)]
struct Runs {
    current: String,
    longest: String,
}

impl Runs {
    fn cut(&mut self) {
        if self.current.len() > self.longest.len() {
            self.longest = std::mem::take(&mut self.current);
        }
        self.current.clear();
    }

    fn walk(&mut self, expr: &Expr) {
        match expr {
            Expr::Literal { val, casei: false } => self.current.push_str(val),
            Expr::Concat(parts) => parts.iter().for_each(|part| self.walk(part)),
            Expr::Group(inner) => self.walk(inner),
            Expr::Repeat { child, lo, .. } if *lo >= 1 => {
                self.cut();
                self.walk(child);
                self.cut();
            }
            // Consumes nothing and says nothing of what must occur.
            Expr::Empty | Expr::Assertion(_) => {}
            // An unknown node may consume anything: what follows is a new run.
            _ => self.cut(),
        }
    }
}
