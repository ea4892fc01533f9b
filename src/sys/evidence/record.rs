//! One event → one row, in one transaction under the lock.

use std::path::Path;

use bstr::BString;
use rusqlite::params_from_iter;
use rusqlite::types::Value;

use super::chain::{self, COVERED};
use super::offence::{self, Offence};
use super::schema::LOG;
use super::{Event, EvidenceError, EvidenceId, Recorded};
use crate::sys::raw::Ignored;
use crate::sys::store::Store;
use crate::sys::{clock, redact};

/// Appends the event and says which offence it is. `surface_after`: from which
/// offence on a person is told.
pub fn record(state: &Path, event: &Event, surface_after: u32) -> Result<Recorded, EvidenceError> {
    // Beyond the limit on file sizes a write fails; it does not end us before we have refused.
    let _limit = Ignored::new(libc::SIGXFSZ);
    let mut store = Store::for_writing(&LOG, state)?;
    let path = store.path().to_owned();
    let error = |e: &rusqlite::Error| EvidenceError::sqlite(&path, e);
    let transaction = store.begin()?;
    let recorded = append(&transaction, event, surface_after).map_err(|e| error(&e))?;
    transaction.commit().map_err(|e| error(&e))?;
    Ok(recorded)
}

fn append(
    log: &rusqlite::Connection,
    event: &Event,
    surface_after: u32,
) -> rusqlite::Result<Recorded> {
    let (salt, last, head): (Vec<u8>, i64, Vec<u8>) =
        log.query_row("SELECT salt, seq, hash FROM head", (), |r| {
            Ok((r.get(0)?, r.get(1)?, r.get(2)?))
        })?;
    let (now, id) = (clock::now_ms(), EvidenceId::fresh());
    let counted = event.kind.is_offence();
    let offence = if counted {
        offence::of(log, event, now)?
    } else {
        Offence { number: 0, is_known: false }
    };
    let incident = match offence.number {
        0 => None,
        _ => Some(offence::incident(log, event)?.unwrap_or_else(|| id.0.clone())),
    };

    let covered = covered(event, &id, now, &salt, &offence, incident);
    let way = event.way.map(|way| Value::Text(way.to_owned()));
    let prev = if last == 0 { chain::first(&salt).to_vec() } else { head };
    let hash = chain::link(&prev, &chain::encode(covered.iter().chain(&way))).to_vec();
    let seq = Value::Integer(last.saturating_add(1));
    let told = Value::Integer(event.told.into());
    let rest =
        [way.unwrap_or(Value::Null), seq, told, Value::Blob(prev), Value::Blob(hash.clone())];
    let columns = COVERED.join(", ");
    let places = ["?"; COVERED.len() + 5].join(", ");
    let sql = format!("INSERT INTO log ({columns}, way, seq, told, prev, hash) VALUES ({places})");
    log.execute(&sql, params_from_iter(covered.iter().chain(&rest)))?;
    log.execute("UPDATE head SET seq = ?1, hash = ?2", (last.saturating_add(1), hash))?;

    let surface = counted && !offence.is_known && offence.number >= surface_after;
    let Offence { number, is_known } = offence;
    Ok(Recorded { id, offence: number, repeat_of_same_call: is_known, surface })
}

/// The row's values in the order of [`COVERED`], without secrets.
fn covered(
    event: &Event,
    id: &EvidenceId,
    now: u64,
    salt: &[u8],
    offence: &Offence,
    incident: Option<String>,
) -> [Value; COVERED.len()] {
    let text = |text: &str| Value::Text(text.to_owned());
    let optional = |text: &Option<String>| text.clone().map_or(Value::Null, Value::Text);
    [
        text(&id.0),
        Value::Integer(number(now)),
        text(event.kind.name()),
        text(&event.rule),
        Value::Text(json(&event.rules)),
        text(&event.verdict),
        Value::Integer(event.exit.into()),
        text(&event.door),
        text(&event.session),
        optional(&event.agent),
        optional(&event.call),
        Value::Integer(event.pid.into()),
        Value::Integer(event.ppid.into()),
        Value::Text(json(&shown(&event.parent))),
        text(&event.program),
        Value::Text(json(&shown(&event.argv))),
        Value::Blob(chain::digest(salt, &event.argv).to_vec()),
        Value::Text(event.cwd.to_string_lossy().into_owned()),
        Value::Integer(offence.number.into()),
        optional(&incident),
    ]
}

/// Without secrets. A command line may be two megabytes long: the log keeps its
/// beginning and says how much is left out. The digest is of the whole.
fn shown(argv: &[BString]) -> Vec<String> {
    const WORD: usize = 4096;
    const ALL: usize = 32 * 1024;
    let mut size = 0;
    let fits = |word: &&BString| {
        let is_begin = size <= ALL;
        size += word.len();
        is_begin
    };
    let kept: Vec<_> = argv.iter().take_while(fits).cloned().collect();
    let mut words = redact::redact(&kept);
    for word in words.iter_mut().filter(|word| word.len() > WORD) {
        let begin = redact::cut(word, WORD);
        *word = format!("{begin}‹{} more bytes›", word.len() - begin.len());
    }
    if kept.len() < argv.len() {
        words.push(format!("‹{} more words›", argv.len() - kept.len()));
    }
    words
}

fn json(words: &[String]) -> String {
    serde_json::Value::from(words).to_string()
}

fn number(value: u64) -> i64 {
    i64::try_from(value).unwrap_or(i64::MAX)
}
