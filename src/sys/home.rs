//! The home record: a small file in a shim directory that says where the policy,
//! the state and the cache are, so that no variable of the caller can move them.

use std::fmt::Write as _;
use std::io;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

use super::processes::SessionProcess;

/// Name of the record inside a shim directory.
pub const RECORD: &str = ".embargo-home";

const FIRST_LINE: &str = "embargo home 1";

/// What a record of any form begins with.
const ANY_FORM: &[u8] = b"embargo home ";

/// What a shim directory knows of whom it works for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HomeRecord {
    /// The user who owns the state.
    pub owner: u32,
    pub config: PathBuf,
    pub state: PathBuf,
    pub cache: PathBuf,
    /// Where `embargo run`, and each that was started below it, began: the policies of those
    /// projects hold wherever one goes.
    pub starts: Vec<PathBuf>,
    /// Named policies (`--policy`).
    pub policies: Vec<PathBuf>,
    /// The process that `embargo run` became.
    pub session: Option<SessionProcess>,
}

/// Why there is no usable record.
#[derive(Debug)]
pub enum RecordError {
    Unreadable(io::Error),
    /// Not a record, or a damaged one: the line that was not understood.
    NotUnderstood(String),
    /// Its first line, of another form: a newer embargo's, since ours is the first.
    Newer(String),
    /// Somebody else could have written it.
    NotTrusted,
}

impl HomeRecord {
    /// Reads the record of a shim directory; `None` when there is none.
    pub fn read(directory: &Path) -> Result<Option<Self>, RecordError> {
        let file = match super::sources::open_to_read(&directory.join(RECORD)) {
            Ok(file) => file,
            Err(e)
                if matches!(e.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) =>
            {
                return Ok(None);
            }
            Err(e) => return Err(RecordError::Unreadable(e)),
        };
        let stat = rustix::fs::fstat(&file).map_err(|e| RecordError::Unreadable(e.into()))?;
        let text = read(&file, stat.st_size).map_err(RecordError::Unreadable)?;
        let record = Self::parse(&text)?;
        let writer = stat.st_uid;
        let me = rustix::process::geteuid().as_raw();
        if ![0, me, record.owner].contains(&writer) || stat.st_mode & 0o022 != 0 {
            return Err(RecordError::NotTrusted);
        }
        Ok(Some(record))
    }

    /// The record as it is written: a line per fact, `%` escapes for line feeds, tabs and `%`.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut text = format!("{FIRST_LINE}\nowner {}\n", self.owner).into_bytes();
        let mut path = |key: &str, value: &Path| {
            text.extend_from_slice(key.as_bytes());
            text.push(b' ');
            escape(value.as_os_str().as_bytes(), &mut text);
            text.push(b'\n');
        };
        path("config", &self.config);
        path("state", &self.state);
        path("cache", &self.cache);
        self.starts.iter().for_each(|p| path("start", p));
        self.policies.iter().for_each(|p| path("policy", p));
        if let Some(session) = self.session {
            text.extend_from_slice(
                format!("session {}:{}\n", session.pid, session.start).as_bytes(),
            );
        }
        text
    }

    /// Reads the form of [`HomeRecord::to_bytes`]; a key that is not known is an error.
    pub fn parse(text: &[u8]) -> Result<Self, RecordError> {
        let mut lines = text.split(|b| *b == b'\n').filter(|line| !line.is_empty());
        let not_understood =
            |line: &[u8]| RecordError::NotUnderstood(String::from_utf8_lossy(line).into_owned());
        match lines.next() {
            Some(line) if line == FIRST_LINE.as_bytes() => {}
            Some(line) if is_another_form(line) => {
                return Err(RecordError::Newer(String::from_utf8_lossy(line).into_owned()));
            }
            other => return Err(not_understood(other.unwrap_or_default())),
        }
        let mut owner = None;
        let (mut config, mut state, mut cache) = (None, None, None);
        let (mut starts, mut policies) = (Vec::new(), Vec::new());
        let mut session = None;
        for line in lines {
            let split = line.iter().position(|b| *b == b' ').ok_or_else(|| not_understood(line))?;
            let (key, value) = (&line[..split], &line[split + 1..]);
            let number = || std::str::from_utf8(value).ok().and_then(|v| v.parse().ok());
            match key {
                b"owner" => owner = number(),
                b"config" => config = Some(unescape(value)),
                b"state" => state = Some(unescape(value)),
                b"cache" => cache = Some(unescape(value)),
                b"start" => starts.push(unescape(value)),
                b"policy" => policies.push(unescape(value)),
                b"session" => session = std::str::from_utf8(value).ok().and_then(parse_session),
                _ => return Err(not_understood(line)),
            }
        }
        match (owner, config, state, cache) {
            (Some(owner), Some(config), Some(state), Some(cache)) => {
                Ok(HomeRecord { owner, config, state, cache, starts, policies, session })
            }
            _ => Err(RecordError::NotUnderstood("owner, config, state or cache is missing".into())),
        }
    }
}

fn is_another_form(line: &[u8]) -> bool {
    line.strip_prefix(ANY_FORM)
        .is_some_and(|form| !form.is_empty() && form.iter().all(u8::is_ascii_digit))
}

/// A record is small: what is larger is none.
fn read(file: &std::fs::File, size: impl TryInto<usize>) -> io::Result<Vec<u8>> {
    use std::os::unix::fs::FileExt as _;
    const LARGEST: usize = 64 << 10;
    let size = size.try_into().ok().filter(|size| *size <= LARGEST);
    let mut text = vec![0; size.ok_or(io::ErrorKind::FileTooLarge)?];
    file.read_exact_at(&mut text, 0)?;
    Ok(text)
}

fn parse_session(text: &str) -> Option<SessionProcess> {
    let (pid, start) = text.split_once(':')?;
    Some(SessionProcess { pid: pid.parse().ok()?, start: start.parse().ok()? })
}

/// Line feeds, tabs and `%` as `%` and two digits.
pub(super) fn escape(bytes: &[u8], out: &mut Vec<u8>) {
    for byte in bytes {
        match byte {
            b'%' | b'\n' | b'\t' => {
                let mut code = String::new();
                // Writing into a String cannot fail.
                let _ = write!(code, "%{byte:02x}");
                out.extend_from_slice(code.as_bytes());
            }
            _ => out.push(*byte),
        }
    }
}

pub(super) fn unescape(bytes: &[u8]) -> PathBuf {
    let mut out = Vec::with_capacity(bytes.len());
    let mut rest = bytes;
    while let Some((byte, more)) = rest.split_first() {
        let code = (*byte == b'%').then(|| more.get(..2)).flatten();
        match code
            .and_then(|c| std::str::from_utf8(c).ok())
            .and_then(|c| u8::from_str_radix(c, 16).ok())
        {
            Some(decoded) => {
                out.push(decoded);
                rest = &more[2..];
            }
            None => {
                out.push(*byte);
                rest = more;
            }
        }
    }
    PathBuf::from(std::ffi::OsString::from_vec(out))
}
