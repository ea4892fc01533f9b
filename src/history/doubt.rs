//! Whether a refusal may be one that nobody wants: what a person who tunes rules looks at first.

use crate::command::Wrapped;
use crate::line::{self, Way};
use crate::policy::{Invocation, Refusal, Rule};

/// Why a refusal is likely false.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Doubt {
    /// A pattern matches in quoted text alone, which is data to the command.
    InQuotes,
    /// The line was only cut at its operators.
    NotParsed,
    /// It asks the program for its help or version.
    AsksForHelp,
    /// The rule's own example of what it permits has the same program and flags.
    LikePermitted(String),
    /// It ran so often, and never failed.
    RanOften(usize),
}

/// From so many times on.
const OFTEN: usize = 5;

/// How near a permitted example has to be.
const NEAR: f64 = 0.6;

/// Of a line that was run so often without a failure.
pub fn often(ran: usize) -> Option<Doubt> {
    (ran >= OFTEN).then_some(Doubt::RanOften(ran))
}

/// What speaks against a refusal. `permits` are examples of its rules.
pub fn doubts(
    refusal: &Refusal<'_>,
    calls: &[Invocation],
    text: &str,
    permits: &[&str],
) -> Vec<Doubt> {
    let mut found = Vec::new();
    let rules = refusal.rules();
    let hit = |rule: &Rule| calls.iter().find(|call| rule.covers(call));
    if !rules.is_empty() && rules.iter().all(|rule| is_in_quotes_alone(rule, calls, text)) {
        found.push(Doubt::InQuotes);
    }
    if line::parse(text).way == Way::Cut {
        found.push(Doubt::NotParsed);
    }
    let asks = |rule: &&Rule| hit(rule).is_some_and(asks_for_help);
    if !rules.is_empty() && rules.iter().all(asks) {
        found.push(Doubt::AsksForHelp);
    }
    let near = rules
        .iter()
        .filter_map(|rule| hit(rule))
        .find_map(|call| permits.iter().find(|permitted| is_like(&call.text, permitted)));
    found.extend(near.map(|permitted| Doubt::LikePermitted((*permitted).to_owned())));
    found
}

/// Does a rule on text hit nothing any more once quoted arguments are taken out?
fn is_in_quotes_alone(rule: &Rule, calls: &[Invocation], text: &str) -> bool {
    let subject = &rule.subject;
    if !subject.forms.is_empty() || subject.pattern.is_none() && subject.contains.is_none() {
        return false;
    }
    let is_code = |word: &line::Word| {
        let inner = calls.iter().flat_map(|call| call.words.wrapped());
        inner.into_iter().any(|inner| matches!(inner, Wrapped::Text(code) if *code == word.typed()))
    };
    let mut bare = text.to_owned();
    for command in &line::parse(text).commands {
        // The first is what is run.
        for word in command.words.iter().skip(1) {
            if word.source.contains(['\'', '"']) && !is_code(word) {
                bare = bare.replace(&word.source, " ");
            }
        }
        if let Some(input) = &command.input {
            bare = bare.replace(&**input, " ");
        }
    }
    let hits = subject.contains.as_ref().is_none_or(|literal| bare.contains(literal.as_str()))
        && subject.pattern.as_ref().is_none_or(|p| p.is_match(&bare).unwrap_or(true));
    !hits
}

fn asks_for_help(call: &Invocation) -> bool {
    let words = call.words.argv().get(1..).unwrap_or_default();
    words.iter().any(|word| word == "--help" || word == "--version")
        || words.first().is_some_and(|word| word == "help" || word == "version")
}

/// The same program and the same flags, and not much else.
fn is_like(text: &str, permitted: &str) -> bool {
    let program = |text: &str| text.split_whitespace().next().map(str::to_owned);
    let flags = |text: &str| {
        let mut flags: Vec<String> =
            text.split_whitespace().filter(|w| w.starts_with('-')).map(str::to_owned).collect();
        flags.sort();
        flags
    };
    program(text) == program(permitted)
        && flags(text) == flags(permitted)
        && strsim::normalized_levenshtein(text, permitted) >= NEAR
}
