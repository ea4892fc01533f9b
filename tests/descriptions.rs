//! Every description parses, its examples hold, and argv is read as the manuals
//! say: `tests/cases/words.toml` is the specification.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use bstr::BString;
use embargo::command::{Catalogue, Description, Flag, Words, Wrapped, effects, parse};
use embargo::config::{SourceText, catalogue, description};
use embargo::policy::Layer;
use embargo::render::diagnostic;
use serde::Deserialize;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Cases {
    case: Vec<Case>,
}

/// A call, and what it is read as.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    argv: Vec<String>,
    #[serde(default)]
    words: Vec<String>,
    #[serde(default)]
    flags: Vec<String>,
    #[serde(default)]
    wrapped: Vec<String>,
    #[serde(default)]
    wrapped_too: Vec<Vec<String>>,
    #[serde(default)]
    text: Option<String>,
    #[serde(default)]
    why: Option<String>,
}

#[test]
fn every_description_parses() {
    let faults: Vec<String> = built_in()
        .iter()
        .filter_map(|source| description(source).err())
        .map(|faults| diagnostic::plain_all(&faults))
        .collect();
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    assert!(built_in().len() >= 18);
}

#[test]
fn every_name_means_one_command() {
    let mut owners: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for source in built_in() {
        for name in description(&source).unwrap_or_default().names {
            owners.entry(name).or_default().push(source.shown.clone());
        }
    }
    owners.retain(|_, files| files.len() > 1);
    assert!(owners.is_empty(), "{owners:#?}");
}

#[test]
fn the_examples_of_the_descriptions_hold() {
    let catalogue = all();
    let described: Vec<Description> =
        built_in().iter().map(|source| description(source).unwrap_or_default()).collect();
    let cases: Vec<Case> = described
        .iter()
        .flat_map(|description| description.examples.clone())
        .map(|example| Case {
            argv: example.argv,
            words: example.words,
            flags: example.flags,
            wrapped: example.wrapped.unwrap_or_default(),
            wrapped_too: Vec::new(),
            text: example.text,
            why: example.why,
        })
        // An example may be about effects alone.
        .filter(|case| !case.words.is_empty())
        .collect();
    let without: Vec<&String> = described
        .iter()
        .filter(|description| description.examples.is_empty())
        .flat_map(|description| &description.names)
        .collect();
    assert!(without.is_empty(), "no examples: {without:?}");
    report(&cases, &catalogue);
}

#[test]
fn the_examples_of_what_commands_do_hold() {
    let catalogue = all();
    let descriptions: Vec<Description> =
        built_in().iter().map(|source| description(source).unwrap_or_default()).collect();
    let mut wrong = Vec::new();
    for example in descriptions.iter().flat_map(|description| &description.examples) {
        let words = parse(&argv(&example.argv), &catalogue);
        let narrows = catalogue.grammar(words.path()).unwrap_or_default().narrows;
        let found = effects(&words, &catalogue.effects(words.path()), &narrows);
        let found: Vec<String> = found.iter().map(ToString::to_string).collect();
        match &example.effects {
            Some(wanted) if *wanted != found => {
                wrong.push(format!(
                    "{:?}\n  expected {wanted:?}\n  found    {found:?}",
                    example.argv
                ));
            }
            None if example.words.is_empty() => {
                wrong.push(format!("{:?} says nothing", example.argv))
            }
            _ => {}
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    let told = |name: &&str| {
        let of_name = |d: &&Description| d.names.iter().any(|n| n == name);
        let description = descriptions.iter().find(of_name);
        description.map_or(0, |d| d.examples.iter().filter(|e| e.effects.is_some()).count()) >= 3
    };
    let all = [
        "rm", "rmdir", "unlink", "shred", "truncate", "mv", "cp", "install", "ln", "dd", "tee",
        "sed", "perl", "rsync", "tar", "unzip", "find", "git",
    ];
    let without: Vec<&&str> = all.iter().filter(|name| !told(name)).collect();
    assert!(without.is_empty(), "fewer than three examples of effects: {without:?}");
}

#[test]
fn argv_is_read_as_the_manuals_say() {
    let cases: Cases = toml::from_str(include_str!("cases/words.toml")).unwrap();
    assert!(cases.case.len() > 250);
    report(&cases.case, &all());
}

/// One file a command, at least eight rows in each.
#[test]
fn argv_of_each_further_command_is_read_as_its_manual_says() {
    let directory = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/cases/words");
    let mut cases = Vec::new();
    for entry in std::fs::read_dir(directory).into_iter().flatten() {
        let path = entry.unwrap().path();
        let text = std::fs::read_to_string(&path).unwrap();
        let rows: Cases =
            toml::from_str(&text).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        assert!(rows.case.len() >= 8, "{}: {} rows", path.display(), rows.case.len());
        cases.extend(rows.case);
    }
    report(&cases, &all());
}

#[test]
fn a_users_description_takes_the_place_of_ours() {
    let own = source("tool.toml", Layer::User, "names = ['git']\noptions = ['-z, --zed <n>']\n");
    let (catalogue, faults) = catalogue(&[own]);
    assert_eq!(faults, []);
    let words = parse(&argv(&["git", "-z", "1", "push"]), &catalogue);
    assert_eq!(seen(&words).words, ["git", "push"]);
    assert_eq!(seen(&words).flags, ["--zed=1"]);
}

#[test]
fn a_project_describes_no_commands() {
    let own = source("tool.toml", Layer::Project, "names = ['git']\noptions = []\n");
    let (with, faults) = catalogue(&[own]);
    assert_eq!(faults.iter().map(|f| f.code.name()).collect::<Vec<_>>(), ["not-here"]);
    assert_eq!(with, all());
}

#[test]
fn a_faulty_description_contributes_nothing_and_says_everything() {
    let text = "\
names = ['git', 'other']
colour = true
options = ['-v, --verbose', 'force', '--color[=<when>', '-v']
directory = ['--verbos']
wraps = 'operand'
[subcommands.push]
aliases = 'p'
abbreviations = true
options = ['@diff']
[[examples]]
words = ['git']
";
    let (with, faults) = catalogue(&[source("git.toml", Layer::User, text)]);
    let found: Vec<(u32, u32, &str)> =
        faults.iter().map(|f| (f.line, f.column, f.code.name())).collect();
    let expected = [
        (2, 1, "unknown-key"),
        (3, 29, "bad-option"),
        (3, 38, "bad-option"),
        (3, 57, "bad-option"),
        (4, 14, "unknown-option"),
        (5, 9, "bad-value"),
        (7, 11, "bad-type"),
        (8, 1, "unknown-key"),
        (9, 12, "bad-option"),
        (10, 1, "missing-key"),
    ];
    assert_eq!(found, expected, "{}", diagnostic::plain_all(&faults));
    assert_eq!(with, all());
}

fn all() -> Catalogue {
    catalogue(&[]).0
}

/// What is compiled in, as it is written.
fn built_in() -> Vec<SourceText> {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("shims");
    let paths = std::fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path());
    let tables = paths.filter(|path| path.extension().is_some_and(|e| e == "toml"));
    let source = |path: PathBuf| SourceText {
        shown: path.display().to_string(),
        layer: Layer::System,
        bytes: std::fs::read(&path).unwrap(),
        path,
    };
    tables.map(source).collect()
}

/// All rows that fail, at once.
fn report(cases: &[Case], catalogue: &Catalogue) {
    let failures: Vec<String> = cases
        .iter()
        .filter_map(|case| {
            let words = parse(&argv(&case.argv), catalogue);
            let expected = Case { why: None, ..case.clone() };
            let found = seen(&words);
            (expected != found).then(|| {
                let why = case.why.as_deref().unwrap_or("plain");
                format!("{:?} ({why})\n  expected {expected:?}\n  found    {found:?}", case.argv)
            })
        })
        .collect();
    let (failed, all) = (failures.len(), cases.len());
    assert!(failures.is_empty(), "{failed} of {all} rows fail:\n{}", failures.join("\n"));
}

fn seen(words: &Words) -> Case {
    let mut wrapped = Vec::new();
    let mut text = None;
    for inner in words.wrapped() {
        match inner {
            Wrapped::Argv(argv) => wrapped.push(argv.iter().map(ToString::to_string).collect()),
            Wrapped::Text(shell) => text = Some(shell.to_string()),
        }
    }
    let mut wrapped = wrapped.into_iter();
    let operands = words.words().iter().map(|word| word.text.to_string());
    Case {
        argv: words.argv().iter().map(ToString::to_string).collect(),
        words: std::iter::once(words.program().to_string()).chain(operands).collect(),
        flags: words.flags().iter().map(flag).collect(),
        wrapped: wrapped.next().unwrap_or_default(),
        wrapped_too: wrapped.collect(),
        text,
        why: None,
    }
}

fn flag(flag: &Flag) -> String {
    match &flag.value {
        Some(value) => format!("{}={value}", flag.name),
        None => flag.name.to_string(),
    }
}

fn argv<S: AsRef<str>>(words: &[S]) -> Vec<BString> {
    words.iter().map(|word| word.as_ref().into()).collect()
}

fn source(name: &str, layer: Layer, text: &str) -> SourceText {
    SourceText { path: name.into(), shown: name.into(), layer, bytes: text.into() }
}
