//! Reading the log: never creates anything, works where nothing may be written.

use std::path::Path;

use rusqlite::types::Type;
use rusqlite::{Error, Result as Found, Row as Columns};

use super::schema::{self, LOG};
use super::{EvidenceError, EvidenceId, Kind};
use crate::sys::store::Store;

/// One row of the log, as it was written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    pub seq: u64,
    pub id: EvidenceId,
    pub at_ms: u64,
    pub kind: Kind,
    pub rule: String,
    pub rules: Vec<String>,
    pub verdict: String,
    pub exit: i32,
    pub door: String,
    pub session: String,
    pub agent: Option<String>,
    pub call: Option<String>,
    pub pid: u32,
    pub ppid: u32,
    pub parent: Vec<String>,
    pub program: String,
    pub argv: Vec<String>,
    /// How a line was taken apart.
    pub way: Option<String>,
    /// Hexadecimal, as are `prev` and `hash`.
    pub digest: String,
    pub cwd: String,
    pub offence: u32,
    pub incident: Option<EvidenceId>,
    pub told: bool,
    pub prev: String,
    pub hash: String,
}

/// Which rows are wanted; the default is all of them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Filter {
    pub session: Option<String>,
    pub rule: Option<String>,
    /// Not before this moment, in milliseconds since 1970.
    pub since_ms: Option<u64>,
    /// The newest of them only.
    pub limit: Option<u32>,
}

/// Of any schema; what came later is selected by what stands there.
const COLUMNS: &str = "seq, id, at_ms, kind, rule, rules, verdict, exit, door, session, agent, \
    call, pid, ppid, parent, program, argv, digest, cwd, offence, incident, told, prev, hash";

/// The newest row, of a session or of all.
pub fn last(state: &Path, session: Option<&str>) -> Result<Option<Row>, EvidenceError> {
    let filter =
        Filter { session: session.map(str::to_owned), limit: Some(1), ..Filter::default() };
    Ok(rows(state, &filter)?.pop())
}

/// Rows in the order they were written.
pub fn rows(state: &Path, filter: &Filter) -> Result<Vec<Row>, EvidenceError> {
    let sql = format!(
        "SELECT * FROM (SELECT {COLUMNS}, $way FROM log WHERE (?1 IS NULL OR session = ?1)
         AND (?2 IS NULL OR rule = ?2) AND at_ms >= ?3 ORDER BY seq DESC LIMIT ?4) ORDER BY seq"
    );
    let limit = filter.limit.map_or(-1, i64::from);
    let since = i64::try_from(filter.since_ms.unwrap_or_default()).unwrap_or(i64::MAX);
    select(state, &sql, (&filter.session, &filter.rule, since, limit))
}

/// Rows that nobody was seen to read, of a session or of all, oldest first.
pub fn pending(state: &Path, session: Option<&str>) -> Result<Vec<Row>, EvidenceError> {
    let sql = format!(
        "SELECT {COLUMNS}, $way FROM log WHERE told = 0 AND (?1 IS NULL OR session = ?1) ORDER BY seq"
    );
    select(state, &sql, (session,))
}

/// These rows have been read; says how many had not been before.
pub fn mark_told(state: &Path, ids: &[EvidenceId]) -> Result<usize, EvidenceError> {
    if ids.is_empty() || Store::for_reading(&LOG, state)?.is_none() {
        return Ok(0);
    }
    let store = Store::for_writing(&LOG, state)?;
    let mark = || -> Found<usize> {
        let transaction = store.connection.unchecked_transaction()?;
        let mut update =
            transaction.prepare("UPDATE log SET told = 1 WHERE told = 0 AND id = ?1")?;
        let marked = ids.iter().map(|id| update.execute((&id.0,))).sum::<Found<usize>>()?;
        drop(update);
        transaction.commit()?;
        Ok(marked)
    };
    mark().map_err(|e| store.error(&e))
}

fn select(state: &Path, sql: &str, by: impl rusqlite::Params) -> Result<Vec<Row>, EvidenceError> {
    let Some(store) = Store::for_reading(&LOG, state)? else { return Ok(Vec::new()) };
    let find = || -> Found<Vec<Row>> {
        let snapshot = store.connection.unchecked_transaction()?;
        let mut query = snapshot.prepare(&sql.replace("$way", schema::way(&snapshot)?))?;
        query.query_map(by, row)?.collect()
    };
    find().map_err(|e| store.error(&e))
}

fn row(row: &Columns<'_>) -> Found<Row> {
    let kind: String = row.get("kind")?;
    Ok(Row {
        seq: unsigned(row, "seq")?,
        id: EvidenceId(row.get("id")?),
        at_ms: unsigned(row, "at_ms")?,
        kind: Kind::named(&kind).ok_or_else(|| unknown(&kind))?,
        rule: row.get("rule")?,
        rules: words(row, "rules")?,
        verdict: row.get("verdict")?,
        exit: row.get("exit")?,
        door: row.get("door")?,
        session: row.get("session")?,
        agent: row.get("agent")?,
        call: row.get("call")?,
        pid: row.get("pid")?,
        ppid: row.get("ppid")?,
        parent: words(row, "parent")?,
        program: row.get("program")?,
        argv: words(row, "argv")?,
        way: row.get("way")?,
        digest: hex(row, "digest")?,
        cwd: row.get("cwd")?,
        offence: row.get("offence")?,
        incident: row.get::<_, Option<String>>("incident")?.map(EvidenceId),
        told: row.get("told")?,
        prev: hex(row, "prev")?,
        hash: hex(row, "hash")?,
    })
}

fn unsigned(row: &Columns<'_>, column: &str) -> Found<u64> {
    let number: i64 = row.get(column)?;
    u64::try_from(number).map_err(|_| Error::IntegralValueOutOfRange(0, number))
}

fn words(row: &Columns<'_>, column: &str) -> Found<Vec<String>> {
    let text: String = row.get(column)?;
    serde_json::from_str(&text)
        .map_err(|e| Error::FromSqlConversionFailure(0, Type::Text, Box::new(e)))
}

fn hex(row: &Columns<'_>, column: &str) -> Found<String> {
    let bytes: Vec<u8> = row.get(column)?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

fn unknown(kind: &str) -> Error {
    Error::FromSqlConversionFailure(0, Type::Text, format!("unknown kind `{kind}`").into())
}
