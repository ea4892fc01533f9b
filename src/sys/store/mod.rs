//! A store of ours: directory, lock and database, opened without following links and
//! without leaving anything where we have no business. What is in it, its kind says.

mod error;
pub mod schema;

use std::fs::{DirBuilder, File, Metadata, OpenOptions, TryLockError};
use std::io;
use std::os::fd::AsRawFd;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::thread::sleep;
use std::time::{Duration, Instant};

use rusqlite::{Connection, Error, OpenFlags, Transaction, TransactionBehavior};

pub use error::StoreError;

const PATIENCE: Duration = Duration::from_secs(2);

/// Which of our stores.
#[derive(Debug)]
pub struct Kind {
    /// Names of its files in the state directory.
    pub database: &'static str,
    pub lock: &'static str,
    /// Marks the database as ours and of this kind.
    pub application: i64,
    /// Step n leads from schema n to n + 1; nothing is ever edited, only added.
    pub steps: &'static [&'static str],
}

/// An open store. For writing it holds the lock; the connection is closed first.
#[derive(Debug)]
pub struct Store {
    pub connection: Connection,
    kind: &'static Kind,
    path: PathBuf,
    _lock: Option<File>,
}

impl Store {
    /// Takes the lock, then opens; makes whatever is missing.
    pub fn for_writing(kind: &'static Kind, state: &Path) -> Result<Self, StoreError> {
        Self::within(kind, state, PATIENCE)
    }

    /// The same, where nobody holds the lock.
    pub fn if_free(kind: &'static Kind, state: &Path) -> Result<Self, StoreError> {
        Self::within(kind, state, Duration::ZERO)
    }

    fn within(kind: &'static Kind, state: &Path, patience: Duration) -> Result<Self, StoreError> {
        let _low = low_descriptors();
        make_directory(state)?;
        let state = state.canonicalize().map_err(|e| StoreError::io(state, &e))?;
        is_ours(&state, &metadata(&state)?)?;
        let lock = lock(kind, &state, true, patience)?;
        let path = state.join(kind.database);
        match path.symlink_metadata() {
            Ok(found) => is_ours(&path, &is_database(&path, found)?)?,
            Err(e) if e.kind() == io::ErrorKind::NotFound => make_file(&path)?,
            Err(e) => return Err(StoreError::io(&path, &e)),
        }
        Self::writable(kind, path, lock)
    }

    /// Opens to read only; `None` where nothing was ever written. Makes nothing.
    pub fn for_reading(kind: &'static Kind, state: &Path) -> Result<Option<Self>, StoreError> {
        let state = match state.canonicalize() {
            Ok(state) => state,
            Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(e) => return Err(StoreError::io(state, &e)),
        };
        let path = state.join(kind.database);
        match path.symlink_metadata() {
            Ok(found) => is_database(&path, found)?,
            Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(e) => return Err(StoreError::io(&path, &e)),
        };
        let open = || {
            let connection = connect(&path, OpenFlags::SQLITE_OPEN_READ_ONLY)?;
            let schema = schema::check(kind, &connection, |e| StoreError::sqlite(&path, e))?;
            let store = Store { connection, kind, path: path.clone(), _lock: None };
            Ok((schema > 0).then_some(store))
        };
        match open() {
            // A writer was killed: SQLite takes its half back when the store is next opened to write.
            Err(StoreError::Unfinished) => {
                let mended = lock(kind, &state, false, PATIENCE)
                    .and_then(|l| Self::writable(kind, path.clone(), l));
                mended.map_err(|_| StoreError::Unfinished)?.touch()?;
                open()
            }
            other => other,
        }
    }

    fn writable(kind: &'static Kind, path: PathBuf, lock: File) -> Result<Self, StoreError> {
        let connection = connect(&path, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
        let pragmas = "PRAGMA journal_mode = TRUNCATE; PRAGMA synchronous = FULL;";
        connection.execute_batch(pragmas).map_err(|e| StoreError::sqlite(&path, &e))?;
        Ok(Store { connection, kind, path, _lock: Some(lock) })
    }

    fn touch(&self) -> Result<(), StoreError> {
        self.connection.execute_batch("BEGIN IMMEDIATE; ROLLBACK;").map_err(|e| self.error(&e))
    }

    pub fn error(&self, error: &Error) -> StoreError {
        StoreError::sqlite(&self.path, error)
    }

    /// Begins a write, in the current schema.
    pub fn begin(&mut self) -> Result<Transaction<'_>, StoreError> {
        let error = |e: &Error| StoreError::sqlite(&self.path, e);
        let begun = self.connection.transaction_with_behavior(TransactionBehavior::Immediate);
        let transaction = begun.map_err(|e| error(&e))?;
        schema::ensure(self.kind, &transaction, error)?;
        Ok(transaction)
    }

    pub fn path(&self) -> &Path {
        &self.path
    }
}

fn connect(path: &Path, mode: OpenFlags) -> Result<Connection, StoreError> {
    let flags = mode | OpenFlags::SQLITE_OPEN_NOFOLLOW | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let error = |e: &Error| StoreError::sqlite(path, e);
    let connection = Connection::open_with_flags(path, flags).map_err(|e| error(&e))?;
    connection.busy_timeout(PATIENCE).map_err(|e| error(&e))?;
    Ok(connection)
}

/// The lock that every writer takes before it opens: SQLite's own back-off let one
/// of fifty writers wait six times as long.
fn lock(kind: &Kind, state: &Path, make: bool, patience: Duration) -> Result<File, StoreError> {
    let path = state.join(kind.lock);
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(make).mode(0o600);
    options.custom_flags(libc::O_NOFOLLOW | libc::O_NONBLOCK);
    let file = options.open(&path).map_err(|e| StoreError::io(&path, &e))?;
    let found = file.metadata().map_err(|e| StoreError::io(&path, &e))?;
    is_ours(&path, &is_file(&path, found)?)?;
    let end = Instant::now() + patience;
    let mut pause = Duration::from_micros(300);
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(file),
            Err(TryLockError::Error(e)) => return Err(StoreError::io(&path, &e)),
            Err(TryLockError::WouldBlock) if Instant::now() >= end => {
                return Err(StoreError::Locked);
            }
            Err(TryLockError::WouldBlock) => sleep(pause),
        }
        pause = (pause * 2).min(Duration::from_millis(5));
    }
}

fn make_directory(state: &Path) -> Result<(), StoreError> {
    if state.is_dir() {
        return Ok(());
    }
    if let Some(above) = state.ancestors().skip(1).find(|p| p.exists()) {
        // Root must not leave directories behind that their user cannot remove.
        let found = metadata(above)?;
        if rustix::process::geteuid().is_root() && found.uid() != 0 {
            return Err(StoreError::NotOurs(above.to_owned()));
        }
    }
    let made = DirBuilder::new().recursive(true).mode(0o700).create(state);
    made.map_err(|e| StoreError::io(state, &e))
}

/// An empty file is an empty database; the mode does not depend on the umask.
fn make_file(path: &Path) -> Result<(), StoreError> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true).mode(0o600).custom_flags(libc::O_NOFOLLOW);
    let made = options.open(path).and_then(|f| f.set_permissions(PermissionsExt::from_mode(0o600)));
    made.map_err(|e| StoreError::io(path, &e))
}

fn metadata(path: &Path) -> Result<Metadata, StoreError> {
    path.metadata().map_err(|e| StoreError::io(path, &e))
}

fn is_file(path: &Path, found: Metadata) -> Result<Metadata, StoreError> {
    match found.file_type() {
        kind if kind.is_file() => Ok(found),
        kind if kind.is_symlink() => Err(StoreError::Link(path.to_owned())),
        _ => Err(StoreError::NotAFile(path.to_owned())),
    }
}

/// SQLite takes less than a header for nothing, and would write over it.
fn is_database(path: &Path, found: Metadata) -> Result<Metadata, StoreError> {
    const SMALLEST: u64 = 512;
    let found = is_file(path, found)?;
    if (1..SMALLEST).contains(&found.len()) {
        return Err(StoreError::Damaged("it is too short to be a database".into()));
    }
    Ok(found)
}

fn is_ours(path: &Path, found: &Metadata) -> Result<(), StoreError> {
    if found.uid() == rustix::process::geteuid().as_raw() {
        return Ok(());
    }
    Err(StoreError::NotOurs(path.to_owned()))
}

/// SQLite fills closed descriptors 0 to 2 and lets the next program inherit them:
/// ours fill them meanwhile, and are closed again.
fn low_descriptors() -> Vec<File> {
    let nulls = std::iter::from_fn(|| File::open("/dev/null").ok());
    nulls.take(4).take_while(|file| file.as_raw_fd() < 3).collect()
}
