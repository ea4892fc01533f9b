//! One program to start: everything prepared before the clock runs, so that what
//! is timed is posix_spawn and wait and nothing of ours.

use std::ffi::{CStr, CString, OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

pub type Environment = Vec<(OsString, OsString)>;

#[derive(Clone)]
pub struct Call {
    path: CString,
    argv: Vec<CString>,
    envp: Vec<CString>,
}

impl Call {
    pub fn new<A: AsRef<OsStr>>(
        path: impl AsRef<Path>,
        argv: impl IntoIterator<Item = A>,
        environment: &Environment,
    ) -> Self {
        let variable = |(name, value): &(OsString, OsString)| {
            c_string(&[name.as_bytes(), b"=", value.as_bytes()].concat())
        };
        Self {
            path: c_string(path.as_ref().as_os_str().as_bytes()),
            argv: argv.into_iter().map(|a| c_string(a.as_ref().as_bytes())).collect(),
            envp: environment.iter().map(variable).collect(),
        }
    }

    /// Another program called in the same way.
    pub fn of(&self, path: &Path) -> Self {
        Self { path: c_string(path.as_os_str().as_bytes()), ..self.clone() }
    }

    pub fn path(&self) -> &Path {
        Path::new(OsStr::from_bytes(self.path.to_bytes()))
    }

    /// Starts the program and waits for it; its exit status and how long that took.
    pub fn run(&self, out: &Output) -> Result<(i32, Duration)> {
        let (argv, envp) = (pointers(&self.argv), pointers(&self.envp));
        let mut pid = 0;
        let mut status = 0;
        let begin = Instant::now();
        // SAFETY: path, argv and envp are NUL-terminated and outlive the call; the
        // file actions were initialised; pid and status are ours.
        let (spawned, waited) = unsafe {
            let spawned = libc::posix_spawn(
                &raw mut pid,
                self.path.as_ptr(),
                &raw const out.actions,
                std::ptr::null(),
                argv.as_ptr().cast(),
                envp.as_ptr().cast(),
            );
            (spawned, if spawned == 0 { libc::waitpid(pid, &raw mut status, 0) } else { 0 })
        };
        let took = begin.elapsed();
        if spawned != 0 {
            let error = std::io::Error::from_raw_os_error(spawned);
            return Err(error).with_context(|| format!("cannot start `{}`", self.path().display()));
        }
        if waited != pid || !libc::WIFEXITED(status) {
            bail!("`{}` ended by a signal or could not be waited for", self.path().display());
        }
        Ok((libc::WEXITSTATUS(status), took))
    }
}

/// Where the programs write: one file for stdout and stderr, never a terminal.
pub struct Output {
    actions: libc::posix_spawn_file_actions_t,
}

impl Output {
    /// The same, with this file as standard input.
    pub fn fed(path: &Path, input: &Path) -> Result<Self> {
        let mut output = Self::to(path)?;
        let input = c_string(input.as_os_str().as_bytes());
        // SAFETY: the actions were initialised by `to`; the path is copied.
        let failed = unsafe {
            let actions = &raw mut output.actions;
            libc::posix_spawn_file_actions_addopen(actions, 0, input.as_ptr(), libc::O_RDONLY, 0)
        };
        if failed != 0 {
            bail!("cannot prepare the input of the measured programs");
        }
        Ok(output)
    }

    pub fn to(path: &Path) -> Result<Self> {
        let path = c_string(path.as_os_str().as_bytes());
        let flags = libc::O_WRONLY | libc::O_CREAT | libc::O_APPEND;
        let mut actions = std::mem::MaybeUninit::uninit();
        // SAFETY: init comes first and its result is checked before the others are
        // trusted; the path is copied by addopen.
        let failed = unsafe {
            let actions = actions.as_mut_ptr();
            libc::posix_spawn_file_actions_init(actions)
                | libc::posix_spawn_file_actions_addopen(actions, 1, path.as_ptr(), flags, 0o600)
                | libc::posix_spawn_file_actions_adddup2(actions, 1, 2)
        };
        if failed != 0 {
            bail!("cannot prepare the output of the measured programs");
        }
        // SAFETY: initialised above.
        Ok(Self { actions: unsafe { actions.assume_init() } })
    }
}

fn c_string(bytes: &[u8]) -> CString {
    let end = bytes.iter().position(|b| *b == 0).unwrap_or(bytes.len());
    CString::new(&bytes[..end]).unwrap_or_default()
}

fn pointers(strings: &[CString]) -> Vec<*const libc::c_char> {
    let ends = std::iter::once(std::ptr::null());
    strings.iter().map(CString::as_c_str).map(CStr::as_ptr).chain(ends).collect()
}
