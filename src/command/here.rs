//! How text names the working directory: `$PWD`, `$(pwd)`.

use bstr::ByteSlice;

/// What stands for it.
const SIGNS: [&[u8]; 5] = [b"$PWD", b"${PWD}", b"$(pwd)", b"$(pwd -P)", b"`pwd`"];

/// What is behind the working directory in a path that begins with it.
pub fn behind_here(path: &[u8]) -> Option<&[u8]> {
    let rest = SIGNS.iter().find_map(|sign| path.strip_prefix(*sign))?;
    let behind = rest.trim_start_with(|c| c == '/');
    (rest.is_empty() || behind.len() < rest.len()).then_some(behind)
}

/// The same for the root of a project, which most work in.
pub fn behind_root(path: &[u8]) -> Option<&[u8]> {
    const SIGN: &[u8] = b"$(git rev-parse --show-toplevel)";
    let rest = path.strip_prefix(SIGN)?;
    let behind = rest.trim_start_with(|c| c == '/');
    (rest.is_empty() || behind.len() < rest.len()).then_some(behind)
}
