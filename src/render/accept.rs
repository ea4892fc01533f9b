//! What `embargo accept` says: what was sealed and why, or why nothing was.

use bstr::{BString, ByteSlice};
use serde_json::{Value, json};

use crate::command::join;
use crate::seal::{Check, Dubious, Said, Seal};
use crate::sys::ledger::NewSeal;
use crate::sys::store::StoreError;

use super::prose::{backquoted, shown};
use super::refusal::JSON_VERSION;
use super::seals;

/// What came of a check.
#[derive(Debug)]
pub struct Report<'a> {
    pub check: &'a Check,
    pub argv: &'a [BString],
    pub seals: Vec<(NewSeal, Said)>,
    /// `None`: it was not run.
    pub status: Option<u8>,
    pub unsealed: Option<Unsealed>,
}

/// Why nothing was sealed.
#[derive(Debug)]
pub enum Unsealed {
    Failed(u8),
    NoStatus,
    Dubious(Dubious),
    /// Nothing that it named is there, or may be sealed.
    Nothing,
    /// An option names what cannot be sealed; why, in words.
    Target(String),
    /// Sealed by something else, and not as it was sealed.
    Changed(Box<Seal>),
    NotTheOwner,
    Ledger(StoreError),
}

/// Why a check that passed has sealed nothing: one line.
pub fn unsealed(check: &Check, why: &Unsealed) -> String {
    format!("embargo: not sealed: {}\n", because(why, &backquoted(&check.name)))
}

/// For people: a line for each seal, or for why there is none.
pub fn text(report: &Report<'_>) -> String {
    if let Some(why) = &report.unsealed {
        return unsealed(report.check, why);
    }
    let done = if report.status.is_some() { "sealed" } else { "would be sealed" };
    let line = |(new, said): &(NewSeal, Said)| {
        let (class, tier) = (new.class.name(), new.tier.name());
        let path = shown(&new.path.to_str_lossy());
        format!("embargo: {done}: {path} ({class}, {tier}): {}\n", who(*said))
    };
    report.seals.iter().map(line).collect()
}

/// For programs.
pub fn json(report: &Report<'_>) -> Value {
    let one = |(new, said): &(NewSeal, Said)| {
        json!({
            "path": new.path.to_str_lossy(),
            "class": new.class.name(),
            "tier": new.tier.name(),
            "said": who(*said),
        })
    };
    let name = backquoted(&report.check.name);
    json!({
        "version": JSON_VERSION,
        "name": report.check.name,
        "command": join(report.argv),
        "cwd": report.check.cwd.to_str_lossy(),
        "status": report.status,
        "sealed": report.seals.iter().map(one).collect::<Vec<_>>(),
        "not_sealed": report.unsealed.as_ref().map(|why| because(why, &name)),
    })
}

fn who(said: Said) -> &'static str {
    match said {
        Said::Option => "an option names it",
        Said::Argv => "it is among the check's arguments",
        Said::Program => "it is the check's script",
        Said::List => "the check's list names it",
        Said::WorkTree => "the check runs in it",
    }
}

fn because(why: &Unsealed, name: &str) -> String {
    match why {
        Unsealed::Failed(status) => format!("{name} exited with {status}"),
        Unsealed::NoStatus => format!("how {name} ended is not known"),
        Unsealed::Dubious(Dubious::Pipe) => format!(
            "{name} ends with a pipe, whose status is that of its last command alone; set pipefail"
        ),
        Unsealed::Dubious(Dubious::Excused) => {
            format!("{name} ends with `|| true` or the like: it cannot fail")
        }
        Unsealed::Dubious(Dubious::Idle) => format!("{name} looks at nothing and proves nothing"),
        Unsealed::Nothing => {
            format!("nothing that {name} names is there and may be sealed; say what with --output")
        }
        Unsealed::Target(words) => words.replace('\n', "; "),
        Unsealed::Changed(seal) => seals::is_changed(seal).replace('\n', "; "),
        Unsealed::NotTheOwner => "the state belongs to another user".to_owned(),
        Unsealed::Ledger(error) => shown(&error.of("ledger")),
    }
}
