//! What a sealed path is to its check, and how firmly it is held.

use serde::{Deserialize, Serialize};

/// What the path is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Class {
    /// Made by the work that the check judged.
    Output,
    /// A directory whose files the check looked at.
    TreeRoot,
    /// The work tree that the check ran in: guarded against resets and removal as a whole.
    ResetRoot,
    /// The check's own script.
    Entry,
    /// What makes an output.
    Generator,
    /// What the check read.
    Input,
    /// Named by somebody, without a check: `embargo seal`.
    Kept,
}

/// How firmly; later is firmer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Tier {
    /// In a scratch zone: a warning, no more.
    Scratch,
    /// The override token counts.
    Soft,
    /// Only a person ends it.
    Hard,
}

/// What became of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Standing {
    Live,
    /// Overridden: to be proved again.
    Stale,
    Ended,
}

impl Class {
    pub const ALL: [(Class, &'static str); 7] = [
        (Class::Output, "output"),
        (Class::TreeRoot, "tree root"),
        (Class::ResetRoot, "reset root"),
        (Class::Entry, "entry"),
        (Class::Generator, "generator"),
        (Class::Input, "input"),
        (Class::Kept, "kept"),
    ];

    /// The name in the ledger, in JSON and in messages.
    pub fn name(self) -> &'static str {
        named(&Self::ALL, self)
    }

    pub fn of_name(name: &str) -> Option<Self> {
        of_name(&Self::ALL, name)
    }

    /// How firmly the class is held where nobody says otherwise (B14, B15).
    pub fn tier(self) -> Tier {
        match self {
            Class::Output | Class::TreeRoot | Class::ResetRoot | Class::Kept => Tier::Hard,
            Class::Entry | Class::Generator | Class::Input => Tier::Soft,
        }
    }
}

impl Tier {
    pub const ALL: [(Tier, &'static str); 3] =
        [(Tier::Scratch, "scratch"), (Tier::Soft, "soft"), (Tier::Hard, "hard")];

    pub fn name(self) -> &'static str {
        named(&Self::ALL, self)
    }

    pub fn of_name(name: &str) -> Option<Self> {
        of_name(&Self::ALL, name)
    }
}

impl Standing {
    pub const ALL: [(Standing, &'static str); 3] =
        [(Standing::Live, "live"), (Standing::Stale, "stale"), (Standing::Ended, "ended")];

    pub fn name(self) -> &'static str {
        named(&Self::ALL, self)
    }

    pub fn of_name(name: &str) -> Option<Self> {
        of_name(&Self::ALL, name)
    }
}

fn named<T: PartialEq>(all: &[(T, &'static str)], wanted: T) -> &'static str {
    all.iter().find(|(one, _)| *one == wanted).map_or("", |(_, name)| name)
}

fn of_name<T: Copy>(all: &[(T, &'static str)], wanted: &str) -> Option<T> {
    all.iter().find(|(_, name)| *name == wanted).map(|(one, _)| *one)
}
