//! The policy view of a call: the mapped one while its sources are unchanged,
//! else compiled anew and published for the next.

use std::cell::RefCell;
use std::ffi::OsStr;
use std::fs::{DirBuilder, File, OpenOptions};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::{self, Write as _};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

use crate::config::SourceText;
use crate::policy::Layer;
use crate::view::{
    BUILD_ID, Contents, Distrust, Read, SourceRecord, Standing, View, compile, encode, is_current,
};

use super::context::Context;
use super::raw::Mapped;
use super::sources;

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
    let file = context.cache().map(|cache| view_path(cache, found));
    let kept = file.as_deref().and_then(|file| open(file, context));
    let last_good = match kept {
        None => Vec::new(),
        Some(map) => match View::open(&map) {
            Ok(view) if current(&view, found) => return Ok(ViewBytes::Mapped(map)),
            Ok(view) => view.texts(),
            Err(_) => Vec::new(),
        },
    };
    let bytes = encode(&contents(context, found, &last_good)?);
    if let Some(file) = file.filter(|_| context.may_write()) {
        // A view that cannot be kept is compiled again next time; the verdict is the same.
        let _ = publish(&file, &bytes);
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
    let path = |record: &SourceRecord| PathBuf::from(OsStr::from_bytes(&record.path));
    let files: Vec<Read> = found
        .iter()
        .map(|record| Read {
            path: path(record),
            layer: record.layer,
            bytes: std::fs::read(path(record)).map_err(|e| e.to_string()),
        })
        .collect();
    let descriptions: Vec<SourceText> = drawn
        .borrow()
        .iter()
        .map(path)
        .filter(|p| p.extension().is_some_and(|e| e == "toml"))
        .filter_map(|p| {
            let bytes = std::fs::read(&p).ok()?;
            Some(SourceText { shown: p.display().to_string(), path: p, layer: Layer::User, bytes })
        })
        .collect();
    let read = |path: &Path| {
        let record = SourceRecord {
            path: path.as_os_str().as_bytes().to_vec(),
            layer: Layer::Project,
            standing: Standing::Drawn,
            identity: sources::identity(path),
        };
        drawn.borrow_mut().push(record);
        std::fs::read(path).map_err(|e| e.to_string())
    };
    let mut contents = compile(&files, &descriptions, last_good, read)?;
    contents.sources = found.to_vec();
    contents.sources.extend(drawn.into_inner());
    Ok(contents)
}

/// The view's file: by build and by the list of files found, not by directory.
fn view_path(cache: &Path, found: &[SourceRecord]) -> PathBuf {
    let mut hasher = DefaultHasher::new();
    for source in found {
        (source.layer, &source.path).hash(&mut hasher);
    }
    cache.join("views").join(format!("{BUILD_ID}-{:016x}", hasher.finish()))
}

/// Maps a kept view, if nobody but us, root or the owner of the state can have written it.
fn open(file: &Path, context: &Context) -> Option<Mapped> {
    let file = File::open(file).ok()?;
    let stat = rustix::fs::fstat(&file).ok()?;
    let trusted = [0, context.user, context.owner()].contains(&stat.st_uid);
    (trusted && stat.st_mode & 0o022 == 0 && stat.st_size > 0).then(|| Mapped::new(&file).ok())?
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

/// Writes beside and renames in: a reader has the old view or the new one, whole.
fn publish(file: &Path, bytes: &[u8]) -> io::Result<()> {
    let Some(directory) = file.parent() else { return Ok(()) };
    DirBuilder::new().recursive(true).mode(0o700).create(directory)?;
    let mut name = file.as_os_str().to_owned();
    name.push(format!(".{}", std::process::id()));
    let beside = PathBuf::from(name);
    let written = OpenOptions::new()
        .write(true)
        .create(true)
        .truncate(true)
        .mode(0o600)
        .open(&beside)
        .and_then(|mut f| f.write_all(bytes))
        .and_then(|()| std::fs::rename(&beside, file));
    if written.is_err() {
        let _ = std::fs::remove_file(&beside);
    }
    written
}
