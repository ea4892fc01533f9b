//! What is said where a call would break a seal: what is at risk, why it is sealed and since
//! when, and what is safe instead.

use bstr::ByteSlice;
use serde_json::{Value, json};

use crate::command::{Act, join};
use crate::policy::Refusal;
use crate::seal::{Class, Seal, Threat, Tier};
use crate::sys::store::StoreError;

use super::log::time;
use super::prose::{backquoted, clause, instead, shown};

/// The variable that gives a reason for which soft seals yield.
pub const TOKEN: &str = "ALLOW_POST_SUCCESS_RESET";

/// Of more sealed paths than these only the number is told.
const NAMED: usize = 3;
/// A longer command is not given: it would be cut, and then is none.
const COMMAND: usize = 300;

/// The sentence for an agent: one line.
pub(super) fn sentence(threats: &[Threat]) -> String {
    let Some(first) = threats.first() else { return String::new() };
    let what = backquoted(&first.by);
    let path = backquoted(&first.place().to_str_lossy());
    let more = match threats.len() - 1 {
        0 => String::new(),
        1 => ", and 1 more sealed path would not be as it was".to_owned(),
        n => format!(", and {n} more sealed paths would not be as they were"),
    };
    format!(
        "I must not use {what} here because it would {} {path}, which is {}{more}. Instead, {}.",
        verb(first.act),
        first.sealed.as_ref().map_or_else(|| "sealed".to_owned(), why),
        alternative(first),
    )
}

/// The paths behind the first, where there are several: one line.
pub(super) fn others(threats: &[Threat]) -> Option<String> {
    let rest = threats.get(1..).filter(|rest| !rest.is_empty())?;
    let named = rest.iter().take(NAMED).map(|threat| {
        let path = backquoted(&threat.place().to_str_lossy());
        format!("{path} ({}, {})", threat.class.name(), threat.tier.name())
    });
    let named = named.collect::<Vec<_>>().join(", ");
    let more = match rest.len().saturating_sub(NAMED) {
        0 => String::new(),
        n => format!(" and {n} more; `embargo seals` lists them"),
    };
    Some(format!("Also sealed: {named}{more}."))
}

/// Whether trying again can help: one line.
pub(super) fn standing(refusal: &Refusal<'_>) -> String {
    let Some(first) = refusal.threats().first() else { return String::new() };
    let origin = first.sealed.as_ref().and_then(|seal| seal.origin.as_deref());
    let end = match origin {
        Some(origin) => format!("changes that, in {}", backquoted(origin)),
        None => {
            let unseal = format!("embargo unseal {}", join(&[first.place().clone()]));
            format!("ends it, with {}", backquoted(&unseal))
        }
    };
    if first.tier == Tier::Soft {
        return format!(
            "This is a soft seal ({}), not a fault: it yields to a reason, once for each. If the user's task needs it, I run the command again with {} in its environment; it is written down, and the check has to pass again. Else only a person {end}.",
            first.class.name(),
            backquoted(&format!("{TOKEN}=\"why\"")),
        );
    }
    format!(
        "This is a {} seal ({}), not a fault: other flags, another spelling or trying again will be refused too. Only a person {end}; what I may do is to tell the user why it should end.",
        first.tier.name(),
        first.class.name(),
    )
}

/// What is said where a reason was taken: one line.
pub fn overruled(threats: &[Threat], reason: &str) -> String {
    let named = threats.iter().take(NAMED).map(|t| backquoted(&t.place().to_string()));
    format!(
        "embargo: {} may be changed this once ({}): to be proved again by the check that sealed it\n",
        named.collect::<Vec<_>>().join(", "),
        shown(reason),
    )
}

/// The same reason twice is none.
pub fn spent(reason: &str) -> String {
    format!("embargo: the reason in {TOKEN} was used before ({}): give another\n", shown(reason))
}

/// What cannot be written down does not count.
pub fn not_overruled(error: &StoreError) -> String {
    format!("embargo: {TOKEN} does not count: {}\n", shown(&error.of("ledger")))
}

/// One line for a call that passes: what is in a scratch zone is only warned of.
pub(super) fn warning(threats: &[Threat]) -> String {
    let line = |threat: &Threat| {
        let path = backquoted(&threat.place().to_str_lossy());
        let id = shown(&threat.id());
        format!(
            "I should not {} {path}: it is sealed, in a scratch zone. [embargo warned: `{id}`]\n",
            verb(threat.act)
        )
    };
    threats.iter().take(NAMED).map(line).collect()
}

/// For a program: each seal at risk.
pub(super) fn json(threats: &[Threat]) -> Vec<Value> {
    let threat = |threat: &Threat| {
        let sealed = threat.sealed.as_ref();
        json!({
            "seal": sealed.is_none_or(|seal| seal.origin.is_none()).then_some(threat.seal.0),
            "path": threat.place().to_str_lossy(),
            "class": threat.class.name(),
            "tier": threat.tier.name(),
            "act": threat.act.name(),
            "touched": threat.path.to_str_lossy(),
            "reason": sealed.and_then(|seal| seal.reason.as_deref()),
            "alternative": sealed.and_then(|seal| seal.alternative.as_deref()),
            "sealed_at_ms": sealed.filter(|seal| seal.origin.is_none()).map(|seal| seal.at_ms),
        })
    };
    threats.iter().map(threat).collect()
}

/// Why the call is refused, in a clause.
pub(super) fn reason(threats: &[Threat]) -> Option<String> {
    let first = threats.first()?;
    let why = first.sealed.as_ref().map_or_else(|| "sealed".to_owned(), why);
    Some(format!("{} is {why}", backquoted(&first.place().to_str_lossy())))
}

/// What is safe instead, beginning with a verb.
pub(super) fn alternative(threat: &Threat) -> String {
    let own = threat.sealed.as_ref().and_then(|seal| seal.alternative.as_deref());
    if let Some(text) = own {
        return instead(text);
    }
    let rest = command(threat);
    if let Some(rest) = rest {
        return format!("leave out what is sealed: {}", backquoted(&rest));
    }
    let path = backquoted(&threat.place().to_str_lossy());
    match threat.act {
        Act::Deletes | Act::Moves | Act::Resets => {
            format!("leave {path} where it is, and name only paths that are not sealed")
        }
        _ => format!("work on a copy of {path} outside of it, in a scratch directory"),
    }
}

/// The call without what is sealed, where it can be given whole.
pub(super) fn command(threat: &Threat) -> Option<String> {
    let rest = join(&threat.rest);
    (!rest.is_empty() && rest.len() <= COMMAND && !rest.contains('\n')).then_some(rest)
}

/// What sealed it and when, and the reason that was given.
fn why(seal: &Seal) -> String {
    let reason = seal.reason.as_deref().map(|r| format!(": {}", clause(r))).unwrap_or_default();
    if let Some(origin) = &seal.origin {
        return format!("protected by {}{reason}", backquoted(origin));
    }
    match (&seal.check, seal.class) {
        (Some(check), class) => format!(
            "the sealed {} of the check {}, which passed at {} ({}){reason}",
            class.name(),
            backquoted(&check.name),
            time(seal.at_ms),
            backquoted(&check.command),
        ),
        (None, Class::Kept) => format!("sealed since {}{reason}", time(seal.at_ms)),
        (None, class) => format!("sealed as {} at {}{reason}", class.name(), time(seal.at_ms)),
    }
}

fn verb(act: Act) -> &'static str {
    match act {
        Act::Deletes => "delete",
        Act::Overwrites => "overwrite",
        Act::Truncates => "truncate",
        Act::Appends => "append to",
        Act::Moves => "move",
        Act::Resets => "reset",
        Act::Creates => "create",
        Act::Runs => "run",
        Act::Prints => "print",
    }
}
