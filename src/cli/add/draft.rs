//! The file as it would be with the rule in it, and whether that holds.

use std::path::Path;

use super::failure;
use crate::config::{self, Diagnostic, Format, Level, NewRule, append};
use crate::policy::{Ancestry, Layer, Rule, Verdict, judge_all};
use crate::render::refusal::{self, Circumstances};
use crate::render::{add, diagnostic, examples};
use crate::sys::context::Context;
use crate::sys::sources;
use crate::view::{Claim, Contents, View, encode, prove, source_text};

/// A file with a rule more.
pub struct Draft {
    pub text: String,
    pub is_new: bool,
    /// The rule alone, as TOML.
    pub rule: String,
    pub id: String,
    /// Where it stands, from 1.
    pub line: u32,
    /// What an agent reads that does what the rule is on.
    pub said: Option<String>,
}

/// Writes the rule into the text of the file, and proves the outcome: no fault that was not
/// there, the rule hits its example, and what it prescribes passes.
pub fn draft(
    context: &Context,
    path: &Path,
    layer: Layer,
    format: Format,
    mut rule: NewRule,
) -> anyhow::Result<Draft> {
    let is_new = !path.exists() && !path.is_symlink();
    let before = match is_new {
        true => String::new(),
        false => text(path)?,
    };
    let descriptions = sources::read_descriptions(&sources::descriptions(context));
    let descriptions = descriptions
        .into_iter()
        .filter_map(|read| Some(source_text(&read.path, read.layer, read.bytes.ok()?)));
    let (catalogue, _) = config::catalogue(&descriptions.collect::<Vec<_>>());
    let load = |text: &str| {
        config::load(&[source_text(path, layer, text.as_bytes().to_vec())], sources::read_file)
    };
    let broken = load(&before).diagnostics;
    if !is_new && errors(&broken).next().is_some() {
        return Err(failure(add::broken_before(path, &diagnostic::plain_all(&broken))));
    }
    // An example that the rule does not hit is of our making: it is left out.
    rule.refuses = rule.example().into_iter().collect();
    for _ in 0..2 {
        let after = append(&before, format, &rule).ok_or_else(|| failure(add::no_place(path)))?;
        let loaded = load(&after);
        let faults: Vec<Diagnostic> = errors(&loaded.diagnostics).cloned().collect();
        // `embargo = [{…}]` takes no table behind it.
        let is_inline = |line: &str| {
            line.trim_start()
                .strip_prefix("embargo")
                .is_some_and(|rest| rest.trim_start().starts_with('='))
        };
        if !faults.is_empty() && before.lines().any(is_inline) {
            return Err(failure(add::no_place(path)));
        }
        if !faults.is_empty() {
            return Err(failure(add::faulty(&diagnostic::plain_all(&faults))));
        }
        let contents =
            Contents { policy: loaded.policy, catalogue: catalogue.clone(), ..Contents::default() };
        // The last of the file's own rules; those of packs are shown as the pack's.
        let shown = source_text(path, layer, Vec::new()).shown;
        let own = contents.policy.rules.iter().filter(|r| r.origin.shown == shown);
        let Some(added) = own.clone().max_by_key(|rule| rule.origin.line) else {
            return Err(failure(add::no_place(path)));
        };
        let is_same = |other: &&Rule| {
            other.origin != added.origin
                && (&other.subject, &other.ruling) == (&added.subject, &added.ruling)
        };
        if let Some(same) = own.clone().find(is_same) {
            return Err(failure(add::same_rule(path, same.origin.line)));
        }
        let of_rule: Vec<_> = loaded
            .examples
            .iter()
            .filter(|e| e.rule == added.id && e.origin == added.origin)
            .cloned()
            .collect();
        let proof = prove(&contents, &of_rule);
        if proof.failures.iter().any(|f| f.claim == Claim::Refuses) {
            rule.refuses.clear();
            continue;
        }
        if !proof.failures.is_empty() {
            let failures: Vec<Diagnostic> =
                proof.failures.iter().map(examples::diagnostic).map(add::with_way_out).collect();
            return Err(failure(add::faulty(&diagnostic::plain_all(&failures))));
        }
        return Ok(Draft {
            said: rule.refuses.first().map(|line| said(line, &contents, added)),
            id: added.id.0.clone(),
            line: added.origin.line,
            text: after,
            is_new,
            rule: rule.toml(),
        });
    }
    Err(failure(add::no_place(path)))
}

fn text(path: &Path) -> anyhow::Result<String> {
    let bytes = sources::read_file(path).map_err(|why| failure(add::unreadable(path, &why)))?;
    String::from_utf8(bytes).map_err(|_| failure(add::unreadable(path, "it is no UTF-8")))
}

fn errors(diagnostics: &[Diagnostic]) -> impl Iterator<Item = &Diagnostic> {
    diagnostics.iter().filter(|d| d.level == Level::Error)
}

/// The refusal of a line by this rule alone.
fn said(line: &str, contents: &Contents, rule: &Rule) -> String {
    let bytes = encode(contents);
    let Ok(view) = View::open(&bytes) else { return String::new() };
    let calls = view.calls_of_line(line, &Ancestry::default());
    let about = Circumstances {
        evidence: None,
        offence: 0,
        surface_after: contents.policy.settings.surface_after,
        door: "check",
    };
    match judge_all(&[rule], &[], &calls) {
        Verdict::Pass(_) => String::new(),
        Verdict::Warn(it) => refusal::warning(&it, &calls),
        Verdict::Refuse(it) => refusal::agent_voice(&it, &calls, &about),
    }
}
