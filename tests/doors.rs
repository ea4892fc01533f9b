//! One act at two doors (D27): what a shim does with a call that a hook has been asked about. The
//! cases are in `tests/cases/doors.toml`, each in a world of its own.

mod common;

use std::time::{Duration, SystemTime};

use common::{EMBARGO, Found, World};
use serde::Deserialize;
use serde_json::{Value, json};

#[derive(Deserialize)]
struct Table {
    case: Vec<Case>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    name: String,
    #[serde(rename = "why")]
    _why: Option<String>,
    steps: Vec<Step>,
}

#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields, default)]
struct Step {
    hook: Option<String>,
    event: Option<String>,
    answer: Option<String>,
    harness: Option<String>,
    session: Option<String>,
    call: Option<String>,
    /// Started by another program than the one that starts shims.
    apart: bool,
    run: Option<String>,
    status: Option<i32>,
    says: Option<bool>,
    ran: Option<Vec<String>>,
    offence: Option<u64>,
    older: Option<i64>,
}

const POLICY: &str = r#"
[[embargo]]
id = "ask-push"
command = "git push"
verdict = "ask"
reason = "others see it"

[[embargo]]
id = "ask-tag"
command = "git tag"
verdict = "ask"
reason = "releases are made of it"

[[embargo]]
id = "grant-deploy"
command = "deploy"
verdict = "grant"
reason = "it is live"

[[embargo]]
id = "warn-npm"
command = "npm"
verdict = "warn"
reason = "it is slow"

[[embargo]]
id = "no-gradle"
command = "gradle"
reason = "it is pinned"
"#;

#[test]
fn one_act_is_judged_once_whichever_door_sees_it_first() {
    let table = include_str!("cases/doors.toml");
    let table: Table = toml::from_str(table).expect("a table");
    for case in table.case {
        let world = World::new();
        world.policy(POLICY).write("project/sub/x", "");
        for name in ["git", "npm", "gradle", "deploy"] {
            world.stub(name);
        }
        world.install(&["git", "npm", "gradle", "deploy"]);
        for (at, step) in case.steps.iter().enumerate() {
            let row = format!("{}, step {}", case.name, at + 1);
            if let Some(seconds) = step.older {
                make_older(&world, seconds);
            }
            if step.run.is_some() {
                runs(&world, step, &row);
            } else {
                asks(&world, step, at, &row);
            }
            if let Some(offence) = step.offence {
                let log = world.embargo(&["log", "--json", "--limit", "1"]).any_output().run();
                let newest: Value = serde_json::from_str(&log.stdout).expect("a row");
                assert_eq!(newest["offence"], offence, "{row}\n{newest}");
            }
        }
    }
}

fn runs(world: &World, step: &Step, row: &str) {
    let before = world.calls();
    let line = step.run.as_deref().unwrap_or_default();
    let test = world.shell(line).path(&["shims", "bin", "/usr/bin", "/bin"]);
    let test = test.env("BRANCH", "main").env("CLAUDE_CODE_SESSION_ID", "s1");
    let found = test.any_output().run_expecting(step.status.unwrap_or(0), row);
    assert_eq!(found.stdout, "", "{row}");
    if let Some(says) = step.says {
        assert_eq!(!found.stderr.is_empty(), says, "{row}\n{found:#?}");
    }
    let calls = world.calls();
    let calls: Vec<&str> = calls[before.len()..].lines().collect();
    assert_eq!(
        Some(calls),
        step.ran.as_ref().map(|r| r.iter().map(String::as_str).collect()),
        "{row}"
    );
}

fn asks(world: &World, step: &Step, at: usize, row: &str) {
    let harness = step.harness.as_deref().unwrap_or("claude-code");
    let found = hook(world, harness, &payload(world, step, harness, at), step.apart);
    let answer = match (&*found.stdout, found.status) {
        ("", 0) => "silence",
        (text, 0) if text.contains("\"continue\":false") => "stop",
        (text, _) if text.contains("\"permissionDecision\":\"deny\"") => "deny",
        (text, 0) if text.contains("\"permissionDecision\":\"ask\"") => "ask",
        (text, 0) if text.contains("\"additionalContext\"") => "note",
        _ => "?",
    };
    assert_eq!(Some(answer), step.answer.as_deref(), "{row}\n{found:#?}");
}

fn hook(world: &World, harness: &str, payload: &str, apart: bool) -> Found {
    let paths = ["shims", "bin", "/usr/bin", "/bin"];
    if !apart {
        return world.embargo(&["hook", harness]).path(&paths).stdin(payload).any_output().run();
    }
    world.write("payload", payload);
    let call = format!("{EMBARGO} hook {harness} < {}", world.path("payload").display());
    let words = [format!("BEGIN {{ exit system(\"{call}\") }}")];
    common::Test::new(world, "/usr/bin/awk".as_ref(), &words).path(&paths).any_output().run()
}

fn payload(world: &World, step: &Step, harness: &str, at: usize) -> String {
    let event = match (&step.event, harness) {
        (Some(event), _) => event,
        (None, "gemini") => "BeforeTool",
        _ => "PreToolUse",
    };
    let mut payload = json!({
        "session_id": step.session.as_deref().unwrap_or("s1"),
        "cwd": world.path("project"),
        "hook_event_name": event,
        "tool_name": if harness == "gemini" { "run_shell_command" } else { "Bash" },
        "tool_input": { "command": step.hook.as_deref().unwrap_or("x") },
    });
    match step.call.as_deref() {
        Some("") => {}
        Some(call) => payload["tool_use_id"] = call.into(),
        None => payload["tool_use_id"] = format!("t-{at}").into(),
    }
    if harness == "codex" {
        payload["turn_id"] = "1".into();
    }
    payload.to_string()
}

/// All that hooks have left was left so many seconds earlier.
fn make_older(world: &World, seconds: i64) {
    let acts = world.path("home/.local/state/embargo/acts");
    for entry in std::fs::read_dir(acts).expect("acts") {
        let file = std::fs::File::open(entry.expect("an entry").path()).expect("an act");
        let by = Duration::from_secs(seconds.unsigned_abs());
        let now = SystemTime::now();
        let at = if seconds < 0 { now + by } else { now - by };
        file.set_modified(at).expect("a time");
    }
}
