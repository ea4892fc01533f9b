//! Whom a refusal reaches: the agent, a file that `$(…)` fills, a person.

mod common;

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::process::Command;
use std::time::{Duration, Instant};

use bstr::ByteSlice as _;
use common::{NO_GRADLE, REFUSED, World};

const USER: &str = "home/.config/embargo/embargo.toml";

#[test]
fn what_a_substitution_takes_is_never_our_sentence_unless_the_policy_wants_that() {
    let sentence = REFUSED.lines().next().unwrap_or_default();
    let wanted = format!("{NO_GRADLE}\n[default]\nnotice_on_stdout = true\n");
    let rows = [
        ("x=$(gradle build 2>/dev/null || echo unknown); echo \"<$x>\"", NO_GRADLE, "<unknown>\n"),
        ("x=$(gradle build 2>&- || echo unknown); echo \"<$x>\"", NO_GRADLE, "<unknown>\n"),
        ("x=$(gradle build 2>said || echo unknown); echo \"<$x>\"", &wanted, "<unknown>\n"),
        ("x=$(gradle build 2>/dev/null); echo \"${x%%.*}.\"", &wanted, ""),
    ];
    for (line, policy, stdout) in rows {
        let world = World::new();
        world.policy(policy).stub("gradle").install(&["gradle"]);
        let found = world.shell(line).any_output().run();
        match stdout {
            "" => assert!(sentence.starts_with(found.stdout.trim_end()), "{line}: {found:?}"),
            stdout => assert_eq!(found.stdout, stdout, "{line}"),
        }
        assert!(found.stdout.len() > 1, "{line}: {found:?}");
        assert_eq!(world.calls(), "", "{line}");
    }
}

/// What only the shell will know stands in the advice as it was typed, and so means the same there.
#[test]
fn what_a_line_leaves_to_the_shell_is_left_to_it_in_the_advice_too() {
    let world = World::new();
    world.policy(NO_GRADLE);
    let rows = [
        (r#"gradle -b "$f" build"#, r#"-b "$f" build"#),
        (r#"gradle "$(date +%F)" 'it is' x"y z""#, r#""$(date +%F)" 'it is' 'xy z'"#),
        (r"sudo gradle *.kts ~/x $((1 + 2)) '$f'", r"*.kts ~/x $((1 + 2)) '$f'"),
        (r#"sh -c 'gradle "$1"'"#, r#""$1""#),
        (r"f=a; gradle $f {b,c}", "a b c"),
        (r"gradle {b,c}$f", r"'b$f' 'c$f'"),
    ];
    for (line, arguments) in rows {
        let advice = format!("Instead, run `./gradlew {arguments}`.");
        let found = world.embargo(&["check", line]).any_output().run_expecting(86, line);
        assert!(found.stdout.contains(&advice), "{line}: {found:?}");
    }
}

/// The next right step can be taken over as it stands, whatever the call's arguments hold.
#[test]
fn what_is_advised_can_be_run_as_it_stands() {
    let world = World::new();
    world.policy(NO_GRADLE).stub("gradle").install(&["gradle"]);
    world.script("project/gradlew", "#!/bin/sh\nprintf '<%s>' \"$@\"\n");
    let rows: [&[u8]; 9] = [
        b"plain",
        b"it's a word",
        b"import sys\nprint(sys.path)\n",
        b"a\\n\nb",
        b"carriage\r",
        b"\x1b[31mred\x07",
        b"\xc3\xa9 tab\t'quoted'",
        b"\xff\xfe7",
        b"",
    ];
    for argument in rows {
        let argument = OsStr::from_bytes(argument);
        let found = world.shim("gradle", &[argument, "-q".as_ref()]).any_output().run();
        let first = found.stderr.lines().next().unwrap_or_default();
        assert!(!found.stderr.contains('\x1b') && first.ends_with("`."), "{found:?}");
        let advice = first.rsplit_once("Instead, run `").expect("an advice").1;
        let advice = advice.strip_suffix("`.").expect("a command");
        let ran = Command::new("bash")
            .args(["-c", advice])
            .current_dir(world.path("project"))
            .output()
            .expect("bash");
        let wanted = [b"<", argument.as_bytes(), b"><-q>"].concat();
        assert_eq!(ran.stdout.as_bstr(), wanted.as_bstr(), "{advice}");
    }
}

/// A8, A9: the first refusal teaches, the second tells a person, by the argv that the user's
/// policy fixes and two more words; nobody waits for it.
#[test]
fn the_second_refusal_runs_the_notifier() {
    let world = World::new();
    let bell = "#!/bin/sh\nout=${0%/*}\n/bin/sleep 0.2\n\
        { printf '<%s>' \"$@\"; printf '%s %s\\n' \"$EMBARGO_RULE\" \"$EMBARGO_OFFENCE\"; } > \"$out/draft\"\n\
        /bin/mv \"$out/draft\" \"$out/told\"\n";
    world.script("elsewhere/bell", bell);
    let settings = format!(
        "[default]\nnotify = [\"{}\", \"--loud\"]\n",
        world.path("elsewhere/bell").display()
    );
    world.policy(NO_GRADLE).write(USER, settings).stub("gradle").install(&["gradle"]);
    // Each line is a tool call of its own.
    let first = world.shell("gradle build").any_output().run();
    assert!(!first.stderr.contains("I have now"), "{first:?}");
    let again = world.shell("gradle test; /bin/ls ../elsewhere").any_output().run();
    assert_eq!(again.stdout, "bell\n", "it was waited for, or told too early: {again:?}");
    assert_eq!(again.stderr.matches("I have now been refused this 2 times.").count(), 1);

    let (told, end) = (world.path("elsewhere/told"), Instant::now() + Duration::from_secs(20));
    while !told.exists() && Instant::now() < end {
        std::thread::sleep(Duration::from_millis(5));
    }
    let said = fs::read_to_string(&told).expect("a person was told");
    let project = world.path("project");
    let detail = format!(
        "gradle test in {}: raw gradle does not have the libraries our application needs",
        project.display()
    );
    let summary = "embargo: an agent was refused `no-gradle` 2 times";
    assert_eq!(said, format!("<--loud><{summary}><{detail}>no-gradle 2\n"));
}
