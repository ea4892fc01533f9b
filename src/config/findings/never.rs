//! Rules, commands and flags that no call is hit by.

use bstr::BString;

use crate::command::{Catalogue, Words, Wrapped, join, parse};
use crate::config::value::Text;
use crate::config::{Code, Diagnostic};
use crate::policy::{Form, Stage};

use super::{Placed, flags, lifted};

/// What of this rule never matches.
pub(super) fn never(one: &Placed<'_>, catalogue: &Catalogue) -> Vec<Diagnostic> {
    let forms = one.rule.subject.forms.iter().zip(&one.written.commands);
    let mut found: Vec<Diagnostic> =
        forms.filter_map(|(form, text)| command(one, form, text, catalogue)).collect();
    if found.is_empty() {
        found.extend(flags::unseen(one, catalogue));
        found.extend(contains_nul(one));
        found.extend(elsewhere(one, catalogue));
        found.extend(lifted::always(one));
    }
    found
}

/// A command that, typed as it stands, is read as something else.
fn command(
    one: &Placed<'_>,
    form: &Form,
    text: &Text,
    catalogue: &Catalogue,
) -> Option<Diagnostic> {
    let Form::Command { program, .. } = form else { return None };
    let words = parse(&argv(&text.text), catalogue);
    // A form of an alias is read as its command: beside that it is in no way.
    if one.rule.subject.forms.iter().any(|form| form.covers(&words, Stage::First)) {
        return None;
    }
    let written = text.text.trim();
    let message =
        format!("no call is hit by `{written}`: typed as it stands, it is read otherwise");
    let help = match words.wrapped().first() {
        Some(Wrapped::Argv(inner)) => format!(
            "what `{program}` runs is judged as a command of its own: write `{}`",
            join(inner)
        ),
        Some(Wrapped::Text(_)) => {
            format!("what `{program}` runs is judged as a command of its own: write that")
        }
        None => read_as(&words),
    };
    Some(one.page.fault(Code::NeverMatches, &text.span, message, help))
}

/// The words and flags that are seen.
fn read_as(words: &Words) -> String {
    let texts = std::iter::once(words.program().to_string())
        .chain(words.words().iter().map(|word| word.text.to_string()));
    let flags = words.flags().iter().map(|flag| match &flag.value {
        Some(value) => format!("`{}` with the value `{value}`", flag.name),
        None => format!("`{}`", flag.name),
    });
    let (words, flags) = (texts.collect::<Vec<_>>().join(" "), flags.collect::<Vec<_>>());
    match flags.as_slice() {
        [] => format!("it is read as `{words}`"),
        flags => format!("it is read as `{words}` and {}", flags.join(", ")),
    }
}

/// No argument and no line can hold a NUL.
fn contains_nul(one: &Placed<'_>) -> Option<Diagnostic> {
    let text = one.written.contains.as_ref().filter(|text| text.text.contains('\0'))?;
    let message = "no line holds a NUL: this rule never matches".to_owned();
    let help = "remove it".to_owned();
    Some(one.page.fault(Code::NeverMatches, &text.span, message, help))
}

/// A pattern that begins with another program than the rule's.
fn elsewhere(one: &Placed<'_>, catalogue: &Catalogue) -> Option<Diagnostic> {
    let (forms, text) = (&one.rule.subject.forms, one.written.pattern.as_ref()?);
    let other = first_word(&text.text)?;
    // What wraps may stand before the rule's program on a line.
    let known = catalogue.program(other.into()).filter(|program| !program.wraps)?;
    let may_be = |form: &Form| {
        let is_command = matches!(form, Form::Command { .. });
        !is_command || form.program() == other || form.program() == known.canonical
    };
    if forms.is_empty() || forms.iter().any(may_be) {
        return None;
    }
    let program = forms.first().map(Form::program).unwrap_or_default();
    let message = format!("no call of `{program}` begins with `{other}`: this rule never matches");
    let help = "the pattern is matched against the command and its arguments".to_owned();
    let fault = one.page.fault(Code::NeverMatches, &text.span, message, help);
    let command = one.written.commands.first();
    Some(match command {
        Some(command) => fault.and(one.label(&command.span, "the command it looks at")),
        None => fault,
    })
}

/// `git` of `^git push`; nothing where alternatives or settings could make it something else.
fn first_word(pattern: &str) -> Option<&str> {
    let rest = pattern.strip_prefix('^').filter(|rest| !rest.contains(['|', '(']))?;
    let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && !"_-".contains(c))?;
    let (word, after) = rest.split_at(end);
    let ends =
        |sign: &str| after.strip_prefix(sign).is_some_and(|a| !a.starts_with(['*', '?', '{']));
    ([" ", r"\s"].into_iter().any(ends)).then_some(word)
}

/// A command as it would be typed.
pub(super) fn argv(command: &str) -> Vec<BString> {
    let command = command.trim();
    let command = command.strip_suffix(":*").unwrap_or(command);
    command.split_whitespace().map(BString::from).collect()
}
