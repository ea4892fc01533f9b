//! What a path holds now: digests of files and trees, links on both ends.

use std::fs::{File, Metadata};
use std::io::{self, Read as _};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use bstr::BString;

use crate::seal::{Class, Member, Object};
use crate::sys::touch;

/// One read. SIMD works on pieces of 16 KiB and more.
const PIECE: usize = 128 << 10;

/// A path as it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Seen {
    pub object: Object,
    /// What a link leads to, if that is there.
    pub target: Option<BString>,
    pub inode: (u64, u64),
    /// Of a directory.
    pub members: Vec<Member>,
}

/// Looks at a canonical path and reads all of it. Of a tree root what git ignores is no part,
/// and of a reset root nothing is.
pub fn observe(path: &Path, class: Class) -> io::Result<Seen> {
    let found = path.symlink_metadata()?;
    let mut seen = Seen {
        object: object(path, &found)?,
        target: None,
        inode: (found.dev(), found.ino()),
        members: Vec::new(),
    };
    if found.is_symlink() {
        seen.target = path.canonicalize().ok().map(|t| bytes(&t));
    }
    if found.is_dir() && class != Class::ResetRoot {
        let ignored = if class == Class::TreeRoot { touch::ignored(path) } else { Vec::new() };
        tree(path, b"", &ignored, &mut seen.members)?;
        let mut hasher = blake3::Hasher::new_derive_key("embargo seal, tree");
        seen.members.iter().for_each(|member| put(&mut hasher, member));
        let files = seen.members.len() as u64;
        seen.object = Object::Tree { digest: hasher.finalize().into(), files };
    }
    Ok(seen)
}

/// A link, a file, or a directory without what is in it.
fn object(path: &Path, found: &Metadata) -> io::Result<Object> {
    if found.is_symlink() {
        return Ok(Object::Link { to: bytes(&std::fs::read_link(path)?) });
    }
    if found.is_dir() {
        return Ok(Object::Tree { digest: [0; 32], files: 0 });
    }
    let modified = found.mtime().saturating_mul(1_000_000_000).saturating_add(found.mtime_nsec());
    Ok(Object::File {
        digest: file(path, found)?,
        size: found.len(),
        mode: found.mode() & 0o7777,
        modified_ns: modified,
    })
}

/// Files and links by their names in order. Sockets and pipes hold nothing.
fn tree(
    directory: &Path,
    below: &[u8],
    ignored: &[PathBuf],
    members: &mut Vec<Member>,
) -> io::Result<()> {
    let entries: io::Result<Vec<_>> = std::fs::read_dir(directory)?.collect();
    let mut names: Vec<_> = entries?.into_iter().map(|entry| entry.file_name()).collect();
    names.sort();
    for name in names {
        let path = directory.join(&name);
        if ignored.contains(&path) {
            continue;
        }
        let found = path.symlink_metadata()?;
        let own = [below, name.as_bytes()].concat();
        if found.is_dir() {
            tree(&path, &[&own[..], b"/"].concat(), ignored, members)?;
        } else if found.is_symlink() || found.is_file() {
            let inode = (found.dev(), found.ino());
            members.push(Member { path: own.into(), object: object(&path, &found)?, inode });
        }
    }
    Ok(())
}

/// No two trees give the same bytes.
fn put(hasher: &mut blake3::Hasher, member: &Member) {
    let mut part = |bytes: &[u8]| {
        hasher.update(&(bytes.len() as u64).to_le_bytes()).update(bytes);
    };
    part(&member.path);
    match &member.object {
        Object::File { digest, mode, .. } => {
            part(&mode.to_le_bytes());
            part(digest);
        }
        Object::Link { to } => part(to),
        Object::Tree { .. } => {}
    }
}

fn file(path: &Path, found: &Metadata) -> io::Result<[u8; 32]> {
    if !found.is_file() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "it is no regular file"));
    }
    let mut hasher = blake3::Hasher::new();
    let mut file = File::open(path)?;
    let mut piece = vec![0; usize::try_from(found.len() + 1).unwrap_or(PIECE).min(PIECE)];
    loop {
        match file.read(&mut piece) {
            Ok(0) => return Ok(hasher.finalize().into()),
            Ok(count) => drop(hasher.update(piece.get(..count).unwrap_or_default())),
            Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
            Err(e) => return Err(e),
        }
    }
}

fn bytes(path: &Path) -> BString {
    path.as_os_str().as_bytes().into()
}
