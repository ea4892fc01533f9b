//! Start-up files of shells, as far as they speak of embargo.

use std::path::PathBuf;

use super::sources;

/// Below HOME.
const FILES: [&str; 9] = [
    ".bashrc",
    ".bash_profile",
    ".bash_login",
    ".profile",
    ".zshrc",
    ".zprofile",
    ".zshenv",
    ".config/fish/config.fish",
    ".kshrc",
];

/// File, number from 1, and text of each line that calls `embargo env` or `embargo completions`.
pub fn lines() -> Vec<(PathBuf, usize, String)> {
    let Some(home) = std::env::var_os("HOME").map(PathBuf::from) else { return Vec::new() };
    let mut found = Vec::new();
    for path in FILES.map(|file| home.join(file)) {
        let Ok(bytes) = sources::read_file(&path) else { continue };
        let text = String::from_utf8_lossy(&bytes);
        let lines = text.lines().enumerate().filter(|(_, line)| {
            line.contains("embargo env") || line.contains("embargo completions")
        });
        found.extend(lines.map(|(at, line)| (path.clone(), at + 1, line.trim().to_owned())));
    }
    found
}
