//! Writes policy files. Never half: a new file is made whole or not at all, an old one
//! is replaced by rename.

use std::fs::{self, File, OpenOptions, Permissions};
use std::io::{self, Write as _};
use std::os::unix::fs::{OpenOptionsExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

/// Makes a file that is not there, and the directories above it; what is there stays, and is
/// [`io::ErrorKind::AlreadyExists`].
pub fn create(path: &Path, text: &str) -> io::Result<()> {
    if let Some(directory) = path.parent() {
        fs::create_dir_all(directory)?;
    }
    let draft = draft(path, text, 0o644)?;
    // A link fails where a rename would replace.
    let made = fs::hard_link(&draft, path);
    fs::remove_file(&draft)?;
    made
}

/// A directory for other files that are written for a person, with those above it.
pub fn make_directory(path: &Path) -> io::Result<()> {
    fs::create_dir_all(path)
}

/// Replaces a file that is there; its mode stays, and a link to it stays a link.
pub fn replace(path: &Path, text: &str) -> io::Result<()> {
    let path = path.canonicalize()?;
    let mode = fs::metadata(&path)?.permissions().mode() & 0o7777;
    let draft = draft(&path, text, mode)?;
    fs::rename(&draft, &path).inspect_err(|_| drop(fs::remove_file(&draft)))
}

/// The text beside its place, written and synced.
fn draft(path: &Path, text: &str, mode: u32) -> io::Result<PathBuf> {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(format!(".{}.new", std::process::id()));
    let draft = path.with_file_name(name);
    let write = |mut file: File| {
        file.write_all(text.as_bytes())?;
        file.set_permissions(Permissions::from_mode(mode))?;
        file.sync_all()
    };
    let file = OpenOptions::new().write(true).create_new(true).mode(mode).open(&draft)?;
    write(file).inspect_err(|_| drop(fs::remove_file(&draft)))?;
    Ok(draft)
}
