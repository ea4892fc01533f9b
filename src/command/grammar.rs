//! The options of one command or subcommand, kept as the text that manuals
//! write (`-u, --set-upstream`): looked up by scanning, so that reading a
//! description on the shim's path costs one allocation, not hundreds.

use bstr::ByteSlice;
use serde::{Deserialize, Serialize};

/// How a command, or one of its subcommands, reads its arguments.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Grammar {
    /// One option a line, synonyms separated by `, `.
    pub options: String,
    /// Options whose value is the directory in which the command works.
    pub directory: Vec<String>,
    /// Subcommand names and aliases, a line each, the canonical first: `checkout, co`.
    pub subcommands: String,
    pub wraps: Wraps,
    /// It wraps something only with one of these, if there are any.
    pub wraps_if: Vec<String>,
    /// With one of these it wraps nothing.
    pub wraps_unless: Vec<String>,
    /// Options whose value is shell text; behind a blank, how a value that is begins.
    pub texts: Vec<String>,
    /// Operands before a wrapped command (`timeout 5 CMD`).
    pub skip_operands: u32,
    /// Options end at the first operand.
    pub options_first: bool,
    /// Behind a subcommand these options are none.
    pub before_subcommand: bool,
    /// `-name` is one option, never a bundle.
    pub single_dash_long: bool,
    /// There the value of an option of one letter may be attached: `-ofile`.
    pub attached: bool,
    /// Long options may be shortened while unambiguous.
    pub abbreviations: bool,
    /// The first word is letters of options, with or without a dash: `tar xf a.tar`.
    pub letters_first: bool,
    /// `-20` is a flag.
    pub numeric: bool,
    /// After one of these and its value no option follows.
    pub ends_options: Vec<String>,
    /// The words of their value stand in its place.
    pub splits: Vec<String>,
    /// What it wraps works on files that are not those of here.
    pub elsewhere: bool,
    /// Tests: with one of them it deletes some of what its operands name.
    pub narrows: Vec<String>,
    /// What it reads is added to the words of the command that it wraps.
    pub fed: bool,
    /// `git-push` is the subcommand as a program of its own.
    pub dashed: bool,
    /// `-c alias.`: the option by which a subcommand gets a meaning, and how its value begins.
    pub aliases: String,
}

/// What other command stands in the arguments.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Wraps {
    #[default]
    Nothing,
    /// After the options.
    Operands,
    /// After the options and `NAME=VALUE` words.
    Assignments,
    /// With `-c`, the first operand is shell text.
    Shell,
    /// `-exec … ;` or `+`.
    Exec,
    /// The value of `-m`, with all that follows.
    Module,
    /// After the options and the operands to skip, shell text in one word or several.
    Line,
    /// Each operand is shell text of its own.
    Each,
}

/// Does an option, in one of its spellings, take a value?
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Takes<'a> {
    Nothing,
    /// So many words: attached, or the next ones.
    Values(usize),
    /// Only ever attached.
    Optional,
    /// The next word, if it is one of these (`true|false`).
    Listed(&'a str),
}

/// One line of [`Grammar::options`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OptionSpec<'a> {
    line: &'a str,
}

impl<'a> OptionSpec<'a> {
    /// Reads one line; any text is an option line, a bad one merely matches nothing.
    pub fn new(line: &'a str) -> Self {
        OptionSpec { line }
    }

    /// The spellings, in the order written.
    pub fn names(self) -> impl Iterator<Item = &'a str> {
        self.line.split(", ").map(name_of)
    }

    /// The first long spelling, else the first.
    pub fn canonical(self) -> &'a str {
        self.names()
            .find(|n| n.len() > 2 && n.starts_with("--"))
            .or_else(|| self.names().next())
            .unwrap_or("")
    }

    /// From the notation: `<v>` is a value and holds for every spelling, `[=<v>]` or
    /// `[<v>]` an optional one of this spelling, ` [a|b]` one of a list.
    pub fn takes(self, name: &[u8]) -> Takes<'a> {
        let part = self.line.split(", ").find(|part| name_of(part).as_bytes() == name);
        let own = part.map_or("", |part| &part[name_of(part).len()..]);
        if own.starts_with('[') {
            return Takes::Optional;
        }
        if let Some(list) = own.strip_prefix(" [").and_then(|l| l.strip_suffix(']')) {
            return Takes::Listed(list);
        }
        let required = |part: &str| {
            let rest = &part[name_of(part).len()..];
            if rest.starts_with('[') { 0 } else { rest.matches('<').count() }
        };
        match self.line.split(", ").map(required).max() {
            None | Some(0) => Takes::Nothing,
            Some(words) => Takes::Values(words),
        }
    }
}

fn name_of(part: &str) -> &str {
    let end = part.find(['=', '[', ' ', '<']).unwrap_or(part.len());
    &part[..end]
}

impl Grammar {
    /// The option spelled exactly so.
    pub fn option(&self, name: &[u8]) -> Option<OptionSpec<'_>> {
        // Most words that look like options are none of its own: one search instead of one a line.
        if !self.options.as_bytes().contains_str(name) {
            return None;
        }
        self.specs().find(|spec| spec.names().any(|n| n.as_bytes() == name))
    }

    /// The option that a long name abbreviates, if exactly one does.
    pub fn abbreviated(&self, name: &[u8]) -> Option<OptionSpec<'_>> {
        let starts = |spec: &OptionSpec<'_>| {
            spec.names().any(|n| n.starts_with("--") && n.as_bytes().starts_with(name))
        };
        let mut found = self.specs().filter(starts);
        let first = found.next()?;
        found.next().is_none().then_some(first)
    }

    /// The canonical name of a subcommand.
    pub fn subcommand(&self, word: &[u8]) -> Option<&str> {
        let all = self.subcommands.as_bytes();
        if word.is_empty() || word.contains(&b'\n') || word.contains_str(", ") {
            return None;
        }
        // Searched for as it stands, not line by line: each word of a long line is asked for.
        let is_one = |at: &usize| {
            let (before, behind) = (&all[..*at], &all[at + word.len()..]);
            (before.is_empty() || before.ends_with(b"\n") || before.ends_with(b", "))
                && (behind.is_empty() || behind.starts_with(b"\n") || behind.starts_with(b", "))
        };
        let at = all.find_iter(word).find(is_one)?;
        let line = all[..at].rfind_byte(b'\n').map_or(0, |end| end + 1);
        self.subcommands.get(line..)?.lines().next()?.split(", ").next()
    }

    fn specs(&self) -> impl Iterator<Item = OptionSpec<'_>> {
        self.options.lines().map(OptionSpec::new)
    }
}
