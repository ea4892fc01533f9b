//! Which face are we? The argv is taken as C hands it over: Rust's own start-up
//! would open closed descriptors and set SIGPIPE, and both would reach the real program.
#![no_main]

use std::ffi::{c_char, c_int};

use embargo::sys::Start;

// SAFETY: this is the one `main` of the program; the C runtime calls it with its argc and argv.
#[unsafe(no_mangle)]
extern "C" fn main(argc: c_int, argv: *const *const c_char) -> c_int {
    // SAFETY: as the C runtime hands them over.
    let start = unsafe { Start::new(argc, argv) };
    embargo::run(start).code()
}
