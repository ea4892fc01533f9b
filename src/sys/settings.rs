//! Configuration files of harnesses: somebody else's, so each is kept beside itself before the
//! first change.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::{policy_file, sources};

/// Where a file is kept as it was.
pub fn backup_of(file: &Path) -> PathBuf {
    let mut name = file.as_os_str().to_owned();
    name.push(".embargo-backup");
    PathBuf::from(name)
}

/// The text of a file; `None` where there is none.
pub fn text(file: &Path) -> io::Result<Option<String>> {
    // A link that leads nowhere is a fault, and no file that could be made.
    match file.symlink_metadata() {
        Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(e) => return Err(e),
        Ok(_) => {}
    }
    let bytes = sources::read_file(file).map_err(io::Error::other)?;
    String::from_utf8(bytes).map(Some).map_err(|_| io::Error::other("it is no UTF-8"))
}

/// Keeps the file as it is now, mode included; an older copy is replaced.
pub fn back_up(file: &Path) -> io::Result<()> {
    let backup = backup_of(file);
    let mut beside = backup.as_os_str().to_owned();
    beside.push(format!(".{}.new", std::process::id()));
    let beside = PathBuf::from(beside);
    let copied = fs::copy(file, &beside).and_then(|_| fs::rename(&beside, &backup));
    copied.inspect_err(|_| drop(fs::remove_file(&beside)))
}

/// Writes the whole file, or leaves it as it is.
pub fn write(file: &Path, text: &str) -> io::Result<()> {
    match file.symlink_metadata().is_ok() {
        true => policy_file::replace(file, text),
        false => policy_file::create(file, text),
    }
}

/// Adds lines at the end of a file, unless it has them.
pub fn append_once(file: &Path, lines: &[u8]) -> io::Result<()> {
    use bstr::ByteSlice as _;
    use std::io::Write as _;
    let before = match fs::read(file) {
        Ok(before) => before,
        Err(e) if e.kind() == io::ErrorKind::NotFound => Vec::new(),
        Err(e) => return Err(e),
    };
    if before.contains_str(lines) {
        return Ok(());
    }
    let end: &[u8] = if before.is_empty() || before.ends_with(b"\n") { b"" } else { b"\n" };
    let mut opened = fs::OpenOptions::new().append(true).create(true).open(file)?;
    opened.write_all(&[end, lines].concat())
}

/// Removes a file; one that is not there is none to remove.
pub fn remove(file: &Path) -> io::Result<()> {
    match fs::remove_file(file) {
        Err(e) if e.kind() != io::ErrorKind::NotFound => Err(e),
        _ => Ok(()),
    }
}
