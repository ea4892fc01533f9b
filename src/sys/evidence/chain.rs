//! The chain: how a row is put into bytes, what it hashes to, and the walk that
//! finds the first row that does not fit.

use std::path::Path;

use bstr::BString;
use rusqlite::Row as Columns;
use rusqlite::types::{Value, ValueRef};

use super::EvidenceError;
use super::schema::{self, LOG};
use crate::sys::store::Store;

/// What the chain covers, in the order it is hashed; behind it stands `way` where a row has one,
/// which the oldest have not. `told` is a mark for readers.
pub(super) const COVERED: [&str; 20] = [
    "id", "at_ms", "kind", "rule", "rules", "verdict", "exit", "door", "session", "agent", "call",
    "pid", "ppid", "parent", "program", "argv", "digest", "cwd", "offence", "incident",
];

/// What a walk over the whole log found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Chain {
    Whole {
        rows: i64,
    },
    /// At this row; everything before it is whole.
    Broken {
        seq: i64,
        id: Option<String>,
        fault: Fault,
    },
}

/// What is wrong with the first bad row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// Its content is not what was written.
    Changed,
    /// It is gone.
    Missing,
    /// It is whole, but did not follow the row before it: rows were moved, put in or taken out.
    Moved,
    /// It and all after it were cut off: the head record knows of more rows.
    CutOff,
    /// The head record knows nothing of it.
    Extra,
    /// The head record itself is not what was written.
    Head,
}

/// Walks the chain from the first row; the head record says where it must end.
pub fn verify(state: &Path) -> Result<Chain, EvidenceError> {
    match Store::for_reading(&LOG, state)? {
        None => Ok(Chain::Whole { rows: 0 }),
        Some(store) => walk(&store).map_err(|e| store.error(&e)),
    }
}

fn walk(store: &Store) -> rusqlite::Result<Chain> {
    let snapshot = store.connection.unchecked_transaction()?;
    let broken = |seq, id, fault| Ok(Chain::Broken { seq, id, fault });
    let Ok((salt, count, head)) = snapshot.query_row("SELECT salt, seq, hash FROM head", (), |r| {
        Ok((r.get::<_, Vec<u8>>(0)?, r.get::<_, i64>(1)?, r.get::<_, Vec<u8>>(2)?))
    }) else {
        return broken(1, None, Fault::Head);
    };
    let columns = COVERED.join(", ");
    let way = schema::way(&snapshot)?;
    let sql = format!("SELECT {columns}, {way}, seq, prev, hash FROM log ORDER BY seq");
    let mut query = snapshot.prepare(&sql)?;
    let mut rows = query.query(())?;
    let mut before = first(&salt);
    let mut done = 0;
    while let Some(row) = rows.next()? {
        let seq = row.get::<_, i64>(COVERED.len() + 1)?;
        let id = row.get::<_, String>(0).ok();
        if seq != done + 1 {
            return broken(done + 1, None, Fault::Missing);
        }
        if seq > count {
            return broken(seq, id, Fault::Extra);
        }
        let (prev, hash) = (blob(row, COVERED.len() + 2), blob(row, COVERED.len() + 3));
        match covered(row).map(|bytes| link(&prev, &bytes)) {
            Ok(found) if found == hash[..] && prev == before[..] => before = found,
            Ok(found) if found == hash[..] => return broken(seq, id, Fault::Moved),
            _ => return broken(seq, id, Fault::Changed),
        }
        done = seq;
    }
    match count {
        _ if done < count => broken(done + 1, None, Fault::CutOff),
        0 => Ok(Chain::Whole { rows: 0 }),
        _ if head != before => broken(done, None, Fault::Head),
        _ => Ok(Chain::Whole { rows: done }),
    }
}

fn blob(row: &Columns<'_>, at: usize) -> Vec<u8> {
    row.get(at).unwrap_or_default()
}

fn covered(row: &Columns<'_>) -> rusqlite::Result<Vec<u8>> {
    let mut bytes = Vec::with_capacity(1024);
    for at in 0..COVERED.len() {
        put(row.get_ref(at)?, &mut bytes);
    }
    match row.get_ref(COVERED.len())? {
        ValueRef::Null => {}
        way => put(way, &mut bytes),
    }
    Ok(bytes)
}

/// A row that is about to be written.
pub(super) fn encode<'v>(values: impl Iterator<Item = &'v Value>) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(1024);
    values.for_each(|value| put(value.into(), &mut bytes));
    bytes
}

/// Type, length, content: no two rows have the same bytes.
fn put(value: ValueRef<'_>, bytes: &mut Vec<u8>) {
    let (kind, content) = match value {
        ValueRef::Null => (0, Vec::new()),
        ValueRef::Integer(number) => (1, number.to_le_bytes().to_vec()),
        ValueRef::Real(number) => (2, number.to_le_bytes().to_vec()),
        ValueRef::Text(text) => (3, text.to_vec()),
        ValueRef::Blob(blob) => (4, blob.to_vec()),
    };
    bytes.push(kind);
    bytes.extend_from_slice(&(content.len() as u64).to_le_bytes());
    bytes.extend_from_slice(&content);
}

/// What the first row of a store follows.
pub(super) fn first(salt: &[u8]) -> [u8; 32] {
    blake3::Hasher::new_derive_key("embargo evidence log, first row").update(salt).finalize().into()
}

/// The hash of a row that follows `prev`.
pub(super) fn link(prev: &[u8], covered: &[u8]) -> [u8; 32] {
    let mut hasher = blake3::Hasher::new_derive_key("embargo evidence log, row");
    hasher.update(&(prev.len() as u64).to_le_bytes()).update(prev).update(covered);
    hasher.finalize().into()
}

/// Names a command line without showing it: another store's digest of the same argv
/// differs, so that nobody can look short secrets up in a table.
pub(super) fn digest(salt: &[u8], argv: &[BString]) -> [u8; 32] {
    let mut hasher = blake3::Hasher::new_derive_key("embargo evidence log, argv");
    hasher.update(&(salt.len() as u64).to_le_bytes()).update(salt);
    for word in argv {
        hasher.update(&(word.len() as u64).to_le_bytes()).update(word);
    }
    hasher.finalize().into()
}
