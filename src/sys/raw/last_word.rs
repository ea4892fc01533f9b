//! What a hook says when it can say nothing else: an answer that is made in advance, and given by
//! whatever ends the process before the real one: a panic, a fault, or no verdict in time. A
//! harness runs the command of a hook that crashed.

use std::cell::UnsafeCell;
use std::ffi::c_int;
use std::mem::MaybeUninit;
use std::ptr::null_mut;
use std::sync::atomic::{AtomicPtr, Ordering};

/// Bytes for the two streams, and the status.
struct Word {
    stdout: Box<[u8]>,
    stderr: Box<[u8]>,
    status: c_int,
}

/// The one that would be said now. What it replaces stays where it is: a handler may be at it.
static WORD: AtomicPtr<Word> = AtomicPtr::new(null_mut());

/// A stack for the handler, since the fault may be that ours is full.
const STACK: usize = 32 << 10;

#[repr(align(16))]
struct Stack(UnsafeCell<MaybeUninit<[u8; STACK]>>);

// SAFETY: only the kernel uses it, for one handler at a time.
unsafe impl Sync for Stack {}

static HANDLERS: Stack = Stack(UnsafeCell::new(MaybeUninit::uninit()));

/// What ends a process that has gone wrong; an abort of the allocator included.
const FAULTS: [c_int; 5] = [libc::SIGSEGV, libc::SIGBUS, libc::SIGILL, libc::SIGFPE, libc::SIGABRT];

/// From now on this is said if the process ends by a fault, by a panic or by [`arm`]'s clock.
pub fn prepare(stdout: &str, stderr: &str, status: i32) {
    let word = Word { stdout: stdout.as_bytes().into(), stderr: stderr.as_bytes().into(), status };
    WORD.store(Box::into_raw(Box::new(word)), Ordering::Release);
}

/// After so many seconds, or when something breaks, what is prepared is said, and the process ends.
/// For a process that will not become another.
pub fn arm(seconds: u32) {
    std::panic::set_hook(Box::new(|_| leave()));
    // SAFETY: the stack is static and nobody else's; the structures are plain data, zero is a value
    // of them, and every field that counts is set. The handler does only what signal-safety(7)
    // allows: it loads a pointer, writes and ends the process.
    unsafe {
        let stack = libc::stack_t { ss_sp: HANDLERS.0.get().cast(), ss_flags: 0, ss_size: STACK };
        libc::sigaltstack(&stack, null_mut());
        let mut action: libc::sigaction = std::mem::zeroed();
        action.sa_sigaction = on_signal as extern "C" fn(c_int) as libc::sighandler_t;
        action.sa_flags = libc::SA_ONSTACK;
        libc::sigfillset(&mut action.sa_mask);
        let mut clock: libc::sigset_t = std::mem::zeroed();
        libc::sigemptyset(&mut clock);
        libc::sigaddset(&mut clock, libc::SIGALRM);
        for signal in FAULTS.into_iter().chain([libc::SIGALRM]) {
            libc::sigaction(signal, &action, null_mut());
        }
        // A harness may have started us with it held back, and a broken pipe must not be what
        // ends us while there is a status to give.
        libc::sigprocmask(libc::SIG_UNBLOCK, &clock, null_mut());
        libc::signal(libc::SIGPIPE, libc::SIG_IGN);
        libc::alarm(seconds);
    }
}

/// The clock stops, and nothing prepared will be said any more: the real answer follows.
pub fn disarm() {
    // SAFETY: alarm takes a number.
    unsafe { libc::alarm(0) };
    WORD.store(null_mut(), Ordering::Release);
}

extern "C" fn on_signal(_signal: c_int) {
    leave()
}

/// Says what is prepared, and ends the process without running anything else of it.
fn leave() -> ! {
    // SAFETY: a word that was stored is never freed or changed; alarm and _exit take numbers.
    unsafe {
        libc::alarm(0);
        let word = WORD.swap(null_mut(), Ordering::AcqRel);
        if word.is_null() {
            // Between the real answer and the end: exit 2 is a deny nearly everywhere.
            libc::_exit(2);
        }
        write(libc::STDOUT_FILENO, &(*word).stdout);
        write(libc::STDERR_FILENO, &(*word).stderr);
        libc::_exit((*word).status)
    }
}

fn write(descriptor: c_int, mut bytes: &[u8]) {
    while !bytes.is_empty() {
        // SAFETY: the pointer and the length are those of a live slice.
        let written = unsafe { libc::write(descriptor, bytes.as_ptr().cast(), bytes.len()) };
        match usize::try_from(written) {
            Ok(written @ 1..) => bytes = bytes.get(written..).unwrap_or_default(),
            _ => return,
        }
    }
}
