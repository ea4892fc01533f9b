#![no_main]

use embargo_fuzz::{Costly, policy};

mod stack;

libfuzzer_sys::fuzz_target!(init: stack::report_overflow(), |bytes: &[u8]| {
    policy(bytes, Costly::OneIn(16));
});
