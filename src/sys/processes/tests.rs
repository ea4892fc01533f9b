use std::fs;
use std::os::unix::fs::PermissionsExt;

use super::*;

fn lineage(argvs: &[&[&str]]) -> Lineage {
    let ancestor = |(at, argv): (usize, &&[&str])| Ancestor {
        id: SessionProcess { pid: 100 - u32::try_from(at).unwrap_or_default(), start: 7 },
        process: Process {
            argv: argv.iter().map(|word| BString::from(*word)).collect(),
            executable: argv[0].into(),
            ..Process::default()
        },
    };
    Lineage(argvs.iter().enumerate().map(ancestor).collect())
}

#[test]
fn one_tool_call_is_the_outermost_command_text_below_the_harness() {
    let bash: &[&str] = &["bash", "-c", "make"];
    let dash: &[&str] = &["sh", "-ec", "gradle a; gradle b"];
    let rows: [(&[&[&str]], Option<&str>); 10] = [
        (&[bash, &["claude"], &["bash"]], Some("100:7")),
        (&[dash, &["make"], bash, &["claude"]], Some("98:7")),
        (&[dash, &["make"], bash, &["codex"], &["sh", "-c", "codex"]], Some("98:7")),
        (&[&["bash", "x.sh"], bash, &["node", "/usr/bin/gemini"]], Some("99:7")),
        (&[&["claude"], bash], None),
        (&[&["bash"], &["claude"]], None),
        (&[&["bash", "x.sh", "-c"], &["bash"], &["claude"]], None),
        (&[&["bash", "--norc", "-c", "x"], &["claude"]], Some("100:7")),
        (&[dash, &["make"], bash, &["node"], &["sh", "-c", "agent"]], Some("100:7")),
        (&[], None),
    ];
    for (argvs, call) in rows {
        assert_eq!(lineage(argvs).call_id().as_deref(), call, "{argvs:?}");
    }
}

#[test]
fn a_recorded_session_bounds_the_tool_call_too() {
    let mut above = lineage(&[&["sh", "-c", "x"], &["bash", "-c", "y"], &["own-agent"]]);
    above.0[2].process.is_session = true;
    assert_eq!(above.call_id().as_deref(), Some("99:7"));
}

/// Bash becomes the last command of its text, and then `_` tells of it, or a script does.
#[test]
fn what_a_shell_became_is_the_tool_call() {
    // argv and `_`, nearest first; the last one is the session.
    type Row<'a> = (&'a [(&'a [&'a str], &'a str)], Option<&'a str>);
    let agent: (&[&str], &str) = (&["agent"], "/bin/embargo");
    let shell: (&[&str], &str) = (&["bash"], "/bin/embargo");
    let text: (&[&str], &str) = (&["sh", "-c", "gradle a"], "/bin/make");
    let rows: [Row<'_>; 11] = [
        (&[(&["bash", "./five.sh"], "./five.sh"), agent], Some("100:7")),
        (&[(&["sh", "five.sh"], "/bin/sh"), agent], Some("100:7")),
        (&[(&["sh", "five.sh"], "/bin/embargo"), agent], Some("100:7")),
        (&[text, (&["bash", "./five.sh"], "./five.sh"), agent], Some("99:7")),
        (&[text, (&["make"], "/bin/make"), agent], Some("99:7")),
        (&[(&["make", "x"], "/bin/make"), agent], Some("100:7")),
        // The session itself calls: each of its children is another call.
        (&[agent], None),
        (&[(&["bash"], "/bin/bash"), agent], None),
        // An agent below the session, whose own calls differ.
        (&[text, (&["node"], "/bin/embargo"), agent], Some("100:7")),
        (&[text, (&["own"], "/bin/own"), shell], Some("100:7")),
        (&[(&["own"], "/bin/own"), shell], None),
    ];
    for (processes, call) in rows {
        let argvs: Vec<&[&str]> = processes.iter().map(|(argv, _)| *argv).collect();
        let mut above = lineage(&argvs);
        for (ancestor, (_, ran)) in above.0.iter_mut().zip(processes) {
            ancestor.process.ran = Some(BString::from(*ran));
        }
        above.0.last_mut().expect("a session").process.is_session = true;
        assert_eq!(above.call_id().as_deref(), call, "{argvs:?}");
    }
}

#[test]
fn this_process_has_a_lineage() {
    let above = Lineage::of_this_process(None);
    let parent = above.parent().expect("somebody started the tests");
    assert_eq!(parent.id.pid, std::os::unix::process::parent_id());
    assert!(!parent.process.argv.is_empty() && !parent.process.executable.is_empty());
    assert!(above.0.len() <= LEVELS);
    assert!(above.0.iter().all(|ancestor| !ancestor.process.is_session));
    assert!(above.0.windows(2).all(|pair| pair[1].id.start <= pair[0].id.start));

    let recorded = Lineage::of_this_process(Some(parent.id));
    let sessions = recorded.0.iter().filter(|ancestor| ancestor.process.is_session);
    assert_eq!(sessions.map(|ancestor| ancestor.id).collect::<Vec<_>>(), [parent.id]);
    // The same pid at another time is another process.
    let other = SessionProcess { start: parent.id.start + 1, ..parent.id };
    let other = Lineage::of_this_process(Some(other));
    assert!(other.0.iter().all(|ancestor| !ancestor.process.is_session));
}

#[test]
fn a_process_is_the_same_for_as_long_as_it_lives() {
    let us = SessionProcess::current().expect("we run");
    assert_eq!(us.pid, std::process::id());
    assert_eq!(SessionProcess::current(), Some(us));
    assert_eq!(SessionProcess::of(u32::MAX), None);
    let (began, now) = (began_ms(), crate::sys::clock::now_ms());
    assert!(began <= now && now - began < 3_600_000, "{began} {now}");
    assert!(began.abs_diff(began_ms()) <= 20);
}

#[test]
fn a_script_names_its_program_when_it_can_be_executed() {
    let dir = tempfile::tempdir().expect("a directory");
    let script = dir.path().join("x.py");
    let by_shebang = |argv: &[&str]| {
        let argv: Vec<_> = argv.iter().map(|word| BString::from(*word)).collect();
        ancestry(None, &argv, None).by_shebang
    };
    let path = script.to_str().expect("text");
    assert!(!by_shebang(&["python3", path]), "nothing is there");
    fs::write(&script, "#!/usr/bin/env python3\nprint(1)\n").expect("written");
    assert!(!by_shebang(&["python3", path]), "it cannot be executed");
    fs::set_permissions(&script, PermissionsExt::from_mode(0o755)).expect("set");
    assert!(by_shebang(&["python3", path, "x"]));
    assert!(by_shebang(&["/usr/bin/python3", "-u", path]));
    assert!(!by_shebang(&["python", path]));
    assert!(!by_shebang(&["python3", dir.path().to_str().expect("text")]));
    assert!(!by_shebang(&["python3", "/dev/null"]));
    assert!(!by_shebang(&["python3"]) && !by_shebang(&[]));
}
