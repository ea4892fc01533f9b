//! Where things are for this call: from the home record first; variables add
//! places, and never hide what is recorded.

use std::ffi::{OsStr, OsString};
use std::io::ErrorKind::PermissionDenied;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use directories::ProjectDirs;
use rustix::io::Errno;

use super::executed::Executed;
use super::home::{HomeRecord, RecordError};

/// Configuration, state and cache directories of embargo for one user.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Places {
    pub config: PathBuf,
    pub state: PathBuf,
    pub cache: PathBuf,
    /// Where shim directories are kept.
    pub data: PathBuf,
}

/// Everything outside argv that a call depends on.
#[derive(Debug, Clone)]
pub struct Context {
    /// The shim directory that the record was found in.
    pub shims: Option<PathBuf>,
    pub record: Option<HomeRecord>,
    /// What the variables say; `None` without a home.
    pub by_variables: Option<Places>,
    /// Absolute and without links; where it was, when it has been removed.
    pub cwd: Option<PathBuf>,
    /// `EMBARGO_POLICY` and `--policy`.
    pub named: Vec<PathBuf>,
    pub user: u32,
}

impl Places {
    /// By convention and variables. A home that is relative is none: it would be another one
    /// in each directory.
    pub fn by_variables() -> Option<Self> {
        let dirs = ProjectDirs::from("", "", "embargo")?;
        let data = dirs.data_local_dir().to_owned();
        let places = Places {
            config: dirs.config_dir().to_owned(),
            state: dirs.state_dir().map_or_else(|| data.join("state"), Path::to_owned),
            cache: dirs.cache_dir().to_owned(),
            data,
        };
        let all = [&places.config, &places.state, &places.cache, &places.data];
        let is_absolute = all.into_iter().all(|path| path.is_absolute());
        is_absolute.then_some(places)
    }

    /// The one stable shim directory of a user.
    pub fn shims(&self) -> PathBuf {
        self.data.join("shims")
    }
}

impl Context {
    /// For a shim: the record of the executed file's directory, or of one that its links lead through.
    pub fn of_shim(us: &Executed) -> Result<Self, (PathBuf, RecordError)> {
        let mut context = Context::of_caller();
        for directory in link_directories(us) {
            let found = HomeRecord::read(&directory);
            if let Some(record) = found.map_err(|e| (directory.clone(), e))? {
                context.shims = Some(directory);
                context.record = Some(record);
                break;
            }
        }
        Ok(context)
    }

    /// For the command line: no record yet, only variables.
    pub fn of_caller() -> Self {
        let named = std::env::var_os("EMBARGO_POLICY").unwrap_or_default();
        let cwd = std::env::current_dir().ok().or_else(deleted_directory);
        Context {
            shims: None,
            record: None,
            by_variables: Places::by_variables(),
            named: split(&named).map(|p| absolute(cwd.as_deref(), &p)).collect(),
            cwd,
            user: rustix::process::geteuid().as_raw(),
        }
    }

    /// For a verb that judges or reads: what the shims on PATH would know. Of several, the
    /// directory of an `embargo run` counts first.
    pub fn of_verb() -> Result<Self, (PathBuf, RecordError)> {
        let mut context = Context::of_caller();
        let path = std::env::var_os("PATH").unwrap_or_default();
        for directory in split(&path).filter(|p| p.is_absolute()) {
            let record = match HomeRecord::read(&directory) {
                Ok(Some(record)) => record,
                Ok(None) => continue,
                // Nothing there can be executed either.
                Err(RecordError::Unreadable(e)) if e.kind() == PermissionDenied => continue,
                Err(e) => return Err((directory, e)),
            };
            let is_run = record.session.is_some();
            if is_run || context.record.is_none() {
                context.shims = Some(directory);
                context.record = Some(record);
            }
            if is_run {
                break;
            }
        }
        Ok(context)
    }

    /// The user's configuration directory, by record or, without one, by variables.
    pub fn config(&self) -> Option<&Path> {
        self.record.as_ref().map(|r| &*r.config).or(self.by_variables.as_ref().map(|p| &*p.config))
    }

    /// A configuration directory that variables name besides the recorded one: it may only tighten.
    pub fn added_config(&self) -> Option<&Path> {
        let added = self.by_variables.as_ref().map(|p| &*p.config)?;
        (self.config() != Some(added)).then_some(added)
    }

    /// What `~` may mean, the recorded user's first: a variable names another home, and hides none.
    pub fn homes(&self) -> Vec<PathBuf> {
        let recorded = self.record.as_ref().and_then(|record| home_of(&record.config));
        let variable = std::env::var_os("HOME").map(PathBuf::from).filter(|h| h.is_absolute());
        let mut homes: Vec<PathBuf> = recorded.into_iter().chain(variable).collect();
        homes.dedup();
        homes
    }

    pub fn state(&self) -> Option<&Path> {
        self.record.as_ref().map(|r| &*r.state).or(self.by_variables.as_ref().map(|p| &*p.state))
    }

    pub fn cache(&self) -> Option<&Path> {
        self.record.as_ref().map(|r| &*r.cache).or(self.by_variables.as_ref().map(|p| &*p.cache))
    }

    /// The recorded state directory, if it is not there. Whom it does not belong to need
    /// not be able to look.
    pub fn missing_state(&self) -> Option<&Path> {
        let state = &*self.record.as_ref()?.state;
        match rustix::fs::access(state, rustix::fs::Access::EXISTS) {
            Ok(()) => None,
            Err(Errno::ACCESS) if !self.may_write() => None,
            Err(_) => Some(state),
        }
    }

    /// Whose state it is: only that user writes there.
    pub fn owner(&self) -> u32 {
        self.record.as_ref().map_or(self.user, |r| r.owner)
    }

    /// May this process write state and cache?
    pub fn may_write(&self) -> bool {
        self.user == self.owner()
    }
}

/// The home that a configuration directory is in, where it is where it usually is.
fn home_of(config: &Path) -> Option<PathBuf> {
    const USUAL: [&str; 2] = [".config/embargo", "Library/Application Support/embargo"];
    let usual = USUAL.iter().find(|usual| config.ends_with(usual))?;
    config.ancestors().nth(Path::new(usual).components().count()).map(Path::to_owned)
}

/// The directory of the executed file, then those its links lead to.
fn link_directories(us: &Executed) -> impl Iterator<Item = PathBuf> {
    const LINKS: usize = 16;
    let mut last: Option<PathBuf> = None;
    let directory = |file: &Path| match file.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent.to_owned(),
        _ => PathBuf::from("."),
    };
    let step = move || {
        let file = match &last {
            None => us.path.clone(),
            // Followed only when the directory before had no record.
            Some(file) => directory(file).join(std::fs::read_link(file).ok()?),
        };
        Some(directory(last.insert(file)))
    };
    std::iter::from_fn(step).take(LINKS)
}

/// Where a working directory was that has been removed: the policies above it go on (proc(5)).
fn deleted_directory() -> Option<PathBuf> {
    let path = std::fs::read_link("/proc/self/cwd").ok()?;
    let path = path.as_os_str().as_bytes().strip_suffix(b" (deleted)")?;
    Some(PathBuf::from(OsStr::from_bytes(path)))
}

/// A PATH-like list; empty parts are nothing.
fn split(list: &OsString) -> impl Iterator<Item = PathBuf> {
    std::env::split_paths(list).filter(|p| !p.as_os_str().is_empty())
}

/// Against a directory, where the path is relative.
pub fn absolute(cwd: Option<&Path>, path: &Path) -> PathBuf {
    match cwd {
        Some(cwd) if !path.as_os_str().as_bytes().starts_with(b"/") => cwd.join(path),
        _ => path.to_owned(),
    }
}
