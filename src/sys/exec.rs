//! Becoming the real program: nothing of ours stays, and nothing of the caller's
//! is touched but argv\[0\] and one variable, where the design says so.

use std::convert::Infallible;
use std::ffi::{CStr, CString, OsStr};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use super::hop::{self, HOP, Hop};
use super::program::Program;
use super::raw::{Start, Vector, execve};

/// Executes; returns only the error.
pub fn exec(start: &Start, program: &Program, argv0_is_path: bool, hop: Option<&Hop>) -> io::Error {
    let mut argv = start.vector();
    if argv0_is_path {
        argv.set_first(absolute(&program.path));
    }
    let mut environment = Vector::environment();
    // Where to go on is the next shim's to know, when there is one.
    let is_back = !program.is_shim && hop.is_some_and(|hop| hop.back_from().is_some());
    if is_back || program.may_come_back {
        environment.remove(format!("{HOP}=").as_bytes());
    }
    if program.may_come_back {
        let path = absolute(&program.path);
        let path = Path::new(OsStr::from_bytes(path.to_bytes()));
        hop::word(path, hop).into_iter().for_each(|word| environment.push(word));
    }
    let error = execve(&program.path, &argv, &environment);
    if error.raw_os_error() == Some(libc::ENOEXEC) {
        return exec_by_sh(start, &program.path, &environment);
    }
    error
}

/// A script without `#!` is run by `sh`, as execvp(3) and every shell do.
fn exec_by_sh(start: &Start, path: &CStr, environment: &Vector) -> io::Error {
    let mut argv = start.vector();
    argv.set_first(path.to_owned());
    argv.push_front(c"sh".to_owned());
    execve(c"/bin/sh", &argv, environment)
}

/// Executes a program with an argv of our own making (`embargo run`).
pub fn become_program(
    path: &Path,
    argv: Vec<CString>,
    environment: &[(CString, CString)],
) -> io::Result<Infallible> {
    let path = CString::new(path.as_os_str().as_bytes())?;
    let mut variables = Vector::environment();
    for (name, value) in environment {
        let mut word = name.as_bytes().to_vec();
        word.push(b'=');
        variables.remove(&word);
        word.extend_from_slice(value.as_bytes());
        variables.push(CString::new(word)?);
    }
    let first = argv.clone();
    let vector = Vector::of(argv);
    let error = execve(&path, &vector, &variables);
    if error.raw_os_error() == Some(libc::ENOEXEC) {
        let mut words = vec![c"sh".to_owned(), path];
        words.extend(first.into_iter().skip(1));
        return Err(execve(c"/bin/sh", &Vector::of(words), &variables));
    }
    Err(error)
}

fn absolute(path: &CStr) -> CString {
    if path.to_bytes().starts_with(b"/") {
        return path.to_owned();
    }
    let absolute =
        std::env::current_dir().map(|cwd| cwd.join(Path::new(OsStr::from_bytes(path.to_bytes()))));
    absolute
        .ok()
        .and_then(|p| CString::new(p.as_os_str().as_bytes()).ok())
        .unwrap_or_else(|| path.to_owned())
}
