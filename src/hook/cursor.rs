//! Cursor's answers: flat JSON, exit 0.
//!
//! Documented (cursor.com/docs/hooks, September 2026): what is no JSON blocks in newer versions, and
//! with `failClosed` in all, so that no opinion is an empty object (inferred). An `allow` is never
//! given. `ask` counts in `beforeShellExecution` and is not enforced in `preToolUse`.

use serde_json::json;

use super::{Answer, Reply, Status};

/// The same text for user and agent. Cursor runs Claude's hooks too; how it reads their answers is not
/// documented, so an event with Claude's name is also denied by exit 2, which it honours everywhere.
pub(super) fn answer(name: &str, reply: Reply<'_>) -> Answer {
    let permission = |permission: &str, text: &str| {
        Answer::json(
            &json!({ "permission": permission, "user_message": text, "agent_message": text }),
        )
    };
    match reply {
        Reply::Silence | Reply::Note(_) => Answer::json(&json!({})),
        Reply::Ask(text) => permission("ask", text),
        Reply::Deny(text) if name.starts_with(|c: char| c.is_ascii_uppercase()) => {
            Answer { stderr: text.to_owned(), status: Status::Denied, ..permission("deny", text) }
        }
        Reply::Deny(text) => permission("deny", text),
    }
}
