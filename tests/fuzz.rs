//! What `fuzz/` asserts of any bytes, of small ones that `scripts/fuzz` starts from: what
//! a fuzzer would begin with never fails, and the targets do not rot between two runs of it.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use serde::Deserialize;

#[expect(unused_imports, reason = "what a program beside the targets uses")]
#[path = "../fuzz/src/lib.rs"]
mod fuzz;

use fuzz::Costly;

#[derive(Deserialize)]
struct Rows {
    case: Vec<Row>,
}

#[derive(Deserialize)]
struct Row {
    #[serde(default)]
    argv: Vec<String>,
    text: Option<String>,
    json: Option<String>,
}

#[derive(Deserialize)]
struct Line {
    line: String,
}

/// The files of a directory of this repository, and what they say.
fn texts(directory: &str) -> Vec<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join(directory);
    let files = fs::read_dir(root).unwrap().map(|entry| entry.unwrap().path());
    let files = files.filter(|path| path.extension().is_some_and(|e| e == "toml"));
    let texts: Vec<String> = files.map(|path| fs::read_to_string(path).unwrap()).collect();
    assert!(!texts.is_empty(), "nothing in {directory}");
    texts
}

fn rows(text: &str) -> Vec<Row> {
    toml::from_str::<Rows>(text).unwrap().case
}

#[test]
fn policies_hold_what_is_promised_of_any() {
    let faulty = fs::read_to_string("tests/cases/diagnostics.toml").unwrap();
    let faulty = rows(&faulty).into_iter().flat_map(|row| [row.text, row.json]).flatten();
    // Packs, whose hundreds of lines take seconds each here, are proven by `tests/examples.rs`.
    faulty.for_each(|text| fuzz::policy(text.as_bytes(), Costly::Always));
}

#[test]
fn calls_hold_what_is_promised_of_any() {
    for row in texts("tests/cases/words").iter().flat_map(|text| rows(text)) {
        fuzz::words(row.argv.join("\0").as_bytes(), Costly::Always);
    }
}

#[test]
fn descriptions_hold_what_is_promised_of_any() {
    texts("shims").iter().for_each(|text| fuzz::description(text.as_bytes(), Costly::Always));
}

#[test]
fn lines_hold_what_is_promised_of_any() {
    let table = fs::read_to_string("tests/cases/line.toml").unwrap();
    let table: BTreeMap<String, Vec<Line>> = toml::from_str(&table).unwrap();
    for row in table.values().flatten() {
        // A few of them as long as a text may be.
        fuzz::line(row.line.as_bytes(), Costly::OneIn(1));
    }
}
