//! Shims of shells: the text behind `-c` is judged as a line, with its redirections, pipes and
//! parameters, and then the real shell runs it as if nothing had been in front.

mod common;
#[path = "common/programs.rs"]
mod programs;

use std::os::unix::process::{CommandExt as _, ExitStatusExt as _};
use std::path::Path;
use std::process::{Command, Stdio};

use common::World;
use programs::{put, recorder};

const POLICY: &str = "\
[[embargo]]
id = \"pipe-head\"
command = \"| head -\"
callers = \"typed\"
reason = \"it hides the errors, which come last\"

[[embargo]]
id = \"dist\"
deletes = [\"dist/**\"]
overwrites = [\"dist/**\"]
reason = \"dist is what was checked\"
";

const SHELLS: [&str; 4] = ["sh", "bash", "dash", "zsh"];

/// Shells that this machine has; `sh` everywhere.
fn there() -> Vec<&'static str> {
    let is_there = |shell: &str| Path::new("/bin").join(shell).exists();
    let (there, absent): (Vec<_>, Vec<_>) = SHELLS.into_iter().partition(|shell| is_there(shell));
    absent.iter().for_each(|shell| println!("not tested: there is no /bin/{shell}"));
    there
}

#[test]
fn text_of_a_shell_is_judged_as_a_line() {
    let world = World::new();
    let policy = POLICY.replace("callers = \"typed\"\n", "");
    world.policy(&policy).write("project/dist/x", "checked").install(&SHELLS);
    let path = ["shims", "bin", "/usr/bin", "/bin"];
    let refused: [&[&str]; 22] = [
        &["-c", "make | head -5"],
        &["-c", "make 2>&1 |head -5"],
        &["-c", "make | head -5 | sort", "x"],
        &["-ec", "cd . && make | head -5"],
        &["-xc", "(make) | head -1"],
        &["-c", "-e", "make | head -5"],
        &["-c", "--", "make | head -5"],
        &["-ce", "echo a > dist/x"],
        &["-c", ": > dist/x"],
        &["-c", "cd dist && echo a > x"],
        &["-c", "cd dist; rm x"],
        &["-c", "for x in 1; do echo $x; done > dist/x"],
        &["-c", "rm -rf \"$1\"", "sh", "dist"],
        &["-c", "rm -rf \"$@\"", "sh", "a", "dist"],
        &["-c", "rm -rf \"$0\"", "dist"],
        &["-c", "echo a > \"$1/x\"", "sh", "dist"],
        &["-c", "eval 'echo a > dist/x'"],
        &["-c", "sh -c 'echo a > dist/x'"],
        &["-c", "sh -c 'echo a > \"$1\"' sh dist/x"],
        &["-c", "echo 'echo a > dist/x' | sh"],
        &["-c", "sh <<'EOF'\necho a > dist/x\nEOF"],
        &["-c", "f() { echo a > dist/x; }; f"],
    ];
    for shell in there() {
        for arguments in refused {
            let test = world.shim(shell, arguments).path(&path).any_output().within(10).run();
            assert_eq!(test.status, 86, "{shell} {arguments:?}: {test:?}");
            assert!(test.stderr.starts_with("I must not use "), "{shell} {arguments:?}: {test:?}");
            assert_eq!(world.read("project/dist/x"), "checked", "{shell} {arguments:?}");
        }
    }
    for arguments in [&["-lc", "make | head -5"][..], &["-c", "-l", "make | head -5"]] {
        world.shim("bash", arguments).path(&path).any_output().status(86).run();
    }
}

#[test]
fn a_shell_is_what_it_is_without_a_shim() {
    let world = World::new();
    world.policy(POLICY).install(&SHELLS);
    world.write("project/script", "printf '%s|' \"$0\" \"$@\"; cat; exit 9\n");
    let text = "printf '%s|' \"$0\" \"$@\" \"$PPID\"; cat; echo err >&2; exit 7";
    let rows: Vec<Vec<&str>> = vec![
        vec!["-c", text],
        vec!["-c", text, "name", "a b", "", "*", "it's"],
        vec!["-ec", "false; echo no"],
        vec!["-c", "kill -TERM $$; sleep 5"],
        vec!["-c", "kill -KILL $$"],
        vec!["-c", "trap 'echo caught; exit 3' USR1; kill -USR1 $$; sleep 1"],
        vec!["-c", "trap"],
        vec!["-c", "sh -c 'exit 4'"],
        vec!["-c", "syntax ( error"],
        vec!["-s", "a", "b c"],
        vec!["script", "x", "-c"],
        vec![],
    ];
    for shell in there() {
        for row in &rows {
            let stdin = if row.first().is_some_and(|a| *a == "-c") {
                "in\n"
            } else {
                "echo $# $1\nexit 5\n"
            };
            let run = |program: std::path::PathBuf| {
                let input = world.path("input");
                std::fs::write(&input, stdin).expect("the input is written");
                let path = format!("{}:/usr/bin:/bin", world.path("shims").display());
                let mut command = Command::new(&program);
                command.arg0(shell).args(row).env_clear().env("PATH", path);
                command.env("HOME", world.path("home")).current_dir(world.path("project"));
                command.stdin(std::fs::File::open(&input).expect("the input"));
                let output = command.stdout(Stdio::piped()).output().expect("it starts");
                let ended = (output.status.code(), output.status.signal());
                (ended, output.stdout, output.stderr)
            };
            let direct = run(Path::new("/bin").join(shell));
            assert_eq!(run(world.path("shims").join(shell)), direct, "{shell} {row:?}");
        }
    }
}

/// What a program runs by a shell of its own is not typed, and what it writes counts all the same.
#[test]
fn shells_below_programs_are_theirs() {
    let world = World::new();
    world.policy(POLICY).write("project/dist/x", "checked").stub("make");
    for name in ["agent", "cargo"] {
        put(&world, recorder(), format!("bin/{name}"));
    }
    world.script("project/script.sh", "#!/usr/bin/env bash\nbash -c 'make | head -5; true'\n");
    let rows = [
        ("agent @run bash -c 'make | head -5; true'", false),
        ("agent @run sh -c 'bash -c \"make | head -5; true\"; true'", false),
        ("agent @run bash -c 'cargo @run sh -c \"make | head -5; true\"'", true),
        ("agent @run bash -c ./script.sh", true),
        ("agent @run cargo @run bash -c 'make | head -5; true'", true),
        ("agent @run bash -c 'cargo @run sh -c \"echo a > dist/x\"'", false),
    ];
    let mut wrong = Vec::new();
    for (line, passes) in rows {
        let session = format!("exec {line}");
        let test = world.embargo(&["run", "--", "/bin/sh", "-c", &session]);
        let found = test.path(&["bin", "/usr/bin", "/bin"]).within(20).any_output().run();
        if found.stderr.starts_with("I must not use ") == passes {
            wrong.push(format!("{line}: {found:#?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert_eq!(world.read("project/dist/x"), "checked");
}

#[test]
fn shells_are_shimmed_where_only_a_line_shows_what_a_rule_speaks_of() {
    let rows = [
        ("command = \"| head -\"", true),
        ("command = [\"gradle\", \"&& gradle\"]", true),
        ("pattern = 'C:'", true),
        ("contains = \"C:\"", true),
        ("overwrites = [\"dist/**\"]", true),
        ("runs = [\"download\"]", true),
        ("runs = [\"unknown\"]", true),
        ("command = \"gradle\"", false),
        ("command = \"gradle\"\npattern = 'C:'", false),
        ("deletes = [\"dist/**\"]", false),
        ("runs = [\"gradle\"]", false),
        ("command = \"| head -\"\nverdict = \"allow\"", false),
    ];
    for (rule, shims) in rows {
        let world = World::new();
        world.policy(&format!("[[embargo]]\n{rule}\nreason = \"x\"\n"));
        let test = world.embargo(&["shim", "sync"]).path(&["/usr/bin", "/bin"]).any_output().run();
        let made =
            ["sh", "bash"].map(|shell| test.stdout.contains(&format!("\n{shell}: shim made")));
        assert_eq!(made, [shims; 2], "{rule}: {test:#?}");
    }
}
