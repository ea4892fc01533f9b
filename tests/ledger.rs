//! The ledger and its view: killed at every step, written by many at once, damaged, newer, and
//! whom `seal` and `unseal` listen to.

mod common;
#[path = "common/programs.rs"]
mod programs;

use std::fs;
use std::os::unix::fs::symlink;
use std::process::{Command, Stdio};

use common::{EMBARGO, Test, World};
use programs::compiled;
use serde_json::Value;

/// What else there is for suites with programs of their own.
const _: fn(&World) = |world| {
    programs::put(world, programs::recorder(), "bin/recorder");
};

const STATE: &str = "home/.local/state/embargo";

/// A world with something to seal, and a stub of `rm` behind its shim.
fn world() -> World {
    let world = World::new();
    world.write("project/a", "first").write("project/b", "second").stub("rm").stub("ls");
    world.install(&["rm", "ls"]);
    world
}

fn seal(world: &World, paths: &[&str]) {
    let words: Vec<&str> = ["seal"].iter().chain(paths).copied().collect();
    world.embargo(&words).any_output().run_expecting(0, "it can be sealed");
}

/// The names that are sealed.
fn sealed(world: &World) -> Vec<String> {
    let text = world.embargo(&["seals", "--json"]).any_output().run().stdout;
    let all: Value = serde_json::from_str(&text).unwrap_or_else(|e| panic!("{e}: {text}"));
    let name = |seal: &Value| {
        let path = seal["path"].as_str().expect("a path");
        path.rsplit('/').next().expect("a name").to_owned()
    };
    all["seals"].as_array().expect("a list").iter().map(name).collect()
}

fn rm(world: &World, name: &str) -> i32 {
    world.shim("rm", &[name]).any_output().run().status
}

#[test]
fn a_seal_is_whole_or_not_there_wherever_its_writer_was_killed() {
    let killer = compiled("killer", include_str!("common/killer.c"), &["-shared", "-fPIC"]);
    let mut killed = 0;
    for step in 1..200 {
        let world = world();
        seal(&world, &["a"]);
        let test = world.embargo(&["seal", "b"]).any_output();
        let found = test.env("LD_PRELOAD", &killer).env("KILL_AT", step.to_string()).run();
        if found.status == 0 {
            break;
        }
        assert_eq!(found.status, 137, "step {step}: {found:?}");
        killed = step;
        // First of all by a shim: it finds the disk as it was left.
        assert_eq!(rm(&world, "a"), 86, "step {step}: what was sealed before");
        let b = rm(&world, "b");
        let names = sealed(&world);
        assert!(names.contains(&"a".to_owned()), "step {step}: {names:?}");
        let wanted = if names.contains(&"b".to_owned()) { 86 } else { 0 };
        assert_eq!(b, wanted, "step {step}: {names:?}");
        // The next writer tidies up.
        seal(&world, &["b"]);
        assert_eq!(sealed(&world), ["a", "b"], "step {step}");
        assert_eq!(rm(&world, "b"), 86, "step {step}");
        let left = fs::read_dir(world.path(STATE)).expect("state").filter_map(Result::ok);
        let left = left.filter(|e| e.file_name().to_string_lossy().contains("view."));
        assert_eq!(left.count(), 0, "step {step}");
    }
    assert!(killed >= 10, "only {killed} steps: it was not seen what it does");
}

#[test]
fn fifty_who_seal_and_fifty_who_delete_at_once_keep_every_promise() {
    let world = world();
    let path = std::env::join_paths([world.path("shims"), world.path("bin")]).expect("a PATH");
    for i in 0..50 {
        world.write(&format!("project/keep{i}"), "x").write(&format!("project/junk{i}"), "x");
    }
    let start = |program: &str, words: &[&str]| {
        Command::new(program)
            .args(words)
            .env_clear()
            .env("HOME", world.path("home"))
            .env("PATH", &path)
            .current_dir(world.path("project"))
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("it starts")
    };
    let shim = world.path("shims/rm").display().to_string();
    let mut children = Vec::new();
    for i in 0..50 {
        children.push((start(EMBARGO, &["seal", &format!("keep{i}")]), 0));
        children.push((start(&shim, &[&format!("junk{i}")]), 0));
    }
    for (child, status) in &mut children {
        assert_eq!(child.wait().expect("an end").code(), Some(*status));
    }
    assert_eq!(sealed(&world).len(), 50);
    for i in 0..50 {
        assert_eq!(rm(&world, &format!("keep{i}")), 86);
    }
    assert_eq!(world.calls().lines().count(), 50, "what is not sealed went");
}

#[test]
fn what_cannot_be_trusted_is_not_taken_for_nothing() {
    type Act = Box<dyn Fn(&World)>;
    let view = format!("{STATE}/ledger.view");
    let db = format!("{STATE}/ledger.db");
    let without_view = |world: &World| {
        fs::remove_file(world.path(format!("{STATE}/ledger.view"))).expect("it was there");
    };
    let sql = |text: &'static str| {
        move |world: &World| {
            let path = world.path(format!("{STATE}/ledger.db"));
            let ledger = rusqlite::Connection::open(path).expect("a ledger");
            ledger.execute_batch(text).expect("a change");
        }
    };
    // What happens to it; what `rm a` says then.
    let table: [(&str, Act, i32); 8] = [
        ("nothing", Box::new(|_| {}), 86),
        ("no view", Box::new(without_view), 86),
        (
            "a damaged view",
            {
                let view = view.clone();
                Box::new(move |w| {
                    let _ = w.write(&view, "x");
                })
            },
            86,
        ),
        (
            "an empty view",
            {
                let view = view.clone();
                Box::new(move |w| {
                    let _ = w.write(&view, "");
                })
            },
            86,
        ),
        (
            "a damaged ledger",
            {
                let db = db.clone();
                Box::new(move |w| {
                    without_view(w);
                    w.write(&db, [7; 5000]);
                })
            },
            88,
        ),
        (
            "a ledger cut short",
            {
                let db = db.clone();
                Box::new(move |w| {
                    without_view(w);
                    w.write(&db, "x");
                })
            },
            88,
        ),
        (
            "a newer ledger",
            Box::new(move |w| {
                without_view(w);
                sql("PRAGMA user_version = 9")(w);
            }),
            88,
        ),
        (
            "a ledger that is a link",
            {
                let db = db.clone();
                Box::new(move |w| {
                    without_view(w);
                    fs::rename(w.path(&db), w.path("elsewhere")).expect("moved");
                    symlink(w.path("elsewhere"), w.path(&db)).expect("a link");
                })
            },
            88,
        ),
    ];
    for (what, act, status) in table {
        let world = world();
        seal(&world, &["a"]);
        act(&world);
        let before = fs::read(world.path(&db)).ok();
        let found = world.shim("rm", &["a"]).any_output().run_expecting(status, what);
        assert_eq!(rm(&world, "b"), if status == 86 { 0 } else { status }, "{what}");
        world.shim("ls", &["a"]).any_output().run_expecting(0, what);
        if status == 88 {
            assert!(
                found.stderr.contains("embargo cannot know what is sealed"),
                "{what}: {found:?}"
            );
            world.embargo(&["seal", "b"]).any_output().run_expecting(88, what);
            assert_eq!(fs::read(world.path(&db)).ok(), before, "{what}: it is left as it is");
        }
    }
}

#[test]
fn a_seal_only_becomes_firmer() {
    let world = world();
    world.embargo(&["seal", "a", "--tier", "soft"]).stdout_has(&["(kept, soft)"]).run();
    world.embargo(&["seal", "a", "--reason", "it is dear"]).stdout_has(&["(kept, hard)"]).run();
    world.embargo(&["seal", "a", "--tier", "soft"]).stdout_has(&["(kept, hard)"]).run();
    world.embargo(&["seals"]).stdout_has(&["hard kept", "it is dear"]).run();
    // What was changed behind our back is not made good.
    world.write("project/a", "another");
    world.embargo(&["seal", "a"]).stderr_has(&["is not as it was sealed"]).status(1).run();
    for (path, why) in [
        ("/", "whole machine"),
        ("../home", "home directory"),
        ("/usr/bin", "system"),
        ("none", ""),
    ] {
        let found = world.embargo(&["seal", path]).any_output().run();
        assert_eq!(found.status, 1, "{path}: {found:?}");
        assert!(found.stderr.contains(why), "{path}: {found:?}");
    }
    assert_eq!(sealed(&world), ["a"]);
}

#[test]
fn only_a_person_at_a_terminal_ends_a_seal() {
    let world = world();
    seal(&world, &["a", "b"]);
    let unseal = |words: &[&str]| world.embargo(words);
    unseal(&["unseal", "a"]).stderr_has(&["at a terminal"]).status(1).run();
    let agent = unseal(&["unseal", "a"]).env("CLAUDECODE", "1");
    agent.stderr_has(&["who is under an embargo does not lift it"]).status(1).run();
    let below = world.embargo(&["run", "--", EMBARGO, "unseal", "--all"]);
    below.stderr_has(&["does not lift it"]).status(1).run();
    assert_eq!(sealed(&world), ["a", "b"]);
    if !std::path::Path::new("/usr/bin/script").exists() {
        eprintln!("left out: there is no script(1) to make a terminal");
        return;
    }
    let at_terminal = |answer: &str, words: &str| {
        let line = format!("{EMBARGO} unseal {words}");
        let test = Test::new(&world, "/usr/bin/script".as_ref(), &["-qec", &line, "/dev/null"]);
        test.env("SHELL", "/bin/sh").stdin(format!("{answer}\n")).any_output().run()
    };
    let refused = at_terminal("no", "a");
    assert_eq!(refused.status, 1, "{refused:?}");
    assert_eq!(sealed(&world), ["a", "b"]);
    let ended = at_terminal("yes", "a");
    assert_eq!(ended.status, 0, "{ended:?}");
    assert_eq!(sealed(&world), ["b"]);
    assert_eq!(rm(&world, "a"), 0);
    assert_eq!(rm(&world, "b"), 86);
    let log = world.embargo(&["log"]).any_output().run().stdout;
    assert!(log.contains("unsealed"), "{log}");
}

#[test]
fn what_is_not_sealed_is_given_as_a_command() {
    let world = world();
    seal(&world, &["a"]);
    let found = world.shim("rm", &["-f", "a", "b"]).any_output().run_expecting(86, "mixed");
    assert!(found.stderr.contains("leave out what is sealed: `rm -f b`"), "{found:?}");
    let lines = found.stderr.lines().count();
    assert!(lines <= 8, "{found:?}");
    assert_eq!(world.calls(), "", "never half done");
    let found = world.shim("rm", &["a"]).env("EMBARGO_FORMAT", "json").any_output().run();
    let object: Value = serde_json::from_str(&found.stderr).expect("an object");
    assert_eq!((&object["kind"], &object["verdict"]), (&"seal".into(), &"hard-seal".into()));
    assert!(object["rule"].as_str().is_some_and(|rule| rule.starts_with("seal:")), "{object}");
    assert_eq!(object["seals"][0]["act"], "deletes");
    let log = world.embargo(&["log"]).any_output().run().stdout;
    assert!(log.contains("seal:"), "{log}");
    world.embargo(&["last"]).stdout_has(&["seal:"]).any_output().run_expecting(0, "last");
}
