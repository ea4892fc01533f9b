//! A newer embargo with older state, an older one with newer state, and a binary that is
//! somewhere else than it was. The other version is made up by raising what says the form.

mod common;

use std::fs;
use std::os::unix::fs::symlink;
use std::path::PathBuf;

use common::{EMBARGO, NO_GRADLE, NOBODY, Test, World};
use embargo::view::BUILD_ID;

const STORE: &str = "home/.local/state/embargo/evidence.db";
const VIEWS: &str = "home/.cache/embargo/views";
const SYNC: [&str; 4] = ["shim", "sync", "--dir", "../shims"];

/// A rule on gradle, and a gradle that it is not to reach.
fn world() -> World {
    let world = World::new();
    world.stub("gradle").policy(NO_GRADLE);
    world
}

/// An embargo of its own inode, as an installer puts it.
fn put(world: &World, place: &str) -> PathBuf {
    world.write(place, "");
    fs::remove_file(world.path(place)).expect("a file");
    fs::copy(EMBARGO, world.path(place)).expect("a copy");
    world.path(place)
}

/// Shims made by that embargo.
fn install(world: &World, embargo: &str) {
    let words = ["shim", "install", "--dir", "../shims", "gradle"];
    let test = Test::new(world, world.path(embargo).as_os_str(), &words);
    test.path(&["shims", "bin"]).any_output().run_expecting(0, embargo);
}

/// A shim whose binary is gone cannot speak: everything that can, does, and mends it.
#[test]
fn a_binary_that_was_moved_is_told_of_and_mended() {
    let world = world();
    put(&world, "old/embargo");
    install(&world, "old/embargo");
    world.shim("gradle", &["build"]).refused().run();
    fs::rename(world.path("old"), world.path("new")).expect("a rename");

    // What shells make of it: the next on PATH, or nothing (127).
    world.shell("gradle build").run();
    assert_eq!(world.calls(), "gradle build\n");
    let found = world.shell("gradle build").path(&["shims"]).any_output().run_expecting(127, "sh");
    assert!(found.stderr.contains("gradle: not found"), "{found:?}");

    let list = ["shim", "list", "--dir", "../shims"];
    world
        .embargo(&list)
        .path(&["shims", "bin"])
        .stdout_has(&["broken: leads nowhere"])
        .status(1)
        .run();
    let says = [
        "the shim `gradle` leads to [W]/old/embargo, which is not there",
        "unguarded",
        "shim install",
    ];
    let doctor =
        world.embargo(&["doctor", "--dir", "../shims"]).path(&["shims", "bin", "/usr/bin", "/bin"]);
    let found = doctor.any_output().run_expecting(1, "doctor");
    for part in says {
        assert!(found.stdout.contains(part), "{part}: {found:#?}");
    }

    // By the one that is found now.
    let sync = Test::new(&world, world.path("new/embargo").as_os_str(), &SYNC);
    let sync = sync.path(&["shims", "bin"]).stdout_has(&["gradle: shim mended, it led nowhere\n"]);
    sync.run();
    world.shell("gradle build").any_output().run_expecting(86, "mended");
    assert_eq!(world.calls(), "gradle build\n", "as before");
}

#[test]
fn a_binary_that_was_replaced_is_met_by_all_shims() {
    let world = world();
    put(&world, "old/embargo");
    install(&world, "old/embargo");
    let beside = put(&world, "old/beside");
    fs::rename(beside, world.path("old/embargo")).expect("a rename");
    world.shell("gradle build").refused().run();
    world
        .embargo(&["shim", "list", "--dir", "../shims"])
        .path(&["shims", "bin"])
        .any_output()
        .run_expecting(0, "list");
}

/// As package managers do it: each version in a directory of its own, and a link on PATH.
#[test]
fn shims_lead_through_the_link_on_path() {
    let world = world();
    let link = world.path("bin/embargo");
    symlink(put(&world, "versions/1/embargo"), &link).expect("a link");
    install(&world, "bin/embargo");
    assert_eq!(fs::read_link(world.path("shims/gradle")).expect("a link"), link);

    fs::remove_dir_all(world.path("versions/1")).expect("gone");
    fs::remove_file(&link).expect("gone");
    symlink(put(&world, "versions/2/embargo"), &link).expect("a link");
    world.shell("gradle build").refused().run();
    assert_eq!(world.calls(), "");

    // Another PATH is another way to the same binary: nothing changes for it.
    let sync = Test::new(&world, world.path("versions/2/embargo").as_os_str(), &SYNC);
    let found = sync.path(&["shims"]).any_output().run_expecting(0, "sync");
    assert!(!found.stdout.contains("gradle: "), "{found:?}");
    assert_eq!(fs::read_link(world.path("shims/gradle")).expect("a link"), link);

    // Nor is a link trusted that somebody else could turn.
    if rustix::process::geteuid().is_root() {
        std::os::unix::fs::lchown(&link, Some(NOBODY), None).expect("a change of owner");
        fs::remove_file(world.path("shims/gradle")).expect("gone");
        install(&world, "bin/embargo");
        let target = fs::read_link(world.path("shims/gradle")).expect("a link");
        assert_eq!(target, world.path("versions/2/embargo"));
    } else {
        eprintln!("not checked: only root can give a link to another user");
    }

    // Where the binary itself stands on PATH, no link is taken for it.
    put(&world, "first/embargo");
    fs::remove_file(world.path("shims/gradle")).expect("gone");
    symlink(world.path("first/embargo"), world.path("bin/embargo-1")).expect("a link");
    let words = ["shim", "install", "--dir", "../shims", "gradle"];
    let test = Test::new(&world, world.path("first/embargo").as_os_str(), &words);
    test.path(&["bin", "first"]).any_output().run_expecting(0, "install");
    assert_eq!(
        fs::read_link(world.path("shims/gradle")).expect("a link"),
        world.path("first/embargo")
    );
}

/// It is called what it is, nothing is run, and what the message says to do mends it.
#[test]
fn a_home_record_of_a_newer_embargo_says_so() {
    let rows = [
        (
            "embargo home 2\nowner 0\n",
            "was written by a newer embargo, in the form `embargo home 2`",
            true,
        ),
        ("embargo home 1\nmoon full\n", "is damaged: it is not understood at `moon full`", false),
        ("embargo home new\n", "is damaged: it is not understood at `embargo home new`", false),
    ];
    for (text, says, is_newer) in rows {
        let world = world();
        world.install(&["gradle"]).write("shims/.embargo-home", text);
        let found = world.shim("gradle", &["build"]).any_output().run_expecting(88, text);
        for part in
            [says, "`gradle` was not run", "[W]/shims/.embargo-home", "[embargo broken exit 88]"]
        {
            assert!(found.stderr.contains(part), "{part}: {found:#?}");
        }
        assert_eq!(
            found.stderr.contains("install that embargo again, or "),
            is_newer,
            "{found:#?}"
        );
        // `sync` does not write over it either, and says the same.
        let sync = world.embargo(&SYNC).any_output().run_expecting(88, text);
        assert!(sync.stderr.contains(says), "{sync:#?}");
        assert_eq!(world.read("shims/.embargo-home"), text);

        let remedy = found.stderr.split('`').find(|part| part.starts_with("embargo shim install"));
        let remedy = remedy.unwrap_or_else(|| panic!("no remedy: {found:#?}"));
        assert!(remedy.ends_with(" NAME"), "{remedy}");
        let here = format!("{}/", world.path("").display().to_string().trim_end_matches('/'));
        let remedy = remedy.replace("[W]/", &here).replace("NAME", "gradle");
        let remedy = remedy.replacen("embargo", EMBARGO, 1);
        world.shell(&remedy).path(&["shims", "bin"]).any_output().run_expecting(0, &remedy);
        world.shim("gradle", &["build"]).refused().run();
        assert_eq!(world.calls(), "", "{text}");
    }
}

/// The verdict is the same; what is not written down is told in one word, and explained by `log`.
#[test]
fn evidence_of_a_newer_embargo_stays_as_it_is() {
    let world = world();
    world.install(&["gradle"]);
    world.shim("gradle", &["build"]).refused().run();
    let store = rusqlite::Connection::open(world.path(STORE)).expect("a store");
    store.execute_batch("PRAGMA user_version = 9").expect("raised");
    drop(store);
    let before = fs::read(world.path(STORE)).expect("bytes");
    let found = world.shim("gradle", &["build"]).any_output().run_expecting(86, "newer");
    assert_eq!(found.stderr.lines().count(), 3, "{found:#?}");
    assert_eq!(found.stderr.matches("unrecorded").count(), 1, "{found:#?}");
    assert_eq!(fs::read(world.path(STORE)).expect("bytes"), before);
    for verb in [&["log"][..], &["log", "--verify"]] {
        let found = world.embargo(verb).any_output().run();
        assert_ne!(found.status, 0, "{found:#?}");
        assert!(
            found.stderr.contains("a newer embargo wrote the evidence store: schema 9"),
            "{found:#?}"
        );
    }

    // Put aside, as the documentation says.
    fs::rename(world.path(STORE), world.path("aside")).expect("a rename");
    world.shim("gradle", &["build"]).any_output().run_expecting(86, "aside");
    world.embargo(&["log", "--verify"]).stdout("the log is whole: 1 row\n").run();
}

/// The oldest schema is that of an empty store.
#[test]
fn evidence_of_an_older_embargo_is_brought_up_to_date() {
    let world = world();
    world.install(&["gradle"]).write(STORE, "");
    world.embargo(&["log"]).any_output().run_expecting(0, "nothing yet");
    world.shim("gradle", &["build"]).refused().run();
    world.embargo(&["log", "--verify"]).stdout("the log is whole: 1 row\n").run();
}

/// The first schema lacks `way`: such rows stay as they are and in the chain, and are read before
/// anything is written.
#[test]
fn evidence_without_ways_is_read_and_goes_on_with_them() {
    let world = world();
    world.install(&["gradle"]);
    world.shim("gradle", &["build"]).refused().run();
    let store = || rusqlite::Connection::open(world.path(STORE)).expect("a store");
    let older = "ALTER TABLE log DROP COLUMN way; PRAGMA user_version = 1";
    store().execute_batch(older).expect("an older store");
    let before = fs::read(world.path(STORE)).expect("bytes");
    world.embargo(&["log", "--verify"]).stdout("the log is whole: 1 row\n").run();
    let ways = || -> Vec<serde_json::Value> {
        let log = world.embargo(&["log", "--json"]).any_output().run_expecting(0, "log").stdout;
        let row = |line: &str| serde_json::from_str::<serde_json::Value>(line).expect("JSON");
        log.lines().map(|line| row(line)["way"].clone()).collect()
    };
    assert_eq!(ways(), [serde_json::Value::Null]);
    assert_eq!(fs::read(world.path(STORE)).expect("bytes"), before, "reading changes nothing");

    for line in ["gradle build", "gradle build )"] {
        let payload = serde_json::json!({
            "hook_event_name": "PreToolUse", "session_id": "s", "cwd": world.path("project"),
            "tool_name": "Bash", "tool_input": { "command": line },
        });
        world.embargo(&["hook", "claude-code"]).stdin(payload.to_string()).any_output().run();
    }
    assert_eq!(ways(), [None, Some("parsed"), Some("cut")].map(serde_json::Value::from));
    world.embargo(&["log", "--verify"]).stdout("the log is whole: 3 rows\n").run();
    for (row, way) in [(1, "'cut'"), (2, "NULL"), (3, "'parsed'")] {
        let held = fs::read(world.path(STORE)).expect("bytes");
        let forged = format!("UPDATE log SET way = {way} WHERE seq = {row}");
        store().execute_batch(&forged).expect("written");
        let found = world.embargo(&["log", "--verify"]).any_output().run();
        let broken = format!("the log is broken at row {row}");
        assert!(found.stdout.contains(&broken), "{found:#?}");
        fs::write(world.path(STORE), held).expect("as it was");
    }
}

/// Each build has views of its own; a file of its name that another build has laid out is not used.
#[test]
fn views_of_another_build_decide_nothing() {
    let world = world();
    world.install(&["gradle"]);
    let (name, forged) = world.forged_view();
    let other: String = BUILD_ID.bytes().map(|b| if b == b'0' { '1' } else { '0' }).collect();
    let of_other = format!("{VIEWS}/{}", name.replacen(BUILD_ID, &other, 1));
    // Ours by its name, another's by its head.
    let mut laid_out_by_other = forged.clone();
    laid_out_by_other[8..24].copy_from_slice(&other.as_bytes()[..16]);
    world.write(&of_other, &forged);
    for bytes in [laid_out_by_other, b"embargo view of another form".to_vec()] {
        world.write(&format!("{VIEWS}/{name}"), &bytes);
        world.shim("gradle", &["build"]).any_output().run_expecting(86, "a view of another build");
        assert_ne!(fs::read(world.path(VIEWS).join(&name)).expect("a view"), bytes, "not rebuilt");
    }
    assert_eq!(
        fs::read(world.path(&of_other)).expect("its view"),
        forged,
        "the other's is its own"
    );
    // That a forged view of this build would be believed shows that the head decides.
    world.write(&format!("{VIEWS}/{name}"), &forged);
    world.shim("gradle", &["build"]).any_output().run_expecting(0, "a view of this build");
}

/// Who wants what is not known then: nothing is taken from anybody.
#[test]
fn a_list_of_a_newer_form_loses_no_shim() {
    let world = world();
    world.stub("npm").install(&["gradle", "npm"]);
    let newer = "embargo shims 2\nnpm\tsomebody\tsince 2031\n";
    world.write("shims/.embargo-shims", newer);
    world.shim("gradle", &["build"]).refused().run();
    world.embargo(&SYNC).path(&["shims", "bin"]).any_output().run_expecting(0, "sync");
    for name in ["gradle", "npm"] {
        assert!(world.path("shims").join(name).is_symlink(), "{name} is gone");
    }
    let list = world.read("shims/.embargo-shims");
    assert!(list.starts_with("embargo shims 1\n") && list.contains("npm\tinstalled\n"), "{list}");
}
