//! Builtins that run the command after them.

use bstr::ByteSlice;

use super::word::Word;

/// `command`, `builtin` and `exec` with their options taken off; `command -v ls` only asks, and
/// an `exec` that only redirects runs nothing else.
pub fn seen_through(words: &[Word]) -> &[Word] {
    let mut rest = words;
    while let Some(behind) = behind_builtin(rest) {
        rest = behind;
    }
    rest
}

fn behind_builtin(words: &[Word]) -> Option<&[Word]> {
    let (first, more) = words.split_first()?;
    if !first.is_one_of(&["command", "builtin", "exec"]) {
        return None;
    }
    let name = first.literal()?;
    let option = |word: &Word| word.literal().filter(|text| text.len() > 1 && text[0] == b'-');
    let options: Vec<_> = more.iter().map_while(option).collect();
    if name == "command" && options.iter().any(|o| o.find_byteset(b"vV").is_some()) {
        return None;
    }
    // `exec -a NAME` takes a word.
    let takes_name = name == "exec" && options.iter().any(|option| option.ends_with(b"a"));
    more.get(options.len() + usize::from(takes_name)..).filter(|behind| !behind.is_empty())
}
