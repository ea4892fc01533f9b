//! Every command that is understood, from `shims/*.toml` and a user's own files.

use std::collections::BTreeMap;

use bstr::{BStr, ByteSlice};
use serde::{Deserialize, Serialize};

use super::compiled::{Compiled, Program, without_version};
use super::{Clause, Grammar, Wraps};

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
    /// Flags that always ask again (C4), by path; none in what is compiled in, until they do.
    pub dangerous: BTreeMap<String, Vec<String>>,
    /// What its arguments undergo, by path.
    pub effects: BTreeMap<String, Vec<Clause>>,
    /// Programs that run this one without calling it: `python -m pip` is pip.
    pub run_by: Vec<String>,
    /// The program finds its installation through argv\[0\]: it gets its absolute path.
    pub argv0_is_path: bool,
    /// What it starts may have another PATH.
    pub resets_path: bool,
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
    pub effects: Option<Vec<String>>,
    #[serde(default)]
    pub why: Option<String>,
}

impl Description {
    /// May what it runs have another PATH? So it is where `NAME=VALUE` words stand before that.
    pub fn assigns(&self) -> bool {
        let root = self.names.first().and_then(|name| self.grammars.get(name));
        self.resets_path || root.is_some_and(|grammar| grammar.wraps == Wraps::Assignments)
    }

    /// Does it run commands in a container or on another host?
    pub fn leads_elsewhere(&self) -> bool {
        self.grammars.values().any(|grammar| grammar.elsewhere)
    }
}

/// Descriptions by name: those added, over those that are compiled in.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Catalogue {
    base: Compiled<'static>,
    descriptions: BTreeMap<String, Description>,
    programs: BTreeMap<String, Program>,
}

impl Catalogue {
    /// Nothing but these.
    pub fn over(base: Compiled<'static>) -> Self {
        Catalogue { base, ..Catalogue::default() }
    }

    /// Adds a description; a later one of the same canonical name replaces the earlier.
    pub fn add(&mut self, description: Description) {
        let Some(canonical) = description.names.first().cloned() else { return };
        let programs = Program::all(&description).map(|program| (program.name.clone(), program));
        self.programs.extend(programs);
        self.descriptions.insert(canonical, description);
    }

    /// The program behind a basename.
    pub fn program(&self, called: &BStr) -> Option<Program> {
        let own = called.to_str().ok().and_then(|called| {
            let direct = self.programs.get(called).filter(|program| program.stem().is_none());
            let fits = |program: &&Program| {
                program.stem() == Some(without_version(called)) && program.fits(called.as_bytes())
            };
            direct.or_else(|| self.programs.values().find(fits)).cloned()
        });
        own.or_else(|| self.base.program(called))
    }

    /// What the arguments of a path of command and subcommands undergo.
    pub fn effects(&self, path: &str) -> Vec<Clause> {
        let program = path.split(' ').next().unwrap_or(path);
        match self.descriptions.get(program) {
            Some(description) => description.effects.get(path).cloned().unwrap_or_default(),
            None => self.base.effects(program, path),
        }
    }

    /// The canonical name behind a program's basename.
    pub fn canonical(&self, called: &BStr) -> Option<String> {
        self.program(called).map(|program| program.canonical)
    }

    /// The grammar of a path of command and subcommands.
    pub fn grammar(&self, path: &str) -> Option<Grammar> {
        let program = path.split(' ').next()?;
        match self.descriptions.get(program) {
            Some(description) => description.grammars.get(path).cloned(),
            None => self.base.grammar(path),
        }
    }

    /// The description of a program, by any of its names; of one that is compiled in without
    /// its grammars.
    pub fn get(&self, called: &str) -> Option<Description> {
        let canonical = self.canonical(called.into())?;
        let own = self.descriptions.get(&canonical).cloned();
        own.or_else(|| self.base.facts(&canonical))
    }

    /// Those that were added, by canonical name.
    pub fn iter(&self) -> impl Iterator<Item = &Description> {
        self.descriptions.values()
    }

    /// Every name that a described program has.
    pub fn names(&self) -> Vec<String> {
        let mut names = self.base.names();
        names.extend(self.programs.keys().cloned());
        names
    }

    /// Every name of a program that does one of these acts ([`Act::bit`]).
    ///
    /// [`Act::bit`]: super::Act::bit
    pub fn acting(&self, acts: u32) -> Vec<String> {
        let does = |program: &Program| program.acts & acts != 0;
        let is_ours = |program: &Program| self.descriptions.contains_key(&program.canonical);
        let base = self.base.names().into_iter();
        let base = base.filter_map(|name| self.base.program(name.as_bytes()));
        let base = base.filter(|program| does(program) && !is_ours(program));
        let own = self.programs.values().filter(|program| does(program)).cloned();
        own.chain(base).map(|program| program.name).collect()
    }

    /// Every name of a shell whose `-c` text is read.
    pub fn shells(&self) -> Vec<String> {
        let is_shell = |name: &String| {
            let program = self.program(name.as_bytes().as_bstr()).filter(|program| program.wraps);
            let grammar = program.and_then(|program| self.grammar(&program.canonical));
            grammar.is_some_and(|grammar| grammar.wraps == Wraps::Shell)
        };
        self.names().into_iter().filter(is_shell).collect()
    }

    /// Every name of a program that runs commands in a container or on another host: `ssh`.
    pub fn elsewhere(&self) -> Vec<String> {
        self.names_of(self.base.elsewhere(), Description::leads_elsewhere)
    }

    /// Every name of a program that can start another below another PATH: `sudo`, `env`.
    pub fn assigning(&self) -> Vec<String> {
        self.names_of(self.base.assigning(), Description::assigns)
    }

    /// All names of what is so: of those compiled in, canonical names, and of those added.
    fn names_of(&self, base: Vec<String>, is_so: fn(&Description) -> bool) -> Vec<String> {
        let is_ours = |name: &String| self.descriptions.contains_key(name);
        let base = base
            .into_iter()
            .filter(|name| !is_ours(name))
            .filter_map(|name| self.base.facts(&name));
        let own = self.descriptions.values().filter(|d| is_so(d)).cloned();
        own.chain(base).flat_map(|description| description.names).collect()
    }
}
