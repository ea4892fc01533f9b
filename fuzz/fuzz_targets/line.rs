//! Beside what must hold, the time: 50 ms of CPU for up to 64 KiB in a release build.
#![no_main]

use std::time::Duration;

use embargo_fuzz::{Costly, line};

mod stack;

/// This build counts edges and checks overflows, and other processes are in its caches: the
/// slowest inputs take it so much longer than a release.
const FACTOR: u32 = 5;
const PARSE: Duration = Duration::from_millis(50);
/// A quarter of what a hook may take: a text of a shell's texts is read once for each.
const CALLS: Duration = Duration::from_millis(500);

libfuzzer_sys::fuzz_target!(init: stack::report_overflow(), |bytes: &[u8]| {
    let took = line(bytes, Costly::OneIn(16));
    assert!(took.parse < PARSE * FACTOR && took.calls < CALLS * FACTOR, "{took:?}");
});
