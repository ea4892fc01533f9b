//! The real program: the next on PATH after us that is not us.

use std::ffi::{CString, OsStr, OsString};
use std::fs::File;
use std::io::Read as _;
use std::os::unix::ffi::{OsStrExt, OsStringExt as _};
use std::os::unix::fs::FileExt as _;
use std::path::{Path, PathBuf};

use bstr::ByteSlice as _;
use rustix::fs::{Access, AtFlags, CWD, FileType};

use super::executed::{Executed, identity, widen};
use super::raw::NOTE_OWNER;

/// Where execvp(3) of musl looks when PATH is not set.
const DEFAULT_PATH: &str = "/usr/local/bin:/bin:/usr/bin";

/// Bytes read from a candidate: its ELF header and, nearly always, its notes.
const HEAD: usize = 1024;

/// A program to become.
#[derive(Debug)]
pub struct Program {
    pub path: CString,
    /// It may look for its own name on PATH and meet us again.
    pub may_come_back: bool,
    /// A shim of ours, which judges once more.
    pub is_shim: bool,
}

/// Nothing to become.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoProgram {
    /// 127.
    NotFound,
    /// 126: there is one, but it may not be executed.
    NotExecutable,
}

/// Searches PATH for `name`, from the entry after ours on; after `hop` too, when a
/// version manager led back to us.
pub fn find(name: &OsStr, us: &Executed, hop: Option<&Path>) -> Result<Program, NoProgram> {
    let path = std::env::var_os("PATH");
    let path = path.as_deref().unwrap_or(OsStr::new(DEFAULT_PATH));
    let entries: Vec<&[u8]> = path.as_bytes().split(|b| *b == b':').collect();
    let after = |place: Option<usize>| place.map_or(0, |i| i + 1);
    let (before, mut behind) = entries.split_at(after(place_of(us.directory(), &entries)));
    let once = hop.map(|_| each_once(behind));
    let mut skipped: &[&[u8]] = &[];
    if let (Some(directory), Some(once)) = (hop, &once) {
        let next;
        (skipped, next) = once.split_at(after(place_of(directory, once)));
        behind = next;
    }
    // Whoever says where to go on does not decide which policies hold: the shim of a run that
    // would be passed over judges, and goes on there itself.
    let is_of_run = |entry: &&&[u8]| is_run_behind(entry, before, us);
    let of_run = skipped.iter().filter(is_of_run).map(|entry| join(entry, name));
    for shim in of_run.filter(|shim| matches!(candidate(shim, us, name), Candidate::Us)) {
        if let Ok(path) = CString::new(shim.into_os_string().into_vec()) {
            return Ok(Program { path, may_come_back: false, is_shim: true });
        }
    }
    search(before, behind, name, us)
}

/// Directories that are there, each where it stands first: going on after one of them
/// never leads to it again.
fn each_once<'a>(entries: &[&'a [u8]]) -> Vec<&'a [u8]> {
    let mut seen = Vec::new();
    let is_new = |entry: &&[u8]| {
        let Some(found) = identity(&join(entry, OsStr::new(""))) else { return false };
        let is_new = !seen.contains(&found);
        seen.push(found);
        is_new
    };
    entries.iter().copied().filter(is_new).collect()
}

/// The program of this name anywhere on PATH that is not us: `embargo run` stands in
/// no shim directory.
pub fn anywhere(name: &OsStr, us: &Executed) -> Result<Program, NoProgram> {
    let path = std::env::var_os("PATH");
    let path = path.as_deref().unwrap_or(OsStr::new(DEFAULT_PATH));
    let entries: Vec<&[u8]> = path.as_bytes().split(|b| *b == b':').collect();
    search(&[], &entries, name, us)
}

/// PATH with a directory in front.
pub fn path_behind(directory: &Path) -> OsString {
    let mut path = directory.as_os_str().to_owned();
    path.push(":");
    path.push(std::env::var_os("PATH").unwrap_or_else(|| DEFAULT_PATH.into()));
    path
}

/// Is this directory the first on PATH, those of runs aside?
pub fn is_first(directory: &Path, is_run: impl Fn(&Path) -> bool) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let first = std::env::split_paths(&path).find(|entry| !is_run(entry));
    first.is_some_and(|first| {
        trim(first.as_os_str().as_bytes()) == trim(directory.as_os_str().as_bytes())
    })
}

/// Is there a program of this name on PATH that is not us?
pub fn exists(name: &OsStr, us: &Executed) -> bool {
    anywhere(name, us).is_ok()
}

/// Names on PATH that are `stem` and a version: `python` is in `python3.11`.
pub fn versions(stem: &str, us: &Executed) -> Vec<String> {
    let path = std::env::var_os("PATH").unwrap_or_else(|| DEFAULT_PATH.into());
    let is_version = |name: &str| {
        let rest = name.strip_prefix(stem).unwrap_or_default();
        !rest.is_empty() && rest.bytes().all(|b| b.is_ascii_digit() || b == b'.')
    };
    let mut names: Vec<String> = std::env::split_paths(&path)
        .filter_map(|directory| std::fs::read_dir(directory).ok())
        .flat_map(|entries| entries.filter_map(Result::ok))
        .filter_map(|entry| entry.file_name().into_string().ok())
        .filter(|name| is_version(name) && exists(OsStr::new(name), us))
        .collect();
    names.sort();
    names.dedup();
    names
}

fn search(
    before: &[&[u8]],
    entries: &[&[u8]],
    name: &OsStr,
    us: &Executed,
) -> Result<Program, NoProgram> {
    let mut denied = NoProgram::NotFound;
    for entry in entries {
        let file = join(entry, name);
        match candidate(&file, us, name) {
            Candidate::Program(may_come_back) => {
                let Ok(path) = CString::new(file.as_os_str().as_bytes()) else { continue };
                return Ok(Program { path, may_come_back, is_shim: false });
            }
            Candidate::Denied => denied = NoProgram::NotExecutable,
            Candidate::Us if is_run_behind(entry, before, us) => {
                let Ok(path) = CString::new(file.as_os_str().as_bytes()) else { continue };
                return Ok(Program { path, may_come_back: false, is_shim: true });
            }
            Candidate::Absent | Candidate::Us => {}
        }
    }
    Err(denied)
}

/// The shim of an `embargo run` that a start-up file has put us in front of: it knows
/// policies that we do not, so it is the program to become. Only when it stands
/// nowhere before us on PATH: one step to the right never leads in circles.
fn is_run_behind(entry: &[u8], before: &[&[u8]], us: &Executed) -> bool {
    let directory = join(entry, OsStr::new(""));
    if !super::runs::is_run(&directory) {
        return false;
    }
    let this = identity(&directory);
    let is_this = |other: &Path| identity(other) == this;
    this.is_some()
        && !is_this(us.directory())
        && !before.iter().any(|e| is_this(&join(e, OsStr::new(""))))
}

/// Does this file bear our note: a copy, or another version?
pub fn is_embargo(path: &Path) -> bool {
    let mut buffer = [0; HEAD];
    File::open(path)
        .is_ok_and(|file| head(&file, &mut buffer).is_some_and(|head| bears_our_note(&file, head)))
}

enum Candidate {
    Absent,
    Denied,
    Us,
    Program(bool),
}

fn candidate(file: &Path, us: &Executed, name: &OsStr) -> Candidate {
    let Ok(stat) = rustix::fs::stat(file) else { return Candidate::Absent };
    if FileType::from_raw_mode(stat.st_mode) != FileType::RegularFile {
        return Candidate::Absent;
    }
    if us.identity == Some((widen(stat.st_dev), stat.st_ino)) {
        return Candidate::Us;
    }
    // Whom no bit forbids it, the kernel need not be asked.
    let for_all = stat.st_mode & 0o111 == 0o111;
    if !for_all && rustix::fs::accessat(CWD, file, Access::EXEC_OK, AtFlags::EACCESS).is_err() {
        return Candidate::Denied;
    }
    // On the stack: the first large piece of heap costs more than reading the file.
    let mut buffer = [0; HEAD];
    let opened = super::sources::open_to_read(file).ok();
    let head = opened.as_ref().and_then(|f| head(f, &mut buffer));
    let (Some(opened), Some(head)) = (&opened, head) else {
        // Executable but not readable: no script, and nothing more can be known.
        return Candidate::Program(leads_elsewhere(file, name));
    };
    if bears_our_note(opened, head) {
        return Candidate::Us;
    }
    let is_script = !head.starts_with(b"\x7fELF") && !is_mach_o(head);
    Candidate::Program(is_script || leads_elsewhere(file, name))
}

/// A link to another name: `python` → `mise`, but not `python3` → `python3.11`, the reverse,
/// or `gcc` → `x86_64-linux-gnu-gcc-12`.
fn leads_elsewhere(file: &Path, name: &OsStr) -> bool {
    const LINKS: usize = 16;
    let step = |at: &PathBuf| Some(at.parent()?.join(std::fs::read_link(at).ok()?));
    let Some(end) = std::iter::successors(Some(file.to_owned()), step).take(LINKS).last() else {
        return false;
    };
    let end = unversioned(end.file_name().unwrap_or_default().as_bytes());
    let prefix = end.strip_suffix(unversioned(name.as_bytes()));
    !prefix.is_some_and(|prefix| prefix.is_empty() || prefix.ends_with(b"-"))
}

fn unversioned(name: &[u8]) -> &[u8] {
    name.trim_end_with(|c| c.is_ascii_digit() || ".-".contains(c))
}

/// Place of a directory in PATH: by its spelling, else by what it is.
fn place_of(directory: &Path, entries: &[&[u8]]) -> Option<usize> {
    let spelled = directory.as_os_str().as_bytes();
    entries.iter().position(|e| trim(e) == trim(spelled)).or_else(|| {
        let wanted = identity(directory)?;
        entries.iter().position(|e| identity(&join(e, OsStr::new(""))) == Some(wanted))
    })
}

fn trim(path: &[u8]) -> &[u8] {
    match path {
        [rest @ .., b'/'] if !rest.is_empty() => rest,
        _ => path,
    }
}

/// An empty entry is the working directory.
fn join(entry: &[u8], name: &OsStr) -> PathBuf {
    Path::new(OsStr::from_bytes(if entry.is_empty() { b"." } else { entry })).join(name)
}

fn head<'b>(mut file: &File, buffer: &'b mut [u8; HEAD]) -> Option<&'b [u8]> {
    let length = file.read(buffer).ok()?;
    buffer.get(..length)
}

fn is_mach_o(head: &[u8]) -> bool {
    matches!(head.get(..4), Some(b"\xcf\xfa\xed\xfe" | b"\xce\xfa\xed\xfe" | b"\xca\xfe\xba\xbe"))
}

/// Looks through the note segments of a 64-bit ELF file (elf(5)).
fn bears_our_note(file: &File, head: &[u8]) -> bool {
    const PT_NOTE: u64 = 4;
    if !head.starts_with(b"\x7fELF\x02\x01") {
        return false;
    }
    let number = |at: usize, width: usize| {
        head.get(at..at + width)
            .map(|b| b.iter().rev().fold(0u64, |n, byte| n << 8 | u64::from(*byte)))
    };
    let (Some(table), Some(size), Some(count)) = (number(32, 8), number(54, 2), number(56, 2))
    else {
        return false;
    };
    (0..count.min(64)).any(|i| {
        let Some(at) = usize::try_from(table + i * size).ok().filter(|at| *at < HEAD) else {
            return false;
        };
        let (Some(PT_NOTE), Some(offset), Some(length)) =
            (number(at, 4), number(at + 8, 8), number(at + 32, 8))
        else {
            return false;
        };
        let range = usize::try_from(offset).ok().zip(usize::try_from(length.min(4096)).ok());
        let Some((offset, length)) = range else { return false };
        match head.get(offset..offset.saturating_add(length)) {
            Some(notes) => holds_owner(notes),
            None => {
                let mut notes = vec![0; length];
                file.read_exact_at(&mut notes, offset as u64).is_ok() && holds_owner(&notes)
            }
        }
    })
}

fn holds_owner(notes: &[u8]) -> bool {
    notes.windows(NOTE_OWNER.len()).any(|w| w == NOTE_OWNER)
}
