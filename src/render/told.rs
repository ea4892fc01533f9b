//! What a person is told when an agent goes on against a refusal.

use std::path::Path;

use crate::policy::Refusal;

use super::prose::{clause, shown};
use super::refusal::{Circumstances, reason};
use super::sealed;

/// One line.
pub fn summary(refusal: &Refusal<'_>, about: &Circumstances) -> String {
    let times =
        if about.offence == 1 { "once".to_owned() } else { format!("{} times", about.offence) };
    format!("embargo: an agent was refused `{}` {times}", refusal.id())
}

/// The call, where, and why it was refused.
pub fn detail(refusal: &Refusal<'_>, argv: &[String], cwd: Option<&Path>) -> String {
    let reason = refusal
        .reserved_name()
        .map(|name| reason(&name.says))
        .or(refusal.rules().first().map(|rule| rule.says.reason.as_str()))
        .unwrap_or_default();
    let of_seal = sealed::reason(refusal.threats()).filter(|_| refusal.is_by_seal());
    let reason = of_seal.as_deref().unwrap_or(reason);
    let place = cwd.map(|dir| format!(" in {}", dir.display())).unwrap_or_default();
    format!("{}{place}: {}", shown(&argv.join(" ")), clause(reason))
}
