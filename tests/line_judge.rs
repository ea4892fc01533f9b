//! What policies say of whole lines: acts × spellings × forms, and public bug reports, in
//! `tests/cases/line_judge.toml`. Judged as text, never executed.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::Arc;

use embargo::command::quote;
use embargo::policy::{Ancestry, Layer, Place, Rule, Verdict, judge_all};
use embargo::render::refusal::severity_name;
use embargo::view::{Contents, Read, View, compile, encode};
use serde::Deserialize;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    packs: Vec<String>,
    policy: String,
    reports: BTreeSet<String>,
    forms: BTreeMap<String, Vec<String>>,
    act: Vec<Act>,
    report: Vec<Report>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Act {
    name: String,
    verdict: String,
    rules: Vec<String>,
    #[serde(default)]
    simple: Vec<String>,
    #[serde(default)]
    anywhere: bool,
    lines: Vec<String>,
    #[serde(default)]
    alone: Vec<String>,
    harmless: Vec<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Report {
    id: String,
    verdict: Option<String>,
    policy: Option<String>,
    #[serde(default)]
    allows: Vec<String>,
    #[serde(default)]
    lines: Vec<String>,
    #[serde(default)]
    passes: Vec<String>,
    later: Option<String>,
    why: Option<String>,
}

fn table() -> Table {
    toml::from_str(include_str!("cases/line_judge.toml")).expect("the table parses")
}

/// A form with a spelling in it; `None` where a comment would end too early.
fn filled(form: &str, spelling: &str) -> Option<String> {
    let breaks = form.contains('#') && spelling.contains('\n');
    let word = || quote(spelling.as_bytes());
    (!breaks).then(|| form.replace('§', spelling).replace('¶', &word()))
}

/// A line, what it is to come to, and by which rules among others.
struct Row<'t> {
    act: &'t str,
    line: String,
    verdict: &'t str,
    rules: &'t [String],
}

fn rows(table: &Table) -> Vec<Row<'_>> {
    let mut rows = Vec::new();
    let forms = |name: &str| table.forms[name].iter();
    for act in &table.act {
        let mut add = |line: Option<String>, verdict, rules| {
            rows.extend(line.map(|line| Row { act: &act.name, line, verdict, rules }));
        };
        let does = (act.verdict.as_str(), &act.rules[..]);
        let simple = || act.simple.iter();
        for (nth, spelling) in simple().chain(&act.lines).enumerate() {
            forms("runs").for_each(|form| add(filled(form, spelling), does.0, does.1));
            // What passes is many: every form and every spelling, and a third of the pairs.
            let mentions = forms("mentions").skip(nth % 3).step_by(3);
            mentions.for_each(|form| add(filled(form, spelling), "pass", &[]));
        }
        for spelling in simple() {
            forms("wraps").for_each(|form| add(filled(form, spelling), does.0, does.1));
            let there = if act.anywhere { does } else { ("pass", &[][..]) };
            forms("elsewhere").for_each(|form| add(filled(form, spelling), there.0, there.1));
        }
        act.alone.iter().for_each(|line| add(Some(line.clone()), does.0, does.1));
        for (nth, line) in act.harmless.iter().enumerate() {
            add(Some(line.clone()), "pass", &[]);
            let forms = forms("runs").skip(nth % 3).step_by(3);
            forms.for_each(|form| add(filled(form, line), "pass", &[]));
        }
    }
    rows
}

#[test]
fn every_spelling_in_every_form_has_its_verdict_and_a_mention_has_none() {
    let table = table();
    let rows = rows(&table);
    let (harmless, against): (Vec<_>, Vec<_>) = rows.iter().partition(|row| row.verdict == "pass");
    assert!(harmless.len() >= 8_000 && against.len() >= 20_000, "the table has shrunk");
    let text = format!("extends = {:?}\n{}", table.packs, table.policy);
    let bytes = encode(&contents(&[(Layer::User, &text)]));
    let view = View::open(&bytes).unwrap_or_else(|_| panic!("the view opens"));
    let wrong: Vec<String> = rows.iter().filter_map(|row| wrong(&view, row)).collect();
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), rows.len(), wrong.join("\n"));
}

fn wrong(view: &View<'_>, row: &Row<'_>) -> Option<String> {
    let (verdict, ids) = judged(view, &row.line);
    let is_right = verdict == row.verdict && row.rules.iter().all(|id| ids.contains(id));
    let Row { act, line, verdict: wanted, rules } = row;
    (!is_right).then(|| format!("{act}: {line:?}: {verdict} by {ids:?}, not {wanted} by {rules:?}"))
}

#[test]
fn reported_lines_have_their_verdict() {
    let table = table();
    let mut wrong = Vec::new();
    for report in &table.report {
        let allow = |words: &String| {
            format!("[[embargo]]\ncommand = {words:?}\nverdict = \"allow\"\nreason = \"x\"\n")
        };
        let mut system: String = report.allows.iter().map(allow).collect();
        let unmatched =
            "[[embargo]]\nid = \"unmatched\"\npattern = '.'\nverdict = \"ask\"\nreason = \"x\"\n";
        let user =
            if report.allows.is_empty() { report.policy.as_deref() } else { Some(unmatched) };
        if !report.allows.is_empty() {
            system += report.policy.as_deref().unwrap_or_default();
        }
        let layers = [(Layer::System, system.as_str()), (Layer::User, user.unwrap_or_default())];
        let bytes = encode(&contents(&layers));
        let view = View::open(&bytes).unwrap_or_else(|_| panic!("the view opens"));
        let wanted = report.verdict.as_deref().unwrap_or("pass");
        let rows = report.lines.iter().map(|line| (line, wanted));
        for (line, wanted) in rows.chain(report.passes.iter().map(|line| (line, "pass"))) {
            let (found, ids) = judged(&view, line);
            if found != wanted {
                let why = report.why.as_deref().unwrap_or_default();
                wrong.push(format!(
                    "{} {line:?}: {found} by {ids:?}, not {wanted} ({why})",
                    report.id
                ));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_report_is_judged_or_says_why_not() {
    #[derive(Deserialize)]
    struct Others {
        case: Vec<Other>,
    }
    #[derive(Deserialize)]
    struct Other {
        id: String,
    }
    let table = table();
    let others: Others =
        toml::from_str(include_str!("cases/regressions.toml")).expect("the table parses");
    let others: BTreeSet<String> = others.case.into_iter().map(|case| case.id).collect();
    let own: BTreeSet<String> = table.report.iter().map(|report| report.id.clone()).collect();
    assert_eq!(own.len(), table.report.len(), "a report stands twice");
    let all: BTreeSet<String> = own.union(&others).cloned().collect();
    let missing: Vec<_> = table.reports.difference(&all).collect();
    assert!(missing.is_empty(), "nobody judges {missing:?}");
    let unlisted: Vec<_> = own.difference(&table.reports).collect();
    assert!(unlisted.is_empty(), "not listed: {unlisted:?}");
    for report in &table.report {
        let judges = !report.lines.is_empty() || !report.passes.is_empty();
        let says = report.later.as_ref().is_some_and(|why| why.len() > 20);
        assert!(judges != says, "{}: is it judged?", report.id);
        assert_eq!(report.lines.is_empty(), report.verdict.is_none(), "{}", report.id);
    }
}

fn contents(layers: &[(Layer, &str)]) -> Contents {
    let source = |(layer, text): &(Layer, &str)| {
        let path = PathBuf::from(format!("/{layer:?}/embargo.toml").to_lowercase());
        Read { path, layer: *layer, bytes: Ok(text.as_bytes().to_vec()) }
    };
    let sources: Vec<Read> = layers.iter().map(source).collect();
    let compiled = compile(&sources, &[], &[], |_| Err("no such file".to_owned()));
    compiled.unwrap_or_else(|e| panic!("the policy does not load: {}", e.message))
}

fn judged(view: &View<'_>, line: &str) -> (String, Vec<String>) {
    let mut calls = view.calls_of_line(line, &Ancestry::default());
    if view.speaks_of_effects() {
        let place = Place { cwd: "/proj".into(), homes: vec!["/home/u".into()] };
        view.add_effects(&mut calls, &Arc::new(place));
    }
    let rules = view.candidates(&calls);
    let rules: Vec<&Rule> = rules.iter().collect();
    let reserved: Vec<_> = calls.iter().flat_map(|call| view.reserved(&call.words)).collect();
    let verdict = judge_all(&rules, &reserved, &calls);
    let ids = match &verdict {
        Verdict::Pass(_) => Vec::new(),
        Verdict::Warn(it) | Verdict::Refuse(it) => {
            it.rules().iter().map(|r| r.id.0.clone()).collect()
        }
    };
    (severity_name(verdict.severity()).to_owned(), ids)
}
