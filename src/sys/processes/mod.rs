//! The processes above this one, read once: who called, below which tool call, and
//! when we began.

#[cfg(target_os = "linux")]
mod linux;
#[cfg(any(test, not(target_os = "linux")))]
mod ps;
mod shebang;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use bstr::BString;

#[cfg(target_os = "linux")]
use linux as system;
#[cfg(not(target_os = "linux"))]
use ps as system;

use crate::policy::{Ancestry, Caller, Process};

pub use system::began_ms;

/// More levels than any honest tree has.
const LEVELS: usize = 64;

/// A process for as long as it lives: a pid comes back, with another start.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SessionProcess {
    pub pid: u32,
    /// Linux: clock ticks since the machine started; elsewhere the date as digits.
    pub start: u64,
}

/// One process above this one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ancestor {
    pub id: SessionProcess,
    pub process: Process,
}

/// The processes above this one, nearest first, as far as they can be seen.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Lineage(pub Vec<Ancestor>);

/// What the system tells of one process.
struct Found {
    parent: u32,
    start: u64,
    process: Process,
}

impl SessionProcess {
    /// This process.
    pub fn current() -> Option<Self> {
        Self::of(std::process::id())
    }

    /// A running process.
    pub fn of(pid: u32) -> Option<Self> {
        Some(SessionProcess { pid, start: system::Table::read().find(pid)?.start })
    }
}

impl std::fmt::Display for SessionProcess {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}:{}", self.pid, self.start)
    }
}

/// The lineage of this process as the policy sees it. `script` is the variable `_`.
pub fn ancestry(
    session: Option<SessionProcess>,
    argv: &[BString],
    script: Option<BString>,
) -> Ancestry {
    Lineage::of_this_process(session).ancestry(argv, script)
}

impl Lineage {
    /// Up to the first process of the machine or container, itself included: in a
    /// container that may be the harness. A process that vanishes ends the list.
    pub fn of_this_process(session: Option<SessionProcess>) -> Self {
        let table = system::Table::read();
        let mut ancestors = Vec::new();
        let Some(mut below) = table.find(std::process::id()) else { return Lineage::default() };
        while below.parent != 0 && ancestors.len() < LEVELS {
            let pid = below.parent;
            // A parent that began after its child is another process with the same pid.
            let Some(found) = table.find(pid).filter(|f| f.start <= below.start) else { break };
            let id = SessionProcess { pid, start: found.start };
            let process = Process { is_session: session == Some(id), ..found.process.clone() };
            ancestors.push(Ancestor { id, process });
            below = found;
        }
        Lineage(ancestors)
    }

    /// As the policy sees it.
    pub fn ancestry(&self, argv: &[BString], script: Option<BString>) -> Ancestry {
        let processes = self.0.iter().map(|ancestor| Arc::new(ancestor.process.clone())).collect();
        Ancestry { processes, script, by_shebang: shebang::names_program(argv) }
    }

    /// The process that started this one.
    pub fn parent(&self) -> Option<&Ancestor> {
        self.0.first()
    }

    /// The tool call: the outermost process below the session or harness that runs
    /// command text, or that a shell with such text became.
    /// Where neither is seen, the nearest such shell: an outer one may have started
    /// the harness itself.
    pub fn call_id(&self) -> Option<String> {
        let is_top = |ancestor: &Ancestor| {
            ancestor.process.is_session || ancestor.process.caller() == Caller::Harness
        };
        let runs_text = |ancestor: &&Ancestor| ancestor.process.has_command_text();
        let Some(top) = self.0.iter().position(is_top) else {
            return self.0.iter().find(runs_text).map(|ancestor| ancestor.id.to_string());
        };
        let top = self.agent_below(top);
        let below = &self.0[..top];
        let became = below.last().filter(|last| last.was_command_text(&self.0[top]));
        let call = became.or_else(|| below.iter().rfind(runs_text));
        call.map(|ancestor| ancestor.id.to_string())
    }
}

impl Lineage {
    /// A session that is a shell or a runner (`make`, `npm`) has started the agent, perhaps by a
    /// shell with command text: the agent is the outermost program below it that has such a
    /// shell below itself.
    fn agent_below(&self, top: usize) -> usize {
        let session = &self.0[top].process;
        if session.caller() != Caller::Shell && !session.is_runner() {
            return top;
        }
        let is_program = |ancestor: &Ancestor| {
            ancestor.process.caller() == Caller::Program && !ancestor.process.is_runner()
        };
        let agent = self.0[..top].iter().rposition(is_program);
        let has_calls = |agent: &usize| {
            self.0[..*agent].iter().any(|ancestor| ancestor.process.has_command_text())
        };
        agent.filter(has_calls).unwrap_or(top)
    }
}

impl Ancestor {
    /// Did a shell with `-c` become this? A script or a program that a shell ran, where
    /// no shell is above it. A shell that may read many calls is none of them.
    fn was_command_text(&self, above: &Ancestor) -> bool {
        match (self.process.caller(), above.process.caller()) {
            (Caller::Shell, _) | (_, Caller::Shell | Caller::Script) => false,
            (Caller::Script, _) => true,
            _ => self.process.was_a_shell(&above.process),
        }
    }
}
