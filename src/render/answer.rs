//! What `embargo check` answers besides a refusal.

use std::path::Path;

use serde_json::{Value, json};

use crate::policy::{Because, Exit};

use super::prose::{backquoted, shown};
use super::refusal::JSON_VERSION;

/// One object on one line.
pub fn object(value: &Value) -> String {
    format!("{value}\n")
}

/// A pass, and why, where that is not plain.
pub fn passes(because: &Because<'_>) -> String {
    match because {
        Because::NoRule => "pass\n".to_owned(),
        Because::Allowed(rules) => {
            let rules: Vec<String> = rules.iter().map(|r| backquoted(&r.id.0)).collect();
            format!("pass: allowed by {}\n", rules.join(", "))
        }
    }
}

/// The same for a program.
pub fn pass(because: &Because<'_>) -> Value {
    let allowed_by: Vec<&str> = match because {
        Because::NoRule => Vec::new(),
        Because::Allowed(rules) => rules.iter().map(|r| r.id.0.as_str()).collect(),
    };
    json!({
        "version": JSON_VERSION,
        "kind": "pass",
        "denied": false,
        "verdict": "pass",
        "exit": Exit::Success.code(),
        "allowed_by": allowed_by,
        "door": "check",
    })
}

/// A policy or state that cannot be trusted.
pub fn broken(message: &str, door: &str) -> Value {
    json!({
        "version": JSON_VERSION,
        "kind": "broken",
        "denied": true,
        "verdict": "broken",
        "exit": Exit::Broken.code(),
        "retryable": false,
        "door": door,
        "message": message,
    })
}

/// A pass where nothing could have refused.
pub fn no_policy(cwd: Option<&Path>, config: Option<&Path>) -> String {
    let here = cwd.map(|cwd| format!("{} and above", cwd.display()));
    let places = here.into_iter().chain(config.map(|config| config.display().to_string()));
    let places: String = places.map(|place| format!("{}, ", shown(&place))).collect();
    format!(
        "embargo: note: no policy was found (looked for embargo.toml in {places}/etc/embargo)\n"
    )
}

/// Said of every line of which a shell will know more.
pub fn expansions() -> String {
    "embargo: note: what variables, substitutions and globs of this line stand for is not known \
     before it runs.\n"
        .to_owned()
}
