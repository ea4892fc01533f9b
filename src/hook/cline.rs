//! Cline's answers: JSON, exit 0.
//!
//! Documented (docs.cline.bot, hooks): `cancel` counts whatever the status is; without JSON there is
//! an error, and the command runs. There is no way to ask.

use serde_json::json;

use super::{Answer, Reply};

/// Cancels or does not.
pub(super) fn answer(reply: Reply<'_>) -> Answer {
    match reply {
        Reply::Deny(text) | Reply::Ask(text) => {
            Answer::json(&json!({ "cancel": true, "errorMessage": text }))
        }
        Reply::Silence | Reply::Note(_) => Answer::json(&json!({ "cancel": false })),
    }
}
