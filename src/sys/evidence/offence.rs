//! Which offence a refusal is: counted per rule and session, in the log itself (A8).

use rusqlite::{Connection, OptionalExtension, Result};

use super::Event;

/// Where a refusal belongs.
pub(super) struct Offence {
    pub number: u32,
    /// The row that began it was there before.
    pub is_known: bool,
}

/// A refusal of a tool call that has been refused before, or of a process that
/// began before anybody was told of offence n, is offence n again; else it is the next.
pub(super) fn of(log: &Connection, event: &Event, now_ms: u64) -> Result<Offence> {
    if let Some(number) = of_same_call(log, event)? {
        return Ok(Offence { number, is_known: true });
    }
    let latest = latest(log, event)?;
    let mut number = latest;
    // What lies in the future was written before the clock was set back: it says nothing.
    let was_running = |at: u64| at > event.began_ms && at <= now_ms;
    while number > 0 && first_of(log, event, number)?.is_some_and(was_running) {
        number -= 1;
    }
    Ok(Offence { number: number + 1, is_known: number < latest })
}

/// The id of the first refusal of this rule in this session, which the others follow.
pub(super) fn incident(log: &Connection, event: &Event) -> Result<Option<String>> {
    let sql = "SELECT incident FROM log WHERE session = ?1 AND rule = ?2 AND offence > 0
               ORDER BY offence DESC LIMIT 1";
    let found = log.query_row(sql, (&event.session, &event.rule), |row| row.get(0)).optional();
    Ok(found?.flatten())
}

fn of_same_call(log: &Connection, event: &Event) -> Result<Option<u32>> {
    let Some(call) = &event.call else { return Ok(None) };
    let sql = "SELECT offence FROM log
               WHERE session = ?1 AND rule = ?2 AND offence > 0 AND call = ?3
               ORDER BY offence DESC LIMIT 1";
    log.query_row(sql, (&event.session, &event.rule, call), |row| row.get(0)).optional()
}

/// What a person then allowed was none.
fn latest(log: &Connection, event: &Event) -> Result<u32> {
    let sql = "SELECT offence FROM log a WHERE session = ?1 AND rule = ?2 AND offence > 0
               AND NOT EXISTS (SELECT 1 FROM log b WHERE b.session = a.session AND b.rule = a.rule
                               AND b.offence = 0 AND b.call = a.call AND b.kind = 'allowed')
               ORDER BY offence DESC LIMIT 1";
    let found = log.query_row(sql, (&event.session, &event.rule), |row| row.get(0)).optional();
    Ok(found?.unwrap_or_default())
}

/// When the first row of an offence was written.
fn first_of(log: &Connection, event: &Event, offence: u32) -> Result<Option<u64>> {
    let sql = "SELECT min(at_ms) FROM log WHERE session = ?1 AND rule = ?2 AND offence = ?3";
    let at: Option<i64> =
        log.query_row(sql, (&event.session, &event.rule, offence), |row| row.get(0))?;
    Ok(at.and_then(|at| u64::try_from(at).ok()))
}
