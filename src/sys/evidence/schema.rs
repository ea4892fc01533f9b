//! The tables of the log.

use rusqlite::Connection;

use crate::sys::store::Kind;

/// The log among our stores; its mark is "emba".
pub(super) const LOG: Kind = Kind {
    database: "evidence.db",
    lock: "evidence.lock",
    application: 0x656d_6261,
    steps: &STEPS,
};

/// Step n leads from schema n to n + 1; nothing is ever edited, only added.
const STEPS: [&str; 2] = [
    "
CREATE TABLE log (
    seq INTEGER PRIMARY KEY, id TEXT NOT NULL, at_ms INTEGER NOT NULL,
    kind TEXT NOT NULL, rule TEXT NOT NULL, rules TEXT NOT NULL, verdict TEXT NOT NULL,
    exit INTEGER NOT NULL, door TEXT NOT NULL, session TEXT NOT NULL, agent TEXT, call TEXT,
    pid INTEGER NOT NULL, ppid INTEGER NOT NULL, parent TEXT NOT NULL, program TEXT NOT NULL,
    argv TEXT NOT NULL, digest BLOB NOT NULL, cwd TEXT NOT NULL, offence INTEGER NOT NULL,
    incident TEXT, told INTEGER NOT NULL, prev BLOB NOT NULL, hash BLOB NOT NULL
) STRICT;
CREATE INDEX log_offence ON log (session, rule, offence, call);
CREATE INDEX log_untold ON log (session) WHERE told = 0;
CREATE TABLE head (
    one INTEGER PRIMARY KEY CHECK (one = 1), salt BLOB NOT NULL,
    seq INTEGER NOT NULL, hash BLOB NOT NULL
) STRICT;
INSERT INTO head VALUES (1, randomblob(32), 0, x'');
PRAGMA application_id = 0x656d6261;
",
    "
ALTER TABLE log ADD COLUMN way TEXT;
",
];

/// From which schema on rows have a `way`.
const WITH_WAY: i64 = 2;

/// What a reader selects for the column `way`.
pub(super) fn way(log: &Connection) -> rusqlite::Result<&'static str> {
    let schema: i64 = log.query_row("PRAGMA user_version", (), |row| row.get(0))?;
    Ok(if schema < WITH_WAY { "NULL AS way" } else { "way" })
}
