//! What sources say together: layers, packs, ids, settings, and where rules bite.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use embargo::config::{Bites, Level, Loaded, Reach, SourceText, bites, load};
use embargo::policy::{Layer, Reserved, Settings};
use embargo::render::diagnostic;

#[test]
fn every_pack_and_the_example_policy_load_without_a_word_of_warning() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut paths: Vec<PathBuf> =
        std::fs::read_dir(root.join("examples")).unwrap().map(|e| e.unwrap().path()).collect();
    paths.push(root.join("embargo.example.toml"));
    assert!(paths.len() >= 7);
    for path in paths {
        let source = SourceText {
            shown: path.display().to_string(),
            layer: Layer::Project,
            bytes: std::fs::read(&path).unwrap(),
            path,
        };
        let mut loaded =
            load(&[source], |path| Err(format!("{} is not to be read", path.display())));
        loaded.diagnostics.retain(|d| d.level > Level::Note);
        assert!(loaded.diagnostics.is_empty(), "{}", diagnostic::plain_all(&loaded.diagnostics));
        assert!(!loaded.policy.rules.is_empty());
    }
}

#[test]
fn the_original_request_is_accepted_as_it_stands() {
    let text = include_str!("../examples/original-request.json");
    let loaded = one("embargo.json", Layer::User, text);
    let notes: Vec<&str> = loaded.diagnostics.iter().map(|d| d.code.name()).collect();
    assert_eq!(notes, ["no-shim", "no-shim", "literal-pattern", "no-shim"]);
    let ids = ["gradle", "pipe-head", "windows-style-paths", "sendmail", "git"];
    assert_eq!(rule_ids(&loaded), ids);
    let backslash = loaded.policy.rules[2].subject.pattern.as_ref().unwrap();
    assert_eq!((backslash.source(), backslash.is_literal()), ("\\", true));
    let mail = loaded.policy.rules[3].subject.pattern.as_ref().unwrap();
    assert!(!mail.is_literal());
    assert_eq!(loaded.policy.rules[0].says.instead, ["./gradlew build"]);
}

#[test]
fn ids_are_made_from_a_rules_own_words() {
    let table = [
        ("command = 'gradle'", "gradle"),
        ("command = 'gradle:*'", "gradle"),
        ("command = ['pip', 'pip3']", "pip-pip3"),
        ("command = 'git push'\nflags = ['--force']", "git-push-force"),
        ("command = 'git push --force'", "git-push-force"),
        ("command = 'git push'\nflags = ['-f|--force']", "git-push-f"),
        ("command = '| head -'", "pipe-head"),
        ("command = '&& rm'", "and-rm"),
        ("command = 'gradle'\nverdict = 'warn'", "gradle-warn"),
        ("command = 'python'\npattern = '-m\\s+pip'", "python-m-s-pip"),
        (
            "command = 'python'\npattern = '-m\\s+pip'\nlabel = 'python -m pip'",
            "python-python-m-pip",
        ),
        ("pattern = '\\'", "pattern"),
        ("contains = 'db.prod.example.com'", "db-prod-example-com"),
        ("deletes = ['dist/**']", "deletes-dist"),
        ("id = 'my.own_id-1'\ncommand = 'gradle'", "my.own_id-1"),
    ];
    let wrong: Vec<String> = table
        .into_iter()
        .filter_map(|(rule, id)| {
            let loaded =
                one("embargo.toml", Layer::User, &format!("[[embargo]]\n{rule}\nreason = 'x'\n"));
            let found = rule_ids(&loaded);
            (found != [id]).then(|| format!("{rule}\n  expected {id}, found {found:?}"))
        })
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn made_ids_do_not_depend_on_order_or_layout_or_other_rules() {
    let a = "[[embargo]]\ncommand = 'git push'\nunless = ['--dry-run']\nreason = 'x'\n";
    let b = "[[embargo]]\ncommand = 'git push'\nunless = ['--tags']\nreason = 'x'\n";
    let b_laid_out = "[[embargo]]\nreason   = \"x\" # because\nunless = [\n  '--tags',\n]\ncommand = 'git push'\npermits = ['ls']\n";
    let c = "[[embargo]]\ncommand = 'mvn'\nreason = 'x'\n";
    let ids = |parts: &[&str]| {
        let mut ids = rule_ids(&one("embargo.toml", Layer::User, &parts.concat()));
        ids.sort();
        ids
    };
    let pair = ids(&[a, b]);
    assert!(pair.iter().all(|id| id.starts_with("git-push-") && id.len() == 15), "{pair:?}");
    assert_eq!(ids(&[b, a]), pair);
    assert_eq!(ids(&[a, b_laid_out]), pair);
    assert_eq!(ids(&[c, b, a])[..2], pair);
    assert_eq!(ids(&[a]), ["git-push"]);
}

#[test]
fn what_a_rule_prescribes_comes_from_its_back_quotes() {
    let table: [(&str, &[&str]); 7] = [
        ("alternative = 'run `./gradlew {args}`'", &["./gradlew {args}"]),
        ("alternative = 'use `uv add`, or run `uv pip {args}`'", &["uv add", "uv pip {args}"]),
        ("alternative = 'p4'", &[]),
        ("alternative = 'a lone ` is prose'", &[]),
        ("alternative = 'run `a`, a lone ` is prose'", &["a"]),
        ("alternative = 'run `a`'\ninstead = ['b', 'c']", &["b", "c"]),
        ("alternative = 'run `a`'\ninstead = []", &[]),
    ];
    for (says, expected) in table {
        let text = format!("[[embargo]]\ncommand = 'gradle'\nreason = 'x'\n{says}\n");
        let loaded = one("embargo.toml", Layer::User, &text);
        assert_eq!(loaded.policy.rules[0].says.instead, expected, "{says}");
        let lines: Vec<String> =
            loaded.examples.iter().flat_map(|e| &e.instead).map(|line| line.text.clone()).collect();
        assert_eq!(lines, expected, "{says}");
    }
}

#[test]
fn a_source_with_an_error_contributes_nothing_and_the_others_count() {
    let good = source(
        "/a/embargo.toml",
        Layer::Project,
        "[[embargo]]\ncommand = 'gradle'\nreason = 'x'\n",
    );
    let bad = source(
        "/u/embargo.toml",
        Layer::User,
        "[default]\nsurface_after = 9\n[reserved]\nnames = ['deploy']\n[[embargo]]\ncommand = 'git'\n",
    );
    let loaded = load(&[bad, good], nothing);
    assert_eq!(loaded.broken, [PathBuf::from("/u/embargo.toml")]);
    assert_eq!(rule_ids(&loaded), ["gradle"]);
    assert_eq!(loaded.policy.settings, Settings::default());
    assert_eq!(reserved(&loaded), Reserved::BUILT_IN);
}

#[test]
fn built_in_names_are_reserved_even_without_a_policy() {
    assert_eq!(reserved(&load(&[], nothing)), Reserved::BUILT_IN);
    let text = "[reserved]\nnames = ['run_shell', 'deploy_now']\nreason = 'deployments wait'\n";
    let loaded = one("embargo.toml", Layer::Project, text);
    assert_eq!(reserved(&loaded)[..3], ["run_shell", "deploy_now", "approve_release"]);
    assert_eq!(loaded.policy.reserved[0].says.reason, "deployments wait");
    assert_eq!(loaded.policy.reserved[0].origin.line, 2);
}

#[test]
fn the_highest_authority_decides_a_setting() {
    let system = source("/etc/e.toml", Layer::System, "[default]\nsurface_after = 5\n");
    let user =
        source("/u/e.toml", Layer::User, "[default]\nsurface_after = 3\nnotify = ['n', 'e']\n");
    let project = source("/p/e.toml", Layer::Project, "[default]\nnotice_on_stdout = true\n");
    let settings = |sources: &[&SourceText]| {
        let sources: Vec<SourceText> = sources.iter().map(|s| (*s).clone()).collect();
        load(&sources, nothing).policy.settings
    };
    let notify = vec!["n".to_owned(), "e".to_owned()];
    let all = Settings { notice_on_stdout: true, surface_after: 5, notify };
    assert_eq!(settings(&[&system, &user, &project]), all);
    assert_eq!(settings(&[&project, &user, &system]), all);
    assert_eq!(settings(&[&project, &user]).surface_after, 3);
}

#[test]
fn a_pack_gets_the_layer_and_the_file_of_what_extends_it() {
    let text = "extends = ['gradle-wrapper', './house.toml', './house.toml', 'gradle-wrapper']\n";
    let files = BTreeMap::from([
        (
            "/w/house.toml",
            "extends = ['gradle-wrapper', 'more/own.toml']\n[[embargo]]\ncommand = 'mvn'\nreason = 'x'\n",
        ),
        ("/w/more/own.toml", "\n[[embargo]]\ncommand = 'ant'\nreason = 'x'\n"),
    ]);
    let loaded = load(&[source("/w/embargo.toml", Layer::User, text)], reader(&files));
    assert!(loaded.broken.is_empty(), "{}", diagnostic::plain_all(&loaded.diagnostics));
    let found: Vec<(&str, &str, u32)> = loaded
        .policy
        .rules
        .iter()
        .filter(|rule| ["mvn", "ant", "gradle-wrapper"].contains(&rule.id.0.as_str()))
        .map(|rule| (rule.id.0.as_str(), rule.origin.shown.as_str(), rule.origin.line))
        .collect();
    let gradle = loaded.policy.rules.iter().find(|r| r.id.0 == "gradle-wrapper").unwrap();
    let expected = [
        ("mvn", "/w/house.toml", 2),
        ("ant", "/w/more/own.toml", 2),
        ("gradle-wrapper", "pack gradle-wrapper", gradle.origin.line),
    ];
    assert_eq!(found, expected);
    assert!(loaded.policy.rules.iter().all(|rule| rule.origin.layer == Layer::User));
    assert!(loaded.policy.rules.iter().all(|rule| rule.origin.file == "/w/embargo.toml"));
    assert_eq!(loaded.more_sources, ["/w/house.toml", "/w/more/own.toml"].map(PathBuf::from));
}

#[test]
fn an_error_in_what_is_extended_breaks_both() {
    let text =
        "extends = ['./house.toml', './absent.toml']\n[[embargo]]\ncommand = 'mvn'\nreason = 'x'\n";
    let files = BTreeMap::from([("/w/house.toml", "[default]\nnotify = ['sh']\n")]);
    let loaded = load(&[source("/w/embargo.toml", Layer::Project, text)], reader(&files));
    let found: Vec<(&str, u32, &str)> =
        loaded.diagnostics.iter().map(|d| (d.shown.as_str(), d.line, d.code.name())).collect();
    let expected = [
        ("/w/embargo.toml", 1, "broken-extends"),
        ("/w/embargo.toml", 1, "unknown-pack"),
        ("/w/house.toml", 2, "not-here"),
    ];
    assert_eq!(found, expected);
    assert_eq!(loaded.broken, ["/w/embargo.toml", "/w/house.toml"].map(PathBuf::from));
    // A file that is not there yet makes a view stale when it appears.
    assert_eq!(loaded.more_sources, ["/w/absent.toml", "/w/house.toml"].map(PathBuf::from));
    assert!(loaded.policy.rules.is_empty());
}

#[test]
fn extending_is_bounded() {
    let deeper = |path: &Path| {
        let n: u32 = path.file_stem().unwrap().to_str().unwrap().parse().unwrap();
        Ok(format!("extends = ['./{}.toml']\n", n + 1).into_bytes())
    };
    let loaded = load(&[source("/w/0.toml", Layer::User, "extends = ['./1.toml']\n")], deeper);
    let codes: Vec<&str> = loaded.diagnostics.iter().map(|d| d.code.name()).collect();
    assert_eq!(codes.iter().filter(|c| **c == "extends-depth").count(), 1, "{codes:?}");
    assert!(loaded.more_sources.len() < 10);
    let itself = load(&[source("/w/0.toml", Layer::User, "extends = ['0.toml']\n")], deeper);
    assert_eq!(itself.diagnostics[0].code.name(), "extends-circle");
    assert!(itself.more_sources.is_empty());
}

#[test]
fn an_over_reaches_its_layer_and_below_the_user_its_file() {
    let rule = "[[embargo]]\nid = 'a'\ncommand = 'git'\nreason = 'x'\n";
    let allow = "[[embargo]]\ncommand = 'git log'\nverdict = 'allow'\nover = ['a']\nreason = 'x'\n";
    let table = [
        (Layer::User, Layer::User, 0),
        (Layer::System, Layer::System, 0),
        (Layer::User, Layer::Project, 1),
        (Layer::Project, Layer::Project, 1),
        (Layer::Named, Layer::Named, 1),
    ];
    for (one, other, warnings) in table {
        let sources = [source("/a/e.toml", one, rule), source("/b/e.toml", other, allow)];
        let found = load(&sources, nothing).diagnostics;
        assert_eq!(found.len(), warnings, "{one:?} {other:?} {found:#?}");
    }
}

#[test]
fn a_shared_id_is_no_override() {
    let text = "extends = ['gradle-wrapper']\n[[embargo]]\nid = 'gradle-wrapper'\ncommand = 'gradle'\nverdict = 'warn'\nreason = 'x'\n";
    let loaded = one("embargo.toml", Layer::User, text);
    let found: Vec<(&str, u32, u32)> =
        loaded.diagnostics.iter().map(|d| (d.code.name(), d.line, d.column)).collect();
    assert_eq!(found, [("same-id", 3, 6)]);
}

#[test]
fn each_rule_says_where_it_can_bite() {
    use Reach::{Full, Never, Partly};
    let table = [
        ("command = 'gradle'", Full, Full),
        ("command = 'gradle'\npattern = 'x'", Full, Full),
        ("command = ['gradle', '| head']", Partly, Full),
        ("command = '| head -'", Never, Full),
        ("pattern = 'x'", Partly, Full),
        ("deletes = ['dist/**']", Full, Full),
        ("runs = ['gradle']", Full, Full),
        ("command = 'rm'\ndeletes = ['dist/**']", Full, Full),
    ];
    for (rule, shim, line) in table {
        let loaded =
            one("embargo.toml", Layer::User, &format!("[[embargo]]\n{rule}\nreason = 'x'\n"));
        let expected = Bites { shim, line, hook: line, transcript: line };
        assert_eq!(bites(&loaded.policy.rules[0]), expected, "{rule}");
        let notes: Vec<&str> = loaded.diagnostics.iter().map(|d| d.code.name()).collect();
        let expected: &[&str] = match (shim, line) {
            (Never, _) => &["no-shim"],
            (Partly, _) if rule.starts_with("pattern") => &["no-shim"],
            _ => &[],
        };
        assert_eq!(notes, expected, "{rule}");
    }
}

#[test]
fn ten_thousand_rules_load_in_no_time_worth_naming() {
    let rule = |n: u32| format!("[[embargo]]\ncommand = 'tool-{}'\nreason = 'x'\n", n / 2);
    let text: String = (0..10_000).map(rule).collect();
    let started = std::time::Instant::now();
    let loaded = one("embargo.toml", Layer::User, &text);
    assert_eq!(loaded.policy.rules.len(), 10_000);
    // Anything quadratic takes minutes here; the bound leaves room for a slow machine.
    assert!(started.elapsed().as_secs() < 20, "{:?}", started.elapsed());
}

fn one(name: &str, layer: Layer, text: &str) -> Loaded {
    load(&[source(name, layer, text)], nothing)
}

fn source(path: &str, layer: Layer, text: &str) -> SourceText {
    SourceText { path: path.into(), shown: path.into(), layer, bytes: text.into() }
}

fn nothing(_: &Path) -> Result<Vec<u8>, String> {
    Err("No such file or directory".to_owned())
}

fn reader(files: &BTreeMap<&str, &str>) -> impl Fn(&Path) -> Result<Vec<u8>, String> {
    |path| {
        let text = files.get(path.to_str().unwrap()).ok_or("No such file or directory")?;
        Ok(text.as_bytes().to_vec())
    }
}

fn rule_ids(loaded: &Loaded) -> Vec<String> {
    loaded.policy.rules.iter().map(|rule| rule.id.0.clone()).collect()
}

fn reserved(loaded: &Loaded) -> Vec<&str> {
    loaded.policy.reserved.iter().map(|name| name.name.as_str()).collect()
}
