//! Commands that are run for the sake of being refused, and what came of them.

use crate::command::is_shim_name;
use crate::config::RuleExamples;
use crate::policy::{Callers, Exit, Form, Policy, Rule, Ruling};

use super::symptom::Guard;

/// What came of a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Came {
    /// 128 + n for signal n; none where it had to be ended.
    pub status: Option<i32>,
    pub said: String,
    /// Did the program behind the shim run?
    pub has_run: bool,
}

/// The calls that were made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Canary {
    /// Of a name that a policy of its own refuses.
    pub refused: Came,
    /// Of the same name, without that policy.
    pub passed: Came,
    pub call: String,
    /// What a rule in force refuses, where one can be tried.
    pub in_force: Option<(Call, Came)>,
}

/// A call that a rule in force has to refuse.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Call {
    pub rule: String,
    pub words: Vec<String>,
}

/// Examples of rules in force that are one plain command: nothing in them depends on who
/// calls, and nobody but the caller is told when one is refused once.
pub fn examples(policy: &Policy, examples: &[RuleExamples]) -> Vec<Call> {
    if policy.settings.surface_after < 2 {
        return Vec::new();
    }
    let call = |example: &RuleExamples| {
        let is_it = |rule: &&Rule| rule.id == example.rule && rule.origin == example.origin;
        let rule = policy.rules.iter().find(is_it)?;
        let is_plain = matches!(rule.ruling, Ruling::Refuse | Ruling::Ask)
            && rule.callers == Callers::Any
            && rule.unless_under.is_empty();
        let words = example.refuses.iter().find_map(|line| plain_words(&line.text))?;
        let is_program = |form: &Form| match form {
            Form::Command { program, .. } => words.first() == Some(program),
            Form::Fragment { .. } => false,
        };
        let is_met = is_plain && rule.subject.forms.iter().any(is_program);
        is_met.then(|| Call { rule: rule.id.0.clone(), words })
    };
    examples.iter().filter_map(call).collect()
}

/// The words of a line in which a shell would change nothing.
fn plain_words(line: &str) -> Option<Vec<String>> {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || " -_./:@+,".contains(c);
    let words: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
    let is_name = words.first().is_some_and(|name| is_shim_name(name.as_bytes()));
    (is_name && line.chars().all(is_plain)).then_some(words)
}

/// What the calls mean.
pub fn canary(tried: Canary) -> Vec<Guard> {
    let Canary { refused, passed, call, in_force } = tried;
    let mut symptoms = vec![match is_refusal(&refused) {
        true => Guard::Refused { rule: None, call: call.clone() },
        false => Guard::NotRefused { rule: None, call: call.clone(), came: refused },
    }];
    symptoms.push(match passed.status {
        Some(0) if passed.has_run => Guard::LetThrough { call },
        // As on a file system that is mounted so.
        Some(126) => Guard::NoCanary { why: "no program can be executed there".to_owned() },
        _ => Guard::NotLetThrough { call, came: passed },
    });
    symptoms.extend(in_force.map(|(call, came)| {
        let (rule, call) = (Some(call.rule), call.words.join(" "));
        match is_refusal(&came) {
            true => Guard::Refused { rule, call },
            false => Guard::NotRefused { rule, call, came },
        }
    }));
    symptoms
}

/// The status, at least three lines of which the last is the mark, and no program run.
fn is_refusal(came: &Came) -> bool {
    let marks = [("[embargo refused ", Exit::Refused), ("[embargo asks ", Exit::NeedsApproval)];
    let last = came.said.lines().last().unwrap_or_default();
    let is_it =
        |(mark, exit): &(&str, Exit)| came.status == Some(exit.code()) && last.starts_with(mark);
    !came.has_run && came.said.lines().count() >= 3 && marks.iter().any(is_it)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refusal_is_its_status_its_lines_and_a_program_that_did_not_run() {
        const SAID: &str = "I must not\nThis is policy\n[embargo refused e_1 exit 86]\n";
        let rows = [
            (Some(86), SAID, false, true),
            (Some(87), &SAID.replace("refused", "asks"), false, true),
            (Some(86), SAID, true, false),
            (Some(0), "", true, false),
            (Some(88), SAID, false, false),
            (Some(86), "[embargo refused e_1 exit 86]\n", false, false),
            (Some(127), "command not found\n", false, false),
            (None, SAID, false, false),
        ];
        for (status, said, has_run, wanted) in rows {
            let came = Came { status, said: said.to_owned(), has_run };
            assert_eq!(is_refusal(&came), wanted, "{came:?}");
        }
    }

    #[test]
    fn what_the_calls_mean() {
        let said = "1\n2\n[embargo refused e_1 exit 86]\n".to_owned();
        let refused = Came { status: Some(86), said, has_run: false };
        let passed = Came { status: Some(0), said: String::new(), has_run: true };
        let denied = Came { status: Some(126), said: "denied".to_owned(), has_run: false };
        let rows = [
            (&refused, &passed, &refused, ["Refused", "LetThrough", "Refused"]),
            (&passed, &passed, &refused, ["NotRefused", "LetThrough", "Refused"]),
            (&refused, &refused, &refused, ["Refused", "NotLetThrough", "Refused"]),
            (&refused, &denied, &refused, ["Refused", "NoCanary", "Refused"]),
            (&refused, &passed, &passed, ["Refused", "LetThrough", "NotRefused"]),
        ];
        for (own, without, in_force, wanted) in rows {
            let call = Call { rule: "x".to_owned(), words: vec!["x".to_owned()] };
            let found = canary(Canary {
                refused: own.clone(),
                passed: without.clone(),
                call: "y".to_owned(),
                in_force: Some((call, in_force.clone())),
            });
            let found: Vec<String> = found.iter().map(|symptom| format!("{symptom:?}")).collect();
            let kinds = found.iter().map(|text| text.split(' ').next().unwrap_or_default());
            assert_eq!(kinds.collect::<Vec<_>>(), wanted);
        }
    }

    #[test]
    fn only_plain_lines_are_run() {
        for line in ["cd x && gradle", "gradle $x", "./gradlew x", "", "gradle 'a b'", "a > b"] {
            assert_eq!(plain_words(line), None, "{line}");
        }
        assert_eq!(plain_words("git -C lib push").map(|words| words.len()), Some(4));
    }
}
