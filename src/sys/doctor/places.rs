//! Directories of embargo: whether they are there, whose they are, and whether this process
//! may write there. Nothing is made to find out.

use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::Path;

use rustix::fs::{AtFlags, CWD, accessat};
use rustix::io::Errno;

use crate::doctor::{Access, Stands};

/// What is at this path. `file` is one inside, where that alone may be forbidden.
pub fn place(path: &Path, file: Option<&str>) -> Stands {
    match path.metadata() {
        Ok(found) if found.is_dir() => {
            let inside = file.map(|file| path.join(file)).filter(|file| file.exists());
            Stands::Directory {
                owner: found.uid(),
                mode: found.permissions().mode() & 0o7777,
                denied: denied(path).or_else(|| denied(&inside?)),
            }
        }
        Ok(_) => Stands::Something,
        Err(_) if path.is_symlink() => Stands::Something,
        Err(_) => {
            let above = path.ancestors().skip(1).find(|above| above.exists());
            Stands::Absent { denied: above.and_then(denied) }
        }
    }
}

/// Why this process may not write there; entering counts for a directory.
fn denied(path: &Path) -> Option<Access> {
    let wanted = match path.is_dir() {
        true => rustix::fs::Access::WRITE_OK | rustix::fs::Access::EXEC_OK,
        false => rustix::fs::Access::WRITE_OK,
    };
    match accessat(CWD, path, wanted, AtFlags::EACCESS) {
        Ok(()) => None,
        Err(Errno::ROFS) => Some(Access::ReadOnly),
        Err(_) => Some(Access::Denied),
    }
}
