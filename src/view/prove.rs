//! Does a policy do what its own examples say (A17), and let through what it
//! prescribes?

use std::path::Path;
use std::sync::Arc;

use bstr::ByteSlice as _;

use crate::command::quote;
use crate::config::{ExampleLine, RuleExamples};
use crate::policy::{
    Ancestry, Invocation, Place, Rule, RuleId, Ruling, Severity, Verdict, expand, judge_all,
};

use super::{Contents, View, encode};

/// What an example line claims.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Claim {
    /// Its rule hits the line.
    Refuses,
    /// The policy lets the line through, and its rule does not hit it.
    Permits,
    /// What the rule prescribes is let through.
    Instead,
}

/// A claim that does not hold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure<'e> {
    pub rule: &'e RuleId,
    pub claim: Claim,
    pub line: &'e ExampleLine,
    /// The line as it was judged.
    pub text: String,
    /// What stands against it; empty when nothing does, and something should.
    pub by: Vec<String>,
}

/// The outcome of all examples.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Proof<'e> {
    pub passed: usize,
    pub failures: Vec<Failure<'e>>,
}

/// Judges every example under the policy in `contents`. Callers are unknown: rules
/// hit as if the agent had typed each line.
pub fn prove<'e>(contents: &Contents, examples: &'e [RuleExamples]) -> Proof<'e> {
    let bytes = encode(contents);
    let mut proof = Proof::default();
    let Ok(view) = View::open(&bytes) else { return proof };
    for example in examples {
        let is_it = |rule: &&Rule| rule.id == example.rule && rule.origin == example.origin;
        let Some(rule) = contents.policy.rules.iter().find(is_it) else { continue };
        let place = place(rule);
        let read = |text: &str| {
            let mut calls = view.calls_of_line(text, &Ancestry::default());
            if view.speaks_of_effects() {
                view.add_effects(&mut calls, &place);
            }
            calls
        };
        let mut check = |claim, line: &'e ExampleLine, text: String| {
            let calls = read(&text);
            match against(claim, rule, &calls, contents) {
                None => proof.passed += 1,
                Some(by) => {
                    proof.failures.push(Failure { rule: &example.rule, claim, line, text, by });
                }
            }
        };
        example.refuses.iter().for_each(|l| check(Claim::Refuses, l, l.text.clone()));
        example.permits.iter().for_each(|l| check(Claim::Permits, l, l.text.clone()));
        let model = example.refuses.first().map(|l| l.text.as_str());
        let filled = |l: &ExampleLine| fill(&l.text, rule, &model.map(&read).unwrap_or_default());
        example.instead.iter().for_each(|l| check(Claim::Instead, l, filled(l)));
    }
    proof
}

/// Examples are taken as run where the rule's file is.
fn place(rule: &Rule) -> Arc<Place> {
    let directory = Path::new(&rule.origin.file).parent().and_then(<[u8]>::from_path);
    Arc::new(Place { cwd: directory.unwrap_or_default().into(), ..Place::default() })
}

/// Why the claim does not hold; `None` when it does.
fn against(
    claim: Claim,
    rule: &Rule,
    calls: &[Invocation],
    contents: &Contents,
) -> Option<Vec<String>> {
    let hits = calls.iter().any(|call| rule.hits(call));
    if claim == Claim::Refuses {
        return (!hits).then(Vec::new);
    }
    let rules: Vec<&Rule> = contents.policy.rules.iter().collect();
    let verdict = judge_all(&rules, &contents.policy.reserved, calls);
    let is_against = !matches!(rule.ruling, Ruling::Allow { .. });
    match verdict {
        Verdict::Refuse(refusal) => {
            let reserved = refusal.reserved_name().map(|r| format!("reserved:{}", r.name));
            Some(
                reserved
                    .into_iter()
                    .chain(refusal.rules().iter().map(|r| r.id.0.clone()))
                    .collect(),
            )
        }
        _ if claim == Claim::Permits
            && is_against
            && hits
            && verdict.severity() > Severity::Pass =>
        {
            Some(vec![rule.id.0.clone()])
        }
        _ => None,
    }
}

/// A template, filled with the call in a `refuses` line that the rule speaks of.
fn fill(template: &str, rule: &Rule, calls: &[Invocation]) -> String {
    let call = calls.iter().find(|call| rule.covers(call));
    expand(template, call, rule.words_of(call), |word| Some(quote(word)))
}
