//! Grok CLI's answers: JSON and exit 2.
//!
//! Measured by others (0.2.106): both are needed, an `allow` grants nothing, and anything that is not
//! understood lets the command run. There is no way to ask.

use serde_json::json;

use super::{Answer, Reply, Status};

/// Denies or is silent.
pub(super) fn answer(reply: Reply<'_>) -> Answer {
    match reply {
        Reply::Deny(text) | Reply::Ask(text) => Answer {
            stderr: text.to_owned(),
            status: Status::Denied,
            ..Answer::json(&json!({ "decision": "deny", "reason": text }))
        },
        Reply::Silence | Reply::Note(_) => Answer::default(),
    }
}
