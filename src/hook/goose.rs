//! goose's answers: JSON, standard error and exit 2, all three.
//!
//! Documented (1.38, Open Plugins): either exit 2 with standard error or `decision: block` denies. The
//! model is told "Do not retry; this is a policy denial". There is no way to ask.

use serde_json::json;

use super::{Answer, Reply, Status};

/// Blocks or is silent.
pub(super) fn answer(reply: Reply<'_>) -> Answer {
    match reply {
        Reply::Deny(text) | Reply::Ask(text) => Answer {
            stderr: text.to_owned(),
            status: Status::Denied,
            ..Answer::json(&json!({ "decision": "block", "reason": text }))
        },
        Reply::Silence | Reply::Note(_) => Answer::default(),
    }
}
