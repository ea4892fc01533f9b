//! Rules as the judge reads them: parsed, valid, with nothing left to look up.

use serde::{Deserialize, Serialize};

use super::{FlagChoice, Form, Layer, Pattern};

/// Names a rule in messages, evidence and `over`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct RuleId(pub String);

impl std::fmt::Display for RuleId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

/// Where a rule was written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Origin {
    pub layer: Layer,
    /// The policy file that brings the rule in; for a pack, the file that extends it.
    pub file: String,
    /// What to show: `embargo.toml`, or `pack python-uv`.
    pub shown: String,
    /// Line of the rule's table there, from 1.
    pub line: u32,
}

/// One `[[embargo]]` table.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rule {
    pub id: RuleId,
    pub origin: Origin,
    pub subject: Subject,
    pub unless: Vec<Exception>,
    /// Programs below which the rule does not bite (A15).
    pub unless_under: Vec<String>,
    pub callers: Callers,
    pub machines: Machines,
    pub ruling: Ruling,
    pub says: Says,
}

/// What a rule speaks of; everything given must hold.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Subject {
    /// Any of these; empty means every command.
    pub forms: Vec<Form>,
    /// One of these writes into the pipe that it reads; empty means that none need be there.
    pub fed_by: Vec<Form>,
    /// All of these.
    pub flags: Vec<FlagChoice>,
    pub pattern: Option<Pattern>,
    pub contains: Option<String>,
    pub effects: Effects,
}

/// Effects a rule names (A5a): any of them.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Effects {
    pub deletes: Vec<String>,
    pub overwrites: Vec<String>,
    pub moves: Vec<String>,
    pub resets: Vec<String>,
    pub runs: Vec<String>,
}

impl Effects {
    /// No effect is named.
    pub fn is_empty(&self) -> bool {
        [&self.deletes, &self.overwrites, &self.moves, &self.resets, &self.runs]
            .iter()
            .all(|list| list.is_empty())
    }
}

/// Lifts a rule (A14).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Exception {
    /// Words after the program, in order.
    Words(Vec<String>),
    Flag(FlagChoice),
    Text(Pattern),
}

/// From where a rule bites (A15).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Callers {
    /// Wherever the word is run.
    #[default]
    Any,
    /// Only where the agent's own shell runs it.
    Typed,
}

/// On which machine a command must run for a rule to bite.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Machines {
    /// On this one: what a container or another host runs is theirs.
    #[default]
    This,
    /// Wherever it runs: `ssh host …`, `docker run …` too.
    Any,
}

/// What a rule wants.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Ruling {
    Refuse,
    Grant,
    Ask,
    Warn,
    /// Silences lower layers, and in its own the rules named.
    Allow {
        over: Vec<RuleId>,
    },
}

/// What a rule says to the agent (A5).
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Says {
    /// Completes "I must not use … because …".
    pub reason: String,
    /// Prose for "Instead, …".
    pub alternative: Option<String>,
    /// Command lines or templates for machines.
    pub instead: Vec<String>,
    /// Stands for an ugly pattern.
    pub label: Option<String>,
}

/// A name that resolves to a refusal always (D19).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reserved {
    pub name: String,
    pub origin: Origin,
    pub says: Says,
}

impl Reserved {
    /// Names that no agent may have, whatever the policy says.
    pub const BUILT_IN: [&'static str; 4] =
        ["approve_release", "issue_approval", "run_shell", "execute_command"];
}
