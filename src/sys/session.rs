//! Which session a call belongs to, and which harness made it. Names label and
//! count; they never switch anything off.

#[cfg(test)]
mod tests;

use super::processes::SessionProcess;
use super::raw;
use crate::policy::Ancestry;

/// A harness: how its tool calls are known, and the variable that holds its session's id.
struct Harness {
    name: &'static str,
    /// Set in the environment of its tool calls, best first.
    markers: &'static [&'static str],
    session: Option<&'static str>,
}

const fn harness(
    name: &'static str,
    markers: &'static [&'static str],
    session: Option<&'static str>,
) -> Harness {
    Harness { name, markers, session }
}

/// Who sets a marker for tool calls alone stands before who sets it for terminals too.
const HARNESSES: [Harness; 15] = [
    harness("codex", &["CODEX_THREAD_ID", "CODEX_CI", "CODEX_SANDBOX"], Some("CODEX_THREAD_ID")),
    harness("claude", &["CLAUDE_CODE_CHILD_SESSION", "CLAUDECODE"], Some("CLAUDE_CODE_SESSION_ID")),
    harness("copilot", &["COPILOT_CLI"], Some("COPILOT_AGENT_SESSION_ID")),
    harness("gemini", &["GEMINI_CLI"], Some("GEMINI_SESSION_ID")),
    harness("qwen", &["QWEN_CODE"], None),
    harness("opencode", &["OPENCODE"], None),
    harness("goose", &["GOOSE_TERMINAL"], None),
    harness("amp", &["AMP_CURRENT_THREAD_ID"], Some("AMP_CURRENT_THREAD_ID")),
    harness("auggie", &["AUGMENT_AGENT"], None),
    harness("antigravity", &["ANTIGRAVITY_AGENT"], None),
    harness("cline", &["CLINE_ACTIVE"], None),
    harness("pi", &["PI_CODING_AGENT"], None),
    harness("crush", &["CRUSH"], None),
    harness("cursor", &["CURSOR_AGENT", "CURSOR_TRACE_ID"], None),
    harness("replit", &["REPL_ID"], None),
];

/// Variables whose value is the name of an agent: hints that anybody may set.
const NAMING: [&str; 2] = ["AGENT", "AI_AGENT"];

/// Harnesses without a marker, by their process.
const BY_PROCESS: [&str; 4] = ["droid", "windsurf", "devin", "kiro"];

/// What identifies a session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SessionId {
    /// The process that the home record names.
    Recorded(SessionProcess),
    /// `EMBARGO_SESSION`, where nothing is recorded.
    Named(String),
    /// The harness's own id.
    Harness {
        name: &'static str,
        id: String,
    },
    /// The leader of the terminal session.
    Terminal(SessionProcess),
    /// The pid namespace, where the terminal session's leader is outside of it: a container.
    Namespace(String),
    Unknown,
}

/// Who is asking.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Session {
    /// What offences are counted by.
    pub id: SessionId,
    /// For people: `EMBARGO_SESSION` where it is set, whatever counts.
    pub label: String,
    /// The harness, where known.
    pub agent: Option<String>,
}

/// What a session is told by.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Facts {
    pub recorded: Option<SessionProcess>,
    /// Variables that are set and not empty, of those in [`variables`].
    pub variables: Vec<(&'static str, String)>,
    pub terminal: Option<SessionProcess>,
    /// This process's pid namespace, where the system tells.
    pub namespace: Option<String>,
    /// A harness among the ancestors that sets no marker.
    pub ancestor: Option<&'static str>,
    /// The harness that asked by a hook, and what it calls the session.
    pub asker: Option<(&'static str, Option<String>)>,
}

/// Every variable that is looked at.
pub fn variables() -> impl Iterator<Item = &'static str> {
    let of_harnesses = HARNESSES.iter().flat_map(|h| h.markers.iter().copied().chain(h.session));
    ["EMBARGO_SESSION"].into_iter().chain(NAMING).chain(of_harnesses)
}

/// Every harness that is known by a variable.
pub fn harnesses() -> impl Iterator<Item = &'static str> {
    HARNESSES.iter().map(|harness| harness.name)
}

/// Decides by facts alone: recorded process, `EMBARGO_SESSION`, the harness's id, terminal.
pub fn identify(facts: &Facts) -> Session {
    let marked = HARNESSES.iter().find(|h| h.markers.iter().any(|m| facts.value(m).is_some()));
    let named = facts.value("EMBARGO_SESSION");
    let of_harness = || {
        let marked = marked.filter(|h| h.session.is_some_and(|s| facts.value(s).is_some()));
        let any = || HARNESSES.iter().find(|h| h.session.is_some_and(|s| facts.value(s).is_some()));
        let harness = marked.or_else(any)?;
        let id = clean(facts.value(harness.session?)?);
        Some(SessionId::Harness { name: harness.name, id })
    };
    // What a hook is told counts like the variable, and is surer.
    let of_asker = || {
        let (name, id) = facts.asker.as_ref()?;
        Some(SessionId::Harness { name, id: clean(id.as_deref()?) })
    };
    let id = facts
        .recorded
        .map(SessionId::Recorded)
        .or_else(|| named.map(|name| SessionId::Named(clean(name))))
        .or_else(of_asker)
        .or_else(of_harness)
        .or_else(|| facts.terminal.map(SessionId::Terminal))
        .or_else(|| facts.namespace.clone().map(SessionId::Namespace))
        .unwrap_or(SessionId::Unknown);
    let asker = facts.asker.as_ref().map(|(name, _)| *name);
    let agent = asker
        .or(marked.map(|harness| harness.name))
        .map(str::to_owned)
        .or_else(|| NAMING.iter().find_map(|v| facts.value(v)).and_then(agent_name))
        .or_else(|| facts.ancestor.map(str::to_owned));
    Session { label: named.map_or_else(|| id.key(), clean), id, agent }
}

/// Gathers: `variable` looks one up, the terminal session is this process's.
pub fn facts(
    recorded: Option<SessionProcess>,
    ancestry: &Ancestry,
    variable: impl Fn(&str) -> Option<String>,
) -> Facts {
    let set = |name| variable(name).filter(|value| !value.is_empty()).map(|value| (name, value));
    Facts {
        recorded,
        variables: variables().filter_map(set).collect(),
        namespace: std::fs::read_link("/proc/self/ns/pid")
            .ok()
            .map(|link| clean(&link.to_string_lossy())),
        // A leader that has ended still names its session.
        terminal: raw::session_leader()
            .map(|pid| SessionProcess::of(pid).unwrap_or(SessionProcess { pid, start: 0 })),
        ancestor: BY_PROCESS.into_iter().find(|name| ancestry.has(name)),
        asker: None,
    }
}

impl Facts {
    fn value(&self, name: &str) -> Option<&str> {
        self.variables.iter().find(|(n, _)| *n == name).map(|(_, value)| value.as_str())
    }
}

impl SessionId {
    /// The text that evidence is kept under.
    pub fn key(&self) -> String {
        match self {
            SessionId::Recorded(process) => format!("process:{process}"),
            SessionId::Named(name) => format!("named:{name}"),
            SessionId::Harness { name, id } => format!("{name}:{id}"),
            SessionId::Terminal(process) => format!("terminal:{process}"),
            SessionId::Namespace(namespace) => format!("container:{namespace}"),
            SessionId::Unknown => "unknown".to_owned(),
        }
    }
}

/// `AGENT=1` names nobody.
fn agent_name(value: &str) -> Option<String> {
    let is_name = value.starts_with(|c: char| c.is_ascii_alphabetic()) && value != "true";
    is_name.then(|| clean(value))
}

/// Anybody may set these: no control characters, and no length that hurts a log.
pub fn clean(value: &str) -> String {
    const LENGTH: usize = 128;
    value.chars().take(LENGTH).map(|c| if c.is_control() { '?' } else { c }).collect()
}
