//! `embargo hook`: what harnesses are answered, to the byte, and what is written into their
//! configuration. Payloads and answers are in `tests/cases/hooks`, a file for each harness.

mod common;

use std::path::Path;
use std::process::Command;

use common::{EMBARGO, NO_GRADLE, REFUSED, World};
use embargo::sys::last_word;
use serde_json::Value;

const RULES: &str = "
[[embargo]]
id = \"ask-push\"
command = \"git push\"
verdict = \"ask\"
reason = \"others see it\"
alternative = \"tell the user what is ready\"

[[embargo]]
id = \"warn-npm\"
command = \"npm\"
verdict = \"warn\"
reason = \"it is slow\"
";

const FAULT: &str = "\
This is a fault of the installation, not of the command; trying again will be refused too. A person must mend it: `embargo doctor` and `embargo lint` show what is wrong. I must tell the user.
[embargo broken exit 88]
";

/// The texts that cases name.
fn text(name: &str) -> String {
    let failed = |why: &str| format!("embargo failed, so the command was not run: {why}.\n{FAULT}");
    match name {
        "deny" => format!("{REFUSED}[embargo refused e_ID exit 86]\n"),
        "deny_again" => format!("{REFUSED}I have now been refused this 2 times. I must stop and tell the user what I tried and why it was refused.\n[embargo refused e_ID exit 86]\n"),
        "stopped" => "embargo stopped the agent: it has now been refused `gradle` 2 times, because raw gradle does not have the libraries our application needs. Rule `no-gradle` (embargo.toml:1). Tell it how to go on.".to_owned(),
        "ask" => "embargo asks for a person's approval of `git push` because others see it. The agent could tell the user what is ready. Rule `ask-push` (embargo.toml:7).\n[embargo asks e_ID exit 87]\n".to_owned(),
        "approve" => "I must not use `git push` without a person's approval because others see it. Instead, tell the user what is ready.\nA person has to approve it: rule `ask-push` (embargo.toml:7) covers every `git push`; until then trying again or with other flags will be refused too. I must tell the user.\nThis harness cannot ask: a person who agrees runs the command in a terminal of their own, or changes the rule.\n[embargo asks e_ID exit 87]\n".to_owned(),
        "warn" => "I should not use `npm` because it is slow. [embargo warned: rule `warn-npm`]\n".to_owned(),
        "sub" => "I must not use `make` because it is not for here. No alternative is set; I must ask the user.\nThis is policy, not a fault: rule `make` (embargo.toml:1) covers every use of it; trying again or with other flags will be refused too.\n[embargo refused e_ID exit 86]\n".to_owned(),
        "malformed" => failed("the harness's message is no JSON that can be read (EOF while parsing a value at line 1 column 11)"),
        "no_object" => failed("the harness's message is no JSON object"),
        "no_command" => failed("the harness's message has no command"),
        "broken_line" => failed("the hook line `embargo hook claud` in this harness's configuration is broken; `embargo hook install NAME` writes a good one, and `embargo hook status` shows what is there"),
        other => panic!("no text {other:?}"),
    }
}

/// With the texts that are named by `@name`, as JSON, and `$name`.
fn expanded(template: &str) -> String {
    let names = regex::Regex::new("([@$])([a-z_]+)").expect("a regex");
    let expand = |found: &regex::Captures<'_>| match &found[1] {
        "@" => Value::from(text(&found[2])).to_string(),
        _ => text(&found[2]),
    };
    names.replace_all(template, expand).into_owned()
}

fn world() -> World {
    let world = World::new();
    world.policy(&format!("{NO_GRADLE}{RULES}"));
    let sub = "[[embargo]]\ncommand = \"make\"\nreason = \"it is not for here\"\n";
    world.write("project/sub/embargo.toml", sub);
    world
}

/// A payload of Claude's about the project.
fn claude(world: &World, event: &str, more: &str) -> String {
    let cwd = world.path("project");
    format!(
        "{{\"session_id\":\"s1\",\"cwd\":{:?},\"hook_event_name\":\"{event}\"{more}}}",
        cwd.display().to_string()
    )
}

fn bash(world: &World, line: &str) -> String {
    let line = Value::from(line);
    claude(
        world,
        "PreToolUse",
        &format!(",\"tool_name\":\"Bash\",\"tool_input\":{{\"command\":{line}}}"),
    )
}

#[test]
fn every_harness_is_answered_in_its_own_way() {
    let cases = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases/hooks");
    let world = world();
    let mut harnesses = 0;
    let call_id = "(\"(?:tool_use_id|tool_call_id|callID|execution_id)\":\")";
    let call_id = regex::Regex::new(call_id).expect("a regex");
    for entry in std::fs::read_dir(cases).expect("cases") {
        let path = entry.expect("an entry").path();
        let harness = path.file_stem().expect("a name").to_str().expect("text").to_owned();
        let file: toml::Table =
            std::fs::read_to_string(&path).expect("text").parse().expect("TOML");
        let mut kinds = Vec::new();
        for (at, case) in file["case"].as_array().expect("cases").iter().enumerate() {
            let string = |key: &str| case.get(key).and_then(|v| v.as_str()).unwrap_or_default();
            kinds.push(string("name").to_owned());
            // Those are done in `tests/hook_faults.rs`.
            if case.get("fault").is_some() {
                continue;
            }
            let payload = string("payload")
                .replace("[P]", &world.path("project").display().to_string())
                .replace("[S]", &format!("{harness}-{at}"));
            let hook = if string("hook").is_empty() { &harness } else { string("hook") };
            if case.get("again").is_some() {
                let other = call_id.replace_all(&payload, "${1}first-");
                world.embargo(&["hook", hook]).stdin(&*other).any_output().run();
            }
            let found = world.embargo(&["hook", hook]).stdin(payload).any_output().run();
            let row = format!("{}: {}", path.display(), string("name"));
            let line = if string("stdout").is_empty() { "" } else { "\n" };
            assert_eq!(found.stdout, expanded(string("stdout")) + line, "{row}");
            assert_eq!(found.stderr, expanded(string("stderr")), "{row}");
            let status = case.get("status").and_then(toml::Value::as_integer).unwrap_or(0);
            assert_eq!(i64::from(found.status), status, "{row}");
        }
        for kind in [
            "allow",
            "deny",
            "ask",
            "malformed",
            "unknown tool",
            "loaded by another",
            "second offence",
            "time-out",
            "panic",
        ] {
            assert!(kinds.iter().any(|k| k == kind), "{} lacks {kind:?}", path.display());
        }
        harnesses += 1;
    }
    assert_eq!(harnesses, 15);
}

/// What the model writes into its tool's arguments moves the judgement only where that tool has
/// such an argument, and a directory that is not there is still in a project.
#[test]
fn no_field_of_the_models_own_leaves_the_project() {
    let fields = ["directory", "working_directory", "dir_path", "workdir", "cwd"];
    for harness in ["claude-code", "codex", "copilot", "droid", "kiro"] {
        for field in fields {
            let world = world();
            let cwd = world.path("project").display().to_string();
            let payload = format!(
                "{{\"session_id\":\"s\",\"cwd\":{cwd:?},\"hook_event_name\":\"PreToolUse\",\"tool_name\":\"Bash\",\"tool_info\":{{\"cwd\":\"/\"}},\"args\":{{\"workdir\":\"/\"}},\"tool_input\":{{\"command\":\"gradle x\",\"{field}\":\"/\"}}}}"
            );
            let found = world.embargo(&["hook", harness]).stdin(payload).any_output().run();
            let told = format!("{}{}", found.stdout, found.stderr);
            assert!(told.contains("I must not use `gradle`"), "{harness} {field}: {found:?}");
        }
    }
    for cwd in ["[P]/nope/deep", "[P]/embargo.toml", "project", "./project/nope"] {
        let world = world();
        let cwd = cwd.replace("[P]", &world.path("project").display().to_string());
        let payload = format!(
            "{{\"session_id\":\"s\",\"cwd\":{cwd:?},\"hook_event_name\":\"PreToolUse\",\"tool_name\":\"Bash\",\"tool_input\":{{\"command\":\"gradle x\"}}}}"
        );
        let test = world.embargo(&["hook", "claude-code"]).cwd(".").stdin(payload);
        let found = test.any_output().run();
        assert!(found.stderr.contains("I must not use `gradle`"), "{cwd}: {found:?}");
    }
}

/// `JSON.stringify` writes half a character where a text was cut: that is a text all the same.
#[test]
fn half_a_character_is_no_fault_of_the_installation() {
    let world = world();
    let line = |line: &str| bash(&world, "[L]").replace("[L]", line);
    let hook =
        |line: String| world.embargo(&["hook", "claude-code"]).stdin(line).any_output().run();
    let denied = hook(line(r"gradle \ud800"));
    assert!(denied.stderr.contains("I must not use `gradle`"), "{denied:?}");
    let silent = hook(line(r"ls \ud83d"));
    assert_eq!((silent.status, silent.stdout.as_str(), silent.stderr.as_str()), (0, "", ""));
}

#[test]
fn session_and_sub_agent_go_into_the_evidence() {
    let world = world();
    let payload = |line: &str, more: &str| {
        let line = Value::from(line);
        let tool = format!(",\"tool_name\":\"Bash\",\"tool_input\":{{\"command\":{line}}}{more}");
        claude(&world, "PreToolUse", &tool)
    };
    let call =
        |payload: String| world.embargo(&["hook", "claude-code"]).stdin(payload).any_output();
    let agent = ",\"agent_id\":\"a1b2\",\"tool_use_id\":\"t1\"";
    call(payload("gradle -Ptoken=hunter2hunter2 --password hunter3", agent)).run();
    // The same call, by two files of the harness's configuration: one act.
    call(payload("gradle -Ptoken=hunter2hunter2 --password hunter3", agent)).run();
    let again = call(payload("gradle x", "")).run();
    assert!(again.stderr.contains("I have now been refused this 2 times."), "{again:#?}");
    assert!(again.stdout.contains("\"continue\":false"), "{again:#?}");

    let log = world.embargo(&["log", "--json"]).any_output().run().stdout;
    let rows: Vec<Value> =
        log.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    let of = |key: &str| rows.iter().map(|row| row[key].to_string()).collect::<Vec<_>>();
    assert_eq!(of("session"), ["\"claude:s1\""; 3]);
    assert_eq!(of("agent"), ["\"claude/a1b2\"", "\"claude/a1b2\"", "\"claude\""]);
    assert_eq!(of("offence"), ["1", "1", "2"]);
    assert_eq!(of("door"), ["\"hook\""; 3]);
    assert!(!log.contains("hunter"), "{log}");
    // A shim of the same session counts on.
    world.install(&["gradle"]);
    let shim = world.shim("gradle", &["y"]).env("CLAUDE_CODE_SESSION_ID", "s1").any_output().run();
    assert!(shim.stderr.contains("I have now been refused this 3 times."), "{shim:#?}");
}

#[test]
fn a_session_begins_with_the_rules_and_what_was_refused() {
    let world = world();
    for line in ["gradle build", "gradle test", "git push"] {
        world.embargo(&["hook", "claude-code"]).stdin(bash(&world, line)).any_output().run();
    }
    let brief = world.embargo(&["brief"]).any_output().run().stdout;
    let so_far = "Refused so far in this session, and refused again if tried again, by any agent:\n- `no-gradle`, 2 times, last `gradle test`\n- `ask-push`, once, last `git push`\n";
    let wanted = |event: &str, text: &str| {
        let text = Value::from(text);
        format!(
            "{{\"hookSpecificOutput\":{{\"additionalContext\":{text},\"hookEventName\":\"{event}\"}}}}\n"
        )
    };
    for event in ["SessionStart", "SubagentStart"] {
        let payload = claude(&world, event, ",\"source\":\"startup\",\"agent_id\":\"b\"");
        let test = world.embargo(&["hook", "claude-code"]).stdin(payload);
        test.stdout(wanted(event, &format!("{brief}{so_far}"))).run();
    }
    // Another session has been refused nothing, and Codex's answer has the same shape.
    let payload = claude(&world, "SessionStart", "").replace("s1", "s2");
    world.embargo(&["hook", "codex"]).stdin(payload).stdout(wanted("SessionStart", &brief)).run();
    // Where nothing is put into the context nothing is said.
    let payload = claude(&world, "SessionStart", "").replace("s1", "s2");
    world.embargo(&["hook", "gemini"]).stdin(payload).run();

    world.embargo(&["shim", "install", "--force", "gradle"]).any_output().status(0).run();
    let payload = claude(&world, "SessionStart", "").replace("s1", "s3");
    let found = world.embargo(&["hook", "claude-code"]).stdin(payload).any_output().run();
    assert!(found.stdout.contains("are not first on PATH here"), "{found:#?}");
}

#[test]
fn what_nobody_read_is_told_after_the_tool_call() {
    let world = world();
    world.install(&["gradle"]);
    world.shell("gradle build 2>/dev/null").env("CLAUDE_CODE_SESSION_ID", "s1").status(86).run();
    let ended = || {
        let payload = claude(&world, "PostToolUse", ",\"tool_name\":\"Bash\",\"tool_response\":{}");
        world.embargo(&["hook", "claude-code"]).path(&["shims", "bin"]).stdin(payload)
    };
    let text = Value::from(
        "`gradle build` was refused by `no-gradle` and its text was not seen [embargo refused e_ID exit 86]\n`embargo last` says why, and what to do instead.\n",
    );
    ended()
        .stdout(format!("{{\"hookSpecificOutput\":{{\"additionalContext\":{text},\"hookEventName\":\"PostToolUse\"}}}}\n"))
        .run();
    ended().run();
}

/// Gemini CLI waits on an ask for ever where there is nobody (measured, 0.61.0).
#[test]
fn nobody_is_asked_below_a_prompt_on_the_command_line() {
    let world = world();
    let line = bash(&world, "git push -f").replace("PreToolUse", "BeforeTool");
    world.write("payload", line.replace("\"Bash\"", "\"run_shell_command\""));
    let script = format!("'{EMBARGO}' hook gemini < ../payload; true");
    for (words, decision) in [
        (&["gemini"][..], "ask"),
        (&["gemini", "-p", "hi"], "deny"),
        (&["/usr/bin/gemini", "--prompt=hi"], "deny"),
        (&["other", "-p"], "ask"),
    ] {
        let words = [&["-c", &*script], words].concat();
        let found = common::Test::new(&world, "/bin/sh".as_ref(), &words).any_output().run();
        let wanted = format!("{{\"decision\":\"{decision}\"");
        assert!(found.stdout.starts_with(&wanted), "{words:?}: {found:#?}");
    }
}

/// Claude Code denies a call whose answer also says `continue: false`, and goes on (measured, 2.1.197); what
/// ends its turn is the hook behind the calls of a turn.
#[test]
fn behind_a_second_offence_the_turn_ends() {
    let world = world();
    let refused = |id: u32| {
        let payload = bash(&world, "gradle build")
            .replace("\"Bash\"", &format!("\"Bash\",\"tool_use_id\":\"t{id}\""));
        world.embargo(&["hook", "claude-code"]).stdin(payload).any_output().run();
    };
    let batch = |ids: &[u32]| {
        let call = |id: &u32| format!("{{\"tool_name\":\"Bash\",\"tool_use_id\":\"t{id}\"}}");
        let calls = ids.iter().map(call).collect::<Vec<_>>().join(",");
        let payload = claude(&world, "PostToolBatch", &format!(",\"tool_calls\":[{calls}]"));
        world.embargo(&["hook", "claude-code"]).stdin(payload).any_output().run()
    };
    refused(1);
    assert_eq!((batch(&[1]).stdout.as_str(), batch(&[1]).status), ("", 0));
    refused(2);
    let told = Value::from(
        "embargo stopped the agent: it has now been refused 2 times by `no-gradle`, last `gradle build`. Tell it how to go on.",
    );
    let stopped = format!("{{\"continue\":false,\"stopReason\":{told}}}\n");
    assert_eq!(batch(&[3, 2]).stdout, stopped);
    // Whatever else was called in that turn, and nothing in the next one.
    assert_eq!(batch(&[4]).stdout, "");
    // What asks stops nothing.
    let push = bash(&world, "git push").replace("\"Bash\"", "\"Bash\",\"tool_use_id\":\"t9\"");
    for _ in 0..2 {
        world.embargo(&["hook", "claude-code"]).stdin(push.clone()).any_output().run();
    }
    assert_eq!(batch(&[9]).stdout, "");
}

/// A sub-agent's refusals reach who started it, once for each rule (A12).
#[test]
fn what_a_sub_agent_was_refused_is_told_when_it_ends() {
    let world = world();
    let call = |event: &str, more: &str| {
        let payload = claude(&world, event, more);
        world.embargo(&["hook", "claude-code"]).stdin(payload).any_output().run()
    };
    let sub = ",\"agent_id\":\"a1b2\",\"agent_type\":\"general-purpose\"";
    let refused = |line: &str, id: u32| {
        let tool = format!(
            ",\"tool_name\":\"Bash\",\"tool_input\":{{\"command\":\"{line}\"}},\"tool_use_id\":\"t{id}\"{sub}"
        );
        call("PreToolUse", &tool);
    };
    refused("gradle build", 1);
    refused("gradle test", 2);
    refused("make", 3);
    let lines = "sub-agent `a1b2` was refused `gradle test` by `no-gradle`, 2 times\n";
    let user = Value::from(format!("embargo: {lines}"));
    let ended = call("SubagentStop", sub);
    assert_eq!(
        (ended.stdout, ended.stderr, ended.status),
        (format!("{{\"systemMessage\":{user}}}\n"), String::new(), 0)
    );
    // Nothing new: nothing is said twice.
    assert_eq!(call("SubagentStop", sub).stdout, "");
    // Not to a sibling's tool call, which is not who has started it.
    let other = ",\"agent_id\":\"c3d4\",\"tool_name\":\"Bash\",\"tool_response\":{}";
    assert_eq!(call("PostToolUse", other).stdout, "");
    let task = ",\"tool_name\":\"Task\",\"tool_response\":{}";
    let text = Value::from(format!(
        "{lines}Rules are the same for every agent here: what one was refused, the next one is.\n"
    ));
    let wanted = format!(
        "{{\"hookSpecificOutput\":{{\"additionalContext\":{text},\"hookEventName\":\"PostToolUse\"}}}}\n"
    );
    assert_eq!(call("PostToolUse", task).stdout, wanted);
    assert_eq!(call("PostToolUse", task).stdout, "");
    // What it was refused after that is told of the next time.
    refused("gradle check", 4);
    assert!(call("SubagentStop", sub).stdout.contains("`gradle check`"));
}

#[test]
fn a_session_that_begins_has_the_shims_of_its_policies() {
    let world = world();
    world.stub("git").stub("make").stub("npm");
    let shims = "home/.local/share/embargo/shims";
    let begins = |harness: &str| {
        let payload = claude(&world, "SessionStart", ",\"source\":\"startup\"");
        world.embargo(&["hook", harness]).stdin(payload).any_output().run()
    };
    // Who has no shims gets none.
    begins("claude-code");
    assert!(!world.path(shims).exists());
    world.embargo(&["shim", "install", "git"]).any_output().status(0).run();
    let said = begins("claude-code");
    assert!(world.path(shims).join("gradle").is_symlink(), "{said:#?}");
    assert!(world.path(shims).join("npm").is_symlink());
    // What no policy wants any more goes; what a person has installed stays. Where nothing is put into
    // the context as well.
    world.policy("[[embargo]]\ncommand = \"make\"\nreason = \"r\"\n");
    begins("gemini");
    for (name, is_there) in [("gradle", false), ("make", true), ("git", true)] {
        assert_eq!(world.path(shims).join(name).is_symlink(), is_there, "{name}");
    }
    // A policy that is broken takes nothing away.
    world.write("home/.config/embargo/embargo.toml", "typo = 1\n");
    begins("claude-code");
    assert!(world.path(shims).join("make").is_symlink());
}

#[test]
fn a_run_that_a_session_begins_in_has_the_shims_of_its_policies() {
    let world = world();
    let payload = claude(&world, "SessionStart", "");
    world.write("payload", payload);
    let call = format!(
        "ls \"${{PATH%%:*}}\"; cp sub/embargo.toml .; '{EMBARGO}' hook claude-code < ../payload > /dev/null; ls \"${{PATH%%:*}}\""
    );
    let test = world.embargo(&["run", "sh", "-c", &call]).path(&["bin", "/usr/bin", "/bin"]);
    let found = test.any_output().run_expecting(0, "a run");
    let count = |name: &str| found.stdout.lines().filter(|line| *line == name).count();
    assert_eq!((count("gradle"), count("make")), (2, 1), "{found:#?}");
}

#[test]
fn a_session_file_of_the_environment_puts_the_shims_first() {
    let world = world();
    world.stub("git").write("session.sh", "export A=1\n");
    let begins = || {
        let payload = claude(&world, "SessionStart", "");
        let test = world.embargo(&["hook", "claude-code"]).stdin(payload);
        test.env("CLAUDE_ENV_FILE", world.path("session.sh")).any_output().run()
    };
    // Without shims there is nothing to put there.
    begins();
    assert_eq!(world.read("session.sh"), "export A=1\n");
    world.embargo(&["shim", "install", "--force", "git"]).any_output().status(0).run();
    begins();
    let once = world.read("session.sh");
    assert!(once.starts_with("export A=1\n"), "{once}");
    begins();
    assert_eq!(world.read("session.sh"), once);
    let text = format!("{once}{once}command -v git");
    let found = world.shell(&text).path(&["bin"]).any_output().run();
    let shim = world.path("home/.local/share/embargo/shims/git");
    assert_eq!(
        found.stdout.replace("[W]/", &world.path("").display().to_string()).trim(),
        shim.display().to_string()
    );
}

// ---- failures

#[test]
fn a_policy_that_cannot_be_trusted_denies() {
    let world = world();
    world.write("home/.config/embargo/embargo.toml", "typo = 1\n");
    let found =
        world.embargo(&["hook", "claude-code"]).stdin(bash(&world, "ls")).any_output().run();
    assert_eq!(found.status, 2, "{found:#?}");
    assert!(found.stderr.contains("so `ls` was not run"), "{found:#?}");
    assert!(found.stderr.ends_with("[embargo broken exit 88]\n"), "{found:#?}");
    let said: Value = serde_json::from_str(&found.stdout).expect("JSON");
    let reason = &said["hookSpecificOutput"]["permissionDecisionReason"];
    assert_eq!(reason.as_str(), Some(&*found.stderr));
    // A session learns of it; what runs no shell does not.
    let found = world
        .embargo(&["hook", "claude-code"])
        .stdin(claude(&world, "SessionStart", ""))
        .stdout_has(&["additionalContext", "cannot trust its policy"])
        .run();
    assert!(!found.stdout.contains("permissionDecision"), "{found:#?}");
    let edit = bash(&world, "ls").replace("Bash", "Edit");
    world.embargo(&["hook", "claude-code"]).stdin(edit).run();
}

#[test]
fn evidence_that_cannot_be_written_changes_no_verdict() {
    let world = world();
    world.write("home/.local/state/embargo", "a file where the directory would be");
    let wanted = text("deny").replace("e_ID", "unrecorded");
    let json = Value::from(&*wanted);
    let found =
        world.embargo(&["hook", "codex"]).stdin(bash(&world, "gradle build")).any_output().run();
    assert!(found.stdout.contains(&json.to_string()), "{found:#?}");
    world.embargo(&["hook", "codex"]).stdin(bash(&world, "ls")).run();
}

#[test]
fn a_payload_that_is_too_long_is_a_deny() {
    let world = world();
    let long = bash(&world, &"x".repeat(5 << 20));
    let found = world.embargo(&["hook", "kiro"]).stdin(long).any_output().run();
    assert_eq!(found.status, 2, "{found:#?}");
    assert!(found.stderr.contains("cannot be read (it has more than 4 MiB)"), "{found:#?}");
}

#[test]
fn a_line_of_any_length_gets_a_reason_of_two_thousand_characters() {
    let world = World::new();
    let long = "ä".repeat(900);
    let rule = |n: u32| {
        format!(
            "[[embargo]]\nid = \"r{n}\"\ncommand = \"gradle\"\nreason = \"{n}{long}\"\nalternative = \"{long}\"\n"
        )
    };
    let rules: String = (0..6).map(rule).collect();
    world.policy(&rules);
    let payload = bash(&world, "gradle");
    let found = world.embargo(&["hook", "kiro"]).stdin(payload).any_output().run();
    let said = found.stderr.replace("e_ID", &format!("e_{}", "0".repeat(26)));
    assert_eq!(said.chars().count(), 2000, "{found:#?}");
    assert!(found.stderr.ends_with("…\n[embargo refused e_ID exit 86]\n"), "{found:#?}");
}

#[test]
fn a_deny_that_cannot_be_printed_is_one_by_its_status() {
    let world = world();
    for (line, status) in [("gradle build", 2), ("ls", 0)] {
        let script = format!("printf %s \"$1\" | '{EMBARGO}' hook codex > /dev/full");
        let payload = bash(&world, line);
        let words = ["-c", &script, "sh", &payload];
        let test = common::Test::new(&world, "/bin/sh".as_ref(), &words);
        test.path(&["/usr/bin", "/bin"]).any_output().run_expecting(status, line);
    }
}

/// Itself in another process, where it panics: a hook's panic hook ends that.
#[test]
fn a_panic_says_what_was_prepared() {
    const CHILD: &str = "EMBARGO_TEST_PANICS";
    if std::env::var_os(CHILD).is_some() {
        last_word::arm(5);
        last_word::prepare("{\"decision\":\"deny\"}\n", "why", 2);
        match std::env::var(CHILD).as_deref() {
            Ok("overflow") => drop(deep(u64::MAX)),
            _ => panic!("of a hook"),
        }
    }
    let test = std::env::current_exe().expect("this test");
    for way in ["panic", "overflow"] {
        let words = ["--exact", "a_panic_says_what_was_prepared", "--nocapture"];
        let output = Command::new(&test).args(words).env(CHILD, way).output().expect("an end");
        let stdout = String::from_utf8_lossy(&output.stdout);
        assert!(stdout.ends_with("{\"decision\":\"deny\"}\n"), "{way}: {stdout}");
        assert_eq!(String::from_utf8_lossy(&output.stderr), "why", "{way}");
        assert_eq!(output.status.code(), Some(2), "{way}");
    }
}

/// Deeper than any stack.
fn deep(levels: u64) -> u64 {
    match std::hint::black_box(levels) {
        0 => 0,
        n => std::hint::black_box(deep(n - 1)) + 1,
    }
}

// ---- installing

/// Where each harness's file is, of the user and of the project.
const FILES: [(&str, &str, &str); 6] = [
    ("claude-code", "home/.claude/settings.json", "project/.claude/settings.json"),
    ("codex", "home/.codex/hooks.json", "project/.codex/hooks.json"),
    ("copilot", "home/.copilot/hooks/embargo.json", "project/.github/hooks/embargo.json"),
    ("cursor", "home/.cursor/hooks.json", "project/.cursor/hooks.json"),
    ("gemini", "home/.gemini/settings.json", "project/.gemini/settings.json"),
    (
        "opencode",
        "home/.config/opencode/plugins/embargo.ts",
        "project/.opencode/plugins/embargo.ts",
    ),
];

fn hook(world: &World, words: &[&str]) -> common::Found {
    let words = [&["hook"], words].concat();
    world.embargo(&words).any_output().run_expecting(0, &words.join(" "))
}

#[test]
fn twice_is_once_and_uninstall_leaves_nothing() {
    for (name, user, project) in FILES {
        for (file, flag) in [(user, "--user"), (project, "--project")] {
            let world = World::new();
            let said = hook(&world, &["install", name, flag]);
            assert!(said.stdout.contains(&format!("hook of {name} written into [W]/{file}\n")));
            let elsewhere = "who else gets this file needs embargo at ";
            assert_eq!(said.stdout.contains(elsewhere), flag == "--project", "{said:#?}");
            let once = world.read(file);
            assert!(once.contains(EMBARGO) && once.contains(name), "{once}");
            let said = hook(&world, &["install", name, flag]);
            assert!(said.stdout.contains("is there already"), "{said:#?}");
            assert_eq!(world.read(file), once);
            let status = hook(&world, &["status", name, flag]).stdout;
            let scope = flag.trim_start_matches('-');
            let wanted = format!("{name} ({scope}): installed, calls {EMBARGO}, [W]/{file}\n");
            assert_eq!(status, wanted);
            let said = hook(&world, &["uninstall", name, flag]);
            assert!(said.stdout.contains("is as it was before"), "{said:#?}");
            assert!(!world.path(file).exists());
            assert!(!world.path(format!("{file}.embargo-backup")).exists());
            assert!(hook(&world, &["uninstall", name, flag]).stdout.contains("no hook of embargo"));
        }
    }
}

/// Configurations as they are found: the harness, the text, and what has to be in the text after.
const SAMPLES: [(&str, &str, &[&str]); 9] = [
    ("claude-code", "", &[]),
    ("claude-code", "{}", &[]),
    (
        "claude-code",
        "{\n  \"model\": \"opus\",\n  \"permissions\": {\"allow\": [\"Bash(ls)\"]},\n  \"env\": {\"A\": \"1\"}\n}\n",
        &[
            "\"model\": \"opus\",\n  \"permissions\": {\"allow\": [\"Bash(ls)\"]},\n  \"env\": {\"A\": \"1\"}",
        ],
    ),
    (
        "claude-code",
        "{\n\t\"hooks\": {\n\t\t\"Stop\": [],\n\t\t\"PreToolUse\": [\n\t\t\t{\"matcher\": \"Bash\", \"hooks\": [{\"type\": \"command\", \"command\": \"/x/guard\"}]}\n\t\t]\n\t},\n\t\"model\": \"opus\" // mine\n}",
        &[
            "\"Stop\": []",
            "{\"matcher\": \"Bash\", \"hooks\": [{\"type\": \"command\", \"command\": \"/x/guard\"}]}",
            "// mine",
        ],
    ),
    (
        "gemini",
        "{\r\n  // theme\r\n  \"theme\": \"dark\",\r\n  \"tools\": { \"sandbox\": false, },\r\n}\r\n",
        &["// theme\r\n  \"theme\": \"dark\",\r\n  \"tools\": { \"sandbox\": false, }"],
    ),
    ("gemini", "\u{feff}{\"a\":1}", &["\u{feff}{", "\"a\":1"]),
    (
        "cursor",
        "{\n  \"hooks\": {\"afterFileEdit\": [{\"command\": \"fmt\"}]},\n  \"version\": 1\n}\n",
        &["\"afterFileEdit\": [{\"command\": \"fmt\"}]", "\"version\": 1"],
    ),
    ("codex", "{\"hooks\":{\"PreToolUse\":[]}}\n", &[]),
    ("copilot", "{\"version\":1,\"hooks\":{}}\n", &["\"version\":1"]),
];

#[test]
fn what_stands_in_a_configuration_stays() {
    use std::os::unix::fs::PermissionsExt;
    for (name, before, kept) in SAMPLES {
        let (_, file, _) = FILES.iter().find(|(n, ..)| *n == name).expect("a file");
        let world = World::new();
        world.write(file, before);
        std::fs::set_permissions(world.path(file), PermissionsExt::from_mode(0o600))
            .expect("a mode");
        hook(&world, &["install", name]);
        let after = world.read(file);
        for part in kept {
            assert!(after.contains(part), "{before:?} became {after:?}");
        }
        if before.contains("\r\n") {
            assert_eq!(after.matches('\n').count(), after.matches("\r\n").count(), "{after:?}");
        }
        assert_eq!(after.ends_with('\n'), before.ends_with('\n') || before.is_empty(), "{after:?}");
        let mode = |file: &str| world.path(file).metadata().expect("a file").permissions().mode();
        let backup = format!("{file}.embargo-backup");
        assert_eq!((mode(file) & 0o777, mode(&backup) & 0o777), (0o600, 0o600));
        assert_eq!(world.read(&backup), before);
        let status = hook(&world, &["status", name]).stdout;
        assert!(status.contains("installed, calls"), "{status}");
        hook(&world, &["install", name]);
        assert_eq!(world.read(file), after, "twice is once");
        hook(&world, &["uninstall", name]);
        assert_eq!(world.read(file), before, "{name}");
        assert!(!world.path(&backup).exists());
    }
}

#[test]
fn what_was_changed_since_stays_when_ours_goes() {
    let world = World::new();
    let file = "home/.claude/settings.json";
    world.write(file, "{\n  \"model\": \"opus\"\n}\n");
    hook(&world, &["install", "claude"]);
    let changed = world.read(file).replace("\"opus\"", "\"haiku\"");
    world.write(file, &changed);
    let said = hook(&world, &["uninstall", "claude-code"]).stdout;
    assert!(said.contains("what else was changed there stays"), "{said}");
    assert_eq!(world.read(file), "{\n  \"model\": \"haiku\"\n}\n");
}

#[test]
fn an_older_line_is_replaced_and_others_handlers_stay() {
    let world = World::new();
    let file = "home/.claude/settings.json";
    let old = "{\"hooks\":{\"PreToolUse\":[{\"matcher\":\"Bash\",\"hooks\":[{\"type\":\"command\",\"command\":\"/old/embargo hook claude\"},{\"type\":\"command\",\"command\":\"mine\"}]}],\"Stop\":[{\"hooks\":[{\"type\":\"command\",\"command\":\"'/o d/embargo-0.1' hook claude\"}]}]}}\n";
    world.write(file, old);
    let status = hook(&world, &["status", "claude-code"]).stdout;
    assert!(status.contains("changed, calls /old/embargo"), "{status}");
    hook(&world, &["install", "claude-code"]);
    let text = world.read(file);
    let value: Value = serde_json::from_str(&text).expect("JSON");
    let groups = value["hooks"]["PreToolUse"].as_array().expect("groups");
    assert_eq!(groups.len(), 2, "{text}");
    assert_eq!(groups[0]["hooks"].as_array().map(Vec::len), Some(1), "{text}");
    assert!(!text.contains("/old/") && !text.contains("/o d/"), "{text}");
    assert_eq!(value["hooks"].get("Stop"), None, "{text}");
    assert_eq!(world.read(&format!("{file}.embargo-backup")), old);
    // What was kept has our older lines, and so is not what is put back.
    hook(&world, &["uninstall", "claude-code"]);
    let text = world.read(file);
    assert!(text.contains("\"mine\"") && !text.contains("embargo"), "{text}");
}

#[test]
fn a_file_that_cannot_be_understood_is_not_touched() {
    for (name, text, why) in [
        ("claude-code", "{\"model\": ", "is no JSON that can be read"),
        ("claude-code", "[]", "holds no JSON object"),
        ("claude-code", "{\"hooks\": []}", "has a `hooks` that is no object"),
        ("cursor", "{\"hooks\":{\"beforeShellExecution\":{}}}", "that is no list"),
        ("opencode", "export const mine = 1\n", "was not written by embargo"),
    ] {
        let (_, file, _) = FILES.iter().find(|(n, ..)| *n == name).expect("a file");
        let world = World::new();
        world.write(file, text);
        world.embargo(&["hook", "install", name]).stderr_has(&[why]).status(1).run();
        assert_eq!(world.read(file), text);
        let directory = world.path(file);
        let files = std::fs::read_dir(directory.parent().expect("a directory")).expect("files");
        assert_eq!(files.count(), 1, "no backup, nothing half written");
    }
}

#[test]
fn a_link_to_a_configuration_stays_one() {
    let world = World::new();
    world.write("home/dotfiles/claude.json", "{}\n").write("home/.claude/x", "");
    let link = world.path("home/.claude/settings.json");
    std::os::unix::fs::symlink("../dotfiles/claude.json", &link).expect("a link");
    hook(&world, &["install", "claude-code"]);
    assert!(link.is_symlink());
    assert!(world.read("home/dotfiles/claude.json").contains("hook claude-code"));
    hook(&world, &["uninstall", "claude-code"]);
    assert_eq!(world.read("home/dotfiles/claude.json"), "{}\n");
}

#[test]
fn variables_of_harnesses_move_their_files() {
    let world = World::new();
    for (name, variable, file) in [
        ("claude-code", "CLAUDE_CONFIG_DIR", "else/settings.json"),
        ("codex", "CODEX_HOME", "else/hooks.json"),
        ("copilot", "COPILOT_HOME", "else/hooks/embargo.json"),
        ("opencode", "XDG_CONFIG_HOME", "else/opencode/plugins/embargo.ts"),
    ] {
        let test = world.embargo(&["hook", "install", name]).env(variable, world.path("else"));
        test.any_output().status(0).run();
        assert!(world.read(file).contains(EMBARGO));
    }
}

#[test]
fn what_is_installed_answers_as_its_harness_would_call_it() {
    let world = world();
    hook(&world, &["install", "codex"]);
    let value: Value = serde_json::from_str(&world.read("home/.codex/hooks.json")).expect("JSON");
    let line = value["hooks"]["PreToolUse"][0]["hooks"][0]["command"].as_str().expect("a line");
    world.shell(line).stdin(bash(&world, "ls")).run();
    let denied = world.shell(line).stdin(bash(&world, "gradle build")).any_output().run();
    assert!(denied.stdout.contains("\"permissionDecision\":\"deny\""), "{denied:#?}");
    // A binary that is gone blocks.
    let gone = line.replace(EMBARGO, "/nowhere/embargo");
    world.shell(&gone).stdin("").any_output().run_expecting(2, &gone);
}

#[test]
fn an_agent_does_not_uninstall_its_hook_and_a_person_is_shown_the_others() {
    let world = World::new();
    hook(&world, &["install", "claude-code"]);
    world
        .embargo(&["hook", "uninstall", "claude-code"])
        .env("CLAUDE_CODE_CHILD_SESSION", "1")
        .stderr_has(&[
            "who is under an embargo does not lift it",
            "`embargo hook uninstall claude-code`",
        ])
        .status(1)
        .run();
    for name in ["qwen", "droid", "windsurf", "cline", "goose", "kiro", "augment", "agy", "grok"] {
        let said = hook(&world, &["install", name]).stdout;
        assert!(said.contains(&format!("{EMBARGO} hook {name}")), "{said}");
        world.embargo(&["hook", "uninstall", name]).stderr_has(&["did not write"]).status(1).run();
    }
    // What a person mistypes is a usage error; a harness's line is not.
    world.embargo(&["hook", "install", "claud"]).any_output().run_expecting(2, "claud");
    let left = world.path("home");
    assert!(left.join(".claude/settings.json").exists() && !left.join(".qwen").exists());
}
