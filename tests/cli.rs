//! The verbs of the command line, run as a user runs them.

mod common;

use common::{EMBARGO, NO_GRADLE, REFUSED, World};

/// A world with the rule on gradle, and stubs of gradle and npm.
fn world() -> World {
    let world = World::new();
    world.policy(NO_GRADLE).stub("gradle").stub("npm");
    world
}

#[test]
fn help_and_version_are_answers_and_everything_else_is_a_usage_error() {
    let world = World::new();
    world
        .embargo(&["--version"])
        .stdout(concat!("embargo ", env!("CARGO_PKG_VERSION"), "\n"))
        .run();
    for verb in ["run", "check", "explain", "test", "lint", "shim", "env", "doctor", "log", "last"]
    {
        world.embargo(&[verb, "--help"]).stdout_has(&["Example", "Usage: embargo "]).run();
    }
    for act in ["install", "uninstall", "list", "sync"] {
        world.embargo(&["shim", act, "--help"]).stdout_has(&["Example:\n"]).run();
    }
    world.embargo(&[""; 0]).stderr_has(&["Usage: embargo <COMMAND>"]).status(2).run();
    world.embargo(&["frob"]).stderr_has(&["unrecognized subcommand 'frob'"]).status(2).run();
    world.embargo(&["run"]).stderr_has(&["<CMD>"]).status(2).run();
    world.embargo(&["log", "--limit", "x"]).stderr_has(&["invalid value 'x'"]).status(2).run();
}

// ---- run

#[test]
fn run_refuses_its_own_command() {
    let world = world();
    world.embargo(&["run", "--", "gradle", "build"]).refused().run();
    world.embargo(&["run", "gradle", "build"]).stderr_has(&["exit 86"]).status(86).run();
    assert_eq!(world.calls(), "");
}

#[test]
fn run_becomes_the_command_with_shims_first_on_path() {
    let world = world();
    let list = "for f in \"${PATH%%:*}\"/*; do echo \"${f##*/}\"; done; echo \"$PATH\"";
    world
        .embargo(&["run", "--", "/bin/sh", "-c", list])
        .stdout(
            "approve_release\nexecute_command\ngradle\nissue_approval\nrun_shell\n\
             [W]/home/.local/share/embargo/runs/RUN:[W]/bin\n",
        )
        .run();
}

#[test]
fn what_a_run_starts_is_refused_and_let_through_by_the_shims() {
    let world = world();
    world.script("project/build", "#!/bin/sh\nnpm install\ngradle build\n");
    world.embargo(&["run", "--", "./build"]).refused().run();
    assert_eq!(world.calls(), "npm install\n");
}

#[test]
fn a_run_keeps_its_policies_wherever_it_goes() {
    let world = world();
    for moved in
        ["cd /", "HOME=/tmp", "XDG_CONFIG_HOME=/tmp XDG_STATE_HOME=/tmp", "unset EMBARGO_POLICY"]
    {
        let text = format!("{moved}\nexport HOME XDG_CONFIG_HOME XDG_STATE_HOME; gradle build");
        world.script("project/go", &format!("#!/bin/sh\n{text}\n"));
        world.embargo(&["run", "./go"]).stderr_has(&["rule `no-gradle`"]).status(86).run();
    }
    world.write("named.toml", NO_GRADLE.replace("gradle", "npm"));
    world.script("project/go", "#!/bin/sh\nunset EMBARGO_POLICY; cd /; npm install\n");
    for named in ["../named.toml", "./../named.toml"] {
        world
            .embargo(&["run", "--policy", named, "./go"])
            .stderr_has(&["rule `no-npm` ([W]/named.toml:1)"])
            .status(86)
            .run();
    }
    world
        .embargo(&["run", "./go"])
        .env("EMBARGO_POLICY", world.path("named.toml"))
        .stderr_has(&["rule `no-npm`"])
        .status(86)
        .run();
    assert_eq!(world.calls(), "");
}

#[test]
fn a_nested_run_adds_policies_and_loses_none() {
    let world = world();
    world.write("named.toml", NO_GRADLE.replace("gradle", "npm"));
    world.write("elsewhere/README", "");
    let inner = format!("cd ../elsewhere; {EMBARGO} run --policy ../named.toml ./go");
    world.script("project/outer", &format!("#!/bin/sh\n{inner}\n"));
    for (call, rule) in [("gradle build", "no-gradle"), ("npm install", "no-npm")] {
        world.script("elsewhere/go", &format!("#!/bin/sh\n{call}\n"));
        world
            .embargo(&["run", "./outer"])
            .stderr_has(&[&format!("rule `{rule}`")])
            .status(86)
            .run();
    }
    // The inner directory stands before the outer one, and the session is the outer one's.
    world.script("elsewhere/go", "#!/bin/sh\necho \"$PATH\"; cat=${PATH#*runs/}; echo ${cat%%:*}; while read -r l; do echo \"$l\"; done < \"${PATH%%:*}/.embargo-home\"\n");
    let found = world.embargo(&["run", "./outer"]).any_output().run();
    let runs = "[W]/home/.local/share/embargo/runs/RUN";
    assert!(found.stdout.starts_with(&format!("{runs}:{runs}:[W]/bin\n")), "{found:?}");
    assert!(found.stdout.contains("start [W]/project\n"), "{found:?}");
    assert!(found.stdout.contains("policy [W]/named.toml\n"), "{found:?}");
}

/// A start-up file that puts the stable shims before those of a run hides nothing of it.
#[test]
fn the_stable_shim_leads_to_the_shim_of_the_run() {
    let world = world();
    world.write("elsewhere/README", "").install(&["npm"]);
    world.write("named.toml", NO_GRADLE.replace("gradle", "npm"));
    let text = "cd ../elsewhere; PATH=../shims:$PATH:../shims:$PATH; npm install";
    world.script("project/go", &format!("#!/bin/sh\n{text}\n"));
    let named = ["run", "--policy", "../named.toml", "./go"];
    world.embargo(&named).stderr_has(&["rule `no-npm`"]).status(86).run();
    assert_eq!(world.calls(), "");
    world.embargo(&["run", "./go"]).run();
    assert_eq!(world.calls(), "npm install\n");
}

#[test]
fn without_any_policy_run_says_so_and_runs() {
    let world = World::new();
    world.stub("npm");
    world
        .embargo(&["run", "npm", "install"])
        .stderr("embargo: no rule is in force (no embargo.toml found); `npm` is guarded by seals alone\n")
        .run();
    assert_eq!(world.calls(), "npm install\n");
    // What is sealed is guarded without any rule.
    world.write("project/dist", "x").stub("rm");
    world.embargo(&["seal", "dist"]).any_output().run_expecting(0, "sealed");
    world.script("project/go", "#!/bin/sh\nrm dist\n");
    let run = world.embargo(&["run", "./go"]).path(&["bin", "/usr/bin", "/bin"]);
    run.stderr_has(&["no rule is in force", "I must not use `rm` here"]).status(86).run();
    assert_eq!(world.calls(), "npm install\n");
}

#[test]
fn a_broken_policy_runs_nothing() {
    let world = world();
    world.write("home/.config/embargo/embargo.toml", "[[embargo]]\ncommand = 1\n");
    let broken = "embargo cannot trust its policy, so `npm` was not run:\n  [W]/home/.config/embargo/embargo.toml:";
    world.embargo(&["run", "npm"]).stderr_has(&[broken, "exit 88"]).status(88).run();
    world.write("home/.config/embargo/embargo.toml", "");
    world.policy("[[embargo]]\ncommand = \"gradle\"\n");
    world.embargo(&["run", "npm"]).stderr_has(&["embargo.toml:1:1:", "exit 88"]).status(88).run();
    // What is said is one thing: npm was not run.
    world.policy("[[embargo");
    let found = world.embargo(&["run", "npm"]).any_output().run_expecting(88, "run");
    assert!(found.stderr.starts_with("embargo cannot trust its policy, so `npm`"), "{found:?}");
    assert_eq!(found.stderr.matches("this is no TOML").count(), 1, "{found:?}");
    world.policy("");
    world
        .embargo(&["run", "--policy", "absent.toml", "npm"])
        .stderr_has(&["[W]/project/absent.toml cannot be read", "exit 88"])
        .status(88)
        .run();
    assert_eq!(world.calls(), "");
}

#[test]
fn run_says_as_shells_do_that_there_is_no_such_command() {
    let world = world();
    world.write("bin/data", "");
    world.write("project/data", "");
    let rows = [
        ("absent", 127, "embargo: absent: command not found\n"),
        (
            "absent x | head",
            127,
            "embargo: absent x | head: command not found\n  `run` takes a command's words, not a line: `embargo run -- sh -c 'absent x | head'`\n",
        ),
        ("data", 126, "embargo: data: Permission denied\n"),
        ("./absent", 127, "embargo: ./absent: No such file or directory\n"),
        ("./data", 126, "embargo: ./data: Permission denied\n"),
    ];
    for (command, status, text) in rows {
        world.embargo(&["run", command]).stderr(text).status(status).run();
    }
    // Nothing is left of a run that never was.
    let left = std::fs::read_dir(world.path("home/.local/share/embargo/runs"));
    assert_eq!(left.map(Iterator::count).unwrap_or_default(), 0);
}

#[test]
fn directories_of_ended_runs_are_removed() {
    let world = world();
    for _ in 0..3 {
        world.embargo(&["run", "npm"]).run();
    }
    let runs = std::fs::read_dir(world.path("home/.local/share/embargo/runs")).expect("runs");
    assert_eq!(runs.count(), 1);
}

/// Which of another container's runs have ended nobody here can tell: they share a home.
#[test]
fn runs_of_another_pid_namespace_are_left_alone() {
    let world = world();
    let runs = "home/.local/share/embargo/runs";
    world.embargo(&["run", "npm"]).run();
    let made = std::fs::read_dir(world.path(runs)).expect("runs").next().expect("one");
    let mark = made.expect("an entry").path().join(".embargo-run");
    let here = std::fs::read_to_string(mark).expect("a mark");
    for (name, namespace) in [("1-1", "pid:[1]"), ("2-1", &*here)] {
        world.write(&format!("{runs}/{name}/.embargo-run"), namespace);
    }
    world.embargo(&["run", "npm"]).run();
    assert!(world.path(format!("{runs}/1-1")).exists());
    assert!(!world.path(format!("{runs}/2-1")).exists() || here.is_empty());
}

/// Each project that a run was started in goes along, and embargo can be run by itself.
#[test]
fn a_run_inside_a_run_keeps_both_projects() {
    let world = world();
    world.policy(NO_GRADLE).write("other/embargo.toml", NO_GRADLE.replace("gradle", "npm"));
    std::os::unix::fs::symlink(EMBARGO, world.path("bin/embargo")).expect("a link");
    world.write("none/README", "");
    let none = world.path("none").display().to_string();
    for (program, args) in [("gradle", "x"), ("npm", "y")] {
        let last = format!("cd '{none}' && {program} {args}");
        let other = world.path("other").display().to_string();
        let inner = format!("cd '{other}' && embargo run -- sh -c \"{last}\"");
        let outer = world.embargo(&["run", "--", "sh", "-c", &inner]);
        outer.path(&["bin", "/usr/bin", "/bin"]).any_output().run_expecting(86, program);
    }
    let twice = world.embargo(&["run", "--", "embargo", "run", "--", "gradle", "b"]);
    twice.any_output().run_expecting(86, "embargo run embargo run");
    assert_eq!(world.calls(), "");
}

/// `python -m pip` never calls pip, so pip's rule wants a shim of python.
#[test]
fn a_module_is_met_as_the_program_it_is() {
    let world = world();
    world.stub("python3").policy(&NO_GRADLE.replace("gradle", "pip"));
    world.embargo(&["shim", "sync", "--dir", "../shims"]).any_output().run_expecting(0, "sync");
    world.shim("python3", &["-m", "pip", "install", "x"]).any_output().run_expecting(86, "pip");
    world.shim("python3", &["x.py"]).run();
    assert_eq!(world.calls(), "python3 x.py\n");
}

#[test]
fn the_directory_of_a_run_stays_while_anything_has_it_on_path() {
    let world = world();
    // As a terminal multiplexer does: the command ends, what it started goes on.
    world.script("project/go", "#!/bin/sh\n/bin/sleep 60 </dev/null >/dev/null 2>&1 &\necho $!\n");
    let found = world.embargo(&["run", "./go"]).any_output().run();
    world.embargo(&["run", "npm"]).run();
    let count = || {
        let runs = std::fs::read_dir(world.path("home/.local/share/embargo/runs"));
        runs.expect("runs").count()
    };
    let while_it_runs = count();
    let pid = found.stdout.trim();
    let ended = std::process::Command::new("/bin/kill").arg(pid).status().expect("kill");
    assert!(ended.success());
    assert_eq!(while_it_runs, 2);
}

#[test]
fn a_run_brings_its_own_state_where_the_user_s_cannot_be() {
    let world = world();
    world.write("home/.local/state/embargo", "").script("project/go", "#!/bin/sh\ngradle build\n");
    world.embargo(&["run", "./go"]).refused().run();
}

#[test]
fn a_run_is_guarded_where_the_data_directory_cannot_be() {
    let world = world();
    // A file where the directory would be: root may write anything else.
    world.write("home/.local/share/embargo", "").write("tmp/README", "");
    world.script("project/go", "#!/bin/sh\necho \"${PATH%%/embargo-run-*}\"; gradle build\n");
    let tmp = world.path("tmp");
    world.embargo(&["run", "./go"]).env("TMPDIR", &tmp).stdout("[W]/tmp\n").refused().run();
    world
        .embargo(&["run", "npm"])
        .env("TMPDIR", world.path("home/.local/share/embargo"))
        .stderr_has(&["embargo cannot make its shims, so `npm` was not run", "exit 88"])
        .status(88)
        .run();
    assert_eq!(world.calls(), "");
}

/// An installer's link leads to the next version when the one before has gone.
#[test]
fn the_shims_of_a_run_outlive_an_upgrade() {
    let world = world();
    for version in ["1", "2"] {
        world.write(&format!("cellar/{version}/README"), "");
        std::fs::copy(EMBARGO, world.path(format!("cellar/{version}/embargo"))).expect("a copy");
    }
    std::os::unix::fs::symlink("../cellar/1/embargo", world.path("bin/embargo")).expect("a link");
    let [one, two] = ["1", "2"].map(|v| world.path(format!("cellar/{v}")).display().to_string());
    let link = world.path("bin/embargo").display().to_string();
    let upgrade = format!("gradle a; ln -sfn {two}/embargo {link}; rm -r {one}; gradle b; true\n");
    world.script("project/upgrade", &("#!/bin/sh\n".to_owned() + &upgrade));
    let run = common::Test::new(&world, "embargo".as_ref(), &["run", "--", "./upgrade"]);
    let found = run.path(&["bin", "/usr/bin", "/bin"]).any_output().run();
    assert_eq!(found.stderr.matches("[embargo refused").count(), 2, "{found:?}");
    assert_eq!(world.calls(), "");
}

/// What `env` runs need meet no shim: it may be given another PATH.
#[test]
fn a_broken_policy_is_met_through_a_wrapper_too() {
    let broken = "[[embargo]]\ncommand = \"gradle\nreason = \"x\"\n";
    let world = World::new();
    world.stub("gradle").stub("npm").install(&["env"]).policy(broken);
    let bin = format!("PATH={}", world.path("bin").display());
    for argv in [&["gradle", "b"][..], &[&bin, "gradle", "b"], &["-i", &bin, "gradle", "b"]] {
        world.shim("env", argv).stderr_has(&["exit 88"]).status(88).run();
    }
    let path = ["shims", "bin", "/usr/bin", "/bin"];
    world.shim("env", &["npm", "b"]).path(&path).any_output().run();
    assert_eq!(world.calls(), "npm b\n");
}

/// A check of what cannot be read, or not whole, is no pass.
#[test]
fn what_cannot_be_read_is_not_judged() {
    let world = world();
    let long = " ".repeat(4 << 20) + "gradle b";
    let check = || world.embargo(&["check", "-"]);
    check().stdin(long).stderr_has(&["more than 4 MiB"]).status(1).run();
    let directory = format!("{EMBARGO} check - < .");
    world.shell(&directory).stderr_has(&["standard input cannot be judged"]).status(1).run();
    check().stdin("gradle b\n").any_output().run_expecting(86, "whole");
    check().stdin("gra\0dle b\n").any_output().run_expecting(86, "bash leaves NULs out");
}

// ---- shim

#[test]
fn install_makes_shims_that_judge() {
    let world = world();
    let next = "[W]/shims is not first on PATH yet. For this shell, and in its start-up file:\n";
    world
        .embargo(&["shim", "install", "--dir", "../shims", "gradle", "npm"])
        .stdout_has(&["gradle: shim made\nnpm: shim made\n", next, "  eval \"$(embargo env --dir "])
        .run();
    world.shim("gradle", &["build"]).refused().run();
    world.shim("npm", &["install"]).run();
    assert_eq!(world.calls(), "npm install\n");
}

#[test]
fn install_twice_changes_nothing() {
    let world = world();
    world.install(&["gradle"]);
    let record = world.read("shims/.embargo-home");
    world
        .embargo(&["shim", "install", "--dir", "../shims", "gradle"])
        .path(&["shims", "bin"])
        .stdout("gradle: shim was there\n")
        .run();
    assert_eq!(world.read("shims/.embargo-home"), record);
    let files = std::fs::read_dir(world.path("shims")).expect("shims");
    assert_eq!(files.count(), 3);
}

#[test]
fn the_record_keeps_its_places_and_gains_policies() {
    let world = world();
    world.install(&["gradle"]).write("named.toml", "");
    world
        .embargo(&["shim", "install", "--dir", "../shims", "--policy", "../named.toml", "npm"])
        .any_output()
        .run();
    assert!(world.read("shims/.embargo-home").contains("/named.toml\n"));
    let record = world.read("shims/.embargo-home");
    for variable in ["HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME"] {
        world
            .embargo(&["shim", "install", "--dir", "../shims", "npm"])
            .env(variable, "/tmp/elsewhere")
            .stderr_has(&["[W]/shims/.embargo-home says [W]/home/", "embargo shim uninstall --all"])
            .status(1)
            .run();
    }
    assert_eq!(world.read("shims/.embargo-home"), record);
}

#[test]
fn names_that_no_shim_may_have() {
    let world = world();
    for name in ["", "./gradle", "a/b", ".", "..", ".hidden", "embargo", "embargo-1"] {
        world
            .embargo(&["shim", "install", "--dir", "../shims", "--", name])
            .stderr(format!(
                "embargo: `{name}` is no name for a shim\n  give the name of a program, without a path: gradle\n"
            ))
            .status(1)
            .run();
    }
    assert!(!world.path("shims").exists());
}

#[test]
fn somebody_elses_file_stays() {
    let world = world();
    world.write("shims/gradle", "mine");
    std::os::unix::fs::symlink("/bin/true", world.path("shims/npm")).expect("a link");
    for name in ["gradle", "npm"] {
        let text = format!("[W]/shims/{name} is there, and is no shim of ours");
        for act in ["install", "uninstall"] {
            let words = ["shim", act, "--dir", "../shims", name];
            world.embargo(&words).stderr_has(&[&text]).status(1).run();
        }
    }
    world.embargo(&["shim", "uninstall", "--dir", "../shims", "--all"]).run();
    assert_eq!(world.read("shims/gradle"), "mine");
}

#[test]
fn a_link_to_another_embargo_is_renewed() {
    let world = world();
    std::fs::copy(EMBARGO, world.path("bin/embargo-old")).expect("a copy");
    world.write("shims/README", "");
    std::os::unix::fs::symlink(world.path("bin/embargo-old"), world.path("shims/gradle"))
        .expect("a link");
    std::os::unix::fs::symlink("/gone/embargo", world.path("shims/npm")).expect("a link");
    world
        .embargo(&["shim", "install", "--dir", "../shims", "gradle", "npm"])
        .path(&["shims", "bin"])
        .stdout(
            "gradle: shim renewed, it led to another embargo\nnpm: shim mended, it led nowhere\n",
        )
        .run();
    world.shim("gradle", &["build"]).refused().run();
}

#[test]
fn forty_installs_at_once_all_succeed() {
    let world = world();
    std::thread::scope(|scope| {
        for i in 0..40 {
            let world = &world;
            scope.spawn(move || world.install(&["gradle", "npm", &format!("tool{i}")]));
        }
    });
    let files = std::fs::read_dir(world.path("shims")).expect("shims");
    assert_eq!(files.count(), 44);
    assert_eq!(world.read("shims/.embargo-shims").matches("\tinstalled\n").count(), 42);
    world.shim("gradle", &["build"]).refused().run();
}

#[test]
fn list_shows_what_each_shim_becomes() {
    let world = world();
    world.install(&["npm", "gradle", "absent"]);
    let list = world.embargo(&["shim", "list", "--dir", "../shims"]).path(&["shims", "bin"]);
    list.stdout("[W]/shims\nabsent  no program\ngradle  [W]/bin/gradle\nnpm     [W]/bin/npm\n")
        .run();
    world
        .embargo(&["shim", "list", "--json", "--dir", "../shims"])
        .path(&["shims", "bin"])
        .stdout(
            "[{\"broken\":null,\"dir\":\"[W]/shims\",\"name\":\"absent\",\"resolves_to\":null},\
             {\"broken\":null,\"dir\":\"[W]/shims\",\"name\":\"gradle\",\"resolves_to\":\"[W]/bin/gradle\"},\
             {\"broken\":null,\"dir\":\"[W]/shims\",\"name\":\"npm\",\"resolves_to\":\"[W]/bin/npm\"}]\n",
        )
        .run();
    world
        .embargo(&["shim", "list"])
        .stdout("no shims in [W]/home/.local/share/embargo/shims\n")
        .run();
}

#[test]
fn uninstall_takes_away_what_it_is_told_to() {
    let world = world();
    world.install(&["gradle", "npm", "git"]);
    let uninstall = |words: &[&str]| {
        world.embargo(&[&["shim", "uninstall", "--dir", "../shims"], words].concat())
    };
    uninstall(&["gradle"]).stdout("gradle: shim removed\n").run();
    uninstall(&["gradle"]).stdout("gradle: there was no shim\n").status(1).run();
    uninstall(&["--all"]).stdout("git: shim removed\nnpm: shim removed\n").run();
    assert!(!world.path("shims").exists());
    uninstall(&[])
        .stderr_has(&["Usage: embargo shim uninstall [--dir DIR] NAME..."])
        .status(2)
        .run();
}

#[test]
fn sync_follows_the_policies_in_force() {
    let world = world();
    let sync =
        || world.embargo(&["shim", "sync"]).path(&["home/.local/share/embargo/shims", "bin"]);
    let reserved = "approve_release: shim made\nexecute_command: shim made\n";
    let rest = "issue_approval: shim made\nrun_shell: shim made\n";
    let shims = "in [W]/home/.local/share/embargo/shims";
    let hint = |name| format!("a shell that has run `{name}` before may remember it: `hash -r`\n");
    let made = format!("{reserved}gradle: shim made\n{rest}5 shims {shims}, 5 changed\n");
    sync().stdout(made + &hint("gradle")).run();
    sync().stdout(format!("5 shims {shims}, nothing changed\n")).run();
    world.policy(&NO_GRADLE.replace("\"gradle\"", "[\"npm test\", \"docker run\", \"gone\"]"));
    sync()
        .stdout(format!(
            "gradle: shim removed\ngone: shim made\nnpm: shim made\n6 shims {shims}, 3 changed\n{}",
            hint("npm")
        ))
        .run();
    // What was right last stays in force; without it there is nothing to go by.
    world.policy("[[embargo]]\n");
    let broken = sync().stdout(format!("6 shims {shims}, nothing changed\n"));
    broken
        .stderr_has(&["embargo: embargo.toml:1:1:", "the last version that was right stays"])
        .run();
    world.write("project/below/embargo.toml", "[[embargo]]\n");
    sync().cwd("project/below").stderr_has(&["embargo cannot trust its policy"]).status(88).run();
    world
        .shell(&format!("{EMBARGO} shim list"))
        .stdout_has(&["npm"])
        .stderr(
            "embargo: note: [W]/home/.local/share/embargo/shims is not first on PATH here: eval \"$(embargo env)\"\n",
        )
        .run();
}

/// Gradle, npm or git, if they are shims.
fn shimmed(world: &World) -> Vec<&'static str> {
    let is_shim = |name: &&str| world.path("shims").join(name).is_symlink();
    ["git", "gradle", "npm"].into_iter().filter(is_shim).collect()
}

#[test]
fn a_sync_takes_nothing_from_others() {
    let world = world();
    let sync = |at: &str| {
        let path = world.path("shims");
        let words = ["shim".as_ref(), "sync".as_ref(), "--dir".as_ref(), path.as_os_str()];
        world.embargo(&words).cwd(at).any_output().run_expecting(0, at)
    };
    let on = |name: &str| NO_GRADLE.replace("gradle", name);
    world.install(&["git"]);
    world.write("other/embargo.toml", on("npm")).write("other/below/README", "");
    world.write("none/README", "");
    sync("project");
    sync("other/below");
    assert_eq!(shimmed(&world), ["git", "gradle", "npm"]);
    let marks = world.read("shims/.embargo-shims");
    assert!(marks.starts_with("embargo shims 1\n"), "{marks}");
    for line in ["git\tinstalled", "gradle\t[W]/project", "npm\t[W]/other"] {
        let line = line.replace("[W]/", &world.path("").display().to_string());
        assert!(marks.contains(&format!("\n{line}\n")), "{line}: {marks}");
    }

    // Without a policy there is nothing to go by.
    let found = sync("none");
    assert_eq!((&*found.stdout, shimmed(&world).len()), ("", 3));
    assert!(found.stderr.contains("so no shim in [W]/shims was made or removed"), "{found:?}");

    // A rule goes, and with it the shim, once nobody else wants it.
    world.policy(&on("npm"));
    sync("project");
    assert_eq!(shimmed(&world), ["git", "npm"]);
    world.policy("");
    sync("project");
    assert_eq!(shimmed(&world), ["git", "npm"]);
    world.write("other/embargo.toml", "");
    sync("other");
    assert_eq!(shimmed(&world), ["git"]);

    // What the user's own policy wants stays until it goes from there, whoever syncs.
    world.write("home/.config/embargo/embargo.toml", NO_GRADLE);
    sync("none");
    world.policy(&on("npm"));
    sync("project");
    assert_eq!(shimmed(&world), ["git", "gradle", "npm"]);
    world.write("home/.config/embargo/embargo.toml", "");
    sync("none");
    assert_eq!(shimmed(&world), ["git", "npm"]);

    // A project that is gone wants nothing any more.
    std::fs::remove_dir_all(world.path("project")).expect("removed");
    world.write("project/embargo.toml", "");
    std::fs::remove_file(world.path("project/embargo.toml")).expect("removed");
    world.write("other/embargo.toml", on("gradle"));
    sync("other");
    assert_eq!(shimmed(&world), ["git", "gradle"]);

    world.embargo(&["shim", "uninstall", "--dir", "../shims", "npm", "git"]).any_output().run();
    assert!(!world.read("shims/.embargo-shims").contains("git\t"));
    world.embargo(&["shim", "uninstall", "--dir", "../shims", "--all"]).any_output().run();
    assert!(!world.path("shims").exists());
}

#[test]
fn shims_that_nothing_is_known_of_were_installed() {
    let world = world();
    let shims = world.path("shims");
    for list in [None, Some("embargo shims 2\nnpm\tnobody\n"), Some("embargo shims 1\nnpm\tx\n")] {
        world.install(&["npm"]);
        std::fs::remove_file(shims.join(".embargo-shims")).expect("a list");
        if let Some(text) = list {
            world.write("shims/.embargo-shims", text);
        }
        let sync = world.embargo(&["shim", "sync", "--dir", "../shims"]).any_output();
        sync.run_expecting(0, "sync");
        assert_eq!(shimmed(&world), ["gradle", "npm"], "{list:?}");
        assert!(world.read("shims/.embargo-shims").contains("npm\tinstalled\n"));
    }
}

#[test]
fn syncs_and_installs_at_once_lose_no_mark() {
    let world = world();
    for i in 0..8 {
        world.write(&format!("p{i}/embargo.toml"), NO_GRADLE);
    }
    let shims = world.path("shims");
    std::thread::scope(|scope| {
        for i in 0..8 {
            let (world, shims) = (&world, shims.as_os_str());
            let words = ["shim".as_ref(), "sync".as_ref(), "--dir".as_ref(), shims];
            let at = format!("p{i}");
            scope.spawn(move || world.embargo(&words).cwd(&at).any_output().run_expecting(0, &at));
            scope.spawn(move || world.install(&[&format!("tool{i}")]));
        }
    });
    let marks = world.read("shims/.embargo-shims");
    assert_eq!(marks.matches("\tinstalled\n").count(), 8, "{marks}");
    assert_eq!(marks.lines().filter(|line| line.starts_with("gradle\t/")).count(), 8, "{marks}");
}

#[test]
fn a_shim_stands_for_a_program_and_not_for_a_command() {
    let world = world();
    world
        .embargo(&["shim", "install", "--dir", "../shims", "npm", "git push"])
        .stderr_has(&[
            "a shim stands for a program; for `git push` install `git`\n",
            "Usage: embargo shim install",
        ])
        .status(2)
        .run();
    assert!(!world.path("shims").exists());
}

#[test]
fn a_verb_of_other_tools_leads_to_ours() {
    let world = world();
    for (verb, ours) in [
        ("install", "shim install"),
        ("list", "shim list"),
        ("status", "shim list"),
        ("version", "--version"),
        ("why", "explain 'LINE'"),
        ("policy", "brief"),
        ("rm", "shim uninstall NAME"),
    ] {
        world
            .embargo(&[verb, "gradle"])
            .stderr_has(&["  tip: ", &format!("`embargo {ours}`")])
            .status(2)
            .run();
    }
}

// ---- env

#[test]
fn env_puts_the_shims_first_once_in_every_shell() {
    let world = world();
    let odd = "it's $(odd) [dir] \\ \"quoted\" *";
    world.write(&format!("{odd}/README"), "").write("run/.embargo-run", "");
    // zsh and fish are not on every machine; the text for zsh is that for sh.
    let shells = [
        ("/bin/sh", "sh"),
        ("/bin/bash", "bash"),
        ("/usr/bin/zsh", "zsh"),
        ("/usr/bin/fish", "fish"),
    ];
    let there = shells.iter().filter(|(program, _)| std::path::Path::new(program).exists());
    let paths: [(&[&str], &[&str]); 5] = [
        (&["bin", "/opt/x"], &[odd, "bin", "/opt/x"]),
        (&["bin", odd, "/opt/x"], &[odd, "bin", "/opt/x"]),
        (&[odd, odd, "bin", odd], &[odd, "bin"]),
        (&[odd], &[odd]),
        // A run inside which the start-up file is read again.
        (&["run", odd, "bin"], &["run", odd, "bin"]),
    ];
    for (program, shell) in there {
        let once = match *shell {
            "fish" => format!("'{EMBARGO}' env --shell fish --dir $D | source\n"),
            _ => format!("eval \"$('{EMBARGO}' env --shell {shell} --dir \"$D\")\"\n"),
        };

        let options = if *shell == "fish" { "-c" } else { "-euc" };
        let text = format!("{once}{once}echo \"$PATH\"");
        for (before, after) in paths {
            let after = after.iter().map(|d| {
                d.strip_prefix('/').map_or_else(|| format!("[W]/{d}"), |_| (*d).to_owned())
            });
            common::Test::new(&world, program.as_ref(), &[options, &text])
                .path(before)
                .env("D", world.path(odd))
                .stdout(after.collect::<Vec<_>>().join(":") + "\n")
                .run();
        }
    }
}

#[test]
fn env_takes_the_shell_from_its_variable() {
    let world = world();
    let posix = world.embargo(&["env", "--shell", "sh"]).any_output().run().stdout;
    let fish = world.embargo(&["env", "--shell", "fish"]).any_output().run().stdout;
    assert!(posix.starts_with("_embargo_dir='[W]/home/.local/share/embargo/shims'\n"), "{posix}");
    assert!(
        fish.ends_with("set -gx PATH $_embargo_front $_embargo_dir $_embargo_rest\n"),
        "{fish}"
    );
    for (shell, text) in
        [("", &posix), ("/bin/bash", &posix), ("zsh", &posix), ("/usr/bin/fish", &fish)]
    {
        world.embargo(&["env"]).env("SHELL", shell).stdout(text).run();
    }
    // A shell that calls is the one that will read it, whatever SHELL says.
    for (program, line, text) in [
        ("bash", "{EMBARGO} env", &posix),
        ("sh", "x=$({EMBARGO} env); echo \"$x\"", &posix),
        ("fish", "{EMBARGO} env", &fish),
    ] {
        let other = if program == "fish" { "/bin/bash" } else { "/usr/bin/fish" };
        let line = line.replace("{EMBARGO}", EMBARGO) + "; true";
        let Some(program) = ["/bin", "/usr/bin"]
            .map(|dir| std::path::Path::new(dir).join(program))
            .into_iter()
            .find(|file| file.exists())
        else {
            eprintln!("not checked: there is no {program} here");
            continue;
        };
        common::Test::new(&world, program.as_os_str(), &["-c", &line])
            .env("SHELL", other)
            .stdout(text)
            .run();
    }
    let unknown = "embargo: no way is known to set PATH in `nu`\n  name one that is: embargo env --shell sh\n";
    world.embargo(&["env"]).env("SHELL", "/usr/bin/nu").stderr(unknown).status(1).run();
    let colon = ["env", "--dir", "a:b"];
    world.embargo(&colon).stderr_has(&["cannot stand on PATH"]).status(1).run();
}

#[test]
fn the_readme_s_three_steps() {
    let world = world();
    let text = format!(
        "'{EMBARGO}' shim install gradle >/dev/null; eval \"$('{EMBARGO}' env)\"; npm install; gradle build"
    );
    world.shell(&text).path(&["bin"]).refused().run();
    assert_eq!(world.calls(), "npm install\n");
}

// ---- check, explain

#[test]
fn check_answers_with_the_words_of_the_refusal() {
    let world = world();
    let refusal = format!("{REFUSED}[embargo refused check-only exit 86]\n");
    let note = "embargo: note: what variables, substitutions and globs of this line stand for is not known before it runs.\n";
    world.embargo(&["check", "gradle build"]).stdout(&refusal).status(86).run();
    world.embargo(&["check", "--argv", "gradle", "build"]).stdout(&refusal).status(86).run();
    world.embargo(&["check", "--argv", "--", "gradle", "build"]).stdout(&refusal).status(86).run();
    world
        .embargo(&["check", "cd $A && gradle build"])
        .stdout(&refusal)
        .stderr(note)
        .status(86)
        .run();
    world.embargo(&["check", "cd a && gradle build"]).stdout(&refusal).status(86).run();
    for line in ["npm install", "./gradlew build", "echo gradle", ""] {
        world.embargo(&["check", line]).stdout("pass\n").run();
    }
    // Nothing was run, and nothing was recorded.
    assert_eq!(world.calls(), "");
    assert!(!world.path("home/.local/state/embargo").exists());
}

#[test]
fn a_check_without_a_policy_says_so() {
    let world = World::new();
    let note = "embargo: note: no policy was found (looked for embargo.toml in [W]/project and above, [W]/home/.config/embargo, /etc/embargo)\n";
    world.embargo(&["check", "ls"]).stdout("pass\n").stderr(note).run();
    world.policy("");
    world.embargo(&["check", "ls"]).stdout("pass\n").run();
}

#[test]
fn a_reason_says_because_once() {
    let world = World::new();
    for because in ["because", "Because", "BECAUSE"] {
        world
            .policy(&format!("[[embargo]]\ncommand = \"npm\"\nreason = \"{because} it is so.\"\n"));
        let says = "I must not use `npm` because it is so. ";
        world.embargo(&["check", "npm"]).stdout_has(&[says]).status(86).run();
    }
}

#[test]
fn check_has_an_exit_status_for_each_verdict() {
    let world = world();
    for (verdict, status, says) in [
        ("refuse", 86, "I must not use `npm` because"),
        ("ask", 87, "I must not use `npm` without a person's approval because"),
        ("grant", 87, "I must not use `npm` without a person's approval because"),
        ("warn", 0, "I should not use `npm` because"),
    ] {
        let rule =
            format!("[[embargo]]\ncommand = \"npm\"\nreason = \"x\"\nverdict = \"{verdict}\"\n");
        world.policy(&rule);
        world.embargo(&["check", "npm i"]).stdout_has(&[says]).status(status).run();
        let json = format!("\"verdict\":\"{verdict}\"");
        world.embargo(&["check", "--json", "npm i"]).stdout_has(&[&json]).status(status).run();
    }
    world.write("home/.config/embargo/embargo.toml", "command = 1");
    world
        .embargo(&["check", "ls"])
        .stderr_has(&["so `ls` was not run", "exit 88"])
        .status(88)
        .run();
    world.embargo(&["check", "--json", "ls"]).stdout_has(&["\"kind\":\"broken\""]).status(88).run();
}

#[test]
fn check_for_programs() {
    let world = world();
    let pass = "{\"allowed_by\":[],\"denied\":false,\"door\":\"check\",\"exit\":0,\"kind\":\"pass\",\"verdict\":\"pass\",\"version\":1}\n";
    world.embargo(&["check", "--json", "npm"]).stdout(pass).run();
    world.embargo(&["check", "npm", "--json"]).stdout(pass).run();
    let found = world.embargo(&["check", "--json", "gradle build"]).status(86).any_output().run();
    let object: serde_json::Value = serde_json::from_str(&found.stdout).expect("JSON");
    for (key, value) in [
        ("denied", serde_json::json!(true)),
        ("rule", "no-gradle".into()),
        ("exit", 86.into()),
        ("retryable", false.into()),
        ("instead", serde_json::json!(["./gradlew build"])),
        ("evidence", serde_json::Value::Null),
        ("door", "check".into()),
    ] {
        assert_eq!(object[key], value, "{key} in {object}");
    }
}

#[test]
fn several_words_are_a_usage_error_that_shows_both_forms() {
    let world = world();
    for verb in ["check", "explain"] {
        let usage = format!(
            "Usage: embargo {verb} [OPTIONS] 'LINE'\n       embargo {verb} [OPTIONS] --argv CMD [ARG]..."
        );
        let forms = ["as a line of shell text:  'git push'", "--argv git push", &usage];
        world.embargo(&[verb, "git", "push"]).stderr_has(&forms).status(2).run();
        world.embargo(&[verb, "git", "push", "-f"]).stderr_has(&[&usage]).status(2).run();
        world.embargo(&[verb]).stderr_has(&[&usage]).status(2).run();
        world.embargo(&[verb, "git", "--argv", "git"]).stderr_has(&[&usage]).status(2).run();
    }
}

#[test]
fn bytes_that_are_no_text_are_judged_as_they_are() {
    use std::os::unix::ffi::OsStrExt as _;
    let world = world();
    let odd = std::ffi::OsStr::from_bytes(b"\xff\xfe");
    let check = ["check".as_ref(), "--argv".as_ref(), "gradle".as_ref(), odd];
    world.embargo(&check).stdout_has(&[r"Instead, run `./gradlew $'\377\376'`."]).status(86).run();
    world.embargo(&["check".as_ref(), odd]).stdout("pass\n").run();
    world.script("project/go", "#!/bin/sh\nprintf '%s' \"$1\" > got\n");
    world.embargo(&["run".as_ref(), "./go".as_ref(), odd]).run();
    assert_eq!(std::fs::read(world.path("project/got")).expect("got"), b"\xff\xfe");
}

#[test]
fn explain_shows_the_way_to_the_verdict() {
    let world = world();
    world.policy(&format!(
        "{NO_GRADLE}\n[[embargo]]\nid = \"push\"\ncommand = \"git push\"\nflags = [\"-f|--force\"]\nunless = [\"--dry-run\"]\nreason = \"x\"\n"
    ));
    let explain = |line: &str, parts: &[&str]| {
        world.embargo(&["explain", line]).stdout_has(parts).run();
    };
    explain(
        "gradle -p lib build",
        &[
            "command 1: `gradle -p lib build`\n  program   gradle\n  words     build\n  flags     --project-dir=lib\n  works in  lib\n",
            "  rule `no-gradle` (embargo.toml:1): hits\n  rules on other commands: 1\n",
            "policy\n  project  [W]/project/embargo.toml\n",
            "verdict: refuse, exit 86\nI must not use `gradle`",
        ],
    );
    explain(
        "git push",
        &["rule `push` (embargo.toml:7): does not hit: `-f|--force` is not given\n"],
    );
    explain("git pull -f", &["does not hit: its `command` has other words"]);
    explain(
        "git push -fn",
        &["does not hit: lifted by `unless` `--dry-run`\n", "verdict: pass, no rule"],
    );
    explain(
        "ls $A | wc",
        &[
            "command 2: `wc`\n  program   wc\n  stands    behind a pipe\n  no rule speaks of it; 2 in force\n",
            "unknown\n  what variables, substitutions",
        ],
    );
    world
        .embargo(&["explain", "--argv", "sudo", "gradle"])
        .stdout_has(&[
            "command 1: `sudo gradle`",
            "command 2: `gradle`",
            "what stands around the command",
        ])
        .run();
}

#[test]
fn explain_for_programs() {
    let world = world();
    let words = ["explain", "--json", "--argv", "gradle", "-p", "lib"];
    let found = world.embargo(&words).any_output().run();
    assert_eq!(found.status, 0);
    let object: serde_json::Value = serde_json::from_str(&found.stdout).expect("JSON");
    assert_eq!(object["verdict"], "refuse");
    assert_eq!(object["commands"][0]["flags"][0], "--project-dir=lib");
    assert_eq!(object["commands"][0]["rules"][0]["hits"], true);
    assert_eq!(object["policy"][0]["layer"], "project");
    assert_eq!(object["answer"]["rule"], "no-gradle");
}

/// Whoever asks did not call: a script that asks is not the caller it asks about.
#[test]
fn words_that_are_asked_about_are_taken_as_typed() {
    let world = World::new();
    world.policy(
        "[[embargo]]\ncommand = \"git\"\ncallers = \"typed\"\nreason = \"x\"\n\
         [[embargo]]\ncommand = \"gradle\"\nunless_under = [\"gradlew\"]\nreason = \"x\"\n",
    );
    let script = "for it in git gradle; do\n  \"$@\" check \"$it x\"\n  echo $?\n  \
                \"$@\" check --argv $it x\n  echo $?\ndone | grep '^[0-9]'\n\
                \"$@\" explain --argv git x | grep 'who will call'\n";
    world.script("project/gradlew", &format!("#!/bin/sh\n{script}"));
    let asks = world.shell(&format!("./gradlew {EMBARGO}")).path(&["/usr/bin", "/bin"]);
    let found = asks.any_output().run();
    let taken = "  who will call it: it was taken as typed by the agent\n";
    assert_eq!(found.stdout, format!("86\n86\n86\n86\n{taken}"), "{found:#?}");
}

// ---- test, lint

const EXAMPLES_THAT_FAIL: &str = "\
[[embargo]]
id = \"no-gradle\"
command = \"gradle\"
reason = \"x\"
instead = [\"npm build {args}\"]
refuses = [\"gradle build\", \"maven build\"]
permits = [\"npm install\", \"ls\"]

[[embargo]]
id = \"no-npm\"
command = \"npm\"
reason = \"x\"
";

#[test]
fn test_runs_the_examples() {
    let world = world();
    world.policy("[[embargo]]\ncommand = \"gradle\"\nreason = \"x\"\n");
    world.embargo(&["test"]).stdout("0 passed, 0 failed; no rule carries examples\n").run();
    let failures = "\
embargo.toml:6: `no-gradle` must hit `maven build`, and does not
embargo.toml:7: `npm install` must be let through (`no-gradle`), and is not: `no-npm` hits it
embargo.toml:5: `no-gradle` prescribes `npm build build`, and `no-npm` refuses it
2 passed, 3 failed
";
    world.policy(EXAMPLES_THAT_FAIL);
    world.embargo(&["test"]).stdout(failures).status(1).run();
    world.embargo(&["test", "embargo.toml"]).stdout(failures).status(1).run();
    let json = ["\"passed\":2", "\"failed\":3", "\"claim\":\"instead\""];
    world.embargo(&["test", "--json"]).stdout_has(&json).status(1).run();
    world.write("project/good.toml", format!("{NO_GRADLE}refuses = [\"gradle x\"]\n"));
    // The two that hold: the example, and what the rule prescribes.
    world.embargo(&["test", "good.toml"]).stdout("2 passed, 0 failed\n").run();
    world
        .embargo(&["test", "absent.toml"])
        .stdout("0 passed, 0 failed; the policy has errors, which `embargo lint` shows in full\n")
        .stderr("error: [W]/project/absent.toml cannot be read: No such file or directory\n")
        .status(1)
        .run();
}

#[test]
fn lint_finds_faults_and_examples_that_fail() {
    let world = world();
    world.embargo(&["lint"]).stdout("0 errors, 0 warnings, 0 notes\n").run();
    world.policy(EXAMPLES_THAT_FAIL);
    world
        .embargo(&["lint"])
        .stdout_has(&[
            "error[example-fails]: `no-gradle` must hit `maven build`, and does not\n --> embargo.toml:6:28\n",
            "error[instead-refused]: ",
            "3 errors, 0 warnings, 0 notes\n",
        ])
        .status(1)
        .run();
    world.policy("[[embargo]]\ncmmand = \"gradle\"\n");
    world
        .embargo(&["lint"])
        .stdout_has(&["did you mean `command`?", "embargo.toml:2:1"])
        .status(1)
        .run();
    world.embargo(&["lint", "--json"]).stdout_has(&["\"code\":\"unknown-key\""]).status(1).run();
    world.write("project/good.toml", NO_GRADLE);
    world
        .embargo(&["lint", "--verbose", "good.toml"])
        .stdout(
            "rule `no-gradle` (good.toml:1) bites: shim yes, line yes, hook yes, transcript yes\n\
             0 errors, 0 warnings, 0 notes\n",
        )
        .run();
    let bites =
        "\"bites\":{\"hook\":\"yes\",\"line\":\"yes\",\"shim\":\"yes\",\"transcript\":\"yes\"}";
    world.embargo(&["lint", "--json", "-v", "good.toml"]).stdout_has(&[bites]).run();
}

#[test]
fn a_note_is_no_finding() {
    let world = world();
    world.policy("[[embargo]]\npattern = \"gradle \"\nreason = \"x\"\n");
    let counts = "0 errors, 0 warnings, 1 note\n";
    world.embargo(&["lint"]).stdout_has(&["note[no-shim]", counts]).run();
}

#[test]
fn without_a_policy_there_is_nothing_to_test_or_lint() {
    let world = World::new();
    let text = "embargo: no policy is in force here (no embargo.toml found); name a file, or write one with `embargo init`\n";
    for verb in ["test", "lint"] {
        world.embargo(&[verb]).stderr(text).status(1).run();
        let object = match verb {
            "test" => {
                r#"{"errors_in_policy":false,"failed":0,"failures":[],"passed":0,"version":1}"#
            }
            _ => r#"{"findings":[],"rules":[],"unread":[],"version":1}"#,
        };
        let json = world.embargo(&[verb, "--json"]).stderr(text).status(1);
        json.stdout(format!("{object}\n")).run();
    }
}

// ---- log, last

#[test]
fn the_log_has_what_was_refused() {
    let world = world();
    world.embargo(&["log"]).run();
    world.embargo(&["log", "--verify"]).stdout("the log is whole: 0 rows\n").run();
    world.install(&["gradle"]);
    world.shim("gradle", &["build", "--token=hunter2"]).any_output().run();
    world.embargo(&["run", "gradle", "build"]).any_output().run();
    let found = world.embargo(&["log"]).any_output().run();
    assert_eq!(found.status, 0);
    assert!(!found.stdout.contains("hunter2"), "{found:?}");
    let line = regex::Regex::new(
        r"(?m)^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ e_ID refused no-gradle exit 86 offence \d session \S+ in \[W\]/project: .*gradle build",
    );
    assert_eq!(line.expect("a regex").find_iter(&found.stdout).count(), 2, "{found:?}");
    let one = world.embargo(&["log", "--json", "--limit", "1"]).any_output().run();
    let row: serde_json::Value = serde_json::from_str(&one.stdout).expect("one object");
    assert_eq!(
        (&row["seq"], &row["door"], &row["rule"]),
        (&2.into(), &"run".into(), &"no-gradle".into())
    );
    world.embargo(&["log", "--rule", "other"]).run();
    world.embargo(&["log", "--session", "other"]).run();
    world.embargo(&["log", "--verify"]).stdout("the log is whole: 2 rows\n").run();
}

#[test]
fn a_line_may_come_by_standard_input() {
    let world = world();
    world.policy(NO_GRADLE);
    for (line, status) in [("cd x && gradle build\n", 86), ("echo gradle\n", 0), ("", 0)] {
        world.embargo(&["check", "-"]).stdin(line).any_output().run_expecting(status, line);
    }
}

/// Its name alone would be looked for here.
#[test]
fn a_rule_from_elsewhere_is_shown_with_its_whole_path() {
    let world = world();
    world.policy(NO_GRADLE).write("elsewhere/README", "").write("project/below/README", "");
    let shown = |cwd: &str, line: &str, file: &str| {
        let test = world.embargo(&["check", line]).cwd(cwd).status(86);
        test.stdout_has(&[&format!("rule `no-gradle` ({file}:1) covers")]).run();
    };
    shown("elsewhere", "gradle -p ../project build", "[W]/project/embargo.toml");
    shown("project", "gradle build", "embargo.toml");
    shown("project/below", "gradle build", "embargo.toml");
}

#[test]
fn last_says_it_once_more() {
    let world = world();
    let none =
        world.embargo(&["last"]).status(1).stderr_has(&["nothing was refused in this session"]);
    none.run();
    world.install(&["gradle"]);
    let unseen = format!("gradle build 2>/dev/null; {EMBARGO} last");
    world
        .shell(&unseen)
        .stdout(format!("{REFUSED}[embargo refused e_ID exit 86]\n"))
        .stderr_has(&["Z, `gradle build`:\n"])
        .run();
    world
        .embargo(&["last", "--json"])
        .stdout_has(&["\"rule\":\"no-gradle\"", "\"evidence\":\"e_ID\""])
        .run();
    world.policy("");
    world
        .embargo(&["last"])
        .stdout_has(&[
            "`gradle build` was refused by `no-gradle` at ",
            "no policy in force there has that rule now",
        ])
        .run();
}

#[test]
fn a_run_is_a_session_of_its_own() {
    let world = world();
    world.embargo(&["run", "gradle", "build"]).any_output().run();
    world.script("project/go", &format!("#!/bin/sh\n{EMBARGO} last\n"));
    world
        .embargo(&["run", "./go"])
        .stderr_has(&["nothing was refused in this session (process:"])
        .status(1)
        .run();
}

/// The line of the issue on lines: every command found, where it works, which rule and why.
#[test]
fn explain_takes_a_whole_line_apart() {
    let world = World::new();
    world.policy("extends = [\"git-history\"]\n");
    let line = "cd /srv && sudo git -C app push -f; ssh host ls; make | $X";
    let told = world.embargo(&["explain", line]).any_output().status(0).run().stdout;
    for part in [
        "command 1: `cd /srv`\n",
        "command 2: `sudo git -C app push -f`\n",
        "command 3: `git -C app push -f`\n",
        "  flags     -C=app --force\n  works in  /srv/app\n  does      resets remote\n",
        "  stands    behind `&&`\n",
        "rule `git-push-force` (pack git-history): hits\n",
        "rule `git-push-with-lease` (pack git-history): does not hit: ",
        "command 5: `ls`\n  program   ls\n  runs      in a container or on another host\n",
        "  does      runs unknown\n  stands    behind a pipe\n",
        "unknown\n  what variables, substitutions and globs stand for: ",
        "verdict: refuse, exit 86\nI must not use `git push ",
    ] {
        assert!(told.contains(part), "{part:?} in:\n{told}");
    }
    assert!(!told.contains("\nread\n"), "{told}");
    let cut = world.embargo(&["explain", "f( && git push -f"]).any_output().status(0).run().stdout;
    assert!(cut.contains("\nread\n  it, or a text in it, does not parse: "), "{cut}");
    let json = world.embargo(&["explain", "--json", "f( && git push -f"]).any_output().run().stdout;
    assert!(json.contains("\"way\":\"cut\"") || json.contains("\"way\": \"cut\""), "{json}");
}
