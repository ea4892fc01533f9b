//! Examples that do not hold.

use serde_json::{Value, json};

use crate::config::{Code, Diagnostic};
use crate::view::{Claim, Failure, Proof};

use super::prose::backquoted;
use super::refusal::JSON_VERSION;

/// Failures, a line each, and the counts.
pub fn plain(proofs: &[Proof<'_>], is_sound: bool) -> String {
    let failures: String = all(proofs)
        .map(|failure| {
            let place = &failure.line.place;
            format!("{}:{}: {}\n", place.shown, place.line, sentence(failure))
        })
        .collect();
    let (passed, failed) = counts(proofs);
    let hint = match (is_sound, passed + failed) {
        (false, _) => "; the policy has errors, which `embargo lint` shows in full",
        (true, 0) => "; no rule carries examples",
        (true, _) => "",
    };
    format!("{failures}{passed} passed, {failed} failed{hint}\n")
}

/// The same for programs.
pub fn json(proofs: &[Proof<'_>], is_sound: bool) -> Value {
    let (passed, failed) = counts(proofs);
    let failures: Vec<Value> = all(proofs)
        .map(|failure| {
            json!({
                "rule": failure.rule.0,
                "claim": claim(failure.claim),
                "file": failure.line.place.shown,
                "line": failure.line.place.line,
                "text": failure.text,
                "by": failure.by,
                "message": sentence(failure),
            })
        })
        .collect();
    json!({
        "version": JSON_VERSION,
        "passed": passed,
        "failed": failed,
        "errors_in_policy": !is_sound,
        "failures": failures,
    })
}

/// A failure as the linter shows it.
pub fn diagnostic(failure: &Failure<'_>) -> Diagnostic {
    let code = match failure.claim {
        Claim::Refuses | Claim::Permits => Code::ExampleFails,
        Claim::Instead => Code::InsteadRefused,
    };
    let help = "`embargo explain` shows how the policy reads this line".to_owned();
    failure.line.place.clone().fault(code, sentence(failure), help)
}

fn sentence(failure: &Failure<'_>) -> String {
    let rule = backquoted(&failure.rule.0);
    let text = backquoted(&failure.text);
    let by: Vec<String> = failure.by.iter().map(|id| backquoted(id)).collect();
    let by = by.join(", ");
    match failure.claim {
        Claim::Refuses => format!("{rule} must hit {text}, and does not"),
        Claim::Permits => format!("{text} must be let through ({rule}), and is not: {by} hits it"),
        Claim::Instead => format!("{rule} prescribes {text}, and {by} refuses it"),
    }
}

fn claim(claim: Claim) -> &'static str {
    match claim {
        Claim::Refuses => "refuses",
        Claim::Permits => "permits",
        Claim::Instead => "instead",
    }
}

fn all<'p>(proofs: &'p [Proof<'p>]) -> impl Iterator<Item = &'p Failure<'p>> {
    proofs.iter().flat_map(|proof| &proof.failures)
}

fn counts(proofs: &[Proof<'_>]) -> (usize, usize) {
    (proofs.iter().map(|p| p.passed).sum(), all(proofs).count())
}
