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
    let runs = Runs::of(&tree.expr);
    runs.into_iter().max_by_key(String::len).unwrap_or_default()
}

/// Runs of characters that every match contains, collected left to right.
#[derive(Default)]
struct Runs {
    current: String,
    found: Vec<String>,
}

impl Runs {
    fn of(expr: &Expr) -> Vec<String> {
        let mut runs = Runs::default();
        runs.walk(expr);
        runs.cut();
        runs.found
    }

    fn cut(&mut self) {
        if !self.current.is_empty() {
            self.found.push(std::mem::take(&mut self.current));
        }
    }

    fn walk(&mut self, expr: &Expr) {
        match expr {
            Expr::Literal { val, casei: false } => self.current.push_str(val),
            Expr::Concat(parts) => parts.iter().for_each(|part| self.walk(part)),
            Expr::Group(inner) => self.walk(inner),
            Expr::Alt(branches) => {
                self.cut();
                let branches: Vec<Vec<String>> = branches.iter().map(Runs::of).collect();
                self.found.extend(common(&branches));
            }
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

/// The longest text that a run of every branch contains.
fn common(branches: &[Vec<String>]) -> Option<String> {
    let (first, others) = branches.split_first()?;
    let in_all = |part: &str| others.iter().all(|runs| runs.iter().any(|run| run.contains(part)));
    let parts = first.iter().flat_map(|run| {
        let starts = run.char_indices().map(|(start, _)| start);
        starts.flat_map(move |start| {
            let ends = run[start..].char_indices().map(move |(at, c)| start + at + c.len_utf8());
            ends.map(move |end| &run[start..end])
        })
    });
    parts.filter(|part| in_all(part)).max_by_key(|part| part.len()).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::Pattern;

    /// A wrong literal would hide matches: each row names one that is in all of them.
    #[test]
    fn the_required_literal_is_in_every_match() {
        let rows = [
            ("gradle", "gradle"),
            ("a|b", ""),
            ("xa+y", "x"),
            ("(?:push|pull) origin", " origin"),
            ("pushing|pushed", "push"),
            (r"(?:[A-Z]|c):\\x|\.\\y", "\\"),
            ("sendmail(?! -t)", "sendmail"),
            ("(?i)drop table", ""),
            ("(?:ab)?cd", "cd"),
            ("(?:abc)*d", "d"),
            ("foo.bar", "foo"),
            (r"\bgit\s+push", "push"),
            ("^$", ""),
            ("\\", "\\"),
        ];
        for (source, required) in rows {
            let found = Pattern::parse(source);
            assert_eq!(found.required().len(), required.len(), "{source}: {:?}", found.required());
        }
    }

    #[test]
    fn matches_are_those_of_the_regex_itself() {
        let texts = [
            "git push origin",
            "git pull origin",
            "pushed",
            "c:\\x",
            ".\\y",
            "ab",
            "cd",
            "",
            "DROP TABLE t",
        ];
        let sources = [
            "(?:push|pull) origin",
            "pushing|pushed",
            r"c:\\x|\.\\y",
            "a|b",
            "(?:ab)?cd",
            "(?i)drop table",
            "^$",
        ];
        for source in sources {
            let (pattern, regex) = (Pattern::parse(source), regex::Regex::new(source).unwrap());
            for text in texts {
                assert_eq!(
                    pattern.is_match(text),
                    Some(regex.is_match(text)),
                    "{source} on {text:?}"
                );
            }
        }
    }
}
