//! Text of a PowerShell tool is read by PowerShell's quotes, and by the same rules as bash's: the
//! table is `tests/cases/powershell.toml`. Asked as a harness does.

mod common;

use common::World;
use serde::Deserialize;
use serde_json::{Value, json};

#[derive(Deserialize)]
struct Table {
    case: Vec<Case>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    line: String,
    bash: Option<Vec<String>>,
    powershell: Option<Vec<String>>,
    #[serde(rename = "why")]
    _why: Option<String>,
}

const POLICY: &str = r#"
[[embargo]]
id = "head"
command = "| head -"
reason = "it hides the rest"

[[embargo]]
id = "backslash"
pattern = '\'
reason = "paths have slashes"

[[embargo]]
id = "no-gradle"
command = "gradle"
reason = "it is pinned"

[[embargo]]
id = "push"
command = "git push"
flags = ["-f|--force"]
reason = "others have it"

[[embargo]]
id = "remove"
command = "Remove-Item"
flags = ["-Recurse"]
reason = "it is gone then"
"#;

#[test]
fn each_shell_s_text_is_read_in_its_own_way() {
    let table: Table = toml::from_str(include_str!("cases/powershell.toml")).expect("a table");
    let world = World::new();
    world.policy(POLICY);
    let mut rows = 0;
    for case in table.case {
        for (tool, wanted) in [("Bash", &case.bash), ("PowerShell", &case.powershell)] {
            let Some(wanted) = wanted else { continue };
            let found = rules(&world, tool, &case.line, rows);
            assert_eq!(&found, wanted, "{tool}: {:?}", case.line);
            rows += 1;
        }
    }
    assert!(rows > 70, "{rows}");
}

/// The rules that its row in the log names.
fn rules(world: &World, tool: &str, line: &str, at: usize) -> Vec<String> {
    let payload = json!({
        "session_id": format!("s-{at}"),
        "cwd": world.path("project"),
        "hook_event_name": "PreToolUse",
        "tool_name": tool,
        "tool_input": { "command": line },
    });
    let test = world.embargo(&["hook", "claude-code"]).stdin(payload.to_string());
    let found = test.any_output().run();
    if found.status == 0 {
        assert_eq!(found.stdout, "", "{line:?}");
        return Vec::new();
    }
    let log = world.embargo(&["log", "--json", "--limit", "1"]).any_output().run().stdout;
    let row: Value = serde_json::from_str(&log).expect("a row");
    assert_eq!(row["argv"][2], line);
    let rules = row["rules"].as_array().expect("rules");
    rules.iter().filter_map(|rule| rule.as_str().map(str::to_owned)).collect()
}
