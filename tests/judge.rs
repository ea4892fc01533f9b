//! What policies do to calls: the tables in `tests/cases/judge.toml`, and the rows
//! of kind `judge` in `regressions.toml`. Judged as text, never executed.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use bstr::BString;
use embargo::line;
use embargo::policy::{Ancestry, Invocation, Layer, Place, Process, Rule, Verdict, judge_all};
use embargo::render::refusal::{Circumstances, agent_voice, severity_name, warning};
use embargo::view::{Contents, Read, View, compile, encode};
use serde::Deserialize;

#[derive(Deserialize)]
struct Table {
    policy: Vec<PolicyText>,
    case: Vec<Case>,
}

#[derive(Deserialize)]
struct PolicyText {
    name: String,
    text: Option<String>,
    json: Option<String>,
}

#[derive(Deserialize, Clone)]
struct Case {
    id: Option<String>,
    kind: Option<String>,
    policy: Option<String>,
    policies: Option<Vec<(String, String)>>,
    argv: Option<Vec<String>>,
    line: Option<String>,
    verdict: Option<String>,
    rules: Option<Vec<String>>,
    #[serde(default)]
    text_says: Vec<String>,
    ancestors: Option<Vec<String>>,
    session: Option<String>,
    script: Option<String>,
    #[serde(default)]
    also: Vec<Case>,
    why: Option<String>,
}

#[test]
fn every_call_gets_its_verdict() {
    let table = read("judge.toml");
    run(&table.policy, table.case);
}

/// `example` is the example policy; packs are extended by name.
#[test]
fn shipped_policies_refuse_acts_and_no_text() {
    let table = read("packs.toml");
    let mut policies = table.policy;
    let example = include_str!("../embargo.example.toml").to_owned();
    policies.push(PolicyText { name: "example".into(), text: Some(example), json: None });
    assert!(table.case.len() > 150, "the table has shrunk to {}", table.case.len());
    run(&policies, table.case);
}

#[test]
fn reported_bugs_stay_mended() {
    let table = read("regressions.toml");
    let mut cases = Vec::new();
    for case in table.case {
        let mut also = case.also.clone();
        for row in &mut also {
            row.id.clone_from(&case.id);
            row.policy = row.policy.take().or(case.policy.clone());
        }
        cases.push(case);
        cases.extend(also);
    }
    cases.retain(|c| c.kind.as_deref() == Some("judge"));
    assert!(cases.len() >= 18, "the table has shrunk to {}", cases.len());
    run(&table.policy, cases);
}

fn read(file: &str) -> Table {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases").join(file);
    toml::from_str(&std::fs::read_to_string(path).expect("the table is there"))
        .expect("the table parses")
}

fn run(policies: &[PolicyText], cases: Vec<Case>) {
    let by_name: BTreeMap<&str, &PolicyText> = policies.iter().map(|p| (&*p.name, p)).collect();
    let count = cases.len();
    let failures: Vec<String> = cases
        .iter()
        .filter_map(|case| check(case, &by_name).err().map(|e| format!("{}\n{e}", describe(case))))
        .collect();
    assert!(
        failures.is_empty(),
        "{} of {count} failed:\n\n{}",
        failures.len(),
        failures.join("\n\n")
    );
}

fn describe(case: &Case) -> String {
    let what = match (&case.argv, &case.line) {
        (Some(argv), _) => format!("{argv:?}"),
        (_, Some(line)) => format!("line {line:?}"),
        _ => String::new(),
    };
    let policy = case.policy.clone().unwrap_or_else(|| format!("{:?}", case.policies));
    let above = case.ancestors.as_ref().map(|a| format!(" below {a:?}")).unwrap_or_default();
    let id = case.id.clone().unwrap_or_default();
    format!("{id} {policy}: {what}{above} ({})", case.why.clone().unwrap_or_default())
}

fn check(case: &Case, policies: &BTreeMap<&str, &PolicyText>) -> Result<(), String> {
    let layers = match (&case.policies, &case.policy) {
        (Some(layers), _) => layers.clone(),
        (None, Some(name)) => vec![("user".to_owned(), name.clone())],
        (None, None) => Vec::new(),
    };
    let sources: Vec<Read> =
        layers.iter().map(|(layer, name)| source(layer, policies[&**name])).collect();
    let contents = compile(&sources, &[], &[], |_| Err("no such file".to_owned()))
        .map_err(|d| format!("the policy does not load: {}", d.message))?;
    let bytes = encode(&contents);
    let view = View::open(&bytes).map_err(|_| "the view does not open".to_owned())?;
    let ancestry = ancestry(case);
    let mut calls = match (&case.argv, &case.line) {
        (Some(argv), _) => {
            let argv: Vec<BString> = argv.iter().map(|a| BString::from(a.as_str())).collect();
            view.calls(&argv, &ancestry)
        }
        (None, Some(line)) => view.calls_of_line(line, &ancestry),
        (None, None) => return Err("neither argv nor line".to_owned()),
    };
    if view.speaks_of_effects() {
        let place = Place { cwd: "/proj".into(), homes: vec!["/home/u".into()] };
        view.add_effects(&mut calls, &Arc::new(place));
    }
    same_as_without_index(&contents, &view, &calls)?;

    let rules = view.candidates(&calls);
    let rules: Vec<&Rule> = rules.iter().collect();
    let reserved: Vec<_> = calls.iter().flat_map(|c| view.reserved(&c.words)).collect();
    let verdict = judge_all(&rules, &reserved, &calls);
    let (found, ids, text) = outcome(&verdict, &calls);
    let wanted = case.verdict.clone().unwrap_or_default();
    let found = if found == "reserved" { "refuse" } else { found };
    if found != wanted {
        return Err(format!("verdict {found} by {ids:?}, not {wanted}"));
    }
    if let Some(rules) = &case.rules
        && *rules != ids
    {
        return Err(format!("rules {ids:?}, not {rules:?}"));
    }
    match case.text_says.iter().find(|part| !text.contains(part.as_str())) {
        Some(part) => Err(format!("the text does not say {part:?}:\n{text}")),
        None => Ok(()),
    }
}

/// The index of the view is a shortcut, never another verdict.
fn same_as_without_index(
    contents: &Contents,
    view: &View<'_>,
    calls: &[Invocation],
) -> Result<(), String> {
    let all: Vec<&Rule> = contents.policy.rules.iter().collect();
    let few = view.candidates(calls);
    let few: Vec<&Rule> = few.iter().collect();
    let reserved = &contents.policy.reserved;
    let (a, b) = (judge_all(&all, reserved, calls), judge_all(&few, reserved, calls));
    if a == b { Ok(()) } else { Err(format!("all rules say {a:?}\nthe index says {b:?}")) }
}

fn outcome(verdict: &Verdict<'_>, calls: &[Invocation]) -> (&'static str, Vec<String>, String) {
    let about =
        Circumstances { offence: 1, surface_after: 2, door: "shim", ..Circumstances::default() };
    let (refusal, text) = match verdict {
        Verdict::Pass(_) => return ("pass", Vec::new(), String::new()),
        Verdict::Warn(refusal) => (refusal, warning(refusal, calls)),
        Verdict::Refuse(refusal) => (refusal, agent_voice(refusal, calls, &about)),
    };
    let mut ids: Vec<String> = refusal.rules().iter().map(|r| r.id.0.clone()).collect();
    ids.sort();
    (severity_name(verdict.severity()), ids, text)
}

fn source(layer: &str, policy: &PolicyText) -> Read {
    let (layer, directory) = match layer {
        "system" => (Layer::System, "/etc/embargo"),
        "user" => (Layer::User, "/home/u/.config/embargo"),
        "project" => (Layer::Project, "/proj"),
        "named" => (Layer::Named, "/named"),
        other => panic!("no layer {other}"),
    };
    let (name, text) = match (&policy.json, &policy.text) {
        (Some(json), _) => ("embargo.json", json.clone()),
        (None, text) => ("embargo.toml", text.clone().unwrap_or_default()),
    };
    let path = PathBuf::from(directory).join(&policy.name).join(name);
    Read { path, layer, bytes: Ok(text.into_bytes()) }
}

fn ancestry(case: &Case) -> Ancestry {
    let processes = case.ancestors.iter().flatten().map(|text| {
        let argv = line::split(text);
        let name = argv.first().map(|a| a.rsplit(|b| *b == b'/').next().unwrap_or(a).to_vec());
        let executable = BString::from(name.unwrap_or_default());
        let is_session = case.session.as_ref().is_some_and(|s| executable == s.as_bytes());
        Arc::new(Process { argv, executable, ran: None, is_session, is_wrapping: false })
    });
    // A `#!` script is one that the shell says it ran.
    let script = case.script.as_deref().map(BString::from);
    Ancestry { processes: processes.collect(), by_shebang: script.is_some(), script }
}
