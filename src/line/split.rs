//! One command's text → its argv, as far as text tells: quotes and backslashes
//! are resolved, leading keywords, assignments and redirections set aside. What a
//! shell would expand stays as it was typed.

use bstr::BString;

use super::expects::KEYWORDS;
use super::words::{Word, words};

/// Builtins that run the command after them.
const BUILTINS: [&str; 3] = ["command", "builtin", "exec"];

/// The argv of a simple command; empty when there is none.
pub fn split(text: &str) -> Vec<BString> {
    let words = words(text);
    let mut rest = &words[..];
    let mut is_behind_builtin = false;
    while let Some((word, more)) = rest.split_first() {
        rest = match behind_builtin(word, more) {
            Some(command) => {
                is_behind_builtin = true;
                command
            }
            // There it is no keyword any more, and `x=1` no assignment.
            None if is_behind_builtin => break,
            None if word.is("time") => match behind_time(more) {
                Some(command) => command,
                None => break,
            },
            None if KEYWORDS.iter().any(|k| word.is(k)) || word.is_assignment() => more,
            None => break,
        };
    }
    rest.iter().map(|w| w.text.clone()).collect()
}

/// With another option than `-p` it is the program of that name.
fn behind_time(more: &[Word]) -> Option<&[Word]> {
    let options = more.iter().take_while(|w| w.is("-p") || w.is("--")).count();
    let rest = &more[options..];
    let is_option = |w: &Word| w.text.len() > 1 && w.text.starts_with(b"-");
    (!rest.first().is_some_and(is_option)).then_some(rest)
}

/// `command -p ls` runs `ls`; `command -v ls` only asks.
fn behind_builtin<'a>(word: &Word, more: &'a [Word]) -> Option<&'a [Word]> {
    if !BUILTINS.iter().any(|name| word.text == *name) {
        return None;
    }
    let is_option = |w: &&Word| w.text.len() > 1 && w.text.starts_with(b"-");
    let mut options = more.iter().take_while(is_option).count();
    if more[..options].iter().any(|w| w.text.iter().any(|b| matches!(b, b'v' | b'V'))) {
        return None;
    }
    // `exec -a NAME` takes a word.
    options +=
        usize::from(word.text == "exec" && more[..options].iter().any(|w| w.text.ends_with(b"a")));
    more.get(options..).filter(|command| !command.is_empty())
}
