//! Flags that are read as something else wherever they stand.

use bstr::BString;

use crate::command::{Catalogue, parse};
use crate::config::{Code, Diagnostic};
use crate::policy::{FlagChoice, Form};

use super::Placed;
use super::never::argv;

/// A choice of which no spelling is ever seen, behind any of the rule's commands.
pub(super) fn unseen(one: &Placed<'_>, catalogue: &Catalogue) -> Vec<Diagnostic> {
    let subject = &one.rule.subject;
    let is_command = |form: &Form| matches!(form, Form::Command { .. });
    if !subject.forms.iter().all(is_command) {
        return Vec::new();
    }
    let commands: Vec<Vec<BString>> =
        one.written.commands.iter().map(|text| argv(&text.text)).collect();
    let is_seen = |choice: &FlagChoice| {
        let mut calls = commands
            .iter()
            .flat_map(|command| choice.0.iter().flat_map(move |flag| calls(command, flag)));
        calls.any(|call| choice.is_in(&parse(&call, catalogue)))
    };
    let choices = subject.flags.iter().zip(&one.written.flags);
    let unseen = choices.filter(|(choice, _)| !commands.is_empty() && !is_seen(choice));
    unseen
        .map(|(choice, text)| {
            let message = format!("`{}` is never seen as a flag of this command", text.text);
            let (command, flag) = (commands.first(), choice.0.first());
            let help = command.zip(flag).and_then(|(c, f)| with_value(c, f, catalogue));
            let help = help.unwrap_or_else(|| "name one that it has".to_owned());
            one.page.fault(Code::NeverMatches, &text.span, message, help)
        })
        .collect()
}

/// The flag at each place where it may stand, with its value attached and behind it.
fn calls(command: &[BString], flag: &str) -> Vec<Vec<BString>> {
    let given: Vec<Vec<&str>> = match flag.split_once('=') {
        Some((name, value)) => vec![vec![flag], vec![name, value]],
        None => vec![vec![flag], vec![flag, "x"]],
    };
    let places = 1..=command.len();
    let at = |place: usize, words: &[&str]| {
        let (before, behind) = command.split_at(place.min(command.len()));
        let words = words.iter().map(|word| BString::from(*word));
        before.iter().cloned().chain(words).chain(behind.iter().cloned()).collect()
    };
    places.flat_map(|place| given.iter().map(move |words| at(place, words))).collect()
}

/// `-C/tmp` is `-C` with a value.
fn with_value(command: &[BString], flag: &str, catalogue: &Catalogue) -> Option<String> {
    let call: Vec<BString> = command.iter().cloned().chain([flag.into()]).collect();
    let words = parse(&call, catalogue);
    let given = words.flags().last()?;
    let (name, value) = (&given.name, given.value.as_ref()?);
    Some(format!("write `{name}={value}` for that value, or `{name}` for any"))
}
