//! A stack that overflows is a finding: libFuzzer's handler then needs a stack of its own, to
//! write down the input. It takes one if SIGSEGV is already to be handled on one.

use std::mem::{MaybeUninit, zeroed};
use std::ptr::{addr_of_mut, null, null_mut};

const SIZE: usize = 256 << 10;

static mut STACK: [MaybeUninit<u8>; SIZE] = [MaybeUninit::uninit(); SIZE];

/// Before any input is tried.
pub fn report_overflow() {
    // SAFETY: the stack is static and used by signal handlers alone; `sigaction` is a plain C
    // structure, which all zeroes makes the default action.
    unsafe {
        let stack = libc::stack_t { ss_sp: addr_of_mut!(STACK).cast(), ss_flags: 0, ss_size: SIZE };
        assert_eq!(libc::sigaltstack(&stack, null_mut()), 0);
        let mut action: libc::sigaction = zeroed();
        assert_eq!(libc::sigaction(libc::SIGSEGV, null(), &mut action), 0);
        action.sa_sigaction = libc::SIG_DFL;
        action.sa_flags = libc::SA_ONSTACK;
        assert_eq!(libc::sigaction(libc::SIGSEGV, &action, null_mut()), 0);
    }
}
