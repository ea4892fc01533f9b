//! The ledger as shims see it: a mapped index beside it, there only while it is current.

use std::fs::{File, OpenOptions};
use std::io::{self, ErrorKind, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

use super::renew;
use super::schema::LEDGER;
use crate::seal::{Index, encode};
use crate::sys::context::Context;
use crate::sys::raw::Mapped;
use crate::sys::store::StoreError;
use crate::sys::{clock, sources};

const VIEW: &str = "ledger.view";

/// What is sealed, for one decision.
#[derive(Debug)]
pub enum Held {
    Mapped(Mapped),
    /// Read from the ledger just now.
    Fresh(Vec<u8>),
}

impl Held {
    /// The bytes, for [`Index::open`].
    pub fn bytes(&self) -> &[u8] {
        match self {
            Held::Mapped(map) => map,
            Held::Fresh(bytes) => bytes,
        }
    }
}

/// What is sealed; `None` where nothing is. An error: nobody can say.
pub fn held(context: &Context) -> Result<Option<Held>, StoreError> {
    let Some(state) = context.state() else { return Ok(None) };
    if let Some(map) = open(&state.join(VIEW), context)
        && let Ok(index) = Index::open(&map)
    {
        return Ok((!index.is_empty()).then_some(Held::Mapped(map)));
    }
    match state.join(LEDGER.database).symlink_metadata() {
        Ok(_) => {}
        Err(e) if matches!(e.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
            return Ok(None);
        }
        // Whom the state does not belong to need not be able to look.
        Err(_) if !context.may_write() => return Ok(None),
        Err(e) => return Err(StoreError::io(state, &e)),
    }
    let entries = super::read_entries(state)?;
    if context.may_write() {
        // The next call has a view again. It must be the ledger's of now: under the lock.
        let _ = renew(state);
    }
    Ok((!entries.is_empty()).then(|| Held::Fresh(encode(&entries))))
}

/// The same without believing the view: it is damaged.
pub fn held_by_ledger(context: &Context) -> Result<Option<Held>, StoreError> {
    let Some(state) = context.state() else { return Ok(None) };
    let entries = super::read_entries(state)?;
    Ok((!entries.is_empty()).then(|| Held::Fresh(encode(&entries))))
}

/// Maps a view, if nobody but us, root or the owner of the state can have written it.
fn open(file: &Path, context: &Context) -> Option<Mapped> {
    let file = sources::open_to_read(file).ok()?;
    let stat = rustix::fs::fstat(&file).ok()?;
    let trusted = [0, context.user, context.owner()].contains(&stat.st_uid);
    let size = usize::try_from(stat.st_size).ok().filter(|size| *size > 0)?;
    (trusted && stat.st_mode & 0o022 == 0).then(|| Mapped::new(&file, size).ok())?
}

/// Before a commit: from here on the ledger is read, whatever becomes of us.
pub(super) fn take_away(state: &Path) -> Result<(), StoreError> {
    let path = state.join(VIEW);
    match std::fs::remove_file(&path) {
        Ok(()) => sync(state).map_err(|e| StoreError::io(state, &e)),
        Err(e) if e.kind() == ErrorKind::NotFound => Ok(()),
        Err(e) => Err(StoreError::io(&path, &e)),
    }
}

/// After it, under the same lock.
pub(super) fn publish(state: &Path, bytes: &[u8]) -> io::Result<()> {
    let beside = state.join(format!("{VIEW}.{}-{}", std::process::id(), clock::now_ns()));
    sweep(state);
    let mut options = OpenOptions::new();
    options.write(true).create_new(true).mode(0o600).custom_flags(libc::O_NOFOLLOW);
    let written = options
        .open(&beside)
        .and_then(|mut file| file.write_all(bytes).and_then(|()| file.sync_data()))
        .and_then(|()| std::fs::rename(&beside, state.join(VIEW)));
    if written.is_err() {
        let _ = std::fs::remove_file(&beside);
    }
    written
}

/// What publishers that were killed have left: we hold the lock, so none of them is at work.
fn sweep(state: &Path) {
    let names = sources::names(state).unwrap_or_default();
    let left = names
        .iter()
        .filter(|name| name.strip_prefix(VIEW).is_some_and(|rest| rest.starts_with('.')));
    left.map(|name| state.join(name)).for_each(|path: PathBuf| drop(std::fs::remove_file(path)));
}

fn sync(directory: &Path) -> io::Result<()> {
    File::open(directory)?.sync_all()
}
