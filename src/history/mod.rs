//! Commands that were run before: read from the history of a shell or the transcript of a session,
//! so that a policy can be tried on them. Pure: nothing is judged here.

mod doubt;
mod shells;
mod transcript;

use std::path::PathBuf;

use bstr::ByteSlice as _;

use crate::hook::Shell;

pub use doubt::{Doubt, doubts, often};

/// A command that was run, or was to be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// Of the file, from 1.
    pub line: usize,
    pub command: String,
    pub shell: Shell,
    /// Where it ran, where that is known.
    pub cwd: Option<PathBuf>,
    pub came: Came,
}

/// What came of a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Came {
    Unknown,
    Succeeded,
    Failed,
    /// Embargo itself refused it.
    Refused,
}

/// What a file is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// Claude Code's, one JSON object a line.
    Transcript,
    Bash,
    /// With `EXTENDED_HISTORY`.
    Zsh,
    Fish,
}

impl Came {
    /// The name in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Came::Unknown => "unknown",
            Came::Succeeded => "succeeded",
            Came::Failed => "failed",
            Came::Refused => "refused",
        }
    }
}

impl Format {
    /// The name in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Format::Transcript => "claude-code",
            Format::Bash => "bash",
            Format::Zsh => "zsh",
            Format::Fish => "fish",
        }
    }
}

/// The commands of a file, in the order they stand there; what is not understood is passed over.
pub fn read(bytes: &[u8]) -> (Format, Vec<Entry>) {
    let format = format(bytes);
    let entries = match format {
        Format::Transcript => transcript::read(bytes),
        Format::Fish => shells::fish(&bytes.to_str_lossy()),
        Format::Zsh => shells::zsh(&shells::unmetafied(bytes).to_str_lossy()),
        Format::Bash => shells::bash(&bytes.to_str_lossy()),
    };
    (format, entries)
}

/// By the first lines.
fn format(bytes: &[u8]) -> Format {
    const LINES: usize = 50;
    let mut lines = bytes.lines().filter(|line| !line.trim().is_empty()).take(LINES);
    match lines.next() {
        Some(first) if first.trim_start().starts_with(b"{") => Format::Transcript,
        Some(first) if first.starts_with(b"- cmd: ") => Format::Fish,
        Some(first) if std::iter::once(first).chain(lines).any(shells::is_extended) => Format::Zsh,
        _ => Format::Bash,
    }
}
