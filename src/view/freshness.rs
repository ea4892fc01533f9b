//! Is a view still what its sources say? A pure function of identities.

use serde::{Deserialize, Serialize};

use crate::policy::Layer;

/// What identifies the state of a file without reading it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Identity {
    pub device: u64,
    pub inode: u64,
    pub size: u64,
    /// Nanoseconds since the epoch.
    pub modified: i128,
    /// Nanoseconds since the epoch.
    pub changed: i128,
    /// Owned by root, in a directory that only root writes.
    pub rooted: bool,
}

/// A file that the policy was made from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SourceRecord {
    pub path: Vec<u8>,
    pub layer: Layer,
    pub standing: Standing,
    /// What it was when it was read; `None` when it was not there.
    pub identity: Option<Identity>,
}

/// How a source came to be one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Standing {
    /// Found by the search that every call repeats; in the view's key.
    Found,
    /// Known only from the policy itself: `extends`, a user's command descriptions.
    Drawn,
}

/// File systems that count seconds (FAT: two) show no fraction of one.
const SECONDS: i128 = 2_100_000_000;
/// The longest tick of a kernel's clock, twice.
const TICK: i128 = 20_000_000;

impl Identity {
    /// Of a file that was there, and can be told from no other: no file has it.
    pub const NONE: Identity =
        Identity { device: 0, inode: 0, size: 0, modified: 0, changed: 0, rooted: false };

    /// Could a write from now on leave the same times? Then they identify nothing yet.
    /// `now`: nanoseconds since the epoch, after the file was looked at and before it is read.
    pub fn is_young(&self, now: i128) -> bool {
        let last = if self.rooted { self.modified } else { self.changed };
        let step = if last % 1_000_000_000 == 0 { SECONDS } else { TICK };
        now < last + step
    }
}

/// Is what was recorded what is there now?
///
/// Root's own files are compared by size and mtime alone: a view baked into an
/// image stays good on another overlay, where inodes and ctimes differ.
pub fn is_current(recorded: Option<&Identity>, now: Option<&Identity>) -> bool {
    match (recorded, now) {
        (None, None) => true,
        (Some(a), Some(b)) if a.rooted && b.rooted => a.size == b.size && a.modified == b.modified,
        (Some(a), Some(b)) => a == b,
        (None, Some(_)) | (Some(_), None) => false,
    }
}
