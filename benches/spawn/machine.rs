//! What all rows share: a throwaway directory, the environment and the PATH of
//! twelve entries, and where the release build lies.

use std::path::{Path, PathBuf};
use std::time::SystemTime;

use anyhow::{Context, Result};

use crate::call::Environment;

/// Entries of PATH: the first is the shim's, the last has the real program.
pub const PATH_ENTRIES: usize = 12;

pub struct Machine {
    root: tempfile::TempDir,
    /// Of every call: the caller's own, so that its size is a real one, but for
    /// HOME, PATH and what would point embargo elsewhere.
    pub environment: Environment,
}

impl Machine {
    pub fn prepare() -> Result<Self> {
        let root = tempfile::tempdir().context("cannot make a throwaway directory")?;
        let project = root.path().join("work/project");
        std::fs::create_dir_all(&project)?;
        std::env::set_current_dir(&project)?;
        let ours = |name: &str| {
            ["EMBARGO_", "XDG_"].iter().any(|p| name.starts_with(p))
                || ["HOME", "PATH"].contains(&name)
        };
        let mut machine = Self { root, environment: Environment::new() };
        machine.environment =
            std::env::vars_os().filter(|(name, _)| !ours(&name.to_string_lossy())).collect();
        machine.environment.push(("HOME".into(), machine.directory("home")?.into()));
        machine.environment.push(("PATH".into(), machine.path(&machine.directory("shims")?)?));
        Ok(machine)
    }

    /// A directory of this name below the throwaway one; made when it is not there.
    pub fn directory(&self, name: &str) -> Result<PathBuf> {
        let directory = self.root.path().join(name);
        std::fs::create_dir_all(&directory)?;
        Ok(directory)
    }

    /// A PATH that begins with `first` and reaches /bin last.
    pub fn path(&self, first: &Path) -> Result<std::ffi::OsString> {
        let between = (2..PATH_ENTRIES).map(|i| self.directory(&format!("path/{i}")));
        let mut entries = vec![first.to_owned()];
        entries.extend(between.collect::<Result<Vec<_>>>()?);
        entries.push("/bin".into());
        Ok(std::env::join_paths(entries)?)
    }

    /// The environment with `changes` made to it.
    pub fn environment_with(&self, changes: Environment) -> Environment {
        let kept = |(name, _): &&_| !changes.iter().any(|(changed, _)| changed == name);
        let mut environment: Environment = self.environment.iter().filter(kept).cloned().collect();
        environment.extend(changes);
        environment
    }

    /// The static musl release, or why it cannot be measured.
    pub fn musl_embargo(&self) -> Result<PathBuf, String> {
        if let Some(path) = std::env::var_os("EMBARGO_BENCH_MUSL") {
            return Ok(path.into());
        }
        let target = format!("{}-unknown-linux-musl/release/embargo", std::env::consts::ARCH);
        let default = Path::new(env!("CARGO_BIN_EXE_embargo"));
        let found = default.ancestors().map(|above| above.join(&target)).find(|path| path.exists());
        let Some(binary) = found else {
            return Err("there is no such build: run `just dist`, or set EMBARGO_BENCH_MUSL".into());
        };
        let built = modified(&binary);
        let source = newest(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"));
        if built < source {
            return Err(format!(
                "`{}` is older than the source: run `just dist`",
                binary.display()
            ));
        }
        Ok(binary)
    }
}

fn newest(path: &Path) -> SystemTime {
    let below = std::fs::read_dir(path).into_iter().flatten().flatten();
    below.map(|entry| newest(&entry.path())).fold(modified(path), SystemTime::max)
}

fn modified(path: &Path) -> SystemTime {
    path.metadata().and_then(|m| m.modified()).unwrap_or(SystemTime::UNIX_EPOCH)
}
