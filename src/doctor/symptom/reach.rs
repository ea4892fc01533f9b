//! Whether shims are met.

use std::path::PathBuf;

use super::super::path::Met;
use super::super::shell::StartUp;
use super::Weight;

/// Whether a shim is met when its name is called.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reach {
    First,
    /// First by what this process has on PATH; the start-up files of a new shell do not say so.
    Inherited {
        start_up: Option<StartUp>,
    },
    NoDirectory,
    Behind {
        before: Vec<PathBuf>,
        met: Vec<Met>,
        start_up: Option<StartUp>,
    },
    NotOnPath {
        start_up: Option<StartUp>,
    },
    NotAsked(NotAsked),
    MetByName {
        names: usize,
    },
    Alias {
        name: String,
        text: String,
        start_up: Option<StartUp>,
    },
    AliasToShim {
        name: String,
        command: String,
    },
    /// It needs what is not there.
    AliasToNothing {
        name: String,
        text: String,
        missing: String,
        start_up: Option<StartUp>,
    },
    Function {
        name: String,
        start_up: Option<StartUp>,
    },
    /// Its text has `command NAME`.
    FunctionAround {
        name: String,
    },
    Builtin {
        name: String,
    },
    /// The shell has kept another file than the first on PATH.
    Remembered {
        name: String,
        path: PathBuf,
        start_up: Option<StartUp>,
    },
    NoHarness,
    Harness {
        name: String,
        variables: Vec<&'static str>,
    },
}

/// Why a shell has not said anything.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NotAsked {
    NoShell,
    UnknownShell(String),
    NotStarted { shell: String, why: String },
    TimedOut { call: String, seconds: u64 },
    Silent { call: String },
    Interrupted,
    NoDirectory,
    NoNames,
}

impl Reach {
    pub(super) fn weight(&self) -> Weight {
        use Reach::*;
        match self {
            First | MetByName { .. } | NoHarness => Weight::Ok,
            NotAsked(_) => Weight::NotChecked,
            Inherited { .. }
            | AliasToShim { .. }
            | FunctionAround { .. }
            | Builtin { .. }
            | Harness { .. } => Weight::Note,
            NoDirectory
            | Behind { .. }
            | NotOnPath { .. }
            | Alias { .. }
            | AliasToNothing { .. }
            | Function { .. }
            | Remembered { .. } => Weight::Finding,
        }
    }
}
