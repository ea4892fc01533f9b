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

/// Quotes one word where it needs it.
pub fn quote(word: &[u8]) -> String {
    let text = word.to_str_lossy();
    let safe = |c: char| c.is_ascii_alphanumeric() || "@%_-+=:,./".contains(c);
    if !text.is_empty() && text.chars().all(safe) {
        return text.into_owned();
    }
    format!("'{}'", text.replace('\'', "'\"'\"'"))
}
