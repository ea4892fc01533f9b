//! What cannot be written down does not change the verdict (invariant 7), and what
//! cannot be read is never read as permission.

mod common;

use std::fs::{self, OpenOptions, Permissions};
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use common::{NO_GRADLE, NOBODY, Test, World};

const USER: &str = "home/.config/embargo/embargo.toml";
const PROJECT: &str = "project/embargo.toml";
const STATE: &str = "home/.local/state/embargo";
const CACHE: &str = "home/.cache/embargo";

/// Stubs and shims of gradle and npm, and no policy.
fn bare() -> World {
    let world = World::new();
    world.stub("gradle").stub("npm").install(&["gradle", "npm"]);
    world
}

/// The same with a rule on gradle in the user's file.
fn world() -> World {
    let world = bare();
    world.write(USER, NO_GRADLE);
    world
}

fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

/// Whoever permissions hold for.
fn plain_user() -> u32 {
    if is_root() { NOBODY } else { rustix::process::geteuid().as_raw() }
}

fn mode(world: &World, below: &str, mode: u32) {
    fs::set_permissions(world.path(below), Permissions::from_mode(mode)).expect("a mode");
}

/// Can that user open this file for writing, as far as a shell can tell?
fn can_write(world: &World, below: &str, user: u32) -> bool {
    let text = format!(": >> '{}'", world.path(below).display());
    world.shell(&text).by_user(user).any_output().run().status == 0
}

/// A call of gradle that has to be refused, and one of npm that has to pass unseen.
fn verdicts_stand(world: &World, user: u32, around: &[&str], evidence: &str, what: &str) {
    let call = |name: &str| {
        let shim = world.path("shims").join(name).display().to_string();
        let words = [around, &[&shim, "build"]].concat();
        Test::new(world, words[0].as_ref(), &words[1..])
            .path(&["shims", "bin", "/usr/bin", "/bin"])
            .by_user(user)
            .any_output()
    };
    let refused = call("gradle").run_expecting(86, what);
    let last = format!("[embargo refused {evidence} exit 86]\n");
    assert!(refused.stderr.ends_with(&last), "{what}: {}", refused.stderr);
    assert_eq!(refused.stdout, "", "{what}");
    assert_eq!(world.calls(), "", "{what}");
    let passed = call("npm").run_expecting(0, what);
    assert_eq!((&*passed.stdout, &*passed.stderr), ("", ""), "{what}");
    assert_eq!(world.calls(), "npm build\n", "{what}");
    fs::remove_file(world.path("calls")).expect("a file");
}

// ---- what cannot be written

#[test]
fn what_cannot_be_recorded_is_refused_all_the_same() {
    type Act = fn(&World);
    // (what, what is done to the world, a file that then cannot be written, evidence)
    let table: [(&str, Act, Option<&str>, &str); 15] = [
        ("nothing is wrong", |_| {}, None, "e_ID"),
        (
            "no store yet, and none can be made",
            |w| mode(w, STATE, 0o500),
            Some("evidence.db"),
            "unrecorded",
        ),
        (
            "a store that cannot be written",
            |w| {
                w.shim("gradle", &["x"]).by_user(plain_user()).any_output().run();
                mode(w, &format!("{STATE}/evidence.db"), 0o400);
                mode(w, STATE, 0o500);
            },
            Some("evidence.db"),
            "unrecorded",
        ),
        (
            "a state that cannot be entered",
            |w| mode(w, STATE, 0),
            Some("evidence.db"),
            "unrecorded",
        ),
        (
            "garbage for a store",
            |w| {
                w.write(&format!("{STATE}/evidence.db"), [7; 5000]);
            },
            None,
            "unrecorded",
        ),
        (
            "a short store",
            |w| {
                w.write(&format!("{STATE}/evidence.db"), "x");
            },
            None,
            "unrecorded",
        ),
        (
            "an empty store",
            |w| {
                w.write(&format!("{STATE}/evidence.db"), "");
            },
            None,
            "e_ID",
        ),
        (
            "a directory for a store",
            |w| {
                w.write(&format!("{STATE}/evidence.db/x"), "");
            },
            None,
            "unrecorded",
        ),
        (
            "a directory for a lock",
            |w| {
                w.write(&format!("{STATE}/evidence.lock/x"), "");
            },
            None,
            "unrecorded",
        ),
        (
            "a link for a store",
            |w| symlink(w.path("elsewhere"), w.path(STATE).join("evidence.db")).expect("a link"),
            None,
            "unrecorded",
        ),
        (
            "a store of another schema",
            |w| {
                let store = rusqlite::Connection::open(w.path(STATE).join("evidence.db"));
                let made = store.and_then(|s| {
                    s.execute_batch("CREATE TABLE log (x); PRAGMA user_version = 99;")
                });
                made.expect("a database");
            },
            None,
            "unrecorded",
        ),
        (
            "a file for a state",
            |w| {
                fs::remove_dir_all(w.path(STATE)).expect("gone");
                w.write(STATE, "");
            },
            None,
            "unrecorded",
        ),
        (
            "a cache that cannot be written",
            |w| {
                fs::create_dir_all(w.path(CACHE)).expect("a directory");
                mode(w, CACHE, 0o500);
            },
            None,
            "e_ID",
        ),
        (
            "a cache that cannot be made",
            |w| {
                fs::remove_dir_all(w.path("home/.cache")).expect("gone");
                w.write("home/.cache", "a file");
            },
            None,
            "e_ID",
        ),
        (
            "a cache that cannot be entered",
            |w| {
                w.shim("npm", &["x"]).by_user(plain_user()).any_output().run();
                fs::remove_file(w.path("calls")).expect("a file");
                mode(w, CACHE, 0);
            },
            None,
            "e_ID",
        ),
    ];
    let user = plain_user();
    for (what, act, unwritable, evidence) in table {
        let world = World::new();
        world.stub("gradle").stub("npm").write(USER, NO_GRADLE);
        if is_root() {
            world.give_to(user);
        }
        let shims = world.path("shims").display().to_string();
        let install = ["shim", "install", "--dir", &shims, "gradle", "npm"];
        world.embargo(&install).by_user(user).any_output().run_expecting(0, what);
        act(&world);
        if is_root() {
            world.give_to(user);
        }
        if let Some(file) = unwritable {
            assert!(
                !can_write(&world, &format!("{STATE}/{file}"), user),
                "{what}: it can be written"
            );
        }
        verdicts_stand(&world, user, &["/usr/bin/env"], evidence, what);
        verdicts_stand(&world, user, &["/usr/bin/env"], evidence, &format!("{what}, once more"));
        for below in [CACHE, STATE] {
            let _ = fs::set_permissions(world.path(below), Permissions::from_mode(0o700));
        }
        assert!(!world.path("elsewhere").exists(), "{what}");
    }
}

#[test]
fn a_limit_on_file_sizes_or_a_full_disk_changes_nothing() {
    let user = rustix::process::geteuid().as_raw();
    for limit in [0, 1, 4096] {
        let world = world();
        let size = format!("--fsize={limit}");
        // The stub may write; the shim's own writes are cut.
        let limited = ["prlimit", "--core=0", &size];
        let shim = world.path("shims/gradle").display().to_string();
        for _ in 0..2 {
            Test::new(&world, "prlimit".as_ref(), &[&limited[1..], &[&shim, "build"]].concat())
                .path(&["shims", "bin", "/usr/bin", "/bin"])
                .stderr_has(&["[embargo refused unrecorded exit 86]"])
                .status(86)
                .run();
        }
        assert_eq!(world.calls(), "");
        verdicts_stand(&world, user, &["/usr/bin/env"], "e_ID", "without the limit");
    }
    let world = world();
    let full = format!(
        "mount -t tmpfs -o size=64k tmpfs {0} && mkdir -m 700 -p {0}/embargo && \
         {{ head -c 100000 /dev/zero > {0}/full; \"$@\"; }} 2>&1",
        world.path("home/.local/state").display()
    );
    let mounted = ["unshare", "-m", "sh", "-c", &full, "sh"];
    let works = Command::new(mounted[0]).args(&mounted[1..]).arg("true").output();
    if !works.is_ok_and(|output| output.status.success()) {
        eprintln!("skipped the full disk: no mount namespace here");
        return;
    }
    let shim = world.path("shims/gradle").display().to_string();
    Test::new(&world, mounted[0].as_ref(), &[&mounted[1..], &[&shim, "build"]].concat())
        .path(&["shims", "bin", "/usr/bin", "/bin"])
        .stdout_has(&["[embargo refused unrecorded exit 86]"])
        .status(86)
        .run();
    assert_eq!(world.calls(), "");
}

#[test]
fn nobody_reading_what_is_said_changes_nothing() {
    let world = world();
    for (name, status) in [("gradle", 86), ("npm", 0)] {
        // A notice is said before npm runs.
        world.policy("[[embargo]]\ncommand = \"make\n");
        let text = format!("set -o pipefail; {{ sleep 0.1; {name} build; }} 2>&1 >&3 | :");
        let found = Test::new(&world, "bash".as_ref(), &["-c", &format!("exec 3>&1; {text}")])
            .path(&["shims", "bin", "/usr/bin", "/bin"])
            .any_output()
            .run_expecting(status, name);
        assert_eq!(found.stdout, "");
    }
    assert_eq!(world.calls(), "npm build\n");
}

// ---- another user's state

/// Everything below a path, and what is known of it.
fn walk(path: &Path) -> Vec<(PathBuf, fs::Metadata)> {
    let mut found = vec![(path.to_owned(), path.symlink_metadata().expect("there"))];
    if found[0].1.is_dir() {
        let entries = fs::read_dir(path).expect("a directory");
        found.extend(entries.flat_map(|entry| walk(&entry.expect("an entry").path())));
    }
    found.sort_by(|a, b| a.0.cmp(&b.0));
    found
}

fn listing(world: &World) -> Vec<(PathBuf, u32, i64, u64)> {
    let facts =
        |(path, found): (PathBuf, fs::Metadata)| (path, found.uid(), found.mtime(), found.size());
    walk(&world.path("home")).into_iter().map(facts).collect()
}

#[test]
fn root_obeys_another_users_policy_and_leaves_nothing_in_their_home() {
    if !is_root() {
        eprintln!("skipped: needs root");
        return;
    }
    // Does the user's cache have a view? Is there a record, or only HOME?
    for (warm, recorded) in [(false, true), (true, true), (false, false), (true, false)] {
        let what = format!("warm {warm}, recorded {recorded}");
        let world = World::new();
        world
            .stub("gradle")
            .stub("npm")
            .write(USER, NO_GRADLE)
            .write("home/.cache/x", "")
            .give_to(NOBODY);
        let shims = world.path("shims").display().to_string();
        let install = ["shim", "install", "--dir", &shims, "gradle", "npm"];
        world.embargo(&install).by_user(NOBODY).any_output().run_expecting(0, &what);
        if warm {
            world.shim("gradle", &["x"]).by_user(NOBODY).any_output().run_expecting(86, &what);
        }
        if !recorded {
            fs::remove_file(world.path("shims/.embargo-home")).expect("a record");
        }
        let before = listing(&world);
        let home = if recorded { "/root" } else { "home" };
        for round in 0..2 {
            let root =
                |name| world.shim(name, &["build"]).env("HOME", world.path(home)).any_output();
            let found = root("gradle").run_expecting(86, &what);
            assert!(
                found.stderr.ends_with("[embargo refused unrecorded exit 86]\n"),
                "{what}: {found:?}"
            );
            root("npm").run_expecting(0, &what);
            assert_eq!(world.calls(), "npm build\n".repeat(round + 1), "{what}");
        }
        assert_eq!(listing(&world), before, "{what}");
        fs::remove_file(world.path("calls")).expect("a file");
        world.shim("gradle", &["x"]).by_user(NOBODY).any_output().run_expecting(86, &what);
    }
}

// ---- what cannot be read

#[test]
fn recorded_state_that_is_gone_is_no_fresh_start() {
    let world = world();
    // Below a harness, each by itself: whatever runs these tests may be one call of a shell.
    fs::copy("/bin/bash", world.path("bin/claude")).expect("a copy");
    let refused = |says: &str| {
        let call = ["-c", "gradle build; exit $?"];
        let test = Test::new(&world, world.path("bin/claude").as_os_str(), &call);
        test.path(&["shims", "bin"]).stderr_has(&[says]).status(86).run();
    };
    refused("refused e_ID");
    fs::rename(world.path(STATE), world.path("moved")).expect("a rename");
    let gone = |name: &str| {
        let first =
            format!("embargo's recorded state is gone, so `{name}` was not run:\n  [W]/{STATE}\n");
        world.shim(name, &["x"]).stderr_has(&[&first, "A person must", "exit 88"]).status(88).run()
    };
    gone("gradle");
    gone("npm");
    let path =
        world.path("shims").display().to_string() + ":" + &world.path("bin").display().to_string();
    let verb =
        |args: &[&str]| world.embargo(args).env("PATH", &path).stderr_has(&["is gone", "exit 88"]);
    verb(&["run", "npm"]).status(88).run();
    assert_eq!(world.calls(), "");
    fs::rename(world.path("moved"), world.path(STATE)).expect("a rename");
    refused("this 2 times");
    world.shim("npm", &["x"]).run();
}

const SYNTAX: &str = "[[embargo]]\ncommand = \"gradle\nreason = \"x\"\n";
const NEWER: &str = "requires = \">=99\"\n[[embargo]]\ncommand = \"gradle\"\nreason = \"x\"\n";
const UNKNOWN: &str = "[[embargo]]\ncommand = \"gradle\"\nreason = \"x\"\nverdict = \"refsue\"\n";

/// What a broken file, never read before, means for gradle, which it mentions, and npm.
#[test]
fn a_broken_policy_is_no_empty_policy() {
    let place = |file: &str, at: &str| format!("{file}:{at}: ");
    let user = format!("[W]/{USER}");
    // (file, text, gradle, npm, what is said of either)
    let table: [(&str, &str, i32, i32, String); 12] = [
        (USER, SYNTAX, 88, 88, place(&user, "2:18")),
        (USER, UNKNOWN, 88, 88, place(&user, "4:11")),
        (USER, NEWER, 88, 88, place(&user, "1:12")),
        (USER, "[[embargo", 88, 88, place(&user, "1:10")),
        (USER, "", 0, 0, String::new()),
        (PROJECT, SYNTAX, 88, 0, place("embargo.toml", "2:18")),
        (PROJECT, UNKNOWN, 88, 0, place("embargo.toml", "4:11")),
        (PROJECT, NEWER, 88, 0, place("embargo.toml", "1:12")),
        (PROJECT, "extends = [\"./gone.toml\"]\n# gradle\n", 88, 0, place("embargo.toml", "1:12")),
        // What it extends is mentioned too: a pack, and a file where nothing can be read.
        (PROJECT, "extends = [\"gradle-wrapper\"]\nx = 1\n", 88, 0, place("embargo.toml", "2:1")),
        (PROJECT, "extends = [\"gradle-wrapper\"]\nx = \"\n", 88, 0, place("embargo.toml", "2:6")),
        (
            PROJECT,
            "requires = \">=99\"\nextends = [\"house.toml\"]\n",
            88,
            0,
            place("embargo.toml", "1:12"),
        ),
    ];
    for (file, text, gradle, npm, says) in table {
        let world = bare();
        world.write(file, text).write("project/house.toml", NO_GRADLE);
        for _ in 0..2 {
            for (name, status) in [("gradle", gradle), ("npm", npm)] {
                let what = format!("{name} by {text:?} in {file}");
                let found = world.shim(name, &["x"]).any_output().run_expecting(status, &what);
                assert!(found.stderr.contains(&says), "{what}: {}", found.stderr);
                assert_eq!(found.stdout, "", "{what}");
                if status == 88 {
                    assert!(
                        found.stderr.contains("A person must mend this"),
                        "{what}: {}",
                        found.stderr
                    );
                } else {
                    let lines = usize::from(!says.is_empty());
                    assert_eq!(found.stderr.lines().count(), lines, "{what}: {}", found.stderr);
                }
                let ran = world.calls().contains(&format!("{name} x\n"));
                assert_eq!(ran, status == 0, "{what}");
            }
        }
        // Mended: it works again.
        world.write(file, NO_GRADLE);
        world.shim("gradle", &["x"]).any_output().run_expecting(86, text);
        world.shim("npm", &["x"]).run();
    }
}

/// Breaks the project's file in one way.
type Break = fn(&World);

#[test]
fn a_project_file_that_breaks_keeps_its_last_good_version() {
    let broken: [(&str, Break); 6] = [
        ("half saved", |w| {
            w.policy(&NO_GRADLE[..60]);
        }),
        ("a syntax error", |w| {
            w.policy(SYNTAX);
        }),
        ("requires a newer one", |w| {
            w.policy(NEWER);
        }),
        ("a directory", |w| {
            fs::remove_file(w.path(PROJECT)).expect("gone");
            fs::create_dir(w.path(PROJECT)).expect("a directory");
        }),
        ("bytes that are no text", |w| {
            w.write(PROJECT, b"\xff\xfe");
        }),
        ("extends what is not there", |w| {
            w.policy("extends = [\"./gone.toml\"]\n");
        }),
    ];
    for (what, act) in broken {
        let world = bare();
        world.policy(NO_GRADLE);
        world.shim("gradle", &["build"]).refused().run();
        act(&world);
        for round in 0..3 {
            let found = world.shim("gradle", &["build"]).any_output().run_expecting(86, what);
            let (first, rest) = found.stderr.split_once('\n').expect("lines");
            assert!(
                first.starts_with("embargo: ") && first.contains("embargo.toml"),
                "{what}: {first}"
            );
            assert!(
                first.ends_with("the last version that was right stays in force"),
                "{what}: {first}"
            );
            assert!(rest.starts_with("I must not use `gradle`"), "{what}, {round}: {rest}");
            let found = world.shim("npm", &["x"]).any_output().run_expecting(0, what);
            assert_eq!(found.stderr, format!("{first}\n"), "{what}");
        }
        let _ = fs::remove_dir(world.path(PROJECT));
        world.policy(&NO_GRADLE.replace("gradle", "npm"));
        world.shim("npm", &["x"]).any_output().run_expecting(86, what);
        world.shim("gradle", &["x"]).run();
    }
}

/// A half-saved file must not brick the session, wherever the half is.
#[test]
fn what_a_project_extends_breaks_like_the_project() {
    for seen in [true, false] {
        let world = bare();
        world.policy("extends = [\"./house.toml\"]\n").write("project/house.toml", NO_GRADLE);
        if seen {
            world.shim("gradle", &["x"]).any_output().run_expecting(86, "good");
        }
        for text in [SYNTAX, ""] {
            match text {
                "" => fs::remove_file(world.path("project/house.toml")).expect("gone"),
                _ => {
                    world.write("project/house.toml", text);
                }
            }
            let what = format!("seen {seen}, {text:?}");
            let gradle = match (seen, text) {
                (true, _) => 86,
                (false, "") => 0, // nothing that is left mentions it
                (false, _) => 88,
            };
            for _ in 0..2 {
                let found = world.shim("gradle", &["x"]).any_output().run_expecting(gradle, &what);
                let place =
                    if text.is_empty() { "embargo.toml:1:12: " } else { "house.toml:2:18: " };
                assert!(found.stderr.contains(place), "{what}: {}", found.stderr);
                world.shim("npm", &["x"]).any_output().run_expecting(0, &what);
            }
        }
        world.write("project/house.toml", NO_GRADLE);
        world.shim("gradle", &["x"]).any_output().run_expecting(86, "mended");
    }
}

#[test]
fn files_that_cannot_be_read_are_not_absent() {
    let user = plain_user();
    type Act = fn(&World);
    // (what, what is done, was there a good view, gradle, npm)
    let table: [(&str, Act, i32, i32); 6] = [
        ("the user's file", |w| mode(w, USER, 0), 88, 88),
        ("the user's directory", |w| mode(w, "home/.config/embargo", 0), 88, 88),
        ("the directory above", |w| mode(w, "home/.config", 0), 88, 88),
        (
            "a circle of links",
            |w| {
                fs::remove_file(w.path(USER)).expect("gone");
                symlink(w.path(USER), w.path(USER)).expect("a link");
            },
            88,
            88,
        ),
        ("the project's file", |w| mode(w, PROJECT, 0), 86, 0),
        ("no file", |w| fs::remove_file(w.path(USER)).expect("gone"), 0, 0),
    ];
    for (what, act, gradle, npm) in table {
        let world = World::new();
        world.stub("gradle").stub("npm").write(USER, NO_GRADLE);
        if what.contains("project") {
            world.policy(NO_GRADLE).write(USER, "");
        }
        if is_root() {
            world.give_to(user);
        }
        let shims = world.path("shims").display().to_string();
        let install = ["shim", "install", "--dir", &shims, "gradle", "npm"];
        world.embargo(&install).by_user(user).any_output().run_expecting(0, what);
        world.shim("gradle", &["x"]).by_user(user).any_output().run_expecting(86, what);
        act(&world);
        for _ in 0..2 {
            for (name, status) in [("gradle", gradle), ("npm", npm)] {
                let found =
                    world.shim(name, &["x"]).by_user(user).any_output().run_expecting(status, what);
                let names = status != 88 || found.stderr.contains("/.config/embargo/embargo.toml");
                assert!(names, "{what}: {}", found.stderr);
            }
        }
        mode(&world, "home/.config", 0o700);
        let _ =
            fs::set_permissions(world.path("home/.config/embargo"), Permissions::from_mode(0o700));
    }
}

#[test]
fn a_project_file_that_could_never_be_read_says_so() {
    let user = plain_user();
    let world = bare();
    world.policy(NO_GRADLE);
    if is_root() {
        world.give_to(user);
    }
    mode(&world, PROJECT, 0);
    for name in ["gradle", "npm"] {
        let found = world.shim(name, &["x"]).by_user(user).any_output().run_expecting(0, name);
        assert!(
            found.stderr.contains("embargo.toml") && found.stderr.lines().count() == 1,
            "{found:?}"
        );
    }
}

/// The directory that a call works in has a policy as well.
#[test]
fn a_broken_file_where_a_call_works_is_met_by_every_door() {
    let world = World::new();
    world.stub("git").stub("npm").install(&["git"]).policy(&SYNTAX.replace("gradle", "git push"));
    world.write("elsewhere/file", "");
    let away = world.shim("git", &["-C", "../project", "push"]).cwd("elsewhere");
    away.stderr_has(&["embargo.toml:2:20: ", "exit 88"]).status(88).run();
    world.shim("git", &["status"]).cwd("elsewhere").run();
    let check = |line: &str| world.embargo(&["check", line]).any_output();
    check("cd x && git push").run_expecting(88, "a line that holds the name");
    check("cd x && npm ci").run_expecting(0, "a line that does not");
    assert_eq!(world.calls(), "git status\n");
}

#[test]
fn a_named_policy_that_is_missing_refuses_everything() {
    let world = bare();
    let missing = world.path("missing.toml").display().to_string();
    let says = "the policy file [W]/missing.toml cannot be read";
    let by_variable = |name| world.shim(name, &["x"]).env("EMBARGO_POLICY", &missing);
    for name in ["gradle", "npm"] {
        by_variable(name).stderr_has(&[says, "exit 88"]).status(88).run();
    }
    world.write("missing.toml", "");
    by_variable("npm").run();
    world.embargo(&["run", "--policy", &missing, "npm", "x"]).run();
    fs::remove_file(&missing).expect("gone");
    by_variable("npm").stderr_has(&[says]).status(88).run();
    world.embargo(&["run", "--policy", &missing, "npm", "x"]).stderr_has(&[says]).status(88).run();
}

// ---- what changes

#[test]
fn the_next_call_obeys_a_changed_policy() {
    let world = world();
    let set = |text: &str| {
        world.write(USER, text);
    };
    let gradle = |status, what: &str| {
        world.shim("gradle", &["x"]).any_output().run_expecting(status, what);
    };
    let npm = NO_GRADLE.replace("gradle", "npm");
    let same_size = npm.clone() + &"#".repeat(NO_GRADLE.len() - npm.len());
    gradle(86, "a rule");
    set(&same_size);
    gradle(0, "the same size, the same second");
    let modified = world.path(USER).metadata().and_then(|m| m.modified()).expect("a time");
    set(NO_GRADLE);
    gradle(86, "and back");
    fs::remove_file(world.path(USER)).expect("gone");
    gradle(0, "the file is gone");
    world.write(
        "home/.config/embargo/embargo.json",
        r#"{"embargo": [{"cmd": "gradle", "reason": "x"}]}"#,
    );
    gradle(86, "in the other form");
    fs::remove_file(world.path("home/.config/embargo/embargo.json")).expect("gone");
    world.write("home/.config/embargo/house.toml", NO_GRADLE);
    set("extends = [\"./house.toml\"]\n");
    gradle(86, "what it extends");
    world.write("home/.config/embargo/house.toml", &same_size);
    gradle(0, "what it extends has changed");
    world.policy(NO_GRADLE);
    gradle(86, "a project's file has come");
    world
        .policy(NO_GRADLE.replace("command = \"gradle\"", "command = \"gradle publish\"").as_str());
    gradle(0, "the project's file has changed");
    fs::remove_file(world.path(PROJECT)).expect("gone");
    // A project's directory that is renamed away, and another renamed in.
    world.write("next/embargo.toml", NO_GRADLE);
    fs::rename(world.path("project"), world.path("old")).expect("a rename");
    fs::rename(world.path("next"), world.path("project")).expect("a rename");
    gradle(86, "another directory in its place");
    fs::remove_file(world.path(PROJECT)).expect("gone");
    if is_root() {
        // Anybody may write there, so the times of the file alone are not believed.
        mode(&world, "home/.config/embargo", 0o777);
    }
    set(NO_GRADLE);
    gradle(86, "again");
    std::thread::sleep(Duration::from_millis(40));
    gradle(86, "a view that is kept");
    set(&same_size);
    let file = OpenOptions::new().write(true).open(world.path(USER)).expect("a file");
    file.set_modified(modified).expect("a time");
    gradle(0, "the same size and an mtime that was put back");
    set(NO_GRADLE);
    file.set_modified(modified).expect("a time");
    gradle(86, "and once more");
}

#[test]
fn two_hundred_calls_after_a_change_all_obey_it() {
    let world = world();
    let path = std::env::join_paths([world.path("shims"), world.path("bin")]).expect("a PATH");
    for name in ["gradle", "npm"] {
        world.shim(name, &["x"]).any_output().run();
    }
    fs::remove_file(world.path("calls")).expect("a file");
    world.write(USER, NO_GRADLE.replace("gradle", "npm"));
    let call = |name: &str| -> Child {
        let mut command = Command::new(world.path("shims").join(name));
        command.env_clear().env("PATH", &path).current_dir(world.path("project"));
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        command.spawn().expect("a shim")
    };
    let names = (0..100).flat_map(|_| [("npm", 86), ("gradle", 0)]);
    let calls: Vec<(i32, Child)> = names.map(|(name, status)| (status, call(name))).collect();
    for (expected, mut call) in calls {
        assert_eq!(call.wait().expect("an end").code(), Some(expected));
    }
    assert_eq!(world.calls(), "gradle\n".repeat(100));
    let views = walk(&world.path(CACHE).join("views"));
    let beside = views.iter().filter(|(path, _)| path.extension().is_some()).count();
    assert_eq!(beside, 0, "something half written is left: {views:?}");
}

// ---- the system's layer

/// Runs below an /etc that has this policy, in a mount namespace of its own.
fn with_system_policy(world: &World, text: &str) -> Option<Vec<String>> {
    world.write("etc/embargo/embargo.toml", text);
    let mount = format!(
        "mount -t overlay overlay -o lowerdir={}:/etc /etc && exec \"$@\"",
        world.path("etc").display()
    );
    let words = ["unshare", "-m", "sh", "-c", &mount, "sh"].map(str::to_owned);
    let works = Command::new(&words[0]).args(&words[1..]).arg("true").output();
    if works.is_ok_and(|output| output.status.success()) {
        return Some(words.into());
    }
    eprintln!("skipped: no mount namespace with an overlay here");
    None
}

#[test]
fn the_systems_policy_counts_above_all_and_cannot_be_moved() {
    let allow = "[[embargo]]\ncommand = \"gradle\"\nverdict = \"allow\"\nreason = \"x\"\n";
    let table = [
        ("a rule", NO_GRADLE, 86, 0, "rule `no-gradle` (/etc/embargo/embargo.toml:1)"),
        ("a fault", SYNTAX, 88, 88, "/etc/embargo/embargo.toml:2:18: "),
        ("a newer one", NEWER, 88, 88, "/etc/embargo/embargo.toml:1:12: "),
        ("nothing", "", 0, 0, ""),
    ];
    for (what, text, gradle, npm, says) in table {
        let world = bare();
        world.write(USER, allow);
        let Some(around) = with_system_policy(&world, text) else { return };
        for (name, status) in [("gradle", gradle), ("npm", npm)] {
            let shim = world.path("shims").join(name).display().to_string();
            let words = [&around[1..], &[shim, "x".to_owned()]].concat();
            let found = Test::new(&world, around[0].as_ref(), &words)
                .path(&["shims", "bin", "/usr/bin", "/bin"])
                .env("XDG_CONFIG_DIRS", world.path("tmp"))
                .env("EMBARGO_CONFIG", world.path("tmp"))
                .any_output()
                .run_expecting(status, &format!("{what}: {name}"));
            assert!(status == 0 || found.stderr.contains(says), "{what}: {}", found.stderr);
        }
    }
}

/// A call that was not made because nothing can be trusted is in the log like any other.
#[test]
fn what_was_not_run_for_a_broken_policy_is_recorded() {
    let world = World::new();
    world.stub("gradle").install(&["gradle"]);
    world.write("home/.config/embargo/embargo.toml", "[[embargo]\n");
    world.shim("gradle", &["build"]).any_output().status(88).run();
    let log = world.embargo(&["log"]).any_output().run();
    assert!(log.stdout.contains(" broken broken exit 88 "), "{log:?}");
    assert!(log.stdout.ends_with("gradle build\n"), "{log:?}");
    assert_eq!(world.calls(), "");
}

/// What a link led to is missing, as where dotfiles are not mounted: that is no empty policy.
#[test]
fn a_link_that_leads_nowhere_is_a_broken_policy() {
    let world = bare();
    world.write("home/.config/embargo/README", "");
    symlink("gone.toml", world.path(USER)).expect("a link");
    world.shim("npm", &["x"]).stderr_has(&["exit 88"]).status(88).run();

    let world = bare();
    world.write(PROJECT, NO_GRADLE);
    world.shim("gradle", &["x"]).any_output().run_expecting(86, "sound");
    fs::rename(world.path(PROJECT), world.path("project/away")).expect("a rename");
    symlink("gone.toml", world.path(PROJECT)).expect("a link");
    // Its last good version holds.
    world.shim("gradle", &["x"]).any_output().run_expecting(86, "a dangling link");
    world.shim("npm", &["x"]).any_output().run_expecting(0, "another program");
    fs::remove_file(world.path(PROJECT)).expect("gone");
    symlink("embargo.toml", world.path(PROJECT)).expect("a link");
    world.shim("gradle", &["x"]).any_output().run_expecting(86, "a link to itself");
}

/// What is named is no less so for lying in the project.
#[test]
fn a_named_policy_may_be_the_projects() {
    let world = bare();
    world.write(PROJECT, SYNTAX);
    let check = |args: &[&str]| world.embargo(args).any_output();
    check(&["check", "npm x"]).run_expecting(0, "the project's");
    check(&["check", "--policy", "embargo.toml", "npm x"]).run_expecting(88, "named");
}
