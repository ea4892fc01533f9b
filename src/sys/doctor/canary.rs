//! Calls that have to be refused, really made: by shims of a directory of their own, before
//! stubs, with a state of its own. No program of the user's can be met by them, and nothing
//! is written into the user's log.

use std::ffi::OsString;
use std::fs::{DirBuilder, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _, symlink};
use std::os::unix::process::ExitStatusExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use crate::command::is_shim_name;
use crate::doctor::{Call, Came, Canary};
use crate::sys::bounded::{self, Stopped};
use crate::sys::clock;
use crate::sys::context::Context;
use crate::sys::executed::Executed;
use crate::sys::home::{HomeRecord, RECORD};

/// A name that no program has.
const NAME: &str = "embargoes-canary";

const POLICY: &str = "[[embargo]]\ncommand = \"embargoes-canary\"\nreason = \"it is asked for \
    by `embargo doctor`, to see it refused\"\nalternative = \"go on\"\n";

/// Many rules may have to be compiled first.
const LIMIT: Duration = Duration::from_secs(30);

/// A directory of temporary files that is removed, whatever comes.
#[derive(Debug)]
struct Scene(PathBuf);

impl Drop for Scene {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Makes all calls. `in_force` is refused by a policy that is in force for `context`.
pub fn tried(context: &Context, in_force: Option<Call>, us: &Executed) -> Result<Canary, String> {
    let scene = Scene::new().map_err(|e| said(&e))?;
    let words = [NAME.to_owned(), "sings".to_owned()];
    let own = |policy: &str| {
        let config = scene.0.join("config");
        let written = std::fs::write(config.join("embargo.toml"), policy);
        written.map_err(|e| said(&e))?;
        let record = scene.record(config.clone());
        // What the user's variables name would count as well.
        let moved = [("HOME", &config), ("XDG_CONFIG_HOME", &scene.0)];
        scene.call(&record, &words, us, |command| {
            command.envs(moved).env_remove("EMBARGO_POLICY").current_dir(&scene.0);
        })
    };
    let (refused, passed) = (own(POLICY)?, own("")?);
    let in_force = match (in_force, context.config()) {
        (Some(call), Some(config)) => {
            let recorded = context.record.as_ref();
            let named = recorded.into_iter().flat_map(|r| &r.policies).chain(&context.named);
            let record = HomeRecord {
                starts: recorded.map(|r| r.starts.clone()).unwrap_or_default(),
                policies: named.cloned().collect(),
                ..scene.record(config.to_owned())
            };
            let came = scene.call(&record, &call.words, us, |_| {})?;
            Some((call, came))
        }
        _ => None,
    };
    Ok(Canary { refused, passed, call: words.join(" "), in_force })
}

impl Scene {
    /// A directory that nobody had before.
    fn new() -> io::Result<Self> {
        let name = format!("embargo-doctor-{}-{}", std::process::id(), clock::now_ns());
        let scene = Scene(std::env::temp_dir().join(name));
        DirBuilder::new().mode(0o700).create(&scene.0)?;
        for directory in ["shims", "bin", "config", "state", "cache"] {
            std::fs::create_dir(scene.0.join(directory))?;
        }
        Ok(scene)
    }

    fn record(&self, config: PathBuf) -> HomeRecord {
        HomeRecord {
            owner: rustix::process::geteuid().as_raw(),
            config,
            state: self.0.join("state"),
            cache: self.0.join("cache"),
            starts: Vec::new(),
            policies: Vec::new(),
            session: None,
        }
    }

    /// Executes a shim of the first word, with nothing but a stub behind it.
    fn call(
        &self,
        record: &HomeRecord,
        words: &[String],
        us: &Executed,
        around: impl FnOnce(&mut Command),
    ) -> Result<Came, String> {
        let [name, rest @ ..] = words else { return Err("no words".to_owned()) };
        if !is_shim_name(name.as_bytes()) {
            // By a name of ours it would be the command line, and do what the words say.
            return Err(format!("`{name}` is no name of a shim"));
        }
        let has_run = self.0.join("has-run");
        let shim = self.0.join("shims").join(name);
        let made = self.made(name, record, us).map_err(|e| said(&e));
        made.and_then(|()| match std::fs::remove_file(&has_run) {
            Err(e) if e.kind() != io::ErrorKind::NotFound => Err(said(&e)),
            _ => Ok(()),
        })?;
        let mut command = Command::new(&shim);
        command.args(rest).env("PATH", self.path()).env("EMBARGO_FORMAT", "");
        around(&mut command);
        match bounded::run(command, LIMIT, None) {
            Ok(ended) => Ok(Came {
                status: ended.status.and_then(|s| s.code().or(s.signal().map(|n| 128 + n))),
                said: String::from_utf8_lossy(&ended.stderr).into_owned(),
                has_run: has_run.exists(),
            }),
            Err(Stopped::NotStarted(e)) => Err(said(&e)),
            Err(Stopped::Interrupted) => Err("it was interrupted".to_owned()),
            Err(Stopped::TimedOut) => {
                Ok(Came { status: None, said: String::new(), has_run: has_run.exists() })
            }
        }
    }

    fn path(&self) -> OsString {
        let mut path = self.0.join("shims").into_os_string();
        path.push(":");
        path.push(self.0.join("bin"));
        path
    }

    /// The shim, its record and the stub behind it.
    fn made(&self, name: &str, record: &HomeRecord, us: &Executed) -> io::Result<()> {
        // Whatever the umask: a record that others could write is not trusted.
        let mut file = OpenOptions::new();
        file.write(true).create(true).truncate(true).mode(0o600);
        file.open(self.0.join("shims").join(RECORD))?.write_all(&record.to_bytes())?;
        link(&us.path, &self.0.join("shims").join(name))?;
        let stub = self.0.join("bin").join(name);
        let has_run = self.0.join("has-run").display().to_string().replace('\'', "'\\''");
        let mut file =
            OpenOptions::new().write(true).create(true).truncate(true).mode(0o700).open(stub)?;
        file.write_all(format!("#!/bin/sh\n: > '{has_run}'\n").as_bytes())
    }
}

fn link(target: &Path, link: &Path) -> io::Result<()> {
    match symlink(target, link) {
        Err(e) if e.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        made => made,
    }
}

fn said(error: &io::Error) -> String {
    error.to_string()
}
