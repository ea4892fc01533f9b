//! The options of one command or subcommand, kept as the text that manuals
//! write (`-u, --set-upstream`): looked up by scanning, so that reading a
//! description on the shim's path costs one allocation, not hundreds.

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
    /// Operands before a wrapped command (`timeout 5 CMD`).
    pub skip_operands: u32,
    /// Options end at the first operand.
    pub options_first: bool,
    /// `-name` is one option, never a bundle.
    pub single_dash_long: bool,
    /// Long options may be shortened while unambiguous.
    pub abbreviations: bool,
    /// `-20` is a flag.
    pub numeric: bool,
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
}

/// Does an option take a value?
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Takes {
    Nothing,
    /// The next word, or attached.
    Value,
    /// Only ever attached.
    Optional,
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
        self.line.split(", ").map(|part| {
            let end = part.find(['=', '[', ' ', '<']).unwrap_or(part.len());
            &part[..end]
        })
    }

    /// The first long spelling, else the first.
    pub fn canonical(self) -> &'a str {
        self.names().find(|n| n.starts_with("--")).or_else(|| self.names().next()).unwrap_or("")
    }

    /// From the notation: `<v>` is a value, `[=<v>]` or `[<v>]` an optional one.
    pub fn takes(self) -> Takes {
        if self.line.contains("[=<") || self.line.contains("[<") {
            Takes::Optional
        } else if self.line.contains('<') {
            Takes::Value
        } else {
            Takes::Nothing
        }
    }
}

impl Grammar {
    /// The option spelled exactly so.
    pub fn option(&self, name: &[u8]) -> Option<OptionSpec<'_>> {
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
        self.subcommands
            .lines()
            .find(|line| line.split(", ").any(|n| n.as_bytes() == word))
            .and_then(|line| line.split(", ").next())
    }

    fn specs(&self) -> impl Iterator<Item = OptionSpec<'_>> {
        self.options.lines().map(OptionSpec::new)
    }
}
