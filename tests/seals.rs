//! What is sealed stays as it was, and nothing else is refused: the list in
//! `tests/cases/seals.toml`, run for real. Each row twice in a directory of its own: without
//! embargo, where a destructive one destroys, and through the shims, where it does not.

mod common;

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use common::{EMBARGO, World};
use embargo::seal::Class;
use embargo::sys::evidence::{self, Filter};
use embargo::sys::home::{HomeRecord, RECORD};
use embargo::sys::{ledger, touch};
use serde::Deserialize;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    case: Vec<Row>,
    edge: Vec<Row>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    name: String,
    #[serde(default)]
    needs: Vec<String>,
    setup: String,
    seal: Vec<String>,
    #[serde(rename = "as", default = "output")]
    class: String,
    run: String,
    #[serde(rename = "in", default = "here")]
    at: String,
    destroys: bool,
    shows: Option<String>,
    #[serde(default = "shim")]
    door: String,
    why: Option<String>,
}

fn output() -> String {
    "output".to_owned()
}

fn here() -> String {
    ".".to_owned()
}

fn shim() -> String {
    "shim".to_owned()
}

const STATE: &str = "home/.local/state/embargo";

/// A world without rows, for what the common module has besides.
const _: fn() -> World = World::new;

/// What came of one row.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Came {
    AsItShould,
    /// A program is not here.
    LeftOut(String),
    /// Destroyed although sealed.
    Lost(String),
    /// Refused although harmless.
    RefusedForNothing(String),
    /// The row itself does not do what it says.
    Wrong(String),
}

#[test]
fn what_is_sealed_stays_and_nothing_else_is_refused() {
    let table: Table = toml::from_str(include_str!("cases/seals.toml")).expect("the table parses");
    let rows: Vec<(&Row, bool)> =
        table.case.iter().map(|r| (r, true)).chain(table.edge.iter().map(|r| (r, false))).collect();
    let only = std::env::var("SEALS_ONLY").ok();
    let root = tempfile::Builder::new()
        .prefix("seals-")
        .tempdir_in(env!("CARGO_TARGET_TMPDIR"))
        .expect("a directory");
    let root = root.path().canonicalize().expect("there");
    let names = guarded(&root);
    let (next, found) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(2, usize::from) {
            scope.spawn(|| {
                while let Some((row, counts)) = rows.get(next.fetch_add(1, Ordering::Relaxed)) {
                    if only.as_ref().is_some_and(|only| !row.name.contains(only.as_str())) {
                        continue;
                    }
                    let came = run(row, &root.join(&row.name), &names);
                    found.lock().expect("whole").push((*row, *counts, came));
                }
            });
        }
    });
    let mut found = found.into_inner().expect("whole");
    found.sort_by_key(|(row, ..)| &row.name);
    let mut report = String::new();
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for (row, is_counted, came) in &found {
        let kind = match (is_counted, row.destroys) {
            (false, _) => "edge",
            (true, true) => "destructive",
            (true, false) => "harmless",
        };
        let what = match came {
            Came::AsItShould => "as it should",
            Came::LeftOut(_) => "left out",
            Came::Lost(_) => "lost",
            Came::RefusedForNothing(_) => "refused for nothing",
            Came::Wrong(_) => "wrong",
        };
        let key: &'static str = Box::leak(format!("{kind}: {what}").into_boxed_str());
        *counts.entry(key).or_default() += 1;
        if *came != Came::AsItShould {
            let why = row.why.as_deref().unwrap_or("plain");
            report += &format!("{kind} {} ({why}): `{}`\n  {came:?}\n", row.name, row.run);
        }
    }
    eprintln!("{report}{counts:#?}");
    let count = |key: &str| counts.get(key).copied().unwrap_or_default();
    let total = |kind: &str| -> usize {
        counts.iter().filter(|(k, _)| k.starts_with(kind)).map(|(_, n)| n).sum::<usize>()
            - count(&format!("{kind}: left out"))
    };
    if only.is_none() {
        assert!(total("destructive") >= 120 && total("harmless") >= 120, "{counts:?}");
    }
    assert_eq!(count("destructive: lost"), 0, "what is sealed was lost");
    assert_eq!(count("destructive: wrong") + count("harmless: wrong"), 0, "rows are wrong");
    let refused = count("harmless: refused for nothing");
    assert!(refused * 100 <= total("harmless"), "{refused} harmless ones were refused");
}

/// The names that `shim sync` makes shims of as soon as something is sealed.
fn guarded(root: &Path) -> Vec<String> {
    let place = root.join("names");
    fs::create_dir_all(place.join("w")).expect("a directory");
    fs::create_dir_all(place.join("home")).expect("a directory");
    fs::write(place.join("w/x"), "x").expect("a file");
    let embargo = |words: &[&str]| {
        let mut command = Command::new(EMBARGO);
        command.args(words);
        ran(command, &place.join("w"), &place, Path::new(""))
    };
    let sealed = embargo(&["seal", "x"]);
    let made = embargo(&["shim", "sync", "--dir", "../shims"]);
    let names = fs::read_dir(place.join("shims")).expect("shims").filter_map(Result::ok);
    let names = names.map(|entry| entry.file_name().into_string().expect("text"));
    let names: Vec<String> = names.filter(|name| !name.starts_with('.')).collect();
    assert!(names.contains(&"rm".to_owned()), "{sealed}{made}");
    names
}

fn run(row: &Row, place: &Path, names: &[String]) -> Came {
    if let Some(program) = row.needs.iter().find(|name| !is_there(name)) {
        return Came::LeftOut(program.clone());
    }
    let control = place.join("control");
    if let Err(why) = set_up(row, &control) {
        return Came::Wrong(why);
    }
    let before = picture(row, &control);
    if before.iter().any(|(_, what)| what == "nothing") {
        return Came::Wrong(format!("nothing is there to be sealed: {before:?}"));
    }
    let text = bash(row, &control, &PathBuf::new());
    if row.destroys && row.door == "shim" && picture(row, &control) == before {
        return Came::Wrong(format!("without embargo it destroys nothing: {text}"));
    }
    if let Some(shows) = row.shows.as_ref().filter(|_| row.door == "shim")
        && !sh(shows, &control)
    {
        return Came::Wrong(format!("without embargo it does not show what it should: {text}"));
    }
    let guarded = place.join("guarded");
    if let Err(why) = set_up(row, &guarded) {
        return Came::Wrong(why);
    }
    let shims = seal(row, &guarded, names);
    let before = picture(row, &guarded);
    if row.door == "line" {
        return by_line(row, &guarded, &shims);
    }
    let text = bash(row, &guarded, &shims);
    // What is told may have gone to /dev/null: the evidence knows.
    let told = text.contains("[embargo refused") || text.contains("[embargo broken");
    let rows = evidence::rows(&guarded.join(STATE), &Filter::default()).expect("evidence");
    let refused = told || rows.iter().any(|row| row.kind.is_refusal());
    let whole = picture(row, &guarded) == before;
    match (row.destroys, refused, whole) {
        (true, _, false) => Came::Lost(text),
        (true, false, true) => Came::Lost(format!("not refused: {text}")),
        (true, true, true) => Came::AsItShould,
        (false, true, _) => Came::RefusedForNothing(text),
        (false, false, _) if row.shows.as_ref().is_some_and(|shows| !sh(shows, &guarded)) => {
            Came::RefusedForNothing(format!("it did not do its work: {text}"))
        }
        (false, false, _) => Came::AsItShould,
    }
}

/// What only the text shows is judged as text.
fn by_line(row: &Row, place: &Path, shims: &Path) -> Came {
    let mut command = Command::new(EMBARGO);
    command.args(["check", &row.run]);
    let text = ran(command, &place.join("w").join(&row.at), place, shims);
    match (row.destroys, text.contains("[embargo refused")) {
        (true, false) => Came::Lost(format!("not refused: {text}")),
        (false, true) => Came::RefusedForNothing(text),
        _ => Came::AsItShould,
    }
}

fn is_there(name: &str) -> bool {
    ["/usr/local/bin", "/usr/bin", "/bin"].iter().any(|dir| Path::new(dir).join(name).exists())
}

fn set_up(row: &Row, place: &Path) -> Result<(), String> {
    fs::create_dir_all(place.join("w")).expect("a directory");
    fs::create_dir_all(place.join("home")).expect("a directory");
    let mut command = Command::new("sh");
    command.args(["-e", "-c", &row.setup]).stdin(Stdio::null());
    let output = environment(&mut command, place, Path::new("")).current_dir(place.join("w"));
    let output = output.output().expect("sh");
    match output.status.success() {
        true => Ok(()),
        false => Err(format!("its setup fails: {}", String::from_utf8_lossy(&output.stderr))),
    }
}

/// Seals what the row names, and makes the shims that the guard wants.
fn seal(row: &Row, place: &Path, names: &[String]) -> PathBuf {
    let state = place.join(STATE);
    fs::create_dir_all(&state).expect("a directory");
    fs::set_permissions(&state, fs::Permissions::from_mode(0o700)).expect("a mode");
    let new = row.seal.iter().map(|name| {
        let path = touch::in_real_directory(&place.join("w").join(name));
        let class = match (row.class.as_str(), path.is_dir() && !path.is_symlink()) {
            ("output", true) => Class::TreeRoot,
            (class, _) => Class::of_name(&class.replace('-', " ")).expect("a class"),
        };
        let seen = ledger::observe(&path, class).expect("it is there");
        ledger::NewSeal {
            path: touch::bytes(&path),
            target: seen.target,
            class,
            tier: class.tier(),
            object: seen.object,
            inode: seen.inode,
            members: seen.members,
            reason: None,
            alternative: None,
            session: "test".to_owned(),
        }
    });
    let new: Vec<_> = new.collect();
    ledger::seal(&state, &new).expect("a ledger");
    let shims = place.join("shims");
    let record = HomeRecord {
        owner: rustix::process::geteuid().as_raw(),
        config: place.join("home/.config/embargo"),
        state,
        cache: place.join("home/.cache/embargo"),
        starts: Vec::new(),
        policies: Vec::new(),
        session: None,
    };
    fs::create_dir(&shims).expect("a directory");
    fs::write(shims.join(RECORD), record.to_bytes()).expect("a record");
    for name in names {
        std::os::unix::fs::symlink(EMBARGO, shims.join(name)).expect("a link");
    }
    shims
}

fn bash(row: &Row, place: &Path, shims: &Path) -> String {
    let mut command = Command::new("bash");
    command.args(["-c", &row.run]);
    ran(command, &place.join("w").join(&row.at), place, shims)
}

fn sh(text: &str, place: &Path) -> bool {
    let mut command = Command::new("sh");
    command.args(["-c", text]).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    environment(&mut command, place, Path::new("")).current_dir(place.join("w"));
    command.status().expect("sh").success()
}

fn ran(mut command: Command, at: &Path, place: &Path, shims: &Path) -> String {
    environment(&mut command, place, shims).current_dir(at).stdin(Stdio::null());
    let log = place.join("said");
    let file = fs::File::create(&log).expect("a file");
    let other = file.try_clone().expect("a file");
    let status = command.stdout(file).stderr(other).status().expect("it starts");
    format!("{status}: {}", String::from_utf8_lossy(&fs::read(&log).expect("said")))
}

fn environment<'c>(command: &'c mut Command, place: &Path, shims: &Path) -> &'c mut Command {
    let mut path = "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin".to_owned();
    if !shims.as_os_str().is_empty() {
        path = format!("{}:{path}", shims.display());
    }
    command.env_clear().env("PATH", path).env("HOME", place.join("home"));
    command.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_NOSYSTEM", "1");
    for who in ["AUTHOR", "COMMITTER"] {
        command.env(format!("GIT_{who}_NAME"), "a").env(format!("GIT_{who}_EMAIL"), "a@b");
    }
    command
}

/// Everything sealed, as it is on the disk.
fn picture(row: &Row, place: &Path) -> Vec<(PathBuf, String)> {
    fn look(path: &Path, follow: bool, found: &mut Vec<(PathBuf, String)>) {
        let Ok(seen) = path.symlink_metadata() else {
            return found.push((path.to_owned(), "nothing".to_owned()));
        };
        if seen.is_symlink() {
            let to = fs::read_link(path).expect("a link");
            found.push((path.to_owned(), format!("link to {}", to.display())));
            if follow && let Ok(target) = path.canonicalize() {
                look(&target, false, found);
            }
        } else if seen.is_dir() {
            let entries = fs::read_dir(path).expect("a directory").filter_map(Result::ok);
            let mut names: Vec<_> = entries.map(|entry| entry.path()).collect();
            names.sort();
            // A repository's own files change by looking at it.
            names.retain(|name| !name.ends_with(".git"));
            found.push((path.to_owned(), "directory".to_owned()));
            names.iter().for_each(|name| look(name, true, found));
        } else {
            let content = fs::read(path).map(|bytes| format!("{bytes:?}")).unwrap_or_default();
            found.push((path.to_owned(), format!("{:o} {content}", seen.mode())));
        }
    }
    let mut found = Vec::new();
    for name in &row.seal {
        look(&place.join("w").join(name), true, &mut found);
    }
    let base = place.join("w");
    found
        .into_iter()
        .map(|(path, what)| (path.strip_prefix(&base).map(Path::to_owned).unwrap_or(path), what))
        .collect()
}
