//! Shims, rules, the canary and the policy.

use crate::config::Diagnostic;
use crate::doctor::{Came, Guard};
use crate::policy::Layer;

use super::super::prose::{backquoted, shown};
use super::{Place, Said, Which, few, number, path, quoted, word};

pub(super) fn said(guard: &Guard, place: &Place) -> Said {
    let install = |name: &str| place.call(&format!("shim install {}", word(name)));
    let uninstall = |name: &str| place.call(&format!("shim uninstall {}", word(name)));
    match guard {
        Guard::NoShims => Said::remedy(
            format!("there is no shim in {}", place.directory()),
            place.call("shim sync"),
        ),
        Guard::Becomes { name, program } => {
            Said::seen(format!("{} becomes {}", backquoted(name), shown(program)))
        }
        Guard::OnlyRefuses { name } => {
            Said::seen(format!("{} is refused; no program is behind it", backquoted(name)))
        }
        Guard::NothingBehind { name } => Said::remedy(
            format!("{} has no program behind it, and no rule refuses it", backquoted(name)),
            uninstall(name),
        ),
        Guard::Dangling { name, target, is_wanted } => Said::remedy(
            format!(
                "the shim {} leads to {}, which is not there: shells go on to the next on PATH, unguarded",
                backquoted(name),
                path(target)
            ),
            if *is_wanted { install(name) } else { uninstall(name) },
        ),
        Guard::OtherVersion { name, target } => Said::remedy(
            format!("the shim {} leads to another embargo: {}", backquoted(name), path(target)),
            install(name),
        ),
        Guard::Foreign { name } => Said::remedy(
            format!("{} in {} is no shim", backquoted(name), place.directory()),
            format!("mv {} ~/", quoted(&place.directory.join(name))),
        ),
        Guard::AllShimmed { names } => {
            Said::seen(format!("each of {} that rules speak of is shimmed", number(*names, "name")))
        }
        Guard::Unshimmed { names } => Said::remedy(
            format!("rules speak of names without a shim: {}", few(names)),
            synced(place),
        ),
        Guard::ReservedUnshimmed { names } => {
            Said::remedy(format!("reserved names without a shim: {}", few(names)), synced(place))
        }
        Guard::NoPolicy => Said::remedy(
            "no policy is in force here (no embargo.toml found), so that every shim lets everything through",
            format!("{} init && {}", place.embargo, place.call("shim sync")),
        ),
        Guard::Untrusted => Said::seen(
            "the policy or the record is broken, so that nobody knows which names it wants",
        ),
        Guard::Refused { rule, call } => Said::seen(match rule {
            None => format!("a rule on {} refused it", backquoted(call)),
            Some(rule) => {
                format!(
                    "the rule {} refused {}, in front of a stub",
                    backquoted(rule),
                    backquoted(call)
                )
            }
        }),
        Guard::LetThrough { call } => Said::seen(format!(
            "without that rule {} reached the program behind the shim",
            backquoted(call)
        )),
        Guard::NotRefused { rule, call, came } => not_refused(rule.as_deref(), call, came, place),
        Guard::NotLetThrough { call, came } => Said::remedy(
            format!("{}, which no rule refuses, did not run: {}", backquoted(call), outcome(came)),
            format!("{} lint", place.embargo),
        ),
        Guard::NoCanary { why } => {
            let why = why.split(" (os error").next().unwrap_or_default();
            Said::seen(format!("it could not be tried below TMPDIR: {}", shown(why)))
        }
        Guard::Sound { file, layer } => {
            Said::seen(format!("{} ({})", path(file), authority(*layer)))
        }
        Guard::Broken { file, layer, fault } => Said::remedy(
            format!("{} ({}) is broken: {}", path(file), authority(*layer), shown(fault)),
            format!("{} lint", place.embargo),
        ),
        Guard::BrokenBeside { file, fault } => Said::remedy(
            format!("{} is broken: {}", shown(file), shown(fault)),
            format!("{} lint", place.embargo),
        ),
    }
}

fn synced(place: &Place) -> String {
    match place.which {
        Which::Run => format!("start it again: {} run -- COMMAND", place.embargo),
        Which::Own | Which::Named => place.call("shim sync"),
    }
}

fn not_refused(rule: Option<&str>, call: &str, came: &Came, place: &Place) -> Said {
    let (rule, remedy) = match rule {
        None => ("a rule on it".to_owned(), format!("{} check --argv {call}", place.embargo)),
        Some(rule) => (
            format!("the rule {}", backquoted(rule)),
            format!("{} explain --argv {call}", place.embargo),
        ),
    };
    let seen = format!("{} was not refused by {rule}: {}", backquoted(call), outcome(came));
    Said::remedy(seen, remedy)
}

fn outcome(came: &Came) -> String {
    let status = match came.status {
        Some(status) => format!("status {status}"),
        None => "it had to be ended".to_owned(),
    };
    let has_run = if came.has_run { ", and the program behind the shim ran" } else { "" };
    match came.said.lines().next() {
        Some(first) => format!("{status}{has_run}: {}", shown(first)),
        None => format!("{status}{has_run}"),
    }
}

fn authority(layer: Layer) -> &'static str {
    match layer {
        Layer::System => "system: can loosen all below it",
        Layer::User => "user: can loosen projects and named files",
        Layer::Project => "project: can only tighten",
        Layer::Named => "named: can only tighten",
        Layer::Session => "session: can only tighten",
    }
}

/// What is wrong with a file, and where in it.
pub fn fault(found: &Diagnostic) -> String {
    format!("line {}: {}", found.line, found.message)
}
