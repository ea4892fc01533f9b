//! Which policy files are in force for a call: system, user, project files
//! upwards of the start and the effective directories, and named ones.

use std::ffi::OsStr;
use std::fs::{Metadata, OpenOptions};
use std::io::Read as _;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

use rustix::fs::{FileType, Stat, lstat, stat};
use rustix::io::Errno;

use crate::policy::Layer;
use crate::view::{Identity, Read, SourceRecord, Standing};

use super::context::{Context, absolute};
use super::executed::widen;

/// The system's policy directory.
const SYSTEM: &str = "/etc/embargo";
/// A policy file, in its two forms.
const NAMES: [&str; 2] = ["embargo.toml", "embargo.json"];
/// Directories above the working directory that are looked into.
const DEPTH: usize = 64;
/// MiB that a policy file may have. People write them: more is a mistake, or has no end.
const LARGEST: u64 = 4;

/// The policy files that are there now, highest authority first, each once.
pub fn find(context: &Context, effective: &[PathBuf]) -> Vec<SourceRecord> {
    let mut found = Found::default();
    found.directory(Path::new(SYSTEM), Layer::System, Hidden::IsFault);
    if let Some(config) = context.config() {
        let hidden = if context.record.is_some() { Hidden::IsFault } else { Hidden::IsAbsent };
        found.directory(config, Layer::User, hidden);
    }
    let starts = context.record.iter().flat_map(|r| &r.starts).map(|start| &**start);
    for directory in starts.chain(context.cwd.as_deref()).chain(effective.iter().map(|p| &**p)) {
        for ancestor in directory.ancestors().take(DEPTH) {
            if !found.looked_into(ancestor) {
                found.directory(ancestor, Layer::Project, Hidden::IsAbsent);
            }
        }
    }
    if let Some(added) = context.added_config() {
        found.directory(added, Layer::Named, Hidden::IsAbsent);
    }
    let recorded = context.record.iter().flat_map(|r| &r.policies);
    for path in recorded.chain(&context.named) {
        // A named file that is not there is a fault, not an absence.
        found.add(path, Layer::Named, identity(path));
    }
    found.sources
}

/// What is in a directory, sorted; names that are no text are left out.
pub fn names(directory: &Path) -> std::io::Result<Vec<String>> {
    let entries = std::fs::read_dir(directory)?;
    let names = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    let mut names: Vec<String> = names.collect();
    names.sort();
    Ok(names)
}

/// Where a directory's policy file may stand, TOML first.
pub fn policy_files(directory: &Path) -> Vec<PathBuf> {
    NAMES.map(|name| directory.join(name)).to_vec()
}

/// A user's own command descriptions, and the directory that lists them.
pub fn descriptions(context: &Context) -> Vec<SourceRecord> {
    let Some(config) = context.config() else { return Vec::new() };
    let directory = config.join("shims");
    let record = |path: &Path| SourceRecord {
        path: path.as_os_str().as_bytes().to_vec(),
        layer: Layer::User,
        standing: Standing::Drawn,
        identity: identity(path),
    };
    let mut sources = vec![record(&directory)];
    let mut files: Vec<PathBuf> = std::fs::read_dir(&directory)
        .map(|entries| entries.filter_map(Result::ok).map(|e| e.path()).collect())
        .unwrap_or_default();
    files.retain(|f| f.extension().is_some_and(|e| e == "toml"));
    files.sort();
    sources.extend(files.iter().map(|f| record(f)));
    sources
}

/// A file that somebody names: of the layer whose place it has.
pub fn named(context: &Context, path: &Path) -> SourceRecord {
    let path = absolute(context.cwd.as_deref(), path);
    let known = find(context, &[]).into_iter().find(|s| s.path == path.as_os_str().as_bytes());
    known.unwrap_or_else(|| SourceRecord {
        path: path.as_os_str().as_bytes().to_vec(),
        layer: Layer::Named,
        standing: Standing::Found,
        identity: identity(&path),
    })
}

/// Those of [`descriptions`] that are there: neither the directory nor links that lead nowhere.
pub fn read_descriptions(records: &[SourceRecord]) -> Vec<Read> {
    let is_file = |record: &&SourceRecord| record.path.ends_with(b".toml");
    let is_there = |record: &&SourceRecord| record.identity.is_some();
    records.iter().filter(is_file).filter(is_there).map(read).collect()
}

/// The text of a source, or why it cannot be had.
pub fn read(record: &SourceRecord) -> Read {
    let path = PathBuf::from(OsStr::from_bytes(&record.path));
    Read { bytes: read_file(&path), path, layer: record.layer }
}

/// The bytes of a policy file. What has no end, or no beginning until somebody writes, is
/// not waited for: a device, a FIFO.
pub fn read_file(path: &Path) -> Result<Vec<u8>, String> {
    let said = |e: std::io::Error| e.to_string();
    // Some devices do things when they are opened; what is swapped meanwhile does not block.
    check_regular(&path.metadata().map_err(said)?)?;
    let flags = libc::O_NONBLOCK | libc::O_NOCTTY;
    let file = OpenOptions::new().read(true).custom_flags(flags).open(path).map_err(said)?;
    check_regular(&file.metadata().map_err(said)?)?;
    let (limit, mut bytes) = (LARGEST << 20, Vec::new());
    file.take(limit + 1).read_to_end(&mut bytes).map_err(said)?;
    if bytes.len() as u64 > limit {
        return Err(format!("it is larger than {LARGEST} MiB"));
    }
    Ok(bytes)
}

fn check_regular(found: &Metadata) -> Result<(), String> {
    match found.is_file() {
        true => Ok(()),
        false if found.is_dir() => Err("it is a directory, not a file".to_owned()),
        false => Err("it is no regular file, but a device, FIFO or socket".to_owned()),
    }
}

/// What identifies a file now.
pub fn identity(path: &Path) -> Option<Identity> {
    stat(path).ok().map(|stat| identify(path, &stat))
}

fn identify(path: &Path, stat: &Stat) -> Identity {
    let rooted = stat.st_uid == 0
        && path
            .parent()
            .and_then(|dir| self::stat(dir).ok())
            .is_some_and(|dir| dir.st_uid == 0 && dir.st_mode & 0o022 == 0);
    Identity {
        device: widen(stat.st_dev),
        inode: stat.st_ino,
        size: u64::try_from(stat.st_size).unwrap_or_default(),
        modified: nanoseconds(stat.st_mtime, stat.st_mtime_nsec),
        changed: nanoseconds(stat.st_ctime, stat.st_ctime_nsec),
        rooted,
    }
}

/// A file that cannot be looked at, as in a directory that may not be entered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Hidden {
    IsAbsent,
    /// People wrote there for all calls: it is no empty policy.
    IsFault,
}

/// A file behind its links; ECANCELED where a link leads nowhere, or to itself. One system call for what is
/// no link, and for what is not there.
fn look(path: &Path) -> Result<Stat, Errno> {
    let found = lstat(path)?;
    match FileType::from_raw_mode(found.st_mode) {
        FileType::Symlink => stat(path).map_err(|error| match error {
            Errno::NOENT | Errno::NOTDIR | Errno::LOOP => Errno::CANCELED,
            other => other,
        }),
        _ => Ok(found),
    }
}

#[derive(Default)]
struct Found {
    sources: Vec<SourceRecord>,
    directories: Vec<PathBuf>,
}

impl Found {
    fn looked_into(&self, directory: &Path) -> bool {
        // As bytes: paths are compared part by part, and these differ in their last.
        self.directories.iter().any(|d| d.as_os_str() == directory.as_os_str())
    }

    fn directory(&mut self, directory: &Path, layer: Layer, hidden: Hidden) {
        self.directories.push(directory.to_owned());
        for name in NAMES {
            let path = directory.join(name);
            match look(&path) {
                Ok(stat) => self.add(&path, layer, Some(identify(&path, &stat))),
                Err(Errno::NOENT | Errno::NOTDIR) => {}
                // A link that leads nowhere is no absent file: what it led to is missing.
                Err(Errno::CANCELED) => self.add(&path, layer, None),
                Err(_) if hidden == Hidden::IsFault => self.add(&path, layer, None),
                Err(_) => {}
            }
        }
    }

    fn add(&mut self, path: &Path, layer: Layer, identity: Option<Identity>) {
        let path = path.as_os_str().as_bytes();
        let there = self.sources.iter_mut().find(|s| s.path == path);
        if let Some(project) = there.filter(|s| s.layer == Layer::Project) {
            // What is named is no less so for lying in the project.
            project.layer = layer;
        } else if !self.sources.iter().any(|s| s.path == path) {
            self.sources.push(SourceRecord {
                path: path.to_vec(),
                layer,
                standing: Standing::Found,
                identity,
            });
        }
    }
}

/// Without links and `..`, where the path is there; else as it is.
pub fn canonical(path: PathBuf) -> PathBuf {
    std::fs::canonicalize(&path).unwrap_or(path)
}

/// The same for the directory of a file alone.
pub fn in_canonical_directory(path: PathBuf) -> PathBuf {
    match (path.parent(), path.file_name()) {
        (Some(directory), Some(name)) => canonical(directory.to_owned()).join(name),
        _ => path,
    }
}

/// Is there a directory of this path?
pub fn is_directory(path: &Path) -> bool {
    path.is_dir()
}

/// Is it a link itself?
pub fn is_link(path: &Path) -> bool {
    path.is_symlink()
}

/// The directory without links; none where there is no such directory.
pub fn real_directory(path: &Path) -> Option<PathBuf> {
    let path = path.is_absolute().then(|| path.canonicalize().ok())??;
    path.is_dir().then_some(path)
}

/// The same of the nearest one above it that is there.
pub fn nearest_directory(path: &Path) -> Option<PathBuf> {
    path.ancestors().find_map(real_directory)
}

/// The fraction's type differs from one system to the next.
fn nanoseconds(seconds: i64, fraction: impl Into<i128>) -> i128 {
    i128::from(seconds) * 1_000_000_000 + fraction.into()
}

/// One system call, where the standard library makes two on musl; does not wait for a FIFO.
pub fn open_to_read(path: &Path) -> std::io::Result<std::fs::File> {
    use rustix::fs::{Mode, OFlags};
    let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NONBLOCK;
    Ok(rustix::fs::open(path, flags, Mode::empty())?.into())
}
