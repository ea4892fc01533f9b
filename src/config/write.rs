//! A rule into the text of a policy: at its end, with everything else left as it stands.

use jsonc_parser::ParseOptions;
use jsonc_parser::cst::{CstInputValue, CstRootNode};

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
}
