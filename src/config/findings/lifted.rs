//! An `unless` that lifts its rule always.

use crate::config::value::Text;
use crate::config::{Code, Diagnostic};
use crate::policy::{Exception, FlagChoice, Form, Pattern, Subject};

use super::Placed;

/// The exceptions that leave nothing of the rule.
pub(super) fn always(one: &Placed<'_>) -> Vec<Diagnostic> {
    let exceptions = one.rule.unless.iter().zip(&one.written.unless);
    exceptions.filter_map(|(exception, text)| fault(one, exception, text)).collect()
}

fn fault(one: &Placed<'_>, exception: &Exception, text: &Text) -> Option<Diagnostic> {
    let subject = &one.rule.subject;
    let written = one.written;
    let same = match exception {
        Exception::Words(words) => {
            let begins = |form: &Form| match form {
                Form::Command { words: own, .. } => own.starts_with(words),
                Form::Fragment { .. } => false,
            };
            let lifts = !subject.forms.is_empty() && subject.forms.iter().all(begins);
            lifts.then(|| written.commands.first())
        }
        Exception::Flag(flag) => demanded(subject, flag).map(|at| written.flags.get(at)),
        Exception::Text(pattern) if pattern_is_wanted(subject, pattern) => {
            Some(written.pattern.as_ref())
        }
        Exception::Text(pattern) => hits_all(pattern).then_some(None),
    }?;
    let message = format!("`{}` lifts every use that this rule speaks of", text.text);
    let help = "remove it, or name what tells the exception apart".to_owned();
    let fault = one.page.fault(Code::NeverMatches, &text.span, message, help);
    Some(match same {
        Some(same) => fault.and(one.label(&same.span, "the same is demanded here")),
        None => fault,
    })
}

/// Which of the rule's flags is one of these in all its spellings?
fn demanded(subject: &Subject, exception: &FlagChoice) -> Option<usize> {
    let is_plain = |flag: &String| !flag.contains('=') && exception.0.contains(flag);
    subject.flags.iter().position(|choice| choice.0.iter().all(is_plain))
}

fn pattern_is_wanted(subject: &Subject, exception: &Pattern) -> bool {
    subject.pattern.as_ref().is_some_and(|pattern| pattern.source() == exception.source())
}

/// What is written to hit everything; other ways are not guessed at.
fn hits_all(pattern: &Pattern) -> bool {
    [".*", "^.*", ".*$", "^.*$", "", "^", "$"].contains(&pattern.source())
}
