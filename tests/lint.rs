//! Sample policies in `tests/lint`, whose names state the fault, and all that `embargo lint`
//! says of each.
//!
//! A sample is a file, linted by name, or a directory that is laid over a world, in whose
//! project all that is in force is linted. Beside it `NAME.stdout` holds the whole output
//! and, in its last line, the exit status. With `BLESS=1` these are written anew.

mod common;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use common::World;
use embargo::config::Code;

fn directory() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/lint")
}

/// Samples by file name, and the expectations beside them.
fn samples() -> (BTreeMap<String, PathBuf>, BTreeSet<String>) {
    let entries = fs::read_dir(directory()).expect("samples");
    let paths = entries.map(|entry| entry.expect("an entry").path());
    let (expected, samples): (Vec<PathBuf>, Vec<PathBuf>) =
        paths.partition(|path| path.extension().is_some_and(|e| e == "stdout"));
    let name = |path: &PathBuf| path.file_name().expect("a name").to_string_lossy().into_owned();
    let samples = samples.into_iter().map(|path| (name(&path), path)).collect();
    (samples, expected.iter().map(name).collect())
}

/// What is said of a sample, and the status.
fn lint(name: &str, path: &Path) -> String {
    let world = World::new();
    let test = if path.is_dir() {
        lay_over(path, &world.path(""));
        world.embargo(&["lint"])
    } else {
        world.write(&format!("project/{name}"), fs::read(path).expect("a sample"));
        world.embargo(&["lint", name])
    };
    let found = test.any_output().run();
    format!("{}{}exit {}\n", found.stdout, found.stderr, found.status)
}

fn lay_over(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("a directory");
    for entry in fs::read_dir(from).expect("a directory") {
        let path = entry.expect("an entry").path();
        let target = to.join(path.file_name().expect("a name"));
        if path.is_dir() {
            lay_over(&path, &target);
        } else {
            // With its mode: a program can be executed.
            fs::copy(&path, &target).expect("a copy");
        }
    }
}

#[test]
fn each_sample_is_told_of_as_it_is_written_beside_it() {
    let (samples, mut expectations) = samples();
    let bless = std::env::var_os("BLESS").is_some();
    let mut wrong = Vec::new();
    for (name, path) in &samples {
        let found = lint(name, path);
        let beside = format!("{name}.stdout");
        if bless {
            fs::write(directory().join(&beside), &found).expect("an expectation");
        }
        let wanted = fs::read_to_string(directory().join(&beside)).unwrap_or_default();
        if found != wanted {
            wrong.push(format!("{name}\n--- expected\n{wanted}--- found\n{found}"));
        }
        expectations.remove(&beside);
    }
    assert!(wrong.is_empty(), "`BLESS=1` writes what is found\n{}", wrong.join("\n"));
    assert_eq!(expectations, BTreeSet::new(), "expectations without a sample");
    each_name_states_what_is_found(&samples);
}

/// The name begins with the code, or says that there is nothing to find; no code lacks a sample.
fn each_name_states_what_is_found(samples: &BTreeMap<String, PathBuf>) {
    let mut codes: BTreeSet<&str> = Code::ALL.iter().map(|(_, _, name, _)| *name).collect();
    for name in samples.keys() {
        let told = fs::read_to_string(directory().join(format!("{name}.stdout"))).expect(name);
        if name.starts_with("valid-") {
            assert_eq!(told, "0 errors, 0 warnings, 0 notes\nexit 0\n", "{name}");
            continue;
        }
        let stem = name.split('.').next().unwrap_or_default();
        let is_it = |(_, _, code, _): &&(_, _, &str, _)| {
            stem.strip_prefix(code).is_some_and(|rest| rest.is_empty() || rest.starts_with('-'))
        };
        let longest = Code::ALL.iter().filter(is_it).max_by_key(|(_, _, code, _)| code.len());
        let code = longest.unwrap_or_else(|| panic!("{name}: no such code")).2;
        assert!(told.contains(&format!("[{code}]: ")), "{name}:\n{told}");
        codes.remove(code);
    }
    assert_eq!(codes, BTreeSet::new(), "codes without a sample");
    let valid = samples.keys().filter(|name| name.starts_with("valid-")).count();
    assert!(valid >= 10 && samples.len() - valid >= 30, "{valid} of {}", samples.len());
}
