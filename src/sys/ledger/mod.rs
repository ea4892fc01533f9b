//! The ledger: what is sealed, in SQLite under a lock of our own, and the view of it that shims
//! map.
//!
//! A write takes the lock, takes the view away, commits, and puts the new view in its place: at
//! any moment the view is either that of what is committed or not there, and without one the
//! ledger itself is read. Where the ledger is not there, nothing is sealed; where it cannot be
//! trusted, nobody is told that nothing is.

mod digest;
mod rows;
mod running;
mod schema;
mod view;

use std::io;
use std::path::Path;

use bstr::{BString, ByteSlice};
use rusqlite::Transaction;

use super::environment;
use super::raw::Ignored;
use super::store::{Store, StoreError};
use crate::seal::{
    Acceptance, Class, Drift, Entry, Member, Object, Seal, SealId, Standing, Threat, Tier, drift,
    encode,
};

pub use digest::{Seen, observe};
pub use running::{Running, begin, without_own};
pub use view::{Held, held, held_by_ledger};

/// What is to be sealed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewSeal {
    pub path: BString,
    pub target: Option<BString>,
    pub class: Class,
    pub tier: Tier,
    pub object: Object,
    pub inode: (u64, u64),
    /// Of a directory.
    pub members: Vec<Member>,
    pub reason: Option<String>,
    pub alternative: Option<String>,
    pub session: String,
}

/// Seals all of them or none; a seal of the same path and class is renewed.
pub fn seal(state: &Path, new: &[NewSeal]) -> Result<Vec<SealId>, StoreError> {
    change(state, |ledger| new.iter().map(|seal| rows::put(ledger, seal, None)).collect())
}

/// The same for what a check has proved.
pub fn accept(state: &Path, by: &Acceptance, new: &[NewSeal]) -> Result<Vec<SealId>, StoreError> {
    let session = new.first().map(|seal| seal.session.as_str()).unwrap_or_default();
    change(state, |ledger| {
        let by = rows::accept(ledger, by, environment(), session)?;
        new.iter().map(|seal| rows::put(ledger, seal, Some(by))).collect()
    })
}

/// Of the variables that change what a check sees, a digest.
fn environment() -> [u8; 32] {
    let mut hasher = blake3::Hasher::new_derive_key("embargo acceptance, environment");
    for value in environment::of_checks() {
        hasher.update(value.unwrap_or_default().as_bytes()).update(b"\0");
    }
    hasher.finalize().into()
}

/// Ends these seals; says which of them were in force.
pub fn end(state: &Path, ids: &[SealId]) -> Result<usize, StoreError> {
    change(state, |ledger| ids.iter().map(|id| rows::stand(ledger, *id, Standing::Ended)).sum())
}

/// Spends a reason on these seals, once in a session: they are to be proved again. `false`: it
/// was spent before.
pub fn overrule(
    state: &Path,
    session: &str,
    reason: &str,
    ids: &[SealId],
) -> Result<bool, StoreError> {
    change(state, |ledger| {
        let is_new = rows::spend(ledger, session, reason)?;
        for id in ids.iter().filter(|_| is_new) {
            rows::stand(ledger, *id, Standing::Stale)?;
        }
        Ok(is_new)
    })
}

/// Every seal that has not ended, by path.
pub fn seals(state: &Path) -> Result<Vec<Seal>, StoreError> {
    let Some(store) = Store::for_reading(&schema::LEDGER, state)? else { return Ok(Vec::new()) };
    rows::standing(&store.connection).map_err(|e| store.error(&e))
}

/// Reads all that these seals are of once more, and tells what is not as it was sealed. What
/// cannot be read is no drift: the error is told with its path.
pub fn drifts(state: &Path, seals: &[Seal]) -> Result<(Vec<Drift>, Vec<Unread>), StoreError> {
    let Some(store) = Store::for_reading(&schema::LEDGER, state)? else {
        return Ok(Default::default());
    };
    let (mut found, mut unread) = (Vec::new(), Vec::new());
    for seal in seals {
        let members = rows::members(&store.connection, seal.id).map_err(|e| store.error(&e))?;
        match observe(&seal.path.to_path_lossy(), seal.class) {
            Ok(now) => found.extend(drift(seal, &members, Some((&now.object, &now.members)))),
            Err(e)
                if matches!(e.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) =>
            {
                found.extend(drift(seal, &members, None))
            }
            Err(e) => unread.push((seal.path.clone(), e)),
        }
    }
    Ok((found, unread))
}

/// A sealed path that cannot be read, and why.
pub type Unread = (BString, io::Error);

/// Adds what the ledger has on these seals; of a directory that goes as a whole, each seal in
/// it. What cannot be read changes nothing.
pub fn tell(state: &Path, threats: Vec<Threat>) -> Vec<Threat> {
    let Ok(Some(store)) = Store::for_reading(&schema::LEDGER, state) else { return threats };
    let mut told: Vec<Threat> = Vec::new();
    for threat in threats {
        let below = rows::below(&store.connection, &threat.path).unwrap_or_default();
        let own = rows::one(&store.connection, threat.seal).ok().flatten();
        let all = if own.is_none() && below.is_empty() {
            vec![None]
        } else {
            own.into_iter().chain(below).map(Some).collect()
        };
        for sealed in all {
            let new = match sealed {
                Some(seal) => Threat {
                    seal: seal.id,
                    class: seal.class,
                    tier: seal.tier.min(threat.tier),
                    sealed: Some(seal),
                    ..threat.clone()
                },
                None => threat.clone(),
            };
            if !told.iter().any(|t| t.seal == new.seal) {
                told.push(new);
            }
        }
    }
    told.sort_by_key(|threat| (std::cmp::Reverse(threat.tier), threat.seal));
    told
}

/// All that the index has to know.
fn entries(ledger: &rusqlite::Connection) -> rusqlite::Result<Vec<Entry>> {
    let mut entries = Vec::new();
    for seal in rows::standing(ledger)? {
        entries.push(seal.entry());
        if let Object::Tree { .. } = seal.object {
            let members = rows::members(ledger, seal.id)?;
            entries.extend(members.iter().map(|member| seal.entry_of(member)));
        }
    }
    Ok(entries)
}

/// The same, read for one decision.
fn read_entries(state: &Path) -> Result<Vec<Entry>, StoreError> {
    let Some(store) = Store::for_reading(&schema::LEDGER, state)? else { return Ok(Vec::new()) };
    entries(&store.connection).map_err(|e| store.error(&e))
}

/// One transaction on the ledger, and the view that belongs to it.
fn change<T>(
    state: &Path,
    act: impl FnOnce(&Transaction<'_>) -> rusqlite::Result<T>,
) -> Result<T, StoreError> {
    // Beyond the limit on file sizes a write fails; it does not end us half-way.
    let _limit = Ignored::new(libc::SIGXFSZ);
    write(state, Store::for_writing(&schema::LEDGER, state)?, act)
}

/// Makes the view again, unless somebody is at it: who reads does not wait for that.
fn renew(state: &Path) -> Result<(), StoreError> {
    let _limit = Ignored::new(libc::SIGXFSZ);
    write(state, Store::if_free(&schema::LEDGER, state)?, |_| Ok(()))
}

fn write<T>(
    state: &Path,
    mut store: Store,
    act: impl FnOnce(&Transaction<'_>) -> rusqlite::Result<T>,
) -> Result<T, StoreError> {
    let path = store.path().to_owned();
    let error = |e: &rusqlite::Error| StoreError::sqlite(&path, e);
    let transaction = store.begin()?;
    let done = act(&transaction).map_err(|e| error(&e))?;
    let entries = entries(&transaction).map_err(|e| error(&e))?;
    view::take_away(state)?;
    transaction.commit().map_err(|e| error(&e))?;
    // Without a view the ledger is read: slower, and no less true.
    let _ = view::publish(state, &encode(&entries));
    Ok(done)
}
