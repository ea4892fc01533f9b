//! Who called: `callers = "typed"` bites where the agent's own shell runs the word,
//! `unless_under` does not bite below an approved program (A15). Below a real
//! `embargo run`, with real shells.

mod common;
#[path = "common/programs.rs"]
mod programs;

use common::{Found, World};
use programs::{put, recorder};

const POLICY: &str = "\
[[embargo]]
id = \"typed-git\"
command = \"git\"
callers = \"typed\"
reason = \"this is a Perforce workspace\"

[[embargo]]
id = \"typed-python\"
command = \"python3\"
callers = \"typed\"
reason = \"the project's python is run by uv\"

[[embargo]]
id = \"gradle-wrapper\"
command = \"gradle\"
unless_under = [\"gradlew\"]
reason = \"the wrapper pins the version\"
";

#[derive(Debug, Clone, Copy, PartialEq)]
enum Outcome {
    Refused,
    /// These calls reached the stubs, a line each.
    Passes(&'static str),
}

use Outcome::{Passes, Refused};

/// `agent` and `claude` are programs that run their arguments: harnesses, as the shim sees them.
fn office() -> World {
    let world = World::new();
    world.policy(POLICY).stub("git").stub("python3").stub("gradle");
    for name in ["agent", "claude", "cargo", "java"] {
        put(&world, recorder(), format!("bin/{name}"));
    }
    world.script("project/x.py", "#!/usr/bin/env python3\n");
    world.script("project/by-path.py", &format!("#!{}\n", world.path("bin/python3").display()));
    world.script("project/script.sh", "#!/bin/sh\ngit status\n");
    world.script("project/script.bash", "#!/usr/bin/env bash\ngit status\ntrue\n");
    world.script("project/gradlew", "#!/bin/sh\ngradle \"$@\"\nexit\n");
    world.script("project/exec/gradlew", "#!/bin/sh\nexec gradle \"$@\"\n");
    world.script(
        "project/jar/gradlew",
        "#!/bin/sh\nexec java @run gradle \"$@\" -Dorg.gradle.appname=gradlew\n",
    );
    world.write(
        "project/Makefile",
        "one:\n\t@git status\ntwo:\n\t@cd . && git status\nthree:\n\t@gradle build\n\
         more:\n\t@sh -c 'git status; true'\n\t@$(MAKE) -s two\n",
    );
    // What a harness's users are told to do where a login shell sets PATH anew.
    world.write("home/.bash_profile", "PATH=$KEPT\n");
    world
}

#[test]
fn the_caller_decides() {
    let git = Passes("git status\n");
    let rows: Vec<(&str, Outcome)> = vec![
        // What the agent's own shell runs.
        ("agent @run bash -lc 'git status'", Refused),
        ("agent @run bash -c 'git status'", Refused),
        ("agent @run bash -c 'cd . && git status'", Refused),
        ("agent @run bash -c 'git status; true'", Refused),
        ("agent @run bash -c 'echo \"$(git status)\"'", Refused),
        ("agent @run bash -c 'git status | cat'", Refused),
        ("agent @run bash -c 'A=1 git status'", Refused),
        ("agent @run bash -c 'env git status'", Refused),
        ("agent @run bash -c 'timeout 9 git status'", Refused),
        ("agent @run bash -c 'nohup git status'", Refused),
        ("agent @run bash -c 'nice -n 1 git status'", Refused),
        ("agent @run bash -c 'stdbuf -oL git status'", Refused),
        ("agent @run bash -c 'setsid -w git status'", Refused),
        ("agent @run bash -c 'env A=1 nohup nice git status'", Refused),
        ("agent @run bash -c 'chrt -o 0 git status'", Refused),
        ("agent @run bash -c 'taskset 1 git status'", Refused),
        ("agent @run bash -c 'flock lock git status'", Refused),
        ("agent @run bash -c 'ionice git status'", Refused),
        ("agent @run bash -c 'prlimit --core=0 git status'", Refused),
        ("agent @run bash -c 'setpriv --no-new-privs git status'", Refused),
        ("agent @run bash -o pipefail -c 'git status'", Refused),
        ("agent @run bash -lc 'env A=1 cargo @run git status'", git),
        ("agent @run bash -lc 'nohup ./script.sh'", git),
        ("agent @run bash -c 'echo status | xargs git'", Refused),
        ("agent @run bash -c 'bash -c \"git status\"'", Refused),
        ("agent @run bash -c 'sh -c \"git status; true\"'", Refused),
        ("agent @run sh -c 'git status; true'", Refused),
        ("agent @run sh -c 'cd . && git status; true'", Refused),
        ("claude @run bash -lc 'git status'", Refused),
        ("claude @run bash -c 'cd . && git status'", Refused),
        ("claude @run bash -c 'python3 x.py'", Refused),
        ("agent @run bash -c 'python3 x.py'", Refused),
        ("agent @run bash -c 'python3 ./x.py'", Refused),
        ("agent @run bash -c 'python3 -c 1'", Refused),
        ("agent @run bash -c 'gradle build'", Refused),
        ("agent @run gradle build", Refused),
        // The session is the shell itself.
        ("bash -c 'git status; true'", Refused),
        ("bash -lc 'git status; true'", Refused),
        // What a program, a script or the harness itself runs.
        ("agent @run git status", git),
        ("claude @run git status", git),
        ("agent @run bash -c 'cargo @run git status'", git),
        ("agent @run bash -lc 'cd . && cargo @run git status'", git),
        ("agent @run sh -c 'cargo @run git status; true'", git),
        ("agent @run bash -c './script.sh'", git),
        ("agent @run bash -c 'sh script.sh'", git),
        ("agent @run bash -c './script.bash'", git),
        ("agent @run bash -c 'cargo @run ./script.sh'", git),
        ("agent @run bash -c 'cargo @run sh -c \"git status; true\"'", git),
        ("claude @run bash -c 'cargo @run git status'", git),
        ("agent @run bash -c './x.py a'", Passes("python3 ./x.py a\n")),
        ("agent @run bash -c 'cd . && ./x.py'", Passes("python3 ./x.py\n")),
        ("agent @run sh -c './x.py; true'", Passes("python3 ./x.py\n")),
        ("agent @run bash -c 'cargo @run python3 x.py'", Passes("python3 x.py\n")),
        ("agent @run python3 x.py", Passes("python3 x.py\n")),
        ("agent @run bash -c './by-path.py'", Passes("python3 ./by-path.py\n")),
        // The first line of a script is no word of the agent's, whatever stands before the script.
        ("claude @run bash -c 'timeout 60 ./x.py; true'", Passes("python3 ./x.py\n")),
        ("claude @run bash -c 'echo a | xargs ./x.py; true'", Passes("python3 ./x.py a\n")),
        ("claude @run bash -c 'nohup ./x.py'", Passes("python3 ./x.py\n")),
        ("claude @run bash -c 'env A=b ./x.py'", Passes("python3 ./x.py\n")),
        ("claude @run bash -c 'timeout 60 python3 ./x.py; true'", Refused),
        ("claude @run bash -c 'echo a | xargs python3 ./x.py; true'", Refused),
        ("agent @run bash -c './gradlew build'", Passes("gradle build\n")),
        ("agent @run bash -c 'sh gradlew build'", Passes("gradle build\n")),
        ("agent @run ./gradlew build", Passes("gradle build\n")),
        ("agent @run bash -c 'exec ./gradlew build'", Passes("gradle build\n")),
        (
            "agent @run bash -c 'jar/gradlew build'",
            Passes("gradle build -Dorg.gradle.appname=gradlew\n"),
        ),
        ("agent @run sh -c 'git status'", Refused),
        ("agent @run sh -c 'cd . && git status'", Refused),
    ];
    let rows: Vec<_> = rows.into_iter().map(|(line, outcome)| (line, "", outcome)).collect();
    check(&office(), &rows);
}

/// Documented, so that a change is noticed: it passes, or is refused, for want of a trace.
#[test]
fn what_cannot_be_told_apart() {
    let git = Passes("git status\n");
    let rows = [
        (
            "dash sets no `_`: the agent might have called git",
            "agent @run sh -c 'exec git status'",
            git,
        ),
        ("nor does bash for its own `exec`", "agent @run bash -c 'exec git status'", git),
        ("`env` takes the trace away", "agent @run bash -c 'env -u _ git status'", git),
        (
            "so does an empty environment",
            "agent @run bash -c 'env -i PATH=\"$PATH\" git status'",
            git,
        ),
        (
            "a script that becomes gradle is no ancestor",
            "agent @run bash -c 'exec/gradlew build'",
            Refused,
        ),
    ];
    let rows: Vec<_> = rows.into_iter().map(|(_, line, outcome)| (line, "", outcome)).collect();
    check(&office(), &rows);
}

#[test]
fn text_on_standard_input_is_typed_too() {
    let git = Passes("git status\n");
    let rows = [
        ("agent @run bash", "git status\n", Refused),
        ("agent @run bash -s", "cd .\ngit status\ntrue\n", Refused),
        ("agent @run bash -s x", "cd .\ngit status\ntrue\n", Refused),
        ("agent @run sh", "git status\ntrue\n", Refused),
        // A harness's way to hand a call over, and a person's: nobody's file.
        ("agent @run bash /dev/stdin", "git status\n", Refused),
        ("agent @run bash /proc/self/fd/0", "git status\n", Refused),
        ("agent @run bash -c 'bash /dev/fd/3 3<&0'", "git status\n", Refused),
        ("agent @run bash -c 'bash <(echo git status)'", "", Refused),
        ("agent @run sh", "./script.sh\n", git),
        ("agent @run bash", "cargo @run git status\n", git),
    ];
    check(&office(), &rows);
}

#[test]
fn what_make_runs_is_makes() {
    let make = std::path::Path::new("/usr/bin/make");
    if !make.exists() {
        println!("not tested: there is no {}", make.display());
        return;
    }
    let git = Passes("git status\n");
    let rows = [
        ("agent @run bash -c 'make one'", "", git),
        ("agent @run bash -c 'make two'", "", git),
        ("agent @run bash -lc 'cd . && make two'", "", git),
        ("agent @run sh -c 'make one two; true'", "", Passes("git status\ngit status\n")),
        ("claude @run bash -c 'make two'", "", git),
        ("agent @run bash -lc 'make two'", "", git),
        ("agent @run bash -lc 'nice make two'", "", git),
        ("agent @run bash -c 'make -s more'", "", Passes("git status\ngit status\n")),
        ("agent @run bash -c 'make three'", "", Refused),
        // A shell that stays open below a harness, and the session's own.
        ("claude @run bash", "make two\n", git),
        ("bash -c 'make two; true'", "", git),
        ("claude @run bash", "git status\n", Refused),
    ];
    check(&office(), &rows);
}

/// Bash becomes the last command of its text: five refusals of it are one offence still.
#[test]
fn a_tool_call_is_one_offence_whatever_it_became() {
    let offences = |session: &str| {
        let world = office();
        world.script("project/five.sh", "#!/bin/sh\nfor i in 1 2 3 4 5; do gradle $i; done\n");
        let test = world.embargo(&["run", "--", "/bin/sh", "-c", session]);
        let test = test.path(&["bin", "/usr/bin", "/bin"]).within(10);
        test.any_output().run();
        let log = world.embargo(&["log"]).any_output().run().stdout;
        let number = |line: &str| line.split_once(" offence ").map(|(_, n)| n[..1].to_owned());
        log.lines().filter_map(number).collect::<String>()
    };
    assert_eq!(offences("exec agent @run bash -c ./five.sh"), "11111");
    assert_eq!(offences("exec agent @run bash -c 'cd . && ./five.sh'"), "11111");
    assert_eq!(offences("exec agent @run bash -c './five.sh; true'"), "11111");
    let twice = "claude @run bash -c ./five.sh; claude @run bash -c ./five.sh; true";
    assert_eq!(offences(twice), "1111122222");
    // What starts the agent by a shell is no call of the agent's.
    let calls = "agent @run sh -c \"gradle 1; :\"; agent @run sh -c \"gradle 2; :\"; :";
    assert_eq!(offences(&format!("sh -c '{calls}'; :")), "12");
    // One right after the other, within a tick of the clock that processes begin by.
    let each = "for i in 1 2 3 4 5 6 7 8 9; do claude @run gradle $i; done";
    assert_eq!(offences(each), "123456789");
}

/// Below a run whose session process is the line's first command.
fn outcome(world: &World, line: &str, stdin: &str) -> (String, Found) {
    world.write("calls", "");
    let session = format!("KEPT=$PATH exec {line}");
    let test = world.embargo(&["run", "--", "/bin/sh", "-c", &session]).stdin(stdin);
    let found = test.path(&["bin", "/usr/bin", "/bin"]).within(10).any_output().run();
    (world.calls(), found)
}

/// All rows are run before one fails: they explain each other.
#[track_caller]
fn check(world: &World, rows: &[(&str, &str, Outcome)]) {
    let mut wrong = Vec::new();
    for (line, stdin, expected) in rows {
        let (calls, found) = outcome(world, line, stdin);
        let is_right = match expected {
            Refused => found.stderr.starts_with("I must not use `") && calls.is_empty(),
            Passes(wanted) => found.stderr.is_empty() && found.status == 0 && calls == *wanted,
        };
        if !is_right {
            wrong.push(format!("{line}: {expected:?}\ncalls {calls:?} {found:#?}"));
        }
    }
    assert!(wrong.is_empty(), "{} of {} rows:\n{}", wrong.len(), rows.len(), wrong.join("\n"));
}
