//! Acts and seals → threats: what would not be as it was sealed any more.

use bstr::BString;

use crate::command::Act;

use super::index::ancestors;
use super::{Class, Damaged, Index, Seal, SealId, Tier};

/// What a sealed path holds besides itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Holds {
    Nothing = 0,
    /// All that is below it.
    Everything = 1,
    /// All that is below it, whenever it came.
    Whatever = 2,
}

/// One path that a call would touch, as it is on the disk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Touch {
    pub act: Act,
    /// Canonical.
    pub path: BString,
    pub presence: Presence,
    /// Device and inode of a file that is written in place.
    pub inode: Option<(u64, u64)>,
    /// What is below it undergoes the act too, and with `Inside` only that.
    pub reach: Reach,
}

/// What is at the path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Presence {
    Absent,
    File,
    Directory,
}

/// How far an act goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reach {
    /// The path and nothing below it.
    Alone,
    /// The path and all below.
    Whole,
    /// What is below.
    Inside,
}

/// A seal that an act would break.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Threat {
    pub seal: SealId,
    pub class: Class,
    pub tier: Tier,
    pub act: Act,
    /// What would be touched.
    pub path: BString,
    /// The program whose call it is, as it was called.
    pub by: String,
    /// The seal in full, where the ledger could be read.
    pub sealed: Option<Seal>,
    /// The call without what is sealed; empty where nothing is left of it.
    pub rest: Vec<BString>,
}

impl Threat {
    /// What it is recorded and counted under.
    pub fn id(&self) -> String {
        format!("seal:{}", self.sealed.as_ref().map_or(&self.path, |seal| &seal.path))
    }

    /// The sealed path that would not be as it was: of a sealed directory the file in it.
    pub fn place(&self) -> &BString {
        match &self.sealed {
            Some(seal) if !self.path.starts_with(seal.path.as_slice()) => &seal.path,
            _ => &self.path,
        }
    }
}

/// Which seals these touches break; each seal once, the firmest first. An index that is
/// damaged says so.
pub fn threats(touches: &[Touch], index: &Index<'_>) -> Result<Vec<Threat>, Damaged> {
    let mut found: Vec<Threat> = Vec::new();
    for touch in touches {
        let mut add = |id: SealId, class: Class, tier: Tier| {
            if !found.iter().any(|threat| threat.seal == id) {
                let (act, path) = (touch.act, touch.path.clone());
                found.push(Threat {
                    seal: id,
                    class,
                    tier,
                    act,
                    path,
                    by: String::new(),
                    sealed: None,
                    rest: Vec::new(),
                });
            }
        };
        if touch.reach != Reach::Inside {
            for mark in index.of(&touch.path)?.iter().filter(|m| touch.meets(m.class)) {
                add(mark.id, mark.class, mark.tier);
            }
        }
        // What is not there yet may come.
        let is_lost = touch.presence != Presence::Absent && touch.meets(Class::Kept);
        let own = (touch.reach == Reach::Inside).then_some(touch.path.as_slice());
        for directory in own.into_iter().chain(ancestors(&touch.path)).filter(|_| is_lost) {
            let all = index.of(directory)?;
            for mark in all.iter().filter(|mark| mark.holds == Holds::Whatever) {
                add(mark.id, mark.class, mark.tier);
            }
        }
        // In a tree each file is sealed by itself; only what a reset brings back is not known by name.
        for directory in ancestors(&touch.path).filter(|_| touch.act == Act::Resets) {
            let roots = index.of(directory)?;
            for mark in roots.iter().filter(|mark| mark.class == Class::ResetRoot) {
                add(mark.id, mark.class, mark.tier);
            }
        }
        if touch.reach != Reach::Alone
            && let Some(mark) = index.below(&touch.path)?
        {
            add(mark.id, mark.class, mark.tier);
        }
        if let Some((device, inode)) = touch.inode.filter(|_| touch.act.writes()) {
            for (_, mark) in index.of_inode(device, inode)? {
                add(mark.id, mark.class, mark.tier);
            }
        }
    }
    found.sort_by_key(|threat| (std::cmp::Reverse(threat.tier), threat.seal));
    Ok(found)
}

impl Touch {
    /// Does it break a seal of this class that stands on its very path?
    fn meets(&self, class: Class) -> bool {
        match class {
            Class::ResetRoot => self.act.removes() || self.act == Act::Resets,
            Class::Generator if self.act == Act::Runs => true,
            _ => self.act.removes() || self.act == Act::Resets || self.writes(),
        }
    }

    /// Writing to a directory changes nothing of it: what is written is in it, and is asked
    /// about by its own path.
    fn writes(&self) -> bool {
        self.act.writes() && self.presence != Presence::Directory
    }
}
