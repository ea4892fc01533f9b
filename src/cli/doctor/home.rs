//! What shims need: state, log, record, and this binary alone.

use super::subject::Subject;
use crate::doctor::{self, Check, Home, Place, Report, SeenPlace};
use crate::render::doctor::unusable;
use crate::sys::doctor::{self as look, Linked, Other};
use crate::sys::evidence::{self, Chain};

/// The four checks.
pub fn reports(subject: &Subject) -> Vec<Report> {
    vec![
        Report::new(Check::State, places(subject)),
        Report::new(Check::Log, [log(subject)]),
        Report::new(Check::HomeRecord, [record(subject)]),
        Report::new(Check::Build, [build(subject)]),
    ]
}

fn places(subject: &Subject) -> Vec<Home> {
    let context = &subject.context;
    let is_recorded = context.record.is_some();
    let places = [
        (Place::Config, context.config(), None),
        (Place::State, context.state(), Some("evidence.db")),
        (Place::Cache, context.cache(), None),
    ];
    let one = |(place, path, file): (Place, Option<&std::path::Path>, Option<&str>)| {
        let Some(path) = path else { return Home::NoHome };
        let stands = look::place(path, file);
        let seen = SeenPlace { place, path: path.to_owned(), stands, is_recorded };
        doctor::place(seen, context.user, context.owner())
    };
    let mut found: Vec<Home> = places.map(one).into();
    found.dedup();
    found
}

fn log(subject: &Subject) -> Home {
    let Some(state) = subject.context.state() else { return Home::NoHome };
    let file = state.join("evidence.db");
    match evidence::verify(state) {
        Ok(Chain::Whole { rows }) => Home::Whole { rows: u64::try_from(rows).unwrap_or_default() },
        Ok(Chain::Broken { seq, .. }) => Home::ChainBroken { seq, file },
        Err(error) => Home::LogUnreadable { why: error.to_string(), file },
    }
}

fn record(subject: &Subject) -> Home {
    // Its installation writes a record.
    let shim = subject.shims.first().map(|shim| shim.name.clone());
    match &subject.record {
        _ if !subject.directory().is_dir() => Home::NoDirectory,
        Ok(None) => Home::NotRecorded { shim },
        Err(error) => Home::RecordUnusable { why: unusable(subject.directory(), error), shim },
        Ok(Some(record)) => match subject.context.missing_state() {
            Some(state) => Home::Gone { path: state.to_owned() },
            None => Home::Recorded { state: record.state.clone() },
        },
    }
}

fn build(subject: &Subject) -> Home {
    match look::linked(&subject.us.path) {
        Linked::Static => Home::Static,
        Linked::StaticButMovable => Home::StaticButMovable,
        Linked::Dynamic => Home::Dynamic,
        Linked::Unknown => Home::NoElf,
    }
}

/// A second binary or directory of shims.
pub fn others(subject: &Subject) -> Report {
    let of = |other| match other {
        Other::Binary(path) => Home::OtherBinary { path },
        Other::Shims(path) => Home::OtherShims { path },
    };
    let mut found: Vec<Home> =
        look::others(subject.directory(), &subject.us).into_iter().map(of).collect();
    if found.is_empty() {
        found.push(Home::Alone);
    }
    Report::new(Check::OtherEmbargoes, found)
}
