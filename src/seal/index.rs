//! Sealed paths as bytes that a shim maps: a look-up costs the depth of a path, not the number
//! of seals. Every read is checked, and what is damaged is no index. The layout has a number of
//! its own, so that one embargo reads what another has written.

use std::collections::BTreeMap;

use bstr::{BString, ByteSlice};

use super::{Class, Holds, SealId, Tier};

const MAGIC: &[u8; 8] = b"embargoL";
const FORMAT: u32 = 1;
/// Magic, format, length, slots, and the check over these.
const HEADER: usize = 24;
/// Hash, offset, check.
const SLOT: usize = 16;
/// Class, tier, what it holds, and the seal.
const MARK: usize = 11;

/// What a seal says of its path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Mark {
    pub id: SealId,
    pub class: Class,
    pub tier: Tier,
    pub holds: Holds,
}

/// A seal as the index files it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    pub path: BString,
    pub target: Option<BString>,
    pub inode: Option<(u64, u64)>,
    pub mark: Mark,
}

/// An index over bytes, mapped or in memory.
#[derive(Debug, Clone, Copy)]
pub struct Index<'a> {
    bytes: &'a [u8],
    slots: usize,
}

/// These bytes are no index, or a damaged one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Damaged;

#[derive(Debug, Clone, Copy)]
enum Key<'k> {
    /// Sealed itself.
    Path(&'k [u8]),
    /// Something sealed is below it.
    Above(&'k [u8]),
    /// The same file by another name.
    Inode(u64, u64),
}

/// Lays the entries out. Deterministic: the same entries give the same bytes.
pub fn encode(entries: &[Entry]) -> Vec<u8> {
    let mut table: BTreeMap<u64, Vec<u8>> = BTreeMap::new();
    let mut add = |key: Key<'_>, mark: Mark, path: &[u8]| {
        let record = table.entry(key.hash()).or_default();
        record.extend((path.len() as u32).to_le_bytes());
        record.extend(path);
        record.extend(mark.write());
    };
    let mut above: BTreeMap<&[u8], Mark> = BTreeMap::new();
    for entry in entries {
        let paths = [Some(&entry.path), entry.target.as_ref()];
        for path in paths.into_iter().flatten() {
            add(Key::Path(path), entry.mark, path);
            for directory in ancestors(path) {
                let firmest = above.entry(directory).or_insert(entry.mark);
                if entry.mark.tier > firmest.tier {
                    *firmest = entry.mark;
                }
            }
        }
        if let Some((device, inode)) = entry.inode {
            add(Key::Inode(device, inode), entry.mark, &entry.path);
        }
    }
    for (directory, mark) in above {
        add(Key::Above(directory), mark, directory);
    }
    lay_out(&table)
}

/// Open addressing, at most half full; then the records, each with its length and its check.
fn lay_out(table: &BTreeMap<u64, Vec<u8>>) -> Vec<u8> {
    let count = (table.len() * 2).next_power_of_two().max(8);
    let mut bytes = vec![0; HEADER + count * SLOT];
    for (hash, record) in table {
        let offset = bytes.len() as u32;
        let mut at = *hash as usize & (count - 1);
        while bytes[HEADER + at * SLOT..HEADER + at * SLOT + 8] != [0; 8] {
            at = (at + 1) & (count - 1);
        }
        let slot = &mut bytes[HEADER + at * SLOT..HEADER + (at + 1) * SLOT];
        slot[..8].copy_from_slice(&hash.to_le_bytes());
        slot[8..12].copy_from_slice(&offset.to_le_bytes());
        let sum = check(&slot[..12]);
        slot[12..].copy_from_slice(&sum.to_le_bytes());
        let length = (record.len() as u32).to_le_bytes();
        bytes.extend(length);
        bytes.extend(check(record).to_le_bytes());
        bytes.extend(record);
    }
    let length = bytes.len() as u32;
    bytes[..8].copy_from_slice(MAGIC);
    bytes[8..12].copy_from_slice(&FORMAT.to_le_bytes());
    bytes[12..16].copy_from_slice(&length.to_le_bytes());
    bytes[16..20].copy_from_slice(&(count as u32).to_le_bytes());
    let sum = check(&bytes[..20]);
    bytes[20..24].copy_from_slice(&sum.to_le_bytes());
    bytes
}

impl<'a> Index<'a> {
    /// Takes bytes as an index.
    pub fn open(bytes: &'a [u8]) -> Result<Self, Damaged> {
        let head = bytes.get(..HEADER).ok_or(Damaged)?;
        let field = |at| u32_at(head, at).unwrap_or_default();
        let slots = field(16) as usize;
        let fits = head.starts_with(MAGIC)
            && field(20) == check(&head[..20])
            && field(8) == FORMAT
            && field(12) as usize == bytes.len()
            && slots.is_power_of_two()
            && slots <= (bytes.len() - HEADER) / SLOT;
        fits.then_some(Index { bytes, slots }).ok_or(Damaged)
    }

    /// Is nothing sealed?
    pub fn is_empty(&self) -> bool {
        self.bytes.len() == HEADER + self.slots * SLOT
    }

    /// The seals of this very path.
    pub fn of(&self, path: &[u8]) -> Result<Vec<Mark>, Damaged> {
        Ok(self
            .records(Key::Path(path))?
            .into_iter()
            .filter(|r| r.0 == path)
            .map(|r| r.1)
            .collect())
    }

    /// The firmest seal below this directory.
    pub fn below(&self, directory: &[u8]) -> Result<Option<Mark>, Damaged> {
        let found = self.records(Key::Above(directory))?;
        Ok(found.into_iter().find(|r| r.0 == directory).map(|r| r.1))
    }

    /// Seals of the file that has this device and inode, with the paths that it was sealed by.
    pub fn of_inode(&self, device: u64, inode: u64) -> Result<Vec<(&'a [u8], Mark)>, Damaged> {
        self.records(Key::Inode(device, inode))
    }

    fn records(&self, key: Key<'_>) -> Result<Vec<(&'a [u8], Mark)>, Damaged> {
        let hash = key.hash();
        // At most one turn around: a damaged table without a free slot ends too.
        for step in 0..self.slots {
            let at = (hash as usize).wrapping_add(step) & (self.slots - 1);
            let start = HEADER + at * SLOT;
            let slot = self.bytes.get(start..start + SLOT).ok_or(Damaged)?;
            if slot == [0; SLOT] {
                return Ok(Vec::new());
            }
            if u32_at(slot, 12) != Some(check(&slot[..12])) {
                return Err(Damaged);
            }
            if slot.starts_with(&hash.to_le_bytes()) {
                let offset = u32_at(slot, 8).ok_or(Damaged)? as usize;
                return self.record(offset).ok_or(Damaged);
            }
        }
        Err(Damaged)
    }

    fn record(&self, offset: usize) -> Option<Vec<(&'a [u8], Mark)>> {
        let length = u32_at(self.bytes, offset)? as usize;
        let start = offset.checked_add(8)?;
        let record = self.bytes.get(start..start.checked_add(length)?)?;
        if u32_at(self.bytes, offset + 4)? != check(record) {
            return None;
        }
        let (mut rest, mut found) = (record, Vec::new());
        while !rest.is_empty() {
            let length = u32_at(rest, 0)? as usize;
            let end = 4usize.checked_add(length)?;
            let path = rest.get(4..end)?;
            let mark = Mark::read(rest.get(end..end.checked_add(MARK)?)?)?;
            found.push((path, mark));
            rest = &rest[end + MARK..];
        }
        Some(found)
    }
}

impl Mark {
    fn write(&self) -> [u8; MARK] {
        let place = |name: &str, all: &[&str]| all.iter().position(|n| *n == name).unwrap_or(0);
        let class = place(self.class.name(), &Class::ALL.map(|(_, name)| name));
        let tier = place(self.tier.name(), &Tier::ALL.map(|(_, name)| name));
        let mut bytes = [class as u8, tier as u8, self.holds as u8, 0, 0, 0, 0, 0, 0, 0, 0];
        bytes[3..].copy_from_slice(&self.id.0.to_le_bytes());
        bytes
    }

    fn read(bytes: &[u8]) -> Option<Self> {
        Some(Mark {
            class: Class::ALL.get(usize::from(*bytes.first()?))?.0,
            tier: Tier::ALL.get(usize::from(*bytes.get(1)?))?.0,
            holds: match bytes.get(2)? {
                0 => Holds::Nothing,
                1 => Holds::Everything,
                2 => Holds::Whatever,
                _ => return None,
            },
            id: SealId(u64::from_le_bytes(bytes.get(3..MARK)?.try_into().ok()?)),
        })
    }
}

impl Key<'_> {
    /// FNV-1a, 64 bits. Paths are compared as well: a collision is no hit.
    fn hash(self) -> u64 {
        let numbers;
        let (tag, bytes): (u8, &[u8]) = match self {
            Key::Path(path) => (1, path),
            Key::Above(path) => (2, path),
            Key::Inode(device, inode) => {
                numbers = [device.to_le_bytes(), inode.to_le_bytes()].concat();
                (3, &numbers)
            }
        };
        let hash = bytes.iter().fold(mix(0xcbf2_9ce4_8422_2325, &tag), mix);
        // The table takes low bits: fold the high ones in. Zero marks a free slot.
        (hash ^ (hash >> 32)).max(1)
    }
}

/// The directories above a canonical path, `/` among them.
pub(super) fn ancestors(path: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut rest = path;
    std::iter::from_fn(move || {
        let at = rest.rfind_byte(b'/')?;
        let directory = if at == 0 { &path[..1] } else { &path[..at] };
        let is_new = directory.len() < rest.len();
        rest = if at == 0 { b"" } else { directory };
        is_new.then_some(directory)
    })
}

fn mix(hash: u64, byte: &u8) -> u64 {
    (hash ^ u64::from(*byte)).wrapping_mul(0x100_0000_01b3)
}

fn check(bytes: &[u8]) -> u32 {
    let hash = bytes.iter().fold(0xcbf2_9ce4_8422_2325, mix);
    (hash ^ (hash >> 32)) as u32
}

fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    bytes.get(at..at.checked_add(4)?)?.try_into().ok().map(u32::from_le_bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(path: &str, tier: Tier, id: u64) -> Entry {
        let mark = Mark { id: SealId(id), class: Class::Kept, tier, holds: Holds::Nothing };
        Entry { path: path.into(), target: None, inode: Some((7, id)), mark }
    }

    #[test]
    fn directories_above_a_path() {
        let of = |path: &'static str| -> Vec<String> {
            let found = ancestors(path.as_bytes());
            found.map(|p| String::from_utf8_lossy(p).into_owned()).collect()
        };
        assert_eq!(of("/a/b/c"), ["/a/b", "/a", "/"]);
        assert_eq!(of("/a"), ["/"]);
        assert_eq!(of("/"), [""; 0]);
    }

    #[test]
    fn what_is_filed_is_found_and_nothing_else() {
        let entries = [
            entry("/p/dist/a b\n", Tier::Hard, 1),
            entry("/p/in", Tier::Soft, 2),
            entry("/p/dist/a b\n", Tier::Soft, 3),
        ];
        let bytes = encode(&entries);
        let index = Index::open(&bytes).unwrap();
        let ids = |path: &str| -> Vec<u64> {
            index.of(path.as_bytes()).unwrap().iter().map(|m| m.id.0).collect()
        };
        assert_eq!(ids("/p/dist/a b\n"), [1, 3]);
        assert_eq!(ids("/p/in"), [2]);
        assert_eq!(ids("/p/dist"), [] as [u64; 0]);
        let below = |path: &str| index.below(path.as_bytes()).unwrap().map(|m| m.tier);
        assert_eq!(below("/p"), Some(Tier::Hard));
        assert_eq!(below("/"), Some(Tier::Hard));
        assert_eq!(below("/p/in"), None);
        assert_eq!(below("/q"), None);
        assert_eq!(index.of_inode(7, 2).unwrap()[0].0, b"/p/in");
        assert!(index.of_inode(8, 2).unwrap().is_empty());
        assert!(!index.is_empty());
        assert!(Index::open(&encode(&[])).unwrap().is_empty());
    }

    #[test]
    fn a_flipped_byte_or_a_cut_never_hides_a_seal() {
        let bytes = encode(&[entry("/p/x", Tier::Hard, 1), entry("/q", Tier::Soft, 2)]);
        let said = |bytes: &[u8]| -> Result<_, Damaged> {
            let index = Index::open(bytes)?;
            Ok((index.of(b"/p/x")?, index.below(b"/p")?, index.of_inode(7, 2)?.len()))
        };
        let before = said(&bytes).unwrap();
        for at in 0..bytes.len() {
            assert!(said(&bytes[..at]).is_err(), "cut at {at}");
            for flip in [1, 0x80, 0xff] {
                let mut bytes = bytes.clone();
                bytes[at] ^= flip;
                let after = said(&bytes);
                assert!(after.is_err() || after.as_ref() == Ok(&before), "byte {at}: {after:?}");
            }
        }
    }
}
