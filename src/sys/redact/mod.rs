//! Takes secrets out of command lines before they are written down or shown.
//!
//! What counts: values of options, assignments, headers and JSON members whose
//! *name* says so (`names`), the options by which some programs take a password
//! (`programs`), passwords in URLs, and well-known shapes of keys (`shapes`).
//! Words with white space are read as shell text, so that `sh -c '…'` is covered.
//!
//! In doubt a word is hidden: a log with too little in it harms less than a key in
//! it. Where a name says that the value only leads to the secret (`--token-file`,
//! `--password-stdin`, `SSH_AUTH_SOCK`), the value stays. Not seen: secrets in
//! positional arguments without a known shape, in SQL, and in base64.

mod names;
mod programs;
mod shapes;
#[cfg(test)]
mod tests;
mod text;

use bstr::{BString, ByteSlice};

use names::Secrecy;
use programs::{How, Programs};

/// What stands where a secret was.
pub const REDACTED: &str = "‹redacted›";

/// Text in text in text: deeper nesting is hidden as a whole.
const DEPTH: usize = 5;

/// The words of a command line without its secrets; one for one.
pub fn redact(argv: &[BString]) -> Vec<String> {
    let words: Vec<_> = argv.iter().map(|word| word.to_str_lossy().into_owned()).collect();
    command(&words, 0)
}

/// Shell text, or any other, without its secrets.
pub fn redact_text(text: &str) -> String {
    text::redact(text, 0)
}

/// The beginning of a text: at most so many bytes, and whole characters.
pub fn cut(text: &str, length: usize) -> &str {
    let mut ends = (0..=length.min(text.len())).rev();
    &text[..ends.find(|at| text.is_char_boundary(*at)).unwrap_or_default()]
}

/// Options whose value is a header.
const HEADERS: [&str; 3] = ["-H", "--header", "--proxy-header"];

/// What the word before says of this one.
#[derive(Clone, Copy)]
enum Next {
    Plain,
    Secret(Secrecy),
    /// `user:password`, or with another separator.
    Login(char),
    Header,
    /// Of a shell.
    Text,
    /// After an unquoted `Authorization:`.
    Scheme,
}

/// The words of one command.
fn command(words: &[String], depth: usize) -> Vec<String> {
    let mut seen = Programs::default();
    let mut next = Next::Plain;
    let mut done = Vec::with_capacity(words.len());
    for word in words {
        let (shown, then) = match next {
            Next::Secret(secrecy) if !is_option(word) => (secret(word, secrecy), Next::Plain),
            Next::Login(separator) => (login(word, separator), Next::Plain),
            Next::Header => {
                (header(word, true).unwrap_or_else(|| inline(word, depth)), Next::Plain)
            }
            Next::Text if depth < DEPTH => (text::redact(word, depth + 1), Next::Plain),
            Next::Scheme if is_scheme(word) => (word.clone(), Next::Secret(Secrecy::Value)),
            Next::Text | Next::Scheme => (REDACTED.to_owned(), Next::Plain),
            Next::Plain | Next::Secret(_) => free(word, &seen, depth),
        };
        done.push(shown);
        next = then;
        seen.see(word);
    }
    done
}

/// A word that the one before says nothing of, and what it says of the next.
fn free(word: &str, seen: &Programs<'_>, depth: usize) -> (String, Next) {
    match seen.option(word) {
        Some((How::Secret, "")) => (word.to_owned(), Next::Secret(Secrecy::Value)),
        Some((How::Login(separator), "")) => (word.to_owned(), Next::Login(separator)),
        Some((how, value)) => {
            let option = &word[..word.len() - value.len()];
            let shown = match how {
                How::Secret => REDACTED.to_owned(),
                How::Login(separator) => login(value, separator),
            };
            (format!("{option}{shown}"), Next::Plain)
        }
        None if is_user(word) && !seen.is_of_containers() => {
            let value = word.strip_prefix("--user=").map(|value| login(value, ':'));
            match value {
                Some(shown) => (format!("--user={shown}"), Next::Plain),
                None => (word.to_owned(), Next::Login(':')),
            }
        }
        None if seen.takes_text(word) => (word.to_owned(), Next::Text),
        None => (inline(word, depth), follows(word, seen.is_setting())),
    }
}

/// `--user bob:pw`, whatever the program.
fn is_user(word: &str) -> bool {
    word == "--user" || word.starts_with("--user=")
}

fn is_option(word: &str) -> bool {
    word.len() > 1 && word.starts_with('-')
}

/// What a word's name says of the next one.
fn follows(word: &str, is_setting: bool) -> Next {
    if HEADERS.contains(&word) {
        return Next::Header;
    }
    if word.to_ascii_lowercase().ends_with("authorization:") {
        return Next::Scheme;
    }
    if word.contains(|c: char| c == '=' || c.is_whitespace()) {
        return Next::Plain;
    }
    // `aws configure set aws_secret_access_key …`, `npm config set …:_authToken …`
    let is_key = is_setting && word.contains(['_', '.', ':']);
    match names::secrecy(word) {
        Secrecy::None => Next::Plain,
        secrecy if is_key || (is_option(word) && names::takes_value(word)) => Next::Secret(secrecy),
        _ => Next::Plain,
    }
}

fn is_scheme(word: &str) -> bool {
    ["basic", "bearer", "digest", "token", "negotiate"].contains(&&*word.to_ascii_lowercase())
}

/// A word by itself.
fn inline(word: &str, depth: usize) -> String {
    if let Some(shown) = header(word, false) {
        return shown;
    }
    if let Some((name, value)) = word.split_once('=')
        && names::is_name(name)
    {
        let header = || header(value, true).filter(|_| HEADERS.contains(&name));
        let shown = match names::secrecy(name) {
            Secrecy::None => header().unwrap_or_else(|| inline(value, depth)),
            secrecy => secret(value, secrecy),
        };
        return format!("{name}={shown}");
    }
    // `openssl … -passin pass:…`
    if word.strip_prefix("pass:").is_some_and(|p| !p.is_empty() && !p.starts_with(' ')) {
        return format!("pass:{REDACTED}");
    }
    if !word.contains(char::is_whitespace) {
        return shapes::redact(&shapes::redact_blocks(word));
    }
    if depth >= DEPTH { REDACTED.to_owned() } else { text::redact(word, depth + 1) }
}

/// A value whose name says that it is secret.
fn secret(value: &str, secrecy: Secrecy) -> String {
    if names::is_harmless(value, secrecy) { value.to_owned() } else { REDACTED.to_owned() }
}

/// `user:password`; without a separator there is no password.
fn login(value: &str, separator: char) -> String {
    match value.split_once(separator) {
        // `--user 1000:1000` is a user and a group.
        Some((user, group)) if is_number(user) && is_number(group) => value.to_owned(),
        Some((user, password)) if !password.is_empty() => format!("{user}{separator}{REDACTED}"),
        _ => shapes::redact(value),
    }
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit())
}

/// `Name: value` of HTTP. Where nothing says that it is one, only names that
/// nothing but a header has: `auth: fix the login` is the title of a commit.
fn header(word: &str, is_header: bool) -> Option<String> {
    let (name, value) = word.split_once(':')?;
    let bare = name.strip_prefix("-H").unwrap_or(name);
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    if bare.is_empty() || !bare.chars().all(is_word) || value.trim().is_empty() {
        return None;
    }
    let lower = bare.to_ascii_lowercase();
    let is_header = is_header || bare.len() < name.len();
    // `cookie: fix the parser` is the title of a commit too.
    let is_cookie = lower.ends_with("cookie") && (is_header || value.contains('='));
    let is_known = lower.ends_with("authorization") || is_cookie;
    let is_named = names::secrecy(bare) != Secrecy::None;
    let looks_so = bare.contains('-') && value.starts_with(' ');
    if !(is_known || (is_named && (is_header || looks_so))) {
        return None;
    }
    // `Bearer`, `Basic` and the like say how, not what.
    let value = value.trim_start();
    match value.split_once(' ') {
        Some((scheme, _)) if lower.ends_with("authorization") => {
            Some(format!("{name}: {scheme} {REDACTED}"))
        }
        _ => Some(format!("{name}: {REDACTED}")),
    }
}
