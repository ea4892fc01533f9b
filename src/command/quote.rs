//! Quoting as Python's `shlex.join` does it, the text that `pattern` is matched
//! against (A4): a quote inside becomes `'"'"'`, never a backslash.

use bstr::{BString, ByteSlice};

/// Joins argv into one line that a POSIX shell would split back. Bytes that are
/// no UTF-8 are shown as U+FFFD: the text is for matching and reading, not for running.
pub fn join(argv: &[BString]) -> String {
    let mut line = String::new();
    for word in argv {
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(&quote(word));
    }
    line
}

/// Joins argv into one line that a person or an agent can take over: what has no sign of its own
/// (a newline, an escape, a byte that is no UTF-8) stands as bash and zsh spell it, `$'a\nb'`.
pub fn join_in_a_line(argv: &[BString]) -> String {
    let words: Vec<String> = argv.iter().map(|word| quote_in_a_line(word)).collect();
    words.join(" ")
}

/// Quotes one word as [`join_in_a_line`] does.
pub fn quote_in_a_line(word: &[u8]) -> String {
    let is_plain = word.to_str().is_ok_and(|text| !text.chars().any(char::is_control));
    if is_plain {
        return quote(word);
    }
    let mut line = String::from("$'");
    for chunk in word.utf8_chunks() {
        for character in chunk.valid().chars() {
            match character {
                '\n' => line.push_str("\\n"),
                '\t' => line.push_str("\\t"),
                '\r' => line.push_str("\\r"),
                '\\' | '\'' => line.extend(['\\', character]),
                c if c.is_control() => {
                    let bytes = c.encode_utf8(&mut [0; 4]).as_bytes().to_vec();
                    bytes.iter().for_each(|byte| line.push_str(&octal(*byte)));
                }
                c => line.push(c),
            }
        }
        chunk.invalid().iter().for_each(|byte| line.push_str(&octal(*byte)));
    }
    line + "'"
}

/// Three digits, so that what follows is none of them.
fn octal(byte: u8) -> String {
    format!("\\{byte:03o}")
}

/// Quotes one word where it needs it.
pub fn quote(word: &[u8]) -> String {
    let text = word.to_str_lossy();
    let safe = |c: char| c.is_ascii_alphanumeric() || "@%_-+=:,./".contains(c);
    if !text.is_empty() && text.chars().all(safe) {
        return text.into_owned();
    }
    format!("'{}'", text.replace('\'', "'\"'\"'"))
}
