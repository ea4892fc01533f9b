//! Claude Code's answers, which VS Code, Copilot CLI (events in capitals) and Qwen Code share.
//!
//! Documented (code.claude.com/docs/en/hooks, August 2026): on exit 0 standard output is read as
//! JSON; on exit 2 the call is blocked, with the reason of the JSON if there is one, else with
//! standard error. Some versions lost one of the two channels (measured by others), hence all
//! three at once: JSON, standard error and exit 2. Qwen reads no standard output on exit 2, and
//! what VS Code shows then is not documented, so these get the JSON alone.

use serde_json::{Value, json};

use super::{Answer, Reply, Status};

/// The answer as JSON, exit 0.
pub(super) fn answer(name: &str, reply: Reply<'_>) -> Answer {
    match reply {
        Reply::Silence => Answer::default(),
        Reply::Deny(text) if name == "PermissionRequest" => {
            let decision = json!({ "behavior": "deny", "message": text });
            Answer::json(&specific(name, &[("decision", decision)]))
        }
        Reply::Deny(text) => Answer::json(&decided(name, "deny", text)),
        // A prompt is about to be shown; no decision leaves it there.
        Reply::Ask(_) if name == "PermissionRequest" => Answer::default(),
        Reply::Ask(text) => Answer::json(&decided(name, "ask", text)),
        Reply::Note(text) => Answer::json(&specific(name, &[("additionalContext", json!(text))])),
    }
}

/// The same; a deny also on standard error and by exit 2, which `PermissionRequest` does not honour.
pub(super) fn answer_everywhere(name: &str, reply: Reply<'_>) -> Answer {
    let said = answer(name, reply);
    match reply {
        Reply::Deny(text) if name != "PermissionRequest" => {
            Answer { stderr: text.to_owned(), status: Status::Denied, ..said }
        }
        _ => said,
    }
}

/// A deny that asks to end the turn as well. Measured (2.1.197): beside a deny `continue` has no effect, and
/// without one the command runs before the turn ends; so the deny is as ever, on all three channels.
pub(super) fn stop(name: &str, text: &str, told: &str) -> Answer {
    if name == "PermissionRequest" {
        let decision = json!({ "behavior": "deny", "message": text, "interrupt": true });
        let mut value = specific(name, &[("decision", decision)]);
        value["systemMessage"] = json!(told);
        return Answer::json(&value);
    }
    let mut value = decided(name, "deny", text);
    value["continue"] = json!(false);
    value["stopReason"] = json!(told);
    Answer { stderr: text.to_owned(), status: Status::Denied, ..Answer::json(&value) }
}

/// Ends the turn behind its calls (measured, 2.1.197, on `PostToolBatch`).
pub(super) fn stop_turn(told: &str) -> Answer {
    Answer::json(&json!({ "continue": false, "stopReason": told }))
}

/// For the user alone.
pub(super) fn tell(text: &str) -> Answer {
    Answer::json(&json!({ "systemMessage": text }))
}

fn decided(name: &str, decision: &str, text: &str) -> Value {
    let keys = [("permissionDecision", json!(decision)), ("permissionDecisionReason", json!(text))];
    specific(name, &keys)
}

/// Keys at the wrong level are no decision at all, without a word.
pub(super) fn specific(name: &str, keys: &[(&str, Value)]) -> Value {
    // What could not be read was asked before a tool ran.
    let name = if name.is_empty() { "PreToolUse" } else { name };
    let mut inner = json!({ "hookEventName": name });
    for (key, value) in keys {
        inner[*key] = value.clone();
    }
    json!({ "hookSpecificOutput": inner })
}
