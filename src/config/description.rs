//! `shims/*.toml` → [`Description`], by the form that `shims/README.md` teaches.

use crate::command::{Description, Example, Grammar};

use super::fields::Fields;
use super::level;
use super::node::{Node, Value};
use super::options::{Groups, groups};
use super::report::Report;
use super::source::Page;
use super::value::check_name;
use super::{Code, Diagnostic, SourceText, suggest, text};

/// Keys of the program alone; the others are those of every level. `negatable` is
/// for readers: `--no-X` is reported as itself anyway.
const KEYS: &[&str] = &[
    "names",
    "manual",
    "argv0",
    "interpreter",
    "run_by",
    "examples",
    "groups",
    "abbreviations",
    "single_dash_long",
    "attached",
    "negatable",
    "dashed",
    "resets_path",
    "aliases_by",
];

const EXAMPLE_KEYS: &[&str] = &["argv", "words", "flags", "wrapped", "text", "effects", "why"];

/// Reads one description; all its faults are returned.
pub fn description(source: &SourceText) -> Result<Description, Vec<Diagnostic>> {
    let page = Page::new(source);
    let mut report = Report::new(&page);
    let node = text::parse(source, &mut report).filter(|_| report.errors == 0);
    let description = node.and_then(|node| program(&node, &mut report));
    match description {
        Some(description) if report.errors == 0 => Ok(description),
        _ => {
            report.diagnostics.sort_by_key(|d| (d.line, d.column));
            Err(report.diagnostics)
        }
    }
}

fn program(node: &Node, report: &mut Report<'_>) -> Option<Description> {
    let fields = Fields::of(node, "a table with `names`", report)?;
    let keys = [KEYS, level::KEYS].concat();
    fields.only(&keys, |key| suggest::key(key, &keys), report);
    let names = fields.texts("names", report);
    names.iter().for_each(|name| check_name(name, report));
    let names: Vec<String> = names.into_iter().map(|name| name.text).collect();
    let is_empty = |node: &Node| matches!(&node.value, Value::Array(items) if items.is_empty());
    if fields.get("names").map_or_else(|| fields.lacks("names", &keys), is_empty) {
        let message = "the description has no `names`".to_owned();
        report.add(Code::MissingKey, &(0..0), message, "write `names = [\"git\"]`");
    }
    let mut description = Description {
        manual: fields.text("manual", report).map(|t| t.text).unwrap_or_default(),
        argv0_is_path: fields.choice(("argv0", Code::BadValue), &[("path", ())], report).is_some(),
        resets_path: fields.truth("resets_path", report).unwrap_or_default(),
        interpreter: fields.truth("interpreter", report).unwrap_or_default(),
        run_by: fields.texts("run_by", report).into_iter().map(|t| t.text).collect(),
        examples: examples(fields, report),
        ..Description::default()
    };
    fields.truth("negatable", report);
    let manner = Grammar {
        abbreviations: fields.truth("abbreviations", report).unwrap_or_default(),
        single_dash_long: fields.truth("single_dash_long", report).unwrap_or_default(),
        attached: fields.truth("attached", report).unwrap_or_default(),
        dashed: fields.truth("dashed", report).unwrap_or_default(),
        aliases: fields.text("aliases_by", report).map(|t| t.text).unwrap_or_default(),
        ..Grammar::default()
    };
    let groups = groups(fields, report);
    let path = names.first().cloned().unwrap_or_default();
    description.names = names;
    let mut tree = Tree { manner, groups, description, report };
    tree.walk(fields, &path, &[]);
    Some(tree.description)
}

/// The levels of a description, being read.
struct Tree<'t, 'p> {
    /// What holds for the whole program.
    manner: Grammar,
    groups: Groups,
    description: Description,
    report: &'t mut Report<'p>,
}

impl Tree<'_, '_> {
    /// Reads a level and those below it; `above` are the grammars that it stands inside of.
    fn walk(&mut self, fields: Fields<'_>, path: &str, above: &[&Grammar]) {
        let mut level = level::level(fields, &self.manner, &self.groups, above, self.report);
        let below = subcommands(fields, self.report);
        let lines: Vec<String> = below
            .iter()
            .map(|(name, fields)| {
                let aliases = fields.texts("aliases", self.report);
                let names = std::iter::once(*name).chain(aliases.iter().map(|t| t.text.as_str()));
                names.collect::<Vec<_>>().join(", ")
            })
            .collect();
        level.grammar.subcommands = lines.join("\n");
        let within: Vec<&Grammar> = above.iter().copied().chain([&level.grammar]).collect();
        let keys = [&["aliases"], level::KEYS].concat();
        for (name, fields) in below {
            fields.only(&keys, |key| misplaced(key, &keys), self.report);
            self.walk(fields, &format!("{path} {name}"), &within);
        }
        let path = path.to_owned();
        let description = &mut self.description;
        description.action_words.extend(level.action_words.map(|n| (path.clone(), n)));
        if !level.dangerous.is_empty() {
            description.dangerous.insert(path.clone(), level.dangerous);
        }
        if !level.effects.is_empty() {
            description.effects.insert(path.clone(), level.effects);
        }
        description.grammars.insert(path, level.grammar);
    }
}

fn misplaced(key: &str, keys: &[&str]) -> String {
    if KEYS.contains(&key) {
        return format!("`{key}` holds for the whole program: write it above the first table");
    }
    suggest::key(key, keys)
}

fn subcommands<'n>(fields: Fields<'n>, report: &mut Report<'_>) -> Vec<(&'n str, Fields<'n>)> {
    let Some(node) = fields.get("subcommands") else { return Vec::new() };
    let Some(table) = Fields::of(node, "a table of subcommands", report) else { return Vec::new() };
    let entries = table.entries.iter();
    entries
        .filter_map(|entry| {
            let fields = Fields::of(&entry.node, "a subcommand's table", report)?;
            Some((entry.key.as_str(), fields))
        })
        .collect()
}

fn examples(fields: Fields<'_>, report: &mut Report<'_>) -> Vec<Example> {
    let Some(node) = fields.get("examples") else { return Vec::new() };
    let Value::Array(items) = &node.value else {
        report.add(
            Code::BadType,
            &node.span,
            "`examples` is a list".to_owned(),
            "write `[[examples]]`",
        );
        return Vec::new();
    };
    items.iter().filter_map(|item| example(item, report)).collect()
}

fn example(node: &Node, report: &mut Report<'_>) -> Option<Example> {
    let fields = Fields::of(node, "an example's table", report)?;
    fields.only(EXAMPLE_KEYS, |key| suggest::key(key, EXAMPLE_KEYS), report);
    if fields.lacks("argv", EXAMPLE_KEYS) {
        let message = "this example has no `argv`".to_owned();
        report.add(Code::MissingKey, &node.span, message, "write `argv = [\"git\", \"push\"]`");
    }
    let mut list = |key: &str| fields.any_texts(key, report);
    Some(Example {
        argv: list("argv"),
        words: list("words"),
        flags: list("flags"),
        wrapped: fields.get("wrapped").map(|_| list("wrapped")),
        effects: fields.get("effects").map(|_| list("effects")),
        text: fields.text("text", report).map(|t| t.text),
        why: fields.text("why", report).map(|t| t.text),
    })
}
