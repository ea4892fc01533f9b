//! Effects as typed → paths as they are on the disk now: links followed where the act follows
//! them, what is there and what is not, what a line's globs find.

use std::ffi::OsStr;
use std::fs::Metadata;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use bstr::{BString, ByteSlice};

use super::context::{Context, absolute};
use super::executed::Executed;
use crate::command::{Act, Effect, Object, Thing};
use crate::policy::{Invocation, Location, Operand, interpreted, matches_name};
use crate::seal::{Index, Presence, Reach, Touch};

mod find;
mod git;
mod listed;
mod protect;

pub use protect::{own, protected};

/// Names that one component of a line's glob may stand for.
const FOUND: usize = 10_000;

/// What a program said that it would touch.
type Asked = (Act, PathBuf, Reach);

/// A path that a call touches, and the word that it comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Touched {
    pub touch: Touch,
    pub typed: BString,
}

/// What a call touches of what is sealed, or may. What is far from any seal may be left out.
pub fn of_call(call: &Invocation, context: &Context, index: &Index<'_>) -> Vec<Touched> {
    let mut found = Vec::new();
    let by_git = git::asked(call, context, index);
    let by_find = find::asked(call, context, index);
    let listed = listed::asked(call, context);
    for (act, path, reach) in by_git.iter().chain(&by_find).chain(&listed).flatten() {
        add(path, path.as_os_str().as_bytes(), *act, *reach, &mut found);
    }
    for effect in call.effects.iter().filter(|effect| effect.act.destroys()) {
        // Whom we could ask has answered better; what its line writes is told only here.
        let is_answered = by_git.is_some() && git::answers(effect, call)
            || by_find.is_some() && find::answers(effect, call)
            || listed.is_some() && listed::answers(effect, call);
        if is_answered {
            continue;
        }
        match &effect.on {
            Object::Path(path) | Object::Only(path) | Object::Below(path) | Object::Among(path) => {
                named(path, effect, call, context, &mut found);
            }
            Object::Thing(Thing::Worktree | Thing::Untracked) => {
                for root in git::roots(call, context) {
                    let path = root.as_os_str().as_bytes();
                    // Whatever is done to a whole work tree takes back what is in it.
                    add(&root, path, Act::Resets, Reach::Whole, &mut found);
                }
            }
            Object::Thing(_) | Object::Program(_) => {}
        }
    }
    let script = script(call);
    for (script, start) in
        script.iter().flat_map(|s| starts(call, context).into_iter().map(move |at| (s, at)))
    {
        let (act, path) =
            (Act::Runs, bytes(&real(&absolute(Some(&start), &script.to_path_lossy()))));
        let (presence, reach) = (Presence::File, Reach::Alone);
        found.push(Touched {
            touch: Touch { act, path, presence, inode: None, reach },
            typed: script.clone(),
        });
    }
    found
}

/// The file that a call runs: by its path, or as its interpreter's script.
pub fn script(call: &Invocation) -> Option<BString> {
    let argv = call.words.argv();
    match interpreted(argv) {
        Some(Operand::Script(script)) => Some(script.into()),
        Some(_) => None,
        None => argv.first().filter(|program| program.contains(&b'/')).cloned(),
    }
}

/// A path of an effect, and what a shell makes of it where a line was seen.
fn named(
    typed: &BString,
    effect: &Effect,
    call: &Invocation,
    context: &Context,
    found: &mut Vec<Touched>,
) {
    let reach = match effect.on {
        Object::Below(_) | Object::Among(_) => Reach::Inside,
        Object::Only(_) => Reach::Alone,
        _ => Reach::Whole,
    };
    for path in places(typed, call, context) {
        // A directory that holds something is not removed alone.
        let is_held = path.symlink_metadata().is_ok_and(|s| s.is_dir()) && !is_empty(&path);
        if reach == Reach::Alone && effect.act.removes() && is_held {
            continue;
        }
        add(&path, typed, effect.act, reach, found);
    }
}

/// Where a call is made, if its line leaves no doubt.
fn here(call: &Invocation, context: &Context) -> Option<PathBuf> {
    match call.locations.as_slice() {
        [] => Some(absolute(context.cwd.as_deref(), Path::new(""))),
        [location] if !location.is_unknown() => starts(call, context).pop(),
        _ => None,
    }
}

/// Each place where a call may be made.
fn starts(call: &Invocation, context: &Context) -> Vec<PathBuf> {
    let start = Location::default();
    let all = call.locations.iter().chain(call.locations.is_empty().then_some(&start));
    all.flat_map(|location| places(&location.path, call, context)).collect()
}

/// Where a typed path may be.
fn places(typed: &BString, call: &Invocation, context: &Context) -> Vec<PathBuf> {
    let path = typed.to_path_lossy();
    let plain = absolute(context.cwd.as_deref(), &path);
    if call.line.is_none() {
        return vec![plain];
    }
    let homes = context.homes();
    let rest = ["~", "$HOME", "${HOME}"].iter().find_map(|sign| {
        let rest = typed.strip_prefix(sign.as_bytes())?;
        (rest.is_empty() || rest.starts_with(b"/")).then_some(rest)
    });
    let rest_here =
        ["$PWD/", "${PWD}/"].iter().find_map(|sign| typed.strip_prefix(sign.as_bytes()));
    if let Some(rest) = rest_here {
        // Behind a `cd` it was joined to where that leads.
        return globbed(absolute(context.cwd.as_deref(), Path::new(OsStr::from_bytes(rest))));
    }
    let plain = match rest {
        Some(rest) => {
            let rest = Path::new(OsStr::from_bytes(rest.strip_prefix(b"/").unwrap_or(rest)));
            homes.iter().map(|home| home.join(rest)).collect()
        }
        None => vec![plain],
    };
    plain.into_iter().flat_map(globbed).collect()
}

/// The paths that a shell finds for a glob; itself, where it is none or finds nothing.
fn globbed(path: PathBuf) -> Vec<PathBuf> {
    let is_glob = |part: &[u8]| part.find_byteset(b"*?[").is_some();
    if !is_glob(path.as_os_str().as_bytes()) || path.symlink_metadata().is_ok() {
        return vec![path];
    }
    let mut at = vec![PathBuf::from("/")];
    for part in path.as_os_str().as_bytes().split_str(b"/").filter(|part| !part.is_empty()) {
        if !is_glob(part) {
            at.iter_mut().for_each(|dir| dir.push(OsStr::from_bytes(part)));
            continue;
        }
        let fits = |name: &std::ffi::OsString| {
            let name = name.as_bytes();
            (!name.starts_with(b".") || part.starts_with(b".")) && matches_name(part, name)
        };
        let names = |dir: &PathBuf| -> Vec<PathBuf> {
            let entries = std::fs::read_dir(dir).into_iter().flatten().filter_map(Result::ok);
            entries.map(|e| e.file_name()).filter(fits).map(|name| dir.join(name)).collect()
        };
        at = at.iter().flat_map(names).take(FOUND).collect();
    }
    if at.is_empty() { vec![path] } else { at }
}

fn add(path: &Path, typed: &[u8], act: Act, reach: Reach, found: &mut Vec<Touched>) {
    let own = in_real_directory(path);
    let mut push = |path: &Path, seen: Option<&Metadata>, reach| {
        let touch = Touch {
            act,
            path: path.as_os_str().as_bytes().into(),
            presence: presence(seen),
            inode: seen.filter(|s| s.is_file() && s.nlink() > 1).map(|s| (s.dev(), s.ino())),
            reach,
        };
        let touched = Touched { touch, typed: typed.into() };
        if !found.contains(&touched) {
            found.push(touched);
        }
    };
    let seen = own.symlink_metadata().ok();
    let is_directory = seen.as_ref().is_some_and(Metadata::is_dir);
    let reach_of = |is_directory: bool| match reach {
        Reach::Whole if is_directory && !act.writes() => Reach::Whole,
        Reach::Whole => Reach::Alone,
        other => other,
    };
    if reach == Reach::Alone && act.writes() {
        // The name gets another file: what a link leads to and other names keep theirs.
        let is_into = path.is_dir() && !is_directory;
        let touch = Touch {
            act,
            path: bytes(&own),
            presence: presence(seen.as_ref()),
            inode: None,
            reach: Reach::Alone,
        };
        let touched = Touched { touch, typed: typed.into() };
        if !is_into && !found.contains(&touched) {
            found.push(touched);
        }
        return;
    }
    if !seen.as_ref().is_some_and(|s| s.is_symlink()) {
        return push(&own, seen.as_ref(), reach_of(is_directory));
    }
    // A link itself is deleted and moved, not what it leads to.
    let typed_as_directory = typed.ends_with(b"/") || typed.ends_with(b"/.");
    let is_itself = act.removes() && reach != Reach::Inside && !typed_as_directory;
    push(&own, seen.as_ref(), Reach::Alone);
    if !is_itself {
        let target = real(&own);
        let seen = target.symlink_metadata().ok();
        let is_directory = seen.as_ref().is_some_and(Metadata::is_dir);
        push(&target, seen.as_ref(), reach_of(is_directory));
    }
}

fn is_empty(directory: &Path) -> bool {
    std::fs::read_dir(directory).is_ok_and(|mut entries| entries.next().is_none())
}

fn presence(seen: Option<&Metadata>) -> Presence {
    match seen {
        None => Presence::Absent,
        Some(seen) if seen.is_dir() => Presence::Directory,
        Some(_) => Presence::File,
    }
}

/// The directory without links, and the name as it is.
pub fn in_real_directory(path: &Path) -> PathBuf {
    match (path.parent(), path.file_name()) {
        (Some(directory), Some(name)) => real(directory).join(name),
        // It ends in `..`, or is `/`.
        _ => real(path),
    }
}

/// Without links and `..`, as far as it is there; of the rest the text alone.
pub fn real(path: &Path) -> PathBuf {
    if let Ok(real) = path.canonicalize() {
        return real;
    }
    match (path.parent(), path.file_name()) {
        (Some(directory), Some(name)) => real(directory).join(name),
        (Some(directory), None) => {
            let mut directory = real(directory);
            directory.pop();
            directory
        }
        _ => path.to_owned(),
    }
}

/// A path as the ledger has it.
pub fn bytes(path: &Path) -> BString {
    path.as_os_str().as_bytes().into()
}

/// Is the path the directory, or in it?
pub fn is_within(path: &[u8], directory: &Path) -> bool {
    Path::new(OsStr::from_bytes(path)).starts_with(directory)
}

/// The argv that an alias of git stands for.
pub fn alias(call: &Invocation, context: &Context) -> Option<Vec<BString>> {
    git::alias(call, context)
}

/// Is something there, a broken link included?
pub fn is_there(path: &Path) -> bool {
    path.symlink_metadata().is_ok()
}

/// Is it a directory, and no link to one?
pub fn is_directory(path: &Path) -> bool {
    path.symlink_metadata().is_ok_and(|seen| seen.is_dir())
}

/// The work tree of git that a directory is in.
pub fn work_tree(directory: &Path) -> Option<PathBuf> {
    let is_root = |dir: &&Path| dir.join(".git").symlink_metadata().is_ok();
    directory.ancestors().find(is_root).map(real)
}

/// Is it in a directory for what does not last? Whoever works in one, or around it, keeps his
/// work there.
pub fn is_scratch(path: &Path, cwd: Option<&Path>) -> bool {
    let own = std::env::var_os("TMPDIR").map(PathBuf::from).filter(|dir| dir.is_absolute());
    let zones = own.into_iter().chain(["/tmp", "/var/tmp"].map(PathBuf::from));
    let is_own = |zone: &PathBuf| cwd.is_some_and(|c| c.starts_with(zone) || zone.starts_with(c));
    let is_in = |zone: &PathBuf| path.starts_with(zone) && !is_own(zone);
    zones.map(|zone| real(&zone)).any(|zone| is_in(&zone))
}

/// What git ignores below a directory.
pub fn ignored(directory: &Path) -> Vec<PathBuf> {
    git::ignored(directory)
}

/// The program behind us on PATH: it answers what would be touched.
fn behind_us(name: &str) -> Option<PathBuf> {
    let us = Executed::find(&[]);
    let program = super::program::anywhere(OsStr::new(name), &us).ok()?;
    (!program.is_shim).then(|| PathBuf::from(OsStr::from_bytes(program.path.to_bytes())))
}
