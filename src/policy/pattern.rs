//! Patterns over text (A4): a regex, with look-around where it is used, or a
//! literal when it is no regex at all. The required literal is known beforehand,
//! so that most texts never compile anything.

use std::sync::OnceLock;

use fancy_regex::Expr;
use serde::{Deserialize, Serialize};

/// Steps a look-around pattern may take before it is given up.
const BACKTRACK_LIMIT: usize = 4_096;
/// Bytes that a look-around pattern is tried on. One step may look at all of them, so this
/// bounds the time where the steps do not: about 50 ms for the worst pair that is known.
const LONGEST: usize = 2_048;
/// Bytes of alternatives that are searched for what they have in common.
const COMPARED: usize = 2_000;
/// Bytes a compiled pattern may take.
const SIZE_LIMIT: usize = 4 << 20;

/// A pattern, checked when it was parsed and compiled when it is needed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pattern {
    source: String,
    kind: Kind,
    /// Occurs in every text that matches; empty when there is none such.
    required: String,
    /// Made by the first text that needs it: a line may be thousands of calls.
    #[serde(skip)]
    engine: Once,
}

/// A pattern's engine, as soon as there is one; not part of what it is.
#[derive(Default)]
struct Once(OnceLock<Engine>);

enum Engine {
    Regex(regex::Regex),
    Backtracking(Box<fancy_regex::Regex>),
    /// It does not compile, though it did when it was parsed.
    None,
}

impl Clone for Once {
    fn clone(&self) -> Self {
        Once::default()
    }
}

impl PartialEq for Once {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for Once {}

impl std::fmt::Debug for Once {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("_")
    }
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
            Pattern { source, kind: Kind::Regex, required, engine: Once::default() }
        } else if build_backtracking(&source).is_ok() {
            let required = required_literal(&source);
            Pattern { source, kind: Kind::Backtracking, required, engine: Once::default() }
        } else {
            let (required, engine) = (source.clone(), Once::default());
            Pattern { required, source, kind: Kind::Literal, engine }
        }
    }

    /// Is this a regex that would take more than its bound of 4 MiB, and so is none?
    pub fn is_too_large(source: &str) -> bool {
        let fails_on_size = |error: &dyn std::error::Error| {
            let mut cause: Option<&dyn std::error::Error> = Some(error);
            std::iter::from_fn(|| {
                let this = cause?;
                cause = this.source();
                Some(this.to_string())
            })
            .any(|text| text.contains("size limit") || text.contains("exceeded"))
        };
        match (build_regex(source), build_backtracking(source)) {
            (Err(regex::Error::CompiledTooBig(_)), _) => true,
            (Err(_), Err(error)) => fails_on_size(&*error),
            _ => false,
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

    /// Does the text match? `None` when nobody knows: a pattern with look-around reached its
    /// bound, or was not tried because the text is longer than 2 KiB and would match without
    /// the look-around. In doubt, a rule against holds and an `allow` or `unless` does not.
    pub fn is_match(&self, text: &str) -> Option<bool> {
        if !text.contains(self.required.as_str()) {
            return Some(false);
        }
        match self.kind {
            Kind::Literal => Some(true),
            Kind::Backtracking if text.len() > LONGEST => {
                let wider = build_regex(&wider(&self.source)?).ok()?;
                (!wider.is_match(text)).then_some(false)
            }
            _ => match self.engine.0.get_or_init(|| self.engine()) {
                Engine::Regex(regex) => Some(regex.is_match(text)),
                Engine::Backtracking(regex) => regex.is_match(text).ok(),
                Engine::None => None,
            },
        }
    }

    fn engine(&self) -> Engine {
        let engine = match self.kind {
            Kind::Literal => None,
            Kind::Regex => build_regex(&self.source).ok().map(Engine::Regex),
            Kind::Backtracking => {
                let regex = build_backtracking(&self.source).ok();
                regex.map(|regex| Engine::Backtracking(Box::new(regex)))
            }
        };
        engine.unwrap_or(Engine::None)
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

/// A regex for all that matches, and more: without look-around and anchors.
fn wider(source: &str) -> Option<String> {
    let mut regex = String::new();
    widen(&Expr::parse_tree(source).ok()?.expr, &mut regex)?;
    Some(regex)
}

/// `None`: what a part may match is not known, as of back-references.
fn widen(expr: &Expr, regex: &mut String) -> Option<()> {
    match expr {
        Expr::Assertion(_) | Expr::LookAround(..) => {}
        Expr::Empty | Expr::Any { .. } | Expr::Literal { .. } | Expr::Delegate { .. } => {
            expr.to_str(regex, 3);
        }
        Expr::Concat(parts) => parts.iter().try_for_each(|part| widen(part, regex))?,
        Expr::Group(inner) => widen(inner, regex)?,
        Expr::Alt(branches) => {
            for (i, branch) in branches.iter().enumerate() {
                regex.push_str(if i == 0 { "(?:" } else { "|" });
                widen(branch, regex)?;
            }
            regex.push(')');
        }
        Expr::Repeat { child, lo, hi, .. } => {
            regex.push_str("(?:");
            widen(child, regex)?;
            let most = if *hi == usize::MAX { String::new() } else { hi.to_string() };
            regex.push_str(&format!("){{{lo},{most}}}"));
        }
        _ => return None,
    }
    Some(())
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

/// The longest text that a run of every branch contains; none of branches too long to be compared.
fn common(branches: &[Vec<String>]) -> Option<String> {
    if branches.iter().flatten().map(String::len).sum::<usize>() > COMPARED {
        return None;
    }
    let (first, others) = branches.split_first()?;
    let in_all = |part: &str| others.iter().all(|runs| runs.iter().any(|run| run.contains(part)));
    let mut longest = "";
    for run in first {
        for (start, _) in run.char_indices() {
            // Whatever begins here and is no longer than the longest does not matter.
            let ends = run[start..].char_indices().map(|(at, c)| start + at + c.len_utf8());
            let longer = ends.skip_while(|end| end - start <= longest.len());
            let parts = longer.map(|end| &run[start..end]).take_while(|part| in_all(part));
            longest = parts.last().unwrap_or(longest);
        }
    }
    (!longest.is_empty()).then(|| longest.to_owned())
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

    /// Found by a hostile policy: ten seconds for a word of 30,000, five for an alternation.
    #[test]
    fn no_pattern_takes_long() {
        let long = "a".repeat(30_000) + "!";
        let short = &long[long.len() - super::LONGEST..];
        for source in ["(?!q)(a+)+$", "(?!q)(?:a|a)*$", r"(a*)*\1$", "(?=(a+)+$)[ab]"] {
            let pattern = Pattern::parse(source);
            assert_eq!(pattern.is_match(&long), None, "{source}");
            let started = std::time::Instant::now();
            pattern.is_match(short);
            eprintln!("{source}: {:?}", started.elapsed());
            assert!(started.elapsed().as_secs() < 3, "{source}: {:?}", started.elapsed());
        }
        let started = std::time::Instant::now();
        let branch = |n: usize| format!("{n}{}", "ab".repeat(150));
        Pattern::parse(&(0..60).map(branch).collect::<Vec<_>>().join("|"));
        Pattern::parse(&format!("{}x|{}y", "a".repeat(990), "a".repeat(990)));
        assert!(started.elapsed().as_secs() < 3, "{:?}", started.elapsed());
    }

    #[test]
    fn a_long_text_is_in_doubt_only_where_it_would_match_without_look_around() {
        let long = " x".repeat(super::LONGEST);
        let rows = [
            ("(?i)drop (?:table|view)(?! if)", "", Some(false)),
            ("(?i)drop (?:table|view)(?! if)", "Drop View v", None),
            ("^(?!git)[b-d]{2,3}$", "ab", Some(false)),
            ("^(?!git)[b-d]{2,3}$", "bcd", None),
            (r"(.)y\1", "", Some(false)),
            (r"(.)\1", "", None),
        ];
        for (source, more, found) in rows {
            let text = format!("{long}{more}");
            assert_eq!(Pattern::parse(source).is_match(&text), found, "{source} on {more:?}");
        }
    }
}
