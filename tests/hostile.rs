//! Files that have no end, links that lead nowhere, disks that are full: nothing hangs,
//! nothing is passed over in silence.

mod common;

use std::cell::Cell;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use common::{EMBARGO, NO_GRADLE, World};
use embargo::config::{SourceText, load};
use embargo::policy::Layer;

const LIMIT: &str = "it is larger than 4 MiB";
const DEVICE: &str = "it is no regular file, but a device, FIFO or socket";
const DIRECTORY: &str = "it is a directory, not a file";

fn world() -> World {
    let world = World::new();
    world.stub("gradle").stub("npm");
    world
}

/// What is put where a policy file should be, and what is said of it.
const NO_FILES: [(&str, &str); 4] =
    [("fifo", DEVICE), ("/dev/zero", DEVICE), ("directory", DIRECTORY), ("large", LIMIT)];

fn put(world: &World, kind: &str, below: &str) {
    world.write(below, "");
    let path = world.path(below);
    fs::remove_file(&path).expect("a file");
    match kind {
        "fifo" => {
            let made = std::process::Command::new("mkfifo").arg(&path).status();
            assert!(made.expect("mkfifo").success());
        }
        "directory" => fs::create_dir(&path).expect("a directory"),
        "large" => fs::write(&path, "#".repeat((4 << 20) + 1)).expect("a file"),
        device => symlink(device, &path).expect("a link"),
    }
}

#[test]
fn what_is_no_file_is_a_broken_policy_and_not_waited_for() {
    const CONFIG: &str = "home/.config/embargo";
    const JSON: &str = r#"{"embargo": [{"command": "gradle", "reason": "x"}]}"#;
    let user = [format!("{CONFIG}/embargo.toml"), format!("{CONFIG}/shims/npm.toml")];
    for (kind, why) in NO_FILES {
        // The layer says what it means: a project's file alone lets the rest go on.
        for place in ["project/embargo.toml", "embargo.json"] {
            let world = world();
            world.install(&["gradle"]);
            put(&world, kind, place);
            let found = world.shim("gradle", &["build"]).within(10).any_output();
            let found = found.run_expecting(0, &format!("{kind} at {place}"));
            assert!(found.stderr.contains(why), "{kind} at {place}: {found:#?}");
            // What it said before stays in force.
            let world = World::new();
            let good = if place.ends_with("json") { JSON } else { NO_GRADLE };
            world.stub("gradle").write(place, good).install(&["gradle"]);
            world.shim("gradle", &["build"]).any_output().run_expecting(86, "a good file");
            fs::remove_file(world.path(place)).expect("a file");
            put(&world, kind, place);
            let found = world.shim("gradle", &["build"]).within(10).any_output();
            found.run_expecting(86, &format!("{kind} at {place}, once good"));
        }
        for place in &user {
            let world = world();
            world.install(&["gradle"]);
            put(&world, kind, place);
            let call = world.shim("gradle", &["build"]).within(10).status(88);
            call.stderr_has(&[why, &format!("[W]/{place}")]).run();
            world.embargo(&["lint"]).within(10).any_output().run_expecting(1, place);
        }
        let world = world();
        world.install(&["gradle"]);
        put(&world, kind, "named.toml");
        let call = world.shim("gradle", &["build"]).env("EMBARGO_POLICY", "../named.toml");
        call.within(10).status(88).stderr_has(&[why, "/named.toml cannot be read"]).run();
        put(&world, kind, "project/house.toml");
        world.policy("extends = [\"./house.toml\"]\n");
        let call = world.shim("gradle", &["build"]).within(10);
        call.stderr_has(&[why, "`./house.toml` cannot be read"]).run();
    }
}

#[test]
fn a_file_that_is_extended_is_read_once_however_it_is_spelled() {
    let reads = Cell::new(0);
    let read = |path: &Path| {
        reads.set(reads.get() + 1);
        assert_eq!(path, Path::new("/p/w.toml"));
        Ok(b"[[embargo]]\ncommand = 'x'\nreason = 'y'\n".to_vec())
    };
    let names: Vec<String> = (0..500).map(|n| format!("'./x{n}/.././w.toml'")).collect();
    let loaded = load(&[policy(&names)], read);
    assert_eq!((loaded.diagnostics, reads.get(), loaded.policy.rules.len()), (vec![], 1, 1));
}

#[test]
fn more_files_than_anybody_means_are_a_fault() {
    let reads = Cell::new(0);
    let read = |_: &Path| {
        reads.set(reads.get() + 1);
        Ok(Vec::new())
    };
    let names: Vec<String> = (0..500).map(|n| format!("'./w{n}.toml'")).collect();
    let loaded = load(&[policy(&names)], read);
    assert_eq!(reads.get(), 64);
    let first = &loaded.diagnostics[0];
    assert_eq!(first.code.name(), "extends-depth");
    assert!(first.message.contains("more than the 64"), "{}", first.message);
}

fn policy(extends: &[String]) -> SourceText {
    let bytes = format!("extends = [{}]\n", extends.join(", ")).into_bytes();
    let path = "/p/embargo.toml";
    SourceText { path: path.into(), shown: path.into(), layer: Layer::User, bytes }
}

#[test]
fn foreign_files_stop_no_other_shim() {
    let world = world();
    world.policy(&NO_GRADLE.replace("\"gradle\"", "[\"aa\", \"gradle\", \"npm\"]"));
    world.write("shims/aa", "").write("shims/npm", "");
    let foreign = ["[W]/shims/aa is there, and is no shim", "[W]/shims/npm is there, and is no"];
    let sync = || world.embargo(&["shim", "sync", "--dir", "../shims"]).status(1);
    sync().stderr_has(&foreign).stdout_has(&["gradle: shim made", "5 shims in [W]/shims"]).run();
    world.stub("git");
    let install = ["shim", "install", "--dir", "../shims", "aa", "git", "npm", "gradle"];
    let install = world.embargo(&install).status(1).stderr_has(&foreign);
    install.stdout_has(&["git: shim made", "gradle: shim was there"]).run();
    let uninstall = ["shim", "uninstall", "--dir", "../shims", "aa", "git", "gradle"];
    let uninstall = world.embargo(&uninstall).status(1).stderr_has(&foreign[..1]);
    uninstall.stdout_has(&["git: shim removed", "gradle: shim removed"]).run();
}

#[test]
fn shims_that_lead_nowhere_are_shown_and_mended() {
    for gone in ["embargo", "embargo-0.9"] {
        let world = world();
        world.policy(NO_GRADLE).install(&["npm"]);
        let dangle = || {
            let shim = world.path("shims/gradle");
            let _ = fs::remove_file(&shim);
            symlink(world.path("gone").join(gone), shim).expect("a link");
        };
        dangle();
        let list = |more: &[&str]| {
            let words = [&["shim", "list", "--dir", "../shims"], more].concat();
            world.embargo(&words).path(&["shims", "bin"])
        };
        let shown = "[W]/shims\ngradle  broken: leads nowhere\nnpm     [W]/bin/npm\n";
        list(&[]).stdout(shown).status(1).run();
        let json = "{\"broken\":\"leads nowhere\",\"dir\":\"[W]/shims\",\"name\":\"gradle\",\"resolves_to\":null}";
        list(&["--json"]).stdout_has(&[json]).status(1).run();
        for verb in [&["install", "gradle"][..], &["sync"]] {
            dangle();
            let words = [&["shim"], verb, &["--dir", "../shims"]].concat();
            let mend = world.embargo(&words).path(&["shims", "bin"]);
            mend.stdout_has(&["gradle: shim mended, it led nowhere\n"]).run();
            let call = world.shim("gradle", &["build"]).any_output();
            call.run_expecting(86, "mended");
        }
    }
}

#[test]
fn output_that_cannot_be_written_is_no_success() {
    let world = world();
    world.policy(NO_GRADLE).install(&["gradle"]);
    world.shim("gradle", &["build"]).refused().run();
    let said = "standard output could not be written: No space left on device";
    for verb in
        ["check 'npm x'", "log --json", "last", "lint", "env", "--help", "shim list", "test"]
    {
        let found = world.shell(&format!("{EMBARGO} {verb} > /dev/full")).any_output();
        let found = found.run_expecting(1, verb);
        assert_eq!(found.stderr.matches(said).count(), 1, "{verb}: {found:#?}");
    }
    // Who reads no further has what they want.
    let text = format!("{{ /bin/sleep 0.1; {EMBARGO} check 'npm x'; echo $? >&2; }} | :");
    world.shell(&text).stderr("0\n").run();
    let check = world.shell(&format!("{EMBARGO} check 'gradle x' > /dev/full"));
    check.any_output().run_expecting(86, "a refusal stays one");
}

#[test]
fn a_sync_without_a_policy_says_what_it_did_not_do() {
    let world = world();
    world.write("home/.config/embargo/embargo.toml", "[[embargo]]\n");
    let words = ["no shim in [W]/home/.local/share/embargo/shims was made or removed"];
    let found = world.embargo(&["shim", "sync"]).status(88).stderr_has(&words).run();
    assert!(!found.stderr.contains("was not run"), "{}", found.stderr);
}

#[test]
fn last_prescribes_no_argument_that_was_taken_out() {
    let world = world();
    world.policy(NO_GRADLE).install(&["gradle"]);
    let unseen = format!("gradle --token S build 2>/dev/null; {EMBARGO} last");
    let found =
        world.shell(&unseen).stdout_has(&["run `./gradlew …`"]).stderr_has(&["gradle"]).run();
    assert!(!found.stdout.contains("redacted"), "{}", found.stdout);
}

#[test]
fn a_relative_home_is_none() {
    let world = world();
    world.policy(NO_GRADLE);
    let none = ["no home directory is known"];
    for home in ["relative", "./relative"] {
        for verb in [&["shim", "install", "gradle"][..], &["shim", "sync"], &["log"], &["env"]] {
            world.embargo(verb).env("HOME", home).status(1).stderr_has(&none).run();
        }
        world
            .embargo(&["check", "gradle x"])
            .env("HOME", home)
            .any_output()
            .run_expecting(86, home);
        // Without a place of its own a run finds another, and still guards.
        let run = world.embargo(&["run", "gradle", "x"]).env("HOME", home).any_output();
        run.run_expecting(86, home);
    }
    // An empty one is looked up; whoever that is, nothing is made here.
    world.embargo(&["check", "gradle x"]).env("HOME", "").any_output().run_expecting(86, "empty");
    let entries: Vec<_> = fs::read_dir(world.path("project")).expect("there").collect();
    assert_eq!(entries.len(), 1, "{entries:?}");
}
