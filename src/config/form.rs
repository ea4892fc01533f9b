//! One string of `command`: refused when no call could ever be it.

use crate::policy::{Form, ParseFormError};

use super::Code;
use super::report::Report;
use super::value::Text;

/// Parses a form; what can never match as meant is reported.
pub(super) fn form(text: &Text, report: &mut Report<'_>) -> Option<Form> {
    match checked(text.text.trim()) {
        Ok(form) => Some(form),
        Err((message, help)) => {
            report.add(Code::BadCommandForm, &text.span, message, help);
            None
        }
    }
}

fn checked(text: &str) -> Result<Form, (String, String)> {
    let fault = |message: String, help: &str| Err((message, help.to_owned()));
    if text.contains(['\'', '"']) {
        let message = format!("there is a quote in `{text}`, and a command is plain words");
        return fault(message, "write the words without quotes, or a `pattern`");
    }
    if text.contains('*') && !has_only_last_star(text) {
        let message = format!("`{text}` has a star, and a command is words, never characters");
        let name = text.split(['*', ':', ' ']).next().unwrap_or_default();
        let help = format!(
            "`{name}` and `{name}:*` are both every use of `{name}`; `:*` stands only at the end"
        );
        return Err((message, help));
    }
    let form = Form::parse(text).map_err(|error| explain(text, error))?;
    let program = form.program();
    if let Some((_, name)) = program.rsplit_once('/') {
        let help = format!("write `{name}`: a program is met by its name, wherever it lies");
        return fault(format!("`{program}` is a path, and a command is a name"), &help);
    }
    if program.starts_with(['-', '+']) {
        let help = "name its program first, or write it in `flags`";
        return fault(format!("`{program}` is a flag, not a program"), help);
    }
    if program != "[" && program.contains(|c: char| "?[](){}`$<>|&;\\:=".contains(c)) {
        let help = "a command is plain words, as in `git push`; use a list for several";
        return fault(format!("no program is called `{program}`"), help);
    }
    Ok(form)
}

/// `gradle:*` is `gradle`.
fn has_only_last_star(text: &str) -> bool {
    text.strip_suffix(":*").is_some_and(|rest| !rest.contains('*'))
}

fn explain(text: &str, error: ParseFormError) -> (String, String) {
    let (message, help) = match error {
        ParseFormError::Empty => (format!("`{text}` names no command"), "write a program's name"),
        ParseFormError::NoProgram => (
            format!("`{text}` is an operator alone"),
            "write the program behind it, as in `| head`",
        ),
        ParseFormError::Redirection => {
            (format!("`{text}` is a redirection, not a command"), "name the file in `overwrites`")
        }
        ParseFormError::SeveralCommands => {
            let is_operator = |word: &&str| matches!(*word, "|" | "||" | "&&" | ";" | "|&" | "&");
            let sign = text.split_whitespace().skip(1).find(is_operator).unwrap_or_default();
            let help = "write a list of commands, a `pattern`, or a fragment that begins with its operator (`| head`)";
            (format!("`{text}` is more than one command: there is `{sign}` in it"), help)
        }
    };
    (message, help.to_owned())
}
