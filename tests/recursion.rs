//! A shim that finds shims, itself among them, on its way to the real program: the
//! real program runs exactly once, or nothing does, and nobody goes in circles.

mod common;
#[path = "common/launcher.rs"]
mod launcher;
#[path = "common/programs.rs"]
mod programs;

use std::ffi::OsStr;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;

use common::{EMBARGO, Found, NO_GRADLE, World};
use launcher::{Launcher, launcher};
use programs::{compiled, put, recorder};

/// Whatever goes in circles is killed after so many seconds.
const BOUND: u64 = 10;

/// A script in the manner of asdf and pyenv: it runs the first program of its name on
/// PATH that is not in its own directory.
fn manager(run: &str) -> String {
    format!(
        "#!/bin/sh\nown=$(cd \"${{0%/*}}\" && pwd)\nIFS=:\nfor dir in $PATH; do\n\
         if [ \"$dir\" != \"$own\" ] && [ -x \"$dir/${{0##*/}}\" ]; then {run}; fi\ndone\nexit 127\n"
    )
}

/// A second shim directory.
fn install_in(world: &World, below: &str, names: &[&str]) {
    let directory = world.path(below);
    let mut words = vec![OsStr::new("shim"), "install".as_ref(), "--dir".as_ref()];
    words.push(directory.as_os_str());
    words.extend(names.iter().map(OsStr::new));
    world.embargo(&words).any_output().run_expecting(0, below);
}

fn link(world: &World, to: impl AsRef<Path>, below: &str) {
    let file = world.path(below);
    fs::create_dir_all(file.parent().expect("a parent")).expect("directories");
    symlink(to, file).expect("a link");
}

/// The real program in `bin`, a shim in `shims`, and everything that could lead back.
fn maze() -> World {
    let world = World::new();
    world.policy(NO_GRADLE).stub("tool").install(&["tool", "gradle"]);
    install_in(&world, "shims2", &["tool"]);
    link(&world, "../../shims/tool", "home/bin/tool");
    link(&world, world.path("home/bin/tool"), "home/far/tool");
    link(&world, "shims", "alias");
    put(&world, Path::new(EMBARGO), "copy/tool");
    put(&world, Path::new(EMBARGO), "other/embargo");
    fs::OpenOptions::new()
        .append(true)
        .open(world.path("other/embargo"))
        .and_then(|mut file| std::io::Write::write_all(&mut file, b"another version"))
        .expect("another version");
    link(&world, "embargo", "other/tool");
    fs::create_dir(world.path("hard")).expect("a directory");
    // Of the copy: another file system has no hard link of the original.
    fs::hard_link(world.path("copy/tool"), world.path("hard/tool")).expect("a hard link");
    world.script("exec/tool", &manager("exec \"$dir/${0##*/}\" \"$@\""));
    world.script("fork/tool", &manager("\"$dir/${0##*/}\" \"$@\"; exit"));
    put(&world, launcher(), "link/manager");
    link(&world, "manager", "link/tool");
    let local = manager("exec \"$dir/${0##*/}\" \"$@\"").replace("own=", "echo local \"$@\"\nown=");
    world.script("node_modules/.bin/tool", &local);
    world.script("fork2/tool", &manager("\"$dir/${0##*/}\" \"$@\"; exit"));
    world
}

#[test]
fn the_real_program_runs_exactly_once() {
    let world = maze();
    let at = |below: &str| world.path(below).display().to_string();
    let [shims, bin, link] = ["shims", "bin", "link"].map(at);
    // A name, PATH, and a line for a shell in the world's directory.
    let rows: Vec<(&str, String, &str)> = vec![
        ("one shim", format!("{shims}:{bin}"), "tool a"),
        ("two shim directories", format!("{shims}:{}:{bin}", at("shims2")), "tool a"),
        ("the other first", format!("{}:{shims}:{bin}", at("shims2")), "tool a"),
        ("HG004 a link to the shim", format!("{}:{shims}:{bin}", at("home/bin")), "tool a"),
        ("a link, and ours not on PATH", format!("{}:{bin}", at("home/bin")), "tool a"),
        (
            "a chain of links",
            format!("{}:{}:{shims}:{bin}", at("home/far"), at("home/bin")),
            "tool a",
        ),
        ("HG003 behind us a link to us", format!("{shims}:{}:{bin}", at("home/bin")), "tool a"),
        ("the same directory by another name", format!("{}:{shims}:{bin}", at("alias")), "tool a"),
        ("and in the other order", format!("{shims}:{}:{bin}", at("alias")), "tool a"),
        ("a copy", format!("{}:{bin}", at("copy")), "tool a"),
        ("a copy behind", format!("{shims}:{}:{bin}", at("copy")), "tool a"),
        (
            "a hard link, and its twin behind",
            format!("{}:{}:{bin}", at("hard"), at("copy")),
            "tool a",
        ),
        ("another version", format!("{}:{shims}:{bin}", at("other")), "tool a"),
        ("another version behind", format!("{shims}:{}:{bin}", at("other")), "tool a"),
        (
            "everything at once",
            format!(
                "{}:{shims}:{}:{}:{}:{}:{bin}",
                at("copy"),
                at("hard"),
                at("other"),
                at("home/far"),
                at("shims2")
            ),
            "tool a",
        ),
        ("relative", "shims:bin".into(), "tool a"),
        ("relative with dots", "./shims:./project/../bin".into(), "tool a"),
        ("PT020 an empty part", format!("{shims}:"), "cd bin; tool a"),
        ("an empty part is ours", format!(":{bin}"), "cd shims; tool a"),
        (
            "an empty part is ours, in the middle",
            format!("{}::{bin}", at("home")),
            "cd shims; tool a",
        ),
        ("ours twice", format!("{shims}:{shims}:{bin}:{shims}"), "tool a"),
        ("slashes at the end", format!("{shims}/:{shims}//:{bin}/"), "tool a"),
        ("ours last", format!("{bin}:{shims}"), "tool a"),
        ("by its path", format!("{shims}:{bin}"), "shims/tool a"),
        ("by its path, and not on PATH", bin.clone(), "shims/tool a"),
        ("by a path with dots", format!("{shims}:{bin}"), "project/../shims/./tool a"),
        ("another argv[0]", format!("{shims}:{bin}"), "exec bash -c 'exec -a other tool a'"),
        ("argv[0] of embargo", format!("{shims}:{bin}"), "exec bash -c 'exec -a embargo tool a'"),
        ("from env", format!("{shims}:{bin}"), "env tool a"),
        ("a manager that executes", format!("{shims}:{}:{bin}", at("exec")), "tool a"),
        ("a manager in front of us", format!("{}:{shims}:{bin}", at("exec")), "tool a"),
        ("one manager behind another", format!("{shims}:{}:{link}:{bin}", at("exec")), "tool a"),
        (
            "two shims and two managers",
            format!("{}:{shims}:{}:{link}:{bin}", at("shims2"), at("exec")),
            "tool a",
        ),
        ("a manager that is a link", format!("{shims}:{link}:{bin}"), "tool a"),
        ("such a manager in front of us", format!("{link}:{shims}:{bin}"), "tool a"),
        ("a manager that starts a child", format!("{shims}:{}:{bin}", at("fork")), "tool a"),
        (
            "two managers that start children",
            format!("{shims}:{}:{}:{bin}", at("fork"), at("fork2")),
            "tool a",
        ),
        (
            "one that starts a child behind one that executes",
            format!("{shims}:{}:{}:{bin}", at("exec"), at("fork")),
            "tool a",
        ),
        (
            "managers that stand there twice",
            format!("{0}:{shims}:{0}:{link}:{0}/:{link}:{bin}:{0}", at("exec")),
            "tool a",
        ),
        ("ours is not on PATH, a manager is", format!("{}:{bin}", at("exec")), "shims/tool a"),
        (
            "HOP of our own process",
            format!("{shims}:{bin}"),
            "EMBARGO_HOP=$$:1:/nowhere/tool exec tool a",
        ),
        (
            "HOP of another process",
            format!("{shims}:{bin}"),
            "EMBARGO_HOP=1:1:$PWD/bin/tool tool a",
        ),
        (
            "HOP for another name",
            format!("{shims}:{bin}"),
            "EMBARGO_HOP=$$:1:$PWD/bin/other exec tool a",
        ),
        ("HOP that is none", format!("{shims}:{bin}"), "EMBARGO_HOP=x:1:$PWD/bin/tool exec tool a"),
    ];
    for (row, path, line) in rows {
        let test = world.shell(line).env("PATH", format!("{path}:/usr/bin:/bin")).cwd("");
        let found = test.within(BOUND).any_output().run();
        let called = world.calls();
        assert_eq!((called.as_str(), found.status), ("tool a\n", 0), "{row}\n{found:#?}");
        assert_eq!((found.stdout, found.stderr), Default::default(), "{row}");
        world.write("calls", "");
    }
}

#[test]
fn a_program_of_the_project_comes_first_and_once() {
    let world = maze();
    for path in [
        ["node_modules/.bin", "shims", "bin", "/usr/bin", "/bin"],
        ["shims", "node_modules/.bin", "bin", "/usr/bin", "/bin"],
    ] {
        let test = world.shell("tool a").path(&path).within(BOUND);
        let found = test.any_output().run_expecting(0, path[0]);
        assert_eq!(
            (found.stdout.as_str(), world.calls().as_str()),
            ("local a\n", "tool a\n"),
            "{path:?}"
        );
        world.write("calls", "");
    }
}

#[test]
fn nothing_behind_is_127_and_no_circle() {
    let world = maze();
    let rows: [&[&str]; 9] = [
        &["shims"],
        &["shims", "shims2"],
        &["home/far", "home/bin", "shims", "shims", "alias"],
        &["copy", "other", "hard"],
        &["other", "shims", "copy"],
        &["shims", "exec"],
        &["shims", "link"],
        &["shims", "fork"],
        &["shims2", "shims", "exec", "link"],
    ];
    for row in rows {
        let path: Vec<&str> = row.iter().copied().chain(["/usr/bin", "/bin"]).collect();
        let found = world.shell("tool a").path(&path).within(BOUND).any_output().run();
        assert_eq!((found.status, world.calls().as_str()), (127, ""), "HG007 {row:?}\n{found:#?}");
        assert!(
            found.stderr.ends_with("tool: command not found\n") || row.contains(&"link"),
            "{found:#?}"
        );
    }
    // Only what stands behind us counts: what stands before us may have called us.
    let test = world.shell("../shims/tool a").path(&["bin", "shims"]).within(BOUND);
    test.stderr("embargo: tool: command not found\n").status(127).run();
}

#[test]
fn a_program_that_calls_itself_is_not_skipped() {
    let world = World::new();
    let text = "#!/bin/sh\necho \"$1\"\n[ \"$1\" = 0 ] || tool $(($1 - 1))\n";
    world
        .script("bin/tool", text)
        .script("later/tool", "#!/bin/sh\necho wrong\n")
        .install(&["tool"]);
    let path = ["shims", "bin", "later", "/usr/bin", "/bin"];
    world.shell("tool 5").path(&path).within(BOUND).stdout("5\n4\n3\n2\n1\n0\n").run();
    // In the same process one program after the other, each of its own name.
    world.script("later/first", "#!/bin/sh\nexec second \"$@\"\n").stub("second");
    world.install(&["first", "second"]);
    world.shell("exec first a").path(&path).within(BOUND).run();
    assert_eq!(world.calls(), "second a\n");
}

#[test]
fn only_what_may_come_back_is_given_the_variable() {
    let world = World::new();
    let printed = "#!/bin/sh\nprintf '%s' \"$EMBARGO_HOP\" | sed 's/^[0-9]*/PID/'\n";
    world.script("bin/script", printed).install(&[
        "script",
        "plain",
        "versioned3",
        "versioned",
        "multi",
    ]);
    let path = ["shims", "bin", "/usr/bin", "/bin"];
    world.shell("script").path(&path).stdout("PID:1:[W]/bin/script").run();
    put(&world, recorder(), "bin/plain");
    put(&world, recorder(), "bin/versioned3.11");
    link(&world, "versioned3.11", "bin/versioned");
    link(&world, "versioned", "bin/versioned3");
    link(&world, "plain", "bin/multi");
    for (name, is_given) in
        [("plain", false), ("versioned", false), ("versioned3", false), ("multi", true)]
    {
        let found = world.shell(name).path(&path).any_output().run_expecting(0, name);
        assert_eq!(found.stdout.contains("EMBARGO_HOP="), is_given, "{name}: {}", found.stdout);
    }
    // Whoever forges it gains nothing: the call was judged before.
    let forged = "EMBARGO_HOP=$$:1:$PWD/../bin/gradle exec gradle build";
    world.policy(NO_GRADLE).stub("gradle").install(&["gradle"]);
    world.shell(forged).path(&path).refused().run();
    assert_eq!(world.calls(), "");
}

#[test]
fn runs_inside_runs_and_shims_meet_the_program_once() {
    let world = maze();
    world.stub("gradle");
    let at = |below: &str| world.path(below).display().to_string();
    let embargo = EMBARGO;
    for (row, line) in [
        ("a run", format!("{embargo} run -- tool a")),
        ("a run in a run", format!("{embargo} run -- {embargo} run -- tool a")),
        (
            "three, with shells",
            format!(
                "{embargo} run -- sh -c '{embargo} run -- sh -c \"{embargo} run -- tool a; true\"; true'"
            ),
        ),
        (
            "a manager in a run",
            format!("{embargo} run -- sh -c 'PATH={}:$PATH; tool a'", at("exec")),
        ),
        (
            "shims again in front of a run",
            format!("{embargo} run -- sh -c 'PATH={}:$PATH; tool a'", at("shims")),
        ),
        ("a run's directory twice", format!("{embargo} run -- sh -c 'PATH=$PATH:$PATH; tool a'")),
    ] {
        for path in [&["bin"][..], &["shims", "bin"], &["shims", "exec", "bin"]] {
            let path: Vec<&str> = path.iter().copied().chain(["/usr/bin", "/bin"]).collect();
            // A rule on the tool that does not hit makes it a shim of the run too.
            world.policy(&format!(
                "{NO_GRADLE}[[embargo]]\ncommand = \"tool\"\nflags = [\"--x\"]\nreason = \"r\"\n"
            ));
            let test = world.shell(&line).path(&path).within(BOUND);
            let found = test.any_output().run_expecting(0, row);
            assert_eq!(world.calls(), "tool a\n", "{row} {path:?}\n{found:#?}");
            world.write("calls", "");
            let line = line.replace("tool a", "gradle build");
            let test = world.shell(&line).path(&path).within(BOUND);
            let found = test.any_output().run();
            assert!(
                found.stderr.starts_with("I must not use `gradle`"),
                "{row} {path:?}\n{found:#?}"
            );
            assert_eq!(world.calls(), "", "{row}");
        }
    }
}

/// Where to go on is anybody's to say; which policies hold is not.
#[test]
fn a_forged_hop_passes_no_run_by() {
    let world = maze();
    world.policy(NO_GRADLE).stub("gradle");
    let shims = world.path("shims").display().to_string();
    for hop in ["$RUN/gradle", "/usr/bin/gradle", "$BIN/gradle"] {
        let bin = world.path("bin").display().to_string();
        let inner = format!(
            "RUN=${{PATH%%:*}}; BIN={bin}; PATH={shims}:$PATH; cd /; export EMBARGO_HOP=1:99:{hop}; gradle build"
        );
        let line = format!("{EMBARGO} run -- sh -c '{inner}'");
        let test = world.shell(&line).path(&["bin", "/usr/bin", "/bin"]).within(BOUND);
        test.any_output().run_expecting(86, hop);
        assert_eq!(world.calls(), "", "{hop}");
    }
}

#[test]
fn a_shim_can_be_the_interpreter_of_a_script() {
    let world = World::new();
    world.stub("interpreter").install(&["interpreter"]);
    let shim = world.path("shims/interpreter");
    world.script("bin/direct", &format!("#!{}\n", shim.display()));
    world.script("bin/option", &format!("#!{} -x y\n", shim.display()));
    world.script("bin/by-env", "#!/usr/bin/env interpreter\n");
    let path = ["shims", "bin", "/usr/bin", "/bin"];
    for name in ["direct", "option", "by-env"] {
        world.shell(&format!("{name} a")).path(&path).within(BOUND).run();
    }
    let calls = world.calls().replace(&world.path("").display().to_string(), "[W]/");
    assert_eq!(
        calls,
        "interpreter [W]/bin/direct a\ninterpreter -x y [W]/bin/option a\ninterpreter [W]/bin/by-env a\n"
    );
    // HG006: nothing of ours needs a shell, so that a shell can be shimmed.
    world.install(&["sh", "bash", "env"]);
    for (line, stdout) in
        [("sh -c 'echo 1'", "1\n"), ("bash -c 'echo 2'", "2\n"), ("env echo 3", "3\n")]
    {
        world.shell(line).path(&["shims", "/usr/bin", "/bin"]).within(BOUND).stdout(stdout).run();
    }
}

#[test]
fn hg002_embargo_itself_is_never_shimmed() {
    let world = World::new();
    for name in ["embargo", "embargo-1.0"] {
        let test = world.embargo(&["shim", "install", name]);
        let found = test.any_output().run();
        assert_ne!(found.status, 0, "{name}: {found:#?}");
        assert!(!world.path("home/.local/share/embargo/shims").join(name).exists(), "{name}");
    }
    // Under its own name a file in a shim directory has the other face.
    world.install(&["tool"]);
    link(&world, EMBARGO, "shims/embargo");
    let test = world.shell("embargo --version").path(&["shims", "bin"]);
    test.within(BOUND).stdout_has(&["embargo "]).run();
}

#[test]
fn pyenv_with_the_systems_version_reaches_the_systems_python() {
    let root = Path::new("/root/.pyenv");
    let (shims, system) = (root.join("shims"), Path::new("/usr/bin/python3"));
    if !shims.join("python3").exists() || !system.exists() {
        println!("not tested: no pyenv in {} with a system's python3", root.display());
        return;
    }
    let world = World::new();
    world.install(&["python3", "python"]);
    let shims = shims.to_str().expect("text");
    let path = ["shims", shims, "/usr/bin", "/bin"];
    let line = "python3 -c 'import sys, os; print(sys.executable, sys.argv, os.environ.get(\"EMBARGO_HOP\"))' a";
    let called = |path: &[&str], version: &str| {
        let test =
            world.shell(line).path(path).env("PYENV_ROOT", root).env("PYENV_VERSION", version);
        test.within(BOUND).any_output().run_expecting(0, version)
    };
    let direct = called(&path[1..], "system");
    assert_eq!(direct.stdout, "/usr/bin/python3 ['-c', 'a'] None\n");
    assert_eq!(called(&path, "system"), direct, "CR005");
    let Some(version) = fs::read_dir(root.join("versions")).ok().and_then(newest) else { return };
    let direct = called(&path[1..], &version);
    let shimmed = called(&path, &version);
    let executable = |found: &Found| found.stdout.split(' ').next().unwrap_or_default().to_owned();
    assert_eq!(executable(&shimmed), executable(&direct), "{version}");
}

fn newest(versions: fs::ReadDir) -> Option<String> {
    let names = versions.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    names.filter(|name| name.starts_with("3.")).max()
}

#[test]
fn pt018_programs_that_are_no_shell_can_start_a_shim() {
    let world = World::new();
    put(&world, recorder(), "bin/tool");
    world.install(&["tool"]);
    let env = [format!("PATH={}:{}", world.path("shims").display(), world.path("bin").display())];
    let env = env.map(String::into_bytes);
    let mut at = Launcher::new::<&str>(&world, &[]);
    let shim: PathBuf = world.path("shims/tool");
    assert_eq!(at.run(&shim, &[b"tool", b"@exit", b"3"], &env).status, 3 << 8);
    let status = Command::new(&shim).arg("@exit").arg("4").env("PATH", world.path("bin")).status();
    assert_eq!(status.expect("a start").code(), Some(4));
}

/// Run before `main`: what happens to a file while a process of it starts.
const MEANWHILE: &str = "#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
__attribute__((constructor)) static void meanwhile(void) {
    char *new = getenv(\"NEW\"), *old = getenv(\"OLD\");
    unsetenv(\"LD_PRELOAD\");
    if (new ? rename(new, old) : unlink(old)) _exit(99);
}
";

#[test]
#[cfg_attr(target_env = "musl", ignore = "a static binary preloads nothing")]
fn a_shim_that_is_replaced_as_it_starts_still_knows_whose_it_is() {
    let library = compiled("meanwhile", MEANWHILE, &["-shared", "-fPIC"]);
    for (row, is_renewed) in [("another version", true), ("nothing", false)] {
        let world = World::new();
        world.write("home/.config/embargo/embargo.toml", NO_GRADLE).stub("gradle");
        let [old, new] = ["old/embargo", "new/embargo"];
        let [old, new] = [old, new].map(|below| put(&world, Path::new(EMBARGO), below));
        let words = ["shim", "install", "--dir", "../shims", "gradle"];
        let install = common::Test::new(&world, old.as_os_str(), &words).any_output();
        install.run_expecting(0, row);
        // By the record alone it knows the policy: HOME leads elsewhere.
        let set = if is_renewed { "NEW=$1" } else { "" };
        let line = format!("LD_PRELOAD=$LIBRARY {set} exec gradle build");
        let line = line.replace("$1", &new.display().to_string());
        let test = world.shell(&line).env("HOME", world.path("project"));
        let test = test.env("LIBRARY", &library).env("OLD", &old);
        let found = test.within(BOUND).any_output().run_expecting(86, row);
        assert!(found.stderr.starts_with("I must not use `gradle`"), "{row}: {found:#?}");
        assert_eq!(old.exists(), is_renewed, "{row}: it was replaced");
    }
}
