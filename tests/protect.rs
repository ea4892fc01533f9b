//! `[[protect]]`: what stays as it is without any check (`tests/cases/protect.toml`).

mod common;

use common::World;
use serde::Deserialize;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    case: Vec<Row>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    run: String,
    refused: bool,
}

const POLICY: &str = r#"
[[protect]]
paths = ["data/**", "~/.ssh/**"]
reason = "they are the customer's originals"
alternative = "use a copy in `out/`"

[[protect]]
paths = ["keys/*.pem", "src/**/gen_*.rs", "one.csv"]
tier = "soft"
"#;

fn world() -> World {
    let world = World::new();
    for file in [
        "project/data/a/b.csv",
        "project/keys/x.pem",
        "project/keys/readme",
        "project/src/p/gen_q.rs",
        "project/src/p/main.rs",
        "project/one.csv",
        "project/other.csv",
        "project/data2/x",
        "home/.ssh/id",
    ] {
        world.write(file, "x");
    }
    std::os::unix::fs::symlink("data/a", world.path("project/link")).expect("a link");
    world.policy(POLICY);
    world
}

#[test]
fn the_table() {
    let table: Table = toml::from_str(include_str!("cases/protect.toml")).expect("it parses");
    let world = world();
    let mut wrong = String::new();
    for row in &table.case {
        let found = world.embargo(&["check", &row.run]).any_output().run();
        if found.status != if row.refused { 86 } else { 0 } {
            wrong += &format!("{}: {} {}\n", row.run, found.status, found.stdout);
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

#[test]
fn the_refusal_says_who_protects_it_and_what_to_do_instead() {
    let world = world();
    let found = world.embargo(&["check", "rm data/a/b.csv"]).any_output().run();
    for part in [
        "which is protected by `embargo.toml:2`: they are the customer's originals",
        "Instead, use a copy in `out/`.",
        "Only a person changes that, in `embargo.toml:2`",
    ] {
        assert!(found.stdout.contains(part), "{part}: {}", found.stdout);
    }
    let found = world.embargo(&["check", "--json", "rm one.csv"]).any_output().run();
    let object: serde_json::Value = serde_json::from_str(&found.stdout).expect("JSON");
    assert_eq!((&object["kind"], &object["verdict"]), (&"seal".into(), &"soft-seal".into()));
    assert!(object["seals"][0]["seal"].is_null(), "{object}");
}

/// Without any ledger, by the shims that `sync` makes for it; and from elsewhere.
#[test]
fn shims_hold_it() {
    let world = world();
    world.stub("rm").stub("ls");
    let shims = world.path("shims").display().to_string();
    world.install(&["ls"]);
    world.embargo(&["shim", "sync", "--dir", &shims]).any_output().status(0).run();
    let found = world.shim("rm", &["-rf", "data"]).any_output().run();
    assert_eq!(found.status, 86, "{}", found.stderr);
    assert!(found.stderr.contains("is protected by"), "{}", found.stderr);
    world.shim("rm", &["other.csv"]).any_output().status(0).run();
    let found = world.shim("rm", &["b.csv"]).cwd("project/data/a").any_output().run();
    assert_eq!(found.status, 86, "{}", found.stderr);
}
