//! What a rule is about: `command`, `flags`, `pattern`, `contains`, effects.

use crate::policy::{Effects, FlagChoice, Form, Pattern, Subject};

use super::Code;
use super::fields::Fields;
use super::form::form;
use super::node::{Node, Span, Value};
use super::report::Report;
use super::value::{Text, check_name, string};

/// Keys that name effects (A5a).
const EFFECTS: [&str; 5] = ["deletes", "overwrites", "moves", "resets", "runs"];

/// Reads the subject of a rule.
pub(super) fn subject(fields: Fields<'_>, report: &mut Report<'_>) -> Subject {
    if let (Some(command), Some(cmd)) = (fields.entry("command"), fields.entry("cmd")) {
        let is_in_order = command.key_span.start < cmd.key_span.start;
        let (first, entry) = if is_in_order { (command, cmd) } else { (cmd, command) };
        let message = "`command` and `cmd` are two names of one key".to_owned();
        report.add(Code::BothCommandAndCmd, &entry.key_span, message, "keep `command`");
        report.label(report.page.place(&first.key_span).label("given here already"));
    }
    let key = if fields.get("command").is_some() { "command" } else { "cmd" };
    let commands = fields.one_or_more(key, report);
    if let Some(Node { value: Value::Array(items), span }) = fields.get(key)
        && items.is_empty()
    {
        let message = format!("`{key}` is an empty list");
        report.add(Code::BadCommandForm, span, message, "name a program, or remove it");
    }
    let feeders = fields.one_or_more("fed_by", report);
    if let Some(entry) = fields.entry("fed_by")
        && fields.lacks("command", super::rule::KEYS)
        && fields.lacks("cmd", super::rule::KEYS)
    {
        let message = "`fed_by` says what feeds a command, and none is named".to_owned();
        let help = "add `command`, as in `command = \"| head\"`";
        report.add(Code::MissingSubject, &entry.key_span, message, help);
    }
    let flags = fields.texts("flags", report);
    let pattern = needle(fields, "pattern", report);
    let contains = needle(fields, "contains", report);
    let mut effects = EFFECTS.map(|key| effect(key, fields.one_or_more(key, report), report));
    let [deletes, overwrites, moves, resets, runs] = effects.each_mut().map(std::mem::take);

    let subjects = ["command", "cmd", "pattern", "contains"].iter().chain(&EFFECTS);
    if feeders.is_empty() && subjects.clone().all(|key| fields.lacks(key, super::rule::KEYS)) {
        let message = "this rule does not say what it is about".to_owned();
        let help =
            "add `command` (flags are always the flags of something), `pattern` or `contains`";
        report.add(Code::MissingSubject, &fields.node.span, message, help);
    }
    let subject = Subject {
        forms: commands.iter().filter_map(|text| form(text, report)).collect(),
        fed_by: feeders.iter().filter_map(|text| feeder(text, report)).collect(),
        flags: flags.iter().map(|text| flag(text, report)).collect(),
        pattern: pattern.as_ref().map(|t| self::pattern(&t.text, &t.span, report)),
        contains: contains.as_ref().map(|t| t.text.clone()),
        effects: Effects { deletes, overwrites, moves, resets, runs },
    };
    if commands.is_empty() {
        everything(&subject, pattern.as_ref(), contains.as_ref(), report);
    }
    subject
}

/// A command that feeds another: where it stands in the line is said already.
fn feeder(text: &Text, report: &mut Report<'_>) -> Option<Form> {
    let form = form(text, report)?;
    if matches!(form, Form::Fragment { .. }) {
        let message = format!("`{}` begins with an operator, and `fed_by` has commands", text.text);
        let help = format!("write `{}`", text.text.trim().trim_start_matches(['|', '&', ';', ' ']));
        report.add(Code::BadCommandForm, &text.span, message, help);
        return None;
    }
    Some(form)
}

/// What a rule names for one act: programs, things, and globs of paths.
fn effect(key: &str, texts: Vec<Text>, report: &mut Report<'_>) -> Vec<String> {
    for text in &texts {
        if key == "runs" {
            check_name(text, report);
        } else if let Some(help) = no_path(&text.text) {
            let message = format!("`{}` names no path", text.text);
            report.add(Code::BadGlob, &text.span, message, help);
        }
    }
    texts.into_iter().map(|text| text.text).collect()
}

/// What to write in place of what is no glob.
fn no_path(glob: &str) -> Option<&'static str> {
    let parts = || glob.split('/');
    if glob.starts_with('~') && !matches!(glob.as_bytes().get(1), None | Some(b'/')) {
        Some("`~/` is the only home that is known: write an absolute path")
    } else if glob.contains(['{', '$']) {
        Some("neither braces nor variables are expanded: write a list of paths")
    } else if glob.starts_with('/') && parts().any(|part| part == "..") {
        Some("write the absolute path without `..`")
    } else if glob.contains("***") || parts().any(|part| part.contains("**") && part != "**") {
        Some("`**` stands alone between slashes")
    } else if glob.contains('\\') || glob.contains("://") {
        Some("write a path with `/`")
    } else {
        None
    }
}

/// A regex; what is none is taken literally, and that is said.
pub(super) fn pattern(source: &str, span: &Span, report: &mut Report<'_>) -> Pattern {
    let pattern = Pattern::parse(source);
    if pattern.is_literal() && Pattern::is_too_large(source) {
        let message = format!("`{source}` takes more than 4 MiB when it is compiled");
        let help =
            "count less, or write `[0-9A-Za-z_]` for `\\w`, which is all of Unicode's letters";
        report.add(Code::BadValue, span, message, help);
    } else if pattern.is_literal() {
        let message = format!("`{source}` is no regex, and is taken literally");
        report.add(
            Code::LiteralPattern,
            span,
            message,
            "write `contains` where literal text is meant",
        );
    }
    pattern
}

/// The text of `pattern` or `contains`: white space counts, nothing does not.
fn needle(fields: Fields<'_>, key: &str, report: &mut Report<'_>) -> Option<Text> {
    let text = string(fields.get(key)?, key, report)?;
    if text.text.is_empty() {
        let message = format!("an empty `{key}` hits every line");
        report.add(Code::EmptyPattern, &text.span, message, "write what the line has to hold");
    }
    Some(text)
}

/// Says that a text without a command tells no line from another.
fn everything(
    subject: &Subject,
    pattern: Option<&Text>,
    contains: Option<&Text>,
    report: &mut Report<'_>,
) {
    match (pattern, contains) {
        (Some(text), None) if hits_everything(subject) => {
            let message = "this pattern matches every line there is".to_owned();
            let help = "add `command`, or demand a character";
            report.add(Code::MatchesEverything, &text.span, message, help);
        }
        // Nothing at all is reported as such.
        (None, Some(text)) if !text.text.is_empty() && text.text.trim_matches(' ').is_empty() => {
            let message = "a blank is in every line that has an argument".to_owned();
            let help = "add `command`, or write what the line has to hold";
            report.add(Code::MatchesEverything, &text.span, message, help);
        }
        _ => {}
    }
}

/// Lines that have no character in common: what hits them all hits by their being lines.
const LINES: [&str; 6] = ["true", "ls -a", "9", "_", "Ö", ":"];

fn hits_everything(subject: &Subject) -> bool {
    subject.pattern.as_ref().is_some_and(|pattern| {
        // An empty pattern is reported as such.
        !pattern.source().is_empty()
            && LINES.iter().all(|text| pattern.is_match(text) == Some(true))
    })
}

fn flag(text: &Text, report: &mut Report<'_>) -> FlagChoice {
    let choice = FlagChoice::parse(&text.text);
    check_flag(&choice, text, report);
    choice
}

/// Every choice is a flag.
pub(super) fn check_flag(choice: &FlagChoice, text: &Text, report: &mut Report<'_>) {
    let is_flag =
        |f: &String| f.len() > 1 && f.starts_with(['-', '+']) && !f.contains(char::is_whitespace);
    if choice.0.is_empty() || !choice.0.iter().all(is_flag) {
        let help = match text.text.trim_matches(['-', '|', ' ']) {
            word if word.is_empty() || word.contains([' ', '|']) => {
                "one flag is `--force`; one or the other is `-f|--force`".to_owned()
            }
            word => format!("write `--{word}`"),
        };
        report.add(Code::BadFlagForm, &text.span, format!("`{}` is no flag", text.text), help);
    }
}
