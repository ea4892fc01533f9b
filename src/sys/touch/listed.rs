//! What an archive, a patch or a copied tree has in it: only those names are written, wherever
//! it is unpacked. An archive is asked of its own program; a patch and a tree are looked at.
//! Without an answer all that is below the target counts.

use std::ffi::OsStr;
use std::ffi::OsString;
use std::io::Read as _;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use bstr::{BString, ByteSlice};

use super::Asked;
use crate::command::{Act, Effect, Object, Words};
use crate::policy::Invocation;
use crate::seal::Reach;
use crate::sys::context::{Context, absolute};
use crate::sys::{Held, bounded, sources};

const PATIENCE: Duration = Duration::from_secs(2);
/// Of a tree that is copied: beyond it nothing is listed.
const MOST: usize = 100_000;
/// Bytes of a patch that are looked at: beyond them nothing is.
const PATCH: u64 = 16 << 20;

/// Of these what is below is known.
const PROGRAMS: [&str; 6] = ["tar", "unzip", "cp", "patch", "split", "csplit"];

/// Statements that only read, sqlite3(1).
const READING: [&str; 11] = [
    "select",
    "explain",
    "values",
    ".dump",
    ".tables",
    ".schema",
    ".mode",
    ".headers",
    ".databases",
    ".indexes",
    ".stats",
];

/// Is it told by what is listed?
pub(super) fn answers(effect: &Effect, call: &Invocation) -> bool {
    let writes = effect.act == Act::Overwrites;
    let below = matches!(effect.on, Object::Below(_)) && PROGRAMS.iter().any(|p| is(call, p));
    writes && (below || is(call, "sqlite3"))
}

fn is(call: &Invocation, program: &str) -> bool {
    call.words.program() == program.as_bytes()
}

/// What it would write; `None` where that is not known.
pub(super) fn asked(call: &Invocation, context: &Context) -> Option<Vec<Asked>> {
    // A shell may still make other words of these.
    let is_open =
        |word: &BString| !word.starts_with(b"-") && word.find_byteset(b"*?[$~`").is_some();
    let is_text = call.line.is_some() && call.words.argv().iter().any(is_open);
    if is_text || !call.effects.iter().any(|effect| answers(effect, call)) {
        return None;
    }
    let words = &call.words;
    let here = super::here(call, context)?;
    let stand = words.stands().first().cloned().unwrap_or_default();
    let stand = absolute(Some(&here), &stand.to_path_lossy());
    let found = match words.program().as_bytes() {
        b"tar" => tar(words, &here, &stand)?,
        b"unzip" => zip(words, &here)?,
        b"patch" => patch(words, &here, &stand)?,
        b"split" => {
            let prefix = words.operands().get(1).map(|word| &word.text);
            prefixed(prefix, "x", &here)?
        }
        b"csplit" => prefixed(value(words, "--prefix"), "xx", &here)?,
        b"sqlite3" => reading(words)?,
        _ => tree(words, &here)?,
    };
    Some(found.into_iter().map(|path| (Act::Overwrites, path, Reach::Whole)).collect())
}

fn value<'w>(words: &'w Words, option: &str) -> Option<&'w BString> {
    words.flags().iter().rfind(|flag| flag.is_called(option)).and_then(|flag| flag.value.as_ref())
}

fn tar(words: &Words, here: &Path, stand: &Path) -> Option<Vec<PathBuf>> {
    let file = value(words, "--file").filter(|file| *file != "-")?;
    let mut argv = vec![OsString::from("--list"), "--show-transformed-names".into()];
    argv.push("--quoting-style=literal".into());
    argv.push("--file".into());
    argv.push(os(file));
    let listing =
        ["--exclude", "--exclude-from", "--strip-components", "--transform", "--wildcards"];
    for flag in words.flags() {
        let Some(name) = listing.iter().find(|name| flag.is_called(name)) else { continue };
        argv.push(name.into());
        argv.extend(flag.value.as_ref().map(os));
    }
    // What decides otherwise which names there are.
    let others =
        ["--files-from", "--one-top-level", "--to-command", "--exclude-vcs", "--exclude-tag"];
    if others.iter().any(|name| words.has_flag(name)) {
        return None;
    }
    argv.push("--".into());
    argv.extend(words.operands().iter().map(|word| os(&word.text)));
    Some(lines(&run("tar", here, &argv)?, stand))
}

fn zip(words: &Words, here: &Path) -> Option<Vec<PathBuf>> {
    let flat = words.has_flag("-j");
    let mut argv = vec![OsString::from("-Z1")];
    argv.extend(words.operands().iter().map(|word| os(&word.text)));
    if words.has_flag("-x") {
        return None;
    }
    let into = value(words, "-d").map(|d| d.to_path_lossy().into_owned()).unwrap_or_default();
    let into = absolute(Some(here), &into);
    let out = run("unzip", here, &argv)?;
    let mut found = lines(&out, &into);
    if flat {
        let flattened = found.iter().filter_map(|path| path.file_name().map(|n| into.join(n)));
        found = flattened.collect();
    }
    Some(found)
}

/// Every name in the patch, from each of its directories on.
fn patch(words: &Words, here: &Path, stand: &Path) -> Option<Vec<PathBuf>> {
    let file = value(words, "--input")?;
    let file = sources::open_to_read(&absolute(Some(here), &file.to_path_lossy())).ok()?;
    let mut text = Vec::new();
    file.take(PATCH).read_to_end(&mut text).ok()?;
    if text.len() as u64 == PATCH {
        return None;
    }
    let mut found = Vec::new();
    for line in text.lines() {
        let heads: [&[u8]; 4] = [b"--- ", b"+++ ", b"*** ", b"Index: "];
        let Some(name) = heads.iter().find_map(|head| line.strip_prefix(*head)) else { continue };
        let name = name.split(|b| *b == b'\t').next().unwrap_or_default();
        let parts: Vec<&[u8]> = name.split(|b| *b == b'/').collect();
        let from = |i: usize| stand.join(OsStr::from_bytes(&parts[i..].join(&b'/')));
        found.extend((0..parts.len()).map(from).filter(|path| path.is_file()));
    }
    Some(found)
}

/// What `cp -r` writes: the names of each source below the target.
fn tree(words: &Words, here: &Path) -> Option<Vec<PathBuf>> {
    let operands: Vec<&BString> = words.operands().iter().map(|word| &word.text).collect();
    let place = |word: &BString| absolute(Some(here), &word.to_path_lossy());
    let (sources, target) = match value(words, "--target-directory") {
        Some(target) => (&operands[..], target),
        None => operands.split_last().map(|(last, sources)| (sources, *last))?,
    };
    if words.has_flag("--parents") {
        return None;
    }
    let target = place(target);
    let into = target.is_dir() && !words.has_flag("--no-target-directory");
    let (mut found, mut left) = (Vec::new(), Vec::new());
    for source in sources {
        let path = place(source);
        let ends_in_dot = source.ends_with(b"/.") || *source == "." || source.ends_with(b"..");
        let to = match path.file_name().filter(|_| into && !ends_in_dot) {
            Some(name) => target.join(name),
            None => target.clone(),
        };
        left.push((path, to));
    }
    while let Some((from, to)) = left.pop() {
        // What is not there is not written to.
        if from.is_dir() && to.symlink_metadata().is_ok() {
            for entry in std::fs::read_dir(&from).ok()? {
                let name = entry.ok()?.file_name();
                left.push((from.join(&name), to.join(&name)));
            }
        }
        found.push(to);
        if found.len() + left.len() > MOST {
            return None;
        }
    }
    Some(found)
}

/// What is there whose name begins so.
fn prefixed(prefix: Option<&BString>, usual: &str, here: &Path) -> Option<Vec<PathBuf>> {
    let prefix = prefix.map_or_else(|| PathBuf::from(usual), |p| p.to_path_lossy().into_owned());
    let prefix = absolute(Some(here), &prefix);
    let (directory, begin) = match prefix.as_os_str().as_bytes().ends_with(b"/") {
        true => (prefix.as_path(), OsStr::new("")),
        false => (prefix.parent()?, prefix.file_name()?),
    };
    let names = std::fs::read_dir(directory).ok()?.filter_map(Result::ok).map(|e| e.file_name());
    let begins = |name: &OsString| name.as_bytes().starts_with(begin.as_bytes());
    Some(names.filter(begins).map(|name| directory.join(name)).collect())
}

/// Nothing, where all statements read; what comes by standard input is not known.
fn reading(words: &Words) -> Option<Vec<PathBuf>> {
    let statements = words.operands().get(1..).filter(|words| !words.is_empty())?;
    let reads = |text: &[u8]| {
        let text = text.trim().to_ascii_lowercase();
        READING.iter().any(|word| text.starts_with(word.as_bytes()))
    };
    let parts = statements.iter().flat_map(|word| word.text.split(|b| *b == b';'));
    parts.filter(|part| !part.trim().is_empty()).all(reads).then(Vec::new)
}

/// Names a line each, below a directory.
fn lines(text: &[u8], directory: &Path) -> Vec<PathBuf> {
    let names = text.lines().map(|name| name.trim_start_with(|c| c == '/'));
    names.filter(|name| !name.is_empty()).map(|n| directory.join(OsStr::from_bytes(n))).collect()
}

fn run(program: &str, at: &Path, argv: &[OsString]) -> Option<Vec<u8>> {
    let mut command = Command::new(super::behind_us(program)?);
    command.args(argv).current_dir(at).env("LC_ALL", "C");
    let _held = Held::begin();
    let ended = bounded::run(command, PATIENCE, None).ok()?;
    ended.status.is_some_and(|status| status.success()).then_some(ended.stdout)
}

fn os(text: &BString) -> OsString {
    OsString::from_vec(text.to_vec())
}
