//! The tables of the ledger.

use crate::sys::store::Kind;

/// The ledger among our stores; its mark is "embl".
pub(super) const LEDGER: Kind =
    Kind { database: "ledger.db", lock: "ledger.lock", application: 0x656d_626c, steps: &STEPS };

/// Step n leads from schema n to n + 1; nothing is ever edited, only added.
const STEPS: [&str; 2] = [
    "
CREATE TABLE acceptance (
    id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL, argv TEXT NOT NULL,
    executable BLOB NOT NULL, executable_digest BLOB NOT NULL, cwd BLOB NOT NULL,
    environment BLOB NOT NULL, at_ms INTEGER NOT NULL, duration_ms INTEGER NOT NULL,
    status INTEGER NOT NULL, output BLOB, session TEXT NOT NULL
) STRICT;
CREATE TABLE seal (
    id INTEGER PRIMARY KEY AUTOINCREMENT, path BLOB NOT NULL, target BLOB, class TEXT NOT NULL,
    tier TEXT NOT NULL, object TEXT NOT NULL, digest BLOB, size INTEGER, mode INTEGER,
    modified_ns INTEGER, files INTEGER, link BLOB, device BLOB NOT NULL, inode BLOB NOT NULL,
    acceptance INTEGER REFERENCES acceptance (id), reason TEXT, alternative TEXT,
    at_ms INTEGER NOT NULL, session TEXT NOT NULL, standing TEXT NOT NULL
) STRICT;
CREATE TABLE member (
    seal INTEGER NOT NULL REFERENCES seal (id), path BLOB NOT NULL, object TEXT NOT NULL,
    digest BLOB, size INTEGER, mode INTEGER, modified_ns INTEGER, link BLOB,
    device BLOB NOT NULL, inode BLOB NOT NULL, PRIMARY KEY (seal, path)
) STRICT, WITHOUT ROWID;
CREATE INDEX seal_path ON seal (path, class);
CREATE INDEX seal_standing ON seal (standing) WHERE standing <> 'ended';
PRAGMA application_id = 0x656d626c;
",
    "
CREATE TABLE override (
    session TEXT NOT NULL, reason TEXT NOT NULL, at_ms INTEGER NOT NULL,
    PRIMARY KEY (session, reason)
) STRICT, WITHOUT ROWID;
",
];
