//! One variable by which a shim knows that the program it became led back to it: a
//! version manager that looks for the real program on PATH finds the shim first, and
//! pyenv with the system's version goes round like that for ever.
//!
//! `EMBARGO_HOP=<pid>:<times>:<program>` is set only for what may come back, and is the
//! only change ever made to the environment. A manager that executes leads back in the
//! same process; one that starts a child is met again so often, with no end, that it
//! can be no honest nesting.

use std::ffi::{CString, OsStr};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// The variable's name.
pub const HOP: &str = "EMBARGO_HOP";

/// A program that calls itself through PATH goes no deeper than this: `npm run` in
/// `npm run` in `npm run`.
const DEEP: u32 = 32;

/// A program of our name that was become above us, or in this very process.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hop {
    program: PathBuf,
    /// How many of them in a row, one below the other.
    times: u32,
    is_back: bool,
}

impl Hop {
    /// The variable's, if it speaks of a program of this name.
    pub fn read(name: &OsStr) -> Option<Self> {
        let value = std::env::var_os(HOP)?;
        let mut fields = value.as_bytes().splitn(3, |b| *b == b':');
        let mut number = || std::str::from_utf8(fields.next()?).ok()?.parse::<u32>().ok();
        let (pid, times) = (number()?, number()?);
        let program = PathBuf::from(OsStr::from_bytes(fields.next()?));
        let is_back = pid == std::process::id() || times >= DEEP;
        (program.file_name() == Some(name)).then_some(Hop { program, times, is_back })
    }

    /// The directory after which to go on, when the program led back to us.
    pub fn back_from(&self) -> Option<&Path> {
        self.program.parent().filter(|_| self.is_back)
    }
}

/// The word for the environment of a program that may come back.
pub fn word(program: &Path, before: Option<&Hop>) -> Option<CString> {
    let times = before.map_or(0, |hop| hop.times);
    let mut word =
        format!("{HOP}={}:{}:", std::process::id(), times.saturating_add(1)).into_bytes();
    word.extend_from_slice(program.as_os_str().as_bytes());
    CString::new(word).ok()
}
