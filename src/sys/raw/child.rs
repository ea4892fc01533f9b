//! A command that is run and waited for as if we were it: in our process group, stopped and
//! ended by what stops and ends us, each signal once.

use std::ffi::{c_int, c_void};
use std::io;
use std::sync::atomic::{AtomicI32, Ordering};

use rustix::process::{Pid, Resource, Rlimit, WaitOptions, setrlimit, waitpid};

use super::Held;

/// Who runs after a fork.
#[derive(Debug)]
pub enum Side {
    Child,
    Parent(Child),
}

/// The command, from when it is started until it has ended.
#[derive(Debug)]
pub struct Child(Pid);

/// How it ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ended {
    Status(u8),
    Signal(c_int),
    /// Somebody else has waited for it.
    Unknown,
}

/// Whom signals go on to; 0 when there is nobody.
static CHILD: AtomicI32 = AtomicI32::new(0);

/// What a terminal sends goes to the whole group; what a process sends us is for the command.
const FORWARDED: [c_int; 9] = [
    libc::SIGHUP,
    libc::SIGINT,
    libc::SIGQUIT,
    libc::SIGTERM,
    libc::SIGUSR1,
    libc::SIGUSR2,
    libc::SIGALRM,
    libc::SIGTSTP,
    libc::SIGCONT,
];

/// Forks. The child has the signals that we had, and is to become the command.
pub fn fork() -> io::Result<Side> {
    let held = Held::begin();
    // SAFETY: signal(2) with a constant. Where SIGCHLD is ignored no status can be had.
    let before = unsafe { libc::signal(libc::SIGCHLD, libc::SIG_DFL) };
    // SAFETY: this process has one thread, so that the child has all that we have.
    let pid = unsafe { libc::fork() };
    let Some(child) = Pid::from_raw(pid.max(0)) else {
        let error = io::Error::last_os_error();
        // SAFETY: what signal(2) has given.
        unsafe { libc::signal(libc::SIGCHLD, before) };
        drop(held);
        return if pid == 0 { Ok(Side::Child) } else { Err(error) };
    };
    CHILD.store(pid, Ordering::Release);
    FORWARDED.into_iter().for_each(forward);
    Ok(Side::Parent(Child(child)))
}

impl Child {
    /// Until it has ended; when it is stopped, so are we.
    pub fn wait(self) -> Ended {
        let ended = loop {
            let status = match waitpid(Some(self.0), WaitOptions::UNTRACED) {
                Ok(Some((_, status))) => status,
                Ok(None) | Err(rustix::io::Errno::INTR) => continue,
                Err(_) => break Ended::Unknown,
            };
            if status.stopped() {
                // SAFETY: raise takes a number.
                unsafe { libc::raise(libc::SIGSTOP) };
            } else if let Some(signal) = status.terminating_signal() {
                break Ended::Signal(signal);
            } else if let Some(status) = status.exit_status() {
                break Ended::Status(u8::try_from(status & 0xff).unwrap_or_default());
            }
        };
        CHILD.store(0, Ordering::Release);
        ended
    }
}

/// Ends us as the command was ended, without a core of ours; returns where that cannot be.
pub fn end_by(signal: c_int) {
    let none = Rlimit { current: Some(0), maximum: Some(0) };
    let _ = setrlimit(Resource::Core, none);
    // SAFETY: signal(2) with a constant, a set that sigemptyset fills, and numbers.
    unsafe {
        libc::signal(signal, libc::SIG_DFL);
        let mut set = std::mem::zeroed();
        libc::sigemptyset(&mut set);
        libc::sigaddset(&mut set, signal);
        libc::pthread_sigmask(libc::SIG_UNBLOCK, &set, std::ptr::null_mut());
        libc::raise(signal);
    }
}

/// What was ignored stays so.
fn forward(signal: c_int) {
    // SAFETY: the structures are plain data, zero is a value of them, and the handler does only
    // what signal-safety(7) allows: it loads a number and sends a signal.
    unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        if libc::sigaction(signal, std::ptr::null(), &mut action) != 0
            || action.sa_sigaction == libc::SIG_IGN
        {
            return;
        }
        action = std::mem::zeroed();
        let handler: extern "C" fn(c_int, *mut libc::siginfo_t, *mut c_void) = on_signal;
        action.sa_sigaction = handler as libc::sighandler_t;
        action.sa_flags = libc::SA_SIGINFO | libc::SA_RESTART;
        libc::sigemptyset(&mut action.sa_mask);
        libc::sigaction(signal, &action, std::ptr::null_mut());
    }
}

extern "C" fn on_signal(signal: c_int, info: *mut libc::siginfo_t, _: *mut c_void) {
    let child = CHILD.load(Ordering::Acquire);
    // SAFETY: the kernel hands over a siginfo; kill takes numbers. Codes up to 0 are those of
    // kill(2) and its kin; the terminal's are the kernel's, and the group has had them.
    unsafe {
        if child > 0 && (*info).si_code <= 0 {
            libc::kill(child, signal);
        }
    }
}
