//! PATH beside the hook: harnesses whose shells read the profile again find the shims first.

mod common;

use common::{Found, World};

const CONFIG: &str = "home/.codex/config.toml";
const PROFILE: &str = "home/.profile";

fn hook(world: &World, words: &[&str], shell: &str) -> Found {
    let words = [&["hook"], words].concat();
    let test = world.embargo(&words).env("SHELL", shell).path(&["bin", "/usr/bin", "/bin"]);
    test.any_output().run_expecting(0, &words.join(" "))
}

fn world() -> World {
    let world = World::new();
    world.stub("git");
    world.embargo(&["shim", "install", "git"]).any_output().status(0).run();
    world
}

/// What a shell finds as `git`, with this variable set.
fn git(world: &World, variable: &str) -> String {
    let shell = common::Test::new(world, "/bin/sh".as_ref(), &["-lc", "command -v git"]);
    let test = shell.path(&["bin", "/usr/bin", "/bin"]).env(variable, "x").any_output();
    test.run_expecting(0, variable).stdout.trim().to_owned()
}

#[test]
fn the_shims_are_first_below_codex_and_cursor_alone() {
    let world = world();
    world.write(PROFILE, "PATH=/usr/bin:/bin\nexport PATH");
    for name in ["codex", "cursor"] {
        hook(&world, &["install", name], "/bin/sh");
    }
    let shim = "[W]/home/.local/share/embargo/shims/git";
    assert_eq!(git(&world, "CURSOR_AGENT"), shim);
    assert_eq!(git(&world, "CODEX_THREAD_ID"), shim);
    assert_ne!(git(&world, "OTHER"), shim);
    let config: toml::Table = world.read(CONFIG).parse().expect("TOML");
    let path = config["shell_environment_policy"]["set"]["PATH"].as_str().expect("PATH").to_owned();
    let shims = world.path("home/.local/share/embargo/shims");
    let wanted = format!("{}:{}:/usr/bin:/bin", shims.display(), world.path("bin").display());
    assert_eq!(path, wanted);
    // The profile's line is needed as long as one of them is installed.
    hook(&world, &["uninstall", "codex"], "/bin/sh");
    assert!(!world.path(CONFIG).exists());
    assert_eq!(git(&world, "CURSOR_AGENT"), shim);
    hook(&world, &["uninstall", "cursor"], "/bin/sh");
    assert_eq!(world.read(PROFILE), "PATH=/usr/bin:/bin\nexport PATH");
    assert!(!world.path(format!("{PROFILE}.embargo-backup")).exists());
}

/// Configurations as they are found.
const CONFIGS: [&str; 5] = [
    "",
    "model = \"gpt\" # mine\n",
    "[shell_environment_policy]\ninherit = \"core\"\n\n[features]\nhooks = true",
    "[[hooks.PreToolUse]]\nmatcher = \"Bash\"\n",
    "a = \"\"\"\n[shell_environment_policy.set]\n\"\"\"\n",
];

#[test]
fn what_stands_in_codex_configuration_stays() {
    for before in CONFIGS {
        let world = world();
        world.write(CONFIG, before);
        hook(&world, &["install", "codex"], "/bin/sh");
        let after = world.read(CONFIG);
        assert!(after.starts_with(before), "{after}");
        let value: toml::Table = after.parse().expect("TOML");
        let path = value["shell_environment_policy"]["set"]["PATH"].as_str();
        assert!(path.is_some_and(|path| path.contains("/embargo/shims:")), "{after}");
        let said = hook(&world, &["install", "codex"], "/bin/sh").stdout;
        assert!(said.contains("already has"), "{said}");
        assert_eq!(world.read(CONFIG), after, "twice is once");
        let status = hook(&world, &["status", "codex", "--user"], "/bin/sh").stdout;
        assert!(status.ends_with("; the shims are put first on PATH for it\n"), "{status}");
        hook(&world, &["uninstall", "codex"], "/bin/sh");
        assert_eq!(world.read(CONFIG), before);
        assert!(!world.path(format!("{CONFIG}.embargo-backup")).exists());
    }
}

#[test]
fn what_was_changed_since_stays_when_ours_goes() {
    let world = world();
    world.write(CONFIG, "model = \"a\"\n").write(PROFILE, "A=1\n");
    hook(&world, &["install", "codex"], "/bin/sh");
    world.write(CONFIG, world.read(CONFIG).replace("\"a\"", "\"b\"") + "[x]\ny = 1\n");
    world.write(PROFILE, world.read(PROFILE) + "B=2\n");
    hook(&world, &["uninstall", "codex"], "/bin/sh");
    assert_eq!(world.read(CONFIG), "model = \"b\"\n[x]\ny = 1\n");
    assert_eq!(world.read(PROFILE), "A=1\nB=2\n");
}

#[test]
fn variables_of_ones_own_and_what_is_no_toml_are_left_to_a_person() {
    for (text, why) in [
        ("[shell_environment_policy]\nset = { A = \"1\" }\n", "sets variables of its own"),
        ("shell_environment_policy = { inherit = \"all\" }\n", "sets variables of its own"),
        ("[shell_environment_policy.set]\nPATH = \"/bin\"\n", "sets variables of its own"),
        ("a = \n", "is no TOML that can be read"),
    ] {
        let world = world();
        world.write(CONFIG, text);
        let said = hook(&world, &["install", "codex"], "/bin/sh").stdout;
        assert!(said.contains(why) && said.contains("[shell_environment_policy.set]"), "{said}");
        assert_eq!(world.read(CONFIG), text);
    }
}

#[test]
fn each_shell_has_its_profile() {
    let rows: [(&str, &[&str], &[&str]); 7] = [
        ("/bin/bash", &[], &[".profile"]),
        ("/bin/bash", &[".profile", ".bash_profile"], &[".bash_profile"]),
        ("/bin/bash", &[".profile", ".bash_login"], &[".bash_login"]),
        ("/bin/zsh", &[], &[".zprofile"]),
        ("/bin/zsh", &[".zshrc"], &[".zprofile", ".zshrc"]),
        ("/bin/dash", &[".bash_profile"], &[".profile"]),
        ("/usr/bin/fish", &[], &[]),
    ];
    for (shell, there, wanted) in rows {
        let world = world();
        there.iter().for_each(|file| {
            world.write(&format!("home/{file}"), "X=1\n");
        });
        let said = hook(&world, &["install", "cursor"], shell).stdout;
        let all = [".profile", ".bash_profile", ".bash_login", ".zprofile", ".zshrc"];
        let has = |file: &&&str| {
            let path = world.path(format!("home/{file}"));
            std::fs::read_to_string(path).is_ok_and(|text| text.contains("# embargo hook: "))
        };
        let found: Vec<&str> = all.iter().filter(has).copied().collect();
        assert_eq!(found, wanted, "{shell}");
        assert_eq!(said.contains("`embargo env` prints it"), wanted.is_empty(), "{said}");
    }
}

#[test]
fn without_shims_and_in_a_project_path_is_left_alone() {
    let world = World::new();
    let said = hook(&world, &["install", "codex"], "/bin/sh").stdout;
    assert!(said.contains("no shims are installed"), "{said}");
    let status = hook(&world, &["status", "codex", "--user"], "/bin/sh").stdout;
    assert!(!status.contains("PATH"), "{status}");
    world.stub("git").embargo(&["shim", "install", "git"]).any_output().status(0).run();
    let status = hook(&world, &["status", "codex", "--user"], "/bin/sh").stdout;
    assert!(status.contains("the shims are not put first on PATH for it"), "{status}");
    let world = self::world();
    hook(&world, &["install", "codex", "--project"], "/bin/sh");
    hook(&world, &["install", "claude-code"], "/bin/sh");
    assert!(!world.path(CONFIG).exists() && !world.path(PROFILE).exists());
}
