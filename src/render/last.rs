//! A refusal told again.

use crate::sys::evidence::Row;

use super::log::time;
use super::prose::{backquoted, shown};

/// The session has none.
pub fn none(session: &str) -> String {
    format!(
        "embargo: nothing was refused in this session ({}); `embargo log` shows all sessions\n",
        shown(session)
    )
}

/// What is told again, and when it was: the call before this one may have been another.
pub fn heading(row: &Row) -> String {
    format!("at {}, {}:\n", time(row.at_ms), backquoted(&row.argv.join(" ")))
}

/// No rule says it any more, or its policy was named for that call alone.
pub fn as_logged(row: &Row) -> String {
    format!(
        "{} was refused by {} at {}, exit {}; no policy in force there has that rule now (`embargo lint` tells of broken ones).\n[embargo refused {} exit {}]\n",
        backquoted(&row.argv.join(" ")),
        backquoted(&row.rule),
        time(row.at_ms),
        row.exit,
        row.id,
        row.exit
    )
}

/// There were others.
pub fn unseen(count: usize, session: &str) -> String {
    let others = match count {
        1 => "1 earlier refusal was".to_owned(),
        n => format!("{n} earlier refusals were"),
    };
    format!("{others} not seen either: embargo log --session {}\n", shown(session))
}
