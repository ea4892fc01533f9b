//! Faults that show only when several files are known.

use std::collections::BTreeMap;

use crate::policy::{Layer, Origin, Ruling};

use super::extends::Family;
use super::source::Page;
use super::{Code, suggest};

/// An id that a file and a pack share looks like an override, and is none.
pub(super) fn same_ids(family: &mut Family) {
    let mut seen: BTreeMap<&str, &Page> = BTreeMap::new();
    let mut found = Vec::new();
    for (page, file) in &family.members {
        for draft in &file.rules {
            let id = draft.rule.id.0.as_str();
            let first = *seen.entry(id).or_insert(page);
            if first.path != page.path {
                let span = draft.given.as_ref().map_or(&draft.span, |given| &given.span);
                let message = format!("{} has a rule `{id}` too: both count", first.shown);
                let help = "give this one another `id`; an `allow` with `over` silences the other";
                found.push(page.fault(Code::SameId, span, message, help.to_owned()));
            }
        }
    }
    family.diagnostics.extend(found);
}

/// `over` reaches the rules of its own layer; below system and user only those of its own file.
pub(super) fn unknown_rules(families: &mut [Family]) {
    let mut ids: BTreeMap<(Layer, String), Vec<String>> = BTreeMap::new();
    let scope = |origin: &Origin| {
        let file = if origin.layer.may_loosen() { String::new() } else { origin.file.clone() };
        (origin.layer, file)
    };
    for draft in families.iter().flat_map(|f| &f.members).flat_map(|(_, file)| &file.rules) {
        ids.entry(scope(&draft.rule.origin)).or_default().push(draft.rule.id.0.clone());
    }
    for family in families {
        let mut found = Vec::new();
        for (page, file) in &family.members {
            let allows =
                file.rules.iter().filter(|d| matches!(d.rule.ruling, Ruling::Allow { .. }));
            for draft in allows {
                let known = ids.get(&scope(&draft.rule.origin)).map_or(&[][..], Vec::as_slice);
                for name in draft.over.iter().filter(|name| !known.contains(&name.text)) {
                    let message = format!(
                        "`over` names `{}`, and no rule in reach of this layer is called so",
                        name.text
                    );
                    let near = suggest::nearest(&name.text, known.iter().map(String::as_str));
                    let help = match near {
                        Some(near) => format!("did you mean `{near}`?"),
                        None => "name a rule of this file, or remove it".to_owned(),
                    };
                    found.push(page.fault(Code::UnknownRuleInOver, &name.span, message, help));
                }
            }
        }
        family.diagnostics.extend(found);
    }
}
