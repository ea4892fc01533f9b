//! The rules in force as an agent should have them in its context.

use serde_json::{Value, json};

use crate::policy::{Rule, Severity};

use super::prose::{clause, instead};
use super::refusal::{JSON_VERSION, place, severity_name, subject};

const HEAD: &str = "\
Some commands are embargoed here. Such a call does not run: it exits with 86 (87: a person has to
approve it) and prints what to do instead; do that, and do not try variants of the call.
";

/// At most `max` characters: whole sentences if they fit; else what to do instead for as many
/// rules as leave room for the names of the others; what does not fit even so is counted.
pub fn text(rules: &[&Rule], max: usize) -> String {
    let whole = rules.iter().map(|rule| line(rule, true)).collect::<String>();
    let fits = |text: &str| HEAD.chars().count() + text.chars().count() <= max;
    if fits(&whole) {
        return HEAD.to_owned() + &whole;
    }
    let short: Vec<String> = rules.iter().map(|rule| line(rule, false)).collect();
    let names: Vec<String> = rules.iter().map(|rule| subject(rule, None)).collect();
    let some = |told: usize, named: usize| {
        let rest = names.len() - told - named;
        short[..told].concat() + &also(&names[told..told + named], rest)
    };
    let told = (0..=rules.len()).rev().find(|told| fits(&some(*told, rules.len() - told)));
    let named = || (0..=rules.len()).rev().find(|named| fits(&some(0, *named))).unwrap_or(0);
    HEAD.to_owned() + &told.map_or_else(|| some(0, named()), |told| some(told, rules.len() - told))
}

/// Names alone, and how many have not even that.
fn also(names: &[String], more: usize) -> String {
    let mut unique: Vec<&str> = Vec::new();
    for name in names.iter().filter(|name| !name.is_empty()) {
        if !unique.contains(&name.as_str()) {
            unique.push(name);
        }
    }
    let mut also = unique.join(", ");
    if more > 0 {
        also += &format!("{}{more} more", if also.is_empty() { "" } else { " and " });
    }
    match also.is_empty() {
        true => String::new(),
        false => format!(
            "Also embargoed: {also}. `embargo check 'LINE'` says of any line what would become of it.\n"
        ),
    }
}

/// Every rule, for a program.
pub fn json(rules: &[&Rule]) -> Value {
    let rule = |rule: &&Rule| {
        json!({
            "id": rule.id.0,
            "origin": place(rule),
            "verdict": severity_name(rule.ruling.severity()),
            "subject": subject(rule, None),
            "reason": rule.says.reason,
            "alternative": rule.says.alternative,
        })
    };
    json!({ "version": JSON_VERSION, "rules": rules.iter().map(rule).collect::<Vec<_>>() })
}

fn line(rule: &Rule, is_whole: bool) -> String {
    let begin = match rule.ruling.severity() {
        Severity::Ask | Severity::Grant => "only with approval",
        Severity::Warn => "better not",
        _ => "never",
    };
    let because = || clause(&rule.says.reason);
    let why = match (&rule.says.alternative, is_whole) {
        (Some(text), true) => format!("{}. Instead, {}", because(), instead(text)),
        (Some(text), false) => format!("instead, {}", instead(text)),
        (None, _) => because(),
    };
    let line = format!("- {begin} {}: {why}.", subject(rule, None));
    // One line each, whatever the policy's own lines are.
    line.split_whitespace().collect::<Vec<_>>().join(" ") + "\n"
}
