//! What git would touch, asked of git itself: pathspecs, ignore rules and what is committed are
//! its own to know. Without an answer in time the whole work tree counts.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use bstr::{BString, ByteSlice};

use super::{Asked, real};
use crate::command::{Act, Effect, Object, Thing};
use crate::policy::Invocation;
use crate::seal::{Index, Reach};
use crate::sys::context::{Context, absolute};
use crate::sys::{Held, bounded};

/// Names of files that differ.
const DIFF: &[&str] =
    &["diff", "--name-only", "-z", "--no-ext-diff", "--no-textconv", "--no-renames"];

/// For all that is asked of it.
const PATIENCE: Duration = Duration::from_secs(2);

/// Commands that move between commits: what is committed stays under the name that it has.
const COMMITS: [&str; 4] = ["git checkout", "git switch", "git merge", "git rebase"];

/// Does git know better than the description what undergoes this?
pub(super) fn answers(effect: &Effect, call: &Invocation) -> bool {
    let thing = matches!(effect.on, Object::Thing(Thing::Worktree | Thing::Untracked));
    let of_paths = matches!(call.words.path(), "git clean" | "git rm");
    let deletes = of_paths && effect.act == Act::Deletes;
    call.words.is_program("git") && (thing || deletes || effect.act == Act::Resets)
}

/// May it put other files in the place of those in the work tree? Also where the description
/// names nothing that is lost.
fn may_touch(call: &Invocation) -> bool {
    let moves = COMMITS.iter().any(|path| call.words.path() == *path);
    call.words.is_program("git") && (moves || call.effects.iter().any(|e| answers(e, call)))
}

/// The work trees that a call of git works in.
pub(super) fn roots(call: &Invocation, context: &Context) -> Vec<PathBuf> {
    let mut roots: Vec<PathBuf> = Vec::new();
    for stand in stands(call, context) {
        let root = stand.ancestors().find(|dir| dir.join(".git").symlink_metadata().is_ok());
        let root = root.map_or(stand.clone(), Path::to_owned);
        if !roots.contains(&root) {
            roots.push(root);
        }
    }
    roots
}

/// Directories in which it works.
fn stands(call: &Invocation, context: &Context) -> Vec<PathBuf> {
    let stands = call.words.stands();
    let from = |here: PathBuf| {
        let real = |at: &BString| real(&absolute(Some(&here), &at.to_path_lossy()));
        stands.iter().map(real).collect::<Vec<_>>()
    };
    super::starts(call, context).into_iter().flat_map(from).collect()
}

/// What it would touch; `None` where it is not asked or does not say.
pub(super) fn asked(call: &Invocation, context: &Context, index: &Index<'_>) -> Option<Vec<Asked>> {
    // It writes what it finds in other commits, one after the other.
    if !may_touch(call) || call.words.path() == "git filter-branch" {
        return None;
    }
    let stands = stands(call, context);
    // With a place and a work tree of different options there are several answers: all of it.
    let [stand] = stands.as_slice() else { return None };
    let mut git =
        Git { program: super::behind_us("git")?, stand: stand.clone(), root: stand.clone() };
    let root = git.run(&["rev-parse".into(), "--show-toplevel".into()], stand)?;
    git.root = PathBuf::from(OsStr::from_bytes(root.trim_end_with(|c| c == '\n')));
    if !stand.starts_with(&git.root) {
        git.stand.clone_from(&git.root);
    }
    if !is_near(&git.root, index) {
        return Some(Vec::new());
    }
    let words = &call.words;
    let found = match words.path() {
        "git clean" => git.cleaned(call)?,
        "git rm" => {
            let paths = words.operands().iter().map(|word| os(&word.text));
            git.list(&[&["ls-files", "-z", "--full-name", "--"]], paths)?
        }
        "git apply" => git.patched(call)?,
        path => {
            let mut found = git.reset(call)?;
            if COMMITS.contains(&path) {
                found.extend(git.moved(call));
            }
            found
        }
    };
    let act = if words.path() == "git rm" { Act::Deletes } else { Act::Resets };
    Some(found.into_iter().map(|path| (act, path, Reach::Whole)).collect())
}

/// The command that an alias stands for, as argv.
pub(super) fn alias(call: &Invocation, context: &Context) -> Option<Vec<BString>> {
    let words = &call.words;
    if !words.is_program("git") || words.path() != "git" {
        return None;
    }
    let name = words.words().first()?;
    let argv = words.argv();
    let at = argv.iter().position(|word| *word == name.text)?;
    let program = super::behind_us("git")?;
    let stand = stands(call, context).first()?.clone();
    let git = Git { program, root: stand.clone(), stand: stand.clone() };
    let globals = argv.get(1..at)?;
    let mut ask: Vec<OsString> = globals.iter().map(os).collect();
    ask.extend(["config".into(), "--get".into(), format!("alias.{}", name.text).into()]);
    // The directory is where `-C` in it leads from.
    let here = absolute(context.cwd.as_deref(), Path::new(""));
    let text = git.run(&ask, &here)?;
    let text = BString::from(text.trim());
    let rest = argv.get(at + 1..)?;
    if let Some(shell) = text.strip_prefix(b"!") {
        let shell = [shell, b" \"$@\""].concat();
        let argv = ["sh".into(), "-c".into(), shell.into(), "git".into()];
        return Some(argv.into_iter().chain(rest.iter().cloned()).collect());
    }
    let expanded = crate::line::split(&text.to_str_lossy());
    let program = argv.first()?.clone();
    let all = std::iter::once(program).chain(globals.iter().cloned());
    Some(all.chain(expanded).chain(rest.iter().cloned()).collect())
}

/// What git ignores below a directory; nothing where there is no repository.
pub(super) fn ignored(directory: &Path) -> Vec<PathBuf> {
    let is_in_repository = directory.ancestors().any(|dir| dir.join(".git").exists());
    let program = super::behind_us("git").filter(|_| is_in_repository);
    let Some(program) = program else { return Vec::new() };
    let git = Git { program, root: directory.to_owned(), stand: directory.to_owned() };
    let words: [&[&str]; 1] =
        [&["ls-files", "-z", "-o", "-i", "--exclude-standard", "--directory"]];
    // A directory's name ends in `/`, which paths do not have.
    git.list(&words, [])
        .unwrap_or_default()
        .iter()
        .map(|path| path.components().collect())
        .collect()
}

/// Is anything sealed in the tree, or the tree in something sealed?
fn is_near(root: &Path, index: &Index<'_>) -> bool {
    let path = root.as_os_str().as_bytes();
    let above = || root.ancestors().any(|a| index.of(a.as_os_str().as_bytes()) != Ok(Vec::new()));
    index.below(path) != Ok(None) || above()
}

struct Git {
    program: PathBuf,
    /// Of the work tree.
    root: PathBuf,
    /// Where it works.
    stand: PathBuf,
}

impl Git {
    /// Files that a reset of the work tree, or of paths in it, would bring back.
    fn reset(&self, call: &Invocation) -> Option<Vec<PathBuf>> {
        let words = &call.words;
        let resets = call.effects.iter().filter(|e| answers(e, call));
        let mut pathspecs: Vec<OsString> = Vec::new();
        let (mut whole, mut any) = (false, false);
        let mut found = Vec::new();
        for effect in resets {
            match &effect.on {
                Object::Thing(Thing::Worktree) => (whole, any) = (true, true),
                Object::Thing(Thing::Untracked) => {
                    let ignored = words.has_flag("--all");
                    let standard: &[&str] = if ignored { &[] } else { &["--exclude-standard"] };
                    found.extend(
                        self.list(&[&["ls-files", "-z", "-o", "--full-name"], standard], [])?,
                    );
                }
                Object::Path(path)
                | Object::Only(path)
                | Object::Below(path)
                | Object::Among(path) => {
                    any = true;
                    pathspecs.push(os(&self.own(path, call)));
                }
                Object::Thing(_) | Object::Program(_) => {}
            }
        }
        if !any {
            return Some(found);
        }
        if whole {
            pathspecs.clear();
        }
        found.extend(self.differing(None, &pathspecs)?);
        found.extend(self.differing(Some("HEAD"), &pathspecs).unwrap_or_default());
        if !whole || !COMMITS.contains(&words.path()) {
            // What is no commit is a path, and git says so.
            let from = words.flags().iter().filter(|f| f.is_called("--source"));
            let from = from.filter_map(|flag| flag.value.as_ref());
            let first = words.operands().first().map(|word| &word.text);
            for commit in from.chain(first).filter_map(|c| c.to_str().ok()) {
                found.extend(self.differing(Some(commit), &pathspecs).unwrap_or_default());
            }
        }
        Some(found)
    }

    /// An effect's path as it was typed: from where the command works.
    fn own(&self, path: &BString, call: &Invocation) -> BString {
        let mut own = path.clone();
        let stand = call.words.stands().first().cloned().unwrap_or_default();
        let locations = || call.locations.iter().map(|location| &location.path);
        let behind = |own: &BString, before: &BString| -> Option<BString> {
            let rest = own.strip_prefix(before.as_slice())?.strip_prefix(b"/")?;
            (!before.is_empty()).then(|| rest.into())
        };
        if let Some(rest) = locations().find_map(|before| behind(&own, before)) {
            own = rest;
        }
        if let Some(rest) = behind(&own, &stand) {
            own = rest;
        }
        own
    }

    /// Files that a move to another commit would overwrite although no commit has them, or would
    /// take away where no name leads back to the commit that has them.
    fn moved(&self, call: &Invocation) -> Vec<PathBuf> {
        let Some(first) = call.words.operands().first() else { return Vec::new() };
        let Ok(target) = first.text.to_str() else { return Vec::new() };
        let kept = |words: &[&str]| {
            let words: Vec<OsString> = words.iter().map(OsString::from).collect();
            self.run(&words, &self.root).is_some_and(|out| !out.is_empty())
        };
        // A branch keeps what it names; without one another ref has to.
        let is_kept = kept(&["symbolic-ref", "-q", "HEAD"])
            || kept(&["for-each-ref", "--contains", "HEAD", "--count=1"]);
        let filter: &[&str] = if is_kept { &["--diff-filter=A"] } else { &[] };
        let words = [DIFF, filter, &["HEAD", target, "--"]];
        self.list(&words, []).unwrap_or_default()
    }

    /// What a patch would change.
    fn patched(&self, call: &Invocation) -> Option<Vec<PathBuf>> {
        let words = &call.words;
        if words.operands().is_empty() {
            return None; // It comes by standard input.
        }
        let reading = ["--check", "--stat", "--numstat", "--summary"];
        if reading.iter().any(|f| words.has_flag(f)) && !words.has_flag("--apply") {
            return Some(Vec::new());
        }
        let mut argv: Vec<OsString> = vec!["apply".into(), "--numstat".into(), "-z".into()];
        for flag in words.flags() {
            for name in ["-p", "--directory", "--exclude", "--include"] {
                if let Some(value) = flag.value.as_ref().filter(|_| flag.is_called(name)) {
                    let glue = if name == "-p" { "" } else { "=" };
                    argv.push(format!("{name}{glue}{value}").into());
                }
            }
            argv.extend(flag.is_called("--reverse").then(|| "--reverse".into()));
        }
        argv.push("--".into());
        argv.extend(words.operands().iter().map(|word| os(&word.text)));
        let out = self.run(&argv, &self.stand)?;
        let names = out.split(|b| *b == 0).filter_map(|row| row.splitn(3, |b| *b == b'\t').nth(2));
        let both =
            |name: &[u8]| [&self.root, &self.stand].map(|at| at.join(OsStr::from_bytes(name)));
        Some(names.flat_map(both).collect())
    }

    /// Files that are not as in the commit, or as in the index.
    fn differing(&self, commit: Option<&str>, pathspecs: &[OsString]) -> Option<Vec<PathBuf>> {
        let commit: Vec<&str> = commit.into_iter().collect();
        self.list(&[DIFF, &commit, &["--"]], pathspecs.iter().cloned())
    }

    /// `git clean` as it is, but dry.
    fn cleaned(&self, call: &Invocation) -> Option<Vec<PathBuf>> {
        let words = &call.words;
        let mut argv = vec![OsString::from("clean"), "--dry-run".into()];
        argv.extend(["-d", "-x", "-X"].iter().filter(|f| words.has_flag(f)).map(OsString::from));
        let forces = words.flags().iter().filter(|flag| flag.is_called("--force")).count();
        argv.extend(vec!["--force".into(); forces]);
        for flag in words.flags().iter().filter(|flag| flag.is_called("--exclude")) {
            argv.push("--exclude".into());
            argv.push(os(flag.value.as_ref()?));
        }
        argv.push("--".into());
        argv.extend(words.operands().iter().map(|word| os(&word.text)));
        let out = self.run(&argv, &self.stand)?;
        let lines = out.lines().filter_map(|line| line.strip_prefix(b"Would remove "));
        let path = |line: &[u8]| self.stand.join(OsStr::from_bytes(&unquoted(line)));
        Some(lines.map(path).collect())
    }

    /// Paths that end in NUL, from the root of the work tree.
    fn list(
        &self,
        words: &[&[&str]],
        more: impl IntoIterator<Item = OsString>,
    ) -> Option<Vec<PathBuf>> {
        let words = words.iter().copied().flatten().map(OsString::from);
        let out = self.run(&words.chain(more).collect::<Vec<_>>(), &self.stand)?;
        let paths = out.split(|b| *b == 0).filter(|path| !path.is_empty());
        Some(paths.map(|path| self.root.join(OsStr::from_bytes(path))).collect())
    }

    fn run(&self, words: &[OsString], at: &Path) -> Option<Vec<u8>> {
        let mut command = Command::new(&self.program);
        command.current_dir(at).env("GIT_OPTIONAL_LOCKS", "0").env("LC_ALL", "C");
        // Nothing that a repository's configuration names is run.
        command.args(["-c", "core.quotePath=false", "-c", "core.fsmonitor=false"]).args(words);
        let _held = Held::begin();
        let ended = bounded::run(command, PATIENCE, None).ok()?;
        ended.status.is_some_and(|status| status.success()).then_some(ended.stdout)
    }
}

/// Git quotes names with control characters as C does.
fn unquoted(path: &[u8]) -> Vec<u8> {
    let Some(quoted) = path.strip_prefix(b"\"").and_then(|p| p.strip_suffix(b"\"")) else {
        return path.to_vec();
    };
    let (mut rest, mut found) = (quoted.iter().copied(), Vec::new());
    while let Some(byte) = rest.next() {
        if byte != b'\\' {
            found.push(byte);
            continue;
        }
        found.push(match rest.next() {
            Some(b'n') => b'\n',
            Some(b't') => b'\t',
            Some(b'r') => b'\r',
            Some(b'a') => 7,
            Some(b'b') => 8,
            Some(b'v') => 11,
            Some(b'f') => 12,
            Some(first @ b'0'..=b'7') => {
                let mut digit = || rest.next().unwrap_or(b'0').saturating_sub(b'0');
                (first - b'0')
                    .wrapping_mul(64)
                    .wrapping_add(digit().wrapping_mul(8))
                    .wrapping_add(digit())
            }
            Some(other) => other,
            None => break,
        });
    }
    found
}

fn os(text: &BString) -> OsString {
    OsString::from_vec(text.to_vec())
}
