//! All sources → one policy, and everything that is wrong with any of them.

use std::path::{Path, PathBuf};

use crate::policy::{Layer, Origin, Policy, Reserved, RuleId, Says};

use super::extends::{Family, family};
use super::file::Said;
use super::rule::Draft;
use super::source::Page;
use super::written::Written;
use super::{Diagnostic, Level, Place, SourceText, across};

/// What the sources say together.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Loaded {
    /// The rules of every source without errors, and the built-in reserved names.
    pub policy: Policy,
    /// By file, then by place.
    pub diagnostics: Vec<Diagnostic>,
    pub examples: Vec<RuleExamples>,
    /// Files that `extends` read or looked for: freshness depends on them too.
    pub more_sources: Vec<PathBuf>,
    /// Sources that have errors, and so contribute nothing.
    pub broken: Vec<PathBuf>,
    /// Of each rule of the policy, in the same order: its page, and where it is written there.
    pub(super) written: Vec<(usize, Written)>,
    pub(super) pages: Vec<Page>,
}

/// The lines by which a rule proves itself (A17).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RuleExamples {
    pub rule: RuleId,
    pub origin: Origin,
    /// Lines that this rule must hit.
    pub refuses: Vec<ExampleLine>,
    /// Lines that the policy must let through.
    pub permits: Vec<ExampleLine>,
    /// What the rule prescribes, which no rule may refuse.
    pub instead: Vec<ExampleLine>,
}

/// A line of an example, and where it is written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExampleLine {
    pub place: Place,
    pub text: String,
}

/// Reads every source, and what it extends by way of `read`.
///
/// A source with an error, in itself or in what it extends, contributes nothing;
/// what that means is the caller's to decide. Notes and warnings change nothing.
pub fn load(sources: &[SourceText], read: impl Fn(&Path) -> Result<Vec<u8>, String>) -> Loaded {
    let mut loaded = Loaded::default();
    let mut sound: Vec<Family> = Vec::new();
    for source in sources {
        let mut family = family(source, &read);
        loaded.more_sources.append(&mut family.read);
        let errors = family.diagnostics.iter().filter(|d| d.level == Level::Error);
        let broken: Vec<PathBuf> = errors.map(|d| d.path.clone()).collect();
        if broken.is_empty() {
            sound.push(family);
        } else {
            loaded.broken.extend(broken);
            loaded.diagnostics.append(&mut family.diagnostics);
        }
    }
    for family in &mut sound {
        across::same_ids(family);
    }
    across::unknown_rules(&mut sound);
    let mut said: Vec<(Layer, Said)> = Vec::new();
    for family in sound {
        loaded.diagnostics.extend(family.diagnostics);
        // A family's root was read last, and speaks before what it extends.
        for (page, file) in family.members.into_iter().rev() {
            said.push((page.layer, file.settings));
            loaded.policy.reserved.extend(file.reserved);
            loaded.policy.protects.extend(file.protects);
            loaded.policy.acceptances.extend(file.acceptances);
            for draft in file.rules {
                loaded.add(draft);
            }
            loaded.pages.push(page);
        }
    }
    settle(&mut loaded.policy, said);
    in_order(sources, &mut loaded);
    loaded
}

impl Loaded {
    fn add(&mut self, draft: Draft) {
        let mut examples = draft.examples;
        if [&examples.refuses, &examples.permits, &examples.instead].iter().any(|l| !l.is_empty()) {
            examples.rule = draft.rule.id.clone();
            self.examples.push(examples);
        }
        self.policy.rules.push(draft.rule);
        self.written.push((self.pages.len(), draft.written));
    }
}

/// The highest authority that says something decides it; the built-in names come last,
/// so that a policy's own words for one of them are the ones that are shown.
fn settle(policy: &mut Policy, mut said: Vec<(Layer, Said)>) {
    said.sort_by_key(|(layer, _)| layer.rank());
    let settings = &mut policy.settings;
    for (_, said) in said.into_iter().rev() {
        settings.notice_on_stdout = said.notice_on_stdout.unwrap_or(settings.notice_on_stdout);
        settings.surface_after = said.surface_after.unwrap_or(settings.surface_after);
        if let Some(notify) = said.notify {
            settings.notify = notify;
        }
    }
    policy.reserved.sort_by_key(|name| name.origin.layer.rank());
    let built_in = Reserved::BUILT_IN.map(|name| Reserved {
        name: name.to_owned(),
        origin: Origin {
            layer: Layer::System,
            file: String::new(),
            shown: "built in".to_owned(),
            line: 0,
        },
        says: Says::default(),
    });
    policy.reserved.extend(built_in);
}

/// By file in the order of the sources, what they extend after them; by place within a file.
fn in_order(sources: &[SourceText], loaded: &mut Loaded) {
    let mut order: Vec<PathBuf> = sources.iter().map(|s| s.path.clone()).collect();
    order.extend(loaded.diagnostics.iter().map(|d| d.path.clone()));
    let rank = |d: &Diagnostic| order.iter().position(|path| *path == d.path);
    loaded.diagnostics.sort_by_cached_key(|d| (rank(d), d.line, d.column, d.code));
    // Two sources may extend the same file.
    loaded.diagnostics.dedup();
    for paths in [&mut loaded.more_sources, &mut loaded.broken] {
        paths.sort();
        paths.dedup();
    }
}
