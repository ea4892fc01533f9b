//! What each harness's way of running a command makes of the PATH it was started with.

/// What becomes of a directory that was put in front before the harness was started.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OfPath {
    /// A snapshot of the shell is sourced, and PATH is then the one of the start.
    KeptInSnapshot,
    /// A plain shell, no start-up file.
    Kept,
    /// A login shell for each command: the profile has the last word.
    LoginShell,
    /// A dump of a login shell is restored before each command.
    LoginDump,
    /// The terminal of an editor: by the settings of both.
    Terminal,
    /// Likely kept, and never seen: this check, run by the agent, tells.
    Unknown,
}

/// By the name that embargo gives the harness.
pub fn of_path(harness: &str) -> OfPath {
    match harness {
        "claude" => OfPath::KeptInSnapshot,
        "copilot" | "gemini" | "qwen" | "opencode" => OfPath::Kept,
        "codex" => OfPath::LoginShell,
        "cursor" => OfPath::LoginDump,
        "cline" | "windsurf" => OfPath::Terminal,
        _ => OfPath::Unknown,
    }
}
