//! Globs of `[[protect]]` → what is there of them now, as seals are filed.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use bstr::{BString, ByteSlice};

use super::{bytes, in_real_directory};
use crate::policy::{Layer, Origin, Protect, matches_name};
use crate::seal::{Class, Entry, Holds, Mark, Object, Seal, SealId, Standing, Tier};
use crate::sys::context::{Context, absolute};

/// Names that one glob is tried on; beyond them all of its directory is protected.
const TRIED: usize = 10_000;

/// What is protected now, and what is to be said of it.
pub fn protected(protects: &[Protect], context: &Context) -> Vec<(Entry, Seal)> {
    let mut found = Vec::new();
    for protect in protects {
        for path in &protect.paths {
            for path in places(path, protect, context) {
                for path in there(&path) {
                    let id = SealId(found.len() as u64);
                    found.extend(one(&path, protect, id));
                }
            }
        }
    }
    found
}

/// Without the ledger nothing would be known to be sealed.
pub fn own(context: &Context) -> Option<Protect> {
    let state = context.state()?.to_str()?.to_owned();
    let origin =
        Origin { layer: Layer::System, file: String::new(), shown: state.clone(), line: 0 };
    Some(Protect {
        origin,
        paths: vec![state],
        reason: Some("it holds what is sealed".to_owned()),
        alternative: None,
        tier: Tier::Hard,
    })
}

/// Where a glob begins: `~`, the file's own directory in a project, else where the call is made.
fn places(path: &str, protect: &Protect, context: &Context) -> Vec<PathBuf> {
    if let Some(rest) = path.strip_prefix("~/") {
        return context.homes().iter().map(|home| home.join(rest)).collect();
    }
    let file = Path::new(&protect.origin.file);
    let base = match protect.origin.layer {
        Layer::Project => file.parent(),
        _ => context.cwd.as_deref(),
    };
    vec![absolute(base, Path::new(path))]
}

/// The paths that a glob is of now. `data/**` is `data` and all that is in it, then as well.
fn there(glob: &Path) -> Vec<PathBuf> {
    let parts: Vec<&OsStr> = glob.iter().collect();
    let is_glob = |part: &&OsStr| part.as_bytes().find_byteset(b"*?[").is_some();
    let literal = parts.iter().position(is_glob).unwrap_or(parts.len());
    let (base, rest) = parts.split_at(literal);
    let base: PathBuf = base.iter().collect();
    if rest.is_empty() || rest == [OsStr::new("**")] {
        return vec![base];
    }
    let (mut found, mut tried) = (Vec::new(), 0);
    walk(&base, rest, &mut found, &mut tried);
    if tried > TRIED { vec![base] } else { found }
}

fn walk(directory: &Path, parts: &[&OsStr], found: &mut Vec<PathBuf>, tried: &mut usize) {
    let Some((part, rest)) = parts.split_first() else { return };
    let is_deep = part.as_bytes() == b"**";
    if is_deep && rest.is_empty() {
        return found.push(directory.to_owned());
    }
    if is_deep {
        walk(directory, rest, found, tried);
    }
    for entry in std::fs::read_dir(directory).into_iter().flatten().filter_map(Result::ok) {
        *tried += 1;
        if *tried > TRIED {
            return;
        }
        let is_directory = entry.file_type().is_ok_and(|kind| kind.is_dir());
        let fits = !is_deep && matches_name(part.as_bytes(), entry.file_name().as_bytes());
        if fits && rest.is_empty() {
            found.push(entry.path());
        } else if is_directory && (is_deep || fits) {
            walk(&entry.path(), if is_deep { parts } else { rest }, found, tried);
        }
    }
}

/// As a seal: what is not there cannot be lost.
fn one(path: &Path, protect: &Protect, id: SealId) -> Option<(Entry, Seal)> {
    let real = in_real_directory(path);
    let seen = real.symlink_metadata().ok()?;
    let followed = path.metadata().ok();
    let holds = match followed.is_some_and(|f| f.is_dir()) {
        true => Holds::Whatever,
        false => Holds::Nothing,
    };
    let target = if seen.is_symlink() { real.canonicalize().ok() } else { None };
    let inode = (seen.dev(), seen.ino());
    let mark = Mark { id, class: Class::Kept, tier: protect.tier, holds };
    let (path, target): (BString, _) = (bytes(&real), target.as_deref().map(bytes));
    let entry = Entry { path: path.clone(), target, inode: seen.is_file().then_some(inode), mark };
    let seal = Seal {
        id,
        path,
        target: None,
        class: Class::Kept,
        tier: protect.tier,
        object: Object::Link { to: BString::default() },
        inode,
        reason: protect.reason.clone(),
        alternative: protect.alternative.clone(),
        at_ms: 0,
        session: String::new(),
        standing: Standing::Live,
        check: None,
        origin: Some(match &protect.origin {
            Origin { line: 0, shown, .. } => shown.clone(),
            Origin { line, shown, .. } => format!("{shown}:{line}"),
        }),
    };
    Some((entry, seal))
}
