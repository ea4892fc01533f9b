//! What `xargs` and `parallel` put into the commands that they run, where the line itself says it:
//! the same commands once more, with all of it behind their own words.

use bstr::{BString, ByteSlice};

use crate::command::{Words, Wrapped, join};

/// More words than these are not put into a command.
const PUT: usize = 64;

/// The commands that a call wraps, filled; `replaced` stands for what is put, and `reads` is what
/// the call is fed.
pub(super) fn filled(words: &Words, replaced: &BString, reads: Option<&str>) -> Vec<Wrapped> {
    let fed = |text: &str| text.split_whitespace().take(PUT).map(BString::from).collect();
    let (fed, given): (Vec<BString>, _) = (reads.map(fed).unwrap_or_default(), given(words));
    let filled = |inner: &Wrapped| match inner {
        Wrapped::Argv(argv) if !argv.iter().any(|word| word.contains_str(replaced)) => {
            let put = argv.iter().chain(&fed).cloned();
            (!fed.is_empty()).then(|| Wrapped::Argv(put.collect()))
        }
        // Without a command each of what is given is one.
        Wrapped::Text(text) if !given.contains(text) && !text.contains_str(replaced) => {
            let put = || [text.as_slice(), b" ", join(&given).as_bytes()].concat();
            (!given.is_empty()).then(|| Wrapped::Text(put().into()))
        }
        _ => None,
    };
    words.wrapped().iter().filter_map(filled).collect()
}

/// What stands behind `:::`: parallel(1).
fn given(words: &Words) -> Vec<BString> {
    let behind = words.argv().iter().skip_while(|word| *word != ":::").skip(1);
    behind.take_while(|word| !word.starts_with(b":::")).take(PUT).cloned().collect()
}
