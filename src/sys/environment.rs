//! The few variables that are read outside the places of files.

use std::ffi::OsString;
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

/// PATH as it is; empty when it is not set.
pub fn path_text() -> OsString {
    std::env::var_os("PATH").unwrap_or_default()
}

/// The directories of PATH.
pub fn path() -> impl Iterator<Item = PathBuf> {
    std::env::split_paths(&path_text()).collect::<Vec<_>>().into_iter()
}

/// What changes what a check sees, beside its argv and its directory.
pub fn of_checks() -> [Option<String>; 6] {
    [
        text("PATH"),
        text("LANG"),
        text("LC_ALL"),
        text("PYTHONPATH"),
        text("NODE_PATH"),
        text("NODE_ENV"),
    ]
}
