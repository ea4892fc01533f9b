//! `embargo history`: what is read of histories and transcripts (`tests/cases/history.toml`), and
//! what the policy in force would have said of it.

mod common;

use common::{NO_GRADLE, World};
use embargo::history::read;
use serde_json::Value;

#[test]
fn every_history_gives_its_commands() {
    let table: toml::Table = include_str!("cases/history.toml").parse().expect("a table");
    for case in table["case"].as_array().expect("cases") {
        let name = case["name"].as_str().expect("a name");
        let text = case["text"].as_str().expect("text");
        let (format, entries) = read(text.as_bytes());
        assert_eq!(format.name(), case["format"].as_str().expect("a format"), "{name}");
        let found = entries.iter().map(|entry| {
            let mut row: Vec<toml::Value> =
                vec![(entry.line as i64).into(), entry.command.as_str().into()];
            if name == "a transcript" {
                row.push(entry.came.name().into());
                let cwd = entry.cwd.as_ref().and_then(|cwd| cwd.to_str());
                row.push(cwd.expect("a directory").into());
            }
            toml::Value::Array(row)
        });
        assert_eq!(
            &found.collect::<Vec<_>>(),
            case["commands"].as_array().expect("rows"),
            "{name}"
        );
    }
    // zsh's own encoding of bytes that mean something to it: 0x83, and bit 5 turned.
    let (_, entries) = read(b": 1700000000:0;echo \xc3\x83\xb4\n");
    assert_eq!(entries[0].command, "echo \u{d4}");
}

const RULES: &str = "
[[embargo]]
id = \"ask-push\"
command = \"git push\"
verdict = \"ask\"
reason = \"others see it\"

[[embargo]]
id = \"head\"
pattern = '\\| head'
reason = \"it hides the rest\"

[[embargo]]
id = \"no-npm\"
command = \"npm\"
flags = [\"-g\"]
reason = \"global\"
permits = [\"npm install -g corepack\"]
unless = [\"corepack\"]
";

fn world() -> World {
    let world = World::new();
    world.policy(&format!("{NO_GRADLE}{RULES}"));
    world
}

#[test]
fn what_would_have_been_said_is_told_with_what_is_likely_false() {
    let world = world();
    let often = "gradle assemble\n".repeat(6);
    let history = format!(
        "ls\ngradle build --password hunter2\ngit push\ngit push\necho 'a | head'\ncat x | head\ngradle --version\nnpm install -g yarn2corepack\n{often}"
    );
    world.write("project/h", &history);
    let wanted = "\
h: 14 commands (a history of bash)

h:2: `gradle build --password ‹redacted›`: refuse by no-gradle
h:3: `git push`: ask by ask-push 2 times
h:5: `echo 'a | head'`: refuse by head
    likely false: the pattern is in quoted text alone
h:6: `cat x | head`: refuse by head
h:7: `gradle --version`: refuse by no-gradle
    likely false: it asks for help or version
h:8: `npm install -g yarn2corepack`: refuse by no-npm
    likely false: it is like `npm install -g corepack`, which the rule's own example permits
h:9: `gradle assemble`: refuse by no-gradle 6 times
    likely false: it ran 6 times and never failed

refused asked warned likely-false rule
      8     0      0            7 no-gradle (embargo.toml:1)
      0     2      0            0 ask-push (embargo.toml:7)
      2     0      0            1 head (embargo.toml:13)
      1     0      0            1 no-npm (embargo.toml:18)
";
    world.embargo(&["history", "h"]).stdout(wanted).run();
    world
        .embargo(&["history", "-"])
        .stdin(history.clone())
        .stdout(wanted.replace("h:", "-:"))
        .run();
    // Nothing is counted.
    assert!(!world.path("home/.local/state/embargo/evidence.db").exists());
}

#[test]
fn a_transcript_is_judged_where_it_ran_and_says_what_came_of_it() {
    let world = world();
    let sub = world.path("project/sub");
    world.write(
        "project/sub/embargo.toml",
        "[[embargo]]\nid = \"make\"\ncommand = \"make\"\nreason = \"r\"\n",
    );
    let call = |id: &str, cwd: &str, command: &str, failed: bool| {
        let used = serde_json::json!({"type":"assistant","cwd":cwd,"message":{"content":[{"type":"tool_use","id":id,"name":"Bash","input":{"command":command}}]}});
        let came = serde_json::json!({"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":id,"is_error":failed,"content":"x"}]}});
        format!("{used}\n{came}\n")
    };
    let sub = sub.display().to_string();
    let text = [
        call("1", &sub, "make", true),
        call("2", "/nowhere", "make", false),
        call("3", "/nowhere", "gradle build", false),
    ];
    world.write("project/t.jsonl", text.concat());
    let found =
        world.embargo(&["history", "--json", "t.jsonl"]).any_output().run_expecting(0, "json");
    let found: Value = serde_json::from_str(&found.stdout).expect("JSON");
    let files = serde_json::json!([{"file":"t.jsonl","format":"claude-code","commands":3}]);
    assert_eq!(found["files"], files);
    let findings = found["findings"].as_array().expect("findings");
    let of = |key: &str| findings.iter().map(|f| f[key].clone()).collect::<Vec<_>>();
    assert_eq!(of("command"), ["make", "gradle build"]);
    assert_eq!(of("came"), [serde_json::json!({"failed":1}), serde_json::json!({"succeeded":1})]);
    assert_eq!(found["rules"][0]["refused"], 1);
}

#[test]
fn nothing_found_and_nothing_to_read() {
    let world = world();
    world.write("project/h", "ls\n");
    let nothing = "h: 1 command (a history of bash)\nnothing would have been refused, asked about or warned of\n";
    world.embargo(&["history", "h"]).stdout(nothing).run();
    world.embargo(&["history", "gone"]).stderr_has(&["gone cannot be read"]).status(1).run();
    world.embargo(&["history"]).any_output().run_expecting(2, "no file");
    world.write("home/.config/embargo/embargo.toml", "typo = 1\n");
    world.embargo(&["history", "h"]).stderr_has(&["embargo history"]).status(88).run();
    world
        .embargo(&["history", "--json", "h"])
        .stdout_has(&["\"kind\":\"broken\""])
        .status(88)
        .run();
}

#[test]
fn without_all_the_first_forty_lines_are_shown() {
    let world = world();
    let lines: String = (0..50).map(|n| format!("gradle t{n}\n")).collect();
    world.write("project/h", lines);
    let shown = |words: &[&str]| world.embargo(words).any_output().run().stdout;
    let short = shown(&["history", "h"]);
    assert!(short.contains("\n… and 10 more lines: --all shows them\n"), "{short}");
    assert!(short.contains("     50     0      0            0 no-gradle"), "{short}");
    assert_eq!(shown(&["history", "--all", "h"]).matches("refuse by").count(), 50);
}
