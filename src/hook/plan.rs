//! What is to stand where in a harness's configuration, so that it calls `embargo hook`.

use super::Dialect;

/// For whom it counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    /// Every project of this user.
    User,
    /// The project here.
    Project,
}

/// What a verb has done to a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Change {
    Written,
    /// It was as it is to be.
    Kept,
    /// As it was before us, to the byte.
    Restored,
    /// Ours is out; what others have changed since stays.
    Removed,
    /// There was nothing of ours.
    Absent,
}

/// How a harness is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Plan {
    /// Lines in a JSON file that may hold other things.
    Json(Json),
    /// A file of our own.
    Plugin,
    /// By a person: where, and what.
    ByHand { file: &'static str, snippet: &'static str },
}

/// Lines in a JSON file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Json {
    /// The file's own `version`, written where it has none.
    pub version: Option<u32>,
    pub layout: Layout,
    pub entries: &'static [Entry],
}

/// What an event's list holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Layout {
    /// Groups with a matcher and a list of handlers.
    Nested,
    /// Handlers.
    Flat,
}

/// One handler.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Entry {
    pub event: &'static str,
    pub matcher: Option<&'static str>,
    pub keys: &'static [(&'static str, Item)],
}

/// What a key of a handler holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Item {
    Text(&'static str),
    Number(u32),
    Yes,
    /// The call of embargo: what stands before and behind it is added.
    Call(&'static str),
}

/// The harnesses that are installed for, by the name that is told.
pub const INSTALLED: [&str; 6] =
    ["claude-code", "codex", "copilot", "cursor", "gemini", "opencode"];

/// Claude's tools that run shell text (documented).
const SHELLS: Option<&str> = Some("Bash|PowerShell|Monitor");
/// And those that start a sub-agent, by both of their names: what it was refused is told then.
const ENDINGS: Option<&str> = Some("Bash|PowerShell|Monitor|Task|Agent");

/// `onFailure` is from 2.1.295 on (typings); older versions ignore it. Seconds.
const CLAUDE_GUARD: &[(&str, Item)] = &[
    ("type", Item::Text("command")),
    ("command", Item::Call("")),
    ("timeout", Item::Number(10)),
    ("onFailure", Item::Text("block")),
];
const CLAUDE_NOTE: &[(&str, Item)] =
    &[("type", Item::Text("command")), ("command", Item::Call("")), ("timeout", Item::Number(10))];
const CLAUDE: &[Entry] = &[
    Entry { event: "PreToolUse", matcher: SHELLS, keys: CLAUDE_GUARD },
    // Commands in skills do not go through `PreToolUse` (documented).
    Entry { event: "PreSkillShellCommand", matcher: None, keys: CLAUDE_GUARD },
    Entry { event: "PostToolUse", matcher: ENDINGS, keys: CLAUDE_NOTE },
    Entry { event: "PostToolUseFailure", matcher: ENDINGS, keys: CLAUDE_NOTE },
    // Where a turn can be ended.
    Entry { event: "PostToolBatch", matcher: None, keys: CLAUDE_NOTE },
    Entry { event: "SessionStart", matcher: None, keys: CLAUDE_NOTE },
    Entry { event: "SubagentStart", matcher: None, keys: CLAUDE_NOTE },
    Entry { event: "SubagentStop", matcher: None, keys: CLAUDE_NOTE },
];

/// A crash or a binary that is gone becomes a block by `|| exit 2` alone. Seconds. The line is kept
/// stable: its hash is what is trusted.
const CODEX_GUARD: &[(&str, Item)] = &[
    ("type", Item::Text("command")),
    ("command", Item::Call(" || exit 2")),
    ("timeout", Item::Number(10)),
];
const CODEX: &[Entry] = &[
    Entry { event: "PreToolUse", matcher: Some("Bash"), keys: CODEX_GUARD },
    Entry { event: "PermissionRequest", matcher: Some("Bash"), keys: CODEX_GUARD },
    Entry { event: "PostToolUse", matcher: Some("Bash"), keys: CLAUDE_NOTE },
    Entry { event: "SessionStart", matcher: None, keys: CLAUDE_NOTE },
    Entry { event: "SubagentStart", matcher: None, keys: CLAUDE_NOTE },
    Entry { event: "SubagentStop", matcher: None, keys: CLAUDE_NOTE },
];

/// Seconds. The matcher is anchored by Copilot itself since 1.0.36 (documented).
const COPILOT: &[Entry] = &[Entry {
    event: "preToolUse",
    matcher: None,
    keys: &[
        ("type", Item::Text("command")),
        ("bash", Item::Call("")),
        ("timeoutSec", Item::Number(10)),
        ("matcher", Item::Text("bash|powershell")),
    ],
}];

/// Seconds.
const CURSOR: &[Entry] = &[Entry {
    event: "beforeShellExecution",
    matcher: None,
    keys: &[("command", Item::Call("")), ("timeout", Item::Number(10)), ("failClosed", Item::Yes)],
}];

/// Milliseconds.
const GEMINI: &[Entry] = &[Entry {
    event: "BeforeTool",
    matcher: Some("^run_shell_command$"),
    keys: &[
        ("type", Item::Text("command")),
        ("name", Item::Text("embargo")),
        ("command", Item::Call("")),
        ("timeout", Item::Number(10_000)),
    ],
}];

impl Dialect {
    /// How this harness is told.
    pub fn plan(self) -> Plan {
        let json = |version, layout, entries| Plan::Json(Json { version, layout, entries });
        let by_hand = |file, snippet| Plan::ByHand { file, snippet };
        match self {
            Dialect::Claude => json(None, Layout::Nested, CLAUDE),
            Dialect::Codex => json(None, Layout::Nested, CODEX),
            Dialect::Copilot | Dialect::VsCode => json(Some(1), Layout::Flat, COPILOT),
            Dialect::Cursor => json(Some(1), Layout::Flat, CURSOR),
            Dialect::Gemini => json(None, Layout::Nested, GEMINI),
            Dialect::OpenCode => Plan::Plugin,
            Dialect::Qwen => by_hand(
                "~/.qwen/settings.json, or .qwen/settings.json in a project",
                r#"{"hooks":{"PreToolUse":[{"matcher":"^run_shell_command$","hooks":[{"type":"command","command":"CALL","timeout":10000}]}]}}"#,
            ),
            Dialect::Droid => by_hand(
                "~/.factory/hooks.json (older versions: ~/.factory/settings.json)",
                r#"{"hooks":{"PreToolUse":[{"matcher":"Execute","hooks":[{"type":"command","command":"CALL","timeout":10}]}]}}"#,
            ),
            Dialect::Windsurf => by_hand(
                "~/.codeium/windsurf/hooks.json, or .windsurf/hooks.json in a project",
                r#"{"hooks":{"pre_run_command":[{"command":"CALL","show_output":true}]}}"#,
            ),
            Dialect::Cline => by_hand(
                "~/Documents/Cline/Hooks/PreToolUse (executable), or .clinerules/hooks/PreToolUse in a project",
                "#!/bin/sh\nexec CALL",
            ),
            Dialect::Goose => by_hand(
                "~/.agents/plugins/embargo/hooks/hooks.json, or the same below a project",
                r#"{"hooks":{"PreToolUse":[{"matcher":"developer__shell","hooks":[{"type":"command","command":"CALL","timeout":10,"on_failure":"block"}]}]}}"#,
            ),
            Dialect::Kiro => by_hand(
                "the agent in use, .kiro/agents/AGENT.json",
                r#"{"hooks":{"preToolUse":[{"matcher":"execute_bash","command":"CALL","timeout_ms":10000}]}}"#,
            ),
            Dialect::Augment => by_hand(
                "~/.augment/settings.json, or .augment/settings.json in a workspace",
                r#"{"hooks":{"PreToolUse":[{"matcher":"launch-process","hooks":[{"type":"command","command":"CALL"}]}]}}"#,
            ),
            Dialect::Agy => by_hand(
                "~/.gemini/config/hooks.json, or .agents/hooks.json in a project",
                r#"{"embargo":{"PreToolUse":[{"matcher":"run_command","hooks":[{"type":"command","command":"CALL"}]}]}}"#,
            ),
            Dialect::Grok => by_hand(
                "~/.grok/hooks/embargo.json",
                r#"{"hooks":{"PreToolUse":[{"matcher":"Bash","hooks":[{"type":"command","command":"CALL"}]}]}}"#,
            ),
        }
    }
}

/// The first line of the plugin, by which it is known.
pub const PLUGIN_MARK: &str =
    "// Written by `embargo hook install opencode`; `embargo hook uninstall opencode` removes it.";

/// OpenCode's plugin (typings 1.18): what it throws becomes the tool's error, and so does no verdict.
pub fn plugin(binary: &str) -> String {
    let binary = serde_json::Value::from(binary);
    format!(
        r#"{PLUGIN_MARK}
import {{ spawnSync }} from "node:child_process"

const EMBARGO = {binary}

export const Embargo = async (context) => ({{
  "tool.execute.before": async (input, output) => {{
    if (input.tool !== "bash" && input.tool !== "shell") return
    const payload = {{ tool: input.tool, sessionID: input.sessionID, callID: input.callID, cwd: context?.directory, args: output.args }}
    const verdict = spawnSync(EMBARGO, ["hook", "opencode"], {{ input: JSON.stringify(payload), encoding: "utf8", timeout: 5000 }})
    if (verdict.status !== 0) {{
      throw new Error((verdict.stderr || "embargo gave no verdict, so the command was not run; a person runs `embargo doctor`").trim())
    }}
  }},
}})
"#
    )
}

/// The binary that a plugin of ours calls.
pub fn plugins_binary(text: &str) -> Option<String> {
    let line = text.lines().find_map(|line| line.strip_prefix("const EMBARGO = "))?;
    text.starts_with(PLUGIN_MARK).then(|| serde_json::from_str(line).ok())?
}
