//! What a name says about its value.

/// How secret the value of a name is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Secrecy {
    None,
    Value,
    /// Often the path of the secret instead: `--private-key ~/.ssh/id`.
    ValueOrPath,
}

/// Ends of a part of a name: `dbpassword`, `authToken`, `SSH_PASSPHRASE`.
const SECRET: [&str; 14] = [
    "password",
    "passwd",
    "passphrase",
    "passcode",
    "sshpass",
    "secret",
    "token",
    "bearer",
    "apikey",
    "accesskey",
    "secretkey",
    "authkey",
    "privatekey",
    "pgpass",
];

/// Before `key`.
const KEYS: [&str; 10] = [
    "api",
    "access",
    "secret",
    "auth",
    "account",
    "encryption",
    "signing",
    "master",
    "storage",
    "deploy",
];

/// A name that ends so names something about the secret, or where it is.
const ABOUT: [&str; 48] = [
    "file",
    "files",
    "path",
    "dir",
    "directory",
    "type",
    "stdin",
    "fd",
    "name",
    "names",
    "id",
    "ids",
    "ttl",
    "url",
    "uri",
    "endpoint",
    "helper",
    "store",
    "policy",
    "length",
    "len",
    "count",
    "limit",
    "size",
    "expiry",
    "expires",
    "expiration",
    "timeout",
    "method",
    "mode",
    "var",
    "regex",
    "pattern",
    "min",
    "max",
    "format",
    "manager",
    "arn",
    "ref",
    "version",
    "prompt",
    "sock",
    "provider",
    "command",
    "cmd",
    "age",
    "challenge",
    "audience",
];

/// An option that begins so is a switch, and the next word is not its value.
const SWITCHES: [&str; 18] = [
    "no", "use", "with", "without", "ask", "print", "show", "prompt", "require", "enable",
    "disable", "skip", "generate", "create", "delete", "list", "revoke", "reset",
];

/// By the name of an option, variable, header or member.
pub(super) fn secrecy(name: &str) -> Secrecy {
    let found = by_parts(name, name.starts_with('-'));
    match property(name) {
        Some(property) if found == Secrecy::None => by_parts(property, true),
        _ => found,
    }
}

/// `apiKey` of `-PapiKey`, `db.pwd` of `-Ddb.pwd`.
fn property(name: &str) -> Option<&str> {
    let rest = name.strip_prefix('-')?;
    rest.starts_with(|c: char| c.is_ascii_uppercase()).then(|| &rest[1..])
}

fn by_parts(name: &str, is_option: bool) -> Secrecy {
    let parts = parts(name);
    let Some(last) = parts.last() else { return Secrecy::None };
    if ABOUT.contains(&last.as_str()) {
        return Secrecy::None;
    }
    let pair = |first: &str| parts.windows(2).any(|p| p[0] == first && p[1] == "key");
    let ends = |part: &String| SECRET.iter().any(|word| part.ends_with(word));
    let is_last = |words: &[&str]| words.contains(&last.as_str());
    // `PWD` alone is where one is.
    let is_short = is_last(&["pass", "auth", "authorization", "cookie"])
        || (parts.len() > 1 && is_last(&["pwd", "pw"]));
    if parts.iter().any(ends) || KEYS.iter().any(|first| pair(first)) || is_short {
        return Secrecy::Value;
    }
    let is_pwd = is_option && is_last(&["pwd"]);
    if pair("private") || is_pwd || is_last(&["credential", "credentials", "creds"]) {
        return Secrecy::ValueOrPath;
    }
    Secrecy::None
}

/// May the value of this option be the next word?
pub(super) fn takes_value(option: &str) -> bool {
    parts(option).first().is_some_and(|first| !SWITCHES.contains(&first.as_str()))
}

/// A value that gives nothing away.
pub(super) fn is_harmless(value: &str, secrecy: Secrecy) -> bool {
    const WORDS: [&str; 11] =
        ["", "true", "false", "yes", "no", "on", "off", "none", "never", "always", "auto"];
    let is_digit = value.len() == 1 && value.bytes().all(|b| b.is_ascii_digit());
    let is_path = ["/", "./", "../", "~/", "@"].iter().any(|start| value.starts_with(start));
    is_digit
        || WORDS.contains(&value.to_ascii_lowercase().as_str())
        || (secrecy == Secrecy::ValueOrPath && is_path)
}

/// Could this be what stands before the `=` of an option or assignment?
pub(super) fn is_name(text: &str) -> bool {
    let bare = text.trim_start_matches('-');
    let is_inner = |c: char| c.is_alphanumeric() || "_-.:/[]+".contains(c);
    bare.starts_with(|c: char| c.is_alphabetic() || "_/.".contains(c))
        && bare.chars().all(is_inner)
        && !bare.contains("://")
}

/// `githubAuthToken2`, `github-auth-token`, `GITHUB.AUTH_TOKEN` → github, auth, token.
fn parts(name: &str) -> Vec<String> {
    let mut parts = vec![String::new()];
    let mut was_lower = false;
    for c in name.chars() {
        if !c.is_ascii_alphabetic() || (was_lower && c.is_ascii_uppercase()) {
            parts.push(String::new());
        }
        if c.is_ascii_alphabetic()
            && let Some(part) = parts.last_mut()
        {
            part.push(c.to_ascii_lowercase());
        }
        was_lower = c.is_ascii_lowercase();
    }
    parts.retain(|part| !part.is_empty());
    parts
}
