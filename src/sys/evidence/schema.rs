//! The tables, and how an older store becomes a current one.

use rusqlite::{Connection, Error, Transaction};

use super::EvidenceError;

/// Marks the file as ours: "emba".
const APPLICATION: i64 = 0x656d_6261;

/// Step n leads from schema n to n + 1; nothing is ever edited, only added.
const STEPS: [&str; 1] = ["
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
"];

/// For readers: the schema found, 0 where nothing was ever written. Changes nothing.
pub(super) fn check(
    connection: &Connection,
    error: impl Fn(&Error) -> EvidenceError,
) -> Result<usize, EvidenceError> {
    let number =
        |sql: &str| connection.query_row(sql, (), |r| r.get::<_, i64>(0)).map_err(|e| error(&e));
    let found = number("PRAGMA user_version")?;
    if number("PRAGMA application_id")? != APPLICATION {
        let is_empty = found == 0 && number("SELECT count(*) FROM sqlite_schema")? == 0;
        return if is_empty { Ok(0) } else { Err(foreign()) };
    }
    match usize::try_from(found) {
        Ok(schema) if (1..=STEPS.len()).contains(&schema) => Ok(schema),
        Ok(0) | Err(_) => Err(foreign()),
        Ok(_) => Err(EvidenceError::Newer { found, known: STEPS.len() }),
    }
}

/// For writers: brings the store to the current schema, within their transaction.
pub(super) fn ensure(
    transaction: &Transaction<'_>,
    error: impl Fn(&Error) -> EvidenceError,
) -> Result<(), EvidenceError> {
    let found = check(transaction, &error)?;
    if found == STEPS.len() {
        return Ok(());
    }
    let steps = STEPS[found..].concat();
    let text = format!("{steps}PRAGMA user_version = {};", STEPS.len());
    transaction.execute_batch(&text).map_err(|e| error(&e))
}

fn foreign() -> EvidenceError {
    EvidenceError::Damaged("it is the database of another program".into())
}
