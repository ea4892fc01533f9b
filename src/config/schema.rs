//! The JSON schema of policy files, made from the keys that the reader knows.

use serde_json::{Map, Value, json};

use super::packs::Pack;
#[cfg(test)]
use super::{acceptance, file, protect, rule};

/// What stands behind a key.
#[derive(Clone, Copy)]
enum Takes {
    /// A text that is not blank.
    Prose,
    Text,
    /// A text, or a list of texts.
    OneOrMore,
    List,
    Truth,
    /// A whole number from 1.
    Number,
    Choice(&'static [&'static str]),
}

struct Key {
    name: &'static str,
    takes: Takes,
    /// What an editor shows.
    says: &'static str,
}

const fn key(name: &'static str, takes: Takes, says: &'static str) -> Key {
    Key { name, takes, says }
}

use Takes::{Choice, List, Number, OneOrMore, Prose, Text, Truth};

const RULE: &[Key] = &[
    key("id", Text, "Names the rule in messages and in the log; else made from its own words"),
    key("command", OneOrMore, "A program, with its subcommand if only that is meant: \"git push\""),
    key("cmd", OneOrMore, "The same as `command`"),
    key(
        "fed_by",
        OneOrMore,
        "Commands of which one has to write into the pipe that `command` reads",
    ),
    key("flags", List, "All must be there; \"-f|--force\" is one or the other"),
    key("pattern", Text, "A regex over the text of the command or line"),
    key("contains", Text, "Literal text that must occur"),
    key("unless", List, "Flags, words, or a /regex/: any of these lifts the rule"),
    key("unless_under", List, "Programs below which the rule does not hold: \"gradlew\""),
    key(
        "callers",
        Choice(&["any", "typed"]),
        "Whoever runs the word, or only the agent's own shell",
    ),
    key(
        "machines",
        Choice(&["this", "any"]),
        "Where it runs: here, or also in a container and on another host",
    ),
    key("reason", Prose, "Completes the sentence: I must not use X because …"),
    key("alternative", Prose, "Completes the sentence: Instead, …"),
    key("instead", List, "The same for machines: command lines, with {args}, {rest}, {program}"),
    key("label", Prose, "What to call it instead of an ugly pattern"),
    key(
        "verdict",
        Choice(&["refuse", "warn", "allow", "ask", "grant"]),
        "What becomes of a call; `refuse` unless said",
    ),
    key("over", List, "Of an allow: ids of the rules that it silences in its own layer"),
    key("refuses", List, "Lines that this rule must hit: checked by lint and test"),
    key("permits", List, "Lines that the policy must let through"),
    key(
        "deletes",
        OneOrMore,
        "Paths, as globs, or things (stash, history, …) that no call may delete",
    ),
    key("overwrites", OneOrMore, "Paths, as globs, that no call may empty or write over"),
    key("moves", OneOrMore, "Paths, as globs, that no call may move or rename"),
    key(
        "resets",
        OneOrMore,
        "Paths, as globs, or things (worktree, index, …) that no call may set back",
    ),
    key(
        "runs",
        OneOrMore,
        "Names of programs, or where text comes from (download, …), that no call may run",
    ),
];

const DEFAULT: &[Key] = &[
    key(
        "notice_on_stdout",
        Truth,
        "Say a refusal on standard output too when nobody sees the other",
    ),
    key("surface_after", Number, "From which offence on a person is told"),
    key("notify", List, "A program and its arguments by which a person is told"),
    key("strict", Truth, "On a line, ask before a command whose name only the shell will know"),
    key("unmatched", Choice(&["pass"]), "What becomes of a call that no rule speaks of"),
];

const RESERVED: &[Key] = &[
    key("names", List, "Always refused, even when such a program exists"),
    key("reason", Prose, "Why no agent may call them"),
    key("alternative", Prose, "What to do instead"),
];

const PROTECT: &[Key] = &[
    key("paths", OneOrMore, "Globs: what is there of them stays as it is"),
    key("reason", Prose, "Why; completes \"because it is protected: …\""),
    key("alternative", Prose, "What to do instead"),
    key("tier", Choice(&["hard", "soft"]), "How firmly; `hard` unless said"),
];

const ACCEPTANCE: &[Key] = &[
    key("command", OneOrMore, "The check: a program, with its words: \"make check\""),
    key("name", Prose, "What to call it; else as its program"),
    key("outputs", OneOrMore, "What it proves besides the files among its arguments"),
    key("roots", OneOrMore, "Directories whose files it looks at"),
    key("entries", OneOrMore, "Its own scripts"),
    key("generators", OneOrMore, "What makes its outputs"),
];

/// The schema as JSON text, draft 2020-12.
pub fn schema() -> String {
    let packs: Vec<&str> = Pack::all().map(|pack| pack.name).collect();
    let subject = [
        "command",
        "cmd",
        "pattern",
        "contains",
        "deletes",
        "overwrites",
        "moves",
        "resets",
        "runs",
    ];
    let subject: Vec<Value> = subject.iter().map(|key| json!({ "required": [key] })).collect();
    let mut rule = table(RULE, &["reason"]);
    rule["anyOf"] = json!(subject);
    let file = json!({
        "requires": { "type": "string", "description": "The oldest embargo that understands this file: \">=0.1\"" },
        "extends": {
            "type": "array",
            "items": { "anyOf": [{ "enum": packs }, { "type": "string", "pattern": "[/.]" }] },
            "description": "Packs by name, files by path",
        },
        "conflicts": list("Packs that this one cannot be combined with"),
        "default": table(DEFAULT, &[]),
        "reserved": table(RESERVED, &["names"]),
        "protect": {
            "type": "array",
            "items": table(PROTECT, &["paths"]),
            "description": "What no command may delete, overwrite, move or reset",
        },
        "acceptance": {
            "type": "array",
            "items": table(ACCEPTANCE, &["command"]),
            "description": "Checks: when one passes, what it proved is sealed",
        },
        "embargo": { "type": "array", "items": rule, "description": "The rules" },
    });
    let schema = json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "embargo.toml",
        "description": "What an agent must not run, why, and what to do instead",
        "type": "object",
        "additionalProperties": false,
        "properties": file,
    });
    let text = serde_json::to_string_pretty(&schema).unwrap_or_default();
    text + "\n"
}

fn table(keys: &[Key], required: &[&str]) -> Value {
    let properties: Map<String, Value> =
        keys.iter().map(|key| (key.name.to_owned(), property(key))).collect();
    json!({
        "type": "object",
        "additionalProperties": false,
        "properties": properties,
        "required": required,
    })
}

fn property(key: &Key) -> Value {
    let says = key.says;
    match key.takes {
        Prose => json!({ "type": "string", "pattern": "\\S", "description": says }),
        Text => json!({ "type": "string", "minLength": 1, "description": says }),
        OneOrMore => json!({
            "anyOf": [{ "type": "string" }, { "type": "array", "items": { "type": "string" } }],
            "description": says,
        }),
        List => list(says),
        Truth => json!({ "type": "boolean", "description": says }),
        Number => json!({ "type": "integer", "minimum": 1, "description": says }),
        Choice(words) => json!({ "enum": words, "description": says }),
    }
}

fn list(says: &str) -> Value {
    json!({ "type": "array", "items": { "type": "string" }, "description": says })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_key_that_is_read_is_in_the_schema_and_no_other() {
        let schema: Value = serde_json::from_str(&schema()).expect("JSON");
        let keys = |at: &str| -> Vec<String> {
            let table = schema.pointer(at).and_then(Value::as_object).expect("properties");
            table.keys().cloned().collect()
        };
        let sorted = |keys: &[&str]| {
            let mut keys: Vec<String> = keys.iter().map(ToString::to_string).collect();
            keys.sort();
            keys
        };
        assert_eq!(keys("/properties"), sorted(file::KEYS));
        assert_eq!(keys("/properties/embargo/items/properties"), sorted(rule::KEYS));
        assert_eq!(keys("/properties/protect/items/properties"), sorted(protect::KEYS));
        let acceptance = keys("/properties/acceptance/items/properties");
        assert_eq!(acceptance, sorted(acceptance::KEYS));
        assert_eq!(keys("/properties/default/properties"), sorted(file::DEFAULT_KEYS));
        assert_eq!(keys("/properties/reserved/properties"), sorted(file::RESERVED_KEYS));
    }
}
