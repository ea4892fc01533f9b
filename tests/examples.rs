//! The shipped policies: each holds by itself, all hold together, and the original
//! request's own file says what it must, word for word.

mod common;

use std::path::{Path, PathBuf};

use common::World;
use embargo::config::Pack;
use embargo::policy::{Ancestry, Layer, Rule, Severity, judge_all};
use embargo::view::{Contents, Read, View, compile, encode};

fn root(below: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(below)
}

fn packs() -> Vec<String> {
    let entries = std::fs::read_dir(root("examples")).expect("examples");
    let paths = entries.map(|e| e.expect("an entry").path());
    let toml = paths.filter(|p| p.extension().is_some_and(|e| e == "toml"));
    let mut names: Vec<String> =
        toml.map(|p| p.file_stem().unwrap().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

#[test]
fn every_shipped_policy_keeps_its_own_examples_and_has_no_finding() {
    let world = World::new();
    let mut files: Vec<PathBuf> =
        packs().iter().map(|p| root(&format!("examples/{p}.toml"))).collect();
    files.push(root("embargo.example.toml"));
    for file in &files {
        let tested = world.embargo(&["test".as_ref(), file.as_os_str()]).any_output().run();
        assert!(tested.stdout.ends_with(" passed, 0 failed\n"), "{}: {tested:?}", file.display());
        assert!(!tested.stdout.starts_with("0 passed"), "{} has no examples", file.display());
        let linted = world.embargo(&["lint".as_ref(), file.as_os_str()]).any_output().run();
        assert_eq!(linted.status, 0, "{}: {linted:?}", file.display());
    }
}

/// Invariant 8, for every two packs that do not declare a conflict.
#[test]
fn what_a_pack_prescribes_is_allowed_by_every_pack_beside_it() {
    let packs: Vec<Pack> = Pack::all().collect();
    let conflict = |a: &Pack, b: &Pack| a.conflicts().iter().any(|c| c == b.name);
    let mut failures = Vec::new();
    for (at, one) in packs.iter().enumerate() {
        for other in &packs[at..] {
            let names = format!("extends = {:?}\n", [one.name, other.name]);
            let source = Read {
                path: "/proj/embargo.toml".into(),
                layer: Layer::Project,
                bytes: Ok(names.clone().into_bytes()),
            };
            let loaded = compile(&[source], &[], &[], |_| Err("no such file".into()));
            let contents = loaded.unwrap_or_else(|e| panic!("{names}{e:?}"));
            if conflict(one, other) || conflict(other, one) {
                assert!(!contents.notices.is_empty(), "{names} load together");
                continue;
            }
            assert_eq!(contents.notices, [] as [String; 0], "{names}");
            failures.extend(refused_instead(&contents, &names));
        }
    }
    assert_eq!(failures, [] as [String; 0]);
}

/// Prescribed lines of these rules that they refuse.
fn refused_instead(contents: &Contents, names: &str) -> Vec<String> {
    let bytes = encode(contents);
    let view = View::open(&bytes).expect("a view");
    let all: Vec<&Rule> = contents.policy.rules.iter().collect();
    let mut failures = Vec::new();
    for rule in &all {
        for line in &rule.says.instead {
            let line = line.replace("{args}", "build").replace("{program}", "gradle");
            let calls = view.calls_of_line(&line.replace("{rest}", "x"), &Ancestry::default());
            let verdict = judge_all(&all, &contents.policy.reserved, &calls);
            if verdict.severity() > Severity::Warn {
                failures.push(format!("{names}{}: `{line}` is refused: {verdict:?}", rule.id));
            }
        }
    }
    failures
}

#[test]
fn the_example_policy_has_a_dozen_rules_and_none_on_a_shell() {
    let text = std::fs::read(root("embargo.example.toml")).expect("the example");
    let source = Read { path: "/u/embargo.toml".into(), layer: Layer::User, bytes: Ok(text) };
    let contents = compile(&[source], &[], &[], |_| Err("no such file".into())).expect("it loads");
    let rules = &contents.policy.rules;
    assert!(rules.len() >= 12, "{}", rules.len());
    for program in rules.iter().flat_map(|r| &r.subject.forms).map(|f| f.program()) {
        assert!(!["sh", "bash", "true"].contains(&program), "{program}");
    }
}

/// The five rules of the request that embargo began with, in its own JSON form.
#[test]
fn the_original_request_is_answered_word_for_word() {
    let world = World::new();
    let policy = root("examples/original-request.json");
    world.write("policy.json", std::fs::read(policy).expect("the request"));
    let rows = [
        (
            "gradle build",
            "I must not use `gradle` because raw gradle does not have the libraries our application needs. Instead, run `./gradlew build`.\n\
             This is policy, not a fault: rule `gradle` ([W]/policy.json:3) covers every use of it; trying again or with other flags will be refused too.\n",
        ),
        (
            "cmake -S . -B out |head -20",
            "I must not use piping build output into head because it hides the errors, which come last, and the build's exit status. Instead, run `./gradlew build > build.log 2>&1` and search the log with `grep -n error build.log`.\n\
             This is policy, not a fault: rule `pipe-head` ([W]/policy.json:8) covers every `| head -`; trying again or with other flags will be refused too.\n",
        ),
        (
            r"ls src\main",
            "I must not use Windows-style paths because this is WSL, where a backslash is an escape and never separates directories. Instead, use forward slashes, as in `ls /mnt/c/Users`.\n\
             This is policy, not a fault: rule `windows-style-paths` ([W]/policy.json:14) covers every command with Windows-style paths; trying again will be refused too.\n",
        ),
        (
            "cat m | sendmail -t a@b",
            "I must not use sendmail because mail from this machine reaches customers and cannot be called back; only `sendmail -bv ADDRESS`, which sends nothing, is allowed. Instead, write the message to a file, as in `tee draft.eml`, and ask the user to send it.\n\
             This is policy, not a fault: rule `sendmail` ([W]/policy.json:20) covers every command with sendmail; trying again will be refused too.\n",
        ),
        (
            "git commit -m x",
            "I must not use `git` because this is a Perforce workspace and no git repository. Instead, use `p4`.\n\
             This is policy, not a fault: rule `git` ([W]/policy.json:26) covers every use of it; trying again or with other flags will be refused too.\n",
        ),
    ];
    for (line, text) in rows {
        let found =
            world.embargo(&["check", "--policy", "../policy.json", line]).any_output().run();
        assert_eq!(found.status, 86, "{line}: {found:?}");
        assert_eq!(found.stdout, format!("{text}[embargo refused check-only exit 86]\n"), "{line}");
    }
    for line in ["sendmail -bv a@b", "head -5 file", "./gradlew build", "p4 submit"] {
        world.embargo(&["check", "--policy", "../policy.json", line]).any_output().status(0).run();
    }
}
