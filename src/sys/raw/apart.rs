//! For what is started to be looked at, and not waited for for ever: signals that would end us
//! held back until it is gone, and a session of its own for it.

use std::ffi::c_int;
use std::io;
use std::os::unix::process::CommandExt as _;
use std::process::Command;

/// Signals that would end us wait until what we made is tidied up: then they do what they
/// would have done.
#[derive(Debug)]
pub struct Held {
    before: libc::sigset_t,
}

/// What a person or a session's end sends.
const ENDING: [c_int; 4] = [libc::SIGINT, libc::SIGTERM, libc::SIGHUP, libc::SIGQUIT];

impl Held {
    /// Threads that are made meanwhile hold them back as well.
    pub fn begin() -> Self {
        let mut before = no_signals();
        // SAFETY: both sets are initialised and ours.
        unsafe { libc::pthread_sigmask(libc::SIG_BLOCK, &ending(), &mut before) };
        Held { before }
    }

    /// Has one of them come?
    pub fn is_pending() -> bool {
        let mut pending = no_signals();
        // SAFETY: the set is initialised and ours.
        unsafe {
            libc::sigpending(&mut pending);
            ENDING.iter().any(|signal| libc::sigismember(&pending, *signal) == 1)
        }
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        // SAFETY: the set is what pthread_sigmask itself has filled.
        unsafe { libc::pthread_sigmask(libc::SIG_SETMASK, &self.before, std::ptr::null_mut()) };
    }
}

/// The command begins a session of its own: without our terminal, which an interactive shell
/// would take or wait for, and with signals that end it again. The session's id is its pid.
pub fn apart(command: &mut Command) {
    let apart = || {
        // SAFETY: pthread_sigmask and setsid are async-signal-safe, and `ending` allocates nothing.
        let session = unsafe {
            libc::pthread_sigmask(libc::SIG_UNBLOCK, &ending(), std::ptr::null_mut());
            libc::setsid()
        };
        if session == -1 { Err(io::Error::last_os_error()) } else { Ok(()) }
    };
    // SAFETY: what runs between fork and exec is safe there, as said above.
    unsafe { command.pre_exec(apart) };
}

fn ending() -> libc::sigset_t {
    let mut set = no_signals();
    for signal in ENDING {
        // SAFETY: the set is initialised, and the numbers are signals.
        unsafe { libc::sigaddset(&mut set, signal) };
    }
    set
}

fn no_signals() -> libc::sigset_t {
    // SAFETY: a set of signals is plain bits, and sigemptyset gives them their meaning.
    unsafe {
        let mut set = std::mem::zeroed();
        libc::sigemptyset(&mut set);
        set
    }
}
