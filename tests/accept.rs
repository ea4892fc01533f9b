//! `embargo accept`: what it runs, exits with and seals (`tests/cases/accept.toml`), and that what
//! a check proved is guarded.

mod common;

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::process::ExitStatusExt as _;
use std::process::{Command, Stdio};

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
    args: Vec<String>,
    status: i32,
    seals: Vec<String>,
    says: Option<String>,
}

/// A world whose project's shell has the real programs.
fn command(world: &World, program: &str, words: &[&str]) -> Command {
    let mut command = Command::new(program);
    command.args(words).current_dir(world.path("project")).stdin(Stdio::null());
    command.env_clear().env("PATH", "/usr/local/bin:/usr/bin:/bin").env("HOME", world.path("home"));
    command.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_NOSYSTEM", "1");
    command
}

fn world(setup: &str) -> World {
    let world = World::new();
    fs::create_dir_all(world.path("project")).expect("a directory");
    fs::create_dir_all(world.path("home")).expect("a directory");
    let setup = command(&world, "sh", &["-ec", setup]).status().expect("sh");
    assert!(setup.success(), "setup");
    world
}

/// Status and all that was said.
fn accept(world: &World, args: &[&str]) -> (i32, String) {
    let words: Vec<&str> = ["accept"].into_iter().chain(args.iter().copied()).collect();
    let output = command(world, EMBARGO, &words).output().expect("embargo");
    let said = [output.stdout, output.stderr].concat();
    (output.status.code().unwrap_or(-1), String::from_utf8_lossy(&said).into_owned())
}

fn seals(world: &World) -> Vec<String> {
    let output = command(world, EMBARGO, &["seals", "--json"]).output().expect("embargo");
    let all: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let here = world.path("project").canonicalize().expect("there");
    let line = |seal: &Value| {
        let text = |key: &str| seal[key].as_str().expect("text").to_owned();
        let path = text("path");
        let path = path.strip_prefix(here.to_str().expect("text")).unwrap_or(&path);
        let path = path.strip_prefix('/').unwrap_or(".");
        format!("{} {} {path}", text("class"), text("tier"))
    };
    let mut lines: Vec<String> = all["seals"].as_array().expect("seals").iter().map(line).collect();
    lines.sort();
    lines
}

#[test]
fn the_table() {
    let table: Table = toml::from_str(include_str!("cases/accept.toml")).expect("the table parses");
    let mut wrong = String::new();
    for row in &table.case {
        let world = world(&row.setup);
        let args: Vec<&str> = row.args.iter().map(String::as_str).collect();
        let (status, said) = accept(&world, &args);
        let found = seals(&world);
        let says = row.says.as_ref().is_none_or(|says| said.contains(says.as_str()));
        if status != row.status || found != row.seals || !says {
            wrong += &format!("{}: {status} {found:?}\n{said}\n", row.name);
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

const CHECK: &str = "mkdir dist; echo 1 >dist/app; echo 2 >dist/log; \
    printf '#!/bin/sh\\ntest -s \"$1\"\\n' >v; chmod +x v";

#[test]
fn what_a_check_proved_is_guarded_and_the_refusal_says_which() {
    let world = world(CHECK);
    assert_eq!(accept(&world, &["--name", "final", "--", "./v", "dist/app"]).0, 0);
    let check = |line: &str| {
        let output = command(&world, EMBARGO, &["check", line]).output().expect("embargo");
        (output.status.code(), String::from_utf8_lossy(&output.stdout).into_owned())
    };
    for line in ["rm -rf dist", "mv dist/app x", "echo x >dist/app", "rm dist/log dist/app"] {
        let (status, said) = check(line);
        assert_eq!(status, Some(86), "{line}: {said}");
        for part in ["sealed output of the check `final`", "`./v dist/app`"] {
            assert!(said.contains(part), "{line}: {said}");
        }
    }
    let (status, said) = check("sed -i s/test/true/ v");
    assert_eq!(status, Some(86), "{said}");
    assert!(said.contains("sealed entry of the check `final`"), "{said}");
    for line in ["rm dist/log", "cat dist/app", "cp dist/app /tmp/copy", "./v dist/app"] {
        assert_eq!(check(line).0, Some(0), "{line}");
    }
    // A generator is neither written nor run, except by the check.
    world.write("project/gen.sh", "date >dist/app");
    let generated = ["--generator", "gen.sh", "--", "./v", "dist/app"];
    assert_eq!(accept(&world, &generated).0, 0);
    for line in ["sh gen.sh", "bash -x ./gen.sh dist", "cd dist && sh ../gen.sh"] {
        let (status, said) = check(line);
        assert!(status == Some(86) && said.contains("it would run"), "{line}: {said}");
    }
    assert_eq!(check("cat gen.sh").0, Some(0));
    // The check itself is judged as any other command.
    let (status, said) = accept(&world, &["--", "rm", "dist/app"]);
    assert_eq!(status, 86, "{said}");
    assert!(world.path("project/dist/app").exists());
}

#[test]
fn what_another_check_proved_is_not_proved_anew_by_a_weaker_one() {
    let world = world(CHECK);
    assert_eq!(accept(&world, &["--", "./v", "dist/app"]).0, 0);
    world.write("project/dist/app", "changed");
    let (status, said) = accept(&world, &["--", "test", "-e", "dist/app"]);
    assert_eq!(status, 88, "{said}");
    assert!(said.contains("not as it was sealed"), "{said}");
    // The same check may.
    assert_eq!(accept(&world, &["--", "./v", "dist/app"]).0, 0);
    assert_eq!(accept(&world, &["--", "test", "-e", "dist/app"]).0, 0);
}

#[test]
fn a_ledger_that_cannot_be_written_is_said() {
    if rustix::process::geteuid().is_root() {
        // Nothing is read-only for root; a damaged ledger is as bad.
        let world = world(CHECK);
        world.write("home/.local/state/embargo/ledger.db", "no database at all, but long enough");
        let (status, said) = accept(&world, &["--", "./v", "dist/app"]);
        assert_eq!(status, 88, "{said}");
        assert!(said.contains("not sealed"), "{said}");
        return;
    }
    let world = world(CHECK);
    let state = world.path("home/.local/state/embargo");
    fs::create_dir_all(&state).expect("a directory");
    fs::set_permissions(&state, fs::Permissions::from_mode(0o500)).expect("a mode");
    let (status, said) = accept(&world, &["--", "./v", "dist/app"]);
    assert_eq!(status, 88, "{said}");
    assert!(said.contains("not sealed"), "{said}");
}

#[test]
fn json_is_one_object_behind_what_the_check_writes() {
    let world = world("echo 1 >o");
    let (status, said) = accept(&world, &["--json", "--", "cat", "o"]);
    assert_eq!(status, 0, "{said}");
    let object: Value = serde_json::from_str(said.strip_prefix("1\n").expect("the check's own"))
        .expect("one object");
    assert_eq!(object["status"], 0);
    assert_eq!(object["sealed"][0]["class"], "output");
}

/// Death by a signal is ours as well, and what a process sends us reaches the check once.
#[test]
fn signals_are_the_checks() {
    let world = world("printf '#!/bin/sh\\nkill -SEGV $$\\n' >dies; chmod +x dies");
    let output = command(&world, EMBARGO, &["accept", "--", "./dies"]).output().expect("embargo");
    assert_eq!(output.status.signal(), Some(libc::SIGSEGV), "{output:?}");
    assert!(seals(&world).is_empty());

    let script = "#!/bin/bash\ntrap 'echo got >>got' TERM\necho ready >ready\n\
        until [ -e got ]; do sleep 0.05; done\nsleep 0.3\nexit 5\n";
    world.script("project/waits", script);
    let child = command(&world, EMBARGO, &["accept", "--", "./waits"])
        .stderr(Stdio::null())
        .spawn()
        .expect("embargo");
    while !world.path("project/ready").exists() {
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    let pid = rustix::process::Pid::from_child(&child);
    rustix::process::kill_process(pid, rustix::process::Signal::TERM).expect("sent");
    let output = child.wait_with_output().expect("it ends");
    assert_eq!(output.status.code(), Some(5));
    assert_eq!(world.read("project/got"), "got\n");
}

/// In a terminal's group ^C comes to the check once, and both stop and go on together.
#[test]
fn a_stopped_check_stops_us_and_goes_on_with_us() {
    let world = world("printf '#!/bin/sh\\nkill -STOP $$\\nexit 4\\n' >stops; chmod +x stops");
    let script = "set -m; \"$0\" accept -- ./stops 2>/dev/null & p=$!; \
        until grep -q '^State:.T' /proc/$p/status; do sleep 0.05; done; fg %1 >/dev/null; exit $?";
    if !std::path::Path::new("/proc/self/status").exists() {
        return;
    }
    let output = command(&world, "bash", &["-c", script, EMBARGO]).output().expect("bash");
    assert_eq!(output.status.code(), Some(4), "{output:?}");
}

/// A sealed check that writes its own output anew may; the same act of anybody else may not, and
/// what only looks like the check is somebody else.
#[test]
fn below_a_rerun_its_own_seals_do_not_bite() {
    let world = world(
        "mkdir dist keep; echo 1 >dist/app; echo 2 >keep/x; \
        printf '#!/bin/sh\nrm dist/app; echo $? >>log; echo 1 >dist/app\nrm -f keep/x\n' >v; \
        chmod +x v",
    );
    world.install(&["rm"]);
    let run = |path: &str, words: &[&str]| {
        let path = format!("{}:{path}/usr/bin:/bin", world.path("shims").display());
        let mut command = command(&world, EMBARGO, words);
        let output = command.env("PATH", path).output().expect("embargo");
        (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
    };
    // Only its own: this one is sealed by hand.
    world.embargo(&["seal", "keep/x"]).any_output().status(0).run();
    let words = ["accept", "--name", "n", "--", "./v", "dist/app"];
    let (status, said) = run("", &words);
    assert!(world.path("project/keep/x").exists(), "{said}");
    assert_eq!(status, Some(86), "rm of the other seal is refused: {said}");
    world.script("project/v", "#!/bin/sh\nrm dist/app; echo $? >>log\necho 1 >dist/app\n");
    for _ in 0..2 {
        let (status, said) = run("", &words);
        assert_eq!(status, Some(0), "{said}");
    }
    assert_eq!(world.read("project/log"), "0\n0\n0\n");
    // Another argv, another directory and another file are another check.
    let (_, said) = run("", &["accept", "--", "sh", "-c", "rm dist/app", "./v", "dist/app"]);
    assert!(said.contains("[embargo refused"), "{said}");
    let (status, said) = run("", &["run", "rm", "dist/app"]);
    assert_eq!(status, Some(86), "{said}");
    assert!(world.path("project/dist/app").exists());
    world.script("project/v", "#!/bin/sh\nrm -rf dist\n");
    let (_, said) = run("", &words);
    assert!(said.contains("[embargo refused"), "{said}");
    assert!(world.path("project/dist/app").exists());
}

const WATCHED: &str = r#"
[[acceptance]]
command = "checker run"
name = "final"
outputs = ["dist/app"]
entries = "check.cfg"
"#;

/// A project whose policy names a check, and a stub of it that does what `does` says.
fn watched(does: &str) -> World {
    let world = World::new();
    world.policy(WATCHED).write("project/dist/app", "1").write("project/check.cfg", "c");
    world.write("project/sub/x", "x");
    world.script("bin/checker", &format!("#!/bin/sh\n{does}\n"));
    world.install(&["checker"]);
    world
}

/// Nobody notices that the shim of a check waits for it: status, output, argv; and what it
/// proved is sealed, from wherever in the project it runs.
#[test]
fn a_check_that_a_policy_names_seals_in_its_shim() {
    let world = watched("echo out \"$@\"; echo err >&2; read line; echo $line; exit 0");
    let shim = world.shim("checker", &["run", "x y"]).cwd("project/sub").stdin("in\n");
    shim.stdout("out run x y\nin\n").stderr("err\n").status(0).run();
    assert_eq!(seals(&world), ["entry soft check.cfg", "output hard dist/app"]);
    let refused = world.embargo(&["check", "rm dist/app"]).any_output().run();
    assert_eq!(refused.status, 86);
    assert!(refused.stdout.contains("of the check `final`"), "{}", refused.stdout);
}

#[test]
fn what_is_not_that_check_or_fails_seals_nothing() {
    let world = watched("[ \"$2\" != fail ] || exit 9; [ \"$2\" != die ] || kill -TERM $$; exit 0");
    world.shim("checker", &["lint"]).status(0).run();
    world.shim("checker", &["run", "fail"]).status(9).run();
    assert_eq!(seals(&world), [""; 0]);
    let mut die =
        command(&world, world.path("shims/checker").to_str().expect("text"), &["run", "die"]);
    let path =
        format!("{}:{}:/usr/bin:/bin", world.path("shims").display(), world.path("bin").display());
    let status = die.env("PATH", path).status().expect("it starts");
    assert_eq!(status.signal(), Some(libc::SIGTERM));
    assert_eq!(seals(&world), [""; 0]);
}

#[test]
fn a_watched_check_that_cannot_be_sealed_keeps_its_status_and_says_so() {
    let world = watched("exit 0");
    std::fs::remove_file(world.path("project/dist/app")).expect("removed");
    let found = world.shim("checker", &["run"]).any_output().run();
    assert_eq!(found.status, 0);
    assert!(found.stderr.starts_with("embargo: not sealed: "), "{}", found.stderr);
    assert_eq!(seals(&world), [""; 0]);
}

#[test]
fn shims_for_checks_are_wanted() {
    let world = watched("exit 0");
    std::fs::remove_file(world.path("shims/checker")).expect("removed");
    world.stub("other");
    world.install(&["other"]);
    let shims = world.path("shims").display().to_string();
    world.embargo(&["shim", "sync", "--dir", &shims]).any_output().status(0).run();
    assert!(world.path("shims/checker").exists());
}

/// A soft seal yields to a reason once, is stale then, and live again when its check has passed.
#[test]
fn a_soft_seal_yields_to_a_reason_once_and_is_proved_again() {
    let world = world(CHECK);
    world.install(&["sed", "rm", "sh"]);
    let run = |words: &[&str], reason: Option<&str>| {
        let path = format!("{}:/usr/bin:/bin", world.path("shims").display());
        let mut command = command(&world, words[0], &words[1..]);
        command.env("PATH", path);
        reason.map(|reason| command.env("ALLOW_POST_SUCCESS_RESET", reason));
        let output = command.output().expect("it starts");
        (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
    };
    let sed = world.path("shims/sed").display().to_string();
    let edit = [sed.as_str(), "-i", "s/test/test /", "v"];
    assert_eq!(accept(&world, &["--name", "final", "--", "./v", "dist/app"]).0, 0);
    let list = || {
        let output = command(&world, EMBARGO, &["seals"]).output().expect("embargo");
        String::from_utf8_lossy(&output.stdout).into_owned()
    };
    let (status, said) = run(&edit, None);
    assert_eq!(status, Some(86));
    assert!(said.contains("`ALLOW_POST_SUCCESS_RESET=\"why\"`"), "{said}");
    assert_eq!(run(&edit, Some("  ")).0, Some(86), "a blank reason is none");
    // The line door leaves a reason to the shim that it will meet, and spends none.
    for (line, wanted) in [
        ("ALLOW_POST_SUCCESS_RESET='a typo' sed -i s/a/b/ v", 0),
        ("ALLOW_POST_SUCCESS_RESET=' ' sed -i s/a/b/ v", 86),
        ("ALLOW_POST_SUCCESS_RESET=x sed -n p dist/log >v", 86),
        ("ALLOW_POST_SUCCESS_RESET=x true; sed -i s/a/b/ v", 86),
        ("ALLOW_POST_SUCCESS_RESET=x /usr/bin/sed -i s/a/b/ v", 86),
        ("ALLOW_POST_SUCCESS_RESET=x truncate -s 0 v", 86),
        ("ALLOW_POST_SUCCESS_RESET=x rm dist/app", 86),
    ] {
        assert_eq!(run(&[EMBARGO, "check", line], None).0, Some(wanted), "{line}");
    }
    let (status, said) = run(&edit, Some("the check has a typo"));
    assert_eq!(status, Some(0), "{said}");
    assert!(said.contains("may be changed this once (the check has a typo)"), "{said}");
    assert!(list().contains("must be revalidated: `./v dist/app`"), "{}", list());
    let (status, said) = run(&edit, Some("the check has a typo"));
    assert_eq!(status, Some(86));
    assert!(said.contains("was used before"), "{said}");
    let sh = world.path("shims/sh").display().to_string();
    let line = "sed -i 's/test  /test /' v";
    assert_eq!(run(&[&sh, "-c", line], None).0, Some(86));
    let with = format!("ALLOW_POST_SUCCESS_RESET='one more typo' {line}");
    let (status, said) = run(&[&sh, "-c", &with], None);
    assert_eq!(status, Some(0), "{said}");
    assert!(said.contains("(one more typo)"), "{said}");
    // A hard one does not yield, and takes a soft one with it.
    let rm = world.path("shims/rm").display().to_string();
    for words in [&[rm.as_str(), "dist/app"][..], &[rm.as_str(), "v", "dist/app"]] {
        let (status, said) = run(words, Some("clean up"));
        assert_eq!(status, Some(86), "{said}");
        assert!(said.contains("hard seal"), "{said}");
    }
    assert_eq!(accept(&world, &["--name", "final", "--", "./v", "dist/app"]).0, 0);
    assert!(!list().contains("revalidated"), "{}", list());
    let log = command(&world, EMBARGO, &["log", "--json"]).output().expect("embargo");
    let log = String::from_utf8_lossy(&log.stdout);
    assert!(log.contains("overridden") && log.contains("one more typo"), "{log}");
}
