//! What no safe function offers: the argv and environment as the kernel laid them
//! out, execve on them, a fork of us, a mapped file, signals put aside for a while, a command apart from our
//! terminal, and the note by which embargo's own binaries know each other. The only unsafe
//! module besides `main.rs`.
#![expect(unsafe_code, reason = "the one place for it; each block says why it is sound")]

mod apart;
pub mod child;
#[cfg(target_env = "musl")]
mod heap;
pub mod last_word;

use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::fs::File;
use std::io;
use std::ops::Deref;
use std::ptr::{NonNull, null_mut};

use bstr::BString;
use rustix::mm::{MapFlags, ProtFlags, mmap, munmap};

pub use apart::{Held, apart};

unsafe extern "C" {
    static environ: *const *const c_char;
}

/// argv as `main` received it. Made once, by `main`.
#[derive(Debug, Clone, Copy)]
pub struct Start {
    count: usize,
    argv: *const *const c_char,
}

impl Start {
    /// # Safety
    ///
    /// `argv` must be what the C runtime handed to `main`: `argc` pointers to
    /// C strings, then a null, all of them valid for the life of the process.
    pub unsafe fn new(argc: c_int, argv: *const *const c_char) -> Self {
        Start { count: usize::try_from(argc).unwrap_or_default(), argv }
    }

    /// A copy of the arguments.
    pub fn arguments(&self) -> Vec<BString> {
        // SAFETY: by `new`, `argv` has `count` pointers to C strings that live as long as we do.
        (0..self.count)
            .map(|i| unsafe { CStr::from_ptr(*self.argv.add(i)) })
            .map(|a| BString::from(a.to_bytes()))
            .collect()
    }

    /// The same vector, to hand on.
    pub fn vector(&self) -> Vector {
        // SAFETY: as above; the null at the end is included.
        let pointers = (0..=self.count).map(|i| unsafe { *self.argv.add(i) }).collect();
        Vector { pointers, owned: Vec::new() }
    }
}

/// A null-terminated vector of C strings, shared with the kernel's own where nothing changed.
#[derive(Debug)]
pub struct Vector {
    pointers: Vec<*const c_char>,
    owned: Vec<CString>,
}

impl Vector {
    /// The environment of this process.
    pub fn environment() -> Self {
        let mut pointers = Vec::new();
        // SAFETY: `environ` is null or a null-terminated vector; nothing else runs while we read it.
        unsafe {
            let mut at = environ;
            while !at.is_null() && !(*at).is_null() {
                pointers.push(*at);
                at = at.add(1);
            }
        }
        pointers.push(std::ptr::null());
        Vector { pointers, owned: Vec::new() }
    }

    /// A vector of our own making.
    pub fn of(words: Vec<CString>) -> Self {
        let mut pointers: Vec<_> = words.iter().map(|w| w.as_ptr()).collect();
        pointers.push(std::ptr::null());
        Vector { pointers, owned: words }
    }

    /// Puts another word in the first place (an empty vector gets one).
    pub fn set_first(&mut self, word: CString) {
        let pointer = word.as_ptr();
        match self.pointers.len() {
            0 | 1 => self.pointers.insert(0, pointer),
            _ => self.pointers[0] = pointer,
        }
        self.owned.push(word);
    }

    /// Puts a word before all others.
    pub fn push_front(&mut self, word: CString) {
        self.pointers.insert(0, word.as_ptr());
        self.owned.push(word);
    }

    /// Drops every word that begins so.
    pub fn remove(&mut self, prefix: &[u8]) {
        self.pointers.retain(|p| {
            // SAFETY: every pointer but the last null is a live C string: the kernel's or one of `owned`.
            p.is_null() || !unsafe { CStr::from_ptr(*p) }.to_bytes().starts_with(prefix)
        });
    }

    /// Adds a word at the end.
    pub fn push(&mut self, word: CString) {
        let end = self.pointers.len().saturating_sub(1);
        self.pointers.insert(end, word.as_ptr());
        self.owned.push(word);
    }
}

/// Becomes another program; returns only when that failed.
pub fn execve(path: &CStr, argv: &Vector, environment: &Vector) -> io::Error {
    // SAFETY: both vectors end in null and hold live C strings; `path` is one.
    unsafe { libc::execve(path.as_ptr(), argv.pointers.as_ptr(), environment.pointers.as_ptr()) };
    io::Error::last_os_error()
}

/// The path that the kernel was asked to execute, where it says so.
pub fn executed_path() -> Option<&'static CStr> {
    #[cfg(target_os = "linux")]
    {
        // SAFETY: getauxval has no preconditions; for AT_EXECFN it gives 0 or the address of a C
        // string at the top of the stack that lives as long as the process (getauxval(3)).
        let address = unsafe { libc::getauxval(libc::AT_EXECFN) } as *const c_char;
        (!address.is_null()).then(|| unsafe { CStr::from_ptr(address) })
    }
    #[cfg(not(target_os = "linux"))]
    None
}

/// The leader of this process's terminal session, where it can be named: one that lives
/// outside of our pid namespace has no number here, getsid(2) says 0, and rustix takes
/// that for one.
pub fn session_leader() -> Option<u32> {
    // SAFETY: getsid takes a number and touches no memory of ours.
    let pid = unsafe { libc::getsid(0) };
    u32::try_from(pid).ok().filter(|pid| *pid != 0)
}

/// A signal that is ignored for a while, and then again what it was. For SIGPIPE and SIGXFSZ:
/// what they tell of, the failed write says as well, and it is ours, not the real program's.
#[derive(Debug)]
pub struct Ignored {
    signal: c_int,
    before: libc::sighandler_t,
}

impl Ignored {
    /// Begins; `None` when the system does not let us.
    pub fn new(signal: c_int) -> Option<Self> {
        // SAFETY: signal(2) with a constant for handler; no code of ours runs in a handler.
        let before = unsafe { libc::signal(signal, libc::SIG_IGN) };
        (before != libc::SIG_ERR).then_some(Ignored { signal, before })
    }
}

impl Drop for Ignored {
    fn drop(&mut self) {
        // SAFETY: as above; a process that was just executed has only SIG_DFL or SIG_IGN to go back to.
        unsafe { libc::signal(self.signal, self.before) };
    }
}

/// A file mapped for reading.
#[derive(Debug)]
pub struct Mapped {
    start: NonNull<c_void>,
    size: usize,
}

impl Mapped {
    /// Maps so many bytes of the file, all it has.
    pub fn new(file: &File, size: usize) -> io::Result<Self> {
        // SAFETY: a new mapping where the kernel likes takes nothing from anybody.
        let start = unsafe { mmap(null_mut(), size, ProtFlags::READ, MapFlags::SHARED, file, 0) }?;
        let start = NonNull::new(start).ok_or(io::ErrorKind::OutOfMemory)?;
        Ok(Mapped { start, size })
    }
}

impl Deref for Mapped {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        // SAFETY: mapped in `new` for as long as `self` lives. Views are replaced by rename, never
        // written in place, so the bytes stay as they are; who could truncate the file could as
        // well replace our binary.
        unsafe { std::slice::from_raw_parts(self.start.cast().as_ptr(), self.size) }
    }
}

impl Drop for Mapped {
    fn drop(&mut self) {
        // SAFETY: nothing borrows from it any more.
        let _ = unsafe { munmap(self.start.as_ptr(), self.size) };
    }
}

/// Owner of our ELF note.
pub const NOTE_OWNER: &[u8; 8] = b"embargo\0";

/// An ELF note (name size, descriptor size, type, name, descriptor) by which a
/// shim knows a copy or another version of itself when it looks for the real program.
#[cfg(target_os = "linux")]
#[repr(C, align(4))]
struct Note {
    sizes: [u32; 2],
    kind: u32,
    owner: [u8; 8],
    descriptor: [u8; 4],
}

// SAFETY: a constant in a section of its own; nothing refers to its place.
#[cfg(target_os = "linux")]
#[used]
#[unsafe(link_section = ".note.embargo")]
static NOTE: Note = Note { sizes: [8, 4], kind: 1, owner: *NOTE_OWNER, descriptor: *b"shim" };
