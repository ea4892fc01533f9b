//! What calls do and which rules that meets: the tables in `tests/cases/effects.toml`.
//! Judged as text, never executed.

mod common;

use std::path::PathBuf;
use std::sync::Arc;

use bstr::BString;
use common::World;
use embargo::line;
use embargo::policy::{Ancestry, Invocation, Layer, Place, Rule, Severity, judge_all};
use embargo::view::{Contents, Read, View, compile, encode};
use serde::Deserialize;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    effects: Vec<Does>,
    verdicts: Vec<Judged>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Does {
    call: String,
    does: Vec<String>,
    why: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Judged {
    rule: String,
    allow: Option<String>,
    call: Option<String>,
    line: Option<String>,
    cwd: Option<String>,
    layer: Option<String>,
    refused: bool,
    why: Option<String>,
}

fn table() -> Table {
    toml::from_str(include_str!("cases/effects.toml")).expect("the table parses")
}

#[test]
fn every_call_does_what_its_manual_says() {
    let rows = table().effects;
    assert!(rows.len() >= 120);
    let contents = Contents::default();
    let bytes = encode(&contents);
    let view = View::open(&bytes).expect("a view");
    let wrong: Vec<String> = rows
        .iter()
        .filter_map(|row| {
            let mut calls = view.calls(&line::split(&row.call), &Ancestry::default());
            view.add_effects(&mut calls, &Arc::default());
            let mut found: Vec<String> =
                calls.iter().flat_map(|c| &c.effects).map(ToString::to_string).collect();
            let mut wanted = row.does.clone();
            found.sort();
            wanted.sort();
            let why = row.why.as_deref().unwrap_or("plain");
            (found != wanted).then(|| {
                format!("{} ({why})\n  expected {wanted:?}\n  found    {found:?}", row.call)
            })
        })
        .collect();
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), rows.len(), wrong.join("\n"));
}

#[test]
fn rules_on_effects_hit_the_act_and_not_the_mention() {
    let rows = table().verdicts;
    let harmless = rows.iter().filter(|row| !row.refused).count();
    assert!(harmless >= 40, "{harmless}");
    let wrong: Vec<String> = rows.iter().filter_map(|row| judged(row).err()).collect();
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), rows.len(), wrong.join("\n"));
}

fn judged(row: &Judged) -> Result<(), String> {
    let told = || {
        let what = row.call.as_ref().or(row.line.as_ref());
        format!("{:?} under {:?} ({})", what, row.rule, row.why.as_deref().unwrap_or("plain"))
    };
    let contents = policy(row).map_err(|e| format!("{}: {e}", told()))?;
    let bytes = encode(&contents);
    let view = View::open(&bytes).expect("a view");
    let mut calls = match (&row.call, &row.line) {
        (Some(call), None) => view.calls(&line::split(call), &Ancestry::default()),
        (None, Some(line)) => view.calls_of_line(line, &Ancestry::default()),
        _ => return Err(format!("{}: a call or a line", told())),
    };
    assert!(view.speaks_of_effects());
    let cwd = row.cwd.as_deref().unwrap_or("/proj").into();
    view.add_effects(&mut calls, &Arc::new(Place { cwd, homes: vec!["/home/u".into()] }));
    let few = view.candidates(&calls);
    let by_index = severity(&few.iter().collect::<Vec<_>>(), &calls);
    let by_all = severity(&contents.policy.rules.iter().collect::<Vec<_>>(), &calls);
    if by_index != by_all {
        return Err(format!("{}: the index says {by_index:?}, all rules {by_all:?}", told()));
    }
    // What passes without being taken apart must be what no rule hits.
    if row.call.is_some() && row.refused && calls.len() == 1 {
        let called: BString = calls[0].words.called().into();
        let program = view.program(&called);
        assert!(view.may_speak_of(&called, program.as_ref()), "{}: passed over", told());
    }
    match (by_all == Severity::Refuse) == row.refused {
        true => Ok(()),
        false => Err(format!(
            "{}: {by_all:?}; {:?}",
            told(),
            calls.iter().map(|c| &c.effects).collect::<Vec<_>>()
        )),
    }
}

fn policy(row: &Judged) -> Result<Contents, String> {
    let (layer, directory) = match row.layer.as_deref() {
        None => (Layer::Project, "/proj"),
        Some("user") => (Layer::User, "/home/u/.config/embargo"),
        Some(other) => return Err(format!("no layer {other}")),
    };
    let mut text = format!("[[embargo]]\n{}\nreason = 'of the test'\n", row.rule);
    if let Some(allow) = &row.allow {
        text += &format!("[[embargo]]\nverdict = 'allow'\n{allow}\nreason = 'of the test'\n");
    }
    let path = PathBuf::from(directory).join("embargo.toml");
    let source = Read { path, layer, bytes: Ok(text.into_bytes()) };
    compile(&[source], &[], &[], |_| Err("no such file".to_owned())).map_err(|d| d.message)
}

/// From the shim to what is told, with stubs for programs.
#[test]
fn shims_and_verbs_judge_by_what_is_done() {
    let world = World::new();
    world
        .policy("[[embargo]]\nid = 'dist'\ndeletes = ['dist/**', '~/keep/**']\nreason = 'it was checked'\n")
        .stub("rm")
        .stub("mv")
        .install(&["rm", "mv"])
        .write("project/sub/x", "");
    for refused in ["dist", ".", "dist/a", "sub/../dist", ".."] {
        world
            .shim("rm", &["-rf", refused])
            .stderr_has(&["rule `dist`", "deletes `dist/**`"])
            .status(86)
            .run();
    }
    let keep = world.path("home/keep");
    world.shim("rm", &["-rf".as_ref(), keep.as_os_str()]).stderr_has(&["`dist`"]).status(86).run();
    // Another home is added, and none is hidden.
    let moved = world.shim("rm", &["-rf".as_ref(), keep.as_os_str()]).env("HOME", "/nowhere");
    moved.stderr_has(&["`dist`"]).status(86).run();
    world
        .shim("rm", &["-rf", "../dist"])
        .cwd("project/sub")
        .stderr_has(&["`dist`"])
        .status(86)
        .run();
    assert_eq!(world.calls(), "");
    world.shim("rm", &["-rf", "dist"]).cwd("project/sub").run();
    world.shim("rm", &["-rf", "distx"]).run();
    world.shim("mv", &["dist", "old"]).run();
    world.write("project/dist/x", "");
    std::os::unix::fs::symlink("dist", world.path("project/link")).expect("a link");
    world.shim("rm", &["link/x"]).stderr_has(&["`dist`"]).status(86).run();
    assert_eq!(world.calls(), "rm -rf dist\nrm -rf distx\nmv dist old\n");
    world.shim("rm", &["link"]).run();
    assert_eq!(world.calls().lines().last(), Some("rm link"), "the link alone");
    world.embargo(&["check", "git clean -fdx"]).stdout_has(&["`dist`"]).status(86).run();
    let told = ["does      moves dist, overwrites old, overwrites old/dist"];
    world.embargo(&["explain", "--argv", "mv", "dist", "old"]).stdout_has(&told).run();
    let told = ["\"effects\":[\"deletes dist\"]"];
    world.embargo(&["explain", "--json", "--argv", "rm", "dist"]).stdout_has(&told).run();
}

fn severity(rules: &[&Rule], calls: &[Invocation]) -> Severity {
    judge_all(rules, &[], calls).severity()
}
