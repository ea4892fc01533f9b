use super::*;

const RECORDED: SessionProcess = SessionProcess { pid: 7, start: 70 };
const TERMINAL: SessionProcess = SessionProcess { pid: 9, start: 90 };

fn of(facts: &[(&'static str, &str)], recorded: bool, terminal: bool) -> Session {
    identify(&Facts {
        recorded: recorded.then_some(RECORDED),
        variables: facts.iter().map(|(name, value)| (*name, (*value).to_owned())).collect(),
        terminal: terminal.then_some(TERMINAL),
        ..Facts::default()
    })
}

#[test]
fn the_recorded_process_counts_before_any_variable() {
    const NAMED: (&str, &str) = ("EMBARGO_SESSION", "mine");
    const CLAUDE: (&str, &str) = ("CLAUDE_CODE_SESSION_ID", "u-1");
    // variables, recorded, terminal → key, label
    type Row = (&'static [(&'static str, &'static str)], bool, bool, &'static str, &'static str);
    let table: &[Row] = &[
        (&[NAMED, CLAUDE], true, true, "process:7:70", "mine"),
        (&[CLAUDE], true, true, "process:7:70", "process:7:70"),
        (&[NAMED, CLAUDE], false, true, "named:mine", "mine"),
        (&[CLAUDE], false, true, "claude:u-1", "claude:u-1"),
        (&[("CLAUDECODE", "1")], false, true, "terminal:9:90", "terminal:9:90"),
        (&[], false, true, "terminal:9:90", "terminal:9:90"),
        (&[], false, false, "unknown", "unknown"),
        (&[("EMBARGO_SESSION", "a\nb\u{1b}")], false, false, "named:a?b?", "a?b?"),
    ];
    for (variables, recorded, terminal, key, label) in table {
        let session = of(variables, *recorded, *terminal);
        assert_eq!((session.id.key().as_str(), session.label.as_str()), (*key, *label));
    }
    let long = of(&[("EMBARGO_SESSION", &"x".repeat(1000))], false, false);
    assert_eq!(long.label.len(), 128);
}

#[test]
fn harnesses_are_told_by_their_markers() {
    // variables → agent, key without a record or terminal
    type Row = (&'static [(&'static str, &'static str)], Option<&'static str>, &'static str);
    let table: &[Row] = &[
        (&[("CLAUDE_CODE_CHILD_SESSION", "1")], Some("claude"), "unknown"),
        (&[("CLAUDECODE", "1"), ("CLAUDE_CODE_SESSION_ID", "u")], Some("claude"), "claude:u"),
        (&[("CODEX_THREAD_ID", "t")], Some("codex"), "codex:t"),
        (&[("CODEX_SANDBOX", "seatbelt")], Some("codex"), "unknown"),
        // codex inside claude: the inner one is marked better.
        (
            &[("CLAUDECODE", "1"), ("CLAUDE_CODE_SESSION_ID", "u"), ("CODEX_THREAD_ID", "t")],
            Some("codex"),
            "codex:t",
        ),
        (&[("COPILOT_CLI", "1"), ("COPILOT_AGENT_SESSION_ID", "c")], Some("copilot"), "copilot:c"),
        (&[("GEMINI_CLI", "1")], Some("gemini"), "unknown"),
        (&[("CURSOR_TRACE_ID", "x")], Some("cursor"), "unknown"),
        (&[("OPENCODE", "1"), ("AGENT", "1")], Some("opencode"), "unknown"),
        (&[("QWEN_CODE", "1")], Some("qwen"), "unknown"),
        (&[("GOOSE_TERMINAL", "1"), ("AGENT", "goose")], Some("goose"), "unknown"),
        (&[("AGENT", "amp"), ("AMP_CURRENT_THREAD_ID", "T-1")], Some("amp"), "amp:T-1"),
        (&[("AGENT", "crush"), ("CRUSH", "1")], Some("crush"), "unknown"),
        (&[("AGENT", "amp")], Some("amp"), "unknown"),
        (&[("AGENT", "1"), ("AI_AGENT", "newcomer\n")], None, "unknown"),
        (&[("AI_AGENT", "newcomer\n")], Some("newcomer?"), "unknown"),
        (&[("AUGMENT_AGENT", "1")], Some("auggie"), "unknown"),
        (&[("REPL_ID", "r")], Some("replit"), "unknown"),
        (&[("EMBARGO_SESSION", "x")], None, "named:x"),
        (&[], None, "unknown"),
    ];
    for (variables, agent, key) in table {
        let session = of(variables, false, false);
        assert_eq!((session.agent.as_deref(), session.id.key().as_str()), (*agent, *key));
    }
}

#[test]
fn a_harness_without_marker_is_told_by_its_process() {
    let facts = Facts { ancestor: Some("droid"), ..Facts::default() };
    assert_eq!(identify(&facts).agent.as_deref(), Some("droid"));
}

#[test]
fn facts_are_what_is_set_and_not_empty() {
    let variable = |name: &str| match name {
        "EMBARGO_SESSION" => Some(String::new()),
        "GEMINI_CLI" => Some("1".to_owned()),
        _ => None,
    };
    let facts = facts(Some(RECORDED), &Ancestry::default(), variable);
    assert_eq!(facts.variables, [("GEMINI_CLI", "1".to_owned())]);
    assert_eq!((facts.recorded, facts.ancestor), (Some(RECORDED), None));
    // Field 6 of proc_pid_stat(5), behind the name in brackets; 0 is a leader out of sight.
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    // A /proc of another pid namespace has other numbers.
    if stat.starts_with(&format!("{} ", std::process::id())) {
        let leader = stat.rsplit(')').next().and_then(|rest| rest.split(' ').nth(4));
        let leader = leader.and_then(|l| l.parse().ok()).filter(|l| *l != 0);
        assert_eq!(facts.terminal.map(|t| t.pid), leader);
    }
}
