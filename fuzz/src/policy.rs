//! A policy's text is read or explained; one that is read says the same compiled as not,
//! and in whatever order its rules stand.

use std::path::PathBuf;

use bstr::{BString, ByteSlice};
use embargo::command::join;
use embargo::config::{Level, load};
use embargo::policy::{
    Ancestry, Form, Invocation, Layer, Policy, Reserved, Rule, Severity, Verdict, judge_all,
};
use embargo::view::{Contents, Read, View, compile, encode, prove, source_text};

use super::places::assert_well_placed;
use super::{Costly, no_file};

const TOML: &str = "embargo.toml";
const JSON: &str = "embargo.json";

/// Judged under every policy, beside what its own rules name.
const LINES: [&str; 2] = [
    "cd app && sudo git -C lib push -uf origin | head -20; sh -c 'gradle build'",
    "find . -exec rm -rf {} +",
];

/// Any bytes: as JSON where they begin so, else as TOML, and at times as the other.
///
/// Each text is read; what is compiled, judged or proven takes a hundred times as long, most
/// of it for regular expressions, and is so asked of some.
pub fn policy(bytes: &[u8], costly: Costly) {
    let is_json = bytes.trim_start().first().is_some_and(|byte| matches!(byte, b'{' | b'['));
    let (likely, other) = if is_json { (JSON, TOML) } else { (TOML, JSON) };
    file(likely, bytes, costly);
    if costly.asks("the other format", bytes) {
        file(other, bytes, costly);
    }
}

fn file(name: &str, bytes: &[u8], costly: Costly) {
    let path = PathBuf::from("/p").join(name);
    let source = source_text(&path, Layer::User, bytes.to_vec());
    let loaded = load(std::slice::from_ref(&source), no_file);
    assert_well_placed(&loaded.diagnostics, &source);
    let has_error = loaded.diagnostics.iter().any(|d| d.level == Level::Error);
    assert_eq!(has_error, !loaded.broken.is_empty(), "{:?}", loaded.diagnostics);

    let compiled = |layer| {
        let read = Read { path: path.clone(), layer, bytes: Ok(bytes.to_vec()) };
        compile(&[read], &[], &[], no_file)
    };
    if costly.asks("of a project", bytes) {
        let of_project = compiled(Layer::Project).expect("a project's file distrusts no other");
        assert_whole(&of_project);
    }
    if costly.asks("of a user", bytes) {
        match compiled(Layer::User) {
            Err(distrust) => assert!(has_error && !distrust.message.is_empty()),
            Ok(contents) => {
                assert!(!has_error, "an error that compiles: {:?}", loaded.diagnostics);
                assert_whole(&contents);
                assert_order_is_irrelevant(&contents);
                prove(&contents, &loaded.examples);
            }
        }
    }
}

/// What is written is read back.
fn assert_whole(contents: &Contents) {
    let bytes = encode(contents);
    assert!(bytes == encode(contents), "the same contents give other bytes");
    let view = View::open(&bytes).expect("what was just written is a view");
    assert_eq!(view.settings(), contents.policy.settings);
    assert_eq!(view.notices(), contents.notices);
    assert_eq!(view.texts(), contents.texts);
    assert_eq!(view.sources().expect("sources are read back"), contents.sources);
    assert_eq!(view.rule_count() as usize, contents.policy.rules.len());
    for (name, why) in &contents.distrusted {
        assert_eq!(view.distrust(name).as_ref(), Some(why));
    }
    assert!(view.is_whole());
}

fn assert_order_is_irrelevant(contents: &Contents) {
    let policy = &contents.policy;
    let turned = Policy { rules: policy.rules.iter().rev().cloned().collect(), ..policy.clone() };
    let turned = Contents { policy: turned, ..contents.clone() };
    let (bytes, turned_bytes) = (encode(contents), encode(&turned));
    let views = [&bytes, &turned_bytes].map(|bytes| View::open(bytes).expect("a view"));
    let none = Ancestry::default();
    let argvs: Vec<Vec<BString>> = policy.rules.iter().flat_map(argvs).take(3).collect();
    for argv in &argvs {
        let calls = views[0].calls(argv, &none);
        let severity = assert_same_verdict(policy, &turned.policy, &views, &calls);
        assert!(severity == Severity::Pass || is_looked_at(&views[0], argv), "{argv:?}");
    }
    let typed: Vec<String> = argvs.iter().map(|argv| join(argv)).collect();
    for line in LINES.into_iter().chain(typed.iter().map(String::as_str)) {
        let calls = views[0].calls_of_line(line, &none);
        assert_same_verdict(policy, &turned.policy, &views, &calls);
    }
}

/// All rules, all rules the other way around, and what each view finds: one verdict.
fn assert_same_verdict(
    a: &Policy,
    b: &Policy,
    views: &[View; 2],
    calls: &[Invocation],
) -> Severity {
    let all: Vec<&Rule> = a.rules.iter().collect();
    let turned: Vec<&Rule> = b.rules.iter().collect();
    let verdict = judge_all(&all, &a.reserved, calls);
    assert_eq!(verdict, judge_all(&turned, &b.reserved, calls), "the order of rules matters");
    for view in views {
        let found = view.candidates(calls);
        let reserved: Vec<Reserved> = calls.iter().flat_map(|c| view.reserved(&c.words)).collect();
        let of_view = judge_all(&found.iter().collect::<Vec<_>>(), &reserved, calls);
        assert_eq!(told(&verdict), told(&of_view), "the view finds other rules");
        assert!(view.is_whole());
    }
    verdict.severity()
}

fn told<'v>(verdict: &'v Verdict<'_>) -> (Severity, Vec<&'v str>) {
    let ids = match verdict {
        Verdict::Pass(_) => Vec::new(),
        Verdict::Warn(by) | Verdict::Refuse(by) => by.rules().iter().map(|r| &*r.id.0).collect(),
    };
    (verdict.severity(), ids)
}

/// Does a shim read any rule for this call? It does not where this says no.
fn is_looked_at(view: &View<'_>, argv: &[BString]) -> bool {
    let called = argv[0].rsplit(|b| *b == b'/').next().unwrap_or_default();
    let program = view.program(called);
    let wraps = program.as_ref().is_some_and(|p| p.wraps || p.changes_directory);
    wraps || view.may_speak_of(called, program.as_ref()) || view.may_speak_of_text(&join(argv))
}

/// Calls that a rule speaks of, as far as its forms tell.
fn argvs(rule: &Rule) -> Vec<Vec<BString>> {
    let of_form = |form: &Form| {
        let words = match form {
            Form::Command { words, .. } | Form::Fragment { words, .. } => words,
        };
        let choices = form.flags().iter().chain(&rule.subject.flags);
        let flags = choices.filter_map(|choice| choice.0.first());
        let literal = rule.subject.contains.iter();
        let words = words.iter().chain(flags).chain(literal).map(|word| BString::from(&**word));
        std::iter::once(BString::from(form.program())).chain(words).collect()
    };
    rule.subject.forms.iter().take(2).map(of_form).collect()
}
