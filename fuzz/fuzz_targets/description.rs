#![no_main]

use embargo_fuzz::{Costly, description};

mod stack;

libfuzzer_sys::fuzz_target!(init: stack::report_overflow(), |bytes: &[u8]| {
    description(bytes, Costly::OneIn(16));
});
