//! Properties of the judge over generated policies: the order of rules is
//! irrelevant, more rules never mean fewer refusals, and a naive oracle agrees.

use bstr::BString;
use embargo::command::{Catalogue, parse};
use embargo::policy::{
    Ancestry, Callers, FlagChoice, Form, Invocation, Layer, Machines, Origin, Rule, RuleId, Ruling,
    Says, Severity, Subject, judge,
};
use proptest::prelude::*;

/// A rule in a form that the oracle reads by itself.
#[derive(Debug, Clone)]
struct Plain {
    id: usize,
    layer: Layer,
    file: usize,
    program: &'static str,
    word: Option<&'static str>,
    flag: Option<&'static str>,
    literal: Option<&'static str>,
    ruling: &'static str,
    over: Vec<usize>,
}

/// A call: program, words, then flags, so that no word can be a flag's value.
#[derive(Debug, Clone)]
struct Call {
    program: &'static str,
    words: Vec<&'static str>,
    flags: Vec<&'static str>,
}

const LAYERS: [Layer; 5] =
    [Layer::System, Layer::User, Layer::Project, Layer::Named, Layer::Session];
const PROGRAMS: [&str; 3] = ["frob", "grind", "weave"];
const WORDS: [&str; 3] = ["push", "pull", "status"];
const FLAGS: [&str; 3] = ["-f", "--all", "-n"];

fn plain() -> impl Strategy<Value = Plain> {
    (
        (0..6usize, prop::sample::select(&LAYERS), 0..2usize, prop::sample::select(&PROGRAMS)),
        prop::option::of(prop::sample::select(&WORDS)),
        prop::option::of(prop::sample::select(&FLAGS)),
        prop::option::weighted(0.2, prop::sample::select(&["push", "-f", "zzz"])),
        prop::sample::select(&["refuse", "grant", "ask", "warn", "allow"]),
        prop::collection::vec(0..6usize, 0..3),
    )
        .prop_map(|((id, layer, file, program), word, flag, literal, ruling, over)| Plain {
            id,
            layer,
            file,
            program,
            word,
            flag,
            literal,
            ruling,
            over,
        })
}

fn call() -> impl Strategy<Value = Call> {
    (
        prop::sample::select(&PROGRAMS),
        prop::collection::vec(prop::sample::select(&WORDS), 0..3),
        prop::collection::vec(prop::sample::select(&FLAGS), 0..3),
    )
        .prop_map(|(program, words, flags)| Call { program, words, flags })
}

fn rules(plains: &[Plain]) -> Vec<Rule> {
    plains.iter().enumerate().map(|(at, plain)| rule(plain, at)).collect()
}

fn rule(plain: &Plain, at: usize) -> Rule {
    let id = |n: usize| RuleId(format!("r{n}"));
    Rule {
        id: id(plain.id),
        origin: Origin {
            layer: plain.layer,
            file: format!("f{}", plain.file),
            shown: "f".into(),
            line: u32::try_from(at).unwrap(),
        },
        subject: Subject {
            forms: vec![Form::Command {
                program: plain.program.into(),
                words: plain.word.iter().map(ToString::to_string).collect(),
                flags: Vec::new(),
            }],
            flags: plain.flag.iter().map(|f| FlagChoice::parse(f)).collect(),
            contains: plain.literal.map(Into::into),
            ..Subject::default()
        },
        unless: Vec::new(),
        unless_under: Vec::new(),
        callers: Callers::Any,
        machines: Machines::This,
        ruling: match plain.ruling {
            "refuse" => Ruling::Refuse,
            "grant" => Ruling::Grant,
            "ask" => Ruling::Ask,
            "warn" => Ruling::Warn,
            _ => Ruling::Allow { over: plain.over.iter().map(|n| id(*n)).collect() },
        },
        says: Says { reason: "of the test".into(), ..Says::default() },
    }
}

fn invocation(call: &Call) -> Invocation {
    let argv = std::iter::once(call.program)
        .chain(call.words.iter().copied())
        .chain(call.flags.iter().copied());
    let argv: Vec<BString> = argv.map(BString::from).collect();
    Invocation::from_words(parse(&argv, &Catalogue::default()), Ancestry::default())
}

fn severity(rules: &[Rule], call: &Invocation) -> Severity {
    judge(rules, &[], call).severity()
}

/// The definition, as one would tell it, without any of the judge's own parts.
fn oracle(rules: &[Plain], call: &Call) -> Severity {
    let text = [call.program]
        .into_iter()
        .chain(call.words.iter().copied())
        .chain(call.flags.iter().copied())
        .collect::<Vec<_>>()
        .join(" ");
    let hit = |r: &&Plain| {
        r.program == call.program
            && r.word.is_none_or(|w| call.words.first() == Some(&w))
            && r.flag.is_none_or(|f| call.flags.contains(&f))
            && r.literal.is_none_or(|l| text.contains(l))
    };
    let hits: Vec<&Plain> = rules.iter().filter(hit).collect();
    let authority = |l: Layer| match l {
        Layer::System => 3,
        Layer::User => 2,
        Layer::Project | Layer::Named => 1,
        Layer::Session => 0,
    };
    let loosens = |l: Layer| l == Layer::System || l == Layer::User;
    let silenced = |r: &Plain| {
        r.ruling != "grant"
            && hits.iter().filter(|a| a.ruling == "allow").any(|a| {
                loosens(a.layer) && authority(a.layer) > authority(r.layer)
                    || a.layer == r.layer
                        && a.over.contains(&r.id)
                        && (loosens(a.layer) || a.file == r.file)
            })
    };
    hits.iter()
        .filter(|r| r.ruling != "allow" && !silenced(r))
        .map(|r| match r.ruling {
            "refuse" => Severity::Refuse,
            "grant" => Severity::Grant,
            "ask" => Severity::Ask,
            _ => Severity::Warn,
        })
        .max()
        .unwrap_or(Severity::Pass)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn a_naive_oracle_agrees(plains in prop::collection::vec(plain(), 0..12), call in call()) {
        let rules = rules(&plains);
        prop_assert_eq!(severity(&rules, &invocation(&call)), oracle(&plains, &call));
    }

    #[test]
    fn the_order_of_rules_is_irrelevant(
        plains in prop::collection::vec(plain(), 0..12),
        call in call(),
        turn in 0..12usize,
    ) {
        let rules = rules(&plains);
        let mut others: Vec<Rule> = rules.iter().rev().cloned().collect();
        let turn = turn.min(others.len());
        others.rotate_left(turn);
        let call = invocation(&call);
        prop_assert_eq!(judge(&rules, &[], &call), judge(&others, &[], &call));
    }

    #[test]
    fn more_rules_never_mean_fewer_refusals(
        plains in prop::collection::vec(plain(), 0..12),
        more in plain(),
        call in call(),
    ) {
        prop_assume!(more.ruling != "allow");
        let mut rules = rules(&plains);
        let call = invocation(&call);
        let before = severity(&rules, &call);
        rules.push(rule(&more, plains.len()));
        prop_assert!(severity(&rules, &call) >= before);
    }
}
