//! The evidence log on a real file system: what is written, what is counted, what
//! is noticed, and what happens when nothing can be written.

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command};
use std::time::{Duration, Instant};

use bstr::BString;
use embargo::sys::evidence::{
    Chain, Event, EvidenceError, Fault, Filter, Kind, Recorded, last, mark_told, pending, record,
    rows, verify,
};
use rusqlite::Connection;

/// A process that begins after everything so far.
const LATER: u64 = u64::MAX;
/// Another user, where tests run as root.
const NOBODY: u32 = 65534;

fn refusal() -> Event {
    Event {
        rule: "no-gradle".into(),
        rules: vec!["no-gradle".into(), "x".into()],
        verdict: "refuse".into(),
        exit: 86,
        door: "shim".into(),
        session: "s1".into(),
        pid: 42,
        ppid: 41,
        program: "gradle".into(),
        argv: ["gradle", "--token", "hunter2", "b\u{1b}"].map(BString::from).into(),
        parent: ["bash", "-c", "FOO_SECRET=swordfish gradle"].map(BString::from).into(),
        cwd: "/work".into(),
        began_ms: LATER,
        ..Event::default()
    }
}

fn add(state: &Path, event: &Event) -> Recorded {
    record(state, event, 2).expect("it can be written")
}

fn state() -> (tempfile::TempDir, PathBuf) {
    let dir = tempfile::tempdir().expect("a directory");
    let state = dir.path().join("state");
    (dir, state)
}

fn three_rows() -> (tempfile::TempDir, PathBuf) {
    let (dir, state) = state();
    (0..3).for_each(|_| drop(add(&state, &refusal())));
    (dir, state)
}

fn open(state: &Path) -> Connection {
    Connection::open(state.join("evidence.db")).expect("it opens")
}

fn mode(path: &Path) -> u32 {
    path.symlink_metadata().expect("it is there").mode() & 0o7777
}

fn listing(dir: &Path) -> Vec<String> {
    let entries = fs::read_dir(dir).expect("a directory");
    let mut names: Vec<_> =
        entries.map(|e| e.expect("entry").file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

#[test]
fn the_first_row_makes_a_private_store() {
    let (_dir, state) = state();
    let recorded = add(&state, &refusal());
    assert_eq!(listing(&state), ["evidence.db", "evidence.db-journal", "evidence.lock"]);
    assert_eq!(mode(&state), 0o700);
    for name in listing(&state) {
        assert_eq!(mode(&state.join(&name)), 0o600, "{name}");
    }
    let bytes = fs::read(state.join("evidence.db")).expect("readable");
    assert_eq!(bytes[18..20], [1, 1], "a rollback journal, not WAL");
    assert_eq!(fs::metadata(state.join("evidence.db-journal")).expect("there").len(), 0);

    let row = last(&state, None).expect("readable").expect("a row");
    assert_eq!((row.seq, &row.id, row.kind, row.exit), (1, &recorded.id, Kind::Refused, 86));
    assert_eq!(row.argv, ["gradle", "--token", "‹redacted›", "b\u{1b}"]);
    assert_eq!(row.parent, ["bash", "-c", "FOO_SECRET=‹redacted› gradle"]);
    assert_eq!(
        (row.rule.as_str(), row.door.as_str(), row.cwd.as_str()),
        ("no-gradle", "shim", "/work")
    );
    assert_eq!((row.rules.len(), row.pid, row.ppid, row.offence, row.told), (2, 42, 41, 1, false));
    assert_eq!((row.agent, row.call, row.incident), (None, None, Some(recorded.id.clone())));
    assert_eq!((row.digest.len(), row.prev.len(), row.hash.len()), (64, 64, 64));
    assert!(recorded.id.0.starts_with("e_01") && recorded.id.0.len() == 28, "{}", recorded.id);
    for secret in ["hunter2", "swordfish"] {
        let found = bytes.windows(secret.len()).any(|w| w == secret.as_bytes());
        assert!(!found, "`{secret}` is in the file");
    }
}

#[test]
fn a_digest_tells_equal_command_lines_within_one_store_only() {
    let digests = || {
        let (_dir, state) = state();
        let other = Event { argv: vec!["gradle--token".into(), "hunter2".into()], ..refusal() };
        let events = [refusal(), refusal(), other];
        events.iter().for_each(|event| drop(add(&state, event)));
        let rows = rows(&state, &Filter::default()).expect("readable");
        rows.into_iter().map(|row| row.digest).collect::<Vec<_>>()
    };
    let (here, there) = (digests(), digests());
    assert_eq!(here[0], here[1]);
    assert_ne!(here[0], here[2]);
    assert_ne!(here[0], there[0]);
}

#[test]
fn offences_are_counted_per_rule_and_session() {
    let (_dir, state) = state();
    // (rule, session, call, began) → (offence, repeat, surface)
    type Row = (&'static str, &'static str, Option<&'static str>, u64, (u32, bool, bool));
    let table: [Row; 13] = [
        ("a", "s", Some("c1"), LATER, (1, false, false)),
        ("a", "s", Some("c1"), LATER, (1, true, false)), // the same tool call
        ("a", "s", Some("c2"), 0, (1, true, false)),     // began before anybody was told
        ("a", "s", None, LATER, (2, false, true)),
        ("a", "s", None, LATER, (3, false, true)),
        ("a", "s", Some("c1"), LATER, (1, true, false)), // the first call is still going on
        ("a", "s", Some("c9"), 0, (1, true, false)),
        ("b", "s", Some("c1"), LATER, (1, false, false)), // another rule
        ("a", "t", Some("c1"), LATER, (1, false, false)), // another session
        ("a", "t", Some("c2"), LATER, (2, false, true)),
        ("a", "t", Some("c2"), LATER, (2, true, false)), // a person is told once
        ("a", "s", Some("c3"), LATER, (4, false, true)),
        ("", "", None, 0, (1, false, false)),
    ];
    for (at, (rule, session, call, began_ms, expected)) in table.into_iter().enumerate() {
        let (rule, session, call) = (rule.into(), session.into(), call.map(str::to_owned));
        let got = add(&state, &Event { rule, session, call, began_ms, ..refusal() });
        let got = (got.offence, got.repeat_of_same_call, got.surface);
        assert_eq!(got, expected, "row {at}");
    }
    let incidents = rows(
        &state,
        &Filter { rule: Some("a".into()), session: Some("s".into()), ..Filter::default() },
    );
    let incidents: Vec<_> =
        incidents.expect("readable").into_iter().map(|row| row.incident).collect();
    assert!(incidents.iter().all(|incident| *incident == incidents[0]), "{incidents:?}");
    assert_eq!(verify(&state), Ok(Chain::Whole { rows: 13 }));
}

#[test]
fn what_ran_at_the_same_time_is_one_offence_each_time() {
    let (_dir, state) = state();
    let began = || Event { began_ms: embargo::sys::clock::now_ms(), ..refusal() };
    let pause = || std::thread::sleep(Duration::from_millis(5));
    for round in 1..4 {
        let together = [began(), began(), began()];
        pause();
        let offences = together.map(|event| add(&state, &event).offence);
        assert_eq!(offences, [round; 3]);
        pause();
    }
}

/// A row from the future would make everything after it the same offence for ever.
#[test]
fn a_clock_that_was_set_back_hides_no_offence() {
    let (_dir, state) = state();
    add(&state, &refusal());
    sql(&state, "UPDATE log SET at_ms = at_ms + 86400000");
    let began_ms = embargo::sys::clock::now_ms();
    assert_eq!(add(&state, &Event { began_ms, ..refusal() }).offence, 2);
}

#[test]
fn only_refusals_are_offences() {
    let (_dir, state) = state();
    for (kind, name) in Kind::ALL {
        let got = record(&state, &Event { kind, ..refusal() }, 0).expect("written");
        let is_offence = matches!(kind, Kind::Refused | Kind::Asked | Kind::Sealed);
        assert_eq!((got.offence > 0, got.surface), (is_offence, is_offence), "{name}");
        assert_eq!((kind.name(), Kind::named(name)), (name, Some(kind)));
        assert_eq!(last(&state, None).expect("readable").map(|row| row.kind), Some(kind));
    }
}

#[test]
fn rows_are_filtered_and_marked_as_told() {
    let (_dir, state) = state();
    let event = |rule: &str, session: &str, told| Event {
        rule: rule.into(),
        session: session.into(),
        told,
        ..refusal()
    };
    let events = [
        event("a", "s", true),
        event("b", "s", false),
        event("a", "t", false),
        event("a", "s", false),
    ];
    let ids = events.map(|event| add(&state, &event).id);
    let numbers = |filter: Filter| -> Vec<u64> {
        rows(&state, &filter).expect("readable").iter().map(|row| row.seq).collect()
    };
    let text = |text: &str| Some(text.to_owned());
    assert_eq!(numbers(Filter::default()), [1, 2, 3, 4]);
    assert_eq!(numbers(Filter { limit: Some(2), ..Filter::default() }), [3, 4]);
    assert_eq!(numbers(Filter { session: text("s"), ..Filter::default() }), [1, 2, 4]);
    assert_eq!(
        numbers(Filter { session: text("s"), rule: text("a"), ..Filter::default() }),
        [1, 4]
    );
    assert_eq!(numbers(Filter { since_ms: Some(LATER), ..Filter::default() }), [0; 0]);
    assert_eq!(numbers(Filter { since_ms: Some(1), limit: Some(1), ..Filter::default() }), [4]);
    let seq = |session| last(&state, session).expect("readable").map(|row| row.seq);
    assert_eq!((seq(None), seq(Some("t")), seq(Some("u"))), (Some(4), Some(3), None));

    let untold = |session| -> Vec<u64> {
        pending(&state, session).expect("readable").iter().map(|row| row.seq).collect()
    };
    assert_eq!((untold(None), untold(Some("s"))), (vec![2, 3, 4], vec![2, 4]));
    assert_eq!(mark_told(&state, &ids[..2]), Ok(1));
    assert_eq!(mark_told(&state, &ids[..2]), Ok(0));
    assert_eq!(untold(None), [3, 4]);
    assert_eq!(verify(&state), Ok(Chain::Whole { rows: 4 }), "the mark is outside the chain");
}

#[test]
fn a_long_command_line_says_what_is_left_out() {
    let (_dir, state) = state();
    let mut argv = vec![BString::from("x"), BString::from("ü".repeat(60_000))];
    argv.extend(std::iter::repeat_n(BString::from("-v"), 500_000));
    add(&state, &Event { argv, ..refusal() });
    let row = last(&state, None).expect("readable").expect("a row");
    assert_eq!(row.argv.len(), 3);
    assert_eq!(row.argv[1], format!("{}‹115904 more bytes›", "ü".repeat(2048)));
    assert_eq!(row.argv[2], "‹500000 more words›");
}

#[test]
fn the_walk_names_the_first_bad_row() {
    let swap = "UPDATE log SET seq = 9 WHERE seq = 2; UPDATE log SET seq = 2 WHERE seq = 3;
                UPDATE log SET seq = 3 WHERE seq = 9;";
    let close_gap = "DELETE FROM log WHERE seq = 2; UPDATE log SET seq = 2 WHERE seq = 3;
                     UPDATE head SET seq = 2;";
    let copy = "CREATE TEMP TABLE t AS SELECT * FROM log WHERE seq = 2; UPDATE t SET seq = 4;
                INSERT INTO log SELECT * FROM t;";
    let mut table = vec![
        ("DELETE FROM log WHERE seq = 2".to_owned(), 2, Fault::Missing),
        ("DELETE FROM log WHERE seq = 1".into(), 1, Fault::Missing),
        (swap.into(), 2, Fault::Moved),
        (close_gap.into(), 2, Fault::Moved),
        ("UPDATE log SET prev = x'00' WHERE seq = 3".into(), 3, Fault::Changed),
        ("UPDATE log SET hash = x'00' WHERE seq = 3".into(), 3, Fault::Changed),
        ("DELETE FROM log WHERE seq = 3".into(), 3, Fault::CutOff),
        ("DELETE FROM log".into(), 1, Fault::CutOff),
        (copy.into(), 4, Fault::Extra),
        (format!("{copy} UPDATE head SET seq = 4"), 4, Fault::Moved),
        ("UPDATE head SET seq = 2".into(), 3, Fault::Extra),
        ("UPDATE head SET hash = x'00'".into(), 3, Fault::Head),
        ("UPDATE head SET salt = x'00'".into(), 1, Fault::Moved),
        ("DELETE FROM head".into(), 1, Fault::Head),
    ];
    // Every column that the chain covers.
    for column in [
        "id", "kind", "rule", "rules", "verdict", "door", "session", "agent", "call", "parent",
        "program", "argv", "cwd", "incident",
    ] {
        table.push((format!("UPDATE log SET {column} = 'x' WHERE seq = 2"), 2, Fault::Changed));
    }
    for column in ["at_ms", "exit", "pid", "ppid", "offence"] {
        table.push((
            format!("UPDATE log SET {column} = {column} + 1 WHERE seq = 2"),
            2,
            Fault::Changed,
        ));
    }
    table.push(("UPDATE log SET way = 'cut' WHERE seq = 2".into(), 2, Fault::Changed));
    table.push(("UPDATE log SET digest = x'00' WHERE seq = 2".into(), 2, Fault::Changed));
    table.push(("UPDATE log SET incident = NULL WHERE seq = 2".into(), 2, Fault::Changed));
    table.push(("UPDATE log SET agent = '' WHERE seq = 2".into(), 2, Fault::Changed));
    // One byte moves from a column to its neighbour.
    let shift = "UPDATE log SET door = door || 's', session = '1' WHERE seq = 2";
    table.push((shift.into(), 2, Fault::Changed));

    for (sql, seq, fault) in table {
        let (_dir, state) = three_rows();
        let ids: Vec<_> = rows(&state, &Filter::default())
            .expect("readable")
            .into_iter()
            .map(|r| r.id.0)
            .collect();
        assert_eq!(verify(&state), Ok(Chain::Whole { rows: 3 }));
        open(&state).execute_batch(&sql).expect("the change is made");
        let Ok(Chain::Broken { seq: at, id, fault: found }) = verify(&state) else {
            panic!("nothing was noticed of {sql}");
        };
        assert_eq!((at, found), (seq, fault), "{sql}");
        let is_named = id.is_none_or(|id| id == "x" || ids.contains(&id));
        assert!(is_named, "{sql}");
    }
}

#[test]
fn writing_goes_on_after_a_bad_row() {
    let (_dir, state) = three_rows();
    open(&state).execute_batch("DELETE FROM log WHERE seq = 3").expect("deleted");
    add(&state, &refusal());
    let broken = Chain::Broken { seq: 3, id: None, fault: Fault::Missing };
    assert_eq!(verify(&state), Ok(broken));
}

#[test]
fn reading_makes_nothing() {
    let (dir, state) = state();
    let nothing = |state: &Path| {
        assert_eq!(last(state, None), Ok(None));
        assert_eq!(rows(state, &Filter::default()), Ok(Vec::new()));
        assert_eq!(pending(state, None), Ok(Vec::new()));
        assert_eq!(verify(state), Ok(Chain::Whole { rows: 0 }));
        assert_eq!(mark_told(state, &[embargo::sys::evidence::EvidenceId::fresh()]), Ok(0));
    };
    nothing(&state);
    assert_eq!(listing(dir.path()), [""; 0]);
    fs::create_dir(&state).expect("made");
    nothing(&state);
    assert_eq!(listing(&state), [""; 0]);
    // What a crash between making the file and writing it leaves.
    fs::write(state.join("evidence.db"), "").expect("written");
    nothing(&state);
    assert_eq!(listing(&state), ["evidence.db"]);
    assert_eq!(add(&state, &refusal()).offence, 1);
}

/// What stands in the way stays as it is, and has its own error.
#[test]
fn what_is_no_store_of_ours_is_left_alone() {
    type Case = (&'static str, fn(&Path), fn(&EvidenceError) -> bool);
    let cases: [Case; 12] = [
        (
            "garbage",
            |s| fs::write(s.join("evidence.db"), [7; 5000]).expect("written"),
            |e| matches!(e, EvidenceError::Damaged(_)),
        ),
        (
            "a few bytes",
            |s| fs::write(s.join("evidence.db"), "x").expect("written"),
            |e| matches!(e, EvidenceError::Damaged(_)),
        ),
        ("cut", |s| cut(s, 4096), |e| matches!(e, EvidenceError::Damaged(_))),
        ("cut in the first page", |s| cut(s, 700), |e| matches!(e, EvidenceError::Damaged(_))),
        ("overwritten", overwrite, |e| matches!(e, EvidenceError::Damaged(_))),
        ("foreign", |s| sql(s, "CREATE TABLE t (a)"), |e| matches!(e, EvidenceError::Damaged(_))),
        (
            "newer",
            |s| {
                drop(add(s, &refusal()));
                sql(s, "PRAGMA user_version = 9")
            },
            |e| *e == EvidenceError::Newer { found: 9, known: 2 },
        ),
        (
            "no tables",
            |s| {
                drop(add(s, &refusal()));
                sql(s, "DROP TABLE log")
            },
            |e| matches!(e, EvidenceError::Damaged(_)),
        ),
        (
            "a directory",
            |s| fs::create_dir(s.join("evidence.db")).expect("made"),
            |e| matches!(e, EvidenceError::NotAFile(p) if p.ends_with("evidence.db")),
        ),
        (
            "a link",
            |s| symlink("/etc/hostname", s.join("evidence.db")).expect("made"),
            |e| matches!(e, EvidenceError::Link(p) if p.ends_with("evidence.db")),
        ),
        (
            "a dangling link",
            |s| symlink("nowhere", s.join("evidence.db")).expect("made"),
            |e| matches!(e, EvidenceError::Link(p) if p.ends_with("evidence.db")),
        ),
        ("a pipe", pipe, |e| matches!(e, EvidenceError::NotAFile(p) if p.ends_with("evidence.db"))),
    ];
    for (name, make, is_expected) in cases {
        let (dir, state) = state();
        fs::create_dir(&state).expect("made");
        make(&state);
        let before = contents(&state);
        let write = record(&state, &refusal(), 2).expect_err(name);
        let read = rows(&state, &Filter::default()).expect_err(name);
        assert!(is_expected(&write), "{name}: {write:?}");
        assert!(is_expected(&read), "{name}: {read:?}");
        assert!(!write.to_string().is_empty());
        assert_eq!(contents(&state), before, "{name}");
        assert!(!dir.path().join("nowhere").exists() && !state.join("nowhere").exists());
    }
}

#[test]
fn a_lock_that_is_no_file_is_left_alone() {
    let (_dir, state) = state();
    fs::create_dir(&state).expect("made");
    let lock = state.join("evidence.lock");
    symlink("target", &lock).expect("made");
    assert_eq!(record(&state, &refusal(), 2), Err(EvidenceError::Link(lock.clone())));
    assert_eq!(listing(&state), ["evidence.lock"]);
    fs::remove_file(&lock).expect("removed");
    fs::create_dir(&lock).expect("made");
    assert_eq!(record(&state, &refusal(), 2), Err(EvidenceError::NotAFile(lock.clone())));
    assert_eq!(listing(&state), ["evidence.lock"]);
    fs::remove_dir(&lock).expect("removed");
    let file = state.join("file");
    fs::write(&file, "").expect("written");
    for below in [file.clone(), file.join("state")] {
        let error = record(&below, &refusal(), 2).expect_err("no directory");
        assert!(matches!(error, EvidenceError::NotAFile(_)), "{error:?}");
        assert!(last(&below, None).is_err());
    }
    assert_eq!(fs::read(&file).expect("still there"), b"");
}

#[test]
fn a_directory_behind_a_link_is_used() {
    let (dir, state) = state();
    fs::create_dir(dir.path().join("real")).expect("made");
    symlink("real", &state).expect("made");
    add(&state, &refusal());
    assert_eq!(listing(&dir.path().join("real")).len(), 3);
}

fn sql(state: &Path, text: &str) {
    open(state).execute_batch(text).expect("done");
}

fn cut(state: &Path, length: u64) {
    drop(add(state, &refusal()));
    let file = fs::OpenOptions::new().write(true).open(state.join("evidence.db")).expect("opens");
    file.set_len(length).expect("cut");
}

fn overwrite(state: &Path) {
    drop(add(state, &refusal()));
    let path = state.join("evidence.db");
    let mut bytes = fs::read(&path).expect("readable");
    bytes[4096..].fill(0xff);
    fs::write(path, bytes).expect("written");
}

fn pipe(state: &Path) {
    let made = Command::new("mkfifo").arg(state.join("evidence.db")).status().expect("mkfifo runs");
    assert!(made.success());
}

/// Everything in the directory but the lock, which a writer may make.
fn contents(state: &Path) -> Vec<(String, Vec<u8>)> {
    let names = listing(state).into_iter().filter(|name| name != "evidence.lock");
    let read = |name: String| {
        let path = state.join(&name);
        let found = path.symlink_metadata().expect("there");
        let bytes = if found.is_file() { fs::read(&path).expect("readable") } else { Vec::new() };
        (name, bytes)
    };
    names.map(read).collect()
}

#[test]
fn a_held_lock_is_waited_for_and_then_given_up() {
    let (_dir, state) = three_rows();
    let lock = fs::File::open(state.join("evidence.lock")).expect("there");
    lock.lock().expect("taken");
    let started = Instant::now();
    assert_eq!(record(&state, &refusal(), 2), Err(EvidenceError::Locked));
    let waited = started.elapsed();
    assert!((1900..4000).contains(&waited.as_millis()), "{waited:?}");
    assert_eq!(
        rows(&state, &Filter::default()).map(|rows| rows.len()),
        Ok(3),
        "readers do not wait"
    );
    let writer = std::thread::spawn({
        let state = state.clone();
        move || record(&state, &refusal(), 2)
    });
    std::thread::sleep(Duration::from_millis(100));
    drop(lock);
    assert_eq!(writer.join().expect("ended").map(|recorded| recorded.offence), Ok(4));
}

/// A transaction whose process died after the journal was synced and pages were written.
fn unfinished() -> (tempfile::TempDir, PathBuf) {
    let (dir, state) = three_rows();
    let connection = open(&state);
    let spill = "PRAGMA journal_mode = TRUNCATE; PRAGMA cache_size = 1; BEGIN IMMEDIATE;
                 UPDATE log SET rule = hex(randomblob(20000)); UPDATE head SET seq = 7;
                 UPDATE log SET argv = hex(randomblob(20000));";
    connection.execute_batch(spill).expect("under way");
    let killed = dir.path().join("killed");
    fs::create_dir(&killed).expect("made");
    for name in listing(&state) {
        fs::copy(state.join(&name), killed.join(&name)).expect("copied");
    }
    let journal = fs::metadata(killed.join("evidence.db-journal")).expect("there");
    assert!(journal.len() > 512, "the journal is hot");
    (dir, killed)
}

#[test]
fn the_next_reader_or_writer_takes_back_an_unfinished_write() {
    let (_dir, state) = unfinished();
    assert_eq!(verify(&state), Ok(Chain::Whole { rows: 3 }));
    let (_dir, state) = unfinished();
    assert_eq!(add(&state, &refusal()).offence, 4);
    assert_eq!(verify(&state), Ok(Chain::Whole { rows: 4 }));
}

// Below: other processes. They are this test binary again, running `child` alone.

fn child(what: &str, state: &Path) -> Command {
    let mut command = Command::new(std::env::current_exe().expect("known"));
    command.args(["--exact", "child_process", "--nocapture", "--test-threads=1"]);
    command.env("EVIDENCE_CHILD", what).env("EVIDENCE_STATE", state);
    command
}

/// Does its work only as a child of other tests, and nothing when it is run by itself.
#[test]
fn child_process() {
    let Ok(what) = std::env::var("EVIDENCE_CHILD") else { return };
    let state = PathBuf::from(std::env::var_os("EVIDENCE_STATE").expect("set"));
    match what.as_str() {
        "once" => drop(add(&state, &refusal())),
        "forever" => loop {
            add(&state, &refusal());
        },
        "read only" => is_read_only(&state),
        "unfinished" => {
            assert_eq!(verify(&state), Err(EvidenceError::Unfinished));
            assert_eq!(last(&state, None), Err(EvidenceError::Unfinished));
        }
        "not ours" => {
            let error = record(&state, &refusal(), 2);
            assert_eq!(error, Err(EvidenceError::NotOurs(state.clone())));
            assert_eq!(rows(&state, &Filter::default()).map(|rows| rows.len()), Ok(3));
        }
        other => panic!("unknown work `{other}`"),
    }
}

#[test]
fn fifty_processes_at_once_lose_nothing() {
    let (_dir, state) = state();
    let start = || child("once", &state).stdout(std::process::Stdio::null()).spawn();
    let children: Vec<Child> = (0..50).map(|_| start().expect("starts")).collect();
    for mut child in children {
        assert!(child.wait().expect("ends").success());
    }
    assert_eq!(verify(&state), Ok(Chain::Whole { rows: 50 }));
    let rows = rows(&state, &Filter::default()).expect("readable");
    let mut offences: Vec<_> = rows.iter().map(|row| row.offence).collect();
    offences.sort_unstable();
    assert_eq!(offences, (1..=50).collect::<Vec<_>>());
    let mut ids: Vec<_> = rows.iter().map(|row| &row.id).collect();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), 50);
}

#[test]
fn writers_may_be_killed_at_any_moment() {
    let (_dir, state) = state();
    let mut known = 0;
    for round in 0..25 {
        let mut writer = child("forever", &state);
        let mut writer = writer.stdout(std::process::Stdio::null()).spawn().expect("starts");
        std::thread::sleep(Duration::from_millis(20 + round * 7 % 60));
        writer.kill().expect("killed");
        writer.wait().expect("reaped");
        let Ok(Chain::Whole { rows }) = verify(&state) else { panic!("{:?}", verify(&state)) };
        assert!(rows >= known, "rows were lost");
        known = rows;
        add(&state, &refusal());
        known += 1;
    }
    assert!(known > 25, "the writers have written");
    assert_eq!(verify(&state), Ok(Chain::Whole { rows: known }));
}

fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

/// Runs a child that may not write what root may: under root as another user, from
/// a directory that user can reach.
fn run_unprivileged(what: &str, dir: &Path, state: &Path) {
    let exe = dir.join("child");
    fs::copy(std::env::current_exe().expect("known"), &exe).expect("copied");
    fs::set_permissions(dir, PermissionsExt::from_mode(0o755)).expect("set");
    let by_name = child(what, state);
    let mut command = Command::new(&exe);
    command.args(by_name.get_args()).current_dir("/");
    command.env("EVIDENCE_CHILD", what).env("EVIDENCE_STATE", state);
    if is_root() {
        command.uid(NOBODY).gid(NOBODY);
    }
    let output = command.output().expect("runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
}

fn give_away(state: &Path) {
    if is_root() {
        for path in listing(state).iter().map(|n| state.join(n)).chain([state.to_owned()]) {
            std::os::unix::fs::chown(path, Some(NOBODY), Some(NOBODY)).expect("given");
        }
    }
}

fn protect(state: &Path) {
    for name in listing(state) {
        fs::set_permissions(state.join(name), PermissionsExt::from_mode(0o400)).expect("set");
    }
    fs::set_permissions(state, PermissionsExt::from_mode(0o500)).expect("set");
}

fn unprotect(state: &Path) {
    fs::set_permissions(state, PermissionsExt::from_mode(0o700)).expect("set");
}

fn is_read_only(state: &Path) {
    let plain = fs::OpenOptions::new().append(true).open(state.join("evidence.db"));
    assert!(plain.is_err(), "a plain open must fail");
    assert!(fs::write(state.join("new"), "").is_err(), "so must making a file");
    let error = record(state, &refusal(), 2).expect_err("nothing can be written");
    assert!(matches!(error, EvidenceError::ReadOnly(_)), "{error:?}");
    assert_eq!(rows(state, &Filter::default()).map(|rows| rows.len()), Ok(3));
    assert_eq!(last(state, Some("s1")).map(|row| row.map(|row| row.seq)), Ok(Some(3)));
    assert_eq!(verify(state), Ok(Chain::Whole { rows: 3 }));
    let id = last(state, None).expect("readable").expect("a row").id;
    assert!(matches!(mark_told(state, &[id]), Err(EvidenceError::ReadOnly(_))));
    let error = record(&state.join("new"), &refusal(), 2).expect_err("no directory can be made");
    assert!(matches!(error, EvidenceError::ReadOnly(_)), "{error:?}");
}

#[test]
fn a_read_only_store_is_read() {
    let (dir, state) = three_rows();
    give_away(&state);
    protect(&state);
    run_unprivileged("read only", dir.path(), &state);
    unprotect(&state);
}

#[test]
fn an_unfinished_write_that_cannot_be_mended_is_named() {
    let (dir, state) = unfinished();
    give_away(&state);
    protect(&state);
    run_unprivileged("unfinished", dir.path(), &state);
    unprotect(&state);
}

/// `sudo make` leaves nothing of root's behind, nor does anybody else write there.
#[test]
fn a_store_of_somebody_else_is_only_read() {
    if !is_root() {
        // Only root can give a store away; the owner is compared all the same.
        return;
    }
    let (_dir, state) = three_rows();
    give_away(&state);
    let before = contents(&state);
    assert_eq!(record(&state, &refusal(), 2), Err(EvidenceError::NotOurs(state.clone())));
    assert_eq!(rows(&state, &Filter::default()).map(|rows| rows.len()), Ok(3));
    assert_eq!(contents(&state), before);
    let below = state.join("new/state");
    assert_eq!(record(&below, &refusal(), 2), Err(EvidenceError::NotOurs(state.clone())));
    assert!(!state.join("new").exists());

    let (dir, state) = three_rows();
    fs::set_permissions(&state, PermissionsExt::from_mode(0o777)).expect("set");
    for name in listing(&state) {
        fs::set_permissions(state.join(name), PermissionsExt::from_mode(0o666)).expect("set");
    }
    run_unprivileged("not ours", dir.path(), &state);
}

/// A file system of 64 KiB, for root.
struct Small(PathBuf);

impl Small {
    fn mount(at: &Path) -> Option<Self> {
        fs::create_dir_all(at).expect("made");
        let mount =
            Command::new("mount").args(["-t", "tmpfs", "-o", "size=64k", "none"]).arg(at).output();
        mount.is_ok_and(|output| output.status.success()).then(|| Small(at.to_owned()))
    }
}

impl Drop for Small {
    fn drop(&mut self) {
        let ended = Command::new("umount").arg(&self.0).status();
        assert!(ended.is_ok_and(|status| status.success()), "{} stays mounted", self.0.display());
    }
}

#[test]
fn a_full_disk_loses_nothing_that_was_written() {
    let (_dir, state) = state();
    let Some(small) = Small::mount(&state) else {
        eprintln!("no file system can be mounted here: a full disk is not tested");
        return;
    };
    let mut written = 0;
    let error = loop {
        match record(&small.0, &refusal(), 2) {
            Ok(_) => written += 1,
            Err(error) => break error,
        }
    };
    assert_eq!(error, EvidenceError::Full);
    assert!(written > 3, "{written}");
    assert_eq!(verify(&small.0), Ok(Chain::Whole { rows: written }));
    // Not even the first file fits.
    let filler = fs::write(small.0.join("filler"), [0; 70_000]);
    assert!(filler.is_err());
    let error = record(&small.0.join("new"), &refusal(), 2).expect_err("full");
    assert_eq!(error, EvidenceError::Full);
    assert_eq!(last(&small.0.join("new"), None), Ok(None));
    fs::remove_file(small.0.join("filler")).expect("removed");
}
