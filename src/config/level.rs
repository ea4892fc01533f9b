//! The part of a description that a program and each of its subcommands have:
//! how arguments are read there.

use crate::command::{Clause, ClauseFault, Grammar, OptionSpec, Wraps};

use super::fields::Fields;
use super::options::{Groups, options};
use super::report::Report;
use super::value::Text;
use super::{Code, suggest};

/// Keys of every level.
pub(super) const KEYS: &[&str] = &[
    "options",
    "directory",
    "subcommands",
    "dangerous",
    "effects",
    "action_words",
    "options_first",
    "before_subcommand",
    "letters_first",
    "numeric",
    "wraps",
    "wraps_if",
    "wraps_unless",
    "texts",
    "skip_operands",
    "ends_options",
    "splits",
    "elsewhere",
    "narrows",
    "fed",
];

const WRAPS: &[(&str, Wraps)] = &[
    ("operands", Wraps::Operands),
    ("assignments", Wraps::Assignments),
    ("shell", Wraps::Shell),
    ("exec", Wraps::Exec),
    ("module", Wraps::Module),
    ("line", Wraps::Line),
    ("each", Wraps::Each),
];

/// One level, read.
pub(super) struct Level {
    pub grammar: Grammar,
    pub action_words: Option<u32>,
    pub dangerous: Vec<String>,
    pub effects: Vec<Clause>,
}

/// Reads a level that stands inside of the grammars `above`, outermost first.
/// `manner` is what holds for the whole program.
pub(super) fn level(
    fields: Fields<'_>,
    manner: &Grammar,
    groups: &Groups,
    above: &[&Grammar],
    report: &mut Report<'_>,
) -> Level {
    let mut grammar = Grammar {
        options: options(fields, groups, report),
        options_first: fields.truth("options_first", report).unwrap_or_default(),
        before_subcommand: fields.truth("before_subcommand", report).unwrap_or_default(),
        letters_first: fields.truth("letters_first", report).unwrap_or_default(),
        numeric: fields.truth("numeric", report).unwrap_or_default(),
        wraps: fields.choice(("wraps", Code::BadValue), WRAPS, report).unwrap_or_default(),
        fed: fields.truth("fed", report).unwrap_or_default(),
        elsewhere: fields.truth("elsewhere", report).unwrap_or_default(),
        skip_operands: fields.number("skip_operands", 0, report).unwrap_or_default(),
        ..manner.clone()
    };
    let mut own = |key: &str| -> Vec<String> {
        let names = fields.texts(key, report);
        names.iter().filter_map(|name| known(name, &[&grammar], report)).collect()
    };
    let [directory, ends_options, splits, narrows, wraps_if, wraps_unless] =
        ["directory", "ends_options", "splits", "narrows", "wraps_if", "wraps_unless"]
            .map(&mut own);
    let texts = fields.texts("texts", report);
    let texts = texts.iter().filter_map(|text| shell_text(text, &grammar, report)).collect();
    grammar = Grammar {
        directory,
        ends_options,
        splits,
        narrows,
        wraps_if,
        wraps_unless,
        texts,
        ..grammar
    };
    let within: Vec<&Grammar> = above.iter().copied().chain([&grammar]).collect();
    let dangerous = fields.texts("dangerous", report);
    let dangerous = dangerous.iter().filter_map(|name| known(name, &within, report)).collect();
    let action_words = fields.number("action_words", 1, report);
    Level { action_words, dangerous, effects: effects(fields, &within, report), grammar }
}

/// `--exec`, or `-c core.pager=`: an option, and how those of its values begin that are text.
fn shell_text(text: &Text, grammar: &Grammar, report: &mut Report<'_>) -> Option<String> {
    let (name, begins) = text.text.split_once(' ').unwrap_or((&text.text, ""));
    let name = Text { text: name.to_owned(), span: text.span.clone() };
    let name = known(&name, &[grammar], report)?;
    Some(if begins.is_empty() { name } else { format!("{name} {begins}") })
}

/// The canonical spelling of an option that one of the grammars lists.
fn known(option: &Text, grammars: &[&Grammar], report: &mut Report<'_>) -> Option<String> {
    let (name, value) = match option.text.split_once('=') {
        Some((name, value)) => (name, format!("={value}")),
        None => (option.text.as_str(), String::new()),
    };
    let found = grammars.iter().rev().find_map(|g| g.option(name.as_bytes()));
    if let Some(spec) = found {
        return Some(format!("{}{value}", spec.canonical()));
    }
    let all = grammars.iter().flat_map(|g| g.options.lines());
    let names: Vec<&str> = all.flat_map(|line| OptionSpec::new(line).names()).collect();
    let help = match suggest::nearest(name, names) {
        Some(near) => format!("did you mean `{near}`?"),
        None => "add it to `options`".to_owned(),
    };
    report.add(Code::UnknownOption, &option.span, format!("`{name}` is not in `options`"), help);
    None
}

/// What a level does to things.
fn effects(fields: Fields<'_>, grammars: &[&Grammar], report: &mut Report<'_>) -> Vec<Clause> {
    let Some(node) = fields.get("effects") else { return Vec::new() };
    let Some(table) = Fields::of(node, "a table of effects", report) else { return Vec::new() };
    let mut effects = Vec::new();
    for entry in table.entries {
        for text in table.one_or_more(&entry.key, report) {
            effects.extend(clause(&entry.key, &text, grammars, report));
        }
    }
    effects
}

fn clause(
    verb: &str,
    text: &Text,
    grammars: &[&Grammar],
    report: &mut Report<'_>,
) -> Option<Clause> {
    let bad = |message: String, help: &str, report: &mut Report<'_>| {
        report.add(Code::BadValue, &text.span, message, help);
        None
    };
    match Clause::parse(verb, &text.text) {
        Ok(clause) => {
            for name in clause.iter().flat_map(Clause::options).filter(|name| *name != "--") {
                known(&Text { text: name.to_owned(), span: text.span.clone() }, grammars, report);
            }
            clause
        }
        Err(ClauseFault::Verb) => {
            bad(format!("`{verb}` is no effect"), "`shims/README.md` lists them", report)
        }
        Err(ClauseFault::Word(word)) => {
            let message = format!("`{word}` names nothing that a command could touch");
            bad(message, "`shims/README.md` lists what does", report)
        }
    }
}
