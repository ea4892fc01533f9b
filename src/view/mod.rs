//! The compiled policy that the shim maps: rules filed by what they speak of, so
//! that a call reads only the few that may hit it. Bytes in, records out: no IO.
//!
//! The layout is private to one build (the build id is part of the header) and
//! every read is bounds-checked: a damaged view is rebuilt, never trusted.

mod calls;
mod code;
mod compile;
mod effects;
mod encode;
mod feeders;
mod freshness;
mod key;
mod powershell;
mod prove;
mod put;
mod read;
mod unread;

pub use compile::{Distrust, Read, compile, source_text, spell_out};
pub use encode::{Contents, encode};
pub use freshness::{Identity, SourceRecord, Standing, is_current};
pub use prove::{Claim, Failure, Proof, prove};
pub use read::{Damaged, View};

/// Identifies the code that wrote a view.
pub const BUILD_ID: &str = env!("EMBARGO_BUILD_ID");
