//! `embargo hook`: what harnesses call. A harness's call is looked for before clap is.

pub mod call;
