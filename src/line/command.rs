//! What is found in a line: its commands, each with all that the text says of it.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use bstr::BString;

use crate::policy::Stage;

use super::builtins::seen_through;
use super::word::Word;

/// The commands of a line, an outer one before those in its words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    pub commands: Vec<Command>,
    pub way: Way,
}

/// How a line was read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Way {
    /// All of it by the grammar.
    Parsed,
    /// It, or a text inside it, was only cut at its operators.
    Cut,
}

impl Way {
    /// As JSON and the evidence have it.
    pub fn name(self) -> &'static str {
        match self {
            Way::Parsed => "parsed",
            Way::Cut => "cut",
        }
    }
}

/// One simple command; without words where it only assigns or redirects.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Command {
    /// Its own text, as it was typed.
    pub source: String,
    pub assignments: Vec<Assignment>,
    pub words: Vec<Word>,
    /// In the order written.
    pub redirections: Vec<Redirection>,
    /// What stands before it.
    pub stage: Stage,
    /// What it stands in, outermost first.
    pub nesting: Vec<Nest>,
    /// The here-document or here-string that it reads, or that what it stands in reads.
    pub input: Option<Arc<str>>,
    /// The commands whose output it reads, by their places in [`Line::commands`].
    pub writers: Vec<usize>,
    /// Where it may run, the likeliest first.
    pub directories: Vec<Possible>,
    /// It calls a function of the line, whose body has been walked: no program.
    pub is_call: bool,
}

impl Command {
    /// What is executed, as far as text tells: `command`, `exec` and `builtin` taken off, and
    /// what only the shell will know as it was typed.
    pub fn argv(&self) -> Vec<BString> {
        seen_through(&self.words).iter().map(Word::typed).collect()
    }

    /// What only the shell will know of that, with how it was typed. Where braces made several
    /// words of one text, none of them was typed so.
    pub fn typed(&self) -> BTreeMap<BString, String> {
        let is_unknown = |word: &&Word| word.tilde || !word.is_literal();
        let mut times: BTreeMap<&str, usize> = BTreeMap::new();
        for word in self.words.iter().filter(|word| word.source.contains('{')) {
            *times.entry(&word.source).or_default() += 1;
        }
        let is_one = |word: &&Word| times.get(&*word.source).is_none_or(|times| *times == 1);
        let known = |word: &Word| (word.typed(), word.source.clone());
        self.words.iter().filter(is_unknown).filter(is_one).map(known).collect()
    }

    /// The word that names what is executed.
    pub fn name(&self) -> Option<&Word> {
        seen_through(&self.words).first()
    }

    /// Does the line give it something to read?
    pub fn is_fed(&self) -> bool {
        self.input.is_some() || !self.writers.is_empty()
    }

    /// The texts of each `>(…)` of it.
    pub(super) fn writes_to(&self) -> BTreeSet<String> {
        let targets = self.redirections.iter().map(|redirection| &redirection.target);
        let inside = |word: &Word| {
            word.source
                .strip_prefix(">(")
                .and_then(|rest| rest.strip_suffix(')'))
                .map(str::to_owned)
        };
        self.words.iter().chain(targets).filter_map(inside).collect()
    }

    /// Will only the shell know what is executed?
    pub fn is_dynamic(&self) -> bool {
        seen_through(&self.words).first().is_some_and(|word| !word.is_literal())
    }
}

/// `NAME=VALUE` before a command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Assignment {
    /// With its subscript, if there is one.
    pub name: String,
    /// `+=`
    pub appends: bool,
    pub value: Word,
}

/// `2> file`
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Redirection {
    pub operator: RedirectOperator,
    /// As it was typed: a number, or `{NAME}`.
    pub descriptor: Option<String>,
    /// The file, the descriptor, the delimiter or the text behind the operator.
    pub target: Word,
}

/// The redirection operators of bash(1).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RedirectOperator {
    Read,
    Write,
    Clobber,
    Append,
    ReadWrite,
    DuplicateInput,
    DuplicateOutput,
    WriteBoth,
    AppendBoth,
    HereDocument,
    HereString,
}

/// Longest first, so that the first that fits is the one.
const OPERATORS: [(&str, RedirectOperator); 12] = [
    ("<<<", RedirectOperator::HereString),
    ("<<-", RedirectOperator::HereDocument),
    ("&>>", RedirectOperator::AppendBoth),
    ("<<", RedirectOperator::HereDocument),
    ("<&", RedirectOperator::DuplicateInput),
    ("<>", RedirectOperator::ReadWrite),
    (">>", RedirectOperator::Append),
    (">&", RedirectOperator::DuplicateOutput),
    (">|", RedirectOperator::Clobber),
    ("&>", RedirectOperator::WriteBoth),
    ("<", RedirectOperator::Read),
    (">", RedirectOperator::Write),
];

impl RedirectOperator {
    /// The operator that this text begins with, and its width.
    pub fn at_start(text: &str) -> Option<(Self, usize)> {
        if !text.starts_with(['<', '>', '&']) {
            return None;
        }
        let (sign, operator) = OPERATORS.iter().find(|(sign, _)| text.starts_with(sign))?;
        Some((*operator, sign.len()))
    }

    /// As it is written; `<<` for both kinds of here-document.
    pub fn sign(self) -> &'static str {
        let shortest = OPERATORS.iter().rev().find(|(_, operator)| *operator == self);
        shortest.map_or("", |(sign, _)| sign)
    }
}

/// What a command may stand in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Nest {
    /// `$(…)`, `` `…` ``, `<(…)`, `>(…)`
    Substitution,
    /// `(…)`
    Subshell,
    /// The body of a function, which runs when it is called.
    Function,
    /// `for`, `while`, `until`, `select`
    Loop,
    /// `if`, `case`
    Condition,
    /// `… &`, `coproc …`
    Background,
    /// The text of `eval` or `trap`.
    Text,
    /// A body or a command that was found before, with other values.
    Again,
}

/// Where a command may run, as far as the line tells.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Possible {
    pub directory: Directory,
    /// Only if none of these can be entered.
    pub unless: Vec<BString>,
}

/// A working directory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Directory {
    /// Where the line starts.
    Start,
    /// Behind `cd` with this directory: absolute, relative to where the line starts, or with what
    /// only the shell will know, as it was typed.
    At(BString),
    /// It may have been changed.
    Unknown,
}
