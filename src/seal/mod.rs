//! Seals: what a passing check has proved, or a person has named, and which act of a command
//! threatens it. Pure: paths come canonical, and what is on the disk comes as data.

mod acceptance;
mod class;
mod drift;
mod forbidden;
mod index;
mod threat;

pub use acceptance::{Acceptance, Check, Dubious, Named, Said, dubious, listed, named};
pub use class::{Class, Standing, Tier};
pub use drift::{Change, Drift, drift};
pub use forbidden::{Forbidden, forbidden};
pub use index::{Damaged, Entry, Index, Mark, encode};
pub use threat::{Holds, Presence, Reach, Threat, Touch, threats};

use bstr::BString;

/// Names one seal in the ledger.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SealId(pub u64);

/// One sealed path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Seal {
    pub id: SealId,
    /// Without links in its directory; its own name may be one.
    pub path: BString,
    /// What a link leads to.
    pub target: Option<BString>,
    pub class: Class,
    pub tier: Tier,
    pub object: Object,
    /// Device and inode: by another name it is the same file.
    pub inode: (u64, u64),
    pub reason: Option<String>,
    pub alternative: Option<String>,
    pub at_ms: u64,
    pub session: String,
    pub standing: Standing,
    /// The check that proved it.
    pub check: Option<Check>,
    /// Where a policy protects it, without the ledger.
    pub origin: Option<String>,
}

/// One file or link of a sealed directory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Member {
    /// From the directory.
    pub path: BString,
    pub object: Object,
    pub inode: (u64, u64),
}

/// What was there when it was sealed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Object {
    File {
        digest: [u8; 32],
        size: u64,
        mode: u32,
        modified_ns: i64,
    },
    /// A directory and the regular files and links in it.
    Tree {
        digest: [u8; 32],
        files: u64,
    },
    /// A link, by what it says.
    Link {
        to: BString,
    },
}

impl Object {
    /// Does it hold other paths?
    pub fn holds(&self) -> Holds {
        match self {
            Object::Tree { .. } => Holds::Everything,
            Object::File { .. } | Object::Link { .. } => Holds::Nothing,
        }
    }
}

impl Seal {
    /// What the index files it under: the path, what it leads to, and the file itself.
    pub fn entry(&self) -> Entry {
        Entry {
            path: self.path.clone(),
            target: self.target.clone(),
            inode: matches!(self.object, Object::File { .. }).then_some(self.inode),
            mark: Mark {
                id: self.id,
                class: self.class,
                tier: self.tier,
                holds: self.object.holds(),
            },
        }
    }

    /// The same for a file in it.
    pub fn entry_of(&self, member: &Member) -> Entry {
        let mark = Mark { holds: Holds::Nothing, ..self.entry().mark };
        Entry {
            path: [self.path.as_slice(), b"/", &member.path].concat().into(),
            target: None,
            inode: matches!(member.object, Object::File { .. }).then_some(member.inode),
            mark,
        }
    }
}
