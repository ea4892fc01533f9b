//! `embargo doctor`, with real shells: what was set up wrong is found, by the check whose
//! it is, and by no other.

mod common;

use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::os::unix::process::{CommandExt as _, ExitStatusExt as _};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use common::{EMBARGO, Found, NO_GRADLE, NOBODY, Test, World};
use embargo::doctor::{Check, OfPath, of_path};
use embargo::sys::session;
use serde_json::Value;

const STATE: &str = "home/.local/state/embargo";
const PATH: [&str; 4] = ["shims", "bin", "/usr/bin", "/bin"];

/// Shims of all that the policy speaks of, and of frob, first on PATH in every shell.
fn world() -> World {
    let world = World::new();
    world.policy(&format!("{NO_GRADLE}refuses = [\"gradle build\"]\n"));
    world.stub("gradle").stub("frob").write("tmp/README", "");
    fs::remove_file(world.path("tmp/README")).expect("a file");
    world.install(&["frob"]);
    let sync = world.embargo(&["shim", "sync", "--dir", "../shims"]).path(&PATH);
    sync.any_output().run_expecting(0, "sync");
    let shims = world.path("shims").display().to_string();
    let first = format!("PATH='{shims}':$PATH\n");
    for file in [".bash_profile", ".bashrc", ".zprofile", ".zshrc", ".profile"] {
        world.write(&format!("home/{file}"), &first);
    }
    let fish = format!("set -gx PATH '{shims}' $PATH\n");
    world.write("home/.config/fish/config.fish", fish);
    world
}

fn doctor<'w>(world: &'w World, shell: &str) -> Test<'w> {
    let test = world.embargo(&["doctor", "--json", "--dir", "../shims"]).path(&PATH);
    test.env("SHELL", shell).env("TMPDIR", world.path("tmp")).any_output()
}

fn report(found: &Found) -> Value {
    serde_json::from_str(&found.stdout).unwrap_or_else(|e| panic!("{e}: {found:#?}"))
}

/// Names of the checks with this verdict.
fn with(report: &Value, verdict: &str) -> Vec<String> {
    let checks = report["checks"].as_array().expect("checks").iter();
    let of_verdict = checks.filter(|check| check["verdict"] == verdict);
    of_verdict.map(|check| check["name"].as_str().expect("a name").to_owned()).collect()
}

fn check<'r>(report: &'r Value, name: &str) -> &'r Value {
    let mut checks = report["checks"].as_array().expect("checks").iter();
    checks.find(|check| check["name"] == name).unwrap_or_else(|| panic!("no {name}"))
}

fn texts(value: &Value) -> Vec<String> {
    let texts = value.as_array().expect("an array").iter();
    texts.map(|text| text.as_str().expect("a text").to_owned()).collect()
}

/// Runs it; nothing is left of what it made, and no stub was called.
fn examined(world: &World, test: Test<'_>, findings: &[&str], what: &str) -> Value {
    let log = world.path(STATE).join("evidence.db").exists();
    let found = test.run_expecting(i32::from(!findings.is_empty()), what);
    assert_eq!(found.stderr, "", "{what}");
    let report = report(&found);
    assert_eq!(with(&report, "finding"), findings, "{what}: {report:#}");
    assert_eq!(report["findings"], findings.len(), "{what}");
    assert_eq!(fs::read_dir(world.path("tmp")).expect("a directory").count(), 0, "{what}");
    assert_eq!(world.calls(), "", "{what}");
    assert_eq!(world.path(STATE).join("evidence.db").exists(), log, "{what}: evidence");
    report
}

fn append(world: &World, file: &str, text: &str) {
    let before = fs::read_to_string(world.path(file)).unwrap_or_default();
    world.write(file, format!("{before}{text}\n"));
}

fn remove(world: &World, below: &str) {
    fs::remove_file(world.path(below)).expect("a file");
}

#[test]
fn what_is_wrong_is_found() {
    type Act = fn(&World);
    // what, what is done, checks with findings, what is said of the first of them
    let table: [(&str, Act, &[&str], &str); 26] = [
        ("all well", |_| {}, &[], ""),
        (
            "a start-up file that puts another directory in front",
            |w| {
                w.script("other/gradle", "");
                append(w, "home/.bashrc", &format!("PATH='{}':$PATH", w.path("other").display()));
            },
            &["interactive-shell"],
            "[W]/other stands before [W]/shims on PATH; met there: `gradle` at [W]/other/gradle",
        ),
        (
            "a profile that sets PATH anew",
            |w| append(w, "home/.bash_profile", "PATH=/usr/bin:/bin"),
            &["login-shell"],
            "[W]/shims is not on PATH",
        ),
        (
            "an alias of what is not there",
            |w| append(w, "home/.bashrc", "alias gradle=safe-gradle"),
            &["shadowed"],
            "`gradle` is an alias of `safe-gradle`, and `safe-gradle` is not there",
        ),
        (
            "an alias of a script that is gone",
            |w| append(w, "home/.bashrc", "alias gradle='bash ~/safe-gradle.sh'"),
            &["shadowed"],
            "`gradle` is an alias of `bash ~/safe-gradle.sh`, and `~/safe-gradle.sh` is not there",
        ),
        (
            "an alias of something else",
            |w| append(w, "home/.bashrc", "alias gradle='true gradle'"),
            &["shadowed"],
            "`gradle` is an alias of `true gradle`, so its shim is not met",
        ),
        (
            "an alias of the name",
            |w| append(w, "home/.bashrc", "alias gradle='gradle -q'"),
            &[],
            "",
        ),
        ("an alias of a shim", |w| append(w, "home/.bashrc", "alias gradle=frob"), &[], ""),
        (
            "a function of the name",
            |w| append(w, "home/.bashrc", "gradle() { /usr/bin/true; }"),
            &["shadowed"],
            "`gradle` is a function, so its shim is not met",
        ),
        (
            "a function around the command",
            |w| append(w, "home/.bashrc", "gradle() { command gradle -q; }"),
            &[],
            "",
        ),
        (
            "a file that the shell remembers",
            |w| append(w, "home/.bashrc", "hash -p /usr/bin/true gradle"),
            &["shadowed"],
            "the shell runs /usr/bin/true for `gradle`, not the first on PATH",
        ),
        (
            "chatter, and names that mean something else",
            |w| {
                append(
                    w,
                    "home/.bashrc",
                    "echo hello; echo >&2 oops; alias for=x printf='echo no'",
                );
                append(w, "home/.bash_profile", "echo hello; printf() { echo no; }");
            },
            &[],
            "",
        ),
        (
            "a rule without a shim",
            |w| remove(w, "shims/gradle"),
            &["rules"],
            "rules speak of names without a shim: gradle",
        ),
        (
            "a shim without a program",
            |w| remove(w, "bin/frob"),
            &["shims"],
            "`frob` has no program behind it, and no rule refuses it",
        ),
        ("a rule's shim without a program", |w| remove(w, "bin/gradle"), &[], ""),
        (
            "a link that leads nowhere",
            |w| {
                remove(w, "shims/gradle");
                symlink("/gone/embargo", w.path("shims/gradle")).expect("a link");
            },
            &["shims"],
            "the shim `gradle` leads to /gone/embargo, which is not there",
        ),
        (
            "a user's policy that is broken",
            |w| {
                w.write("home/.config/embargo/embargo.toml", "\ncommand = 1\n");
            },
            &["policy"],
            "[W]/home/.config/embargo/embargo.toml (user: can loosen projects and named files) is broken: line 2:",
        ),
        (
            "a project's policy that is broken",
            |w| {
                w.policy("[[embargo\n");
            },
            &["policy"],
            "[W]/project/embargo.toml (project: can only tighten) is broken: line 1:",
        ),
        (
            "a pack that there is not",
            |w| {
                w.policy("extends = [\"no-such\"]\n");
            },
            &["policy"],
            "[W]/project/embargo.toml (project",
        ),
        (
            "a state that is gone",
            |w| fs::remove_dir_all(w.path(STATE)).expect("gone"),
            &["state", "home-record"],
            "state: [W]/home/.local/state/embargo is recorded and gone, so that no shim runs anything (88)",
        ),
        (
            "a state that others may write to",
            |w| fs::set_permissions(w.path(STATE), Permissions::from_mode(0o777)).expect("a mode"),
            &["state"],
            "state: others may write to [W]/home/.local/state/embargo (mode 0777)",
        ),
        (
            "a file for a cache",
            |w| {
                fs::remove_dir_all(w.path("home/.cache/embargo")).expect("gone");
                w.write("home/.cache/embargo", "");
            },
            &["state"],
            "cache: [W]/home/.cache/embargo is no directory",
        ),
        (
            "garbage for a log",
            |w| {
                w.write(&format!("{STATE}/evidence.db"), [7; 5000]);
            },
            &["log"],
            "the log cannot be read: the evidence store is damaged",
        ),
        ("no record", |w| remove(w, "shims/.embargo-home"), &["home-record"], "has no home record"),
        (
            "a record that is not understood",
            |w| {
                w.write("shims/.embargo-home", "embargo home 1\nmoon full\n");
            },
            &["home-record"],
            "[W]/shims/.embargo-home cannot be used: it is not understood at `moon full`",
        ),
        (
            "a record of a newer embargo",
            |w| {
                w.write("shims/.embargo-home", "embargo home 9\n");
            },
            &["home-record"],
            "[W]/shims/.embargo-home cannot be used: a newer embargo wrote it, in the form `embargo home 9`",
        ),
    ];
    for (what, act, findings, said) in table {
        let world = world();
        act(&world);
        let report = examined(&world, doctor(&world, "/bin/bash"), findings, what);
        let Some(first) = findings.first() else { continue };
        let seen = texts(&check(&report, first)["seen"]);
        assert!(seen[0].contains(said), "{what}: {seen:#?}");
    }
}

/// What it says is to be done is done, to the letter, and then nothing is found.
#[test]
fn remedies_mend_what_was_found() {
    type Act = fn(&World);
    let table: [(&str, Act); 13] = [
        ("interactive-shell", |w| append(w, "home/.bashrc", "PATH=/usr/bin:$PATH")),
        // What is on PATH here need not be where a profile is read.
        ("login-shell", |w| {
            symlink(EMBARGO, w.path("bin/embargo")).expect("a link");
            append(w, "home/.bash_profile", "PATH=/usr/bin:/bin");
        }),
        ("login-shell", |w| append(w, "home/.bash_profile", "PATH=/usr/bin:$PATH")),
        ("shadowed", |w| append(w, "home/.bashrc", "alias gradle=safe-gradle")),
        ("shadowed", |w| append(w, "home/.bashrc", "gradle() { true; }")),
        ("shadowed", |w| append(w, "home/.bashrc", "hash -p /usr/bin/true gradle")),
        ("rules", |w| remove(w, "shims/gradle")),
        ("shims", |w| remove(w, "bin/frob")),
        ("shims", |w| {
            remove(w, "shims/gradle");
            symlink("/gone/embargo", w.path("shims/gradle")).expect("a link");
        }),
        ("state", |w| {
            fs::set_permissions(w.path(STATE), Permissions::from_mode(0o777)).expect("a mode");
        }),
        ("log", |w| {
            w.write(&format!("{STATE}/evidence.db"), [7; 5000]);
        }),
        ("home-record", |w| remove(w, "shims/.embargo-home")),
        ("home-record", |w| {
            w.write("shims/.embargo-home", "embargo home 9\n");
        }),
    ];
    for (name, act) in table {
        let world = world();
        act(&world);
        let report = examined(&world, doctor(&world, "/bin/bash"), &[name], name);
        for remedy in texts(&check(&report, name)["remedy"]) {
            let remedy = remedy.replace("[W]/", &format!("{}/", world.path("").display()));
            let remedy = remedy.replace("//", "/");
            world.shell(&remedy).path(&PATH).any_output().run_expecting(0, &remedy);
        }
        examined(&world, doctor(&world, "/bin/bash"), &[], &format!("{name}, mended"));
    }
    let world = world();
    fs::remove_dir_all(world.path(STATE)).expect("gone");
    let found = doctor(&world, "/bin/bash").run_expecting(1, "state");
    let remedy = texts(&check(&report(&found), "state")["remedy"]).remove(0);
    let remedy = remedy.replace("[W]", world.path("").display().to_string().trim_end_matches('/'));
    world.shell(&remedy).path(&PATH).any_output().run_expecting(0, &remedy);
    examined(&world, doctor(&world, "/bin/bash"), &[], "the state is back");
}

#[test]
fn other_shells_are_asked_in_their_own_words() {
    for (shell, file, path, alias, function) in [
        (
            "/usr/bin/zsh",
            ".zshrc",
            "PATH=/usr/bin:$PATH",
            "alias gradle=gone",
            "gradle() { true; }",
        ),
        (
            "/usr/bin/fish",
            ".config/fish/config.fish",
            "set -gx PATH /usr/bin $PATH",
            "alias gradle gone",
            "function gradle; true; end",
        ),
    ] {
        if !Path::new(shell).exists() {
            eprintln!("not checked: there is no {shell} here");
            continue;
        }
        let file = format!("home/{file}");
        examined(&world(), doctor(&world(), shell), &[], shell);
        let rows = [
            (path, "interactive-shell", "/usr/bin stands before [W]/shims"),
            (alias, "shadowed", "`gradle` is an alias of `gone`, and `gone` is not there"),
            (function, "shadowed", "`gradle` is a function, so its shim is not met"),
        ];
        for (line, name, said) in rows {
            let world = world();
            append(&world, &file, line);
            let found = doctor(&world, shell).run_expecting(1, line);
            let told = report(&found);
            // fish has one file for both.
            assert!(with(&told, "finding").contains(&name.to_owned()), "{line}: {told:#}");
            let check = check(&told, name);
            assert!(texts(&check["seen"])[0].contains(said), "{line}: {check:#}");
            for remedy in texts(&check["remedy"]) {
                let root = world.path("").display().to_string();
                let remedy = remedy.replace("[W]", root.trim_end_matches('/'));
                world.shell(&remedy).path(&PATH).any_output().run_expecting(0, &remedy);
            }
            examined(&world, doctor(&world, shell), &[], line);
        }
    }
}

#[test]
fn path_here_and_in_sh_are_what_the_caller_has() {
    let world = world();
    let test = doctor(&world, "/bin/bash").path(&PATH[1..]);
    let report = examined(&world, test, &["path", "sh-c"], "not on PATH");
    let remedy = texts(&check(&report, "path")["remedy"]);
    assert!(remedy[0].starts_with("eval \"$(") && remedy[0].contains(" env --dir "), "{remedy:?}");
    let test = doctor(&world, "/bin/bash").path(&["bin", "shims", "/usr/bin", "/bin"]);
    let report = examined(&world, test, &["path", "sh-c"], "behind");
    let seen = &texts(&check(&report, "path")["seen"])[0];
    assert!(seen.contains("`frob` at [W]/bin/frob, `gradle` at [W]/bin/gradle"), "{seen}");
}

/// `eval "$(embargo env)"` in one terminal only: what is started from there has the shims.
#[test]
fn what_a_shell_only_inherits_is_noted() {
    let world = world();
    remove(&world, "home/.bashrc");
    let report = examined(&world, doctor(&world, "/bin/bash"), &[], "inherited");
    let found = check(&report, "interactive-shell");
    assert_eq!(found["verdict"], "note", "{found:#}");
    let seen = "is first on PATH by what it has from here; a terminal that is opened anew does not have that";
    assert!(texts(&found["seen"])[0].contains(seen), "{found:#}");
    let root = world.path("").display().to_string();
    let remedy = texts(&found["remedy"])[0].replace("[W]", root.trim_end_matches('/'));
    world.shell(&remedy).path(&PATH).any_output().run_expecting(0, &remedy);
    let report = examined(&world, doctor(&world, "/bin/bash"), &[], "mended");
    assert_eq!(check(&report, "interactive-shell")["verdict"], "ok", "{report:#}");
}

#[test]
fn a_shell_that_does_not_answer_is_not_checked() {
    let three = ["login-shell", "interactive-shell", "shadowed"];
    for (shell, said) in [
        ("", "SHELL is not set"),
        ("/bin/csh", "`/bin/csh` is no shell that embargo knows"),
        ("/gone/bash", "`/gone/bash` cannot be started: No such file"),
    ] {
        let world = world();
        let report = examined(&world, doctor(&world, shell), &[], shell);
        assert_eq!(with(&report, "not-checked"), three, "{shell}");
        let seen = texts(&check(&report, "shadowed")["seen"]);
        assert!(seen[0].contains(said), "{shell}: {seen:?}");
    }
    let world = world();
    append(&world, "home/.bashrc", "/bin/sleep 60");
    let began = Instant::now();
    let report = examined(&world, doctor(&world, "/bin/bash"), &[], "it hangs");
    assert!(began.elapsed() < Duration::from_secs(30), "{:?}", began.elapsed());
    let seen = texts(&check(&report, "interactive-shell")["seen"]);
    assert_eq!(seen, ["`/bin/bash -ic` had not answered after 5 s"]);
}

#[test]
fn an_interrupt_leaves_nothing_behind() {
    let world = world();
    // What it starts is in the group as well, and both say who they are.
    let text = "/bin/sleep 60 & echo $! $$ > ~/beside; /bin/mv ~/beside ~/pids; wait";
    append(&world, "home/.bashrc", text);
    // Who runs the tests in the background has SIGINT ignored.
    let mut command = Command::new("/usr/bin/env");
    command.args(["--default-signal", EMBARGO, "doctor", "--dir", "../shims"]);
    command.current_dir(world.path("project")).env_clear();
    command.env("HOME", world.path("home")).env("SHELL", "/bin/bash");
    command.env("PATH", "/usr/bin:/bin").env("TMPDIR", world.path("tmp"));
    let mut child = command.stdout(Stdio::null()).process_group(0).spawn().expect("embargo");
    let end = Instant::now() + Duration::from_secs(20);
    while !world.path("home/pids").exists() {
        assert!(Instant::now() < end, "the shell was not started");
        std::thread::sleep(Duration::from_millis(20));
    }
    let pid = rustix::process::Pid::from_child(&child);
    rustix::process::kill_process(pid, rustix::process::Signal::INT).expect("a signal");
    let status = child.wait().expect("an end");
    assert_eq!(status.signal(), Some(2), "{status}");
    for pid in world.read("home/pids").split_whitespace() {
        let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
        assert!(stat.is_empty() || stat.contains(") Z "), "{pid} lives: {stat}");
    }
    assert_eq!(fs::read_dir(world.path("tmp")).expect("a directory").count(), 0);
}

#[test]
fn what_cannot_be_written_is_found_by_whom_it_concerns() {
    let us = rustix::process::geteuid();
    let user = if us.is_root() { NOBODY } else { us.as_raw() };
    for (below, said) in [
        (STATE, "counts and the log are not kept; verdicts stand"),
        ("home/.cache/embargo", "policies are compiled at every call; verdicts stand"),
    ] {
        let world = world();
        world.write("home/.cache/embargo/README", "");
        if us.is_root() {
            // What root has recorded is the other user's now.
            let record = world.read("shims/.embargo-home");
            let record = record.replace("owner 0\n", &format!("owner {user}\n"));
            world.write("shims/.embargo-home", record).give_to(user);
        }
        fs::set_permissions(world.path(below), Permissions::from_mode(0o500)).expect("a mode");
        let touch = format!(": > '{}/x'", world.path(below).display());
        let opened = world.shell(&touch).by_user(user).any_output().run();
        assert_ne!(opened.status, 0, "a plain open has to fail: {opened:?}");
        let test = doctor(&world, "/bin/bash").by_user(user);
        let report = examined(&world, test, &["state"], below);
        let seen = texts(&check(&report, "state")["seen"]);
        assert!(seen[0].contains("cannot be written by this user") && seen[0].ends_with(said));
        fs::set_permissions(world.path(below), Permissions::from_mode(0o700)).expect("a mode");
        if !us.is_root() {
            eprintln!("not checked: what root is told of another's state");
            continue;
        }
        let told = examined(&world, doctor(&world, "/bin/bash"), &[], "root");
        let seen = texts(&check(&told, "state")["seen"]);
        assert!(seen[0].contains("belongs to the user 65534"), "{seen:?}");
    }
}

#[test]
fn the_canary_is_refused_by_the_policy_in_force_too() {
    let world = world();
    let report = examined(&world, doctor(&world, "/bin/bash"), &[], "all well");
    let seen = texts(&check(&report, "canary")["seen"]);
    let last = "the rule `no-gradle` refused `gradle build`, in front of a stub";
    assert_eq!((seen.len(), &*seen[2]), (3, last), "{seen:?}");

    // What the user allows is no fault of the shim's.
    let allow = "[[embargo]]\ncommand = \"gradle\"\nverdict = \"allow\"\nreason = \"x\"\n";
    world.write("home/.config/embargo/embargo.toml", allow);
    let report = examined(&world, doctor(&world, "/bin/bash"), &[], "allowed");
    assert_eq!(texts(&check(&report, "canary")["seen"]).len(), 2, "{report:#}");

    let test = doctor(&world, "/bin/bash").env("TMPDIR", world.path("gone"));
    let report = self::report(&test.run_expecting(0, "no place"));
    assert_eq!(with(&report, "not-checked"), ["canary"], "{report:#}");
}

/// A rule may speak of us, and a project's file never runs a program: by a name of ours the
/// canary would be the command line.
#[test]
fn an_example_that_names_us_is_no_canary() {
    for (command, example) in [
        ("embargo run", "embargo run /bin/touch ran"),
        ("embargo-1 run", "embargo-1 run /bin/touch ran"),
        ("embargo uninstall", "embargo uninstall --yes"),
    ] {
        let world = world();
        world.policy(&format!(
            "[[embargo]]\ncommand = \"{command}\"\nrefuses = [\"{example}\"]\nreason = \"x\"\n"
        ));
        let report = report(&doctor(&world, "/bin/bash").run());
        let seen = texts(&check(&report, "canary")["seen"]);
        assert_eq!(seen.len(), 2, "{example}: {seen:?}");
        assert!(!world.path("project/ran").exists(), "{example}");
        assert!(world.path("shims/gradle").is_symlink(), "{example}");
    }
}

#[test]
fn harnesses_and_other_embargoes_are_noted() {
    let world = world();
    fs::create_dir(world.path("old")).expect("a directory");
    fs::copy(EMBARGO, world.path("old/embargo")).expect("a copy");
    symlink(world.path("old/embargo"), world.path("shims/frob2")).expect("a link");
    world.stub("frob2");
    let test = doctor(&world, "/bin/bash").path(&["shims", "bin", "old", "/usr/bin", "/bin"]);
    let report = examined(&world, test.env("CODEX_CI", "1"), &[], "codex");
    let seen = |name| texts(&check(&report, name)["seen"]).remove(0);
    assert_eq!(seen("other-embargoes"), "[W]/old/embargo is another embargo than this one");
    assert_eq!(seen("shims"), "the shim `frob2` leads to another embargo: [W]/old/embargo");
    assert!(seen("harness").starts_with("codex (CODEX_CI): it runs a login shell"));
    let notes = with(&report, "note");
    for name in ["harness", "other-embargoes", "shims"] {
        assert!(notes.contains(&name.to_owned()), "{notes:?}");
    }
    // One without a row is told as unknown: these are those that are known to be.
    let unknown = session::harnesses().filter(|name| of_path(name) == OfPath::Unknown);
    assert_eq!(
        unknown.collect::<Vec<_>>(),
        ["goose", "amp", "auggie", "antigravity", "pi", "crush", "replit"]
    );
}

#[test]
fn a_run_is_examined_from_inside() {
    let world = world();
    world.script("project/go", &format!("#!/bin/sh\n{EMBARGO} doctor --json\n"));
    let test = world.embargo(&["run", "./go"]).path(&["bin", "/usr/bin", "/bin"]);
    let found = test.env("TMPDIR", world.path("tmp")).any_output().run();
    let report = report(&found);
    let seen = &texts(&check(&report, "path")["seen"])[0];
    assert_eq!(seen, "[W]/home/.local/share/embargo/runs/RUN is first on PATH");
    assert_eq!(with(&report, "finding"), [""; 0], "{report:#}");
    let shims = texts(&check(&report, "shims")["seen"]);
    let refused = "`run_shell` is refused; no program is behind it";
    assert!(shims.iter().any(|said| said == refused), "{shims:#?}");
}

#[test]
fn for_people_there_is_a_line_for_each_check_and_a_count() {
    let world = world();
    remove(&world, "shims/gradle");
    let test = world.embargo(&["doctor", "--dir", "../shims"]).path(&PATH);
    let found = test.env("SHELL", "/bin/bash").any_output().run_expecting(1, "plain");
    let lines: Vec<&str> = found.stdout.lines().collect();
    for (check, name, _) in Check::ALL {
        let heads = lines
            .iter()
            .filter(|line| line.get(13..).is_some_and(|l| l.starts_with(&format!("{name} "))));
        assert_eq!(heads.count(), 1, "{check:?}: {found:#?}");
    }
    let finding = lines.iter().position(|line| line.starts_with("FINDING      rules "));
    let remedy = lines[finding.expect("a finding") + 1].trim();
    assert!(remedy.starts_with("→ ") && remedy.contains(" shim sync --dir "), "{remedy}");
    assert_eq!(lines.last(), Some(&"15 checks, 1 finding"));
}

#[test]
fn every_check_is_documented_and_no_other() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/reference/doctor.md");
    let page = fs::read_to_string(page).expect("a page");
    let row = regex::Regex::new(r"(?m)^\| `([a-z-]+)` \| ([^|]+) \| [^|]+ \|$").expect("a regex");
    let rows: Vec<(&str, &str)> =
        row.captures_iter(&page).map(|found| found.extract::<2>().1.into()).collect();
    let wanted: Vec<(&str, &str)> = Check::ALL.iter().map(|(_, name, doc)| (*name, *doc)).collect();
    assert_eq!(rows, wanted);
}
