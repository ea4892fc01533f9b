//! One command's text → its argv, as far as text tells: quotes and backslashes
//! are resolved, leading keywords, assignments and redirections set aside.

use bstr::BString;

const KEYWORDS: [&str; 14] = [
    "if", "then", "elif", "else", "while", "until", "do", "!", "{", "}", "time", "fi", "done",
    "esac",
];

/// Builtins that run the command after them.
const BUILTINS: [&str; 3] = ["command", "builtin", "exec"];

/// The argv of a simple command; empty when there is none.
pub fn split(text: &str) -> Vec<BString> {
    let words = words(text);
    let mut rest = &words[..];
    while let Some((word, more)) = rest.split_first() {
        let is_keyword = !word.quoted && KEYWORDS.contains(&word.text.as_str());
        rest = match behind_builtin(word, more) {
            Some(command) => command,
            None if is_keyword || is_assignment(word) => more,
            None => break,
        };
    }
    rest.iter().map(|w| BString::from(w.text.as_str())).collect()
}

/// `command -p ls` runs `ls`; `command -v ls` only asks.
fn behind_builtin<'a>(word: &Word, more: &'a [Word]) -> Option<&'a [Word]> {
    if !BUILTINS.contains(&word.text.as_str()) {
        return None;
    }
    let is_option = |w: &&Word| w.text.len() > 1 && w.text.starts_with('-');
    let mut options = more.iter().take_while(is_option).count();
    if more[..options].iter().any(|w| w.text.contains(['v', 'V'])) {
        return None;
    }
    // `exec -a NAME` takes a word.
    options +=
        usize::from(word.text == "exec" && more[..options].iter().any(|w| w.text.ends_with('a')));
    more.get(options..).filter(|command| !command.is_empty())
}

struct Word {
    text: String,
    quoted: bool,
}

fn is_assignment(word: &Word) -> bool {
    let Some((name, _)) = word.text.split_once('=') else { return false };
    let name = name.strip_suffix('+').unwrap_or(name);
    name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

fn words(text: &str) -> Vec<Word> {
    let mut words = Vec::new();
    let mut current: Option<Word> = None;
    let mut redirected = false;
    let mut chars = text.chars().peekable();
    let mut finish = |current: &mut Option<Word>, redirected: &mut bool| {
        if let Some(word) = current.take()
            && !std::mem::take(redirected)
        {
            words.push(word);
        }
    };
    while let Some(c) = chars.next() {
        let word = |current: &mut Option<Word>, quoted: bool| {
            let word = current.get_or_insert(Word { text: String::new(), quoted: false });
            word.quoted |= quoted;
        };
        match c {
            ' ' | '\t' | '\n' => finish(&mut current, &mut redirected),
            '\'' => {
                word(&mut current, true);
                let inner: String = chars.by_ref().take_while(|c| *c != '\'').collect();
                push(&mut current, &inner);
            }
            '"' => {
                word(&mut current, true);
                while let Some(c) = chars.next() {
                    match c {
                        '"' => break,
                        '\\' => match chars.next() {
                            Some('\n') | None => {}
                            Some(c @ ('"' | '\\' | '$' | '`')) => {
                                push(&mut current, c.encode_utf8(&mut [0; 4]))
                            }
                            Some(c) => {
                                push(&mut current, "\\");
                                push(&mut current, c.encode_utf8(&mut [0; 4]));
                            }
                        },
                        c => push(&mut current, c.encode_utf8(&mut [0; 4])),
                    }
                }
            }
            '\\' => match chars.next() {
                Some('\n') | None => {}
                Some(c) => {
                    word(&mut current, true);
                    push(&mut current, c.encode_utf8(&mut [0; 4]));
                }
            },
            '>' | '<' | '&' => {
                // `2>` and `&>` belong to the redirection, `a>` does not.
                let is_descriptor = current
                    .as_ref()
                    .is_some_and(|w| !w.quoted && w.text.chars().all(|c| c.is_ascii_digit()));
                if is_descriptor {
                    current = None;
                }
                finish(&mut current, &mut redirected);
                while chars.next_if(|c| matches!(c, '>' | '<' | '&' | '|' | '-')).is_some() {}
                redirected = true;
            }
            c => {
                word(&mut current, false);
                push(&mut current, c.encode_utf8(&mut [0; 4]));
            }
        }
    }
    finish(&mut current, &mut redirected);
    words
}

fn push(current: &mut Option<Word>, text: &str) {
    if let Some(word) = current {
        word.text.push_str(text);
    }
}
