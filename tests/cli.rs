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
    world.embargo(&["--version"]).stdout(concat!("embargo ", env!("CARGO_PKG_VERSION"), "\n")).run();
    for verb in ["run", "check", "explain", "test", "lint", "shim", "env", "log", "last"] {
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
    for moved in ["cd /", "HOME=/tmp", "XDG_CONFIG_HOME=/tmp XDG_STATE_HOME=/tmp", "unset EMBARGO_POLICY"] {
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

#[test]
fn without_any_policy_run_says_so_and_runs() {
    let world = World::new();
    world.stub("npm");
    world
        .embargo(&["run", "npm", "install"])
        .stderr("embargo: no rule is in force (no embargo.toml found); running `npm` unguarded\n")
        .run();
    assert_eq!(world.calls(), "npm install\n");
    assert!(!world.path("home/.local/share/embargo/runs").exists());
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
    assert_eq!(files.count(), 2);
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
            "gradle: shim renewed, it led to another embargo\nnpm: shim renewed, it led to another embargo\n",
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
    assert_eq!(files.count(), 43);
    world.shim("gradle", &["build"]).refused().run();
}

#[test]
fn list_shows_what_each_shim_becomes() {
    let world = world();
    world.install(&["npm", "gradle", "absent"]);
    let list = world.embargo(&["shim", "list", "--dir", "../shims"]).path(&["shims", "bin"]);
    list.stdout("[W]/shims\nabsent  no program\ngradle  [W]/bin/gradle\nnpm     [W]/bin/npm\n").run();
    world
        .embargo(&["shim", "list", "--json", "--dir", "../shims"])
        .path(&["shims", "bin"])
        .stdout(
            "[{\"dir\":\"[W]/shims\",\"name\":\"absent\",\"resolves_to\":null},\
             {\"dir\":\"[W]/shims\",\"name\":\"gradle\",\"resolves_to\":\"[W]/bin/gradle\"},\
             {\"dir\":\"[W]/shims\",\"name\":\"npm\",\"resolves_to\":\"[W]/bin/npm\"}]\n",
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
    uninstall(&[]).stderr_has(&["<NAME>...|--all"]).status(2).run();
}

#[test]
fn sync_follows_the_policies_in_force() {
    let world = world();
    let sync = || world.embargo(&["shim", "sync"]).path(&["home/.local/share/embargo/shims", "bin"]);
    let reserved = "approve_release: shim made\nexecute_command: shim made\n";
    let rest = "issue_approval: shim made\nrun_shell: shim made\n";
    let shims = "in [W]/home/.local/share/embargo/shims";
    sync()
        .stdout(format!("{reserved}gradle: shim made\n{rest}5 shims {shims}, 5 changed\n"))
        .run();
    sync().stdout(format!("5 shims {shims}, nothing changed\n")).run();
    world.policy(&NO_GRADLE.replace("\"gradle\"", "[\"npm test\", \"docker run\", \"gone\"]"));
    sync()
        .stdout(format!(
            "gradle: shim removed\ngone: shim made\nnpm: shim made\n6 shims {shims}, 3 changed\n"
        ))
        .run();
    world.policy("[[embargo]]\n");
    sync().stderr_has(&["embargo cannot trust its policy"]).status(88).run();
    world.shell(&format!("{EMBARGO} shim list")).stdout_has(&["npm"]).run();
}

// ---- env

#[test]
fn env_puts_the_shims_first_once_in_every_shell() {
    let world = world();
    let dir = "it's $(odd) [dir] \\ \"quoted\" *";
    world.write(&format!("{dir}/README"), "");
    let eval = format!("eval \"$('{EMBARGO}' env --shell SHELL --dir \"$D\")\"");
    let twice = |shell: &str| eval.replace("SHELL", shell).repeat(1) + "\n" + &eval.replace("SHELL", shell);
    let mut rows = vec![("/bin/sh", "sh"), ("/bin/bash", "bash")];
    // Not on every machine.
    rows.extend([("/usr/bin/zsh", "zsh")].iter().filter(|(p, _)| std::path::Path::new(p).exists()));
    for (program, shell) in rows {
        let nested = format!("{}\n{program} -euc '{}\necho \"$PATH\"'", twice(shell), "echo $PATH");
        let test = common::Test::new(&world, program.as_ref(), &["-euc", &nested]);
        let path = format!("[W]/{dir}:[W]/bin:/opt/x\n");
        test.env("D", world.path(dir))
            .env("PATH", format!("{}:/opt/x:{0}", world.path("bin").display()))
            .stdout_has(&[&format!("[W]/{dir}:[W]/bin:/opt/x:[W]/bin\n")])
            .any_stdout_or(&path)
            .run();
    }
}
