//! What a person is told when an agent goes on against a refusal.

use std::path::Path;

use crate::policy::Refusal;

use super::prose::{clause, shown};
use super::refusal::Circumstances;

/// One line.
pub fn summary(refusal: &Refusal<'_>, about: &Circumstances) -> String {
    format!("embargo: an agent was refused `{}` {} times", refusal.id(), about.offence)
}

/// The call, where, and why it was refused.
pub fn detail(refusal: &Refusal<'_>, argv: &[String], cwd: Option<&Path>) -> String {
    let reason = refusal
        .reserved_name()
        .map(|name| name.says.reason.as_str())
        .or(refusal.rules().first().map(|rule| rule.says.reason.as_str()))
        .unwrap_or_default();
    let place = cwd.map(|dir| format!(" in {}", dir.display())).unwrap_or_default();
    format!("{}{place}: {}", shown(&argv.join(" ")), clause(reason))
}
