//! What harnesses say before a command runs, and how they are answered: payload bytes →
//! [`Request`], [`Reply`] → [`Answer`]. One file for each family of answers. Pure: nothing here
//! judges, and nothing is read or written.
//!
//! Facts carry their grade where they stand: *source* (read in the harness's source or shipped
//! typings), *documented* (by its vendor), *measured* (on the program itself) or *inferred*. `docs/harnesses.md` has them by harness.

mod claude;
mod cline;
mod codex;
mod copilot;
mod cursor;
mod dialect;
mod gemini;
mod goose;
mod grok;
pub mod merge;
pub mod path;
pub mod plan;
mod recognise;
mod request;
mod status;
mod surrogates;
#[cfg(test)]
mod tests;

use serde_json::Value;

pub use dialect::Dialect;
pub use request::{BadPayload, Event, Request, Shell, read, shell_of};

/// What embargo has to say.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reply<'a> {
    /// No opinion: the harness does what it would have done, its own prompt included.
    Silence,
    /// The command does not run.
    Deny(&'a str),
    /// The harness asks its user; only where [`Dialect::asks`].
    Ask(&'a str),
    /// For the agent's context, beside whatever happens; only where [`Dialect::takes_notes`].
    Note(&'a str),
}

/// The bytes and the exit status that a harness reads.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Answer {
    pub stdout: String,
    pub stderr: String,
    pub status: Status,
}

/// What a hook ends with.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Status {
    /// 0: what counts is on standard output, if anything is.
    #[default]
    Done,
    /// 2: every harness but Cline takes it for a deny.
    Denied,
}

impl Answer {
    /// One object on standard output, exit 0.
    fn json(value: &Value) -> Self {
        Answer { stdout: format!("{value}\n"), ..Answer::default() }
    }

    /// The text on standard error, exit 2.
    fn denied(text: &str) -> Self {
        Answer { stderr: text.to_owned(), status: Status::Denied, ..Answer::default() }
    }
}

impl Status {
    /// The number.
    pub fn code(self) -> i32 {
        match self {
            Status::Done => 0,
            Status::Denied => 2,
        }
    }
}
