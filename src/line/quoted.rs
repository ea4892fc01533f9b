//! Commands in quoted text that a builtin takes as more than text: subscripts and arithmetic are
//! expanded once more, bash(1).

use bstr::{BString, ByteSlice};

use super::atoms::{Quoting, commands_in};

/// The commands that running this argv finds in its own arguments; so many bytes of these may
/// still be read.
pub fn commands_of(argv: &[BString], left: &mut usize) -> Vec<String> {
    let Some((name, arguments)) = argv.split_first() else { return Vec::new() };
    let is_active = |text: &BString| text.contains_str("$(") || text.contains(&b'`');
    if !arguments.iter().any(is_active) {
        return Vec::new();
    }
    let behind = |option: &str| {
        let is_option = |pair: &&[BString]| pair.first().is_some_and(|word| word == option);
        let pairs = arguments.windows(2).filter(is_option);
        pairs.filter_map(|pair| pair.get(1)).collect::<Vec<_>>()
    };
    let texts: Vec<&BString> = match name.as_slice() {
        b"let" => return within(arguments.iter().map(|text| text.as_slice()), left),
        b"declare" | b"typeset" | b"local" | b"export" | b"readonly" | b"read" | b"unset"
        | b"mapfile" | b"readarray" | b"getopts" => arguments.iter().collect(),
        b"test" | b"[" => behind("-v"),
        b"printf" => behind("-v"),
        b"wait" => behind("-p"),
        _ => return Vec::new(),
    };
    within(texts.into_iter().filter_map(|text| subscript(text)), left)
}

/// Braces may have made many of one text.
fn within<'t>(texts: impl Iterator<Item = &'t [u8]>, left: &mut usize) -> Vec<String> {
    let mut found = Vec::new();
    for text in texts {
        let Some(rest) = left.checked_sub(text.len()) else { break };
        *left = rest;
        found.extend(inside(text));
    }
    found
}

/// What stands in the brackets of `a[…]` and `a[…]=x`.
pub fn subscript(text: &[u8]) -> Option<&[u8]> {
    let open = text.find_byte(b'[')?;
    let is_name = |b: &u8| b.is_ascii_alphanumeric() || *b == b'_';
    (open > 0 && text.get(..open)?.iter().all(is_name)).then(|| text.get(open + 1..))?
}

/// The commands in text that is expanded.
pub fn inside(text: &[u8]) -> Vec<String> {
    commands_in(&text.to_str_lossy(), Quoting::None)
}
