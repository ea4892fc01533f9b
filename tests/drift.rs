//! `embargo seals check`: what has become of what is sealed (`tests/cases/drift.toml`).

mod common;

use std::fs;
use std::process::{Command, Output, Stdio};

use common::{EMBARGO, World};
use serde::Deserialize;
use serde_json::Value;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    case: Vec<Row>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    name: String,
    setup: String,
    #[serde(default)]
    seal: Vec<String>,
    #[serde(default)]
    accept: Vec<String>,
    act: String,
    #[serde(default)]
    only: Vec<String>,
    drift: Vec<String>,
}

fn run(world: &World, program: &str, words: &[&str]) -> Output {
    let mut command = Command::new(program);
    command.args(words).current_dir(world.path("project")).stdin(Stdio::null());
    command.env_clear().env("PATH", "/usr/local/bin:/usr/bin:/bin").env("HOME", world.path("home"));
    command.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_NOSYSTEM", "1");
    command.output().expect("it starts")
}

fn verb(world: &World, words: &[&str], more: &[String]) -> (Option<i32>, String) {
    let words: Vec<&str> = words.iter().copied().chain(more.iter().map(String::as_str)).collect();
    let output = run(world, EMBARGO, &words);
    let said = [output.stdout, output.stderr].concat();
    (output.status.code(), String::from_utf8_lossy(&said).into_owned())
}

/// As the table has it.
fn line(drift: &Value, world: &World) -> String {
    let text = |key: &str| drift[key].as_str().expect("text").to_owned();
    let here = world.path("project").canonicalize().expect("there");
    let path = text("path");
    let path = path.strip_prefix(here.to_str().expect("text")).unwrap_or(&path);
    format!("{} {}", text("change"), path.trim_start_matches('/'))
}

#[test]
fn what_is_not_as_it_was_sealed_is_found() {
    let table: Table = toml::from_str(include_str!("cases/drift.toml")).expect("the table parses");
    let mut wrong = String::new();
    for row in &table.case {
        let world = World::new();
        fs::create_dir_all(world.path("project")).expect("a directory");
        fs::create_dir_all(world.path("home")).expect("a directory");
        let sh = |text: &str| run(&world, "sh", &["-ec", text]).status.success();
        assert!(sh(&row.setup), "{}: setup", row.name);
        let sealed = match row.accept.is_empty() {
            true => verb(&world, &["seal", "--"], &row.seal),
            false => verb(&world, &["accept"], &row.accept),
        };
        assert_eq!(sealed.0, Some(0), "{}: {}", row.name, sealed.1);
        assert_eq!(verb(&world, &["seals", "check"], &[]).0, Some(0), "{}: at once", row.name);
        assert!(sh(&row.act), "{}: act", row.name);

        let (status, said) = verb(&world, &["seals", "check", "--json", "--"], &row.only);
        let all: Value = serde_json::from_str(&said).unwrap_or_default();
        let drift = all["drift"].as_array().map(Vec::as_slice).unwrap_or_default();
        let mut found: Vec<String> = drift.iter().map(|drift| line(drift, &world)).collect();
        found.sort();
        let (_, told) = verb(&world, &["seals", "check", "--"], &row.only);
        let (_, log) = verb(&world, &["log", "--json"], &[]);
        let is_told = drift.iter().all(|drift| {
            let path = drift["path"].as_str().expect("text");
            told.contains(path) && log.contains(&format!("seal:{path}"))
        });
        if found != row.drift || status != Some(i32::from(!row.drift.is_empty())) || !is_told {
            wrong += &format!("{}: {status:?} {found:?}\n{said}{told}\n", row.name);
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

#[test]
fn what_is_not_sealed_is_not_checked() {
    let world = World::new();
    fs::create_dir_all(world.path("project")).expect("a directory");
    fs::create_dir_all(world.path("home")).expect("a directory");
    assert_eq!(verb(&world, &["seals", "check"], &[]), (Some(0), "nothing is sealed\n".to_owned()));
    let (status, said) = verb(&world, &["seals", "check", "absent"], &[]);
    assert!(status == Some(1) && said.contains("is not sealed"), "{status:?} {said}");
}
