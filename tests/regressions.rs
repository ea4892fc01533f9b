//! Bug reports of other guards and shims, as cases of ours: the rows of kind `shim`,
//! `config` and `manual` in `tests/cases/regressions.toml`, each named after its id.
//! `judge.rs` runs those of kind `judge`.

mod common;

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::fs::{self, Permissions};
use std::io::{Read as _, Write as _};
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use bstr::ByteSlice as _;
use common::{EMBARGO, Found, NO_GRADLE, NOBODY, World};
use embargo::sys::context::Context;
use embargo::sys::evidence::{Chain, Filter, rows, verify};
use embargo::sys::sources;
use serde::Deserialize;

const USER: &str = "home/.config/embargo/embargo.toml";
const STATE: &str = "home/.local/state/embargo";
const NO_RM: &str =
    "[[embargo]]\nid = \"rm\"\ncommand = \"rm\"\nreason = \"removals are made by people\"\n";

#[derive(Deserialize)]
struct Table {
    policy: Vec<PolicyText>,
    case: Vec<Case>,
}

#[derive(Deserialize)]
struct PolicyText {
    name: String,
    text: Option<String>,
}

#[derive(Deserialize, Clone)]
struct Case {
    id: Option<String>,
    kind: String,
    // shim
    argv: Option<Vec<String>>,
    path: Option<Vec<String>>,
    expect_status: Option<i32>,
    expect_stdout: Option<String>,
    #[serde(default)]
    escaped: bool,
    // config
    layer: Option<String>,
    text: Option<String>,
    code: Option<String>,
    line_no: Option<u64>,
    #[serde(default)]
    says: Vec<String>,
    #[serde(default)]
    more: Vec<Fault>,
    // manual
    test: Option<String>,
    #[serde(default)]
    also: Vec<Case>,
    why: Option<String>,
}

#[derive(Deserialize, Clone)]
struct Fault {
    code: String,
    line_no: u64,
    says: Vec<String>,
}

fn table() -> Table {
    toml::from_str(include_str!("cases/regressions.toml")).expect("the table parses")
}

/// Rows of one kind, those in `also` included.
fn cases(kind: &str) -> Vec<Case> {
    let with_also = |case: Case| {
        let id = case.id.clone();
        let also = case.also.clone().into_iter().map(move |also| Case { id: id.clone(), ..also });
        std::iter::once(case).chain(also)
    };
    table().case.into_iter().flat_map(with_also).filter(|case| case.kind == kind).collect()
}

fn report(all: usize, failures: &[String]) {
    assert!(
        failures.is_empty(),
        "{} of {all} failed:\n\n{}",
        failures.len(),
        failures.join("\n\n")
    );
}

// ---- every row is somebody's

#[test]
fn every_row_is_run_or_says_where_it_belongs() {
    let me = include_str!("regressions.rs");
    let recursion = include_str!("recursion.rs");
    for case in table().case {
        let id = case.id.clone().expect("an id");
        match case.kind.as_str() {
            "judge" | "shim" | "config" => {}
            "later" => assert!(case.why.is_some_and(|why| why.len() > 20), "{id}: why later?"),
            "manual" => {
                let name = format!("fn {}_", id.to_lowercase());
                let is_there = [me, recursion].iter().any(|text| text.contains(&name));
                assert!(is_there && case.test.is_some(), "{id}: no test has its name");
            }
            other => panic!("{id}: no kind {other}"),
        }
    }
}

// ---- kind `config`

#[test]
fn faults_of_a_users_file_are_told_with_their_place() {
    let cases = cases("config");
    assert!(cases.len() >= 5, "the table has shrunk to {}", cases.len());
    let failures: Vec<String> = cases.iter().filter_map(|case| wrong(case).err()).collect();
    report(cases.len(), &failures);
}

fn wrong(case: &Case) -> Result<(), String> {
    let id = case.id.clone().unwrap_or_default();
    assert!(
        case.layer.as_ref().is_none_or(|l| l == "user" || l == "rules" || l == "config"),
        "{id}"
    );
    let world = World::new();
    world.write(USER, case.text.as_deref().expect("a text"));
    let found = world.embargo(&["lint", "--json"]).any_output().run_expecting(1, &id);
    let told: serde_json::Value = serde_json::from_str(&found.stdout).expect("an object");
    let told: Vec<&serde_json::Value> = told["findings"].as_array().into_iter().flatten().collect();
    let first = Fault {
        code: case.code.clone().expect("a code"),
        line_no: case.line_no.expect("a line"),
        says: case.says.clone(),
    };
    for fault in [&[first], &case.more[..]].concat() {
        let is_it = |found: &&&serde_json::Value| {
            let text = format!("{} {}", found["message"], found["help"]);
            let text = text.replace("\\\"", "\"");
            found["code"] == fault.code.as_str()
                && found["line"] == fault.line_no
                && fault.says.iter().all(|part| text.contains(part))
        };
        if told.iter().find(is_it).is_none() {
            return Err(format!("{id}: no `{}`, line {}: {told:#?}", fault.code, fault.line_no));
        }
    }
    Ok(())
}

// ---- kind `shim`

/// A row of kind `shim`, set up: which names are shimmed, by what policy, before which stub.
struct Scene {
    world: World,
    stdin: Vec<u8>,
}

/// Writes its name and arguments down.
const NOTES: &str = "";
const EACH_ON_A_LINE: &str = "#!/bin/sh\nprintf '%s\\n' \"$@\"\n";
const REAL: &str = "#!/bin/sh\necho real\n";

impl Scene {
    fn new(case: &Case, policies: &BTreeMap<String, String>) -> Self {
        let world = World::new();
        fs::create_dir(world.path("tmp")).expect("a directory");
        let policy = |name: &str| {
            world.write(USER, &policies[name]);
        };
        let shimmed = |names: &[&str]| {
            world.install(names);
        };
        let stub = |name: &str, text: &str| match text {
            NOTES => drop(world.stub(name)),
            text => drop(world.script(&format!("bin/{name}"), text)),
        };
        let mut stdin = Vec::new();
        let id = case.id.as_deref().unwrap_or_default();
        match id {
            "BY027" => {
                policy("rm");
                world.write("project/run.sh", "eval \"$1\"\n").stub("rm");
                shimmed(&["rm"]);
            }
            "BY062" | "BY063" | "BY066" => {
                policy("rm-rf");
                stub("rm", NOTES);
                shimmed(&["rm"]);
            }
            "FP032" => {
                policy("rm-root");
                shimmed(&["rm"]);
            }
            "PT022" => {
                policy("rm-rf");
                shimmed(&["rm"]);
            }
            "PT035" => {
                policy("rm-rf");
                stub("rm", EACH_ON_A_LINE);
                shimmed(&["rm"]);
            }
            "PT001" => {
                stub("tool", "#!/bin/sh\nexit 2\n");
                shimmed(&["tool"]);
            }
            "PT002" => {
                world.write(USER, rule("pnpm publish"));
                stub("pnpm", "#!/bin/sh\necho lint failed\nexit 1\n");
                shimmed(&["pnpm"]);
            }
            "PT004" => {
                world.write(
                    USER,
                    "[[embargo]]\ncommand = \"find\"\nflags = [\"-delete\"]\nreason = \"x\"\n",
                );
                stub("find", EACH_ON_A_LINE);
                shimmed(&["find"]);
            }
            "PT012" => {
                stdin = noise(100 << 20);
                shimmed(&["cat", "sh"]);
            }
            "PT013" => {
                compile(
                    "#include <stdio.h>\nint main(int c, char **v) { puts(v[0]); return c == 0; }\n",
                    &world.path("bin/sh"),
                );
                shimmed(&["sh"]);
            }
            "PT016" => {
                stub("helper", "echo \"$1\"\n");
                shimmed(&["helper"]);
            }
            "PT018" => {
                stub("curl", "#!/bin/sh\necho curl 0\n");
                shimmed(&["curl"]);
            }
            "PT020" => {
                stub("mytool", "#!/bin/sh\necho usr\n");
                world.script("project/mytool", "#!/bin/sh\necho cwd\n");
                shimmed(&["mytool"]);
            }
            "PT024" => shimmed(&["which"]),
            "PT031" => {
                world.script("tmp/prefix/bin/gh", REAL);
                shimmed(&["gh"]);
            }
            "HG003" => {
                stub("python", REAL);
                shimmed(&["python"]);
                for (below, target) in [("a", world.path("shims/python")), ("b", EMBARGO.into())] {
                    fs::create_dir(world.path("tmp").join(below)).expect("a directory");
                    symlink(target, world.path("tmp").join(below).join("python")).expect("a link");
                }
            }
            "HG004" => {
                stub("python", REAL);
                shimmed(&["python"]);
                fs::create_dir(world.path("tmp/bin")).expect("a directory");
                symlink(world.path("shims/python"), world.path("tmp/bin/python")).expect("a link");
            }
            "HG005" => {
                stub("ruby", REAL);
                shimmed(&["ruby"]);
            }
            "HG006" => shimmed(&["bash", "sh", "env"]),
            "HG007" => {
                shimmed(&["true"]);
                fs::rename(world.path("shims/true"), world.path("shims/node")).expect("a rename");
            }
            "HG014" => {
                let ask = NO_RM.to_owned() + "verdict = \"ask\"\n";
                world.write(USER, ask);
                stub("rm", "#!/bin/sh\nexit 0\n");
                shimmed(&["rm"]);
            }
            "HG015" => {
                stdin = b"y\n".to_vec();
                stub("rm", "#!/bin/sh\nexec /bin/cat\n");
                shimmed(&["rm"]);
            }
            "CR001" => {
                stub("echo", "#!/bin/sh\nfor w; do printf '%s\\0' \"$w\"; done\n");
                shimmed(&["echo"]);
            }
            "CR003" => {
                let more = "[[embargo]]\npattern = 'zz[0-9]'\nreason = \"x\"\n[[embargo]]\ncontains = \"zzz\"\nreason = \"x\"\n";
                let delete =
                    "[[embargo]]\ncommand = \"find\"\nflags = [\"-delete\"]\nreason = \"x\"\n";
                world.write(USER, format!("{delete}{more}"));
                shimmed(&["find"]);
            }
            "CR004" => {
                let directory = world.path("tmp").join(OsStr::from_bytes(b"bin\xff"));
                fs::create_dir(&directory).expect("a directory");
                fs::write(directory.join("model"), REAL).expect("a file");
                let mode = Permissions::from_mode(0o755);
                fs::set_permissions(directory.join("model"), mode).expect("a mode");
                shimmed(&["model"]);
            }
            "CR005" => {
                let shims = world.path("shims").display().to_string();
                let manager = format!("#!/bin/sh\nPATH={shims}:$PATH\nexec ruby \"$@\"\n");
                world.script("tmp/manager/ruby", &manager);
                stub("ruby", REAL);
                shimmed(&["ruby"]);
            }
            other => panic!("{other}: nobody sets it up"),
        }
        Scene { world, stdin }
    }

    fn command(&self, case: &Case) -> Command {
        let word = |text: &String| self.fill(text, case.escaped);
        let argv: Vec<OsString> = case.argv.iter().flatten().map(word).collect();
        let path: Vec<OsString> = case.path.iter().flatten().map(word).collect();
        let mut command = Command::new(&argv[0]);
        command.args(&argv[1..]).env_clear().env("PATH", path.join(OsStr::new(":")));
        let home = if case.id.as_deref() == Some("HG005") { "tmp" } else { "home" };
        command.env("HOME", self.world.path(home)).current_dir(self.world.path("project"));
        command
    }

    fn fill(&self, text: &str, is_escaped: bool) -> OsString {
        let path = |below: &str| self.world.path(below).display().to_string();
        let text = text
            .replace("{shims}", &path("shims"))
            .replace("{stubs}", &path("bin"))
            .replace("{tmp}", &path("tmp"));
        OsString::from_vec(if is_escaped { unescape(&text) } else { text.into_bytes() })
    }
}

/// `\xNN` is one byte.
fn unescape(text: &str) -> Vec<u8> {
    let mut parts = text.split("\\x");
    let mut bytes = parts.next().unwrap_or_default().as_bytes().to_vec();
    for part in parts {
        bytes.push(u8::from_str_radix(&part[..2], 16).expect("two digits"));
        bytes.extend(&part.as_bytes()[2..]);
    }
    bytes
}

#[test]
fn every_process_of_the_table_ends_as_its_row_says() {
    let texts = table().policy.into_iter().map(|p| (p.name, p.text.unwrap_or_default()));
    let policies: BTreeMap<String, String> = texts.collect();
    let cases = cases("shim");
    assert!(cases.len() >= 26, "the table has shrunk to {}", cases.len());
    let failures: Vec<String> =
        cases.iter().filter_map(|case| played(case, &policies).err()).collect();
    report(cases.len(), &failures);
}

fn played(case: &Case, policies: &BTreeMap<String, String>) -> Result<(), String> {
    let id = case.id.as_deref().unwrap_or_default();
    let scene = Scene::new(case, policies);
    let began = Instant::now();
    let output = match id {
        "HG014" => left_unread(scene.command(case), id)?,
        _ => feed(scene.command(case), &scene.stdin),
    };
    let (status, took) = (output.status.code(), began.elapsed());
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    let told =
        format!("{id}: {status:?} after {took:?}\nstdout {:?}\n{said}", output.stdout.as_bstr());
    let is = |holds: bool, what: &str| if holds { Ok(()) } else { Err(format!("{what}: {told}")) };
    is(status == case.expect_status, "another status")?;
    if let Some(stdout) = &case.expect_stdout {
        let stdout = scene.fill(stdout, case.escaped);
        is(output.stdout == stdout.as_bytes(), "another output")?;
    }
    if matches!(case.expect_status, Some(86 | 87)) {
        is(scene.world.calls().is_empty(), "the stub ran")?;
    }
    match id {
        "HG007" => {
            is(said.ends_with("node: command not found\n"), "not in a shell's words")?;
            is(took < Duration::from_secs(10), "too slow")
        }
        "PT012" => {
            let written = fs::read(scene.world.path("project/file")).expect("a file");
            is(written == scene.stdin, "not the same bytes")
        }
        "PT024" => {
            let same = scene.command(case).output().expect("which");
            let mut real = Command::new("/usr/bin/which");
            let path = scene
                .command(case)
                .get_envs()
                .find(|(k, _)| *k == "PATH")
                .and_then(|(_, v)| v.map(ToOwned::to_owned));
            let real =
                real.args(["-a", "sh"]).env("PATH", path.expect("a PATH")).output().expect("which");
            is(output.stdout == real.stdout && same.stdout == real.stdout, "not what which says")
        }
        "CR005" => {
            fs::remove_file(scene.world.path("bin/ruby")).expect("a file");
            let none = scene.command(case).output().expect("a shim");
            is(none.status.code() == Some(127), "with no real ruby")
        }
        "HG006" => {
            let script = "#!/usr/bin/env bash\nenv true\n";
            scene.world.script("project/script", script);
            let mut command = scene.command(case);
            let status = command.args(["-c", "./script"]).output().expect("bash").status.code();
            is(status == Some(0), "by its first line")
        }
        "HG015" => {
            scene.world.write(USER, NO_RM.to_owned() + "verdict = \"ask\"\n");
            let asked = feed(scene.command(case), b"y\n");
            is(asked.status.code() == Some(87) && asked.stdout.is_empty(), "asked")
        }
        "PT020" => {
            let mut command = scene.command(case);
            let path = scene.world.path("shims").display().to_string() + ":";
            let last = command.env("PATH", path).output().expect("a shim");
            is(last.stdout == b"cwd\n", "an empty element at the end")
        }
        _ => Ok(()),
    }
}

fn feed(mut command: Command, stdin: &[u8]) -> Output {
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("a program");
    let mut pipe = child.stdin.take().expect("a pipe");
    // Who does not read its input may end before it is written.
    let _ = pipe.write_all(stdin);
    drop(pipe);
    child.wait_with_output().expect("an end")
}

/// With a pipe for standard input that stays open, and a byte in it that nobody may take.
fn left_unread(mut command: Command, id: &str) -> Result<Output, String> {
    let (mut reader, mut writer) = std::io::pipe().expect("a pipe");
    writer.write_all(b"y").expect("a byte");
    command.stdin(reader.try_clone().expect("a pipe"));
    let output = command.output().expect("a shim");
    drop(writer);
    let mut left = Vec::new();
    reader.read_to_end(&mut left).expect("a byte");
    if left == b"y" { Ok(output) } else { Err(format!("{id}: {left:?} is left")) }
}

fn rule(command: &str) -> String {
    format!("[[embargo]]\ncommand = \"{command}\"\nreason = \"x\"\n")
}

fn noise(length: usize) -> Vec<u8> {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state.to_le_bytes()
    };
    (0..length / 8).flat_map(|_| next()).collect()
}

fn compile(text: &str, to: &Path) {
    let source = to.with_extension("c");
    fs::write(&source, text).expect("a file");
    let cc = Command::new("cc").arg("-o").arg(to).arg(&source).status();
    assert!(cc.expect("a C compiler").success());
}

// ---- kind `manual`

fn run(world: &World, name: &str, status: i32, row: &str) -> Found {
    let test = world.shim(name, &["x"]).path(&["shims", "bin", "/usr/bin", "/bin"]);
    test.any_output().run_expecting(status, row)
}

#[test]
fn by105_whatever_fails_inside_is_never_a_pass() {
    let stage = || {
        let world = World::new();
        world.write(USER, NO_RM).stub("rm").install(&["rm"]);
        std::thread::sleep(Duration::from_millis(30));
        run(&world, "rm", 86, "whole");
        world
    };
    let views = |world: &World| -> Vec<PathBuf> {
        let entries = fs::read_dir(world.path("home/.cache/embargo/views")).expect("views");
        entries.map(|entry| entry.expect("an entry").path()).collect()
    };
    for what in ["half", "noise", "no view, and none can be made"] {
        let world = stage();
        for view in views(&world) {
            let bytes = fs::read(&view).expect("a view");
            match what {
                "half" => fs::write(&view, &bytes[..bytes.len() / 2]).expect("a file"),
                "noise" => fs::write(&view, noise(bytes.len())).expect("a file"),
                _ => fs::remove_file(&view).expect("gone"),
            }
        }
        if what.starts_with("no view") {
            fs::remove_dir_all(world.path("home/.cache")).expect("gone");
            world.write("home/.cache", "a file, and no directory");
        }
        run(&world, "rm", 86, what);
        run(&world, "rm", 86, what);
        assert_eq!(world.calls(), "", "{what}");
    }
    // Too little memory to compile, or to start at all: then a loader says so, and nothing runs.
    let world = stage();
    for kilobytes in [1, 4, 16, 64, 80, 90, 100, 110, 128, 160, 256].map(|m| m * 1024) {
        fs::remove_dir_all(world.path("home/.cache/embargo")).unwrap_or_default();
        let shell = format!("ulimit -v {kilobytes}; exec '{}' x", world.path("shims/rm").display());
        let found = world.shell(&shell).any_output().run();
        let what = format!("{kilobytes} KiB: {found:?}");
        assert_eq!((world.calls(), &*found.stdout), (String::new(), ""), "{what}");
        // 127 and signals: the program was not even started, or its runtime gave up.
        assert!([86, 88, 126, 127, 134, 137, 139].contains(&found.status), "{what}");
    }
}

#[test]
fn by108_a_fault_elsewhere_in_the_file_loosens_nothing() {
    let fault = format!("{NO_RM}\n[[embargo]]\ncommand = \"mv\nreason = \"x\"\n");
    let world = World::new();
    world.stub("rm").stub("ls").install(&["rm", "ls"]);
    world.write(USER, &fault);
    let found = run(&world, "rm", 88, "the user's");
    assert!(found.stderr.contains("home/.config/embargo/embargo.toml:7:14: "), "{found:?}");
    world.write(USER, "").policy(NO_RM);
    run(&world, "rm", 86, "good");
    world.policy(&fault);
    let found = run(&world, "rm", 86, "the project's, after a good one");
    assert!(found.stderr.starts_with("embargo: embargo.toml:7:14: "), "{found:?}");
    fs::remove_dir_all(world.path("home/.cache/embargo")).expect("gone");
    let found = run(&world, "rm", 88, "the project's, never good");
    assert!(found.stderr.contains("embargo.toml:7:14: "), "{found:?}");
    assert_eq!(world.calls(), "");
    run(&world, "ls", 0, "another name");
    assert_eq!(world.calls(), "ls x\n");
}

#[test]
fn by109_a_broken_file_is_no_absent_one() {
    let world = World::new();
    world.stub("rm").stub("ls").install(&["rm", "ls"]);
    let both = |status, row: &str| ["rm", "ls"].map(|name| run(&world, name, status, row));
    both(0, "absent");
    let ran = world.calls();
    world.write(USER, "[[embargo");
    both(88, "created broken");
    assert_eq!(world.calls(), ran);
    world.write(USER, "");
    both(0, "empty");
}

#[test]
fn by113_an_alias_of_a_guard_that_is_gone_is_told() {
    let world = World::new();
    world.policy(NO_RM).stub("rm").script("opt/safe-rm.sh", "#!/bin/sh\nexec /bin/rm \"$@\"\n");
    symlink(world.path("opt/safe-rm.sh"), world.path("bin/shell-safe-rm")).expect("a link");
    let path = ["shims", "bin", "/usr/bin", "/bin"];
    let sync = ["shim", "sync", "--dir", "../shims"];
    world.embargo(&sync).path(&path).any_output().run_expecting(0, "sync");
    let first = format!("PATH='{}':$PATH\n", world.path("shims").display());
    world
        .write("home/.bash_profile", &first)
        .write("home/.bashrc", first + "alias rm=shell-safe-rm\n");
    let doctor = |status: i32, what: &str| {
        let test = world.embargo(&["doctor", "--json", "--dir", "../shims"]).path(&path);
        let found = test.env("SHELL", "/bin/bash").any_output().run_expecting(status, what);
        let told: serde_json::Value = serde_json::from_str(&found.stdout).expect("an object");
        let checks = told["checks"].as_array().expect("checks").clone();
        let shadowed = checks.iter().find(|check| check["name"] == "shadowed");
        shadowed.expect("the check").clone()
    };
    let hidden = doctor(1, "the script is there");
    assert_eq!(hidden["seen"][0], "`rm` is an alias of `shell-safe-rm`, so its shim is not met");
    fs::remove_file(world.path("opt/safe-rm.sh")).expect("a file");
    let gone = doctor(1, "the script is gone");
    assert_eq!(
        gone["seen"][0],
        "`rm` is an alias of `shell-safe-rm`, and `shell-safe-rm` is not there"
    );
    let remedy = gone["remedy"][0].as_str().expect("a remedy");
    assert_eq!(remedy, "echo 'unalias rm' >> ~/.bashrc");
    world.shell(remedy).run();
    assert_eq!(doctor(0, "mended")["verdict"], "ok");
}

#[test]
fn fp058_a_working_directory_that_is_a_link_is_where_it_leads() {
    let world = World::new();
    world.policy(NO_GRADLE).stub("gradle").write("project/sub/file", "").install(&["gradle", "ls"]);
    symlink(world.path("project/sub"), world.path("link")).expect("a link");
    symlink(world.path("link"), world.path("link2")).expect("a link");
    for link in ["link", "link2"] {
        for pwd in [link, "home"] {
            let call = |name: &str| {
                let test = world.shim(name, &[] as &[&str]).cwd(link).env("PWD", world.path(pwd));
                test.path(&["shims", "bin", "/usr/bin", "/bin"])
            };
            call("ls").stdout("file\n").run();
            call("gradle").any_output().run_expecting(86, link);
        }
    }
    assert_eq!(world.calls(), "");
}

#[test]
fn fp061_a_good_file_keeps_its_force_beside_a_broken_one() {
    let broken = "[[embargo]]\ncommand = \"make\n";
    let world = World::new();
    world.stub("gradle").stub("ls").install(&["gradle", "ls"]);
    world.write(USER, NO_GRADLE).policy(broken);
    let found = run(&world, "gradle", 86, "the user's is good");
    assert!(found.stderr.starts_with("embargo: embargo.toml:2:16: "), "{found:?}");
    assert_eq!(world.calls(), "");
    let found = run(&world, "ls", 0, "neither file mentions it");
    assert!(found.stderr.starts_with("embargo: embargo.toml:2:16: "), "{found:?}");
    assert_eq!(found.stderr.lines().count(), 1, "{found:?}");
    world.write(USER, broken).policy(NO_GRADLE);
    run(&world, "gradle", 88, "the user's is broken");
    run(&world, "ls", 88, "the user's is broken");
}

/// As many processes at once, and how each ended.
fn at_once(count: usize, start: impl Fn(usize) -> Child) -> Vec<Option<i32>> {
    let children: Vec<Child> = (0..count).map(start).collect();
    children.into_iter().map(|mut child| child.wait().expect("an end").code()).collect()
}

/// Signals are what they are by default: whoever runs the tests in the background ignores SIGINT.
fn quiet(world: &World, program: &Path) -> Command {
    let path = [world.path("shims"), world.path("bin"), "/usr/bin".into(), "/bin".into()];
    let mut command = Command::new("env");
    command.arg("--default-signal").arg(program);
    command.env_clear().env("HOME", world.path("home")).current_dir(world.path("project"));
    command.env("PATH", std::env::join_paths(path).expect("a PATH"));
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command
}

#[test]
fn dl032_two_sessions_at_once_keep_their_own_counts() {
    let world = World::new();
    world.policy(NO_GRADLE).stub("gradle");
    let last = format!(
        "#!/bin/sh\nfor i in 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9\n\
         do gradle build 2>/dev/null; sleep 0.03; done; {EMBARGO} last > last-$1\n"
    );
    world.script("project/work", &last);
    let ends = at_once(2, |i| {
        let mut run = quiet(&world, EMBARGO.as_ref());
        run.args(["run", "--", "./work", &i.to_string()]).spawn().expect("a run")
    });
    assert_eq!(ends, [Some(0), Some(0)]);
    let state = world.path(STATE);
    let rows = rows(&state, &Filter::default()).expect("readable");
    assert_eq!(rows.len(), 100);
    assert!(matches!(verify(&state), Ok(Chain::Whole { .. })));
    let mut counts: BTreeMap<&str, Vec<u32>> = BTreeMap::new();
    rows.iter().for_each(|row| counts.entry(&row.session).or_default().push(row.offence));
    assert_eq!(counts.len(), 2);
    for (session, offences) in counts {
        // Each after the one before was over, by more than the clock's tick: none is lost.
        assert_eq!(offences, (1..=50).collect::<Vec<_>>(), "{session}");
    }
    for i in 0..2 {
        let said = world.read(&format!("project/last-{i}"));
        assert!(
            said.contains("rule `no-gradle`") && said.contains("I have now been refused this"),
            "{said}"
        );
    }
    assert_eq!(world.calls(), "");
}

/// Waits for a file to be written; a stub says by it how far it is.
fn await_file(path: &Path) -> String {
    let end = Instant::now() + Duration::from_secs(30);
    loop {
        match fs::read_to_string(path) {
            Ok(text) if text.ends_with('\n') => return text,
            _ if Instant::now() > end => panic!("{} never came", path.display()),
            _ => std::thread::sleep(Duration::from_millis(5)),
        }
    }
}

#[test]
fn pt007_a_signal_reaches_the_program() {
    use rustix::process::{Pid, Signal, kill_process};
    let world = World::new();
    world.script(
        "bin/tool",
        "#!/bin/sh\ntrap 'echo INT >> came' INT\ntrap 'echo TERM >> came; exit 9' TERM\n\
         echo $$ > pid\nwhile :; do sleep 0.02; done\n",
    );
    world.install(&["tool"]);
    let mut child = quiet(&world, &world.path("shims/tool")).spawn().expect("a shim");
    let pid = await_file(&world.path("project/pid"));
    assert_eq!(pid.trim(), child.id().to_string());
    let send = |signal| {
        let pid = Pid::from_raw(i32::try_from(child.id()).expect("a pid")).expect("a pid");
        kill_process(pid, signal).expect("sent");
    };
    send(Signal::INT);
    await_file(&world.path("project/came"));
    send(Signal::TERM);
    assert_eq!(child.wait().expect("an end").code(), Some(9));
    assert_eq!(world.read("project/came"), "INT\nTERM\n");
}

/// A bash in a pseudo-terminal, told by the lines that it shows.
struct Terminal {
    child: Child,
    keys: std::process::ChildStdin,
    shown: std::sync::Arc<std::sync::Mutex<String>>,
}

impl Terminal {
    /// `None` without script(1).
    fn open(world: &World) -> Option<Self> {
        let mut command = quiet(world, "script".as_ref());
        command.args(["-qec", "bash --norc --noprofile -i", "/dev/null"]);
        command.env("PS1", "ready> ").env("TERM", "dumb");
        let spawned = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn();
        let Ok(mut child) = spawned else {
            eprintln!("skipped: no script(1) here");
            return None;
        };
        let shown = std::sync::Arc::new(std::sync::Mutex::new(String::new()));
        let (mut out, into) = (child.stdout.take()?, shown.clone());
        std::thread::spawn(move || {
            let mut bytes = [0; 1024];
            while let Ok(length @ 1..) = out.read(&mut bytes) {
                into.lock().expect("no panic").push_str(&String::from_utf8_lossy(&bytes[..length]));
            }
        });
        let keys = child.stdin.take()?;
        let mut terminal = Terminal { child, keys, shown };
        terminal.until("ready> ");
        Some(terminal)
    }

    fn keys(&mut self, keys: &str) -> &mut Self {
        self.keys.write_all(keys.as_bytes()).and_then(|()| self.keys.flush()).expect("a key");
        self
    }

    /// Takes what is shown up to and with this text.
    fn until(&mut self, text: &str) -> String {
        let end = Instant::now() + Duration::from_secs(30);
        loop {
            let mut shown = self.shown.lock().expect("no panic");
            if let Some(at) = shown.find(text) {
                let rest = shown.split_off(at + text.len());
                return std::mem::replace(&mut *shown, rest);
            }
            assert!(Instant::now() < end, "no {text:?} in {shown:?}");
            drop(shown);
            std::thread::sleep(Duration::from_millis(5));
        }
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn pt008_a_shell_waits_for_the_program_that_ctrl_c_ends() {
    let world = World::new();
    let slow = "#!/bin/sh\ntrap 'sleep 0.5; echo last word; exit 3' INT\necho begun\nwhile :; do sleep 0.02; done\n";
    world.script("bin/tool", slow).install(&["tool"]);
    let Some(mut terminal) = Terminal::open(&world) else { return };
    terminal.keys("tool\n").until("begun");
    terminal.keys("\x03");
    let shown = terminal.until("ready> ");
    assert!(shown.contains("last word"), "the prompt came first: {shown:?}");
    terminal.keys("echo status $?\n").until("status 3");
}

/// A9: where there is neither a notifier nor a desktop, whoever sits at the terminal hears it.
#[test]
fn where_nobody_else_can_be_told_the_terminal_rings() {
    for (settings, rings) in [
        ("", 0), // the first refusal teaches
        ("[default]\nsurface_after = 1\n", 1),
        ("[default]\nsurface_after = 1\nnotify = [\"/bin/true\"]\n", 0),
    ] {
        let world = World::new();
        world.policy(NO_GRADLE).write(USER, settings).install(&["gradle"]);
        let Some(mut terminal) = Terminal::open(&world) else { return };
        terminal.keys("gradle x; s=$?; echo it is $s\n");
        let shown = terminal.until("it is 86");
        assert_eq!(shown.matches('\x07').count(), rings, "{settings}: {shown:?}");
    }
}

#[test]
fn pt011_a_stopped_program_goes_on() {
    let world = World::new();
    let own = "#!/bin/sh\ngrep -E '^Sig(Blk|Ign|Cgt)' /proc/self/status > \"$1\"\necho $$ > pid\n";
    world.script("bin/tool", own);
    world.script("bin/slow", "#!/bin/sh\necho begun\nread word < pipe\necho went on\n");
    let pipe = Command::new("mkfifo").arg(world.path("project/pipe")).status();
    assert!(pipe.expect("mkfifo").success());
    world.install(&["tool", "slow"]);
    let Some(mut terminal) = Terminal::open(&world) else { return };
    terminal.keys("slow\n").until("begun");
    terminal.keys("\x1a").until("Stopped");
    terminal.keys("jobs -p; ps -o stat= $(jobs -p); echo is\n");
    let shown = terminal.until("is\r\n");
    let shown = shown + &terminal.until("is\r\n");
    assert!(shown.lines().any(|line| line.starts_with('T')), "not stopped: {shown:?}");
    terminal.keys("fg\n").until("slow");
    fs::write(world.path("project/pipe"), "go\n").expect("a reader");
    terminal.until("went on");
    for (name, ignored) in [("plain", ""), ("ignored", "trap '' PIPE; ")] {
        let line = |program: &str, file: &str| format!("({ignored}{program} {file})\n");
        let real = world.path("bin/tool").display().to_string();
        terminal.keys(&line("tool", "shimmed")).keys(&line(&real, "direct"));
        terminal.keys("echo done\n").until("done\r\n");
        terminal.until("ready> ");
        await_file(&world.path("project/direct"));
        assert_eq!(world.read("project/shimmed"), world.read("project/direct"), "{name}");
        for file in ["shimmed", "direct"] {
            fs::remove_file(world.path("project").join(file)).expect("a file");
        }
    }
}

fn owners(world: &World) -> Vec<(PathBuf, u32, i64)> {
    fn walk(path: PathBuf, found: &mut Vec<(PathBuf, u32, i64)>) {
        let known = path.symlink_metadata().expect("there");
        found.push((path.clone(), known.uid(), known.mtime()));
        if known.is_dir() {
            let entries = fs::read_dir(path).expect("a directory");
            entries.for_each(|entry| walk(entry.expect("an entry").path(), found));
        }
    }
    let mut found = Vec::new();
    walk(world.path("home"), &mut found);
    found.sort();
    found
}

#[test]
fn pt023_under_sudo_the_users_policy_counts_and_their_state_is_left_alone() {
    if !rustix::process::geteuid().is_root() {
        eprintln!("skipped: needs root");
        return;
    }
    let world = World::new();
    world.stub("ukify").write("home/.cache/file", "").write("home/.local/state/file", "");
    world.write("root/file", "").give_to(NOBODY);
    let shims = world.path("shims").display().to_string();
    let install = ["shim", "install", "--dir", &shims, "ukify"];
    world.embargo(&install).by_user(NOBODY).any_output().run_expecting(0, "install");
    let root = |status, row: &str| {
        let before = owners(&world);
        let _ = fs::remove_file(world.path("calls"));
        let test = world.shim("ukify", &["x"]).env("HOME", world.path("root"));
        test.any_output().run_expecting(status, row);
        assert_eq!(owners(&world), before, "{row}");
        assert_eq!(world.calls(), if status == 0 { "ukify x\n" } else { "" }, "{row}");
    };
    root(0, "no rule");
    world.write(USER, rule("ukify"));
    root(86, "the user's rule");
    fs::remove_file(world.path("shims/.embargo-home")).expect("a record");
    root(0, "no record");
}

#[test]
fn pt027_the_directory_stands_on_path_once() {
    let world = World::new();
    world.policy(NO_GRADLE).stub("gradle");
    let own = world.path("home/.local/share/embargo/shims");
    fs::create_dir_all(&own).expect("a directory");
    let env = format!("eval \"$({EMBARGO} env --shell sh)\"\n");
    let nested = format!("sh -c '{env}\necho \"$PATH\"'\n");
    let text = format!("{}echo \"$PATH\"\n{nested}", env.repeat(3));
    let path = format!("{}:[W]/bin:/usr/bin:/bin\n", "[W]/home/.local/share/embargo/shims");
    let paths = ["bin", "/usr/bin", "/bin"];
    world.shell(&text).path(&paths).stdout(path.repeat(2)).run();
    for shell in ["zsh", "fish"] {
        let told = world.embargo(&["env", "--shell", shell]).any_output().run_expecting(0, shell);
        assert!(told.stdout.contains("embargo/shims"), "{told:?}");
    }
    world.script("project/inner", "#!/bin/sh\necho \"$PATH\"\n");
    world.script("project/outer", &format!("#!/bin/sh\nexec {EMBARGO} run -- ./inner\n"));
    let found = world.embargo(&["run", "--", "./outer"]).path(&paths).any_output().run();
    let entries: Vec<&str> = found.stdout.trim().split(':').collect();
    let own = format!("[W]/{}", "home/.local/share/embargo/runs/RUN");
    // An inner run adds policies, so it has a directory of its own; each stands there once.
    assert_eq!(entries, [&*own, &*own, "[W]/bin", "/usr/bin", "/bin"], "{found:?}");
}

#[test]
fn pt032_the_agents_shell_stays_its_own() {
    let world = World::new();
    world.policy(NO_GRADLE).stub("gradle");
    let run = |command: &[&str]| {
        let words = [&["run", "--"], command].concat();
        let test = world.embargo(&words).env("SHELL", "/bin/zsh").env("ZDOTDIR", "/z");
        test.env("BASH_ENV", "/b").env("ENV", "/e").path(&["bin", "/usr/bin", "/bin"])
    };
    run(&["sh", "-c", "echo \"$SHELL $0\""]).stdout("/bin/zsh sh\n").run();
    let found = run(&["/usr/bin/env"]).any_output().run_expecting(0, "env");
    let mut names: Vec<&str> = found.stdout.lines().filter(|l| !l.starts_with("PATH=")).collect();
    names.retain(|line| !line.starts_with("EMBARGO_"));
    names.sort_unstable();
    assert_eq!(names, ["BASH_ENV=/b", "ENV=/e", "HOME=[W]/home", "SHELL=/bin/zsh", "ZDOTDIR=/z"]);
}

#[test]
fn hg012_the_search_upwards_ends() {
    let deep: PathBuf = std::iter::once("/").chain(std::iter::repeat_n("d", 4000)).collect();
    let odd = [".", "a/..", "", "/", "//", "../..", "a//b/./c"].map(PathBuf::from);
    for cwd in odd.into_iter().chain([deep]) {
        let context =
            Context { cwd: Some(cwd.clone()), by_variables: None, ..Context::of_caller() };
        let began = Instant::now();
        let found = sources::find(&context, std::slice::from_ref(&cwd));
        let mut paths: Vec<_> = found.iter().map(|source| &source.path).collect();
        paths.sort();
        paths.dedup();
        assert_eq!(paths.len(), found.len(), "{}: twice", cwd.display());
        assert!(began.elapsed() < Duration::from_secs(1), "{}", cwd.display());
    }
    let world = World::new();
    world.stub("tool").install(&["tool"]);
    let gone = format!("mkdir {0}; cd {0}; rmdir {0}; exec tool", world.path("gone").display());
    for text in [&*gone, "cd /; exec tool", "cd /proc; exec tool", "PWD=.; exec tool"] {
        let began = Instant::now();
        let test = world.shell(text).path(&["shims", "bin", "/usr/bin", "/bin"]);
        test.any_output().run_expecting(0, text);
        assert!(began.elapsed() < Duration::from_secs(10), "{text}");
    }
    assert_eq!(world.calls(), "tool\n".repeat(4));
}

#[test]
fn cr008_a_hundred_beginnings_at_once_all_succeed() {
    let world = World::new();
    world.stub("gradle").stub("npm").policy(NO_GRADLE).write("home/.config/file", "");
    let shims = world.path("shims");
    let ends = at_once(30, |_| {
        let mut sync = quiet(&world, EMBARGO.as_ref());
        sync.args(["shim", "sync", "--dir"]).arg(&shims).spawn().expect("a sync")
    });
    assert_eq!(ends, [Some(0); 30]);
    let listing = |below: &str| {
        let entries = fs::read_dir(world.path(below)).expect("a directory");
        let mut names: Vec<_> = entries.map(|e| e.expect("an entry").file_name()).collect();
        names.sort();
        names
    };
    let mut one = quiet(&world, EMBARGO.as_ref());
    let one = one.args(["shim", "sync", "--dir", "../one"]).status().expect("a sync");
    assert!(one.success());
    assert_eq!(listing("shims"), listing("one"));

    fs::remove_dir_all(world.path("home/.cache/embargo")).expect("gone");
    fs::remove_dir_all(world.path(STATE))
        .and_then(|()| fs::create_dir(world.path(STATE)))
        .expect("empty");
    world.write("said", "");
    let said = fs::File::options().append(true).open(world.path("said")).expect("a file");
    let began = Instant::now();
    let ends = at_once(100, |_| {
        let mut shim = quiet(&world, &shims.join("gradle"));
        shim.stderr(said.try_clone().expect("a file")).spawn().expect("a shim")
    });
    assert_eq!(ends, [Some(86); 100]);
    assert_eq!(listing("home/.cache/embargo/views").len(), 1, "one view, nothing beside it");
    let rows = rows(&world.path(STATE), &Filter::default()).expect("readable").len();
    // Who waits for the lock for two seconds refuses without a row: on a slow machine only.
    let unrecorded = world.read("said").matches("[embargo refused unrecorded").count();
    assert_eq!(rows + unrecorded, 100);
    assert!(unrecorded == 0 || began.elapsed() > Duration::from_secs(2), "{unrecorded} unrecorded");
    assert!(matches!(verify(&world.path(STATE)), Ok(Chain::Whole { .. })));
    assert_eq!(world.calls(), "");
}

#[test]
fn ux008_an_explanation_names_what_decided_and_what_was_silenced() {
    let world = World::new();
    let allow = "[[embargo]]\nid = \"grep-is-fine\"\ncommand = \"grep\"\nverdict = \"allow\"\nreason = \"x\"\n";
    let debug = "[[embargo]]\nid = \"no-debug\"\npattern = 'DEBUG'\nreason = \"x\"\n";
    world.write(USER, allow).policy(debug);
    let argv = ["explain", "--argv", "grep", "-A", "5", "-B", "5", "STEP DEBUG", "log/test.log"];
    let text = "grep -A 5 -B 5 'STEP DEBUG' log/test.log";
    let found = world.embargo(&argv).any_output().run_expecting(0, "explain");
    for part in
        [text, "grep-is-fine", &format!("[W]/{USER}:1"), "no-debug", "embargo.toml:1", "allow"]
    {
        assert!(found.stdout.contains(part), "{part}: {}", found.stdout);
    }
    let argv = [&["explain", "--json"], &argv[1..]].concat();
    let found = world.embargo(&argv).any_output().run_expecting(0, "explain --json");
    let told: serde_json::Value = serde_json::from_str(&found.stdout).expect("an object");
    assert_eq!((&told["verdict"], &told["commands"][0]["text"]), (&"pass".into(), &text.into()));
    let rules = told["commands"][0]["rules"].as_array().expect("rules");
    let silenced: Vec<(&str, bool)> = rules
        .iter()
        .map(|r| (r["id"].as_str().expect("an id"), r["silenced"].as_bool().expect("a word")))
        .collect();
    assert!(silenced.contains(&("no-debug", true)), "{rules:#?}");
    assert!(silenced.contains(&("grep-is-fine", false)), "{rules:#?}");
    world.embargo(&["explain", "grep", "-A"]).stderr_has(&["--argv"]).status(2).run();
    world
        .embargo(&["explain", "grep", "DEBUG"])
        .stderr_has(&["'grep DEBUG'", "--argv grep DEBUG"])
        .status(2)
        .run();
}

#[test]
fn ux009_no_shim_makes_a_tool_out_of_nothing() {
    let world = World::new();
    world.stub("bar").policy("");
    let install = || world.embargo(&["shim", "install", "--dir", "../shims", "bar", "foo"]);
    let why = "no shim `foo`: no program of that name is on PATH and no rule refuses it";
    install().any_output().stderr_has(&[why]).status(1).run();
    assert!(!world.path("shims/foo").is_symlink(), "nothing is behind it");
    assert!(world.path("shims/bar").is_symlink(), "the others are made");
    let sync = ["shim", "sync", "--dir", "../shims"];
    world.install(&["foo"]).embargo(&sync).any_output().run_expecting(0, "sync");
    assert!(world.path("shims/foo").is_symlink(), "a person forced it");
    world.embargo(&["shim", "uninstall", "--dir", "../shims", "foo"]).any_output().run();
    world.embargo(&sync).any_output().run_expecting(0, "sync");
    assert!(!world.path("shims/foo").is_symlink(), "nobody but a person asks for it");
    world.policy(&rule("foo"));
    install().stdout_has(&["foo"]).stderr("").run();
    world.embargo(&["shim", "uninstall", "--dir", "../shims", "foo"]).any_output().run();
    world.embargo(&sync).any_output().run_expecting(0, "sync");
    assert!(world.path("shims/foo").is_symlink());
    world.policy("");
    world.embargo(&sync).any_output().run_expecting(0, "sync");
    assert!(!world.path("shims/foo").is_symlink());
    symlink(EMBARGO, world.path("shims/foo")).expect("a link");
    let found = world.shim("foo", &["x"]).any_output().run_expecting(127, "by hand");
    assert!(found.stderr.ends_with("foo: command not found\n"), "{found:?}");
}

#[test]
fn ux010_a_warned_call_leaves_a_trace() {
    let world = World::new();
    let warn = "[[embargo]]\nid = \"stash\"\ncommand = \"git stash\"\nverdict = \"warn\"\nreason = \"x\"\n";
    world.policy(warn).stub("git");
    world.script("project/script", "#!/bin/sh\ngit stash --token hunter2\ngit status\ntrue\n");
    let found = world.embargo(&["run", "./script"]).any_output().run_expecting(0, "run");
    assert!(found.stderr.contains("rule `stash`"), "{found:?}");
    assert_eq!(world.calls(), "git stash --token hunter2\ngit status\n");
    let rows = rows(&world.path(STATE), &Filter::default()).expect("readable");
    let [row] = &rows[..] else { panic!("{} rows", rows.len()) };
    assert_eq!((&*row.rule, &*row.verdict, row.digest.len()), ("stash", "warn", 64));
    assert_eq!(row.cwd, world.path("project").display().to_string());
    assert!(!row.argv.contains(&"hunter2".into()) && row.argv[..2] == ["git", "stash"], "{row:?}");
    assert!(row.parent.iter().any(|word| word.contains("script")), "{:?}", row.parent);
    assert!(row.pid != 0 && row.ppid != 0 && row.session.contains(':'), "{row:?}");
    world.embargo(&["log"]).stdout_has(&["stash", "warn"]).run();
}
