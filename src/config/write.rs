//! A rule into the text of a policy: at its end, with everything else left as it stands.

use std::path::Path;

use jsonc_parser::ParseOptions;
use jsonc_parser::cst::{CstInputValue, CstRootNode};
use toml::de::{DeTable, DeValue};

/// A rule to be written.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct NewRule {
    pub id: Option<String>,
    pub command: String,
    pub flags: Vec<String>,
    /// What lifts it.
    pub unless: Vec<String>,
    pub verdict: Option<String>,
    pub reason: String,
    pub alternative: Option<String>,
    /// Lines that it has to hit.
    pub refuses: Vec<String>,
}

/// What a file is written in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    Toml,
    Json,
}

impl Format {
    /// By the extension.
    pub fn of(path: &Path) -> Self {
        if path.extension().is_some_and(|e| e == "json") { Format::Json } else { Format::Toml }
    }
}

impl NewRule {
    /// A line that calls what the rule is on; none for what is no command's name.
    pub fn example(&self) -> Option<String> {
        let words = self.command.trim_end_matches(":*").trim();
        let is_name = words.starts_with(|c: char| c.is_ascii_alphanumeric() || "._/".contains(c));
        let flags = self.flags.iter().map(|f| f.split('|').next().unwrap_or(f));
        let words: Vec<&str> = std::iter::once(words).chain(flags).collect();
        is_name.then(|| words.join(" "))
    }

    /// The rule by itself, as TOML.
    pub fn toml(&self) -> String {
        let lines = self.keys().into_iter().map(|(key, value)| match value {
            Value::One(text) => format!("{key} = {}\n", quoted(&text)),
            Value::Many(texts) => {
                let texts: Vec<String> = texts.iter().map(|t| quoted(t)).collect();
                format!("{key} = [{}]\n", texts.join(", "))
            }
        });
        std::iter::once("[[embargo]]\n".to_owned()).chain(lines).collect()
    }

    fn keys(&self) -> Vec<(&'static str, Value)> {
        let one = |key, text: &Option<String>| text.clone().map(|t| (key, Value::One(t)));
        let many = |key, texts: &Vec<String>| {
            (!texts.is_empty()).then(|| (key, Value::Many(texts.clone())))
        };
        let keys = [
            one("id", &self.id),
            one("command", &Some(self.command.clone())),
            many("flags", &self.flags),
            many("unless", &self.unless),
            one("verdict", &self.verdict),
            one("reason", &Some(self.reason.clone())),
            one("alternative", &self.alternative),
            many("refuses", &self.refuses),
        ];
        keys.into_iter().flatten().collect()
    }
}

enum Value {
    One(String),
    Many(Vec<String>),
}

/// The text with the rule after all that is there; `None` when a JSON text is no object with
/// a list of rules. A TOML text that cannot take one shows it when it is read again.
pub fn append(text: &str, format: Format, rule: &NewRule) -> Option<String> {
    match format {
        Format::Toml => {
            let gap = match text {
                "" => "",
                text if text.ends_with('\n') => "\n",
                _ => "\n\n",
            };
            let added = format!("{gap}{}", rule.toml());
            // A file of another system's lines keeps them.
            let added = if text.contains("\r\n") { added.replace('\n', "\r\n") } else { added };
            Some(format!("{text}{added}"))
        }
        Format::Json => {
            let text = if text.trim().is_empty() { "{}\n" } else { text };
            let root = CstRootNode::parse(text, &ParseOptions::default()).ok()?;
            let rules = root.object_value()?.array_value_or_create("embargo")?;
            let value = |value: Value| match value {
                Value::One(text) => CstInputValue::String(text),
                Value::Many(texts) => {
                    CstInputValue::Array(texts.into_iter().map(CstInputValue::String).collect())
                }
            };
            let keys = rule.keys().into_iter().map(|(key, v)| (key.to_owned(), value(v)));
            rules.append(CstInputValue::Object(keys.collect()));
            Some(root.to_string())
        }
    }
}

/// What a sound text extends by itself.
pub fn extends(text: &str, format: Format) -> Vec<String> {
    let json = |text: &str| serde_json::from_str::<serde_json::Value>(text).ok();
    match format {
        Format::Toml => {
            let table: Option<toml::Table> = text.parse().ok();
            let list = table.and_then(|table| Some(table.get("extends")?.as_array()?.clone()));
            let names = list.unwrap_or_default();
            names.iter().filter_map(|name| name.as_str().map(str::to_owned)).collect()
        }
        Format::Json => {
            let list = json(text).and_then(|value| Some(value.get("extends")?.as_array()?.clone()));
            let names = list.unwrap_or_default();
            names.iter().filter_map(|name| name.as_str().map(str::to_owned)).collect()
        }
    }
}

/// The text with these packs in its `extends`, behind those that are there; `None` when it has no
/// place for them. What comes out is to be read again before it is written.
pub fn extend(text: &str, format: Format, packs: &[&str]) -> Option<String> {
    match format {
        Format::Toml => extend_toml(text, packs),
        Format::Json => {
            let text = if text.trim().is_empty() { "{}\n" } else { text };
            let root = CstRootNode::parse(text, &ParseOptions::default()).ok()?;
            let list = root.object_value()?.array_value_or_create("extends")?;
            for pack in packs {
                list.append(CstInputValue::String((*pack).to_owned()));
            }
            Some(root.to_string())
        }
    }
}

fn extend_toml(text: &str, packs: &[&str]) -> Option<String> {
    let table = DeTable::parse(text).ok()?;
    let names: Vec<String> = packs.iter().map(|pack| quoted(pack)).collect();
    let Some(value) = table.get_ref().get("extends") else {
        let line = format!("extends = [{}]\n", names.join(", "));
        let (before, behind) = text.split_at(above_tables(text));
        let gap = if before.is_empty() || before.ends_with("\n\n") { "" } else { "\n" };
        let end = if behind.is_empty() { "" } else { "\n" };
        return Some(format!("{before}{gap}{line}{end}{behind}"));
    };
    let DeValue::Array(items) = value.get_ref() else { return None };
    let span = value.span();
    let Some(last) = items.iter().last() else {
        let (before, behind) = (text.get(..span.start)?, text.get(span.end..)?);
        return Some(format!("{before}[{}]{behind}", names.join(", ")));
    };
    let tail = text.get(last.span().end..)?;
    let blank = tail.len() - tail.trim_start().len();
    let has_comma = tail[blank..].starts_with(',');
    let at = last.span().end + if has_comma { blank + 1 } else { 0 };
    let (before, behind) = text.split_at_checked(at)?;
    let comma = if has_comma { "" } else { "," };
    // One a line where they stand so: what is said behind the last of them stays behind it.
    if text.get(span)?.contains('\n') {
        let end = behind.find('\n')?;
        let (rest, behind) = behind.split_at(end);
        let lines: String = names.iter().map(|name| format!("\n    {name},")).collect();
        return Some(format!("{before}{comma}{rest}{lines}{behind}"));
    }
    Some(format!("{before}{comma} {}{behind}", names.join(", ")))
}

/// Where a key of the file itself may stand: above the first table and the comment on it, but
/// below the comment that the file begins with.
fn above_tables(text: &str) -> usize {
    let (mut at, mut comment) = (0, None);
    for line in text.split_inclusive('\n') {
        match line.trim_start() {
            rest if rest.starts_with('[') => return comment.filter(|at| *at > 0).unwrap_or(at),
            rest if rest.starts_with('#') => comment = comment.or(Some(at)),
            _ => comment = None,
        }
        at += line.len();
    }
    at
}

fn quoted(text: &str) -> String {
    toml::Value::String(text.to_owned()).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rule() -> NewRule {
        NewRule {
            command: "git push".to_owned(),
            flags: vec!["--force|-f".to_owned()],
            reason: "it \"rewrites\" a\\b".to_owned(),
            ..NewRule::default()
        }
    }

    #[test]
    fn what_is_there_stays_to_the_byte() {
        let written = "[[embargo]]\ncommand = \"git push\"\nflags = [\"--force|-f\"]\nreason = 'it \"rewrites\" a\\b'\n";
        for (before, gap) in [("", ""), ("# mine\n", "\n"), ("a = 1 # no end", "\n\n")] {
            let after = append(before, Format::Toml, &rule()).expect("a text");
            assert_eq!(after, format!("{before}{gap}{written}"));
        }
        let json = "{\n  \"embargo\": [\n    {\"cmd\": \"x\",   \"reason\": \"r\"}\n  ]\n}\n";
        let after = append(json, Format::Json, &rule()).expect("a text");
        assert!(after.starts_with(json.trim_end_matches("\n  ]\n}\n")), "{after}");
        for text in ["", "{}", json] {
            let after = append(text, Format::Json, &rule()).expect("a text");
            let read: serde_json::Value = serde_json::from_str(&after).expect("JSON");
            let rules = read["embargo"].as_array().expect("rules");
            assert_eq!(rules.last().expect("a rule")["flags"][0], "--force|-f");
        }
        assert_eq!(append("[]", Format::Json, &rule()), None);
        assert_eq!(rule().example().as_deref(), Some("git push --force"));
    }

    #[test]
    fn packs_come_behind_those_that_are_there() {
        let rows = [
            ("", "extends = [\"a\", \"b\"]\n"),
            ("extends = []\n", "extends = [\"a\", \"b\"]\n"),
            ("extends = [\"x\"] # c\n", "extends = [\"x\", \"a\", \"b\"] # c\n"),
            (
                "extends = [\n    \"x\",  # one, two\n]\n",
                "extends = [\n    \"x\",  # one, two\n    \"a\",\n    \"b\",\n]\n",
            ),
            ("extends = [\n  \"x\"\n]\n", "extends = [\n  \"x\",\n    \"a\",\n    \"b\",\n]\n"),
            (
                "#:schema s\n[[embargo]]\n",
                "#:schema s\n\nextends = [\"a\", \"b\"]\n\n[[embargo]]\n",
            ),
            (
                "# file\n\n# rule\n[[embargo]]\n",
                "# file\n\nextends = [\"a\", \"b\"]\n\n# rule\n[[embargo]]\n",
            ),
            ("requires = \">=0.1\"\n", "requires = \">=0.1\"\n\nextends = [\"a\", \"b\"]\n"),
        ];
        for (before, after) in rows {
            let found = extend(before, Format::Toml, &["a", "b"]);
            assert_eq!(found.as_deref(), Some(after), "{before:?}");
        }
        assert_eq!(extend("extends = \"x\"\n", Format::Toml, &["a"]), None);
        let json = extend("{\"extends\": [\"x\"]}\n", Format::Json, &["a"]);
        assert!(json.is_some_and(|text| text.contains("\"x\", \"a\"")));
    }
}
