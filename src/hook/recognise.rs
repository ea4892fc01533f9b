//! Which dialect a payload is in, by its fields: harnesses load each other's files, so that the
//! name in the hook line says only who installed it.

use serde_json::Value;

use super::Dialect;

/// A field, by JSON pointer, that only payloads of one dialect have. The first that is there counts.
const MARKS: [(&str, Dialect); 13] = [
    // Documented, and never sent by Claude.
    ("/turn_id", Dialect::Codex),
    ("/cursor_version", Dialect::Cursor),
    ("/agent_action_name", Dialect::Windsurf),
    // Measured (1.1.2).
    ("/toolCall", Dialect::Agy),
    // Captured live; documented with any type.
    ("/toolArgs", Dialect::Copilot),
    ("/clineVersion", Dialect::Cline),
    ("/preToolUse", Dialect::Cline),
    // Measured (0.2.106).
    ("/toolInput", Dialect::Grok),
    // Documented (1.38).
    ("/matcher_context", Dialect::Goose),
    ("/working_dir", Dialect::Goose),
    // Ours: the plugin that `embargo hook install opencode` writes.
    ("/sessionID", Dialect::OpenCode),
    // VS Code mixes its cases (documented).
    ("/hookEventName", Dialect::VsCode),
    ("/workspaceRoot", Dialect::Grok),
];

/// Fields that tell where nothing better does: their names may be anybody's.
const HINTS: [(&str, Dialect); 4] = [
    ("/conversation_id", Dialect::Cursor),
    ("/toolName", Dialect::Copilot),
    ("/sessionId", Dialect::Copilot),
    ("/conversationId", Dialect::Agy),
];

/// Names of events that only one dialect has.
const EVENTS: [(&str, Dialect); 7] = [
    // Documented, and in the source (0.61).
    ("BeforeTool", Dialect::Gemini),
    ("AfterTool", Dialect::Gemini),
    ("BeforeAgent", Dialect::Gemini),
    ("AfterAgent", Dialect::Gemini),
    ("BeforeModel", Dialect::Gemini),
    ("beforeShellExecution", Dialect::Cursor),
    // Lower case, where Claude's begin with a capital.
    ("preToolUse", Dialect::Kiro),
];

/// Names of tools that only one dialect of Claude's fields has.
const TOOLS: [(&str, Dialect); 8] = [
    ("Execute", Dialect::Droid),
    ("run_shell_command", Dialect::Qwen),
    ("execute_bash", Dialect::Kiro),
    ("execute_cmd", Dialect::Kiro),
    ("launch-process", Dialect::Augment),
    ("run_in_terminal", Dialect::VsCode),
    ("runTerminalCommand", Dialect::VsCode),
    ("run_terminal_command", Dialect::Grok),
];

/// The payload's dialect. What is like Claude's is that of the hook line if that has Claude's
/// fields too, else Claude's.
pub(super) fn dialect(payload: &Value, fallback: Dialect) -> Dialect {
    let marked = |table: &[(&str, Dialect)]| {
        let found = table.iter().find(|(pointer, _)| payload.pointer(pointer).is_some());
        found.map(|(_, dialect)| *dialect)
    };
    let named = |table: &[(&str, Dialect)], key: &str| {
        let name = payload.get(key)?.as_str()?;
        table.iter().find(|(n, _)| *n == name).map(|(_, dialect)| *dialect)
    };
    let told = marked(&MARKS)
        .or_else(|| named(&EVENTS, "hook_event_name"))
        .or_else(|| named(&TOOLS, "tool_name"));
    if let Some(dialect) = told {
        return dialect;
    }
    if payload.get("hook_event_name").is_none() {
        return marked(&HINTS).unwrap_or(fallback);
    }
    let is_timed = payload.get("timestamp").is_some();
    match fallback {
        // With event names in capitals Copilot sends Claude's fields and a time (documented).
        Dialect::Copilot => Dialect::VsCode,
        // Claude sends no time.
        Dialect::Claude if is_timed => Dialect::VsCode,
        // Gemini's other events have no mark, and Claude knows nothing of them.
        Dialect::Gemini => Dialect::Gemini,
        dialect if dialect.has_claudes_fields() => dialect,
        _ => {
            let shaped = if is_timed { Dialect::VsCode } else { Dialect::Claude };
            marked(&HINTS).unwrap_or(shaped)
        }
    }
}
