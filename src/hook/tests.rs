use super::*;

#[test]
fn a_failure_denies_in_every_dialect() {
    let event = Event::Command(String::new());
    for (name, dialect) in Dialect::NAMED {
        let Answer { stdout, stderr, status } = dialect.failure(&event, "", "it is broken");
        let told = format!("{stdout}{stderr}");
        assert!(told.contains("it is broken"), "{name}");
        let denies =
            ["\"deny\"", "\"block\"", "\"cancel\":true"].iter().any(|d| stdout.contains(d));
        assert!(denies || status == Status::Denied, "{name}: {told}");
        assert!(!told.contains("\"allow\""), "{name}: {told}");
        // What runs no shell goes on.
        let other = dialect.failure(&Event::Other, "Stop", "it is broken");
        assert_eq!((other.stderr.as_str(), other.status), ("", Status::Done), "{name}");
        assert!(!other.stdout.contains("broken"), "{name}");
    }
}

#[test]
fn no_dialect_is_asked_to_ask_that_cannot() {
    let asked = Event::Command(String::new());
    for (name, dialect) in Dialect::NAMED {
        let answer = dialect.answer("PreToolUse", Reply::Ask("may it?"));
        let asks = answer.stdout.contains("\"ask\"") || answer.stdout.contains("\"force_ask\"");
        let can = dialect.asks(&asked, "beforeShellExecution");
        assert_eq!(asks, can, "{name}: {answer:?}");
    }
}

#[test]
fn no_opinion_is_no_permission() {
    for (name, dialect) in Dialect::NAMED {
        let Answer { stdout, stderr, status } = dialect.answer("PreToolUse", Reply::Silence);
        assert_eq!((stderr.as_str(), status), ("", Status::Done), "{name}");
        // agy's grants nothing, and without it every command prompts.
        let may = ["", "{}\n", "{\"cancel\":false}\n"].contains(&stdout.as_str());
        assert!(may || dialect == Dialect::Agy, "{name}: {stdout}");
    }
}

#[test]
fn events_without_a_mark_are_those_of_the_hook_line() {
    let payload = |event: &str| {
        format!("{{\"session_id\":\"s\",\"cwd\":\"/\",\"hook_event_name\":\"{event}\"}}")
    };
    for (fallback, event, wanted) in [
        (Dialect::Claude, "SessionStart", Dialect::Claude),
        (Dialect::Codex, "SessionStart", Dialect::Codex),
        (Dialect::Copilot, "SessionStart", Dialect::VsCode),
        (Dialect::Cursor, "SessionStart", Dialect::Claude),
        (Dialect::Gemini, "SessionStart", Dialect::Gemini),
        (Dialect::Claude, "BeforeAgent", Dialect::Gemini),
        (Dialect::Qwen, "SessionStart", Dialect::Qwen),
    ] {
        let request = read(payload(event).as_bytes(), fallback).expect("a request");
        assert_eq!(request.dialect, wanted, "{fallback:?} {event}");
    }
}
