//! Programs, subcommands and flags that are not known, one slip away from what is.

use crate::command::{Catalogue, Grammar, OptionSpec};
use crate::config::value::Text;
use crate::config::{Code, Diagnostic, suggest};
use crate::policy::Form;

use super::Placed;

/// The slips of one rule: of each of its commands, then of its flags.
pub(super) fn slips(
    one: &Placed<'_>,
    catalogue: &Catalogue,
    exists: impl Fn(&str) -> bool,
) -> Vec<Diagnostic> {
    let forms = || one.rule.subject.forms.iter().zip(&one.written.commands);
    let mut found: Vec<Diagnostic> =
        forms().filter_map(|(form, text)| command(one, form, text, catalogue, &exists)).collect();
    let levels: Vec<Vec<Grammar>> = forms().map(|(form, _)| levels(form, catalogue).0).collect();
    for text in &one.written.flags {
        // A flag of one of several commands is no slip of another's.
        let slips: Option<Vec<(&str, String)>> = levels
            .iter()
            .map(|levels| text.text.split('|').find_map(|f| flag(levels, f)))
            .collect();
        let first = slips.and_then(|slips| slips.into_iter().next());
        found.extend(
            first.map(|(flag, near)| {
                fault(one, text, format!("flag `{flag}` of this command"), &near)
            }),
        );
    }
    found
}

fn command(
    one: &Placed<'_>,
    form: &Form,
    text: &Text,
    catalogue: &Catalogue,
    exists: impl Fn(&str) -> bool,
) -> Option<Diagnostic> {
    let program = form.program();
    if catalogue.program(program.into()).is_none() {
        let near = suggest::slip(program, catalogue.names().iter().map(String::as_str))?;
        return (!exists(program))
            .then(|| fault(one, text, format!("program `{program}`, and none is on PATH"), &near));
    }
    let (levels, word) = levels(form, catalogue);
    if let (Some(word), Some(grammar)) = (word, levels.last()) {
        let known = grammar.subcommands.lines().flat_map(|line| line.split(", "));
        let near = suggest::slip(&word, known)?;
        // `git-lfs` on PATH is `git lfs`.
        let is_there = exists(&format!("{program}-{word}"));
        return (!is_there)
            .then(|| fault(one, text, format!("subcommand `{word}` of `{program}`"), &near));
    }
    let mut flags = form.flags().iter().flat_map(|choice| &choice.0);
    let (flag, near) = flags.find_map(|name| flag(&levels, name))?;
    Some(fault(one, text, format!("flag `{flag}` of this command"), &near))
}

fn fault(one: &Placed<'_>, text: &Text, what: String, near: &str) -> Diagnostic {
    let message = format!("embargo knows no {what}");
    let help = format!("did you mean `{near}`?");
    one.page.fault(Code::Misspelt, &text.span, message, help)
}

/// The grammars of a command and its subcommands, and the first word that should have been a
/// subcommand and is none.
fn levels(form: &Form, catalogue: &Catalogue) -> (Vec<Grammar>, Option<String>) {
    let (Form::Command { program, words, .. } | Form::Fragment { program, words, .. }) = form;
    let Some(mut path) = catalogue.canonical(program.as_str().into()) else {
        return (Vec::new(), None);
    };
    let mut levels: Vec<Grammar> = catalogue.grammar(&path).into_iter().collect();
    for word in words {
        let Some(level) = levels.last().filter(|level| !level.subcommands.is_empty()) else {
            break;
        };
        let Some(subcommand) = level.subcommand(word.as_bytes()) else {
            return (levels, Some(word.clone()));
        };
        path = format!("{path} {subcommand}");
        let Some(next) = catalogue.grammar(&path) else { break };
        levels.push(next);
    }
    (levels, None)
}

/// A long flag that none of the grammars has, and the one that is near.
fn flag<'f>(levels: &[Grammar], flag: &'f str) -> Option<(&'f str, String)> {
    let name = flag.trim().split('=').next().filter(|name| name.starts_with("--"))?;
    let lines = levels.iter().flat_map(|level| level.options.lines());
    let known: Vec<&str> = lines.flat_map(|line| OptionSpec::new(line).names()).collect();
    let positive = name.replacen("--no-", "--", 1);
    // Shortened or negated it is the same option.
    if known.iter().any(|option| option.starts_with(name) || *option == positive) {
        return None;
    }
    let near = suggest::slip(name, known.into_iter().filter(|option| option.starts_with("--")))?;
    Some((name, near))
}
