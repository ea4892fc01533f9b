//! The dialects of payloads and answers.

use bstr::BString;

use super::{
    Answer, Event, Reply, claude, cline, codex, copilot, cursor, gemini, goose, grok, status,
};

/// Whose payload it is, and so how it is answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dialect {
    Claude,
    Codex,
    /// Copilot CLI's own, in camel case.
    Copilot,
    /// Claude's shape as VS Code and Copilot CLI use it.
    VsCode,
    Cursor,
    Gemini,
    OpenCode,
    Qwen,
    Droid,
    Windsurf,
    Cline,
    Goose,
    Kiro,
    Augment,
    Agy,
    Grok,
}

impl Dialect {
    /// By the argument of `embargo hook`, the first name of each is the one that is told.
    pub const NAMED: [(&'static str, Dialect); 16] = [
        ("claude-code", Dialect::Claude),
        ("claude", Dialect::Claude),
        ("codex", Dialect::Codex),
        ("copilot", Dialect::Copilot),
        ("cursor", Dialect::Cursor),
        ("gemini", Dialect::Gemini),
        ("opencode", Dialect::OpenCode),
        ("qwen", Dialect::Qwen),
        ("droid", Dialect::Droid),
        ("windsurf", Dialect::Windsurf),
        ("cline", Dialect::Cline),
        ("goose", Dialect::Goose),
        ("kiro", Dialect::Kiro),
        ("augment", Dialect::Augment),
        ("agy", Dialect::Agy),
        ("grok", Dialect::Grok),
    ];

    /// The dialect that a name stands for.
    pub fn named(name: &[u8]) -> Option<Self> {
        Self::NAMED.iter().find(|(n, _)| n.as_bytes() == name).map(|(_, dialect)| *dialect)
    }

    /// The harness by the name that sessions are kept under.
    pub fn harness(self) -> &'static str {
        match self {
            Dialect::Claude => "claude",
            Dialect::Codex => "codex",
            Dialect::Copilot | Dialect::VsCode => "copilot",
            Dialect::Cursor => "cursor",
            Dialect::Gemini => "gemini",
            Dialect::OpenCode => "opencode",
            Dialect::Qwen => "qwen",
            Dialect::Droid => "droid",
            Dialect::Windsurf => "windsurf",
            Dialect::Cline => "cline",
            Dialect::Goose => "goose",
            Dialect::Kiro => "kiro",
            Dialect::Augment => "auggie",
            Dialect::Agy => "antigravity",
            Dialect::Grok => "grok",
        }
    }

    /// Does the payload have Claude's fields, so that only little tells it from Claude's?
    pub(super) fn has_claudes_fields(self) -> bool {
        matches!(
            self,
            Dialect::Claude
                | Dialect::Codex
                | Dialect::VsCode
                | Dialect::Qwen
                | Dialect::Droid
                | Dialect::Kiro
                | Dialect::Augment
        )
    }

    /// Can the harness ask its user about this command?
    ///
    /// Documented for Claude, Copilot, VS Code, Cursor's `beforeShellExecution` and Qwen; source for
    /// Gemini; measured for agy. Droid documents it and nobody has seen it. The others have none,
    /// and Codex runs a command whose hook says `ask` (source, 0.160).
    pub fn asks(self, event: &Event, name: &str) -> bool {
        match self {
            Dialect::Claude
            | Dialect::Copilot
            | Dialect::VsCode
            | Dialect::Qwen
            | Dialect::Gemini
            | Dialect::Agy => true,
            Dialect::Cursor => name == "beforeShellExecution",
            // It is about to ask anyway.
            Dialect::Codex => matches!(event, Event::Permission(_)),
            _ => false,
        }
    }

    /// Is there nobody to ask, by the arguments of a process above the hook?
    ///
    /// Measured (0.61.0): `gemini -p` waits on an ask for ever.
    pub fn asks_nobody(self, argv: &[BString]) -> bool {
        let name = |word: &BString| word.rsplit(|b| *b == b'/').next().map(<[u8]>::to_vec);
        let is_gemini = |word: &BString| name(word).is_some_and(|name| name.starts_with(b"gemini"));
        let at = argv.iter().position(is_gemini).filter(|_| self == Dialect::Gemini);
        let behind = at.and_then(|at| argv.get(at + 1..)).unwrap_or_default();
        behind.iter().any(|w| w == "-p" || w == "--prompt" || w.starts_with(b"--prompt="))
    }

    /// Does text get into the agent's context here, without a decision?
    ///
    /// Documented for Claude and Codex; of Claude's shape elsewhere, for beginnings only, inferred.
    pub fn takes_notes(self, event: &Event) -> bool {
        match event {
            Event::Start => matches!(self, Dialect::Claude | Dialect::Codex | Dialect::VsCode),
            Event::Command(_) | Event::Ended => matches!(self, Dialect::Claude | Dialect::Codex),
            Event::Permission(_) | Event::Batch(_) | Event::AgentEnded | Event::Other => false,
        }
    }

    /// Can a deny end the agent's turn and tell the user why?
    ///
    /// Documented for Claude (`continue`, and `interrupt` where a prompt was about to be shown; beside a
    /// deny 2.1.197 does not heed it, measured, hence [`Dialect::stop_turn`]) and for Copilot's `permissionRequest`; source for Gemini. Codex runs the command of a hook that says
    /// `continue: false` (source, 0.160); of VS Code and Qwen it is not known.
    pub fn stops(self, event: &Event) -> bool {
        match event {
            Event::Command(_) => matches!(self, Dialect::Claude | Dialect::Gemini),
            Event::Permission(_) => matches!(self, Dialect::Claude | Dialect::Copilot),
            _ => false,
        }
    }

    /// A deny that ends the agent's turn, only where [`Dialect::stops`]; `told` is for the user.
    pub fn stop(self, name: &str, text: &str, told: &str) -> Answer {
        match self {
            Dialect::Claude => claude::stop(name, text, told),
            Dialect::Gemini => gemini::stop(text, told),
            Dialect::Copilot => copilot::stop(text),
            _ => self.answer(name, Reply::Deny(text)),
        }
    }

    /// Ends a turn whose calls have ended, and tells the user why; for [`Event::Batch`].
    pub fn stop_turn(self, told: &str) -> Answer {
        match self {
            Dialect::Claude => claude::stop_turn(told),
            _ => Answer::default(),
        }
    }

    /// A word to the user, beside whatever happens; silence where that is not known to work.
    pub fn tell(self, name: &str, text: &str) -> Answer {
        match self {
            Dialect::Claude => claude::tell(text),
            _ => self.answer(name, Reply::Silence),
        }
    }

    /// The answer to an event of this name.
    pub fn answer(self, name: &str, reply: Reply<'_>) -> Answer {
        match self {
            Dialect::Claude => claude::answer_everywhere(name, reply),
            Dialect::VsCode | Dialect::Qwen => claude::answer(name, reply),
            Dialect::Codex => codex::answer(name, reply),
            Dialect::Copilot => copilot::answer(name, reply),
            Dialect::Cursor => cursor::answer(name, reply),
            Dialect::Gemini => gemini::answer(reply),
            Dialect::Agy => gemini::answer_of_agy(reply),
            Dialect::Cline => cline::answer(reply),
            Dialect::Goose => goose::answer(reply),
            Dialect::Grok => grok::answer(reply),
            Dialect::Windsurf
            | Dialect::Kiro
            | Dialect::Augment
            | Dialect::Droid
            | Dialect::OpenCode => status::answer(reply),
        }
    }

    /// When embargo itself failed: a command is denied, a beginning gets a note.
    pub fn failure(self, event: &Event, name: &str, text: &str) -> Answer {
        let reply = match event {
            Event::Command(_) | Event::Permission(_) => Reply::Deny(text),
            Event::Start if self.takes_notes(event) => Reply::Note(text),
            Event::Start | Event::Ended | Event::Batch(_) | Event::AgentEnded | Event::Other => {
                Reply::Silence
            }
        };
        self.answer(name, reply)
    }
}
