//! Where a rule can bite (A21): a shim sees one argv, a line all of its text.

use crate::command::is_own_name;
use crate::policy::{Form, Rule};

/// How much of what a rule speaks of a place can see.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reach {
    /// All of it.
    Full,
    /// Some of its forms, or only where other rules have made a shim.
    Partly,
    Never,
}

/// The places where commands are seen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bites {
    /// A program of that name is started.
    pub shim: Reach,
    /// Shell text is given to `check`.
    pub line: Reach,
    /// A harness asks before it runs shell text.
    pub hook: Reach,
    /// A harness's record of what it ran.
    pub transcript: Reach,
}

/// Where can this rule bite?
pub fn bites(rule: &Rule) -> Bites {
    let text = Reach::Full;
    Bites { shim: in_shims(rule), line: text, hook: text, transcript: text }
}

fn in_shims(rule: &Rule) -> Reach {
    let subject = &rule.subject;
    // A name of ours is no shim's.
    let is_seen = |form: &&Form| match form {
        Form::Command { program, .. } => !is_own_name(program.as_bytes()),
        Form::Fragment { .. } => false,
    };
    let seen = subject.forms.iter().filter(is_seen).count();
    if rule.needs_line() {
        Reach::Never
    } else if subject.forms.is_empty() && !subject.effects.is_empty() {
        // Shims are made of all that is known to do such a thing.
        Reach::Full
    } else if subject.forms.is_empty() {
        Reach::Partly
    } else if seen == subject.forms.len() {
        Reach::Full
    } else if seen > 0 {
        Reach::Partly
    } else {
        Reach::Never
    }
}
