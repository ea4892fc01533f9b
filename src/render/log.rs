//! Rows of the evidence log, and whether its chain is whole.

use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

use serde_json::{Value, json};

use crate::command::quote;
use crate::sys::evidence::{Chain, EvidenceError, Fault, Row};
use crate::sys::home::{RECORD, RecordError};

use super::prose::shown;
use super::refusal::JSON_VERSION;

/// One row on one line.
pub fn line(row: &Row) -> String {
    let offence = match row.offence {
        0 => String::new(),
        n => format!(" offence {n}"),
    };
    format!(
        "{} {} {} {} exit {}{offence} session {} in {}: {}\n",
        time(row.at_ms),
        row.id,
        row.kind.name(),
        shown(&row.rule),
        row.exit,
        shown(&row.session),
        shown(&row.cwd),
        shown(&row.argv.join(" ")),
    )
}

/// All that is in a row.
pub fn json(row: &Row) -> Value {
    json!({
        "version": JSON_VERSION,
        "seq": row.seq,
        "id": row.id.0,
        "at": time(row.at_ms),
        "at_ms": row.at_ms,
        "kind": row.kind.name(),
        "rule": row.rule,
        "rules": row.rules,
        "verdict": row.verdict,
        "exit": row.exit,
        "door": row.door,
        "session": row.session,
        "agent": row.agent,
        "call": row.call,
        "pid": row.pid,
        "ppid": row.ppid,
        "parent": row.parent,
        "program": row.program,
        "argv": row.argv,
        "way": row.way,
        "digest": row.digest,
        "cwd": row.cwd,
        "offence": row.offence,
        "incident": row.incident.as_ref().map(|id| &id.0),
        "told": row.told,
        "prev": row.prev,
        "hash": row.hash,
    })
}

/// Is the log as it was written?
pub fn chain(chain: &Chain) -> String {
    match chain {
        Chain::Whole { rows: 1 } => "the log is whole: 1 row\n".to_owned(),
        Chain::Whole { rows } => format!("the log is whole: {rows} rows\n"),
        Chain::Broken { seq, id, fault } => {
            let id = id.as_ref().map(|id| format!(" ({})", shown(id))).unwrap_or_default();
            format!(
                "the log is broken at row {seq}{id}: {}; what stands before it is whole\n",
                words(*fault)
            )
        }
    }
}

/// The same for programs.
pub fn chain_json(chain: &Chain) -> Value {
    match chain {
        Chain::Whole { rows } => json!({ "version": JSON_VERSION, "whole": true, "rows": rows }),
        Chain::Broken { seq, id, fault } => json!({
            "version": JSON_VERSION,
            "whole": false,
            "seq": seq,
            "id": id,
            "fault": words(*fault),
        }),
    }
}

/// The store cannot be read.
pub fn unreadable(error: &EvidenceError) -> String {
    format!("{error}\nnothing was changed; verdicts do not depend on the log")
}

/// The record that says where the log is cannot be used.
pub fn no_record(directory: &Path, error: &RecordError) -> String {
    let why = match error {
        RecordError::Unreadable(e) => e.to_string(),
        RecordError::NotUnderstood(line) => format!("it is not understood at `{}`", shown(line)),
        RecordError::Newer(line) => {
            format!("a newer embargo wrote it, in the form `{}`", shown(line))
        }
        RecordError::NotTrusted => "another user can write it".to_owned(),
    };
    let place = shown(&directory.to_string_lossy());
    format!(
        "{place}/{RECORD} cannot be used: {why}\na person must write it anew: embargo shim install --force --dir {} NAME",
        quote(directory.as_os_str().as_bytes())
    )
}

fn words(fault: Fault) -> &'static str {
    match fault {
        Fault::Changed => "its content is not what was written",
        Fault::Missing => "it is gone",
        Fault::Moved => "it did not follow the row before it",
        Fault::CutOff => "it and all after it were cut off",
        Fault::Extra => "it was added behind the end that is recorded",
        Fault::Head => "the record of the log's end is not what was written",
    }
}

/// UTC, as RFC 3339 writes it.
pub fn time(at_ms: u64) -> String {
    let seconds = at_ms / 1000;
    let (days, rest) = (seconds / 86_400, seconds % 86_400);
    let (year, month, day) = date(days);
    let (hour, minute, second) = (rest / 3600, rest / 60 % 60, rest % 60);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z")
}

/// Days since 1970 → year, month, day: Howard Hinnant's `civil_from_days`, with years
/// that begin in March so that the leap day is the last.
fn date(days: u64) -> (u64, u64, u64) {
    let days = days + 719_468;
    let era = days / 146_097;
    let of_era = days % 146_097;
    let year = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let month = (5 * of_year + 2) / 153;
    let day = of_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    (year + era * 400 + u64::from(month <= 2), month, day)
}

#[cfg(test)]
mod tests {
    use super::time;

    #[test]
    fn moments_as_dates() {
        // Checked against `date -u -d @SECONDS`.
        let rows = [
            (0, "1970-01-01T00:00:00Z"),
            (951_782_399_999, "2000-02-28T23:59:59Z"),
            (951_782_400_000, "2000-02-29T00:00:00Z"),
            (1_709_251_199_000, "2024-02-29T23:59:59Z"),
            (1_709_251_200_000, "2024-03-01T00:00:00Z"),
            (4_107_542_400_000, "2100-03-01T00:00:00Z"),
        ];
        for (at_ms, text) in rows {
            assert_eq!(time(at_ms), text);
        }
    }
}
