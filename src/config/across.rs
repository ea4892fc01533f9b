//! Faults that show only when several files are known.

use std::collections::BTreeMap;

use crate::policy::{Layer, Origin, Ruling};

use super::diagnostic::Label;
use super::extends::Family;
use super::node::Span;
use super::rule::Draft;
use super::source::Page;
use super::{Code, suggest};

/// An id that a file and a pack share looks like an override, and is none.
pub(super) fn same_ids(family: &mut Family) {
    let mut seen: BTreeMap<&str, (&Page, &Span)> = BTreeMap::new();
    let mut found = Vec::new();
    for (page, file) in &family.members {
        for draft in &file.rules {
            let id = draft.rule.id.0.as_str();
            let span = draft.given.as_ref().map_or(&draft.span, |given| &given.span);
            let (first, other) = *seen.entry(id).or_insert((page, span));
            if first.path != page.path {
                let message = format!("{} has a rule `{id}` too: both count", first.shown);
                let help = "give this one another `id`; an `allow` with `over` silences the other";
                let fault = page.fault(Code::SameId, span, message, help.to_owned());
                found.push(fault.and(first.place(other).label("the other rule")));
            }
        }
    }
    family.diagnostics.extend(found);
}

/// `over` reaches the rules of its own layer; below system and user only those of its own file.
pub(super) fn unknown_rules(families: &mut [Family]) {
    let mut ids: BTreeMap<(Layer, String), BTreeMap<String, Label>> = BTreeMap::new();
    let scope = |origin: &Origin| {
        let file = if origin.layer.may_loosen() { String::new() } else { origin.file.clone() };
        (origin.layer, file)
    };
    let members = families.iter().flat_map(|family| &family.members);
    let allows = |draft: &Draft| matches!(draft.rule.ruling, Ruling::Allow { .. });
    // Without an `allow` nobody asks.
    let asks = members.clone().any(|(_, file)| file.rules.iter().any(allows));
    for (page, draft) in
        members.filter(|_| asks).flat_map(|(page, file)| file.rules.iter().map(move |d| (page, d)))
    {
        let span = draft.given.as_ref().map_or(&draft.span, |given| &given.span);
        let label = page.place(span).label(format!("`{}` is here", draft.rule.id));
        ids.entry(scope(&draft.rule.origin)).or_default().insert(draft.rule.id.0.clone(), label);
    }
    let none = BTreeMap::new();
    for family in families {
        let mut found = Vec::new();
        for (page, file) in &family.members {
            for draft in file.rules.iter().filter(|draft| allows(draft)) {
                let known = ids.get(&scope(&draft.rule.origin)).unwrap_or(&none);
                for name in draft.over.iter().filter(|name| !known.contains_key(&name.text)) {
                    let message = format!(
                        "`over` names `{}`, and no rule in reach of this layer is called so",
                        name.text
                    );
                    let near = suggest::nearest(&name.text, known.keys().map(String::as_str));
                    let help = match near {
                        Some(near) => format!("did you mean `{near}`?"),
                        None => "name a rule of this file, or remove it".to_owned(),
                    };
                    let mut fault = page.fault(Code::UnknownRuleInOver, &name.span, message, help);
                    fault.labels.extend(near.and_then(|near| known.get(near)).cloned());
                    found.push(fault);
                }
            }
        }
        family.diagnostics.extend(found);
    }
}
