//! The evidence log: one row for everything that was not a plain pass (A19),
//! each hashed over the one before, in SQLite under a lock of our own.
//!
//! What the chain shows: a row changed, removed, inserted or moved, and rows cut
//! off at the end while the head record stayed. What it cannot show under one
//! user id: whoever may write the file may also compute a chain that fits (the
//! hash has no secret), put an older copy of the whole store back, empty it or
//! remove it. It is tamper-evident against accident and carelessness; "cannot"
//! needs another user id. `told` is a mark for readers and outside the chain.
//!
//! Nothing here decides a verdict: a caller goes on with its refusal whatever
//! [`EvidenceError`] it gets. A damaged store stays where it is, as it is.

mod chain;
mod offence;
mod read;
mod record;
mod schema;

use std::path::PathBuf;

use bstr::BString;

use super::clock;

pub use chain::{Chain, Fault, verify};
pub use read::{Filter, Row, last, mark_told, pending, rows};
pub use record::record;

/// None of these changes a verdict.
pub use super::store::StoreError as EvidenceError;

/// What happened, by its stable name in the log.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Kind {
    /// Refused by a rule or a reserved name (86).
    #[default]
    Refused,
    /// Refused until a person approves (87).
    Asked,
    /// Passed with a word of warning.
    Warned,
    /// Refused because a seal would be broken (86).
    Sealed,
    /// A seal was set, ended, restored, overridden, or found broken: no verdict by itself.
    Seal,
    /// Policy or state could not be trusted (88).
    Broken,
    /// Something a person or agent has to be told, no verdict by itself.
    Notice,
    /// Asked about by a harness, and passed since its user allowed it.
    Allowed,
}

/// Names one row: `e_` and a ULID.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EvidenceId(pub String);

/// What is to be recorded, as it was: secrets are taken out on the way in.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Event {
    pub kind: Kind,
    /// The rule that offences are counted under.
    pub rule: String,
    /// All rules that hit.
    pub rules: Vec<String>,
    pub verdict: String,
    pub exit: i32,
    /// Where it was seen: `shim`, `check`, `run` …
    pub door: String,
    /// The session that offences are counted in.
    pub session: String,
    /// The harness, where known.
    pub agent: Option<String>,
    /// The tool call that it happened below: any text, equal for equal calls.
    pub call: Option<String>,
    pub pid: u32,
    pub ppid: u32,
    /// argv of the parent process.
    pub parent: Vec<BString>,
    /// The name that was called.
    pub program: String,
    pub argv: Vec<BString>,
    /// How a line was taken apart, by its name; `None` for what is no line.
    pub way: Option<&'static str>,
    pub cwd: PathBuf,
    /// The latest moment at which the process may have begun, in milliseconds since 1970.
    pub began_ms: u64,
    /// Somebody was seen to read it.
    pub told: bool,
}

/// What a recorded event turned out to be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Recorded {
    pub id: EvidenceId,
    /// How often the session has now offended against the rule; 0 for what is no refusal.
    pub offence: u32,
    /// An earlier row is of the same offence: the same tool call, or one that ran at the same time.
    pub repeat_of_same_call: bool,
    /// A person is to be told, now and for this offence only once.
    pub surface: bool,
}

impl Kind {
    /// Every kind with its name.
    pub const ALL: [(Kind, &'static str); 8] = [
        (Kind::Refused, "refused"),
        (Kind::Asked, "asked"),
        (Kind::Warned, "warned"),
        (Kind::Sealed, "sealed"),
        (Kind::Seal, "seal"),
        (Kind::Broken, "broken"),
        (Kind::Notice, "notice"),
        (Kind::Allowed, "allowed"),
    ];

    pub fn name(self) -> &'static str {
        Self::ALL.iter().find(|(kind, _)| *kind == self).map_or("", |(_, name)| name)
    }

    /// Was a call not made for it?
    pub fn is_refusal(self) -> bool {
        matches!(self, Kind::Refused | Kind::Asked | Kind::Sealed)
    }

    /// The kind of that name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.iter().find(|(_, n)| *n == name).map(|(kind, _)| *kind)
    }

    /// Only what was refused is an offence.
    fn is_offence(self) -> bool {
        self.is_refusal()
    }
}

impl EvidenceId {
    /// A new one, sorted by this moment.
    pub fn fresh() -> Self {
        let mut random = [0; 16];
        if getrandom::fill(&mut random).is_err() {
            random = clock::now_ns().to_le_bytes();
        }
        let id = ulid::Ulid::from_parts(clock::now_ms(), u128::from_le_bytes(random));
        EvidenceId(format!("e_{id}"))
    }
}

impl std::fmt::Display for EvidenceId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}
