//! The policy view of a call: the mapped one while its sources are unchanged,
//! else compiled anew and published for the next.

use std::cell::RefCell;
use std::ffi::OsStr;
use std::fs::{DirBuilder, DirEntry, OpenOptions};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::{self, Write as _};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::policy::Layer;
use crate::view::{
    BUILD_ID, Contents, Distrust, Identity, Read, SourceRecord, Standing, View, compile, encode,
    is_current,
};

use super::context::Context;
use super::raw::{Ignored, Mapped};
use super::{clock, sources};

/// The bytes of a current view.
#[derive(Debug)]
pub enum ViewBytes {
    Mapped(Mapped),
    /// Compiled just now.
    Fresh(Vec<u8>),
}

impl ViewBytes {
    /// The bytes, for [`View::open`].
    pub fn bytes(&self) -> &[u8] {
        match self {
            ViewBytes::Mapped(map) => map,
            ViewBytes::Fresh(bytes) => bytes,
        }
    }
}

/// Gets the view for these sources. An error is what exit 88 says.
pub fn get(context: &Context, found: &[SourceRecord]) -> Result<ViewBytes, Distrust> {
    let file = view_path(context, found);
    let Some(kept) = file.as_deref().and_then(|file| open(file, context)) else {
        return compile_and_keep(context, found, file.as_deref(), &[]);
    };
    let last_good = match View::open(&kept) {
        Ok(view) if current(&view, found) => return Ok(ViewBytes::Mapped(kept)),
        Ok(view) => view.texts(),
        Err(_) => Vec::new(),
    };
    compile_and_keep(context, found, file.as_deref(), &last_good)
}

/// The same without believing the one that is kept: it is damaged.
pub fn renew(context: &Context, found: &[SourceRecord]) -> Result<ViewBytes, Distrust> {
    compile_and_keep(context, found, view_path(context, found).as_deref(), &[])
}

fn compile_and_keep(
    context: &Context,
    found: &[SourceRecord],
    file: Option<&Path>,
    last_good: &[(Vec<u8>, Vec<u8>)],
) -> Result<ViewBytes, Distrust> {
    let bytes = encode(&contents(context, found, last_good)?);
    if let Some(file) = file.filter(|_| context.may_write()) {
        // A view that cannot be kept is compiled again next time; the verdict is the same.
        let _ = publish(file, &bytes);
    }
    Ok(ViewBytes::Fresh(bytes))
}

/// Compiles the sources, without looking at what is kept.
pub fn contents(
    context: &Context,
    found: &[SourceRecord],
    last_good: &[(Vec<u8>, Vec<u8>)],
) -> Result<Contents, Distrust> {
    let drawn = RefCell::new(sources::descriptions(context));
    let now = clock::now_ns();
    let files: Vec<Read> = found.iter().map(sources::read).collect();
    let descriptions = sources::read_descriptions(&drawn.borrow());
    let read = |path: &Path| {
        let record = SourceRecord {
            path: path.as_os_str().as_bytes().to_vec(),
            layer: Layer::Project,
            standing: Standing::Drawn,
            identity: sources::identity(path),
        };
        drawn.borrow_mut().push(record);
        sources::read_file(path)
    };
    let mut contents = compile(&files, &descriptions, last_good, read)?;
    contents.sources = found.to_vec();
    contents.sources.extend(drawn.into_inner());
    for source in &mut contents.sources {
        // Another write may leave it looking the same: it is read again next time.
        source.identity =
            source.identity.map(|it| if it.is_young(now) { Identity::NONE } else { it });
    }
    Ok(contents)
}

/// The view's file: by build, by the list of files found and by where the user's command
/// descriptions are; not by directory.
fn view_path(context: &Context, found: &[SourceRecord]) -> Option<PathBuf> {
    let mut hasher = DefaultHasher::new();
    context.config().hash(&mut hasher);
    for source in found {
        (source.layer, &source.path).hash(&mut hasher);
    }
    // No `format!`: what stands behind it lies on pages that a pass needs for nothing else.
    let digit = |at: u32| char::from_digit((hasher.finish() >> (60 - 4 * at)) as u32 & 15, 16);
    let name = BUILD_ID.chars().chain(['-']).chain((0..16).filter_map(digit)).collect::<String>();
    Some(context.cache()?.join("views").join(name))
}

/// Maps a kept view, if nobody but us, root or the owner of the state can have written it.
fn open(file: &Path, context: &Context) -> Option<Mapped> {
    let file = super::sources::open_to_read(file).ok()?;
    let stat = rustix::fs::fstat(&file).ok()?;
    let trusted = [0, context.user, context.owner()].contains(&stat.st_uid);
    let size = usize::try_from(stat.st_size).ok().filter(|size| *size > 0)?;
    (trusted && stat.st_mode & 0o022 == 0).then(|| Mapped::new(&file, size).ok())?
}

/// Are the sources those of the view, unchanged?
fn current(view: &View<'_>, found: &[SourceRecord]) -> bool {
    let Ok(recorded) = view.sources() else { return false };
    let (listed, drawn): (Vec<_>, Vec<_>) =
        recorded.iter().partition(|s| s.standing == Standing::Found);
    listed.len() == found.len()
        && listed.iter().zip(found).all(|(then, now)| {
            then.path == now.path
                && then.layer == now.layer
                && is_current(then.identity.as_ref(), now.identity.as_ref())
        })
        && drawn.iter().all(|then| {
            let now = sources::identity(Path::new(OsStr::from_bytes(&then.path)));
            is_current(then.identity.as_ref(), now.as_ref())
        })
}

/// Writes beside and renames in: a reader has the old view or the new one, whole, even when
/// the machine or the writer dies in between.
fn publish(file: &Path, bytes: &[u8]) -> io::Result<()> {
    let Some(directory) = file.parent() else { return Ok(()) };
    make_directory(directory)?;
    sweep(directory);
    let mut name = file.as_os_str().to_owned();
    // Containers that share a home have the same process ids.
    name.push(format!(".{}-{}", std::process::id(), clock::now_ns()));
    let beside = PathBuf::from(name);
    // Beyond the limit on file sizes a write fails, and the call goes on without us.
    let _limit = Ignored::new(libc::SIGXFSZ);
    let written = OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(&beside)
        .and_then(|mut f| f.write_all(bytes).and_then(|()| f.sync_data()))
        .and_then(|()| std::fs::rename(&beside, file));
    if written.is_err() {
        let _ = std::fs::remove_file(&beside);
    }
    written
}

fn make_directory(directory: &Path) -> io::Result<()> {
    let above = directory.ancestors().find_map(|dir| dir.metadata().ok());
    // Root must not leave directories behind that their user cannot remove.
    if rustix::process::geteuid().is_root() && above.is_some_and(|found| found.uid() != 0) {
        return Err(io::ErrorKind::PermissionDenied.into());
    }
    DirBuilder::new().recursive(true).mode(0o700).create(directory)
}

/// Takes away what publishers that were killed have left.
fn sweep(directory: &Path) {
    const MINUTE: Duration = Duration::from_secs(60);
    let Ok(entries) = std::fs::read_dir(directory) else { return };
    let is_beside = |entry: &DirEntry| entry.file_name().as_bytes().contains(&b'.');
    let is_old = |entry: &DirEntry| {
        let modified = entry.metadata().and_then(|found| found.modified());
        modified.is_ok_and(|at| at.elapsed().is_ok_and(|age| age > MINUTE))
    };
    for entry in entries.filter_map(Result::ok).filter(is_beside).filter(is_old) {
        let _ = std::fs::remove_file(entry.path());
    }
}
