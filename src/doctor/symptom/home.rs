//! Whether shims have what they need.

use std::path::PathBuf;

use super::super::place::{Access, Place};
use super::Weight;

/// What shims need: their places, their record, and this binary.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Home {
    Ready {
        place: Place,
        path: PathBuf,
    },
    WillBeMade {
        place: Place,
        path: PathBuf,
    },
    /// It is recorded, so that shims run nothing without it.
    Gone {
        path: PathBuf,
    },
    Unwritable {
        place: Place,
        path: PathBuf,
        access: Access,
    },
    OthersMayWrite {
        place: Place,
        path: PathBuf,
        mode: u32,
    },
    OfAnother {
        place: Place,
        path: PathBuf,
        owner: u32,
    },
    NotADirectory {
        place: Place,
        path: PathBuf,
    },
    NoHome,
    Whole {
        rows: u64,
    },
    ChainBroken {
        seq: i64,
        file: PathBuf,
    },
    LogUnreadable {
        why: String,
        file: PathBuf,
    },
    Recorded {
        state: PathBuf,
    },
    NotRecorded {
        shim: Option<String>,
    },
    /// With a shim whose installation writes it anew.
    RecordUnusable {
        why: String,
        shim: Option<String>,
    },
    NoDirectory,
    Static,
    StaticButMovable,
    Dynamic,
    NoElf,
    Alone,
    OtherBinary {
        path: PathBuf,
    },
    OtherShims {
        path: PathBuf,
    },
}

impl Home {
    pub(super) fn weight(&self) -> Weight {
        use Home::*;
        match self {
            Ready { .. } | WillBeMade { .. } | Whole { .. } | Recorded { .. } | Static | Alone => {
                Weight::Ok
            }
            NoHome | NoDirectory | NoElf => Weight::NotChecked,
            OfAnother { .. }
            | StaticButMovable
            | Dynamic
            | OtherBinary { .. }
            | OtherShims { .. } => Weight::Note,
            Gone { .. }
            | Unwritable { .. }
            | OthersMayWrite { .. }
            | NotADirectory { .. }
            | ChainBroken { .. }
            | LogUnreadable { .. }
            | NotRecorded { .. }
            | RecordUnusable { .. } => Weight::Finding,
        }
    }
}
