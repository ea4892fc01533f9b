//! What harnesses are told when a hook breaks down or is late: the rows of `tests/cases/hooks` that
//! have a `fault`. `EMBARGO_UNDER_TEST` names another binary than the one that was built with this
//! test: `.ci/run` has it name the releases, where a panic aborts.

mod common;
#[path = "common/programs.rs"]
mod programs;

use std::ffi::OsString;
use std::fs::File;
use std::io::{Read as _, Write as _};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use common::{EMBARGO, NO_GRADLE, REFUSED, World};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

/// A row: the harness, what is sent, and what is to come of it.
struct Row {
    harness: String,
    payload: String,
    stdout: String,
    stderr: String,
    status: i32,
}

/// The rows of that name, one for each harness.
fn rows(name: &str, world: &World) -> Vec<Row> {
    let cases = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases/hooks");
    let files = std::fs::read_dir(cases).expect("cases");
    let mut rows: Vec<Row> =
        files.map(|entry| row(name, &entry.expect("a file").path(), world)).collect();
    rows.sort_by(|a, b| a.harness.cmp(&b.harness));
    assert_eq!(rows.len(), 15);
    rows
}

fn row(name: &str, path: &Path, world: &World) -> Row {
    let harness = path.file_stem().expect("a name").to_str().expect("text").to_owned();
    let file: toml::Table = std::fs::read_to_string(path).expect("text").parse().expect("TOML");
    let cases = file["case"].as_array().expect("cases");
    let is_it =
        |case: &&toml::Value| case["name"].as_str() == Some(name) && case.get("fault").is_some();
    let case = cases.iter().find(is_it).unwrap_or_else(|| panic!("{harness} lacks {name:?}"));
    let string = |key: &str| case.get(key).and_then(|v| v.as_str()).unwrap_or_default();
    let line = if string("stdout").is_empty() { "" } else { "\n" };
    let payload = string("payload").replace("[P]", &world.path("project").display().to_string());
    Row {
        payload: payload.replace("[S]", &harness),
        stdout: expanded(string("stdout")) + line,
        stderr: expanded(string("stderr")),
        status: case.get("status").and_then(toml::Value::as_integer).unwrap_or(0) as i32,
        harness,
    }
}

/// With the texts that are named by `@name`, as JSON, and `$name`.
fn expanded(template: &str) -> String {
    let unrecorded = format!("{REFUSED}[embargo refused unrecorded exit 86]\n");
    let no_verdict = "embargo failed, so the command was not run: it broke down, or came to no verdict in 2 seconds.\n\
        This is a fault of the installation, not of the command; trying again will be refused too. A person must mend it: `embargo doctor` and `embargo lint` show what is wrong. I must tell the user.\n\
        [embargo broken exit 88]\n";
    let json = |text: &str| Value::from(text).to_string();
    template
        .replace("@no_verdict", &json(no_verdict))
        .replace("$no_verdict", no_verdict)
        .replace("@unrecorded", &json(&unrecorded))
        .replace("$unrecorded", &unrecorded)
}

fn world() -> World {
    let world = World::new();
    world.policy(NO_GRADLE);
    world
}

fn binary() -> OsString {
    std::env::var_os("EMBARGO_UNDER_TEST").unwrap_or_else(|| EMBARGO.into())
}

/// A hook that waits for its message; `below` is what starts it.
fn start(world: &World, below: Option<&Path>, harness: &str) -> Child {
    let mut command = match below {
        Some(program) => Command::new(program),
        None => Command::new(binary()),
    };
    command.args(below.map(|_| binary())).args(["hook", harness]);
    command.env_clear().env("HOME", world.path("home")).current_dir(world.path("project"));
    let pipes = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    pipes.spawn().expect("a process")
}

/// What it has said, and its status; its standard input stays open until then.
fn end(mut child: Child) -> (String, String, Option<i32>) {
    let stdin = child.stdin.take();
    let (mut stdout, mut stderr) = (String::new(), String::new());
    child.stdout.take().expect("a pipe").read_to_string(&mut stdout).expect("text");
    child.stderr.take().expect("a pipe").read_to_string(&mut stderr).expect("text");
    let status = child.wait().expect("an end").code();
    drop(stdin);
    (stdout, stderr, status)
}

fn check(row: Row, found: (String, String, Option<i32>)) {
    assert_eq!(found, (row.stdout, row.stderr, Some(row.status)), "{}", row.harness);
}

#[test]
fn no_verdict_in_two_seconds_is_a_deny() {
    let world = world();
    let begin = Instant::now();
    let late =
        rows("time-out", &world).into_iter().map(|row| (start(&world, None, &row.harness), row));
    let late: Vec<(Child, Row)> = late.collect();
    late.into_iter().for_each(|(child, row)| check(row, end(child)));
    let took = begin.elapsed();
    assert!((Duration::from_secs(1)..Duration::from_secs(15)).contains(&took), "{took:?}");
}

#[test]
fn a_fault_is_a_deny() {
    let world = world();
    for (at, row) in rows("time-out", &world).into_iter().enumerate() {
        let signal = [Signal::SEGV, Signal::ABORT, Signal::BUS][at % 3];
        let child = start(&world, None, &row.harness);
        until_it_reads(&child);
        kill_process(Pid::from_child(&child), signal).expect("a process");
        check(row, end(child));
    }
}

/// Before that it may not have come so far.
fn until_it_reads(child: &Child) {
    let wchan = format!("/proc/{}/syscall", child.id());
    for _ in 0..200 {
        // read(2) of descriptor 0, on the two architectures that are built for.
        let call = std::fs::read_to_string(&wchan).unwrap_or_default();
        if call.starts_with("0 0x0 ") || call.starts_with("63 0x0 ") {
            return;
        }
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// A panic of the binary itself: the log is held by others, and `sleep` panics where the system
/// fails it as it never does. The lock goes in the end, so that a hook which did not panic would have
/// written the refusal down.
#[cfg(target_os = "linux")]
#[test]
fn a_panic_is_a_deny() {
    let world = world();
    world.write("home/.local/state/embargo/evidence.lock", "");
    let no_sleep = programs::compiled("no-sleep", include_str!("common/no_sleep.c"), &[]);
    for row in rows("panic", &world) {
        let lock =
            File::open(world.path("home/.local/state/embargo/evidence.lock")).expect("a lock");
        lock.lock().expect("the lock");
        let mut child = start(&world, Some(&no_sleep), &row.harness);
        let mut stdin = child.stdin.take().expect("a pipe");
        stdin.write_all(row.payload.as_bytes()).expect("a message");
        drop(stdin);
        let begin = Instant::now();
        while child.try_wait().expect("a process").is_none() && begin.elapsed().as_millis() < 1700 {
            std::thread::sleep(Duration::from_millis(2));
        }
        drop(lock);
        check(row, end(child));
    }
}

/// What this suite does not use of the programs.
const _: fn(&World) = |world| {
    let _ = programs::put(world, programs::recorder(), "");
};
