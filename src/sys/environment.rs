//! The few variables that are read outside the places of files.

use std::path::PathBuf;

use bstr::{BString, ByteVec as _};

/// `EMBARGO_FORMAT=json`: refusals as one JSON object.
pub fn wants_json() -> bool {
    std::env::var_os("EMBARGO_FORMAT").is_some_and(|value| value == "json")
}

/// A variable as text; none when it is not set or no UTF-8.
pub fn text(name: &str) -> Option<String> {
    std::env::var(name).ok()
}

/// `_`: what the shell says it ran.
pub fn shell_ran() -> Option<BString> {
    std::env::var_os("_").and_then(|v| Vec::from_os_string(v).ok()).map(BString::from)
}

/// The directories of PATH.
pub fn path() -> impl Iterator<Item = PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).collect::<Vec<_>>().into_iter()
}
