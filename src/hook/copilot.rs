//! Copilot CLI's answers to its own events: flat JSON, exit 0.
//!
//! Documented (docs.github.com, hooks reference; Copilot CLI 1.0.102): wrapped as Claude's they
//! count for nothing, and an `allow` really suppresses the prompt, so none is given. A hook that
//! exits with another status than 0 and 2 denies since 1.0.57; one that runs out of time never does.

use serde_json::json;

use super::{Answer, Reply};

/// Flat, with the decision; `permissionRequest` has words of its own.
pub(super) fn answer(name: &str, reply: Reply<'_>) -> Answer {
    let decided = |decision: &str, text: &str| {
        Answer::json(&json!({ "permissionDecision": decision, "permissionDecisionReason": text }))
    };
    match reply {
        Reply::Deny(text) if name == "permissionRequest" => {
            Answer::json(&json!({ "behavior": "deny", "message": text }))
        }
        Reply::Ask(_) if name == "permissionRequest" => Answer::default(),
        Reply::Deny(text) => decided("deny", text),
        Reply::Ask(text) => decided("ask", text),
        Reply::Silence | Reply::Note(_) => Answer::default(),
    }
}

/// A deny of `permissionRequest` that ends the turn.
pub(super) fn stop(text: &str) -> Answer {
    Answer::json(&json!({ "behavior": "deny", "message": text, "interrupt": true }))
}
