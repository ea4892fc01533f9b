//! Every command that is understood, from `shims/*.toml` and a user's own files.

use std::collections::BTreeMap;

use bstr::{BStr, ByteSlice};
use serde::{Deserialize, Serialize};

use super::Grammar;

/// One command description.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Description {
    /// The first is canonical; one that ends in `*` stands for any version suffix.
    pub names: Vec<String>,
    /// Where the facts come from; empty in what is compiled in.
    pub manual: String,
    /// By path: `git`, `git push`.
    pub grammars: BTreeMap<String, Grammar>,
    /// How many words name an action (C3), by path.
    pub action_words: BTreeMap<String, u32>,
    /// Flags that always ask again (C4), by path.
    pub dangerous: BTreeMap<String, Vec<String>>,
    /// What the arguments undergo, by path: free until effects are judged.
    pub effects: BTreeMap<String, BTreeMap<String, Vec<String>>>,
    /// Programs that run this one without calling it: `python -m pip` is pip.
    pub run_by: Vec<String>,
    /// The program finds its installation through argv\[0\]: it gets its absolute path.
    pub argv0_is_path: bool,
    /// The first operand is a script.
    pub interpreter: bool,
    /// For tests and readers; none in what is compiled in.
    pub examples: Vec<Example>,
}

/// An example of a description, run by the tests.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Example {
    pub argv: Vec<String>,
    #[serde(default)]
    pub words: Vec<String>,
    #[serde(default)]
    pub flags: Vec<String>,
    #[serde(default)]
    pub wrapped: Option<Vec<String>>,
    #[serde(default)]
    pub text: Option<String>,
    #[serde(default)]
    pub why: Option<String>,
}

/// Descriptions by name.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Catalogue {
    descriptions: BTreeMap<String, Description>,
    names: BTreeMap<String, String>,
}

impl Catalogue {
    /// Adds a description; a later one of the same canonical name replaces the earlier.
    pub fn add(&mut self, description: Description) {
        let Some(canonical) = description.names.first().cloned() else { return };
        for name in &description.names {
            self.names.insert(name.clone(), canonical.clone());
        }
        self.descriptions.insert(canonical, description);
    }

    /// The canonical name behind a program's basename.
    pub fn canonical(&self, called: &BStr) -> Option<&str> {
        let called = called.to_str().ok()?;
        let direct = self.names.get(called);
        let versioned = || {
            let stem = called.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
            let fits = |name: &str| {
                called.strip_prefix(name).is_some_and(|rest| !rest.is_empty())
                    && name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.') == stem
            };
            self.names.iter().find(|(n, _)| n.strip_suffix('*').is_some_and(fits)).map(|(_, c)| c)
        };
        direct.or_else(versioned).map(String::as_str)
    }

    /// The grammar of a path of command and subcommands.
    pub fn grammar(&self, path: &str) -> Option<&Grammar> {
        let program = path.split(' ').next()?;
        self.descriptions.get(program)?.grammars.get(path)
    }

    /// The description of a program, by any of its names.
    pub fn get(&self, called: &str) -> Option<&Description> {
        self.descriptions.get(self.canonical(called.into())?)
    }

    /// All descriptions, by canonical name.
    pub fn iter(&self) -> impl Iterator<Item = &Description> {
        self.descriptions.values()
    }
}
