//! README and `docs/` against the program: fenced blocks are run in a throw-away
//! world (`CONTRIBUTING.md` has the kinds of fences), and what is an interface is
//! documented and nothing else is.

mod common;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use common::{EMBARGO, NO_GRADLE, Test, World};
use embargo::policy::Exit;
use embargo::sys::session;
use regex::Regex;
use serde_json::Value;

/// The first block of the README, to the letter.
const COMMANDS: &str = "\
cargo run --release -- run --policy embargo.example.toml -- gradle build     # refused, exit 86
cargo test                                                                    # everything, nothing else to install
";

/// Pages whose blocks are looked at.
const PAGES: [&str; 16] = [
    "README.md",
    "CONTRIBUTING.md",
    "ARCHITECTURE.md",
    "CHANGELOG.md",
    "docs/agents.md",
    "docs/containers.md",
    "docs/harnesses.md",
    "docs/seals.md",
    "docs/reference/policy.md",
    "docs/reference/diagnostics.md",
    "docs/reference/exit-codes.md",
    "docs/reference/doctor.md",
    "docs/reference/json.md",
    "docs/reference/environment.md",
    "docs/reference/files.md",
    "shims/README.md",
];

/// Its blocks are done by `tests/containers.rs`.
const CONTAINERS: &str = "docs/containers.md";

type Names = BTreeSet<String>;

fn read(page: impl AsRef<Path>) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(page);
    std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

fn regex(text: &str) -> Regex {
    Regex::new(text).expect("a regex")
}

/// The first group of every match.
fn all(pattern: &str, text: &str) -> Names {
    regex(pattern).captures_iter(text).map(|found| found[1].to_owned()).collect()
}

fn names<S: AsRef<str>>(names: impl IntoIterator<Item = S>) -> Names {
    names.into_iter().map(|name| name.as_ref().to_owned()).collect()
}

// ---- pages

/// A fenced block.
struct Block {
    /// What stands behind the opening fence.
    info: String,
    text: String,
    /// Page and line, for messages.
    place: String,
}

fn blocks(page: &str) -> Vec<Block> {
    let mut found: Vec<Block> = Vec::new();
    let mut is_open = false;
    for (at, line) in read(page).lines().enumerate() {
        match (line.strip_prefix("```"), is_open) {
            (Some(info), false) => {
                let (info, place) = (info.to_owned(), format!("{page}:{}", at + 1));
                found.push(Block { info, text: String::new(), place });
            }
            (None, true) => {
                let block = found.last_mut().expect("an open block");
                block.text += line;
                block.text.push('\n');
            }
            _ => {}
        }
        is_open ^= line.starts_with("```");
    }
    assert!(!is_open, "a block of {page} is not closed");
    found
}

/// What follows a heading, up to the next heading of any level.
fn section(page: &str, heading: &str) -> String {
    let text = read(page);
    let lines = text.lines().skip_while(|line| line.trim_start_matches('#').trim() != heading);
    let lines = lines.skip(1).take_while(|line| !line.starts_with('#'));
    let text: String = lines.flat_map(|line| [line, "\n"]).collect();
    assert!(!text.is_empty(), "{page} has no section {heading:?}");
    text
}

/// The rows of the tables in a text, heads and rules aside, as their cells.
fn rows(text: &str) -> Vec<Vec<String>> {
    let lines: Vec<&str> = text.lines().collect();
    let is_row = |at: &usize| {
        let is_head = lines.get(at + 1).is_some_and(|next| next.starts_with("|---"));
        lines[*at].starts_with("| ") && !is_head
    };
    let cells = |at: usize| lines[at].trim_matches('|').split(" | ").map(|c| c.trim().to_owned());
    (0..lines.len()).filter(is_row).map(|at| cells(at).collect()).collect()
}

/// What stands between back-quotes in the first cell of each row.
fn first_cells(text: &str) -> Names {
    rows(text).iter().flat_map(|row| all("`([^`]+)`", &row[0])).collect()
}

fn without_comment(line: &str) -> &str {
    line.split("  #").next().unwrap_or(line).trim_end()
}

// ---- the world that blocks are run in

/// A world with programs that blocks name, and embargo among them.
fn world() -> World {
    let world = World::new();
    for name in ["gradle", "git", "claude"] {
        world.stub(name);
    }
    std::os::unix::fs::symlink(EMBARGO, world.path("bin/embargo")).expect("a link");
    world.write("project/embargo.example.toml", read("embargo.example.toml"));
    world
}

/// One terminal: each block is a shell that begins with the PATH that the last one left.
struct Terminal<'w> {
    world: &'w World,
    path: String,
}

impl<'w> Terminal<'w> {
    fn new(world: &'w World) -> Self {
        let bin = world.path("bin").display().to_string();
        Terminal { world, path: format!("{bin}:/usr/bin:/bin") }
    }

    /// Runs a shell that reads `script` as if it was typed; what it printed, in the
    /// names that the pages use.
    fn run(&mut self, script: &str, place: &str) -> String {
        let kept = self.world.path("path");
        let script = format!("exec 2>&1\n{script}printf %s \"$PATH\" > '{}'\n", kept.display());
        let test = Test::new(self.world, "/bin/sh".as_ref(), &["-s"]).env("PATH", &self.path);
        let found = test.stdin(script).any_output().run();
        self.path = std::fs::read_to_string(&kept)
            .unwrap_or_else(|e| panic!("{place}: the shell ended early ({e}): {found:#?}"));
        std::fs::remove_file(kept).expect("it was there");
        let homes =
            found.stdout.replace("[W]/project", "/home/me/app").replace("[W]/home", "/home/me");
        homes.replace("[W]/bin/embargo", "/home/me/.cargo/bin/embargo")
    }

    /// Lines behind `$ ` are typed, and what is printed is what stands below them.
    fn console(&mut self, block: &Block) {
        const MARK: &str = "@@ end of a command";
        let mut commands: Vec<(&str, String)> = Vec::new();
        for line in block.text.lines() {
            match (line.strip_prefix("$ "), commands.last_mut()) {
                (Some(command), _) => commands.push((command, String::new())),
                (None, Some((_, printed))) => *printed += &format!("{line}\n"),
                (None, None) => panic!("{}: output without a command", block.place),
            }
        }
        let script: String = commands
            .iter()
            .map(|(command, _)| format!("{command}\ns=$?; echo '{MARK}'; (exit $s)\n"))
            .collect();
        let printed = self.run(&script, &block.place);
        let printed: Vec<&str> = printed.split(&format!("{MARK}\n")).collect();
        assert_eq!(printed.len(), commands.len() + 1, "{}: {printed:#?}", block.place);
        for ((command, wanted), found) in commands.iter().zip(printed) {
            assert_eq!(timeless(found), timeless(wanted), "{}: `{command}`", block.place);
        }
    }
}

/// Without ids, times and processes.
fn timeless(text: &str) -> String {
    let mut text = text.to_owned();
    for (pattern, name) in [
        (r"e_(?:ID|[0-9A-Z]{26})", "e_ID"),
        (r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", "TIME"),
        (r"session \S+", "session ID"),
    ] {
        text = regex(pattern).replace_all(&text, name).into_owned();
    }
    text
}

#[test]
fn blocks_do_what_they_say() {
    for page in PAGES {
        let world = world();
        let mut terminal = Terminal::new(&world);
        for block in blocks(page) {
            let Block { info, text, place } = &block;
            match info.as_str() {
                "console" => terminal.console(&block),
                "sh test" => {
                    terminal.run(&format!("set -e\n{text}"), place);
                }
                "sh ci" => is_run_by_ci(&block),
                "toml embargo.toml" => {
                    world.policy(text);
                    for verb in ["lint", "test"] {
                        let found = world.embargo(&[verb]).any_output().run();
                        assert_eq!(found.status, 0, "{place}: {found:#?}");
                    }
                }
                // Tests of their own, below.
                "sh" => assert_eq!((page, text.as_str()), ("README.md", COMMANDS), "{place}"),
                // And in tests/containers.rs.
                "dockerfile" => assert!(["README.md", CONTAINERS].contains(&page), "{place}"),
                "json devcontainer" | "yaml github" | "yaml gitlab" => {
                    assert_eq!(page, CONTAINERS, "{place}");
                }
                "json refusal" => assert_eq!(page, "docs/reference/json.md", "{place}"),
                "text" | "toml" => {}
                other => panic!("{place}: no test knows blocks of the kind {other:?}"),
            }
        }
    }
}

/// Each line, up to what depends on the machine, stands in `.ci/run`.
fn is_run_by_ci(block: &Block) {
    let ci = read(".ci/run");
    for line in block.text.lines().map(without_comment) {
        let part = line.split("x86_64-").next().unwrap_or(line);
        let part = part.split(" target/").next().unwrap_or(part).trim();
        assert!(ci.contains(part), "{}: .ci/run does not run `{part}`", block.place);
    }
}

// ---- the README's first two commands

#[test]
fn the_first_block_of_the_readme_is_the_two_commands() {
    let first = blocks("README.md").swap_remove(0);
    assert_eq!((first.info.as_str(), first.text.as_str()), ("sh", COMMANDS));
    let before = read("README.md");
    let before = before.split("```sh\n").next().expect("a beginning");
    assert_eq!(before.trim(), "# embargo", "nothing but the title stands above them");
}

#[test]
fn the_first_command_is_refused_with_86() {
    let line = COMMANDS.lines().next().expect("a line");
    let (command, comment) = line.split_once("  #").expect("a comment");
    assert_eq!(comment, " refused, exit 86");
    let words = command.trim().strip_prefix("cargo run --release -- ").expect("cargo run");
    let words: Vec<&str> = words.split(' ').collect();
    // A fresh machine has no gradle.
    let world = World::new();
    world.write("project/embargo.example.toml", read("embargo.example.toml"));
    world
        .embargo(&words)
        .stderr_has(&[
            "I must not use `gradle` because raw gradle does not have the libraries our application needs. Instead, run `./gradlew build`.\n",
            "[embargo refused e_ID exit 86]\n",
        ])
        .status(86)
        .run();
}

#[test]
fn the_second_command_is_what_runs_this() {
    let line = COMMANDS.lines().nth(1).expect("a line");
    assert_eq!(without_comment(line), "cargo test");
    // Nothing is turned on by a feature or left out by a mark.
    let manifest: toml::Table = read("Cargo.toml").parse().expect("TOML");
    assert!(!manifest.contains_key("features"), "`cargo test` does not test features");
    let ignored = ["#[ig", "nore"].concat();
    for (path, text) in sources("tests").into_iter().chain(sources("src")) {
        assert!(!text.contains(&ignored), "{} leaves tests out", path.display());
    }
}

// ---- verbs and exit statuses

#[test]
fn verbs_of_the_readme_are_those_of_help() {
    let help = World::new().embargo(&["--help"]).any_output().run().stdout;
    let commands = help.split("Commands:\n").nth(1).expect("commands");
    let mut verbs = all("(?m)^  ([a-z]+) ", commands.split("\n\n").next().expect("a list"));
    assert!(verbs.remove("help"), "clap's own");
    assert_eq!(first_cells(&section("README.md", "Verbs")), verbs);

    let table = rows(&section("README.md", "Verbs"));
    for verb in ["shim", "hook"] {
        let help = World::new().embargo(&[verb, "--help"]).any_output().run().stdout;
        let list = help.split("Commands:\n").nth(1).expect("acts");
        let mut acts = all("(?m)^  ([a-z]+) ", list.split("\n\n").next().expect("a list"));
        assert!(acts.remove("help"));
        let row = table.iter().find(|row| row[0] == format!("`{verb}`")).expect("a row");
        assert_eq!(all("`([a-z]+)`", &row[1]), acts);
    }
}

#[test]
fn exit_statuses_are_documented() {
    let wanted: Vec<[String; 2]> = Exit::ALL
        .iter()
        .map(|(exit, line)| [exit.code().to_string(), (*line).to_owned()])
        .collect();
    let first_two = |row: &Vec<String>| [row[0].clone(), row[1].clone()];
    let statuses = |text: &str| -> Vec<[String; 2]> {
        rows(text).iter().filter(|r| r[0].parse::<i32>().is_ok()).map(first_two).collect()
    };
    assert_eq!(statuses(&section("docs/reference/exit-codes.md", "Exit statuses")), wanted);
    assert_eq!(statuses(&section("README.md", "Exit statuses")), wanted);
}

/// A section for each harness that is answered, which says what is known of it and how.
#[test]
fn each_harness_has_a_section() {
    let sections: [(&str, &str); 15] = [
        ("claude-code", "Claude Code"),
        ("codex", "Codex"),
        ("copilot", "Copilot"),
        ("cursor", "Cursor"),
        ("gemini", "Gemini CLI"),
        ("opencode", "OpenCode"),
        ("qwen", "Qwen Code"),
        ("droid", "Factory droid"),
        ("windsurf", "Windsurf"),
        ("cline", "Cline"),
        ("goose", "goose"),
        ("kiro", "Kiro"),
        ("augment", "Augment"),
        ("agy", "Antigravity"),
        ("grok", "Grok CLI"),
    ];
    let mut answered = names(embargo::hook::Dialect::NAMED.map(|(name, _)| name));
    answered.remove("claude");
    assert_eq!(names(sections.map(|(name, _)| name)), answered);
    for (_, heading) in sections {
        let text = section("docs/harnesses.md", heading);
        let has = |words: &[&str]| words.iter().any(|word| text.contains(word));
        assert!(has(&["Installed: ", "By hand: "]), "{heading}: where");
        assert!(has(&["Documented", "Source", "Measured", "Typings"]), "{heading}: how sure");
        assert!(text.contains("PATH") && text.contains("Limits: "), "{heading}");
    }
}

// ---- JSON

fn object(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|e| panic!("{e}: {text}"))
}

fn keys(value: &Value) -> Names {
    names(value.as_object().unwrap_or_else(|| panic!("no object: {value}")).keys())
}

/// Standard output of a verb in the project, as one value.
fn answer(world: &World, words: &[&str]) -> Value {
    object(&world.embargo(words).any_output().run().stdout)
}

fn refusal(world: &World, words: &[&str]) -> Value {
    object(&world.embargo(words).env("EMBARGO_FORMAT", "json").any_output().run().stderr)
}

#[test]
fn the_refusal_in_json_is_the_documented_one() {
    let world = world();
    world.policy(NO_GRADLE);
    let block = blocks("docs/reference/json.md").into_iter().find(|b| b.info == "json refusal");
    let wanted = timeless(&block.expect("a refusal").text);
    let found = refusal(&world, &["run", "gradle", "build"]);
    assert_eq!(object(&timeless(&found.to_string())), object(&wanted));
}

#[test]
fn json_keys_are_documented() {
    let world = world();
    let warning = "[[embargo]]\ncommand = \"git\"\nverdict = \"warn\"\nreason = \"it is slow\"\n";
    let faulty = "permits = [\"gradle\"]\n";
    world.policy(&format!("{NO_GRADLE}{faulty}{warning}"));

    let refused = refusal(&world, &["run", "gradle", "build"]);
    let checked = answer(&world, &["check", "--json", "gradle build"]);
    let warned = answer(&world, &["check", "--json", "git status"]);
    let last = answer(&world, &["last", "--json"]);
    for other in [&checked, &warned, &last] {
        assert_eq!(keys(other), keys(&refused), "{other}");
    }
    let reserved = answer(&world, &["check", "--json", "run_shell"]);
    assert_eq!(keys(&reserved), keys(&refused), "{reserved}");
    let explained = answer(&world, &["explain", "--json", "gradle build"]);
    let tested = answer(&world, &["test", "--json"]);
    world.write("project/twice.toml", NO_GRADLE.repeat(2));
    let labelled = answer(&world, &["lint", "--json", "twice.toml"]);
    let linted = answer(&world, &["lint", "--json", "--verbose"]);
    let unread = answer(&world, &["lint", "--json", "absent.toml"]);
    let examined = answer(&world, &["doctor", "--json"]);
    let added = answer(&world, &["add", "tool", "--reason", "x", "--dry-run", "--json"]);
    let brief = answer(&world, &["brief", "--json"]);
    let packs = answer(&world, &["pack", "list", "--json"]);
    world.write("project/dist/app", "x");
    world.embargo(&["seal", "dist"]).any_output().status(0).run();
    let seals = answer(&world, &["seals", "--json"]);
    world.write("project/dist/app", "y");
    let drifted = answer(&world, &["seals", "check", "--json"]);
    world.write("project/dist/app", "x");
    let accepted = answer(&world, &["accept", "--dry-run", "--json", "--", "./v", "dist"]);
    let sealed = answer(&world, &["check", "--json", "rm -r dist"]);
    assert_eq!(keys(&sealed), keys(&refused), "{sealed}");
    let hooks = answer(&world, &["hook", "status", "--json"]);
    world.write("project/new/gradlew", "").write("project/new/package.json", "{}");
    let init = world.embargo(&["init", "--json"]).cwd("project/new").any_output().run();
    let init = object(&init.stdout);
    let row = answer(&world, &["log", "--json", "--limit", "1"]);
    let whole = answer(&world, &["log", "--json", "--verify"]);
    let pass = answer(&world, &["check", "--json", "ls"]);
    world.install(&["gradle"]);
    let shims = world.path("shims").display().to_string();
    let listed = answer(&world, &["shim", "list", "--json", "--dir", &shims]);
    let log = world.path("home/.local/state/embargo/evidence.db");
    let log = rusqlite::Connection::open(log).expect("a log");
    log.execute("UPDATE log SET rule = 'another'", ()).expect("a change");
    let broken_chain = answer(&world, &["log", "--json", "--verify"]);
    world.write("home/.config/embargo/embargo.toml", "typo = 1");
    let broken = answer(&world, &["check", "--json", "ls"]);

    world.write("home/.config/embargo/embargo.toml", "").write("project/h", "gradle build\n");
    let history = answer(&world, &["history", "--json", "h"]);

    let chain: Names = &keys(&whole) | &keys(&broken_chain);
    let command = &explained["commands"][0];
    let table: [(&str, Names); 44] = [
        ("`init --json`", keys(&init)),
        ("Each of init's `packs`", keys(&init["packs"][0])),
        ("Each of init's `undecided`", keys(&init["undecided"][0])),
        ("`add --json`", keys(&added)),
        ("`brief --json`", keys(&brief)),
        ("Each of brief's `rules`", keys(&brief["rules"][0])),
        ("`pack list --json`", keys(&packs)),
        ("Each of the list's `packs`", keys(&packs["packs"][0])),
        ("The refusal", keys(&refused)),
        ("Each of `rules`", keys(&refused["rules"][0])),
        ("A pass", keys(&pass)),
        ("No trust", keys(&broken)),
        ("`explain --json`", keys(&explained)),
        ("Each of `commands`", keys(command)),
        ("Each of their `rules`", keys(&command["rules"][0])),
        ("Each of `policy`", keys(&explained["policy"][0])),
        ("`test --json`", keys(&tested)),
        ("Each of `failures`", keys(&tested["failures"][0])),
        ("`lint --json`", keys(&linted)),
        ("Each of `findings`", keys(&linted["findings"][0])),
        ("Each of a finding's `labels`", keys(&labelled["findings"][0]["labels"][0])),
        ("Each of `unread`", keys(&unread["unread"][0])),
        ("Each of lint's `rules`", keys(&linted["rules"][0])),
        ("Its `bites`", keys(&linted["rules"][0]["bites"])),
        ("`doctor --json`", keys(&examined)),
        ("Each of `checks`", keys(&examined["checks"][0])),
        ("`log --json`", keys(&row)),
        ("`log --verify --json`", chain),
        ("`shim list --json`", keys(&listed[0])),
        ("`hook status --json`", keys(&hooks)),
        ("Each of its `hooks`", keys(&hooks["hooks"][0])),
        ("`history --json`", keys(&history)),
        ("Each of history's `files`", keys(&history["files"][0])),
        ("Each of history's `findings`", keys(&history["findings"][0])),
        ("Each of history's `rules`", keys(&history["rules"][0])),
        ("Each of `seals`", keys(&sealed["seals"][0])),
        ("`seals --json`", keys(&seals)),
        ("Each of its `seals`", keys(&seals["seals"][0])),
        ("`seals check --json`", keys(&drifted)),
        ("Each of its `drift`", keys(&drifted["drift"][0])),
        ("`accept --json`", keys(&accepted)),
        ("Each of its `sealed`", keys(&accepted["sealed"][0])),
        ("JSON", Names::new()),
        ("Other answers of `check --json`", Names::new()),
    ];
    for (heading, found) in &table[..41] {
        assert_eq!(first_cells(&section("docs/reference/json.md", heading)), *found, "{heading}");
    }
    let headings = all(r"(?m)^#+ (.+)$", &read("docs/reference/json.md"));
    assert_eq!(headings, names(table.iter().map(|(heading, _)| heading)));
}

// ---- policy keys

/// The strings of a list of keys in the source, since the list itself is not public.
fn key_list(file: &str, name: &str) -> Names {
    let text = read(file);
    let list = regex(&format!(r"(?s)const {name}: &\[&str\] =\s*&\[(.*?)\];"));
    let list = list.captures(&text).unwrap_or_else(|| panic!("{file} has no list {name}"));
    all("\"([a-z_]+)\"", &list[1])
}

/// Keys by the table that they stand in; the file's own under the empty name.
fn known_keys() -> BTreeMap<&'static str, Names> {
    BTreeMap::from([
        ("", key_list("src/config/file.rs", "KEYS")),
        ("default", key_list("src/config/file.rs", "DEFAULT_KEYS")),
        ("reserved", key_list("src/config/file.rs", "RESERVED_KEYS")),
        ("acceptance", key_list("src/config/acceptance.rs", "KEYS")),
        ("protect", key_list("src/config/protect.rs", "KEYS")),
        ("embargo", key_list("src/config/rule.rs", "KEYS")),
    ])
}

/// Keys of each table as TOML has them.
fn keys_of_toml(text: &str) -> BTreeMap<&'static str, Names> {
    let file: toml::Table = text.parse().unwrap_or_else(|e| panic!("{e}"));
    let of = |table: &toml::Value| names(table.as_table().expect("a table").keys());
    let one = |name: &str| file.get(name).map(of).unwrap_or_default();
    let each = |name: &str| -> Names {
        let tables = file.get(name).and_then(toml::Value::as_array);
        tables.into_iter().flatten().flat_map(of).collect()
    };
    BTreeMap::from([
        ("", names(file.keys())),
        ("default", one("default")),
        ("reserved", one("reserved")),
        ("acceptance", each("acceptance")),
        ("protect", each("protect")),
        ("embargo", each("embargo")),
    ])
}

#[test]
fn policy_keys_are_documented() {
    let page = read("docs/reference/policy.md");
    let block = blocks("docs/reference/policy.md").swap_remove(0);
    let written = keys_of_toml(&block.text);
    for (table, known) in known_keys() {
        let unknown: Names = &written[table] - &known;
        assert!(
            unknown.is_empty(),
            "docs/reference/policy.md has keys in [{table}] there are not: {unknown:?}"
        );
        // Some stand in a comment, beside a key of their kind.
        let missing = &known - &written[table];
        let missing: Names = missing
            .into_iter()
            .filter(|key| !regex(&format!(r"# .*\b{key}\b")).is_match(&page))
            .collect();
        assert!(
            missing.is_empty(),
            "docs/reference/policy.md lacks keys of [{table}]: {missing:?}"
        );
    }
}

#[test]
fn the_example_policy_has_every_key() {
    let text = read("embargo.example.toml");
    let known = known_keys();
    let mut written = keys_of_toml(&text);
    for (table, found) in &written {
        assert!(found.is_subset(&known[table]), "[{table}]: {found:?}");
    }
    // Commented: `# key = …` of the file and [default], and the list of a rule's keys.
    let commented = all(r"(?m)^# ([a-z_]+) = ", &text);
    let listed: Names = all(r"(?m)^#   ([a-z_]+(?:, [a-z_]+)*)(?:  .*)?$", &text)
        .iter()
        .flat_map(|line| line.split(", "))
        .map(str::to_owned)
        .collect();
    for key in &commented {
        assert!(known[""].contains(key) || known["default"].contains(key), "there is no `{key}`");
    }
    assert_eq!(&listed - &known["embargo"], Names::new(), "there are no such keys of a rule");
    for (table, found) in &mut written {
        found.extend(if *table == "embargo" { listed.clone() } else { commented.clone() });
        // `cmd` is told of as the other name of `command`.
        found.extend(all("`(cmd)` is the same", &text));
        let missing = &known[table] - found;
        assert!(missing.is_empty(), "embargo.example.toml lacks keys of [{table}]: {missing:?}");
    }
}

// ---- variables

fn sources(below: &str) -> Vec<(PathBuf, String)> {
    fn walk(path: &Path, found: &mut Vec<(PathBuf, String)>) {
        if path.is_dir() {
            for entry in std::fs::read_dir(path).expect("a directory") {
                walk(&entry.expect("an entry").path(), found);
            }
        } else if path.extension().is_some_and(|e| e == "rs") {
            found.push((path.to_owned(), std::fs::read_to_string(path).expect("a source")));
        }
    }
    let mut found = Vec::new();
    walk(&Path::new(env!("CARGO_MANIFEST_DIR")).join(below), &mut found);
    assert!(!found.is_empty(), "no source below {below}");
    found
}

/// What a library reads for us, by the words that call it.
const BY_LIBRARIES: [(&str, &[&str]); 4] = [
    (
        "ProjectDirs::from",
        &["HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME", "XDG_DATA_HOME"],
    ),
    ("std::env::temp_dir", &["TMPDIR"]),
    ("clap::Parser", &["COLUMNS", "LINES"]),
    ("clap::{Parser", &["COLUMNS", "LINES"]),
];

#[test]
fn variables_that_are_read_are_documented() {
    let is_test = |path: &Path| path.ends_with("tests.rs");
    let product: Vec<_> = sources("src").into_iter().filter(|(path, _)| !is_test(path)).collect();
    let mut read_here = names(session::variables());
    for (path, text) in &product {
        read_here.extend(all(r#"(?:var_os|var|text|is_set)\(\s*"([A-Z_]+)"\s*\)"#, text));
        read_here.extend(all(r#"const \w+: &str = "(EMBARGO_[A-Z_]+)";"#, text));
        for (_, variables) in BY_LIBRARIES.iter().filter(|(call, _)| text.contains(call)) {
            read_here.extend(names(*variables));
        }
        // A name that comes as a value has to be one of those above.
        let by_value = regex(r"env::(?:var|var_os|vars|vars_os)\(\s*[a-z)]").is_match(text);
        let may = ["sys/environment.rs", "sys/notify.rs"].iter().any(|file| path.ends_with(file));
        assert!(may || !by_value, "{} reads variables by value", path.display());
    }
    let documented = rows(&section("docs/reference/environment.md", "Read"));
    let documented: Names = documented
        .iter()
        .flat_map(|row| {
            // The second table has the harness first.
            let cell = if row[0].starts_with('`') { &row[0] } else { &row[1] };
            all("`([A-Z_]+)`", cell)
        })
        .collect();
    assert_eq!(documented, read_here);
}

#[test]
fn variables_that_are_set_are_documented() {
    let world = world();
    let notifier = world.path("notifier").display().to_string();
    world.script(
        "notifier",
        "#!/bin/sh\nenv > \"${0%/*}/beside\"; mv \"${0%/*}/beside\" \"${0%/*}/told\"\n",
    );
    let notify = format!("[default]\nnotify = [{notifier:?}]\nsurface_after = 1\n");
    world.policy(NO_GRADLE).write("home/.config/embargo/embargo.toml", notify);
    world
        .embargo(&["run", "gradle"])
        .path(&["bin", "/usr/bin", "/bin"])
        .any_output()
        .status(86)
        .run();
    let end = Instant::now() + Duration::from_secs(20);
    while !world.path("told").exists() {
        assert!(Instant::now() < end, "nobody was told");
        std::thread::sleep(Duration::from_millis(20));
    }
    let told = all("(?m)^(EMBARGO_[A-Z_]+)=", &world.read("told"));
    let documented = section("docs/reference/environment.md", "Set for the notifier");
    assert_eq!(first_cells(&documented), told);

    // What a run and a shim set: a script is told that we may be met again.
    world.write("home/.config/embargo/embargo.toml", "");
    world.script("bin/git", "#!/bin/sh\n/usr/bin/env\n");
    world.install(&["git"]);
    let path = world.path("bin").display().to_string();
    let set = |environment: &str| {
        let lines = environment.lines().filter(|line| !line.starts_with("HOME="));
        let lines = lines.filter(|line| *line != format!("PATH={path}"));
        all("(?m)^([A-Z_]{2,})=", &lines.collect::<Vec<_>>().join("\n"))
    };
    let shell = ["PWD", "OLDPWD", "SHLVL"].map(str::to_owned);
    let env = |test: Test<'_>| {
        let found =
            test.any_output().run().stdout.replace("[W]", &world.path("").display().to_string());
        &set(&found.replace("//", "/")) - &Names::from(shell.clone())
    };
    let by_run = env(world.embargo(&["run", "/usr/bin/env"]));
    let by_shim = env(Test::new(&world, world.path("shims/git").as_os_str(), &[""; 0]));
    assert_eq!(by_run, names(["PATH"]));
    let documented = first_cells(&section("docs/reference/environment.md", "Set"));
    assert_eq!(documented, &by_run | &(&by_shim - &names(["PATH"])));
}

// ---- files

#[test]
fn files_are_documented_with_their_modes() {
    use std::os::unix::fs::PermissionsExt as _;
    let world = world();
    world.policy(NO_GRADLE);
    world.embargo(&["shim", "install", "gradle"]).any_output().status(0).run();
    world.embargo(&["run", "gradle"]).any_output().status(86).run();
    world.script("project/wait", "#!/bin/sh\nexit 0\n");
    world.embargo(&["run", "./wait"]).any_output().status(0).run();
    world.embargo(&["seal", "wait"]).any_output().status(0).run();
    for _ in 0..2 {
        world.embargo(&["accept", "./wait"]).any_output().status(0).run();
    }

    let payload = r#"{"session_id":"s","hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"gradle"}}"#;
    world.embargo(&["hook", "claude-code"]).stdin(payload).any_output().status(2).run();

    let places = [
        ("home/.config/embargo", "CONFIG"),
        ("home/.local/state/embargo", "STATE"),
        ("home/.cache/embargo", "CACHE"),
        ("home/.local/share/embargo", "DATA"),
    ];
    let mut found: BTreeMap<String, String> = BTreeMap::new();
    for (place, name) in places {
        walk(&world.path(place), name, &mut found);
    }
    fn walk(path: &Path, name: &str, found: &mut BTreeMap<String, String>) {
        let Ok(stat) = path.symlink_metadata() else { return };
        let mode = match stat.is_symlink() {
            true => "link".to_owned(),
            false => format!("{:04o}", stat.permissions().mode() & 0o7777),
        };
        found.insert(name.to_owned(), mode);
        if stat.is_dir() {
            for entry in std::fs::read_dir(path).expect("a directory") {
                let entry = entry.expect("an entry");
                let own = entry.file_name().into_string().expect("text");
                let own = match name {
                    "CACHE/views" => "BUILD-FILES".to_owned(),
                    "DATA/runs" => "PID-START".to_owned(),
                    "STATE/acts" => "DIGEST".to_owned(),
                    _ if entry.file_type().expect("a type").is_symlink() => "NAME".to_owned(),
                    _ => own,
                };
                walk(&entry.path(), &format!("{name}/{own}"), found);
            }
        }
    }
    // Those that only hold what is documented.
    for parent in ["CACHE", "DATA"] {
        assert_eq!(found.remove(parent).as_deref(), Some("0700"), "{parent}");
    }
    let documented: BTreeMap<String, String> = rows(&section("docs/reference/files.md", "Ours"))
        .into_iter()
        .map(|row| (row[0].trim_matches('`').to_owned(), row[1].clone()))
        .collect();
    assert_eq!(found, documented);
}

// ---- the rest

/// The lines on embargo of the Dockerfile's RUNs, done to a world in place of the image.
#[test]
fn the_dockerfile_makes_shims_that_refuse() {
    let world = world();
    world.write("home/.config/embargo/embargo.toml", NO_GRADLE);
    let block = blocks("README.md").into_iter().find(|b| b.info == "dockerfile");
    let text = block.expect("a Dockerfile").text.replace("\\\n", " ");
    assert!(text.contains("\nENV PATH=/opt/embargo/shims:$PATH\n"), "{text}");
    assert!(text.contains("COPY embargo.toml /etc/embargo/embargo.toml\n"), "{text}");
    world.write("etc/profile.d/README", "").write("opt/embargo/README", "");
    let mut done = 0;
    for run in text.lines().filter_map(|line| line.strip_prefix("RUN ")) {
        for command in run.split("&&").map(str::trim).filter(|c| c.starts_with("embargo ")) {
            let root = world.path("");
            let here = |place: &str| format!("{}{place}", root.display());
            let command = command.replace("/opt/", &here("opt/")).replace("/etc/", &here("etc/"));
            let test = Test::new(&world, "/bin/sh".as_ref(), &["-c", &command]);
            test.stdout_has(&[]).run();
            done += 1;
        }
    }
    assert_eq!(done, 2, "{text}");

    world
        .shell("gradle build")
        .path(&["opt/embargo/shims", "bin"])
        .stderr_has(&["`no-gradle`"])
        .status(86)
        .run();
    let login = format!(". '{}'; gradle build", world.path("etc/profile.d/embargo.sh").display());
    world.shell(&login).path(&["bin"]).stderr_has(&["`no-gradle`"]).status(86).run();
    world.shell("git status").path(&["opt/embargo/shims", "bin", "/bin"]).run();
    assert_eq!(world.calls(), "git status\n");
}

#[test]
fn the_changelog_has_this_version() {
    let heading = format!("\n## {} ", env!("CARGO_PKG_VERSION"));
    assert!(read("CHANGELOG.md").contains(&heading), "CHANGELOG.md has no `{}`", heading.trim());
}

#[test]
fn packs_of_the_readme_are_those_in_examples() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let files = std::fs::read_dir(root.join("examples")).expect("examples");
    let files = files.map(|f| f.expect("an entry").file_name().into_string().expect("text"));
    let (packs, others): (Vec<_>, Vec<_>) = files.partition(|f| f.ends_with(".toml"));
    let packs = names(packs.iter().map(|f| f.trim_end_matches(".toml")));
    assert_eq!(first_cells(&section("README.md", "A first policy")), packs);
    let readme = read("README.md");
    for other in others {
        assert!(readme.contains(&format!("(examples/{other})")), "README.md does not name {other}");
    }
}

#[test]
fn links_lead_somewhere() {
    for page in PAGES {
        let above = Path::new(env!("CARGO_MANIFEST_DIR")).join(page);
        let above = above.parent().expect("a directory");
        for link in all(r"\]\(([^)#]+)\)", &read(page)) {
            let is_there = link.starts_with("https://") || above.join(&link).exists();
            assert!(is_there, "{page}: {link}");
        }
    }
}

#[test]
fn every_page_is_looked_at() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    for directory in ["", "docs", "docs/reference"] {
        for entry in std::fs::read_dir(root.join(directory)).expect("a directory") {
            let name = entry.expect("an entry").file_name().into_string().expect("text");
            let page = Path::new(directory).join(&name).display().to_string();
            assert!(!name.ends_with(".md") || PAGES.contains(&&*page), "{page} is in no list");
        }
    }
}
