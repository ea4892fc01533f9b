#![no_main]

use embargo_fuzz::{Costly, words};

mod stack;

libfuzzer_sys::fuzz_target!(init: stack::report_overflow(), |bytes: &[u8]| {
    words(bytes, Costly::OneIn(8));
});
