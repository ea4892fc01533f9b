//! The verbs by which a project gets its policy, and a person gets rid of embargo.

mod common;

use common::{EMBARGO, NO_GRADLE, World};
use serde_json::Value;

const HEAD: &str = "# What an agent must not run in this project, why, and what to do instead.\n";

fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|e| panic!("{e}: {text}"))
}

#[test]
fn init_proposes_what_the_project_speaks_for() {
    // files, with text → packs taken, packs left out for another
    type Row =
        (&'static [(&'static str, &'static str)], &'static [&'static str], &'static [&'static str]);
    let table: &[Row] = &[
        (&[("gradlew", ""), ("uv.lock", "")], &["gradle-wrapper", "python-uv"], &[]),
        (&[("mvnw", "")], &["maven-wrapper"], &[]),
        (&[("pyproject.toml", "[tool.uv.sources]\n")], &["python-uv"], &[]),
        (&[("pyproject.toml", "[tool.poetry]\n"), ("uv.lock", "")], &["python-uv"], &["poetry"]),
        (&[("pyproject.toml", "[project]\n")], &[], &[]),
        (&[("pnpm-lock.yaml", ""), ("yarn.lock", "")], &["node-pnpm"], &["node-yarn"]),
        (
            &[("pnpm-lock.yaml", ""), ("package.json", "{ \"packageManager\" : \"yarn@4.1.0\" }")],
            &["node-yarn"],
            &["node-pnpm"],
        ),
        (&[("bun.lockb", "")], &["bun"], &[]),
        (&[("compose.yaml", ""), ("main.tf", "")], &["docker-compose-v2", "cloud-prod"], &[]),
        (&[(".git/HEAD", ""), ("Cargo.lock", "")], &["git-history"], &[]),
        (&[(".p4config", ""), (".git/HEAD", "")], &["perforce-not-git"], &["git-history"]),
        (&[("README.md", "uv.lock gradlew\n")], &[], &[]),
    ];
    for (files, taken, left_out) in table {
        let world = World::new();
        for (name, text) in *files {
            world.write(&format!("project/{name}"), text);
        }
        let status = if taken.is_empty() { 1 } else { 0 };
        let found = world.embargo(&["init", "--dry-run", "--json"]).any_output();
        let told = json(&found.run_expecting(status, &format!("{files:?}")).stdout);
        let packs = |is_taken: bool| -> Vec<&str> {
            let packs = told["packs"].as_array().expect("packs").iter();
            let wanted = packs.filter(|p| p["left_out_for"].is_null() == is_taken);
            // What speaks for it is this machine, and no file of the project.
            let names = wanted.filter(|p| p["pack"] != "wsl-paths");
            names.map(|p| p["pack"].as_str().expect("a name")).collect()
        };
        assert_eq!((packs(true), packs(false)), (taken.to_vec(), left_out.to_vec()), "{files:?}");
        assert!(!world.path("project/embargo.toml").exists(), "{files:?}");
    }
}

/// A project whose tool no file tells yet: nothing is guessed, and what could be meant is said.
#[test]
fn init_asks_where_nothing_is_decided_and_a_pack_can_be_added_later() {
    let world = World::new();
    world.write("project/pyproject.toml", "[project]\n").write("project/gradlew", "");
    let shown = world.embargo(&["init", "--yes"]).any_output().run();
    let open = "`pyproject.toml` found, and no other file says what it is built with: `--pack python-uv`, `--pack poetry` (later: `embargo pack add NAME`)\n";
    assert!(shown.stdout.contains(open), "{shown:?}");
    world.embargo(&["check", "pip install x"]).stdout("pass\n").run();
    let again = world.embargo(&["init", "--yes"]).any_output().run_expecting(1, "again");
    assert!(again.stderr.contains("`embargo pack add NAME`"), "{again:?}");

    let before = world.read("project/embargo.toml");
    let dry = world.embargo(&["pack", "add", "python-uv", "--dry-run"]).any_output().run();
    assert_eq!(world.read("project/embargo.toml"), before);
    let added = "pack `python-uv` added to [W]/project/embargo.toml; shims for every shell follow by `embargo shim sync`\n";
    world.embargo(&["pack", "add", "python-uv"]).stdout(added).run();
    assert_eq!(world.read("project/embargo.toml"), dry.stdout);
    let line = "    \"python-uv\",\n]\n";
    assert!(world.read("project/embargo.toml").ends_with(line), "{}", dry.stdout);
    world.embargo(&["check", "pip install x"]).any_output().run_expecting(86, "added");
    let there = "pack `python-uv` is in [W]/project/embargo.toml already\n";
    world.embargo(&["pack", "add", "python-uv"]).stdout(there).run();

    // what does not hold is not written
    for (pack, said) in
        [("poetry", "error[conflicting-packs]"), ("pythn-uv", "did you mean `python-uv`")]
    {
        let after = world.read("project/embargo.toml");
        world.embargo(&["pack", "add", pack]).stderr_has(&[said]).status(1).run();
        assert_eq!(world.read("project/embargo.toml"), after, "{pack}");
    }
    world.write("project/text.toml", "extends = \"x\"\n");
    let text = ["pack", "add", "bun", "--file", "text.toml"];
    world.embargo(&text).stderr_has(&["has errors already"]).status(1).run();
    world.embargo(&["pack", "add", "bun", "--user"]).any_output().run();
    world.embargo(&["check", "npm install"]).any_output().run_expecting(86, "the user's");
}

#[test]
fn init_writes_once_and_what_it_writes_holds() {
    let world = World::new();
    world.write("project/gradlew", "").write("project/uv.lock", "").stub("gradle");
    let init = |args: &[&str]| world.embargo(&[&["init"], args].concat()).any_output();

    let found = init(&[]).run_expecting(1, "nobody can be asked");
    assert!(found.stdout.starts_with("`gradlew` found: pack gradle-wrapper ("), "{found:?}");
    assert!(found.stderr.contains("`embargo init --yes` writes it"), "{found:?}");
    assert!(!world.path("project/embargo.toml").exists());

    init(&["--pack", "gradle-wraper"])
        .stderr_has(&["did you mean `gradle-wrapper`?"])
        .status(1)
        .run();
    init(&["--yes", "--pack", "no-sendmail"]).run_expecting(0, "it is written");
    let text = world.read("project/embargo.toml");
    assert!(text.starts_with(HEAD), "{text}");
    for line in [
        "\"no-sendmail\",     # --pack\n",
        "\"gradle-wrapper\",  # gradlew\n",
        "\"python-uv\",       # uv.lock\n",
    ] {
        assert!(text.contains(line), "{line}{text}");
    }
    world.embargo(&["lint"]).stdout("0 errors, 0 warnings, 0 notes\n").run();
    world.embargo(&["run", "gradle", "build"]).any_output().run_expecting(86, "a pack's rule");

    for args in [&["--yes"][..], &["--yes", "--json"], &["--dry-run"]] {
        let found = init(args).run_expecting(1, "it is there");
        assert!(found.stderr.contains("is there, and is not overwritten"), "{found:?}");
    }
    assert_eq!(world.read("project/embargo.toml"), text);
    // Nor is a link that leads nowhere, which is no file yet.
    let other = World::new();
    other.write("project/gradlew", "");
    std::os::unix::fs::symlink("/nonexistent/x", other.path("project/embargo.toml"))
        .expect("a link");
    other.embargo(&["init", "--yes"]).any_output().run_expecting(1, "a link");
    assert!(other.path("project/embargo.toml").is_symlink());
}

const MINE: &str = "\
# Mine; the order is on purpose.
[[embargo]]
command = \"zebra\"      # stripes
reason = \"it is wild\"

  # An end without a line feed";

#[test]
fn add_keeps_every_byte_and_proves_its_rule() {
    let world = World::new();
    world.policy(MINE);
    let add = |args: &[&str]| world.embargo(&[&["add"], args].concat()).any_output();
    let gradle = [
        "gradle",
        "--reason",
        "raw gradle lacks \"our\" libraries",
        "--alternative",
        "run `./gradlew {args}`",
    ];

    let shown = add(&[&gradle[..], &["--dry-run"]].concat()).run_expecting(0, "shown");
    assert!(shown.stdout.starts_with("[[embargo]]\ncommand = \"gradle\"\n"), "{shown:?}");
    assert_eq!(world.read("project/embargo.toml"), MINE);

    let found = add(&gradle).run_expecting(0, "written");
    assert!(found.stdout.contains("I must not use `gradle` because raw gradle lacks \"our\" libraries. Instead, run `./gradlew`."), "{found:?}");
    assert!(
        found.stdout.contains("rule `gradle` written to [W]/project/embargo.toml:8; "),
        "{found:?}"
    );
    let text = world.read("project/embargo.toml");
    assert!(text.starts_with(&format!("{MINE}\n\n[[embargo]]\ncommand = \"gradle\"\n")), "{text}");
    world.embargo(&["test"]).stdout_has(&["0 failed"]).run();

    // args → what is said, with nothing written
    let table: &[(&[&str], &str)] = &[
        (&["make"], "a rule without a reason teaches nothing"),
        (&["make", "--reason", "  "], "a rule without a reason teaches nothing"),
        (
            &["foo", "--reason", "x", "--alternative", "run `foo -x`"],
            "`foo` prescribes `foo -x`, and `foo` refuses it",
        ),
        (
            &["foo", "--reason", "x", "--alternative", "run `foo -x`"],
            "help: except it: --unless --dry-run; or name",
        ),
        (&["foo", "--reason", "x", "--flag", "force"], "`force` is no flag"),
        (&["a | b", "--reason", "x"], "error["),
        (&["zebra", "--reason", "y"], "says the same already"),
    ];
    for (args, says) in table {
        let found = add(args).run_expecting(1, says);
        assert!(found.stderr.contains(says), "{args:?}: {found:?}");
        assert_eq!(world.read("project/embargo.toml"), text, "{args:?}");
    }

    add(&["git", "push", "--flag", "--force|-f", "--verdict", "ask", "--reason", "x"])
        .run_expecting(0, "flags");
    world.embargo(&["check", "git -C d push -uf"]).any_output().run_expecting(87, "the new rule");

    let publish = ["cargo", "publish", "--reason", "x", "--unless", "--dry-run", "--alternative"];
    add(&[&publish[..], &["run `cargo publish --dry-run {rest}`"]].concat())
        .run_expecting(0, "an exception");
    world.embargo(&["check", "cargo publish --dry-run"]).stdout("pass\n").run();
    let refused = world.embargo(&["check", "cargo publish -p x"]).any_output().run();
    assert!(refused.stdout.contains("Instead, run `cargo publish --dry-run -p x`."), "{refused:?}");

    world.policy("[[embargo]]\nreason = \"x\"\n");
    let found = add(&gradle).run_expecting(1, "broken before");
    assert!(
        found.stderr.contains("has errors already") && found.stderr.contains("--> "),
        "{found:?}"
    );
}

/// The rules of a pack stand in the file that extends it, and are not the one that was added.
#[test]
fn add_speaks_of_its_own_rule_beside_packs() {
    let world = World::new();
    world.policy("extends = [\"git-history\", \"gradle-wrapper\"]\n");
    let add = world.embargo(&["add", "cargo", "publish", "--reason", "x"]).any_output();
    let found = add.run_expecting(0, "written");
    assert!(found.stdout.contains("I must not use `cargo publish` because x."), "{found:?}");
    assert!(
        found.stdout.contains("rule `cargo-publish` written to [W]/project/embargo.toml:3; "),
        "{found:?}"
    );
}

#[test]
fn add_writes_where_it_is_told() {
    let world = World::new();
    let add = |args: &[&str], at: &str| {
        let words = [&["add", "--reason", "x"], args].concat();
        world.embargo(&words).cwd(at).any_output().run_expecting(0, at)
    };
    // The nearest policy upwards; else a new one here.
    world.write("project/below/README", "");
    add(&["gradle"], "project/below");
    assert!(world.path("project/below/embargo.toml").exists());
    world.policy(NO_GRADLE).write("project/other/README", "");
    add(&["npm", "--id", "second"], "project/other");
    assert!(world.read("project/embargo.toml").contains("id = \"second\""));
    add(&["gradle", "--user"], "project");
    assert!(world.read("home/.config/embargo/embargo.toml").starts_with("[[embargo]]\n"));
    // JSON stays JSON, and everything in it stays.
    let json_text =
        "{\n  \"embargo\": [\n    { \"cmd\": \"git\",   \"reason\": \"p4 here\" }\n  ]\n}\n";
    world.write("named.json", json_text);
    add(&["gradle", "--file", "../named.json"], "project");
    let text = world.read("named.json");
    assert!(text.contains("    { \"cmd\": \"git\",   \"reason\": \"p4 here\" }"), "{text}");
    assert_eq!(json(&text)["embargo"][1]["command"], "gradle");
    // A mode and a link stay.
    let link = world.path("linked.toml");
    std::os::unix::fs::symlink("project/embargo.toml", &link).expect("a link");
    add(&["make", "--file", "../linked.toml", "--id", "third"], "project");
    assert!(link.is_symlink() && world.read("project/embargo.toml").contains("id = \"third\""));
}

#[test]
fn brief_fits_and_keeps_its_order() {
    let world = World::new();
    world.stub("gradle").stub("npm");
    world.embargo(&["brief"]).stderr_has(&["no policy was found"]).run();
    let rule = |name: &str, more: &str| {
        format!(
            "[[embargo]]\ncommand = \"{name}\"\nreason = \"of {name}\"\nalternative = \"use `x{name}`\"\n{more}\n"
        )
    };
    let policy = rule("absent", "") + &rule("npm", "verdict = \"warn\"") + &rule("gradle", "");
    world.policy(&policy);
    let lines = |text: &str| -> Vec<String> {
        text.lines().filter(|line| line.starts_with("- ")).map(str::to_owned).collect()
    };
    let found = world.embargo(&["brief"]).any_output().run_expecting(0, "brief");
    let expected = [
        // A name that is refused as such counts, whether or not such a program is there.
        "- never `absent`: of absent. Instead, use `xabsent`.",
        "- never `gradle`: of gradle. Instead, use `xgradle`.",
        "- better not `npm`: of npm. Instead, use `xnpm`.",
    ];
    assert_eq!(lines(&found.stdout), expected);
    world
        .policy("extends = [\"git-history\", \"cloud-prod\", \"python-uv\", \"gradle-wrapper\"]\n");
    for max in ["400", "1500", "2500", "100000"] {
        let brief =
            || world.embargo(&["brief", "--max", max]).any_output().run_expecting(0, max).stdout;
        let text = brief();
        assert!(text.chars().count() <= max.parse().expect("a number"), "{max}: {text}");
        assert_eq!(text, brief(), "{max}");
    }
    let all = json(&world.embargo(&["brief", "--json"]).any_output().run().stdout);
    let ids: Vec<&str> = all["rules"]
        .as_array()
        .expect("rules")
        .iter()
        .map(|r| r["id"].as_str().expect("an id"))
        .collect();
    assert!(ids.len() > 30 && ids.contains(&"gradle-wrapper"), "{ids:?}");
}

#[test]
fn completions_know_rules_and_packs() {
    let world = World::new();
    world.policy(NO_GRADLE);
    std::os::unix::fs::symlink(EMBARGO, world.path("bin/embargo")).expect("a link");
    let script = |words: &str| {
        let count = words.split(' ').count();
        format!(
            "source <(embargo completions bash)\nCOMP_WORDS=({words}) COMP_CWORD={} COMP_TYPE=9\n\
             _clap_complete_embargo embargo \"${{COMP_WORDS[COMP_CWORD]}}\"\nprintf '%s\\n' \"${{COMPREPLY[@]}}\"\n",
            count - 1
        )
    };
    for (words, has) in [
        ("embargo log --rule ''", "no-gradle"),
        ("embargo pack show git", "git-history"),
        ("embargo init --pack py", "python-uv"),
        ("embargo sh", "shim"),
    ] {
        let test = common::Test::new(&world, "/bin/bash".as_ref(), &["-c", &script(words)]);
        let found = test.path(&["bin", "/usr/bin", "/bin"]).any_output().run_expecting(0, words);
        assert!(found.stdout.lines().any(|line| line.trim_end() == has), "{words}: {found:?}");
    }
    // Any other call is what it says.
    for (args, status) in [(&["check", "gradle"][..], 86), (&["run", "--", "gradle"], 86)] {
        let test = world.embargo(args).env("EMBARGO_COMPLETE", "fish").any_output();
        test.run_expecting(status, args[0]);
    }
    for shell in ["zsh", "fish"] {
        world.embargo(&["completions", shell]).stdout_has(&["EMBARGO_COMPLETE"]).run();
    }
}

#[test]
fn every_verb_has_a_manual_page() {
    let world = World::new();
    world.embargo(&["man"]).stdout_has(&[".TH embargo 1", "embargo\\-run(1)"]).run();
    world.embargo(&["man", "--dir", "../man/man1"]).run();
    for page in ["embargo", "embargo-run", "embargo-shim-install", "embargo-pack-show"] {
        let text = world.read(&format!("man/man1/{page}.1"));
        assert!(text.contains(".SH SYNOPSIS") && text.contains("Example"), "{page}: {text}");
    }
    world.write("file", "");
    world.embargo(&["man", "--dir", "../file"]).stderr_has(&["cannot be written"]).status(1).run();
}

#[test]
fn uninstall_says_what_it_leaves_and_obeys_no_agent() {
    let world = World::new();
    world.policy(NO_GRADLE).write("home/.config/embargo/embargo.toml", "");
    world.write("home/.bashrc", "# mine\neval \"$(embargo env)\"\n");
    world.embargo(&["shim", "sync"]).any_output().run_expecting(0, "sync");
    world.embargo(&["hook", "install", "codex"]).any_output().run_expecting(0, "hook");
    let shims = world.path("home/.local/share/embargo/shims");
    let uninstall = |args: &[&str]| world.embargo(&[&["uninstall"], args].concat()).any_output();

    uninstall(&[])
        .stderr_has(&["nobody can be asked here", "embargo uninstall --yes"])
        .status(1)
        .run();
    for (name, value) in [("CLAUDECODE", "1"), ("CODEX_THREAD_ID", "x")] {
        let found = uninstall(&["--yes"]).env(name, value).run_expecting(1, name);
        assert!(found.stderr.contains("who is under an embargo does not lift it"), "{found:?}");
    }
    let run = world.embargo(&["run", "--", EMBARGO, "uninstall", "--yes"]).any_output();
    run.stderr_has(&["this is a session of `embargo run`"]).status(1).run();
    // By name too, and by the other verb.
    std::fs::copy("/bin/bash", world.path("bin/claude")).expect("a copy");
    for verb in ["uninstall --yes", "shim uninstall --all", "shim uninstall gradle"] {
        let line = format!("{EMBARGO} {verb}; true");
        let test = common::Test::new(&world, world.path("bin/claude").as_os_str(), &["-c", &line]);
        let found = test.any_output().run();
        assert!(
            found.stderr.contains("this is a session of an agent's harness"),
            "{verb}: {found:?}"
        );
    }
    assert!(shims.join("gradle").is_symlink());

    let found = uninstall(&["--yes"]).run_expecting(0, "by a person");
    for part in [
        "gradle: shim removed\n",
        "`hash -r`",
        "start-up file: [W]/home/.bashrc:2: `eval \"$(embargo env)\"`, to be taken out\n",
        "hook of codex: [W]/home/.codex/hooks.json: embargo hook uninstall codex\n",
        "policies and descriptions: [W]/home/.config/embargo\n",
        "evidence: [W]/home/.local/state/embargo\n",
        "this program: ",
    ] {
        assert!(found.stdout.contains(part), "{part}: {found:?}");
    }
    let left: Vec<_> = std::fs::read_dir(&shims).into_iter().flatten().collect();
    assert!(left.is_empty(), "{left:?}");
    assert_eq!(world.read("home/.bashrc"), "# mine\neval \"$(embargo env)\"\n");
}

/// The published file is what the binary prints, and every shipped policy is valid by it.
#[test]
fn the_schema_is_published_and_fits() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    let world = World::new();
    let text = world.embargo(&["schema"]).any_output().run_expecting(0, "schema").stdout;
    let published =
        std::fs::read_to_string(root.join("docs/embargo.schema.json")).expect("it is there");
    assert_eq!(text, published, "embargo schema > docs/embargo.schema.json");

    let mut schemas = boon::Schemas::new();
    let mut compiler = boon::Compiler::new();
    compiler.add_resource("mem:/schema.json", json(&text)).expect("a schema");
    let schema = compiler.compile("mem:/schema.json", &mut schemas).expect("a schema");
    let valid = |policy: &str, text: &str| match policy.ends_with(".json") {
        true => schemas.validate(&json(text), schema).map_err(|e| e.to_string()),
        false => {
            let table: Value = toml::from_str(text).expect("TOML");
            schemas.validate(&table, schema).map_err(|e| e.to_string())
        }
    };
    let mut policies = vec![root.join("embargo.example.toml")];
    policies.extend(
        std::fs::read_dir(root.join("examples"))
            .expect("examples")
            .map(|f| f.expect("a file").path()),
    );
    for path in policies {
        let text = std::fs::read_to_string(&path).expect("text");
        let name = path.display().to_string();
        assert_eq!(valid(&name, &text), Ok(()), "{name}");
    }
    for faulty in [
        "[[embargo]]\ncommand = \"x\"\n",
        "[[embargo]]\ncomand = \"x\"\nreason = \"y\"\n",
        "[[embargo]]\nreason = \"y\"\n",
        "[[embargo]]\ncommand = \"x\"\nreason = \" \"\n",
        "[[embargo]]\ncommand = \"x\"\nreason = \"y\"\nverdict = \"deny\"\n",
        "extends = [\"no-such-pack\"]\n",
        "[default]\nsurface_after = 0\n",
        "colour = 1\n",
    ] {
        assert!(valid("x.toml", faulty).is_err(), "{faulty}");
    }
}
