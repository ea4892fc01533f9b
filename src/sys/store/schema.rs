//! Which schema a database has, and how an older one becomes a current one.

use rusqlite::{Connection, Error, Transaction};

use super::{Kind, StoreError};

/// For readers: the schema found, 0 where nothing was ever written. Changes nothing.
pub(super) fn check(
    kind: &Kind,
    connection: &Connection,
    error: impl Fn(&Error) -> StoreError,
) -> Result<usize, StoreError> {
    let number =
        |sql: &str| connection.query_row(sql, (), |r| r.get::<_, i64>(0)).map_err(|e| error(&e));
    let found = number("PRAGMA user_version")?;
    if number("PRAGMA application_id")? != kind.application {
        let is_empty = found == 0 && number("SELECT count(*) FROM sqlite_schema")? == 0;
        return if is_empty { Ok(0) } else { Err(foreign()) };
    }
    match usize::try_from(found) {
        Ok(schema) if (1..=kind.steps.len()).contains(&schema) => Ok(schema),
        Ok(0) | Err(_) => Err(foreign()),
        Ok(_) => Err(StoreError::Newer { found, known: kind.steps.len() }),
    }
}

/// For writers: brings the store to the current schema, within their transaction.
pub fn ensure(
    kind: &Kind,
    transaction: &Transaction<'_>,
    error: impl Fn(&Error) -> StoreError,
) -> Result<(), StoreError> {
    let found = check(kind, transaction, &error)?;
    if found == kind.steps.len() {
        return Ok(());
    }
    let steps = kind.steps[found..].concat();
    let text = format!("{steps}PRAGMA user_version = {};", kind.steps.len());
    transaction.execute_batch(&text).map_err(|e| error(&e))
}

fn foreign() -> StoreError {
    StoreError::Damaged("it is the database of another program".into())
}
