//! Secrets that are known by how they look, wherever they stand.

use super::REDACTED;
use super::names::{self, Secrecy};

/// A beginning, what may follow it, and how much of that at least.
struct Shape(&'static str, fn(u8) -> bool, usize);

const SHAPES: [Shape; 33] = [
    Shape("AKIA", is_upper, 16),
    Shape("ASIA", is_upper, 16),
    Shape("ghp_", is_word, 20),
    Shape("gho_", is_word, 20),
    Shape("ghu_", is_word, 20),
    Shape("ghs_", is_word, 20),
    Shape("ghr_", is_word, 20),
    Shape("github_pat_", is_word, 20),
    Shape("glpat-", is_token, 16),
    Shape("gldt-", is_token, 16),
    Shape("glrt-", is_token, 16),
    Shape("sk-", is_token, 20),
    Shape("sk_live_", is_word, 16),
    Shape("sk_test_", is_word, 16),
    Shape("rk_live_", is_word, 16),
    Shape("rk_test_", is_word, 16),
    Shape("whsec_", is_word, 20),
    Shape("xoxa-", is_token, 10),
    Shape("xoxb-", is_token, 10),
    Shape("xoxe-", is_token, 10),
    Shape("xoxo-", is_token, 10),
    Shape("xoxp-", is_token, 10),
    Shape("xoxr-", is_token, 10),
    Shape("xoxs-", is_token, 10),
    Shape("xapp-", is_token, 10),
    Shape("AIza", is_token, 35),
    Shape("ya29.", is_dotted, 20),
    Shape("npm_", is_word, 36),
    Shape("pypi-", is_token, 50),
    Shape("hf_", is_word, 30),
    Shape("hvs.", is_token, 24),
    Shape("SG.", is_dotted, 40),
    Shape("eyJ", is_dotted, 20),
];

/// One word, or any text: everything that can be told without its neighbours.
pub(super) fn redact(text: &str) -> String {
    pairs(&keys(&logins(text)))
}

/// Private keys and JSON members: they span white space, so they go before text is split.
pub(super) fn redact_blocks(text: &str) -> String {
    members(&pem(text))
}

fn pem(text: &str) -> String {
    const BEGIN: &str = "-----BEGIN ";
    const PRIVATE: &str = "PRIVATE KEY";
    let mut shown = String::new();
    let mut rest = text;
    while let Some(at) = rest.find(BEGIN) {
        let (before, block) = rest.split_at(at);
        let label = block[BEGIN.len()..].split("-----").next().unwrap_or_default();
        let end = format!("-----END {label}-----");
        shown.push_str(before);
        if !label.contains(PRIVATE) {
            shown.push_str(BEGIN);
            rest = &block[BEGIN.len()..];
            continue;
        }
        shown.push_str(REDACTED);
        rest = block.find(&end).map_or("", |at| &block[at + end.len()..]);
    }
    shown + rest
}

/// `"password": "…"`, also where the quotes are escaped.
fn members(text: &str) -> String {
    let mut shown = String::new();
    let mut rest = text;
    while let Some(at) = rest.find(':') {
        let (before, after) = rest.split_at(at + 1);
        shown.push_str(before);
        rest = after;
        let Some((name, quote)) = quoted_end(&before[..at]) else { continue };
        let value = after.trim_start();
        let Some(inner) = value.strip_prefix(quote) else { continue };
        let secrecy = names::secrecy(name);
        if secrecy == Secrecy::None {
            continue;
        }
        let end = end_of(inner, quote);
        if names::is_harmless(&inner[..end], secrecy) {
            continue;
        }
        shown.push_str(&after[..after.len() - value.len()]);
        shown.push_str(quote);
        shown.push_str(REDACTED);
        rest = &inner[end..];
    }
    shown + rest
}

/// The quoted name that a text ends with, and its quote.
fn quoted_end(text: &str) -> Option<(&str, &str)> {
    let text = text.trim_end();
    ["\\\"", "\""].iter().find_map(|quote| {
        let inner = text.strip_suffix(quote)?;
        let start = inner.rfind(quote)? + quote.len();
        Some((&inner[start..], *quote))
    })
}

fn end_of(inner: &str, quote: &str) -> usize {
    let mut from = 0;
    while let Some(at) = inner[from..].find(quote) {
        let escaped = inner[..from + at].bytes().rev().take_while(|b| *b == b'\\').count() % 2 == 1;
        if !escaped {
            return from + at;
        }
        from += at + quote.len();
    }
    inner.len()
}

/// `scheme://user:password@host`, and a user that is a token: a long one, or of HTTP alone.
fn logins(text: &str) -> String {
    const TOKEN: usize = 20;
    let mut shown = String::new();
    let mut rest = text;
    while let Some(at) = rest.find("://") {
        let (before, after) = rest.split_at(at + 3);
        shown.push_str(before);
        rest = after;
        let is_end = |c: char| c.is_whitespace() || "/?#'\"".contains(c);
        let authority = &after[..after.find(is_end).unwrap_or(after.len())];
        let authority = if is_cut(authority) { word(after) } else { authority };
        let Some((login, _)) = authority.rsplit_once('@') else { continue };
        let (user, password) = login.split_once(':').map_or((login, None), |(u, p)| (u, Some(p)));
        let is_http = before.ends_with("http://") || before.ends_with("https://");
        let is_alone = password.is_none_or(|p| p.is_empty() || p == "x-oauth-basic");
        let is_token = is_http && is_alone && !["", "git"].contains(&user);
        let user = if is_token || user.len() >= TOKEN { REDACTED } else { user };
        shown.push_str(user);
        if password.is_some_and(|p| !p.is_empty()) {
            shown.push(':');
            shown.push_str(REDACTED);
        }
        rest = &after[login.len()..];
    }
    shown + rest
}

/// `user:p` of `user:p/ss@host`, which is no host with a port.
fn is_cut(authority: &str) -> bool {
    let port = authority.split_once(':').map(|(_, port)| port);
    let is_port = |p: &str| p.bytes().all(|b| b.is_ascii_digit());
    !authority.contains('@') && !authority.starts_with('[') && port.is_some_and(|p| !is_port(p))
}

fn word(text: &str) -> &str {
    const LONGEST: usize = 1024;
    let text = super::cut(text, LONGEST);
    text.split(|c: char| c.is_whitespace() || "'\"".contains(c)).next().unwrap_or(text)
}

fn keys(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut shown = String::new();
    let (mut from, mut at) = (0, 0);
    while at < bytes.len() {
        let is_start = at == 0 || !is_word(bytes[at - 1]);
        match is_start.then(|| key(&bytes[at..])).flatten() {
            Some(length) => {
                shown.push_str(&text[from..at]);
                shown.push_str(REDACTED);
                at += length;
                from = at;
            }
            None => at += 1,
        }
    }
    shown + &text[from..]
}

/// The length of the key that these bytes begin with.
fn key(bytes: &[u8]) -> Option<usize> {
    let Shape(start, follows, least) = SHAPES.iter().find(|s| bytes.starts_with(s.0.as_bytes()))?;
    let tail = &bytes[start.len()..];
    let length = tail.iter().take_while(|b| follows(**b)).count();
    let tail = &tail[..length];
    // `sk-fix-the-navigation-bar` is a branch.
    let has_digit = tail.iter().any(u8::is_ascii_digit) || start.ends_with('_');
    let is_jwt = *start != "eyJ" || tail.contains(&b'.');
    (length >= *least && has_digit && is_jwt).then_some(start.len() + length)
}

/// `?token=…&` and `,password=…` inside a word.
fn pairs(text: &str) -> String {
    let mut shown = String::new();
    let mut rest = text;
    while let Some(at) = rest.find('=') {
        let (before, after) = rest.split_at(at + 1);
        shown.push_str(before);
        rest = after;
        let is_inner = |c: char| c.is_ascii_alphanumeric() || "_-.".contains(c);
        let name = before[..at].rsplit(|c| !is_inner(c)).next().unwrap_or_default();
        let secrecy = match name {
            "X-Amz-Signature" | "sig" => Secrecy::Value,
            _ => names::secrecy(name),
        };
        if secrecy == Secrecy::None {
            continue;
        }
        let is_end = |c: char| c.is_whitespace() || "&,;'\"".contains(c);
        let end = after.find(is_end).unwrap_or(after.len());
        if !names::is_harmless(&after[..end], secrecy) {
            shown.push_str(REDACTED);
            rest = &after[end..];
        }
    }
    shown + rest
}

fn is_upper(b: u8) -> bool {
    b.is_ascii_uppercase() || b.is_ascii_digit()
}

fn is_word(b: u8) -> bool {
    b.is_ascii_alphanumeric() || b == b'_'
}

fn is_token(b: u8) -> bool {
    is_word(b) || b == b'-'
}

fn is_dotted(b: u8) -> bool {
    is_token(b) || b == b'.'
}
