//! Text as a shell would cut it: words keep their place and quotes, and go the way
//! of an argv.

use super::shapes;

struct Piece<'t> {
    raw: &'t str,
    /// Without quotes and backslashes; `None` is white space within a command.
    word: Option<String>,
}

pub(super) fn redact(text: &str, depth: usize) -> String {
    let text = shapes::redact_blocks(text);
    let mut shown = String::with_capacity(text.len());
    let mut rest = text.as_str();
    while !rest.is_empty() {
        let command = take_command(&mut rest);
        let words: Vec<_> = command.iter().filter_map(|piece| piece.word.clone()).collect();
        let mut redacted = super::command(&words, depth).into_iter();
        for piece in &command {
            match piece.word.as_ref().zip(piece.word.as_ref().and_then(|_| redacted.next())) {
                Some((word, new)) if new != *word => shown.push_str(&requote(piece.raw, &new)),
                _ => shown.push_str(piece.raw),
            }
        }
        // The operator that ended it.
        let end = rest.find(|c| !is_operator(c)).unwrap_or(rest.len());
        shown.push_str(&rest[..end]);
        rest = &rest[end..];
    }
    shown
}

fn requote(raw: &str, word: &str) -> String {
    let quote = raw.chars().next().filter(|c| "'\"".contains(*c) && raw.ends_with(*c));
    quote.map_or_else(|| word.to_owned(), |quote| format!("{quote}{word}{quote}"))
}

fn is_operator(c: char) -> bool {
    ";|&()<>`\n".contains(c)
}

/// Words and white space up to the next operator.
fn take_command<'t>(rest: &mut &'t str) -> Vec<Piece<'t>> {
    let mut pieces = Vec::new();
    while let Some(c) = rest.chars().next() {
        if is_operator(c) {
            break;
        }
        let is_blank = c.is_whitespace();
        let (length, word) = if is_blank {
            let end = rest.find(|c: char| !c.is_whitespace() || is_operator(c));
            (end.unwrap_or(rest.len()), None)
        } else {
            let (length, word) = take_word(rest);
            (length, Some(word))
        };
        pieces.push(Piece { raw: &rest[..length], word });
        *rest = &rest[length..];
    }
    pieces
}

/// Length in the text, and what the word is. A quote that nothing closes is an apostrophe.
fn take_word(text: &str) -> (usize, String) {
    let mut word = String::new();
    let mut at = 0;
    while let Some(c) = text[at..].chars().next() {
        let after = at + c.len_utf8();
        match c {
            '\'' | '"' => match closing(&text[after..], c) {
                Some(length) => {
                    unescape(&text[after..after + length], c, &mut word);
                    at = after + length + 1;
                    continue;
                }
                None => word.push(c),
            },
            '\\' => {
                let next = text[after..].chars().next();
                word.extend(next);
                at = after + next.map_or(0, char::len_utf8);
                continue;
            }
            c if c.is_whitespace() || is_operator(c) => break,
            c => word.push(c),
        }
        at = after;
    }
    (at, word)
}

fn closing(text: &str, quote: char) -> Option<usize> {
    let mut is_escaped = false;
    text.char_indices().find_map(|(at, c)| {
        let ends = c == quote && !is_escaped;
        is_escaped = quote == '"' && c == '\\' && !is_escaped;
        ends.then_some(at)
    })
}

fn unescape(inner: &str, quote: char, word: &mut String) {
    let mut chars = inner.chars().peekable();
    while let Some(c) = chars.next() {
        match chars.peek() {
            Some('"' | '\\' | '$' | '`') if quote == '"' && c == '\\' => word.extend(chars.next()),
            _ => word.push(c),
        }
    }
}
