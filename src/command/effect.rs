//! What a command does to things: the closed words that rules and descriptions share.

use bstr::BString;
use serde::{Deserialize, Serialize};

/// One thing that a call does.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Effect {
    pub act: Act,
    pub on: Object,
}

/// What is done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Act {
    Creates,
    Deletes,
    Overwrites,
    Truncates,
    Appends,
    Moves,
    Resets,
    Runs,
    /// On its standard output.
    Prints,
}

/// What undergoes it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Object {
    /// A path as typed, joined to the directories that options name.
    Path(BString),
    /// The same, and nothing that is below it: a directory that holds something stays.
    Only(BString),
    /// Anything below this directory.
    Below(BString),
    /// Some of what is below it, by tests that nobody makes here.
    Among(BString),
    Thing(Thing),
    /// A program or script, by its basename.
    Program(BString),
}

/// What is known by name, and is no path.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Thing {
    Worktree,
    Index,
    Untracked,
    History,
    Stash,
    Remote,
    Environment,
    Container,
    Project,
    /// Text that came from elsewhere.
    Download,
    /// Text that nobody could read before: unpacked, decoded or decrypted.
    Decoded,
    /// What only the shell will know.
    Unknown,
}

impl Act {
    const ALL: [(&str, Act); 9] = [
        ("creates", Act::Creates),
        ("deletes", Act::Deletes),
        ("overwrites", Act::Overwrites),
        ("truncates", Act::Truncates),
        ("appends", Act::Appends),
        ("moves", Act::Moves),
        ("resets", Act::Resets),
        ("runs", Act::Runs),
        ("prints", Act::Prints),
    ];

    /// The act that a verb means.
    pub fn named(verb: &str) -> Option<Act> {
        Self::ALL.iter().find(|(name, _)| *name == verb).map(|(_, act)| *act)
    }

    /// The verb.
    pub fn name(self) -> &'static str {
        Self::ALL.iter().find(|(_, act)| *act == self).map_or("", |(name, _)| name)
    }

    /// Is what was there gone from its place?
    pub fn removes(self) -> bool {
        matches!(self, Act::Deletes | Act::Moves)
    }

    /// Does it put other bytes where some were?
    pub fn writes(self) -> bool {
        matches!(self, Act::Overwrites | Act::Truncates | Act::Appends)
    }

    /// May what was there be lost by it?
    pub fn destroys(self) -> bool {
        self.removes() || self.writes() || self == Act::Resets
    }

    /// All that may, as a set of what is done to paths.
    pub fn destructive() -> u32 {
        let all = Self::ALL.iter().map(|(_, act)| *act).filter(|act| act.destroys());
        all.fold(0, |set, act| set | act.bit())
    }

    /// As one of a set, done to paths and programs.
    pub fn bit(self) -> u32 {
        1 << self as u16
    }

    /// The same, done to things.
    pub fn bit_of_things(self) -> u32 {
        self.bit() << Self::ALL.len()
    }
}

impl Thing {
    const ALL: [(&str, Thing); 12] = [
        ("worktree", Thing::Worktree),
        ("index", Thing::Index),
        ("untracked", Thing::Untracked),
        ("history", Thing::History),
        ("stash", Thing::Stash),
        ("remote", Thing::Remote),
        ("environment", Thing::Environment),
        ("container", Thing::Container),
        ("project", Thing::Project),
        ("download", Thing::Download),
        ("decoded", Thing::Decoded),
        ("unknown", Thing::Unknown),
    ];

    /// The thing that is called so; `./stash` is a path.
    pub fn named(name: &str) -> Option<Thing> {
        Self::ALL.iter().find(|(known, _)| *known == name).map(|(_, thing)| *thing)
    }

    /// Is it text that is about to be run, as only a line shows?
    pub fn is_of_text(self) -> bool {
        matches!(self, Thing::Download | Thing::Decoded | Thing::Unknown)
    }

    /// What it is called.
    pub fn name(self) -> &'static str {
        Self::ALL.iter().find(|(_, thing)| *thing == self).map_or("", |(name, _)| name)
    }
}
