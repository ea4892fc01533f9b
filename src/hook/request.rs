//! What a harness asks, read from its payload.

use std::path::PathBuf;

use bstr::BString;
use serde_json::Value;

use crate::command::join;

use super::{Dialect, recognise, surrogates};

/// What a payload says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Request {
    pub dialect: Dialect,
    pub event: Event,
    /// The event as the harness calls it; answers repeat it.
    pub name: String,
    /// Where the command will run, where that is said.
    pub cwd: Option<PathBuf>,
    /// The harness's own id of the session.
    pub session: Option<String>,
    /// Of the sub-agent, where one asks.
    pub agent: Option<String>,
    /// Of the tool call.
    pub call: Option<String>,
    /// Whose text a command is.
    pub shell: Shell,
}

/// The language that a tool's text is in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shell {
    /// Of bash and its kin.
    Posix,
    PowerShell,
}

/// What happens.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Event {
    /// A shell is about to run this text.
    Command(String),
    /// The harness is about to ask its user whether a shell may run it.
    Permission(String),
    /// A session or sub-agent begins.
    Start,
    /// A tool call has ended.
    Ended,
    /// All tool calls of a turn have ended, refused ones too: their ids.
    Batch(Vec<String>),
    /// A sub-agent has ended.
    AgentEnded,
    /// Nothing that runs shell text.
    Other,
}

/// A payload that says nothing which can be judged, and who is to be answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BadPayload {
    pub dialect: Dialect,
    pub name: String,
    /// Completes "the harness's message …".
    pub why: String,
}

/// Tools that hand text to a shell, by every name that a harness has for one. An unknown tool
/// is none: `command` is also what an editor's tool calls its verb.
const SHELLS: [&str; 19] = [
    "Bash",
    "PowerShell",
    // Claude: its command is optional, and a script (documented).
    "Monitor",
    "bash",
    "powershell",
    "shell",
    "Shell",
    "local_shell",
    "exec_command",
    "Execute",
    "execute_bash",
    "execute_cmd",
    "execute_command",
    "run_shell_command",
    "run_command",
    "run_terminal_command",
    "run_in_terminal",
    "runTerminalCommand",
    "launch-process",
];

/// Where things are, by JSON pointer; the first that is there counts.
const NAMES: [&str; 5] =
    ["/hook_event_name", "/hookEventName", "/hookName", "/event", "/agent_action_name"];
const TOOLS: [&str; 5] =
    ["/tool_name", "/toolName", "/toolCall/name", "/preToolUse/toolName", "/tool"];
const LINES: [&str; 8] = [
    "/tool_input/command",
    "/toolArgs/command",
    "/toolInput/command",
    "/toolCall/args/CommandLine",
    "/preToolUse/parameters/command",
    "/args/command",
    "/tool_info/command_line",
    "/command",
];
const DIRECTORIES: [&str; 6] = [
    "/cwd",
    "/working_dir",
    // Cursor's command line leaves `cwd` empty (measured).
    "/workspace_roots/0",
    "/workspaceRoots/0",
    "/workspacePaths/0",
    "/workspaceRoot",
];
/// Against that directory, where the tool itself is to work, in the dialect whose tool has such an
/// argument: Gemini (source, 0.61), Qwen, Cursor's `preToolUse` (documented), OpenCode (typings). In
/// any other it is the model's own addition, and moves nothing.
const BELOW: [(Dialect, &str); 4] = [
    (Dialect::Gemini, "/tool_input/dir_path"),
    (Dialect::Qwen, "/tool_input/directory"),
    (Dialect::Cursor, "/tool_input/working_directory"),
    (Dialect::OpenCode, "/args/workdir"),
];
/// Windsurf's alone stands in the tool's own arguments.
const OF_WINDSURF: &str = "/tool_info/cwd";
const SESSIONS: [&str; 7] = [
    "/session_id",
    "/sessionId",
    "/sessionID",
    "/conversation_id",
    "/conversationId",
    "/trajectory_id",
    "/taskId",
];
const AGENTS: [&str; 2] = ["/agent_id", "/subagent_id"];
const CALLS: [&str; 5] =
    ["/tool_use_id", "/toolUseId", "/tool_call_id", "/callID", "/execution_id"];

/// Reads a payload; a byte order mark in front of it is nothing (Cursor on Windows, documented).
pub fn read(payload: &[u8], fallback: Dialect) -> Result<Request, BadPayload> {
    let bad = |dialect, name: &str, why: String| BadPayload { dialect, name: name.to_owned(), why };
    let bytes = payload.strip_prefix(b"\xef\xbb\xbf").unwrap_or(payload);
    let mut value: Value = serde_json::from_slice(bytes)
        .or_else(|e| serde_json::from_slice(&surrogates::paired(bytes)).map_err(|_| e))
        .map_err(|e| bad(fallback, "", format!("is no JSON that can be read ({e})")))?;
    if !value.is_object() {
        return Err(bad(fallback, "", "is no JSON object".to_owned()));
    }
    open_arguments(&mut value);
    let value = &value;
    let dialect = recognise::dialect(value, fallback);
    let tool = text(value, &TOOLS);
    let name = text(value, &NAMES).unwrap_or_default();
    let event = match kind(name, value) {
        Some(Kind::Before) => command(value, tool).map(|line| line.map(Event::Command)),
        Some(Kind::Asking) => command(value, tool).map(|line| line.map(Event::Permission)),
        Some(Kind::Start) => Ok(Some(Event::Start)),
        Some(Kind::After) => Ok(Some(Event::Ended)),
        Some(Kind::Batch) => Ok(Some(Event::Batch(batch(value)))),
        Some(Kind::AgentEnd) => Ok(Some(Event::AgentEnded)),
        Some(Kind::Other) => Ok(None),
        None => Err("names no event and no tool".to_owned()),
    };
    let event = event.map_err(|why| bad(dialect, name, why))?.unwrap_or(Event::Other);
    let owned = |pointers: &[&str]| text(value, pointers).map(str::to_owned);
    let of_windsurf = text(value, &[OF_WINDSURF]).filter(|_| dialect == Dialect::Windsurf);
    let cwd = of_windsurf.or_else(|| text(value, &DIRECTORIES)).map(PathBuf::from);
    let below = BELOW.iter().find(|(of, _)| *of == dialect).map(|(_, pointer)| *pointer);
    let below = below.and_then(|pointer| text(value, &[pointer]));
    Ok(Request {
        dialect,
        event,
        name: name.to_owned(),
        cwd: match (cwd, below) {
            (Some(cwd), Some(below)) => Some(cwd.join(below)),
            (cwd, below) => cwd.or(below.map(PathBuf::from)),
        },
        session: owned(&SESSIONS),
        agent: owned(&AGENTS),
        call: owned(&CALLS),
        shell: tool.and_then(shell_of).unwrap_or(Shell::Posix),
    })
}

enum Kind {
    Before,
    Asking,
    Start,
    After,
    Batch,
    AgentEnd,
    Other,
}

/// What kind of event it is. Copilot's, agy's, Grok's and our plugin's payloads name none, and
/// are told by what they hold.
fn kind(name: &str, payload: &Value) -> Option<Kind> {
    let has = |key: &str| payload.get(key).is_some();
    Some(match name {
        "PreToolUse"
        | "preToolUse"
        | "PreSkillShellCommand"
        | "BeforeTool"
        | "beforeShellExecution"
        | "pre_run_command" => Kind::Before,
        "PermissionRequest" | "permissionRequest" => Kind::Asking,
        "SessionStart" | "sessionStart" | "SubagentStart" | "subagentStart" => Kind::Start,
        "PostToolUse" | "PostToolUseFailure" | "postToolUse" => Kind::After,
        "PostToolBatch" => Kind::Batch,
        "SubagentStop" | "subagentStop" => Kind::AgentEnd,
        "" if has("toolResult") => Kind::After,
        "" if ["toolName", "toolCall", "tool", "tool_name", "preToolUse"].into_iter().any(has) => {
            Kind::Before
        }
        // Copilot's other events.
        "" if has("sessionId") || has("conversationId") => Kind::Other,
        "" => return None,
        _ => Kind::Other,
    })
}

/// The ids of a turn's calls.
fn batch(payload: &Value) -> Vec<String> {
    let calls = payload.get("tool_calls").and_then(Value::as_array);
    let id = |call: &Value| call.get("tool_use_id").and_then(Value::as_str).map(str::to_owned);
    calls.into_iter().flatten().filter_map(id).collect()
}

/// The language of what this tool runs; none where it runs no shell text.
pub fn shell_of(tool: &str) -> Option<Shell> {
    // Goose prefixes the extension, an MCP server its own name.
    let name = tool.rsplit("__").next().unwrap_or(tool);
    let shell = match name {
        "PowerShell" | "powershell" => Shell::PowerShell,
        _ => Shell::Posix,
    };
    SHELLS.contains(&name).then_some(shell)
}

/// The text that a shell is about to get; none where the tool is no shell.
fn command(payload: &Value, tool: Option<&str>) -> Result<Option<String>, String> {
    if tool.is_some_and(|tool| shell_of(tool).is_none()) {
        return Ok(None);
    }
    let found = LINES.iter().find_map(|pointer| payload.pointer(pointer));
    match found {
        // A shell leaves NULs out.
        Some(Value::String(line)) => Ok(Some(line.replace('\0', ""))),
        // The words of a command, as older Codex had them.
        Some(Value::Array(words)) => {
            let words: Option<Vec<BString>> =
                words.iter().map(|word| word.as_str().map(BString::from)).collect();
            let words = words.ok_or("has a command that is no text")?;
            Ok(Some(join(&words).to_string()))
        }
        Some(_) => Err("has a command that is no text".to_owned()),
        // Of an MCP server's tool only the name is like a shell's.
        None if tool.is_some_and(|tool| tool == "Monitor" || tool.starts_with("mcp__")) => Ok(None),
        None => Err("has no command".to_owned()),
    }
}

/// Copilot sends its arguments as JSON in a string (captured live).
fn open_arguments(payload: &mut Value) {
    let Some(arguments) = payload.get_mut("toolArgs") else { return };
    if let Some(inner) = arguments.as_str().and_then(|text| serde_json::from_str(text).ok()) {
        *arguments = inner;
    }
}

/// The first of these that is a text, and not an empty one.
fn text<'v>(payload: &'v Value, pointers: &[&str]) -> Option<&'v str> {
    let found = pointers.iter().filter_map(|pointer| payload.pointer(pointer)?.as_str());
    found.into_iter().find(|text| !text.is_empty())
}
