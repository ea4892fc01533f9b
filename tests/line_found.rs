//! Lines that were once judged wrongly at the line door: the table in
//! `tests/cases/line_found.toml`. Judged as text, never executed.

mod common;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use common::{NO_GRADLE, World};
use embargo::policy::{Ancestry, Layer, Place, Rule, Severity, judge_all};
use embargo::view::{Read, View, compile, encode};
use serde::Deserialize;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    policies: BTreeMap<String, String>,
    rows: BTreeMap<String, Vec<Row>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    line: String,
    policy: Option<String>,
    refused: bool,
    why: Option<String>,
    later: Option<String>,
}

impl Row {
    /// With what would be too long for a table.
    fn text(&self) -> String {
        let long = "export const f = (a) => { return g(a); };\n".repeat(400);
        let many: Vec<String> = (0..500).map(|nth| format!("f{nth}")).collect();
        let exec = "-exec true {} \\; ".repeat(200);
        let text = self.line.replace("{LONG}", &long).replace("{MANY}", &many.join(" "));
        text.replace("{EXEC}", &exec)
    }
}

#[test]
fn every_line_that_was_found_is_judged_rightly() {
    let table: Table =
        toml::from_str(include_str!("cases/line_found.toml")).expect("the table parses");
    let count = |refused| table.rows.values().flatten().filter(|r| r.refused == refused).count();
    assert!(count(true) >= 100 && count(false) >= 90, "the table has shrunk");
    let views: BTreeMap<&str, Vec<u8>> =
        table.policies.iter().map(|(name, text)| (name.as_str(), view(text))).collect();
    let mut wrong = Vec::new();
    for (kind, rows) in &table.rows {
        for row in rows {
            let bytes = &views[row.policy.as_deref().unwrap_or("P")];
            let view = View::open(bytes).unwrap_or_else(|_| panic!("the view opens"));
            let is_right = is_refused(&view, &row.text()) == row.refused;
            let is_later = row.later.as_ref().is_some_and(|why| why.len() > 20);
            if is_right == is_later {
                let Row { line, refused, why, .. } = row;
                wrong.push(format!("{kind}: {line:?}: not refused = {refused} {why:?}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}:\n{}", wrong.len(), wrong.join("\n"));
}

fn view(text: &str) -> Vec<u8> {
    let path = PathBuf::from("/proj/embargo.toml");
    let source = Read { path, layer: Layer::Project, bytes: Ok(text.as_bytes().to_vec()) };
    let contents = compile(&[source], &[], &[], |_| Err("no such file".to_owned()));
    encode(&contents.unwrap_or_else(|e| panic!("the policy does not load: {}", e.message)))
}

fn is_refused(view: &View<'_>, line: &str) -> bool {
    let mut calls = view.calls_of_line(line, &Ancestry::default());
    let place = Place { cwd: "/proj".into(), homes: vec!["/home/u".into()] };
    view.add_effects(&mut calls, &Arc::new(place));
    let rules = view.candidates(&calls);
    let rules: Vec<&Rule> = rules.iter().collect();
    judge_all(&rules, &[], &calls).severity() == Severity::Refuse
}

/// What is there is known only where the line is judged.
#[test]
fn a_cd_to_what_is_there_does_not_fail() {
    let world = World::new();
    world
        .policy("[[embargo]]\ndeletes = ['dist/**']\noverwrites = ['*.lock']\nreason = 'checked'\n")
        .write("project/sub/x", "");
    std::os::unix::fs::symlink("sub", world.path("project/link")).expect("a link");
    let check = |line: &str, status| {
        world.embargo(&["check", line]).any_output().run_expecting(status, line);
    };
    for passes in [
        "cd sub; rm -rf dist",
        "cd link; rm -rf dist",
        "cd sub; make; > Cargo.lockx",
        "echo x; cd sub\nrm -rf dist",
        "cd sub; cd ..; cd sub; rm -rf dist",
        "bash -c 'cd sub; rm -rf dist'",
        "cd nosuch && rm -rf dist",
    ] {
        check(passes, 0);
    }
    for refused in [
        "cd nosuch; rm -rf dist",
        "cd sub/x; rm -rf dist",
        "cd sub; cd nosuch; cd ..; rm -rf dist",
        "cd sub || rm -rf dist; cd nosuch; > Cargo.lock",
        "mv sub away; cd sub; rm -rf dist",
        "mv sub away; bash -c 'cd sub; rm -rf dist'",
        "cd \"$NOWHERE\"; rm -rf dist",
    ] {
        check(refused, 86);
    }
}

/// The policy of a directory is in force for what works there, however it got there.
#[test]
fn the_policy_of_where_a_cd_leads_is_in_force() {
    let world = World::new();
    world.policy(NO_GRADLE).write("other/x", "").write("project/deep/er/x", "");
    let project = world.path("project").display().to_string();
    let absolute =
        [format!("cd {project} && gradle x"), format!("cd {project}/deep/er; make; gradle x")];
    let refused = [
        "cd ../project; /usr/bin/gradle x",
        "cd ../project && gradle x",
        "cd .. && cd project && gradle x",
        "cd ../project/deep/er && gradle x",
        "pushd ../project && gradle x",
        "bash -c 'cd ../project && gradle x'",
        "(cd ../project; gradle x)",
        "env -C .. bash -c 'cd project && gradle x'",
        "for d in ../project; do cd $d && gradle x; done",
        "cd ~/../project && gradle x",
        "d=../project; cd \"$d\" && gradle x",
    ];
    let check = |line: &str, status| {
        let test = world.embargo(&["check", line]).cwd("other").any_output();
        test.run_expecting(status, line);
    };
    refused.iter().for_each(|line| check(line, 86));
    absolute.iter().for_each(|line| check(line, 86));
    for passes in
        ["gradle x", "cd .. && gradle x", "cd ../project && make", "echo cd ../project; gradle x"]
    {
        check(passes, 0);
    }
}
