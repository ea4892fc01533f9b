//! Answers of Gemini CLI and of Antigravity's `agy`: a decision and a reason, exit 0.
//!
//! Gemini, source (0.61, `packages/core/src/hooks`): JSON is read from standard output whatever the
//! status is; `ask` forces the prompt, and is a refusal where nobody can be asked.
//! agy, measured by others (1.1.2): a missing decision prompts for every command, and `allow` grants
//! nothing, so that it is the way to have no opinion; `force_ask` also asks where the user has said
//! "always allow".

use serde_json::json;

use super::{Answer, Reply};

fn decided(decision: &str, text: &str) -> Answer {
    Answer::json(&json!({ "decision": decision, "reason": text }))
}

/// Gemini's.
pub(super) fn answer(reply: Reply<'_>) -> Answer {
    match reply {
        Reply::Silence | Reply::Note(_) => Answer::default(),
        Reply::Deny(text) => decided("deny", text),
        Reply::Ask(text) => decided("ask", text),
    }
}

/// A deny that ends the agent, and tells the user (source, 0.61: `continue`, `stopReason`, `systemMessage`).
pub(super) fn stop(text: &str, told: &str) -> Answer {
    Answer::json(&json!({
        "decision": "deny",
        "reason": text,
        "continue": false,
        "stopReason": told,
        "systemMessage": told,
    }))
}

/// agy's.
pub(super) fn answer_of_agy(reply: Reply<'_>) -> Answer {
    match reply {
        Reply::Silence | Reply::Note(_) => Answer::json(&json!({ "decision": "allow" })),
        Reply::Deny(text) => decided("deny", text),
        Reply::Ask(text) => decided("force_ask", text),
    }
}
