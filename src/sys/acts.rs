//! What a hook has said of an act that a shim is about to see: a file each in the state directory,
//! for one act of one harness process, taken once, and for ten minutes at most.
//!
//! Files, and no rows of the evidence: every hook call voids those of its session, and opening a
//! database costs a hundred times what looking into an empty directory does. They say what was said
//! by digest alone. Whoever may write the state directory can make one: under one user id a pass is
//! a habit, not a wall. No variable makes or moves one: it belongs to the process that started the
//! hook, by pid and start, and counts below that alone.

use std::ffi::OsStr;
use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{Read as _, Write as _};
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use bstr::BString;
use serde_json::{Value, json};

use super::context::Context;
use super::processes::{Lineage, SessionProcess};
use crate::policy::Caller;

/// Its directory below the state.
const DIRECTORY: &str = "acts";

/// How long one counts.
const LASTS: Duration = Duration::from_secs(600);

/// More commands than a line has that a person was asked about.
pub const MOST: usize = 64;

/// What a file of ours may have.
const LARGEST: u64 = 1 << 20;

/// What was said of the act.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Said {
    /// A person was asked: what then runs was allowed.
    Asked,
    /// The agent was warned.
    Warned,
    /// It was refused.
    Refused,
}

/// A word of an act's argv.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Word {
    Is(BString),
    /// One word that only the shell knows.
    One,
    /// Any number of them.
    Any,
}

/// What a hook leaves of one command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Act {
    pub said: Said,
    pub argv: Vec<Word>,
    pub cwd: PathBuf,
    /// The rules that it was about.
    pub rules: Vec<String>,
    /// The harness and its own id of the session, whose next hook call voids it.
    pub asker: String,
    /// What offences are counted by.
    pub session: String,
    /// The tool call.
    pub call: String,
}

/// What a shim finds of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Seen {
    pub said: Said,
    pub rules: Vec<String>,
    pub session: String,
    pub call: String,
}

/// Leaves acts for shims below the process that started this hook. Where that cannot be done, the
/// shim decides as if there had been no hook.
pub fn leave(context: &Context, acts: &[Act]) {
    let Some(state) = context.state().filter(|_| context.may_write()) else { return };
    let Some(process) = starter(context) else { return };
    let directory = state.join(DIRECTORY);
    let _ = DirBuilder::new().mode(0o700).create(&directory);
    for (at, act) in acts.iter().take(MOST).enumerate() {
        let Some(text) = text(act, process) else { continue };
        // Of a tool call that is asked about twice there is one.
        let name = name(&[act.asker.as_bytes(), act.call.as_bytes(), &at.to_le_bytes()]);
        let mut options = OpenOptions::new();
        options.write(true).create_new(true).mode(0o600).custom_flags(libc::O_NOFOLLOW);
        // What is half written is none.
        let _ = options.open(directory.join(name)).and_then(|mut f| f.write_all(text.as_bytes()));
    }
}

/// Voids what was left before by the session's hook calls, but for this tool call's own; and
/// whatever has become too old.
pub fn void(context: &Context, asker: &str, call: Option<&str>) {
    let Some(state) = context.state().filter(|_| context.may_write()) else { return };
    for file in files(state) {
        let is_void = match read(context, &file) {
            Some(act) => act["asker"] == asker && call.is_none_or(|call| act["call"] != call),
            None => true,
        };
        if is_void {
            let _ = fs::remove_file(&file);
        }
    }
}

/// Takes what was left of this very call, if there is any. Of several shims that ask at once, one gets it.
pub fn take(context: &Context, argv: &[BString]) -> Option<Seen> {
    // Who cannot take it away has not got it.
    let state = context.state().filter(|_| context.may_write())?;
    let mut files = files(state).peekable();
    files.peek()?;
    let recorded = context.record.as_ref().and_then(|r| r.session);
    let above: Vec<String> = Lineage::of_this_process(recorded)
        .0
        .iter()
        .map(|ancestor| ancestor.id.to_string())
        .collect();
    files.find_map(|file| {
        let act = read(context, &file)?;
        let process = act["process"].as_str()?;
        let is_it = above.iter().any(|id| id == process)
            && act["cwd"] == cwd(context.cwd.as_deref()?)
            && matches(act["salt"].as_str()?, act["argv"].as_array()?, argv);
        (is_it && fs::remove_file(&file).is_ok()).then(|| seen(&act))?
    })
}

/// The program that started this hook; a shell between them ends with it.
fn starter(context: &Context) -> Option<SessionProcess> {
    let recorded = context.record.as_ref().and_then(|r| r.session);
    let passes_on = |caller| matches!(caller, Caller::Shell | Caller::Script | Caller::Wrapper);
    let lineage = Lineage::of_this_process(recorded);
    let found = lineage.0.iter().find(|a| a.process.is_session || !passes_on(a.process.caller()));
    found.map(|ancestor| ancestor.id)
}

fn files(state: &Path) -> impl Iterator<Item = PathBuf> {
    let entries = fs::read_dir(state.join(DIRECTORY)).into_iter().flatten();
    entries.filter_map(Result::ok).map(|entry| entry.path())
}

/// One that is the owner's alone, whole, and of the last ten minutes.
fn read(context: &Context, file: &Path) -> Option<Value> {
    let mut options = OpenOptions::new();
    options.read(true).custom_flags(libc::O_NOFOLLOW | libc::O_NONBLOCK);
    let opened = options.open(file).ok()?;
    let found = opened.metadata().ok()?;
    let is_ours = found.is_file() && found.uid() == context.owner() && found.mode() & 0o077 == 0;
    // One of the time to come was made before the clock was set back.
    let age = SystemTime::now().duration_since(found.modified().ok()?).ok()?;
    (is_ours && age <= LASTS).then_some(())?;
    let mut text = Vec::new();
    File::take(opened, LARGEST).read_to_end(&mut text).ok()?;
    serde_json::from_slice(&text).ok()
}

fn text(act: &Act, process: SessionProcess) -> Option<String> {
    let mut salt = [0; 16];
    getrandom::fill(&mut salt).ok()?;
    let salt = hex(&salt);
    let word = |word: &Word| match word {
        Word::Is(bytes) => digest(&salt, bytes),
        Word::One => "?".to_owned(),
        Word::Any => "*".to_owned(),
    };
    let text = json!({
        "said": match act.said {
            Said::Asked => "asked",
            Said::Warned => "warned",
            Said::Refused => "refused",
        },
        "process": process.to_string(),
        "cwd": cwd(&act.cwd),
        "rules": act.rules,
        "asker": act.asker,
        "session": act.session,
        "call": act.call,
        "argv": act.argv.iter().map(word).collect::<Vec<_>>(),
        "salt": salt,
    });
    Some(text.to_string())
}

fn seen(act: &Value) -> Option<Seen> {
    let text = |key: &str| act[key].as_str().map(str::to_owned);
    let rules = act["rules"].as_array()?.iter().filter_map(Value::as_str);
    Some(Seen {
        said: match act["said"].as_str()? {
            "asked" => Said::Asked,
            "warned" => Said::Warned,
            "refused" => Said::Refused,
            _ => return None,
        },
        rules: rules.map(str::to_owned).collect(),
        session: text("session")?,
        call: text("call")?,
    })
}

/// Is this argv the one that was left? However many words are not known, the time is their number
/// times that of the argv's words.
fn matches(salt: &str, left: &[Value], argv: &[BString]) -> bool {
    let argv: Vec<String> = argv.iter().map(|word| digest(salt, word)).collect();
    // Which beginnings of argv the words up to here may have given.
    let mut given = vec![false; argv.len() + 1];
    given[0] = true;
    for word in left {
        let mut next = vec![false; given.len()];
        match word.as_str() {
            None => return false,
            Some("*") => {
                let first = given.iter().position(|is_given| *is_given).unwrap_or(given.len());
                next[first..].fill(true);
            }
            Some(word) => {
                for (at, own) in argv.iter().enumerate() {
                    next[at + 1] = given[at] && (word == "?" || word == own);
                }
            }
        }
        given = next;
    }
    given.last() == Some(&true)
}

/// A directory's name need be no text.
fn cwd(path: &Path) -> String {
    digest("", OsStr::as_bytes(path.as_os_str()))
}

fn digest(salt: &str, bytes: &[u8]) -> String {
    name(&[salt.as_bytes(), bytes])
}

fn name(parts: &[&[u8]]) -> String {
    let mut hasher = blake3::Hasher::new_derive_key("embargo act, word");
    for part in parts {
        hasher.update(&(part.len() as u64).to_le_bytes()).update(part);
    }
    hex(&hasher.finalize().as_bytes()[..16])
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
