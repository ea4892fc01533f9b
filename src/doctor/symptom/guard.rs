//! Whether shims serve.

use std::path::PathBuf;

use crate::policy::Layer;

use super::super::canary::Came;
use super::Weight;

/// What a shim does that is met.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Guard {
    NoShims,
    Becomes {
        name: String,
        program: String,
    },
    /// Nothing is behind it, and a rule refuses it: that is what it is for.
    OnlyRefuses {
        name: String,
    },
    NothingBehind {
        name: String,
    },
    /// Its link leads nowhere; wanted by a rule, or because a program is there.
    Dangling {
        name: String,
        target: PathBuf,
        is_wanted: bool,
    },
    OtherVersion {
        name: String,
        target: PathBuf,
    },
    /// Nobody knows whose it is.
    Foreign {
        name: String,
    },
    AllShimmed {
        names: usize,
    },
    Unshimmed {
        names: Vec<String>,
    },
    /// Names that no agent has any business calling, and no program has.
    ReservedUnshimmed {
        names: Vec<String>,
    },
    NoPolicy,
    Untrusted,
    /// By a rule in force, or by one that was made for it.
    Refused {
        rule: Option<String>,
        call: String,
    },
    LetThrough {
        call: String,
    },
    NotRefused {
        rule: Option<String>,
        call: String,
        came: Came,
    },
    NotLetThrough {
        call: String,
        came: Came,
    },
    NoCanary {
        why: String,
    },
    Sound {
        file: PathBuf,
        layer: Layer,
    },
    Broken {
        file: PathBuf,
        layer: Layer,
        fault: String,
    },
    /// A file that a policy extends, or a description of commands.
    BrokenBeside {
        file: String,
        fault: String,
    },
}

impl Guard {
    pub(super) fn weight(&self) -> Weight {
        use Guard::*;
        match self {
            Becomes { .. }
            | OnlyRefuses { .. }
            | AllShimmed { .. }
            | Refused { .. }
            | LetThrough { .. }
            | Sound { .. } => Weight::Ok,
            Untrusted | NoCanary { .. } => Weight::NotChecked,
            OtherVersion { .. } | Foreign { .. } | ReservedUnshimmed { .. } | NoPolicy => {
                Weight::Note
            }
            NoShims
            | NothingBehind { .. }
            | Dangling { .. }
            | Unshimmed { .. }
            | NotRefused { .. }
            | NotLetThrough { .. }
            | Broken { .. }
            | BrokenBeside { .. } => Weight::Finding,
        }
    }
}
