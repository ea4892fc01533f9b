//! Rules that a broader one leaves nothing to decide: shadowed ones, and an `allow` of what
//! stays refused.

use std::collections::BTreeMap;

use crate::command::Catalogue;
use crate::config::{Code, Diagnostic};
use crate::policy::{Callers, Form, Machines, Rule, RuleId, Ruling, Severity};

use super::Placed;

/// Rules without a condition, by the program they speak of, with their place among all.
type Broad<'p, 'l> = BTreeMap<&'p str, Vec<(usize, &'p Placed<'l>)>>;

/// Every rule that another covers entirely.
pub(super) fn covered(all: &[Placed<'_>], catalogue: &Catalogue) -> Vec<Diagnostic> {
    let allows: Vec<&Placed<'_>> = all.iter().filter(|one| is_allow(one.rule)).collect();
    let mut broad: Broad<'_, '_> = BTreeMap::new();
    for (at, one) in all.iter().enumerate().filter(|(_, one)| is_broad(one.rule)) {
        for form in &one.rule.subject.forms {
            broad.entry(form.program()).or_default().push((at, one));
        }
    }
    let mut found = Vec::new();
    for (at, one) in all.iter().enumerate() {
        let Some(program) = one.rule.subject.forms.first().map(Form::program) else { continue };
        let canonical = catalogue.canonical(program.into()).unwrap_or_default();
        let names = [program, canonical.as_str()];
        let others = names.iter().filter_map(|name| broad.get(name)).flatten();
        let covers = |(place, other): &&(usize, &Placed<'_>)| {
            *place != at
                && covers(other.rule, one.rule, catalogue)
                && (!covers_back(one.rule, other.rule, catalogue) || *place < at)
        };
        let mut others = others.filter(covers).map(|(_, other)| *other);
        let silenced = |other: &Placed<'_>, but: Option<&Rule>| {
            let allows = allows.iter().filter(|allow| but.is_none_or(|but| but != allow.rule));
            allows.clone().any(|allow| allow.rule.silences(other.rule))
        };
        if is_allow(one.rule) {
            let stays = |other: &&Placed<'_>| {
                other.rule.ruling.severity() >= Severity::Ask
                    && !one.rule.silences(other.rule)
                    && !silenced(other, Some(one.rule))
            };
            found.extend(others.find(stays).and_then(|other| void(one, other, all)));
        } else {
            let is_above = |other: &&Placed<'_>| {
                let (mine, theirs) = (&one.rule.origin, &other.rule.origin);
                (mine.file == theirs.file || theirs.layer.rank() < mine.layer.rank())
                    && other.rule.ruling.severity() >= one.rule.ruling.severity()
                    && !silenced(other, None)
            };
            found.extend(others.find(is_above).map(|other| shadowed(one, other)));
        }
    }
    found
}

fn shadowed(one: &Placed<'_>, other: &Placed<'_>) -> Diagnostic {
    let id = &other.rule.id;
    let message = format!("all that this rule speaks of is covered by `{id}` already");
    let help = match one.rule.ruling.severity() < other.rule.ruling.severity() {
        true => "the stricter verdict holds, so this one never comes about; what both say is shown",
        false => "both are shown, as two reasons for one refusal: keep it where it says more",
    };
    one.page
        .fault(Code::Shadowed, &one.written.table, message, help.to_owned())
        .and(other.as_label())
}

/// An `allow` that could silence nothing, or names a rule that is not there, has been told of.
fn void(one: &Placed<'_>, other: &Placed<'_>, all: &[Placed<'_>]) -> Option<Diagnostic> {
    let Ruling::Allow { over } = &one.rule.ruling else { return None };
    let origin = &one.rule.origin;
    let is_there = |id: &RuleId| all.iter().any(|placed| placed.rule.id == *id);
    if over.is_empty() && !origin.layer.may_loosen() || !over.iter().all(is_there) {
        return None;
    }
    let id = &other.rule.id;
    let message = format!("what this rule allows stays refused by `{id}`, which it cannot silence");
    let theirs = &other.rule.origin;
    let is_in_reach =
        theirs.layer == origin.layer && (origin.layer.may_loosen() || theirs.file == origin.file);
    let help = match is_in_reach {
        true => format!("write `over = [\"{id}\"]`"),
        false => "only a file of more authority can allow it".to_owned(),
    };
    let verdict = one.written.verdict.as_ref().map_or(&one.written.table, |text| &text.span);
    Some(one.page.fault(Code::VoidAllow, verdict, message, help).and(other.as_label()))
}

fn is_allow(rule: &Rule) -> bool {
    matches!(rule.ruling, Ruling::Allow { .. })
}

/// Is it against its commands whatever else holds?
fn is_broad(rule: &Rule) -> bool {
    let subject = &rule.subject;
    !is_allow(rule)
        && rule.callers == Callers::Any
        && rule.unless.is_empty()
        && rule.unless_under.is_empty()
        && subject.fed_by.is_empty()
        && subject.flags.is_empty()
        && subject.pattern.is_none()
        && subject.contains.is_none()
        && subject.effects.is_empty()
}

fn covers_back(one: &Rule, other: &Rule, catalogue: &Catalogue) -> bool {
    is_broad(one)
        && one.ruling.severity() >= other.ruling.severity()
        && covers(one, other, catalogue)
}

/// Is each of the narrow rule's commands one of the broad rule's?
fn covers(broad: &Rule, narrow: &Rule, catalogue: &Catalogue) -> bool {
    let forms = &narrow.subject.forms;
    let is_as_wide = broad.machines == Machines::Any || narrow.machines == Machines::This;
    is_as_wide
        && narrow.subject.effects.is_empty()
        && !forms.is_empty()
        && forms.iter().all(|form| broad.subject.forms.iter().any(|b| holds(b, form, catalogue)))
}

fn holds(broad: &Form, narrow: &Form, catalogue: &Catalogue) -> bool {
    let (
        Form::Command { program: wide, words: few, flags },
        Form::Command { program, words: more, .. },
    ) = (broad, narrow)
    else {
        return false;
    };
    let is_same =
        wide == program || catalogue.canonical(program.as_str().into()).as_ref() == Some(wide);
    is_same && flags.is_empty() && more.starts_with(few)
}
